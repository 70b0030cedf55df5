package llvm

import (
	"fmt"
	"hash/maphash"
	"slices"
	"sync"
	"sync/atomic"
	"unsafe"

	"ltc/backends/kit/kernel"
	"ltc/backends/reference/llvm/gemm"
)

var (
	_ kernel.Binder   = (*productKernel)(nil)
	_ kernel.Preparer = (*productKernel)(nil)
)

// keeps is B, packed once for the products of all sizes that read it alike, and of
// other kernels. Looking for it takes no lock.
type keeps struct {
	mem  []unsafe.Pointer // by operand, those that do not change
	of   []unsafe.Pointer // these of them, that B is loaded from
	what string           // what B is made of: see [emit.Product.DescribeB]
	by   kernel.Keeper
	list atomic.Pointer[[]*packed]
	mu   sync.Mutex // of who adds one
}

// packed is B as products of a key read it.
type packed struct {
	key  []int64
	base unsafe.Pointer
	made kernel.Block // what it was computed with, where generated code found it
}

// mostPacked is how many forms of one B are kept. It has more than one only if the
// size of the run is one of its own: products of further ones pack it in each run.
const mostPacked = 4

// Bind has products keep B, if it does not change: neither what it is loaded from
// nor what it is computed with.
func (p *productKernel) Bind(mem []unsafe.Pointer, k kernel.Keeper) kernel.Code {
	if !p.same(p.Contraction.B, mem) {
		return p
	}
	b := *p
	b.keeps = &keeps{mem: slices.Clone(mem), what: p.DescribeB(), by: k}
	for _, id := range p.Contraction.B.Body {
		if i := &p.Kernel.Instrs[id]; i.Op == kernel.Load {
			b.keeps.of = append(b.keeps.of, mem[i.Mem.Param])
		}
	}
	b.keeps.list.Store(new([]*packed))
	return &b
}

// same reports whether a factor is the same in all runs, of which mem has the
// operands that do not change, and for all points of the outer axes.
func (p *productKernel) same(f kernel.Factor, mem []unsafe.Pointer) bool {
	k := p.Kernel
	outer := func(x kernel.Index) bool {
		return slices.ContainsFunc(x.Terms, func(t kernel.Term) bool { return slices.Contains(p.Outer, t.Axis) })
	}
	for _, id := range f.Body {
		switch i := &k.Instrs[id]; {
		case i.Op == kernel.Load && (mem[i.Mem.Param] == nil || slices.ContainsFunc(i.Mem.Index, outer)),
			i.Op == kernel.Iota && slices.Contains(p.Outer, int(i.Aux)):
			return false
		}
	}
	return true
}

// packOnce plans r anew for a packed B, and reports whether it does. Its plan must pack B in
// each run, B must not change, and its elements must take little memory packed, beside the
// constants that they are computed from. B is then that of r.key.
func (r *product) packOnce(problem gemm.Problem, sizes []int64) (bool, error) {
	p := r.of
	if p.keeps == nil || p.Border || !r.plan.Packs() {
		return false, nil
	}
	r.key = p.keyOfB(append(r.key[:0], r.order...), &problem, sizes, r.table)
	if p.keeps.find(r.key) == nil && len(*p.keeps.list.Load()) >= mostPacked {
		return false, nil
	}
	problem.PackedB = true
	if err := r.plan.Replan(problem); err != nil {
		return false, err
	}
	if r.plan.ElementBytes() > mostOfConstants*p.bytesOfB(sizes) {
		problem.PackedB = false
		return false, r.plan.Replan(problem)
	}
	return true, nil
}

// mostOfConstants is how many times the bytes of constants packed elements take at most.
// All keep the size that they have in memory, but bytes that become pairs of bf16s: those
// take two bytes each, as packing them in each run took up to five times as long.
const mostOfConstants = 2

// bytesOfB returns how many bytes the operands have that B is computed from.
func (p *productKernel) bytesOfB(sizes []int64) (bytes int) {
	k := p.Kernel
	body := p.Contraction.B.Body
	for n, id := range body {
		i := &k.Instrs[id]
		if i.Op != kernel.Load || slices.ContainsFunc(body[:n], func(id kernel.ID) bool {
			return k.Instrs[id].Op == kernel.Load && k.Instrs[id].Mem.Param == i.Mem.Param
		}) {
			continue
		}
		elements := int64(1)
		for _, n := range k.Params[i.Mem.Param].Dims {
			elements *= n.Of(sizes)
		}
		bytes += int(elements) * k.Params[i.Mem.Param].DType.Size()
	}
	return bytes
}

// keep has r read the packed B of r.key: the one that products of other sizes read, too,
// or one that it packs.
func (r *product) keep(sizes []int64) {
	k := r.of.keeps
	b := k.find(r.key)
	if b == nil {
		b = k.pack(r, sizes)
	}
	r.packed = b.base
}

// keyOfB appends the numbers that B as it is packed depends on.
func (p *productKernel) keyOfB(key []int64, problem *gemm.Problem, sizes []int64, table [][]int64) []int64 {
	key = append(key, int64(problem.N), int64(problem.K))
	if len(p.Contraction.K) > 1 { // keyed in their order
		for _, a := range p.Contraction.K {
			key = append(key, p.Kernel.Axis(0, a).Size.Of(sizes))
		}
	}
	if problem.StrideB[0] != 0 || problem.PrologueB.Name != "" {
		key = append(key, int64(problem.Batch))
	}
	for _, id := range p.Contraction.B.Body {
		switch i := &p.Kernel.Instrs[id]; i.Op {
		case kernel.SizeOf:
			key = append(key, kernel.Size(i.Aux).Of(sizes))
		case kernel.Load:
			for _, n := range p.Kernel.Params[i.Mem.Param].Dims {
				key = append(key, n.Of(sizes))
			}
			key = append(key, table[i.Mem.Param]...)
		}
	}
	return key
}

// find returns B for a key; nil if nobody has packed it yet.
func (k *keeps) find(key []int64) *packed {
	for _, b := range *k.list.Load() {
		if slices.Equal(b.key, key) {
			return b
		}
	}
	return nil
}

// pack packs B for r, unless somebody else has. The packing has the same bits for
// all parts.
func (k *keeps) pack(r *product, sizes []int64) *packed {
	k.mu.Lock()
	defer k.mu.Unlock()
	if b := k.find(r.key); b != nil {
		return b
	}
	b := &packed{key: slices.Clone(r.key)}
	b.base = k.by.Keep(kernel.Form{
		Key:    fmt.Sprint(k.what, " ", r.of.units.machine, r.plan.Core(), r.key),
		Of:     k.of,
		Sample: r.sampleOfB(sizes),
		Bytes:  r.plan.PackedBytes(),
		Write: func(to unsafe.Pointer) {
			f := &r.factors[1]
			b.made = kernel.Block{Mem: unsafe.SliceData(k.mem), Sizes: unsafe.SliceData(slices.Clone(sizes)), Strides: unsafe.SliceData(slices.Clone(r.strides))}
			r.product.Pack(0, 1, gemm.Operands{B: unsafe.Add(k.mem[f.Param], f.Origin), PackedB: to, PrologueB: unsafe.Pointer(&b.made)})
		},
	})
	list := *k.list.Load()
	list = append(list[:len(list):len(list)], b)
	k.list.Store(&list)
	return b
}

// mostSampled is how many elements of an operand are read to tell matrices apart.
const mostSampled = 256

var sampleSeed = maphash.MakeSeed()

// sampleOfB returns a hash of some elements of the operands that B is loaded from.
func (r *product) sampleOfB(sizes []int64) uint64 {
	p := r.of
	var h maphash.Hash
	h.SetSeed(sampleSeed)
	for _, id := range p.Contraction.B.Body {
		i := &p.Kernel.Instrs[id]
		if i.Op != kernel.Load {
			continue
		}
		param := &p.Kernel.Params[i.Mem.Param]
		total, size := int64(1), int64(param.DType.Size())
		for _, n := range param.Dims {
			total *= n.Of(sizes)
		}
		for s := range min(total, mostSampled) {
			element, at := s*(total/min(total, mostSampled)), int64(0)
			for d := len(param.Dims) - 1; d >= 0; d-- {
				n := param.Dims[d].Of(sizes)
				at += element % n * r.table[i.Mem.Param][d]
				element /= n
			}
			h.Write(unsafe.Slice((*byte)(unsafe.Add(p.keeps.mem[i.Mem.Param], at*size)), size))
		}
	}
	return h.Sum64()
}
