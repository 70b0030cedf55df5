package optim

import (
	"fmt"
	"slices"

	"ltc/internal/diag"
	"ltc/lazy"
)

// Accumulator sums gradients over several steps, for batches beyond memory.
// Divide losses by their number, as in PyTorch.
type Accumulator struct {
	params, sums []*lazy.Tensor
	err          error
}

// NewAccumulator returns sums of zero for params, variables of dev.
func NewAccumulator(dev *lazy.Device, params []*lazy.Tensor) *Accumulator {
	o := &Optimizer{name: "accumulator", dev: dev}
	a := &Accumulator{params: slices.Clone(params), err: o.checkParams([]Group{{Params: params}})}
	if a.err != nil {
		return a
	}
	for _, w := range params {
		a.sums = append(a.sums, dev.Variable(w.Name()+".grad", wide(w.DType()), w.Shape()...))
	}
	return a
}

// Add records the sums with gradients in the order of the parameters, nil for none.
func (a *Accumulator) Add(grads []*lazy.Tensor) error {
	switch {
	case a.err != nil:
		return a.err
	case len(grads) != len(a.params):
		return fmt.Errorf("accumulator: %s for %s: give one for each, nil for none", diag.Count(len(grads), "gradient"), diag.Count(len(a.params), "parameter"))
	}
	next := make([]*lazy.Tensor, len(grads))
	for i, g := range grads {
		if g == nil {
			continue
		}
		if !slices.Equal(g.Shape(), a.params[i].Shape()) && g.Err() == nil {
			return fmt.Errorf("accumulator: gradient %d is %v, parameter %q is %v: give gradients in the order of the parameters", i, g.Type(), a.params[i].Name(), a.params[i].Type())
		}
		if next[i] = g.AsType(a.sums[i].DType()).Add(a.sums[i]); next[i].Err() != nil {
			return fmt.Errorf("accumulator: gradient of %q: %w", a.params[i].Name(), next[i].Err())
		}
	}
	for i, x := range next {
		if x != nil {
			a.sums[i].Assign(x)
		}
	}
	return nil
}

// Take returns the sums in the trace tr, for [Optimizer.StepGrads], and records that they
// begin again at 0.
func (a *Accumulator) Take(tr *lazy.Trace) ([]*lazy.Tensor, error) {
	if a.err != nil {
		return nil, a.err
	}
	var all []*lazy.Tensor
	for _, sum := range a.sums {
		all = append(all, tr.Read(sum))
		sum.Assign(lazy.Zeros(tr, sum.DType(), sum.Shape()...))
	}
	return all, nil
}
