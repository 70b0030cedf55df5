package optim

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"ltc/ir/types"
	"ltc/lazy"
)

// Group is parameters with numbers of their own. A field of 0 is as in the optimizer's
// config; [Zero] is 0.
type Group struct {
	Params      []*lazy.Tensor
	LR          float64    // learning rate
	WeightDecay float64    // weight decay λ
	Momentum    float64    // momentum of rules that have one
	Betas       [2]float64 // β₁ and β₂ of rules that have them
}

// hyper is what all rules have: where they lie in a rule's config, after the defaults.
type hyper struct {
	lr, decay float64
	momentum  float64 // or β₁
	moves     string  // the field that momentum is, "" if the rule has none
	maximize  bool
	master    types.DType
}

// fill sets a field to the number of the group, else of the config, else the default.
func fill(field *float64, group, def float64) {
	for _, x := range []float64{group, *field, def} {
		if x != 0 {
			*field = x
			break
		}
	}
	if *field == Zero {
		*field = 0
	}
}

// fillBetas is fill of both numbers of the field Betas.
func fillBetas(field *[2]float64, g Group, beta1, beta2 float64) {
	fill(&field[0], g.Betas[0], beta1)
	fill(&field[1], g.Betas[1], beta2)
}

// ParamGroup is a group of an [Optimizer].
type ParamGroup struct {
	o       *Optimizer
	rule    rule
	params  []*parameter
	hyper   hyper
	ratio   float64 // of the rate to the optimizer's
	scalars []scalar
	counter []*lazy.Tensor // variables, of rule.counters

	lrErr, momentumErr error
}

// scalar is a number of the group as an argument of programs.
type scalar struct {
	of *float64
	t  *lazy.Tensor
}

// allocate makes the variables of group i.
func (g *ParamGroup) allocate(i int, params []*lazy.Tensor) {
	prefix := g.o.name
	if i > 0 {
		prefix = fmt.Sprintf("%s.group%d", prefix, i)
	}
	for _, s := range g.rule.counters() {
		g.counter = append(g.counter, g.variable(prefix, types.F64, s))
	}
	for _, w := range params {
		p := &parameter{w: w, dtype: wide(w.DType())}
		if g.hyper.master.Size() > w.DType().Size() {
			p.dtype = g.hyper.master
			p.master = g.o.dev.Variable(w.Name()+".master", p.dtype, w.Shape()...)
		}
		for _, s := range g.rule.slots(w.Type()) {
			p.state = append(p.state, g.variable(w.Name(), p.dtype, s))
		}
		g.params = append(g.params, p)
	}
	if g.beyond(g.hyper.lr) != nil {
		g.lrErr = g.beyond(g.hyper.lr)
	}
}

func (g *ParamGroup) variable(prefix string, dtype types.DType, s slot) *lazy.Tensor {
	v := g.o.dev.Variable(prefix+"."+s.name, dtype, s.shape...)
	if s.initial != 0 {
		v.Init(lazy.Constant(s.initial))
	}
	return v
}

// wide is the dtype that updates of a parameter are computed in.
func wide(d types.DType) types.DType {
	if d.Size() < 4 {
		return types.F32
	}
	return d
}

// Params returns the parameters of the group.
func (g *ParamGroup) Params() (all []*lazy.Tensor) {
	for _, p := range g.params {
		all = append(all, p.w)
	}
	return all
}

// LR returns the learning rate of the group.
func (g *ParamGroup) LR() float64 { return g.hyper.lr }

// SetLR is [Optimizer.SetLR] for the group alone.
func (g *ParamGroup) SetLR(lr float64) {
	if g.lrErr = errors.Join(rate(lr), g.beyond(lr)); g.lrErr == nil {
		g.hyper.lr = lr
		g.set(&g.hyper.lr)
	}
}

// beyond reports whether a rate is infinite in the dtype of a parameter's updates.
func (g *ParamGroup) beyond(lr float64) error {
	single := func(p *parameter) bool { return p.dtype == types.F32 }
	if slices.ContainsFunc(g.params, single) && math.IsInf(float64(float32(lr)), 1) && !math.IsInf(lr, 1) {
		return fmt.Errorf("learning rate %v is beyond f32, in which the parameters are updated", lr)
	}
	return nil
}

// Momentum returns the momentum of the group, or its β₁; 0 if the rule has neither.
func (g *ParamGroup) Momentum() float64 { return g.hyper.momentum }

// still reports whether the group was made with Momentum [Zero] and has no velocities.
func (g *ParamGroup) still() bool {
	switch r := g.rule.(type) {
	case sgd:
		return r.Momentum == 0 && g.hyper.moves != ""
	case rmsprop:
		return r.Momentum == 0 && g.hyper.moves != ""
	}
	return false
}

// SetMomentum is [Optimizer.SetMomentum] for the group alone.
func (g *ParamGroup) SetMomentum(m float64) {
	switch {
	case g.hyper.moves == "" || g.still() && m != 0:
		g.momentumErr = errors.New("SetMomentum: it was made without momentum: set that in its config, so that it has the state")
	case fraction(g.hyper.moves, m) != nil:
		g.momentumErr = fraction(g.hyper.moves, m)
	default:
		g.momentumErr, g.hyper.momentum = nil, m
		g.set(&g.hyper.momentum)
	}
}

// set passes a number on to the arguments that stand for it.
func (g *ParamGroup) set(of *float64) {
	for _, s := range g.scalars {
		if s.of == of {
			_ = s.t.Set(*of) // a scalar argument takes any number of a floating-point dtype
		}
	}
}

// argument returns a number of the group as an argument of programs.
func (g *ParamGroup) argument(tr *lazy.Trace, name string, of *float64, dtype types.DType) *lazy.Tensor {
	i := slices.IndexFunc(g.scalars, func(s scalar) bool { return s.of == of && s.t.DType() == dtype })
	if i < 0 {
		i = len(g.scalars)
		g.scalars = append(g.scalars, scalar{of, lazy.NewScalar(g.o.dev, name, dtype, *of)})
	}
	return tr.Read(g.scalars[i].t)
}

// check reports what is wrong with the numbers of a group, given as g.
func (p *ParamGroup) check(g Group, r rule) error {
	h := p.hyper
	switch {
	case g.Momentum != 0 && h.moves != "Momentum":
		return errors.New("the rule has no Momentum: set the numbers that its config has")
	case g.Betas != [2]float64{} && h.moves != "Betas[0]":
		return errors.New("the rule has no Betas: set the numbers that its config has")
	case h.master != types.Invalid && (!h.master.IsFloat() || h.master.Size() < 4):
		return fmt.Errorf("Master is %v: want lazy.F32 or lazy.F64, in which small steps add up", h.master)
	}
	return errors.Join(rate(h.lr), decay(h.decay), r.check())
}

func rate(lr float64) error {
	if !(lr >= 0) || math.IsInf(lr, 1) { // NaN, too
		return fmt.Errorf("learning rate %v: want a finite number from 0 on", lr)
	}
	return nil
}

func decay(x float64) error {
	if !(x >= 0) || math.IsInf(x, 1) {
		return fmt.Errorf("WeightDecay %v is not a finite number from 0 on: a positive one shrinks the weights", x)
	}
	return nil
}

// fraction reports that a number of a field is not in [0, 1).
func fraction(field string, x float64) error {
	if !(x >= 0 && x < 1) {
		return fmt.Errorf("%s %v is not in [0, 1): it is the part of an average that a step keeps", field, x)
	}
	return nil
}

// betas checks both numbers of the field Betas.
func betas(b [2]float64) error {
	return errors.Join(fraction("Betas[0]", b[0]), fraction("Betas[1]", b[1]))
}

// notNegative reports that a number of a field is none from 0 on.
func notNegative(field string, x float64) error {
	if !(x >= 0) || math.IsInf(x, 1) {
		return fmt.Errorf("%s %v is not a finite number from 0 on", field, x)
	}
	return nil
}
