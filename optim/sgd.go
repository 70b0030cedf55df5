package optim

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"ltc/ir/types"
	"ltc/lazy"
)

// SGDConfig says how [SGD] updates a parameter w from its gradient g. Every
// field but LR is part of the compiled program.
type SGDConfig struct {
	LR          float64 // learning rate, above 0; or none, and [SGD.SetLR] before the first step
	Momentum    float64 // in [0, 1); 0: no velocities are kept
	WeightDecay float64 // weight decay λ, not negative: λw is added to g
	Nesterov    bool    // step along g + momentum·v; needs Momentum
}

// SGD is stochastic gradient descent as PyTorch's torch.optim.SGD defines it,
// without dampening: v ← momentum·v + g, w ← w − LR·v, with v = 0 before the
// first step. Parameters of 16 bits are updated in f32 and rounded once; their
// velocities are f32.
//
// An SGD belongs to one goroutine at a time.
type SGD struct {
	config SGDConfig
	params []*lazy.Tensor
	slots  []slot
	lrs    []*lazy.Tensor // one for each dtype that updates are computed in
	err    error          // of the arguments
	lrErr  error          // of the learning rate; a good one ends it
}

// slot is what belongs to one parameter.
type slot struct {
	lr       *lazy.Tensor
	velocity *lazy.Tensor // nil without momentum
}

// NewSGD returns an optimizer of params, floating-point variables of dev, each
// given once. The velocities are variables of dev, made here, so that the first
// step is the same program as all others. The first thing wrong with the
// arguments is the error of every Step.
func NewSGD(dev *lazy.Device, params []*lazy.Tensor, c SGDConfig) *SGD {
	o := &SGD{config: c, params: slices.Clone(params)}
	if o.err = checkConfig(c); o.err != nil {
		return o
	}
	if o.err = checkParams(dev, params); o.err != nil {
		return o
	}
	byType := map[types.DType]*lazy.Tensor{}
	for _, w := range params {
		dtype := wide(w.DType())
		if byType[dtype] == nil {
			byType[dtype] = lazy.NewScalar(dev, "lr", dtype, 0)
			o.lrs = append(o.lrs, byType[dtype])
		}
		s := slot{lr: byType[dtype]}
		if c.Momentum != 0 {
			s.velocity = dev.Variable(w.Name()+".velocity", dtype, w.Shape()...)
		}
		o.slots = append(o.slots, s)
	}
	if c.LR == 0 {
		o.lrErr = errors.New("sgd: the learning rate is 0: set SGDConfig.LR, or call SetLR before the first Step")
		return o
	}
	o.SetLR(c.LR)
	return o
}

// checkConfig reports what is wrong with c but for its LR.
func checkConfig(c SGDConfig) error {
	switch {
	case !(c.Momentum >= 0 && c.Momentum < 1): // NaN, too
		return fmt.Errorf("sgd: Momentum %v is not in [0, 1): 0.9 is usual, 0 is none", c.Momentum)
	case !(c.WeightDecay >= 0) || math.IsInf(c.WeightDecay, 1):
		return fmt.Errorf("sgd: WeightDecay %v is not a finite number from 0 on: it is added to the gradient, so that a positive one shrinks the weights", c.WeightDecay)
	case c.Nesterov && c.Momentum == 0:
		return errors.New("sgd: Nesterov needs a Momentum")
	}
	return nil
}

func checkParams(dev *lazy.Device, params []*lazy.Tensor) error {
	switch {
	case dev == nil:
		return errors.New("sgd: the device is nil: give the one that lazy.Open returned")
	case len(params) == 0:
		return errors.New("sgd: no parameters: give the variables to train")
	}
	for i, w := range params {
		if err := check(dev, i, w); err != nil {
			return err
		}
		if first := slices.Index(params, w); first < i {
			return fmt.Errorf("sgd: parameters %d and %d are the same variable, %q: give it once, or each step would update it twice", first, i, w.Name())
		}
	}
	return nil
}

func check(dev *lazy.Device, i int, w *lazy.Tensor) error {
	switch {
	case w == nil:
		return fmt.Errorf("sgd: parameter %d is nil: make it with Device.Variable before the optimizer", i)
	case w.Err() != nil:
		return fmt.Errorf("sgd: parameter %d: %w", i, w.Err())
	case !w.IsVariable():
		return fmt.Errorf("sgd: parameter %d is a %v that is not a variable; make it with Device.Variable", i, w.Type())
	case w.Device() != dev:
		return fmt.Errorf("sgd: parameter %d, %q, is on device %v opened at %s, the optimizer on %v opened at %s", i, w.Name(), w.Device(), w.Device().OpenedAt(), dev, dev.OpenedAt())
	case !w.DType().IsFloat():
		return fmt.Errorf("sgd: parameter %d, %q, is %v; only floating-point variables have gradients", i, w.Name(), w.Type())
	}
	return nil
}

// wide is the dtype that updates of a parameter are computed in.
func wide(d types.DType) types.DType {
	if d.Size() == 2 {
		return types.F32
	}
	return d
}

// SetLR changes the learning rate, for the steps marked from now on. It
// compiles nothing: the rate is an argument of the program. 0 is a rate, the
// end of a schedule. A negative or infinite rate, or NaN, is the error of every
// Step until a good one is set; the rate itself stays.
func (o *SGD) SetLR(lr float64) {
	if o.lrErr = o.checkLR(lr); o.lrErr != nil {
		return
	}
	o.config.LR = lr
	for _, t := range o.lrs {
		if err := t.Set(lr); err != nil && o.lrErr == nil {
			o.lrErr = fmt.Errorf("sgd: learning rate: %w", err)
		}
	}
}

func (o *SGD) checkLR(lr float64) error {
	if !(lr >= 0) || math.IsInf(lr, 1) {
		return fmt.Errorf("sgd: learning rate %v: want a finite number from 0 on", lr)
	}
	for _, t := range o.lrs {
		if t.DType() == types.F32 && math.IsInf(float64(float32(lr)), 1) {
			return fmt.Errorf("sgd: learning rate %v is beyond f32, in which the parameters are updated", lr)
		}
	}
	return nil
}

// LR returns the learning rate.
func (o *SGD) LR() float64 { return o.config.LR }

// Velocities returns the momentum state, a variable for each parameter; empty
// without momentum.
func (o *SGD) Velocities() []*lazy.Tensor {
	var vs []*lazy.Tensor
	for _, s := range o.slots {
		if s.velocity != nil {
			vs = append(vs, s.velocity)
		}
	}
	return vs
}

// Step records the gradients of loss, a scalar, and the assignments of every
// parameter and velocity in the trace of loss, whose MarkStep runs them. After
// an error nothing has been assigned.
func (o *SGD) Step(loss *lazy.Tensor) error {
	switch {
	case o.err != nil:
		return o.err
	case o.lrErr != nil:
		return o.lrErr
	case loss == nil:
		return errors.New("sgd: the loss is nil")
	}
	grads := lazy.Grad(loss, o.params...)
	for _, g := range grads {
		if g.Err() != nil {
			return g.Err()
		}
	}
	for i, w := range o.params {
		o.update(loss.Trace(), w, grads[i], o.slots[i])
	}
	return nil
}

// update records the step of one parameter.
func (o *SGD) update(tr *lazy.Trace, w, g *lazy.Tensor, s slot) {
	c, d := o.config, wide(w.DType())
	now := convert(tr.Read(w), d)
	g = convert(g, d)
	if c.WeightDecay != 0 {
		g = g.Add(now.MulScalar(c.WeightDecay))
	}
	if s.velocity != nil {
		v := tr.Read(s.velocity).MulScalar(c.Momentum).Add(g)
		s.velocity.Assign(v)
		if c.Nesterov {
			g = g.Add(v.MulScalar(c.Momentum))
		} else {
			g = v
		}
	}
	w.Assign(convert(now.Sub(g.Mul(s.lr)), w.DType()))
}

func convert(x *lazy.Tensor, d types.DType) *lazy.Tensor {
	if x.DType() == d {
		return x
	}
	return x.Convert(d)
}
