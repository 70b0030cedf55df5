package optim

import (
	"fmt"

	"ltc/ir/types"
	"ltc/lazy"
)

// step is what a rule records the update of one parameter from.
type step struct {
	*groupStep
	w, g  *lazy.Tensor   // the parameter, and its gradient to descend along
	state []*lazy.Tensor // of the rule's slots
}

// groupStep is what the parameters of a group share in a step.
type groupStep struct {
	tr      *lazy.Trace
	group   *ParamGroup
	counter []*lazy.Tensor // new values of the group's counters
	shared  map[sharedKey]*lazy.Tensor
	step    step // of one parameter after the other
}

// sharedKey is the name of a tensor, with a dtype if it was rounded to that.
type sharedKey struct {
	name  string
	dtype types.DType
}

// record adds what a step with gradients writes to news. It assigns nothing.
func (g *ParamGroup) record(news []assignment, tr *lazy.Trace, grads []*lazy.Tensor) ([]assignment, error) {
	before := len(news)
	gs := &groupStep{tr: tr, group: g, shared: map[sharedKey]*lazy.Tensor{}}
	for _, c := range g.counter {
		gs.counter = append(gs.counter, tr.Read(c))
	}
	if len(gs.counter) > 0 {
		gs.counter[0] = gs.counter[0].AddScalar(1)
	}
	for i, p := range g.params {
		if grads[i] == nil || !p.w.RequiresGrad() {
			continue
		}
		var err error
		if news, err = p.record(news, gs, grads[i]); err != nil {
			return news, fmt.Errorf("%s: update of %q: %w", g.o.name, p.w.Name(), err)
		}
	}
	if len(news) == before {
		return news, nil
	}
	for i, c := range g.counter {
		news = append(news, assignment{c, gs.counter[i]})
	}
	return news, nil
}

// record adds what the parameter's update writes to news.
func (p *parameter) record(news []assignment, gs *groupStep, grad *lazy.Tensor) ([]assignment, error) {
	before := len(news)
	narrow := gs.tr.Read(p.w)
	s := &gs.step
	*s = step{groupStep: gs, w: narrow.AsType(p.dtype), g: grad.AsType(p.dtype), state: s.state[:0]}
	if p.master != nil {
		// The parameter has been set since the last step if it is not the rounded master.
		master := gs.tr.Read(p.master)
		s.w = master.AsType(narrow.DType()).Equal(narrow).Where(master, s.w)
	}
	if gs.group.hyper.maximize {
		s.g = s.g.Neg()
	}
	for _, v := range p.state {
		s.state = append(s.state, gs.tr.Read(v))
	}
	w := gs.group.rule.update(s)
	if p.master != nil {
		news = append(news, assignment{p.master, w})
	}
	news = append(news, assignment{p.w, w.AsType(p.w.DType())})
	for i, v := range p.state {
		news = append(news, assignment{v, s.state[i]})
	}
	for _, a := range news[before:] {
		if a.value.Err() != nil {
			return news, a.value.Err()
		}
	}
	return news, nil
}

// once returns the tensor of that name, which f computes for the first parameter of a step.
func (s *groupStep) once(name string, f func() *lazy.Tensor) *lazy.Tensor {
	return s.share(sharedKey{name: name}, f)
}

func (s *groupStep) share(key sharedKey, f func() *lazy.Tensor) *lazy.Tensor {
	t := s.shared[key]
	if t == nil {
		t = f()
		s.shared[key] = t
	}
	return t
}

// exact is a number that the parameters share. f computes it in f64, as PyTorch does, and
// it is rounded once.
func (s *step) exact(name string, f func() *lazy.Tensor) *lazy.Tensor {
	return s.share(sharedKey{name, s.w.DType()}, func() *lazy.Tensor { return s.once(name, f).AsType(s.w.DType()) })
}

// count is the count of steps with this one, in f64.
func (s *groupStep) count() *lazy.Tensor { return s.counter[0] }

// lr is the learning rate.
func (s *step) lr() *lazy.Tensor {
	return s.group.argument(s.tr, "lr", &s.group.hyper.lr, s.w.DType())
}

// momentum is the momentum, or β₁.
func (s *step) momentum() *lazy.Tensor {
	return s.group.argument(s.tr, "momentum", &s.group.hyper.momentum, s.w.DType())
}

// lr64 and momentum64 are lr and momentum in f64.
func (s *groupStep) lr64() *lazy.Tensor {
	return s.group.argument(s.tr, "lr", &s.group.hyper.lr, types.F64)
}

func (s *groupStep) momentum64() *lazy.Tensor {
	return s.group.argument(s.tr, "momentum", &s.group.hyper.momentum, types.F64)
}

// average returns old + (1-keep)·(x-old).
func (s *step) average(old, x *lazy.Tensor, keep float64) *lazy.Tensor {
	return old.Add(x.Sub(old).MulScalar(1 - keep))
}

// averageMomentum is average with the momentum as the part that is kept.
func (s *step) averageMomentum(old, x *lazy.Tensor) *lazy.Tensor {
	weight := s.exact("1 - momentum", func() *lazy.Tensor { return s.momentum64().RSubScalar(1) })
	return old.Add(x.Sub(old).Mul(weight))
}

// averageSquare returns keep·old + (1-keep)·x².
func (s *step) averageSquare(old, x *lazy.Tensor, keep float64) *lazy.Tensor {
	return old.MulScalar(keep).Add(x.Mul(x).MulScalar(1 - keep))
}

// addDecay adds λw to the gradient.
func (s *step) addDecay() {
	if d := s.group.hyper.decay; d != 0 {
		s.g = s.g.Add(s.w.MulScalar(d))
	}
}

// shrink multiplies the parameter by 1 - LR·λ: decoupled weight decay.
func (s *step) shrink() {
	if d := s.group.hyper.decay; d != 0 {
		s.w = s.w.Mul(s.exact("shrink", func() *lazy.Tensor { return s.lr64().MulScalar(d).RSubScalar(1) }))
	}
}

// correction1 is 1 - β₁ᵗ in f64, by which a moving average from zero is too small.
func (s *groupStep) correction1() *lazy.Tensor {
	return s.once("correction1", func() *lazy.Tensor { return s.momentum64().Pow(s.count()).RSubScalar(1) })
}

// correction2 is 1 - β₂ᵗ in f64.
func (s *groupStep) correction2(beta2 float64) *lazy.Tensor {
	return s.once("correction2", func() *lazy.Tensor { return s.count().RPowScalar(beta2).RSubScalar(1) })
}

// correctedLR is LR / (1 - β₁ᵗ).
func (s *step) correctedLR() *lazy.Tensor {
	return s.exact("LR / correction1", func() *lazy.Tensor { return s.lr64().Div(s.correction1()) })
}
