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
	Second     bool       // asks for the gradients of the gradients, too
	Weights    []soa.View // of the gradients, for each input that is floating point; nil for ones
}

// Response is what a call gives.
type Response struct {
	Results []soa.View
	// Gradients has that of each input, of the sum of all floating-point results times their
	// cotangents; the zero View for an input that is not floating point.
	Gradients []soa.View
	// Seconds has the gradient for each input of the sum of all gradients times their weights; the
	// zero View for an input that is not floating point.
	Seconds []soa.View
	// Tangents has the gradient of that sum for each cotangent: the derivative of the result in the
	// direction of the weights.
	Tangents []soa.View
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

// results are the tensors of a [Response], nil for the zero View.
type results struct{ ys, gradients, seconds, tangents []*lazy.Tensor }

// record calls the op in a trace.
func (r *Request) record(tr *lazy.Trace) (results, error) {
	c := &Call{Trace: tr, Values: r.Attrs}
	for _, v := range r.Inputs {
		c.X = append(c.X, lazy.FromView(tr, v))
	}
	ys, err := r.Op.Record(c)
	if err != nil || !r.Gradients && !r.Second {
		return results{ys: ys}, err
	}
	cts, err := r.cotangents(tr, ys)
	if err != nil {
		return results{}, err
	}
	gs, err := gradientsOf(c, ys, cts)
	if err != nil || !r.Second {
		return results{ys: ys, gradients: gs}, err
	}
	weights, err := given(tr, "weight", "gradient", continuous(gs), r.Weights)
	if err != nil {
		return results{}, err
	}
	all, err := gradientsOf(&Call{Trace: tr, X: slices.Concat(c.X, cts)}, continuous(gs), weights)
	if err != nil {
		return results{}, err
	}
	return results{ys, gs, all[:len(c.X)], all[len(c.X):]}, nil
}

// cotangents returns those of the results that are floating point; nil if the request has none.
func (r *Request) cotangents(tr *lazy.Trace, ys []*lazy.Tensor) ([]*lazy.Tensor, error) {
	return given(tr, "cotangent", "result", continuous(ys), r.Cotangents)
}

func (r results) roots() []*lazy.Tensor {
	return slices.DeleteFunc(slices.Concat(r.ys, r.gradients, r.seconds, r.tangents), func(x *lazy.Tensor) bool { return x == nil })
}

// response reads the values.
func (r results) response() (Response, error) {
	ys, err := valuesOf(r.ys)
	if err != nil {
		return Response{}, err
	}
	gs, err := valuesOf(r.gradients)
	if err != nil {
		return Response{}, err
	}
	seconds, err := valuesOf(r.seconds)
	if err != nil {
		return Response{}, err
	}
	tangents, err := valuesOf(r.tangents)
	return Response{ys, gs, seconds, tangents}, err
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

// continuous returns the tensors that are floating point or complex.
func continuous(xs []*lazy.Tensor) []*lazy.Tensor {
	return slices.DeleteFunc(slices.Clone(xs), func(x *lazy.Tensor) bool { return x == nil || !x.DType().Continuous() })
}

// given returns values as what tensors are multiplied by, nil if there are none. They have the
// tensors' shapes.
func given(tr *lazy.Trace, what, of string, ys []*lazy.Tensor, values []soa.View) ([]*lazy.Tensor, error) {
	if values == nil {
		return nil, nil
	}
	if len(values) < len(ys) {
		return nil, fmt.Errorf("got %s, fewer than there are floating-point %ss", diag.Count(len(values), what), of)
	}
	cts := make([]*lazy.Tensor, len(ys))
	for i, y := range ys {
		cts[i] = lazy.FromView(tr, values[i])
		alike := func(want, got int) bool { return want == got || dims.IsExpr(want) }
		if want := y.OpenShape(); !slices.EqualFunc(want, cts[i].OpenShape(), alike) {
			return nil, fmt.Errorf("%s %d has the shape %v, must have that of the %s, %v", what, i, cts[i].OpenShape(), of, want)
		}
	}
	return cts, nil
}

// gradientsOf returns the gradient for each tensor of the call, nil for those that are not
// floating point or complex. Those of a complex result are weights of its parts. No cotangents
// are ones.
func gradientsOf(c *Call, ys, cts []*lazy.Tensor) ([]*lazy.Tensor, error) {
	var loss *lazy.Tensor
	for i, y := range continuous(ys) {
		if cts != nil {
			y = y.Mul(cts[i].Conj())
		}
		if y.DType().IsComplex() {
			y = y.Real()
		}
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
	wrt := continuous(c.X)
	if len(wrt) == 0 {
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
