package optim

import (
	"errors"

	"ltc/ir/types"
	"ltc/lazy"
)

// RMSpropConfig is the config of [NewRMSprop].
type RMSpropConfig struct {
	LR          float64     // learning rate; 0: 1e-2
	Alpha       float64     // what the averages keep; 0: 0.99
	Eps         float64     // added to the denominator; 0: 1e-8
	Momentum    float64     // in [0, 1); 0: no velocities are kept
	Centered    bool        // divide by the standard deviation of g
	WeightDecay float64     // λ: λw is added to the gradient
	Maximize    bool        // ascend
	Master      types.DType // dtype of master copies of narrower parameters; 0: none
}

// NewRMSprop returns torch.optim.RMSprop: steps along g/(√v + ε), where v is a moving
// average of g².
func NewRMSprop(dev *lazy.Device, params []*lazy.Tensor, c RMSpropConfig, groups ...Group) *Optimizer {
	return newOptimizer("rmsprop", dev, params, groups, func(g Group) (hyper, rule) {
		c := c
		fill(&c.LR, g.LR, 1e-2)
		fill(&c.WeightDecay, g.WeightDecay, 0)
		fill(&c.Momentum, g.Momentum, 0)
		fill(&c.Alpha, 0, 0.99)
		fill(&c.Eps, 0, 1e-8)
		h := hyper{lr: c.LR, decay: c.WeightDecay, momentum: c.Momentum, maximize: c.Maximize, master: c.Master}
		if c.Momentum != 0 || g.Momentum != 0 {
			h.moves = "Momentum"
		}
		return h, rmsprop{c}
	})
}

type rmsprop struct{ RMSpropConfig }

func (c rmsprop) check() error {
	return errors.Join(fraction("Alpha", c.Alpha), fraction("Momentum", c.Momentum), notNegative("Eps", c.Eps))
}

func (c rmsprop) counters() []slot { return nil }

func (c rmsprop) slots(w types.Type) []slot {
	all := like(w, "square_avg")
	if c.Momentum != 0 {
		all = append(all, like(w, "velocity")...)
	}
	if c.Centered {
		all = append(all, like(w, "grad_avg")...)
	}
	return all
}

func (c rmsprop) update(s *step) *lazy.Tensor {
	s.addDecay()
	v := s.averageSquare(s.state[0], s.g, c.Alpha)
	s.state[0] = v
	if c.Centered {
		last := len(s.state) - 1
		mean := s.average(s.state[last], s.g, c.Alpha)
		s.state[last] = mean
		v = v.Sub(mean.Mul(mean))
	}
	by := s.g.Div(v.Sqrt().AddScalar(c.Eps))
	if c.Momentum != 0 {
		by = s.state[1].Mul(s.momentum()).Add(by)
		s.state[1] = by
	}
	return s.w.Sub(by.Mul(s.lr()))
}
