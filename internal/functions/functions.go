// Package functions defines the composites of packages of functions, such as nn, from
// their rows in the op table. Its central function is [Define], which generated code calls.
//
// The package imports only ltc/ir/ops, ltc/ir/types, ltc/lazy and ltc/shapeinfer.
package functions

import (
	"fmt"

	"ltc/ir/ops"
	"ltc/ir/types"
	"ltc/lazy"
	"ltc/shapeinfer"
)

// Define makes a composite of a row and its functions. A function that the row does not
// have is nil.
func Define(o *ops.Op, body func(x []*lazy.Tensor, a lazy.Attrs) []*lazy.Tensor, check func(x []*lazy.Tensor, a lazy.Attrs) (demand, reason string), gradient func(x, y, ct []*lazy.Tensor, a lazy.Attrs) []*lazy.Tensor) *lazy.Callable {
	return lazy.DefineAll(lazy.Composite{
		Name: o.Mnemonic(), Doc: o.Doc, Operands: o.Operands, Attrs: o.Attrs, Results: o.Results, Where: o.Where,
		Check: check, Inline: o.Traits.Has(ops.Inline),
		Promotes: o.Traits.Has(ops.Promotes), Floating: o.Traits.Has(ops.Floating), Wide: o.Traits.Has(ops.AutocastWide), Narrow: o.Traits.Has(ops.AutocastNarrow),
	}, body, gradient)
}

// As records a call that is made of other ops and has one result: see [lazy.RecordAs].
func As(op string, record func() *lazy.Tensor, xs ...*lazy.Tensor) *lazy.Tensor {
	return lazy.RecordAs(op, func() []*lazy.Tensor { return []*lazy.Tensor{record()} }, xs...)[0]
}

// All returns the results of a function that has several.
func All(ys ...*lazy.Tensor) []*lazy.Tensor { return ys }

// Given returns operand i; nil if it has been left out.
func Given(x []*lazy.Tensor, i int) *lazy.Tensor {
	if i < len(x) {
		return x[i]
	}
	return nil
}

// Operands returns the operands of a call, of which those after the first least may be left out: the
// last ones are nil then.
func Operands(least int, xs ...*lazy.Tensor) []*lazy.Tensor {
	n := len(xs)
	for n > least && xs[n-1] == nil {
		n--
	}
	return xs[:n]
}

// CheckBroadcast returns why the shapes of x and y do not broadcast; "" if they do.
func CheckBroadcast(x, y *lazy.Tensor) (reason string) {
	a, b := x.OpenShape(), y.OpenShape()
	for i := 1; i <= min(len(a), len(b)); i++ {
		if m, n := a[len(a)-i], b[len(b)-i]; m != n && m != 1 && n != 1 {
			return fmt.Sprintf("%v and %v do not broadcast at axis -%d; reshape one, or give it a dimension of 1 there", a, b, i)
		}
	}
	return ""
}

// SummedLike sums the gradient of a broadcast operand to its shape.
func SummedLike(g, operand *lazy.Tensor) *lazy.Tensor {
	shape := operand.OpenShape()
	if axes := shapeinfer.RepeatedAxes(types.Shape(g.OpenShape()), types.Shape(shape)); axes != nil {
		return g.Sum(axes...).Reshape(shape...)
	}
	return g
}

// Batches returns the shape to which the axes of tensors before their last own ones broadcast; false
// if they do not. A tensor of no more axes has no batch.
func Batches(own int, xs ...*lazy.Tensor) (batch []int, ok bool) {
	var all types.Shape
	for _, x := range xs {
		s := types.Shape(x.OpenShape())
		if all, ok = shapeinfer.BroadcastShapes(all, s[:max(len(s)-own, 0)]); !ok {
			return nil, false
		}
	}
	return all, true
}
