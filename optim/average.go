package optim

import (
	"errors"
	"fmt"
	"slices"

	"ltc/ir/types"
	"ltc/lazy"
	"ltc/optim/internal/state"
)

// Average keeps averages of parameters over the steps of training, as
// torch.optim.swa_utils.AveragedModel. [NewEMA] and [NewSWA] make it. The first Update
// copies the parameters.
type Average struct {
	name   string
	decay  float64 // 0: of SWA
	params []*lazy.Tensor
	means  []*lazy.Tensor
	count  *lazy.Tensor
	err    error
}

// NewEMA returns moving averages of params, variables of dev: each Update keeps decay of
// them, say 0.999.
func NewEMA(dev *lazy.Device, params []*lazy.Tensor, decay float64) *Average {
	a := newAverage("ema", dev, params)
	if a.err == nil && !(decay > 0 && decay < 1) {
		a.err = fmt.Errorf("ema: decay %v is not in (0, 1): 0.999 is usual", decay)
	}
	a.decay = decay
	return a
}

// NewSWA returns equally weighted averages of params, variables of dev: stochastic weight
// averaging.
func NewSWA(dev *lazy.Device, params []*lazy.Tensor) *Average { return newAverage("swa", dev, params) }

func newAverage(name string, dev *lazy.Device, params []*lazy.Tensor) *Average {
	o := &Optimizer{name: name, dev: dev}
	a := &Average{name: name, params: slices.Clone(params), err: o.checkParams([]Group{{Params: params}})}
	if a.err != nil {
		return a
	}
	for _, w := range params {
		a.means = append(a.means, dev.Variable(w.Name()+"."+name, wide(w.DType()), w.Shape()...))
	}
	a.count = dev.Variable(name+".count", types.F64)
	return a
}

// Check returns the mistake that a was made with, if any.
func (a *Average) Check() error {
	switch {
	case a == nil:
		return errors.New("average: it is nil: make it by NewEMA or NewSWA")
	case a.err == nil && a.count == nil:
		return errors.New("average: it is the zero value: make it by NewEMA or NewSWA")
	}
	return a.err
}

// Update records in tr the averages with the parameters as they are now, after a Step.
func (a *Average) Update(tr *lazy.Trace) error {
	if err := a.Check(); err != nil {
		return err
	}
	n := tr.Read(a.count)
	weight := n.AddScalar(1).Reciprocal()
	if a.decay != 0 {
		weight = n.EqualScalar(0).ScalarWhere(1, lazy.Const(tr, types.F64, 1-a.decay))
	}
	for i, w := range a.params {
		mean := tr.Read(a.means[i])
		next := mean.Lerp(tr.Read(w).AsType(mean.DType()), weight.AsType(mean.DType()))
		if next.Err() != nil {
			return next.Err()
		}
		a.means[i].Assign(next)
	}
	a.count.Assign(n.AddScalar(1))
	return nil
}

// Swap records in tr an exchange of the parameters and their averages: to predict with the
// averages, and to go on with training. Parameters of 16 bits take averages rounded. Before the
// first Update the averages are the parameters.
func (a *Average) Swap(tr *lazy.Trace) error {
	if err := a.Check(); err != nil {
		return err
	}
	fresh := tr.Read(a.count).EqualScalar(0)
	for i, w := range a.params {
		now, mean := tr.Read(w), tr.Read(a.means[i])
		mean = fresh.Where(now.AsType(mean.DType()), mean)
		w.Assign(mean.AsType(w.DType()))
		a.means[i].Assign(now.AsType(mean.DType()))
	}
	return nil
}

// Means returns the averages, variables in the order of the parameters. They are f32 for
// parameters of 16 bits.
func (a *Average) Means() []*lazy.Tensor { return slices.Clone(a.means) }

// State returns all variables, for checkpoints.
func (a *Average) State() []*lazy.Tensor {
	if a.Check() != nil { // nil: the train.Loop has no averages
		return nil
	}
	return append(a.Means(), a.count)
}

// LoadState assigns the state as [Optimizer.LoadState] does.
func (a *Average) LoadState(tr *lazy.Trace, tensors map[string]*lazy.Tensor) error {
	if err := a.Check(); err != nil {
		return err
	}
	return state.Load(a.name, tr, a.State(), tensors)
}
