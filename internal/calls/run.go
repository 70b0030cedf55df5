package calls

import (
	"errors"
	"fmt"
	"slices"

	"ltc/internal/diag"
	"ltc/ir/dims"
	"ltc/ir/types"
	"ltc/lazy"
	"ltc/soa"
)

// Request is a call of an op on values.
type Request struct {
	Op         *Op
	Attrs      Values
	Inputs     []soa.View
	Gradients  bool       // asks for the gradients, too
	Cotangents []soa.View // of the results that are floating point, in their order; nil for ones
}

// Response is what a call gives.
type Response struct {
	Results []soa.View
	// Gradients has that of each input, of the sum of all floating-point results times their
	// cotangents; the zero View for an input that is not floating point.
	Gradients []soa.View
}

// Run calls an op in a step of its own. An error of the op has no file and line: no program
// of a user calls it.
func Run(dev *lazy.Device, r Request) (Response, error) {
	all, errs := RunAll(dev, []Request{r})
	return all[0], errs[0]
}

// RunAll is Run of many calls that share a step, so that they are compiled once. An error of
// the step is that of each call which is recorded.
func RunAll(dev *lazy.Device, requests []Request) ([]Response, []error) {
	tr := lazy.NewTrace(dev)
	recorded, errs := make([]results, len(requests)), make([]error, len(requests))
	var roots []*lazy.Tensor
	for i, r := range requests {
		recorded[i], errs[i] = r.record(tr)
		roots = append(roots, recorded[i].roots()...)
	}
	failed := tr.MarkStep(roots...)
	all := make([]Response, len(requests))
	for i, r := range recorded {
		if errs[i] == nil {
			errs[i] = failed
		}
		if errs[i] == nil {
			all[i], errs[i] = r.response()
		}
		errs[i] = withoutLine(errs[i])
	}
	return all, errs
}

// withoutLine returns the error of an op without the line of this package.
func withoutLine(err error) error {
	if bad := (*lazy.OpError)(nil); errors.As(err, &bad) {
		e := *bad
		e.File, e.Line = "", 0
		return &e
	}
	return err
}

// results are the tensors that a call gives, and the gradients for its inputs, nil for one
// that is not floating point.
type results struct{ ys, gradients []*lazy.Tensor }

// record calls the op in a trace.
func (r *Request) record(tr *lazy.Trace) (results, error) {
	c := &Call{Trace: tr, Values: r.Attrs}
	for _, v := range r.Inputs {
		c.X = append(c.X, lazy.FromView(tr, v))
	}
	ys, err := r.Op.Record(c)
	if err != nil || !r.Gradients {
		return results{ys: ys}, err
	}
	gs, err := gradientsOf(c, ys, r.Cotangents)
	if err != nil {
		return results{}, err
	}
	return results{ys, gs}, nil
}

func (r results) roots() []*lazy.Tensor {
	all := slices.Clone(r.ys)
	for _, g := range r.gradients {
		if g != nil {
			all = append(all, g)
		}
	}
	return all
}

// response reads the values.
func (r results) response() (Response, error) {
	ys, err := valuesOf(r.ys)
	if err != nil {
		return Response{}, err
	}
	gs, err := valuesOf(r.gradients)
	return Response{ys, gs}, err
}

// valuesOf reads tensors; the zero View where one is nil.
func valuesOf(xs []*lazy.Tensor) ([]soa.View, error) {
	var all []soa.View
	for _, x := range xs {
		var v soa.View
		if x != nil {
			var err error
			if v, err = x.Value(); err != nil {
				return nil, err
			}
		}
		all = append(all, v)
	}
	return all, nil
}

// gradientsOf returns the gradient for each tensor of the call, nil for those that are not
// floating point or complex. Those of a complex result are weights of its parts.
func gradientsOf(c *Call, ys []*lazy.Tensor, cotangents []soa.View) ([]*lazy.Tensor, error) {
	var loss *lazy.Tensor
	n := 0
	for _, y := range ys {
		if !y.DType().Continuous() {
			continue
		}
		if cotangents != nil {
			if n == len(cotangents) {
				return nil, fmt.Errorf("got %s, fewer than there are floating-point results", diag.Count(n, "cotangent"))
			}
			ct := lazy.FromView(c.Trace, cotangents[n])
			alike := func(want, got int) bool { return want == got || dims.IsExpr(want) }
			if want := y.OpenShape(); !slices.EqualFunc(want, ct.OpenShape(), alike) {
				return nil, fmt.Errorf("cotangent %d has the shape %v, must have that of the result, %v", n, ct.OpenShape(), want)
			}
			y = y.Mul(ct.Conj())
		}
		if y.DType().IsComplex() {
			y = y.Real()
		}
		n++
		if y = y.Sum(); y.DType() != types.F64 {
			y = y.Convert(types.F32)
		}
		if loss == nil {
			loss = y
		} else {
			loss = loss.Convert(y.DType()).Add(y)
		}
	}
	if loss == nil {
		return nil, errors.New("no result is floating point, so there is no gradient")
	}
	var wrt []*lazy.Tensor
	for _, x := range c.X {
		if x.DType().Continuous() {
			wrt = append(wrt, x)
		}
	}
	if wrt == nil {
		return nil, errors.New("no input is floating point, so there is no gradient")
	}
	gs := lazy.Grad(loss, wrt...)
	var all []*lazy.Tensor
	for _, x := range c.X {
		if !x.DType().Continuous() {
			all = append(all, nil)
			continue
		}
		if err := gs[0].Err(); err != nil {
			return nil, err
		}
		all, gs = append(all, gs[0]), gs[1:]
	}
	return all, nil
}
