package llvm

import (
	"context"
	"slices"
	"sync"
	"unsafe"

	"ltc/backends/kit/kernel"
	"ltc/backends/reference/llvm/emit"
	"ltc/backends/reference/llvm/gemm"
)

// productKernel is the code of a contraction before its sizes are known. Should
// there be no product of such elements, or too little to do for one, it runs
// as any other kernel does.
type productKernel struct {
	*emit.Product
	units *units
	own   func() kernel.Code // the code as that of any other kernel
}

// Parts implements [kernel.Code].
func (p *productKernel) Parts(sizes []int64, threads int) int { return p.own().Parts(sizes, threads) }

// Scratch implements [kernel.Code].
func (p *productKernel) Scratch(sizes []int64, parts int) int { return p.own().Scratch(sizes, parts) }

// Run implements [kernel.Code].
func (p *productKernel) Run(c *kernel.Call) error { return p.own().Run(c) }

// Prepare plans the product for sizes and compiles what is missing.
func (p *productKernel) Prepare(ctx context.Context, sizes, strides []int64) (kernel.Code, error) {
	problem := p.Problem(sizes, strides)
	r := &product{points: 1, factors: p.Factors(strides), units: p.units, of: p.Product, sizes: slices.Clone(sizes), strides: slices.Clone(strides), moved: new(sync.Pool)}
	for _, a := range p.Outer {
		n := int(p.Kernel.Axes[a].Size.Of(sizes))
		r.outer, r.points = append(r.outer, n), r.points*n
	}
	r.flops = flopsOf(problem)
	if r.flops < fewFlops || r.points == 0 {
		return p.own(), nil
	}
	var err error
	if r.plan, err = gemm.New(problem, p.units.machine); err != nil {
		return p.own(), nil // other elements
	}
	if r.Product, err = p.units.bind(ctx, r.plan); err != nil {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		p.units.failed(err)
		return p.own(), nil
	}
	inBytes(&r.factors, &problem)
	return r, nil
}

// inBytes makes what factors count in elements bytes.
func inBytes(factors *[3]emit.Factor, problem *gemm.Problem) {
	for n, size := range [3]int{problem.A.Size(), problem.B.Size(), problem.C.Size()} {
		f := &factors[n]
		f.Origin *= int64(size)
		for i := range f.Steps {
			f.Steps[i] *= int64(size)
		}
	}
}

// Packs implements [kernel.Packer]. Where there is no libLLVM to make prologues
// with, products are made of what is built in.
func (s *shared) Packs(k *kernel.Kernel, sizes, strides []int64) (a, b int) {
	s.once.Do(s.start)
	if s.none != nil {
		return 0, 0
	}
	p, ok := emit.AsProduct(k, s.units.machine)
	if !ok {
		return 0, 0
	}
	problem := p.Problem(sizes, strides)
	plan, err := gemm.New(problem, s.units.machine)
	if err != nil || flopsOf(problem) < fewFlops || !s.units.there(plan) {
		return 0, 0
	}
	return plan.Packings()
}

func flopsOf(p gemm.Problem) float64 {
	return 2 * float64(p.M) * float64(p.N) * float64(p.K) * float64(p.Batch)
}

// fewFlops is for how few operations, of all matrices of a call, the kernel's
// own code is faster than blocks and packing.
const fewFlops = 1 << 11

// product is a contraction for sizes that are known.
type product struct {
	*gemm.Product
	plan    *gemm.Plan
	outer   []int          // the sizes of the outer axes
	points  int            // of these
	factors [3]emit.Factor // A, B and C, in bytes
	flops   float64        // of one point
	units   *units
	packed  unsafe.Pointer // B, if the plan says that it is packed
	made    *kernel.Block  // what packed was computed with, where generated code found it

	of      *emit.Product
	sizes   []int64
	strides []int64    // for which all of it is
	moved   *sync.Pool // of *moved
}

// moved is a product for other strides of the same classes.
type moved struct {
	*gemm.Moved
	factors [3]emit.Factor
	table   [][]int64
}

// move returns the product for run-time strides, and where its factors are then.
// It is given back to p.moved.
func (p *product) move(strides []int64) *moved {
	m, _ := p.moved.Get().(*moved)
	if m == nil {
		m = &moved{Moved: p.Product.Moved()}
	}
	m.table = p.of.Kernel.StrideTable(m.table, strides)
	p.of.Locate(&m.factors, m.table)
	inBytes(&m.factors, &p.plan.Problem)
	m.Move(p.of.Strides(m.table))
	return m
}

// Parts returns how many parts are worth it.
func (p *product) Parts(_ []int64, threads int) int {
	const flop = 0.01 // nanoseconds
	all := p.flops * float64(p.points)
	return max(min(threads, int(min(all*flop/partCost, 1024))), 1)
}

// split says how parts share the work: whole points, if there are enough for
// all parts, else each point in parts.
func (p *product) split(parts int) (byPoint bool) { return p.points >= parts }

// Scratch returns the workspace of a part.
func (p *product) Scratch(_ []int64, parts int) int {
	if p.split(parts) {
		parts = 1
	}
	return p.plan.PartBytes(parts)
}

// Run runs a part.
func (p *product) Run(c *kernel.Call) error {
	b := &c.Block
	b.Mem, b.Sizes, b.Strides = unsafe.SliceData(c.Mem), unsafe.SliceData(c.Sizes), unsafe.SliceData(c.Strides)
	from, to, part, parts := int64(0), int64(p.points), c.Part, c.Parts
	if p.split(parts) {
		from, to = c.Share(to)
		part, parts = 0, 1
	}
	var stop func() bool
	if done := c.Done; done != nil {
		stop = func() bool {
			select {
			case <-done:
				return true
			default:
				return false
			}
		}
	}
	factors, run := &p.factors, p.Product
	if !slices.Equal(c.Strides, p.strides) {
		m := p.move(c.Strides)
		defer p.moved.Put(m)
		factors, run = &m.factors, m.Product
	}
	for point := int(from); point < int(to); point++ {
		var at [3]unsafe.Pointer
		for n := range factors {
			f := &factors[n]
			at[n] = unsafe.Add(c.Mem[f.Param], f.Origin)
		}
		rest := point
		for i := len(p.outer) - 1; i >= 0; i-- {
			here := rest % p.outer[i]
			rest /= p.outer[i]
			b.At[i] = int64(here)
			for n := range factors {
				at[n] = unsafe.Add(at[n], int64(here)*factors[n].Steps[i])
			}
		}
		ok := run.RunIn(part, parts, gemm.Operands{A: at[0], B: at[1], C: at[2], PackedB: p.packed, PrologueA: unsafe.Pointer(b), PrologueB: unsafe.Pointer(b), Epilogue: unsafe.Pointer(b)}, c.Scratch, stop)
		if !ok {
			return nil // given up
		}
	}
	return nil
}
