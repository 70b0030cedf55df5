package asm

import (
	"fmt"

	"ltc/ir/types"
)

// What the memory of a block and tensor cores are like.
const (
	WarpSlots = 32 // threads of a warp
	// MostParameters is how many an entry has, of 8 bytes each: launches of entries take
	// 4,096 bytes (CUDA C++ Programming Guide, "Function Parameters"), though the assembler
	// takes 256 more.
	MostParameters = 4096 / 8
	StripBytes     = 128 // of a strip along K: eight chunks, which the swizzle spreads over all banks
	ChunkBytes     = 16  // what an instruction copies for a thread, and a row of ldmatrix
	// FragmentBytes is what a product of fragments takes along K: two chunks.
	FragmentBytes = 2 * ChunkBytes
)

// Products of warpgroups read both factors from the block's memory by themselves,
// as descriptors say where they are: swizzled as strips are anyway.
const (
	GroupThreads = 128
	GroupRows    = 64 // of a product of a warpgroup
	// BlockBytes are those of a strip of 64 rows or columns: of a factor across K,
	// 64 elements of each of its rows.
	BlockBytes = GroupRows * StripBytes
	// eight rows of 128 bytes, of which the swizzle repeats.
	EightRows     = 8 * StripBytes
	swizzle       = 1 << 30 // of 128 bytes, in the upper half of a descriptor
	MbarrierBytes = 8
)

// Mma adds a product of fragments of a type to sums.
func (w *Writer) Mma(t types.DType, sums *[4]string, a, b []string) {
	shape := map[types.DType]string{types.BF16: "m16n8k16.row.col.f32.bf16.bf16.f32", types.F16: "m16n8k16.row.col.f32.f16.f16.f32", types.F32: "m16n8k8.row.col.f32.tf32.tf32.f32"}[t]
	d := List(sums[:])
	w.Line("mma.sync.aligned.%s {%s}, {%s}, {%s}, {%s}", shape, d, List(a), List(b), d)
}

// Descriptor describes a factor of a warpgroup that begins at an address, by how many bytes
// behind. See the PTX ISA, "Matrix Descriptor Format": the address, how many bytes apart
// blocks of 64 elements are, of a factor across K, and the next eight rows, each in chunks.
func (w *Writer) Descriptor(at string, apart int) func(off int) string {
	start := w.Shr(w.And(at, 1<<18-1), Log2(ChunkBytes))
	low := w.Op(Word, "or.b32", start, fmt.Sprintf("%#x", apart/ChunkBytes<<16))
	high := w.Op(Word, "mov.u32", fmt.Sprintf("%#x", swizzle|EightRows/ChunkBytes))
	return func(off int) string {
		return w.Op(Long, "mov.b64", "{"+w.Plus(low, off/ChunkBytes)+", "+high+"}")
	}
}

// Wgmma has a warpgroup multiply factors of a type. It adds the products to sums, or sets
// these. transposed says of each factor in the block's memory whether it lies across K.
func (w *Writer) Wgmma(t types.DType, sums [][4]string, a, b string, adds bool, transposed string) {
	var d []string
	for _, s := range sums {
		d = append(d, s[:]...)
	}
	kind := map[types.DType]string{types.BF16: "bf16.bf16", types.F16: "f16.f16"}[t]
	scale := 0
	if adds {
		scale = 1
	}
	w.Line("wgmma.mma_async.sync.aligned.m%dn%dk16.f32.%s {%s}, %s, %s, %d, 1, 1, %s", GroupRows, 8*len(sums), kind, List(d), a, b, scale, transposed)
}

// Specialize has the first threads, so many, multiply, and the first of the warpgroup behind
// them copy by tensor maps. Threads that multiply hold sums: they get registers of the
// others. All begin with 168.
func (w *Writer) Specialize(tid string, multipliers int, copies, multiplies func()) {
	from := Number(int64(multipliers))
	w.When(w.Op(Predicate, "setp.ge.u32", tid, from), func() {
		w.Line("setmaxnreg.dec.sync.aligned.u32 40")
		w.When(w.Op(Predicate, "setp.eq.u32", tid, from), copies)
	})
	w.When(w.Op(Predicate, "setp.lt.u32", tid, from), func() {
		w.Line("setmaxnreg.inc.sync.aligned.u32 232")
		multiplies()
	})
}

// CopyBox copies the box at a point of the operand of tensor map n. Its bytes arrive at an
// mbarrier.
func (w *Writer) CopyBox(to string, n int, at []string, mbarrier string) {
	w.Line("cp.async.bulk.tensor.%dd.shared::cluster.global.mbarrier::complete_tx::bytes [%s], [%s, {%s}], [%s]", len(at), to, w.TensorMap(n), List(at), mbarrier)
}

// Await waits for a phase of an mbarrier.
func (w *Writer) Await(at string, off int, parity string) {
	again, p := w.Label(), w.Fresh(Predicate)
	w.Place(again)
	w.Line("mbarrier.try_wait.parity.shared::cta.b64 %s, [%s+%d], %s", p, at, off, parity)
	w.Line("@!%s bra %s", p, again)
}
