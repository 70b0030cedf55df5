package llvm

import (
	"context"
	"unsafe"

	"ltc/backends/kit/kernel"
	"ltc/backends/reference/llvm/gemm"
)

// productKernel is the code of a contraction before its sizes are known: that
// of any other kernel, should there be no product of such elements.
type productKernel struct {
	kernel.Code
	*contraction
	units *shared
}

// Prepare plans the product for sizes and compiles what is missing.
func (p *productKernel) Prepare(ctx context.Context, sizes, strides []int64) (kernel.Code, error) {
	problem, outer := p.problem(sizes, strides)
	if problem.M <= 0 || problem.N <= 0 || problem.K <= 0 || problem.Batch <= 0 {
		return p.Code, nil // nothing to do, or nothing but the epilogue
	}
	points := 1
	for _, o := range outer {
		points *= o.size
	}
	plan, err := gemm.New(problem, p.units.gemmMachine())
	if err != nil || points == 0 {
		return p.Code, nil // other elements, or no points
	}
	bound, err := p.units.bind(ctx, plan)
	if err != nil {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		p.units.warn(err)
		return p.Code, nil
	}
	k := p.kernel
	r := &product{
		Product: bound, plan: plan, outer: outer, points: points,
		a: k.Instrs[p.A.Load].Mem.Param, b: k.Instrs[p.B.Load].Mem.Param, c: p.out,
		sizeA: problem.A.Size(), sizeB: problem.B.Size(), sizeC: problem.C.Size(),
		flops: 2 * float64(problem.M) * float64(problem.N) * float64(problem.K) * float64(problem.Batch),
	}
	return r, nil
}

// product is a contraction for sizes that are known.
type product struct {
	*gemm.Product
	plan                *gemm.Plan
	outer               []outerAxis
	points              int // of the outer axes
	a, b, c             int // operands
	sizeA, sizeB, sizeC int
	flops               float64 // of one point
}

// Parts returns how many parts are worth it: at least some 20 µs each.
func (p *product) Parts(_ []int64, threads int) int {
	const enough = 2e6 // flops
	all := p.flops * float64(p.points)
	return max(min(threads, int(min(all/enough, 1024))), 1)
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
	from, to, part, parts := 0, p.points, c.Part, c.Parts
	if p.split(parts) {
		from, to = part*p.points/parts, (part+1)*p.points/parts
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
	for point := from; point < to; point++ {
		rest, oa, ob, oc := point, 0, 0, 0
		for i := len(p.outer) - 1; i >= 0; i-- {
			o := &p.outer[i]
			at := rest % o.size
			rest /= o.size
			b.At[i] = int64(at)
			oa, ob, oc = oa+at*o.a, ob+at*o.b, oc+at*o.c
		}
		ok := p.RunIn(part, parts, gemm.Operands{
			A: unsafe.Add(c.Mem[p.a], oa*p.sizeA), B: unsafe.Add(c.Mem[p.b], ob*p.sizeB), C: unsafe.Add(c.Mem[p.c], oc*p.sizeC),
			Epilogue: unsafe.Pointer(b),
		}, c.Scratch, stop)
		if !ok {
			return nil // given up
		}
	}
	return nil
}
