package calls

import (
	"errors"
	"fmt"

	"ltc/internal/diag"
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
	all, err := run(dev, r)
	if bad := (*lazy.OpError)(nil); errors.As(err, &bad) {
		e := *bad
		e.File, e.Line = "", 0
		err = &e
	}
	return all, err
}

func run(dev *lazy.Device, r Request) (Response, error) {
	tr := lazy.NewTrace(dev)
	c := &Call{Trace: tr, Values: r.Attrs}
	for _, v := range r.Inputs {
		c.X = append(c.X, lazy.FromView(tr, v))
	}
	ys, err := r.Op.Record(c)
	if err != nil {
		return Response{}, err
	}
	var gradients []*lazy.Tensor
	if r.Gradients {
		if gradients, err = gradientsOf(c, ys, r.Cotangents); err != nil {
			return Response{}, err
		}
	}
	roots := ys
	for _, g := range gradients {
		if g != nil {
			roots = append(roots[:len(roots):len(roots)], g)
		}
	}
	if err := tr.MarkStep(roots...); err != nil {
		return Response{}, err
	}
	var all Response
	if all.Results, err = valuesOf(ys); err != nil {
		return Response{}, err
	}
	all.Gradients, err = valuesOf(gradients)
	return all, err
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
// floating point.
func gradientsOf(c *Call, ys []*lazy.Tensor, cotangents []soa.View) ([]*lazy.Tensor, error) {
	var loss *lazy.Tensor
	n := 0
	for _, y := range ys {
		if !y.DType().IsFloat() {
			continue
		}
		if cotangents != nil {
			if n == len(cotangents) {
				return nil, fmt.Errorf("got %s, fewer than there are floating-point results", diag.Count(n, "cotangent"))
			}
			y = y.Mul(lazy.FromView(c.Trace, cotangents[n]))
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
		if x.DType().IsFloat() {
			wrt = append(wrt, x)
		}
	}
	if wrt == nil {
		return nil, errors.New("no input is floating point, so there is no gradient")
	}
	gs := lazy.Grad(loss, wrt...)
	var all []*lazy.Tensor
	for _, x := range c.X {
		if !x.DType().IsFloat() {
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
