package optim

import (
	"errors"

	"ltc/ir/types"
	"ltc/lazy"
)

// SGDConfig is the config of [NewSGD].
type SGDConfig struct {
	LR          float64     // learning rate; 0: 1e-3
	Momentum    float64     // in [0, 1); 0: no velocities are kept
	Dampening   float64     // the velocity takes 1 - Dampening of the gradient
	WeightDecay float64     // λ: λw is added to the gradient
	Nesterov    bool        // step along g + momentum·v; needs Momentum
	Maximize    bool        // ascend
	Master      types.DType // dtype of master copies of narrower parameters; 0: none
}

// NewSGD returns torch.optim.SGD, stochastic gradient descent:
// v ← momentum·v + (1-dampening)·g, w ← w − LR·v.
//
// The first velocity is g. Params are floating-point variables of dev, each given once.
func NewSGD(dev *lazy.Device, params []*lazy.Tensor, c SGDConfig, groups ...Group) *Optimizer {
	return newOptimizer("sgd", dev, params, groups, func(g Group) (hyper, rule) {
		c := c
		fill(&c.LR, g.LR, 1e-3)
		fill(&c.WeightDecay, g.WeightDecay, 0)
		fill(&c.Momentum, g.Momentum, 0)
		fill(&c.Dampening, 0, 0)
		h := hyper{lr: c.LR, decay: c.WeightDecay, momentum: c.Momentum, maximize: c.Maximize, master: c.Master}
		if c.Momentum != 0 || g.Momentum != 0 {
			h.moves = "Momentum"
		}
		return h, sgd{c}
	})
}

type sgd struct{ SGDConfig }

func (c sgd) check() error {
	if c.Nesterov && (c.Momentum == 0 || c.Dampening != 0) {
		return errors.New("Nesterov needs a Momentum, and no Dampening")
	}
	return errors.Join(fraction("Momentum", c.Momentum), notNegative("Dampening", c.Dampening))
}

func (c sgd) slots(w types.Type) []slot {
	if c.Momentum == 0 {
		return nil
	}
	return like(w, "velocity")
}

func (c sgd) counters() []slot {
	if c.Momentum == 0 || c.Dampening == 0 {
		return nil
	}
	return []slot{{name: "step"}}
}

func (c sgd) update(s *step) *lazy.Tensor {
	s.addDecay()
	g := s.g
	if c.Momentum != 0 {
		v := s.state[0].Mul(s.momentum())
		if c.Dampening != 0 {
			v = v.Add(g.Mul(s.exact("undampened", func() *lazy.Tensor {
				return s.count().EqualScalar(1).ScalarWhere(1, lazy.Const(s.tr, types.F64, 1-c.Dampening))
			})))
		} else {
			v = v.Add(g)
		}
		s.state[0] = v
		if c.Nesterov {
			g = g.Add(v.Mul(s.momentum()))
		} else {
			g = v
		}
	}
	return s.w.Sub(g.Mul(s.lr()))
}
