package tileloops

import (
	"fmt"

	"github.com/llir/llvm/ir/enum"
	"github.com/llir/llvm/ir/value"

	"ltc/backends/kit/kernel"
	"ltc/backends/reference/llvm/vector"
	"ltc/ir/types"
)

// text returns the module of some loops.
func text(m vector.Machine, all []Loop) string {
	module := vector.NewModule(m)
	for _, l := range all {
		b := module.Kernel(l.Name())
		switch l.Kind {
		case Fold:
			l.fold(b)
		case Choose:
			l.each(b, []types.DType{types.Bool, l.From, l.From}, func(v []vector.Value) (vector.Value, error) {
				return b.Select(v[0], v[1], v[2]), nil
			})
		case Fused:
			l.each(b, []types.DType{l.From, l.From, l.From}, func(v []vector.Value) (vector.Value, error) { return l.fused(b, v[0], v[1], v[2]), nil })
		case Fill:
			one := b.Load(b.ArgPointer(1, l.From), 1)
			l.sweep(b, b.ArgPointer(0, l.To), b.ArgIndex(2), func(_ value.Value, n vector.Lanes) vector.Value { return b.Splat(one, n.N) })
		default:
			from := make([]types.DType, l.Op.Arity())
			for i := range from {
				from[i] = l.From
			}
			l.each(b, from, func(v []vector.Value) (vector.Value, error) { return b.Op(l.Op, l.To, v...) })
		}
		b.Return(0)
	}
	return module.String()
}

// each writes a loop over elements of operands.
func (l Loop) each(b *vector.Builder, from []types.DType, do func(v []vector.Value) (vector.Value, error)) {
	in := make([]vector.Pointer, len(from))
	for i, d := range from {
		in[i] = b.ArgPointer(1+i, d)
	}
	l.sweep(b, b.ArgPointer(0, l.To), b.ArgIndex(1+len(from)), func(i value.Value, n vector.Lanes) vector.Value {
		v := make([]vector.Value, len(in))
		for k := range in {
			v[k] = b.LoadLanes(b.At(in[k], i), n)
		}
		return checked(do(v))
	})
}

// sweep writes a loop that stores n results.
func (l Loop) sweep(b *vector.Builder, to vector.Pointer, n value.Value, do func(i value.Value, n vector.Lanes) vector.Value) {
	b.Sweep(n, min(b.Machine.Lanes(l.From), b.Machine.Lanes(l.To), b.Machine.Lanes(types.F32)), func(i value.Value, lanes vector.Lanes) {
		b.StoreLanes(b.At(to, i), do(i, lanes), lanes)
	})
}

// fused returns the product of x and y with z, rounded once.
func (l Loop) fused(b *vector.Builder, x, y, z vector.Value) vector.Value {
	switch l.Op {
	case kernel.Subtract:
		z = checked(b.Unary(kernel.Negate, z))
	case kernel.Negate:
		x = checked(b.Unary(kernel.Negate, x))
	}
	return b.FMA(x, y, z)
}

// sumLanes is how many partial sums there are: those of package loops.
const sumLanes = 8

// fold writes a loop that combines the result with all elements. Lane i of a sum takes elements
// i, i+8, i+16, …; what is left over goes to lane 0 in order. The lanes are combined in pairs,
// then with what was there. The order does not matter for others, which have more lanes.
func (l Loop) fold(b *vector.Builder) {
	width := sumLanes
	if l.Op != kernel.Add {
		width = 2 * b.Machine.Lanes(l.From)
	}
	acc, from, n := b.ArgPointer(0, l.From), b.ArgPointer(1, l.From), b.ArgIndex(2)
	combine := func(x, y vector.Value) vector.Value { return checked(b.Binary(l.Op, x, y)) }
	as := func(v value.Value) vector.Value { return vector.Value{V: v, DType: l.From} }
	before := b.Load(acc, 1)
	one := func(i value.Value, s vector.Value) vector.Value {
		_, out := b.For(vector.Loop{From: i, To: n, Step: b.Index(1), Rolled: true}, []value.Value{s.V}, func(i value.Value, s []value.Value) []value.Value {
			return []value.Value{combine(as(s[0]), b.Load(b.At(from, i), 1)).V}
		})
		return as(out[0])
	}
	few := b.Block.NewICmp(enum.IPredULT, n, b.Index(int64(width)))
	r := b.Either(few, func() []value.Value { return []value.Value{one(b.Index(0), before).V} }, func() []value.Value {
		start := b.ConstBits(l.From, width, 0)
		if l.Op != kernel.Add { // whose neutral number is -0
			start = b.ConstBits(l.From, width, kernel.Neutral(l.Op, l.From))
		}
		i, s := b.For(vector.Loop{From: b.Index(0), To: n, Step: b.Index(int64(width)), Rolled: true}, []value.Value{start.V}, func(i value.Value, s []value.Value) []value.Value {
			return []value.Value{combine(as(s[0]), b.Load(b.At(from, i), width)).V}
		})
		if l.Op != kernel.Add {
			return []value.Value{combine(before, one(i, checked(b.Fold(l.Op, as(s[0]))))).V}
		}
		lanes := make([]vector.Value, width)
		for k := range lanes {
			lanes[k] = b.Lane(as(s[0]), k)
		}
		lanes[0] = one(i, lanes[0])
		for len(lanes) > 1 {
			for k := range len(lanes) / 2 {
				lanes[k] = combine(lanes[2*k], lanes[2*k+1])
			}
			lanes = lanes[:len(lanes)/2]
		}
		return []value.Value{combine(before, lanes[0]).V}
	})
	b.Store(acc, as(r[0]))
}

// checked returns r: that there is code has been looked at before.
func checked(r vector.Value, err error) vector.Value {
	if err != nil {
		panic(fmt.Sprintf("tileloops: %v", err))
	}
	return r
}
