package asm

import (
	"strings"

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
	EightRows = 8 * StripBytes
	Swizzle   = 1 << 30 // of 128 bytes, in the upper half of a descriptor
	// Registers of a thread: of those that copy, and of those that multiply, which hold
	// the sums. Threads begin with 168.
	CopierRegisters     = 40
	MultiplierRegisters = 232
	MbarrierBytes       = 8
)

// Mma adds a product of fragments of a type to sums.
func (w *Writer) Mma(t types.DType, sums *[4]string, a, b []string) {
	shape := map[types.DType]string{types.BF16: "m16n8k16.row.col.f32.bf16.bf16.f32", types.F16: "m16n8k16.row.col.f32.f16.f16.f32", types.F32: "m16n8k8.row.col.f32.tf32.tf32.f32"}[t]
	d := strings.Join(sums[:], ", ")
	w.Line("mma.sync.aligned.%s {%s}, {%s}, {%s}, {%s}", shape, d, strings.Join(a, ", "), strings.Join(b, ", "), d)
}

// Await waits for a phase of an mbarrier.
func (w *Writer) Await(at string, off int, parity string) {
	again, p := w.Label(), w.Fresh(Predicate)
	w.Place(again)
	w.Line("mbarrier.try_wait.parity.shared::cta.b64 %s, [%s+%d], %s", p, at, off, parity)
	w.Line("@!%s bra %s", p, again)
}
