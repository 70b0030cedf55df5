// Command composite defines ops of its own, made of others, and prints what
// programs, gradients and mistakes make of them.
package main

import (
	"errors"
	"fmt"
	"strings"

	_ "ltc/backends/reference"
	"ltc/ir/ops"
	"ltc/lazy"
)

// swish is x sigmoid(beta x), with a gradient that uses the result.
var swish = lazy.Define(lazy.Composite{
	Name:     "activation.swish",
	Doc:      "returns x sigmoid(beta x) elementwise.",
	Operands: []ops.Operand{{Name: "x", Is: ops.Float}},
	Attrs:    []ops.Attr{{Name: "beta", Kind: ops.Real}},
}, func(x []*lazy.Tensor, a lazy.Attrs) *lazy.Tensor {
	return x[0].Mul(x[0].MulScalar(a.Float("beta")).Sigmoid())
}, func(x []*lazy.Tensor, y, ct *lazy.Tensor, a lazy.Attrs) []*lazy.Tensor {
	beta := a.Float("beta")
	s := x[0].MulScalar(beta).Sigmoid()
	by := y.MulScalar(beta)
	return []*lazy.Tensor{ct.Mul(by.Add(s.Mul(by.Neg().AddScalar(1))))}
})

// centred subtracts the weighted mean along an axis; its gradient is that of its body.
var centred = lazy.Define(lazy.Composite{
	Name:     "statistics.centred",
	Doc:      "returns x less its mean along the axis, weighted if there are weights.",
	Operands: []ops.Operand{{Name: "x", Is: ops.Float}, {Name: "weights", Like: "x", Optional: true}},
	Attrs:    []ops.Attr{{Name: "axis", Kind: ops.Axis}},
	Where:    []ops.Demand{{Name: "shapes", Text: "weights have the shape of x"}},
	Check: func(x []*lazy.Tensor, _ lazy.Attrs) (demand, reason string) {
		if x[1] != nil && !x[1].Shape().Equal(x[0].Shape()) {
			return "shapes", fmt.Sprintf("weights must have the shape %v of x, have %v", x[0].Shape(), x[1].Shape())
		}
		return "", ""
	},
}, func(x []*lazy.Tensor, a lazy.Attrs) *lazy.Tensor {
	axis := a.Int("axis")
	if len(x) == 1 {
		return x[0].Sub(x[0].Mean(axis).Unsqueeze(axis))
	}
	mean := x[0].Mul(x[1]).Sum(axis).Div(x[1].Sum(axis))
	return x[0].Sub(mean.Unsqueeze(axis))
}, nil)

// extremes has two results, and the gradient of each goes where its element was.
var extremes = lazy.DefineAll(lazy.Composite{
	Name:     "statistics.extremes",
	Doc:      "returns the least and the largest element of x.",
	Operands: []ops.Operand{{Name: "x", Is: ops.Float}},
	Results:  []string{"least", "largest"},
}, func(x []*lazy.Tensor, _ lazy.Attrs) []*lazy.Tensor {
	return []*lazy.Tensor{x[0].Min(), x[0].Max()}
}, func(x, y, ct []*lazy.Tensor, _ lazy.Attrs) []*lazy.Tensor {
	least := x[0].Equal(y[0]).Convert(lazy.F64).Mul(ct[0])
	return []*lazy.Tensor{least.Add(x[0].Equal(y[1]).Convert(lazy.F64).Mul(ct[1]))}
})

func main() {
	dev, err := lazy.Open("eval")
	if err != nil {
		panic(err)
	}
	tr := lazy.NewTrace(dev)
	x := lazy.From(tr, []float64{1, 2, 3, 6}, 2, 2)
	w := lazy.From(tr, []float64{1, 3, 1, 1}, 2, 2)
	y := swish.Call(lazy.Attrs{"beta": 2}, x)
	z := centred.Call(lazy.Attrs{"axis": -1}, x, w)
	own := lazy.Grad(y.Sum(), x)[0]
	plain := lazy.Grad(x.Mul(x.MulScalar(2).Sigmoid()).Sum(), x)[0]
	diff := own.Sub(plain).Abs().Max().Less(lazy.Full(tr, lazy.F64, 1e-12))
	g := lazy.Grad(z.Mul(z).Sum(), x)[0]
	written := swish.Call_(lazy.Attrs{"beta": 2}, lazy.From(tr, []float64{1, 2, 3, 6}, 2, 2))
	same := written.Equal(y).Not().Convert(lazy.I32).Sum()
	if err := tr.MarkStep(y, z, diff, g, same); err != nil {
		panic(err)
	}
	fmt.Println(lazy.ToSlice[float64](z))
	fmt.Println(lazy.ToSlice[float64](g))
	fmt.Println(lazy.ToSlice[bool](diff))
	fmt.Println(lazy.ToSlice[int64](same))
	for line := range strings.Lines(tr.StableHLO()) {
		if strings.Contains(line, "composite ") || strings.Contains(line, "func private") {
			fmt.Println(strings.TrimSpace(line))
		}
	}
	i := lazy.From(tr, []int32{1})
	v := lazy.From(tr, []float64{1, 2})
	for _, bad := range []*lazy.Tensor{
		swish.Call(lazy.Attrs{"beta": 1}, i),
		swish.Call(nil, x),
		swish.Call(lazy.Attrs{"beta": "1"}, x),
		swish.Call(lazy.Attrs{"beta": 1, "gamma": 2}, x),
		swish.Call(lazy.Attrs{"beta": 1}, x, x),
		swish.Call(lazy.Attrs{"beta": 1}),
		swish.Call(lazy.Attrs{"beta": 1}, nil),
		centred.Call(lazy.Attrs{"axis": 2}, x),
		centred.Call(lazy.Attrs{"axis": 0}, x, v),
		centred.Call(lazy.Attrs{"axis": 0}, x, w.Convert(lazy.F32)),
	} {
		e, ok := errors.AsType[*lazy.OpError](bad.Err())
		if !ok {
			panic(bad.Err())
		}
		e.File = e.File[strings.LastIndexByte(e.File, '/')+1:]
		fmt.Println(e)
	}
	fmt.Print(centred.Doc())
	// The trace is as usable as before.
	one := centred.Call(lazy.Attrs{"axis": 0}, v)
	fmt.Println(tr.MarkStep(one), one.Type())
	both := extremes.CallAll(nil, v)
	span := lazy.Grad(both[1].Sub(both[0]), v)[0]
	half := lazy.Grad(extremes.Call(nil, v), v)[0]
	fmt.Println(tr.MarkStep(both[0], both[1], span, half), both[0].Float(), both[1].Float())
	fmt.Println(lazy.ToSlice[float64](span))
	fmt.Println(lazy.ToSlice[float64](half))
	for line := range strings.Lines(tr.StableHLO()) {
		if strings.Contains(line, "composite ") {
			fmt.Println(strings.TrimSpace(line))
		}
	}
}
