package optim

import (
	"fmt"

	"ltc/ir/types"
	"ltc/lazy"
)

// SGDConfig says how [SGD] updates a parameter w from its gradient g. Every
// field but LR is part of the compiled program.
type SGDConfig struct {
	LR          float64 // learning rate; [SGD.SetLR] changes it
	Momentum    float64 // 0: no velocities are kept
	WeightDecay float64 // weight decay λ: λw is added to g
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
	err    error
}

// slot is what belongs to one parameter.
type slot struct {
	lr       *lazy.Tensor
	velocity *lazy.Tensor // nil without momentum
}

// NewSGD returns an optimizer of params, floating-point variables of dev. The
// velocities are variables of dev, made here, so that the first step is the
// same program as all others. The first thing wrong with the arguments is the
// error of every Step.
func NewSGD(dev *lazy.Device, params []*lazy.Tensor, c SGDConfig) *SGD {
	o := &SGD{config: c, params: params}
	if c.Nesterov && c.Momentum == 0 {
		o.err = fmt.Errorf("sgd: Nesterov needs a Momentum")
		return o
	}
	byType := map[types.DType]*lazy.Tensor{}
	for i, w := range params {
		if o.err = check(dev, i, w); o.err != nil {
			return o
		}
		dtype := wide(w.DType())
		if byType[dtype] == nil {
			byType[dtype] = lazy.NewScalar(dev, "lr", dtype, c.LR)
			o.lrs = append(o.lrs, byType[dtype])
		}
		s := slot{lr: byType[dtype]}
		if c.Momentum != 0 {
			s.velocity = dev.Variable(w.Name()+".velocity", dtype, w.Shape()...)
		}
		o.slots = append(o.slots, s)
	}
	return o
}

func check(dev *lazy.Device, i int, w *lazy.Tensor) error {
	switch {
	case w.Err() != nil:
		return fmt.Errorf("sgd: parameter %d: %w", i, w.Err())
	case !w.IsVariable():
		return fmt.Errorf("sgd: parameter %d is a %v that is not a variable; make it with Device.Variable", i, w.Type())
	case w.Device() != dev:
		return fmt.Errorf("sgd: parameter %d, %q, is on device %v, the optimizer on %v", i, w.Name(), w.Device(), dev)
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
// compiles nothing: the rate is an argument of the program.
func (o *SGD) SetLR(lr float64) {
	o.config.LR = lr
	for _, t := range o.lrs {
		if err := t.Set(lr); err != nil && o.err == nil {
			o.err = fmt.Errorf("sgd: learning rate: %w", err)
		}
	}
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
	if o.err != nil {
		return o.err
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
