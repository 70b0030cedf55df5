package llvm

import (
	"context"
	"fmt"
	"unsafe"

	"ltc/backends/reference/llvm/gemm"
	"ltc/backends/reference/llvm/libllvm"
	"ltc/backends/reference/llvm/native"
	"ltc/backends/reference/llvm/prebuilt"
	"ltc/backends/reference/tiles"
	"ltc/internal/spare"
	"ltc/ir/types"
	"ltc/soa"
)

// builtInProducts are products of matrices whose code is built in.
type builtInProducts struct {
	dtype types.DType
	units *units // that are built in
	known functions
	plans *spare.Pool[planned]
}

// planned is a plan with its code, for the problem at hand.
type planned struct {
	plan    *gemm.Plan
	product gemm.Product
	there   bool // the product's code
}

var _ tiles.Products = (*builtInProducts)(nil)

// newProducts returns nil if no product of such matrices is built in. Others have the functions
// of built-in units, too.
func newProducts(t types.DType, all *units) *builtInProducts {
	p := &builtInProducts{dtype: t, units: &units{machine: all.machine, all: map[string]*unit{}}}
	p.units.compile = func(ctx context.Context, u gemm.Unit) (native.Kernel, error) {
		if prebuilt.Object(u.On.String(), u.Name) == nil {
			return native.Kernel{}, libllvm.ErrNotFound
		}
		return all.get(ctx, u)
	}
	plan, err := gemm.New(p.problem(64, 64, 64, [2]int{64, 1}, [2]int{64, 1}), all.machine)
	if err != nil {
		return nil
	}
	if _, err = p.known.of(context.Background(), plan, p.units); err != nil {
		return nil
	}
	p.plans = spare.New(4, func() *planned { return new(planned) })
	return p
}

func (p *builtInProducts) problem(rows, columns, depth int, a, b [2]int) gemm.Problem {
	q := gemm.Dense(p.dtype, p.dtype, p.dtype, p.dtype, 1, rows, columns, depth)
	q.StrideA, q.StrideB = [3]int{0, a[0], a[1]}, [3]int{0, b[0], b[1]}
	return q
}

// fit makes f the plan of a problem, with its code if that is there.
func (p *builtInProducts) fit(f *planned, problem gemm.Problem) (err error) {
	if f.plan != nil && f.plan.Problem.Same(problem) {
		return nil
	}
	f.there = false
	if f.plan == nil {
		f.plan, err = gemm.New(problem, p.units.machine)
	} else {
		err = f.plan.Replan(problem)
	}
	if err != nil {
		f.plan = nil
		return err
	}
	made, err := p.known.of(context.Background(), f.plan, p.units)
	if err == nil {
		f.product, f.there = made.For(f.plan), true
	}
	return nil
}

// Scratch implements [tiles.Products]: most is taken where both factors are packed.
func (p *builtInProducts) Scratch(rows, columns, depth int) int {
	f := p.plans.Get()
	defer p.plans.Put(f)
	n := 0
	matrix := p.problem(rows, columns, depth, [2]int{1, rows}, [2]int{1, depth})
	block, few := matrix, matrix
	block.Block = true
	few.Block, few.FewRows = true, rows
	for _, problem := range []gemm.Problem{matrix, block, few, p.problem(1, columns, depth, [2]int{1, 1}, [2]int{1, depth})} {
		if p.fit(f, problem) == nil {
			n = max(n, f.plan.PartBytes(1))
		}
	}
	return n
}

// MultiplyBlock implements [tiles.Products].
func (p *builtInProducts) MultiplyBlock(c, a, b unsafe.Pointer, rows, columns, depth int, stridesA, stridesB [2]int, few int, scratch unsafe.Pointer, bytes int, done <-chan struct{}) {
	f := p.plans.Get()
	defer p.plans.Put(f)
	problem := p.problem(rows, columns, depth, stridesA, stridesB)
	problem.Block, problem.FewRows = true, few
	if err := p.fit(f, problem); err != nil || !f.there {
		panic(fmt.Sprintf("llvm: the product %v is not built in: %v", problem, err))
	}
	if n := f.plan.PartBytes(1); n > bytes {
		scratch = unsafe.Pointer(unsafe.SliceData(soa.New(n).Bytes()))
	}
	f.product.RunIn(0, 1, gemm.Operands{A: a, B: b, C: c}, scratch, done)
}

// Multiply implements [tiles.Products].
func (p *builtInProducts) Multiply(c, a, b unsafe.Pointer, rows, columns, depth int, stridesA, stridesB [2]int, scratch unsafe.Pointer, bytes int, done <-chan struct{}) bool {
	f := p.plans.Get()
	defer p.plans.Put(f)
	problem := p.problem(rows, columns, depth, stridesA, stridesB)
	if p.fit(f, problem) != nil || !f.there {
		problem.Block = true // few columns that become rows are not built in: those of a block do not
		if p.fit(f, problem) != nil || !f.there {
			return false
		}
	}
	if f.plan.PartBytes(1) > bytes {
		return false
	}
	f.product.RunIn(0, 1, gemm.Operands{A: a, B: b, C: c}, scratch, done)
	return true
}
