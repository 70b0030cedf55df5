package triangular

import (
	"fmt"

	"github.com/llir/llvm/ir/enum"
	ll "github.com/llir/llvm/ir/types"
	"github.com/llir/llvm/ir/value"

	"ltc/backends/kit/kernel"
	"ltc/backends/reference/llvm/vector"
	"ltc/ir/types"
)

// Unit is a function for steps of a kind.
type Unit struct {
	Solve bool
	DType types.DType
	// Turned says that the factor is lower, or that right sides are rows: matrices are
	// transposed on their way in and out.
	Turned bool
	On     vector.Machine
}

// Of returns the unit that runs a step.
func Of(t *kernel.Triangular, on vector.Machine) Unit {
	turned := t.Lower
	if t.Solve {
		turned = !t.Left
	}
	return Unit{t.Solve, t.DType, turned, on}
}

// Name is that of the function.
func (u Unit) Name() string {
	what, how := "cholesky", "rows"
	if u.Solve {
		what = "solve"
	}
	if u.Turned {
		how = "turned"
	}
	return fmt.Sprintf("triangular_%s_%v_%s", what, u.DType, how)
}

// Lanes is how many columns, or right sides, a strip has.
func (u Unit) Lanes() int { return u.On.Lanes(u.DType) }

// Rows is how many rows a panel has: as many accumulators as hide the latency of a
// multiply-add, but no more than a strip has columns.
func (u Unit) Rows() int { return min(8, u.Lanes()) }

// Stride is how many elements lie between rows in scratch memory.
func (u Unit) Stride(n int) int {
	if u.Solve {
		return u.Lanes()
	}
	return u.whole(n) + u.Lanes() // the strip of the last panel's diagonal goes beyond
}

// whole is n in whole strips.
func (u Unit) whole(n int) int { return (n + u.Lanes() - 1) / u.Lanes() * u.Lanes() }

// WorkBytes is how much scratch memory matrices of n rows take.
func (u Unit) WorkBytes(n int) int { return (u.whole(n) + 2*u.Rows()) * u.Stride(n) * u.DType.Size() }

// Factor is the argument block of a unit that factors. Addresses are of first elements.
type Factor struct {
	A, To, Work uintptr
	N, Stride   int64
	// From and To rows of U are computed, multiples of Unit.Rows. A is copied before the first
	// row, and the result after the last one.
	FromRow, ToRow int64
}

// System is the argument block of a unit that solves.
type System struct {
	A    uintptr // of the element of the first row and column in the order of solving
	B, X uintptr
	Work uintptr
	N    int64
	// Sides is how many right sides there are; strips of them from one to another are solved.
	Sides, FromStrip, ToStrip int64
	Row, Column               int64 // elements between rows, and columns, of A in the order of solving
	Backward, Unit            int64 // 1: the last row is solved first; the diagonal counts as 1
}

// Text returns the module of the function, i32 name(args).
func (u Unit) Text() string {
	m := vector.NewModule(u.On)
	g := &emitter{Builder: m.Kernel(u.Name()), Unit: u}
	if u.Solve {
		g.system()
	} else {
		g.factor()
	}
	g.Return(0)
	return m.String()
}

// emitter writes a unit's function.
type emitter struct {
	*vector.Builder
	Unit
}

// The arithmetic of sizes, i64s.
func (g *emitter) add(x, y value.Value) value.Value { return g.Block.NewAdd(x, y) }
func (g *emitter) sub(x, y value.Value) value.Value { return g.Block.NewSub(x, y) }
func (g *emitter) mul(x, y value.Value) value.Value { return g.Block.NewMul(x, y) }
func (g *emitter) n(x int) value.Value              { return g.Index(int64(x)) }

func (g *emitter) less(x, y value.Value) value.Value {
	return g.Block.NewICmp(enum.IPredSLT, x, y)
}

func (g *emitter) min(x, y value.Value) value.Value { return g.Call("llvm.smin.i64", ll.I64, x, y) }
func (g *emitter) max(x, y value.Value) value.Value { return g.Call("llvm.smax.i64", ll.I64, x, y) }

// each runs body for i = from, from+step, … below to.
func (g *emitter) each(from, to value.Value, step int, body func(i value.Value)) {
	g.For(vector.Loop{From: from, To: g.add(to, g.n(step-1)), Step: g.n(step), Rolled: true}, nil, func(i value.Value, _ []value.Value) []value.Value {
		body(i)
		return nil
	})
}

// matrix is memory of rows.
type matrix struct {
	at     vector.Pointer
	stride value.Value // elements from a row to the next
}

// place is the address of an element.
func (g *emitter) place(m matrix, row, column value.Value) vector.Pointer {
	return g.At(m.at, g.add(g.mul(row, m.stride), column))
}

func (g *emitter) row(p vector.Pointer) vector.Value { return g.Load(p, g.Lanes()) }

// splat is an element in all lanes.
func (g *emitter) splat(p vector.Pointer) vector.Value { return g.Splat(g.Load(p, 1), g.Lanes()) }

func (g *emitter) zero() vector.Value { return g.Const(g.DType, g.Lanes(), 0) }

// Ops of floats of these types have code on every machine.
func must(v vector.Value, err error) vector.Value {
	if err != nil {
		panic(err)
	}
	return v
}

func (g *emitter) over(x, y vector.Value) vector.Value { return must(g.Binary(kernel.Divide, x, y)) }
func (g *emitter) root(x vector.Value) vector.Value    { return must(g.Unary(kernel.Sqrt, x)) }

// less a product: x - y*z.
func (g *emitter) lessProduct(x, y, z vector.Value) vector.Value {
	return g.FMA(must(g.Unary(kernel.Negate, y)), z, x)
}
