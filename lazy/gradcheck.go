package lazy

import (
	"fmt"
	"math"
	"slices"

	"ltc/internal/callsite"
	"ltc/ir"
	"ltc/ir/types"
	"ltc/shapeinfer"
	"ltc/soa"
)

// GradError is a gradient that differs from central differences.
type GradError struct {
	Op    string // whose gradient is wrong: a mnemonic; empty if those of all ops that were tried are right one by one
	Site  string // the line that recorded it, file:line
	Input int    // which operand of the op, or input of the function, the gradient is of
	At    []int  // the element
	Got   float64
	Want  float64 // what central differences give
}

// Error names the op and its line.
func (e *GradError) Error() string {
	what, of, rest := fmt.Sprintf("%s: %s: the gradient of operand %d", e.Site, e.Op, e.Input), "the op", ""
	if e.Op == "" {
		what, of = fmt.Sprintf("the gradient of input %d", e.Input), "the function"
		rest = ". Each op that was tried alone has the right gradient: look at functions of CustomGrad, whose gradients are yours"
	}
	return fmt.Sprintf("%s is %.6g at %v, but central differences of %s give %.6g%s", what, e.Got, e.At, of, e.Want, rest)
}

// GradCheck compares the gradients of fn at the values of the inputs with central differences:
// those of the sum of all elements of the result, each with a weight of its own. Where they
// differ, it does the same with each op that fn has recorded, in their order, and returns a
// *[GradError] that names the first whose gradient is wrong, and its line. Functions of [CustomGrad]
// are not tried alone. Other errors are those of fn.
//
// fn is called many times: it must compute the same each time. Its result, of any shape, is
// floating point. Inputs are f64 or f32; others go to fn as they are. Use f64, to which 1e-5 is
// allowed of the value or 1: with f32 it is 1e-2. Elements should keep away from kinks, as that
// of ReLU at 0, and up to 64 of each input are tried. A Stop is named if fn depends on what is
// behind it, since its gradient is zero.
func GradCheck(fn func(xs []*Tensor) *Tensor, inputs ...*Tensor) error {
	if t := firstBad("grad_check", inputs...); t != nil {
		return t.err
	}
	if len(inputs) == 0 {
		return opError(callsite.Caller(), "grad_check", ErrUsage, nil, "there are no inputs: give the tensors that fn takes, f64 or f32, after fn")
	}
	c := gradCheck{values: make([]soa.View, len(inputs))}
	for i, x := range inputs {
		v, err := x.Value()
		if err != nil {
			return err
		}
		c.values[i], c.dev = v, x.Device()
	}
	record := func(_ *Trace, xs []*Tensor) []*Tensor { return []*Tensor{fn(xs)} }
	wrong, err := c.compare(record)
	if err != nil || wrong == nil {
		return err
	}
	calls, err := c.opsOf(fn)
	if err != nil {
		return err
	}
	for _, op := range calls {
		of := gradCheck{c.dev, op.values}
		if found, err := of.compare(op.record); err == nil && found != nil {
			found.Op, found.Site = op.name, op.at.String()
			return found
		}
	}
	return wrong
}

// gradCheck compares gradients at some values.
type gradCheck struct {
	dev    *Device
	values []soa.View
}

// recorder records a function of tensors in a trace.
type recorder func(tr *Trace, xs []*Tensor) []*Tensor

// compare returns the first gradient of f that differs from central differences.
func (c *gradCheck) compare(f recorder) (*GradError, error) {
	grads, err := c.gradients(f)
	if err != nil {
		return nil, err
	}
	for i, g := range grads {
		if g == nil {
			continue
		}
		if wrong, err := c.differences(f, i, g); err != nil || wrong != nil {
			return wrong, err
		}
	}
	return nil, nil
}

// gradients returns the gradient for each value, nil for those that have none.
func (c *gradCheck) gradients(f recorder) ([][]float64, error) {
	tr := NewTrace(c.dev)
	xs := c.tensors(tr, c.values)
	loss, err := lossOf(tr, f(tr, xs))
	if err != nil {
		return nil, err
	}
	var wrt []*Tensor
	for _, x := range xs {
		if checked(x.DType()) {
			wrt = append(wrt, x)
		}
	}
	if wrt == nil {
		return nil, opError(tr.site(), "grad_check", ErrType, xs, "no input is f64 or f32: convert one, since differences of fewer bits say nothing")
	}
	gs := Grad(loss, wrt...)
	for i, g := range gs {
		gs[i] = g.Convert(F64)
	}
	if err := tr.MarkStep(slices.Concat([]*Tensor{loss}, gs)...); err != nil {
		return nil, err
	}
	all := make([][]float64, len(xs))
	for i, x := range xs {
		if !checked(x.DType()) {
			continue
		}
		if all[i], err = ToSlice[float64](gs[0]); err != nil {
			return nil, err
		}
		gs = gs[1:]
	}
	return all, nil
}

func checked(d types.DType) bool { return d == F64 || d == F32 }

func (c *gradCheck) tensors(tr *Trace, values []soa.View) []*Tensor {
	var xs []*Tensor
	for _, v := range values {
		xs = append(xs, FromView(tr, v))
	}
	return xs
}

// lossOf returns the sum, in f64, of the floating-point elements of ys, each times another
// weight so that no error cancels another.
func lossOf(tr *Trace, ys []*Tensor) (*Tensor, error) {
	loss := Zeros(tr, F64)
	found := false
	for _, y := range ys {
		if y == nil {
			return nil, opError(tr.site(), "grad_check", ErrUsage, nil, "the function returned nil")
		}
		if y.err != nil {
			return nil, y.err
		}
		if !y.DType().IsFloat() {
			continue
		}
		found = true
		flat := y.Convert(F64).Reshape(-1)
		weights := Iota(tr, F64, 0, flat.Dim(0)).AddScalar(1).Cos().AddScalar(1.5)
		loss = loss.Add(flat.Mul(weights).Sum())
	}
	if !found {
		return nil, opError(tr.site(), "grad_check", ErrType, ys, "the function's result must be floating point")
	}
	return loss, loss.Err()
}

// differences compares the gradient for value i with central differences.
func (c *gradCheck) differences(f recorder, i int, gradient []float64) (*GradError, error) {
	const most = 64
	step, allowed := 1e-5, 1e-5
	t := c.values[i].Type
	if t.DType == F32 {
		step, allowed = 1.0/256, 1e-2
	}
	n := t.Elements()
	for k := 0; k < n; k += max((n+most-1)/most, 1) {
		var at [2]float64 // below and above
		var h float64
		for side := range at {
			values := slices.Clone(c.values)
			v := soa.Make(t)
			if err := soa.Copy(v, c.values[i]); err != nil {
				return nil, err
			}
			values[i] = v
			h += move(v, k, step*float64(2*side-1)) * float64(2*side-1)
			tr := NewTrace(c.dev)
			loss, err := lossOf(tr, f(tr, c.tensors(tr, values)))
			if err != nil {
				return nil, err
			}
			if err := tr.MarkStep(loss); err != nil {
				return nil, err
			}
			if at[side], err = loss.Item(); err != nil {
				return nil, err
			}
		}
		want := (at[1] - at[0]) / h
		if !(math.Abs(gradient[k]-want) <= allowed*max(1, math.Abs(want))) {
			return &GradError{Input: i, At: elementAt(k, t.Shape), Got: gradient[k], Want: want}, nil
		}
	}
	return nil, nil
}

// move changes element k by about h, in proportion to large ones, and returns by how much.
func move(v soa.View, k int, h float64) float64 {
	if v.Type.DType == F32 {
		x := &soa.Slice[float32](v)[k]
		old := *x
		*x += float32(h * max(1, math.Abs(float64(old))))
		return float64(*x) - float64(old)
	}
	x := &soa.Slice[float64](v)[k]
	old := *x
	*x += h * max(1, math.Abs(old))
	return *x - old
}

// elementAt is the index of element k in row-major order.
func elementAt(k int, shape types.Shape) []int {
	at := make([]int, len(shape))
	for i := len(shape) - 1; i >= 0; i-- {
		at[i], k = k%shape[i], k/shape[i]
	}
	return at
}

// opCall is an op that a function has recorded, and the values that it was called on.
type opCall struct {
	name   string
	at     callsite.Site
	op     ir.Op
	attrs  []ir.Attr
	body   *ir.Composite
	in     []*ir.Node
	many   int // how many results it has, if there are several
	values []soa.View
}

// opsOf returns the ops with gradients that fn records, in their order, with their operands.
func (c *gradCheck) opsOf(fn func(xs []*Tensor) *Tensor) ([]*opCall, error) {
	tr := NewTrace(c.dev)
	xs := c.tensors(tr, c.values)
	var calls []*opCall
	tr.b.OnNode(func(n *ir.Node) {
		if slices.ContainsFunc(n.In, func(x *ir.Node) bool { return checked(x.Type.DType) }) && n.Op != ir.OpResult {
			calls = append(calls, &opCall{name: nodeName(n), at: n.Loc, op: n.Op, attrs: slices.Clone(n.Attrs), body: n.Body, in: slices.Clone(n.In), many: len(n.Results())})
		}
	})
	y := fn(xs)
	tr.b.OnNode(nil)
	if y.err != nil {
		return nil, y.err
	}
	operands := map[*ir.Node]*Tensor{}
	roots := []*Tensor{y}
	for _, call := range calls {
		for _, n := range call.in {
			if operands[n] == nil {
				operands[n] = tr.wrap(n)
				roots = append(roots, operands[n])
			}
		}
	}
	if err := tr.MarkStep(roots...); err != nil {
		return nil, err
	}
	for _, call := range calls {
		for _, n := range call.in {
			v, err := operands[n].Value()
			if err != nil {
				return nil, err
			}
			call.values = append(call.values, v)
		}
	}
	return calls, nil
}

// record records the op alone.
func (o *opCall) record(tr *Trace, xs []*Tensor) []*Tensor {
	var in []*ir.Node
	for _, x := range xs {
		in = append(in, tr.operand(x))
	}
	n, err := shapeinfer.Record(tr.b, o.op, in, slices.Clone(o.attrs), o.body)
	ys := make([]*Tensor, max(o.many, 1))
	tr.results(ys, n, err)
	return ys
}
