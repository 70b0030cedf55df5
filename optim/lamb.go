package optim

import (
	"errors"

	"ltc/ir/types"
	"ltc/lazy"
)

// LAMBConfig is the config of [NewLAMB].
type LAMBConfig struct {
	LR          float64     // learning rate; 0: 1e-3
	Betas       [2]float64  // what the averages of g and g² keep; 0: 0.9 and 0.999
	Eps         float64     // added to the denominator; 0: 1e-6
	WeightDecay float64     // λ: λw is added to the update; 0: 0.01
	Maximize    bool        // ascend
	Master      types.DType // dtype of master copies of narrower parameters; 0: none
}

// NewLAMB returns LAMB: the update u of Adam, with λw, has the length of w:
// w ← w − LR·u·‖w‖/‖u‖.
//
// The ratio of the two lengths is 1 where one is 0. It is by You et al., Large Batch
// Optimization for Deep Learning, 2020.
func NewLAMB(dev *lazy.Device, params []*lazy.Tensor, c LAMBConfig, groups ...Group) *Optimizer {
	return newOptimizer("lamb", dev, params, groups, func(g Group) (hyper, rule) {
		c := c
		fill(&c.LR, g.LR, 1e-3)
		fill(&c.WeightDecay, g.WeightDecay, 0.01)
		fillBetas(&c.Betas, g, 0.9, 0.999)
		fill(&c.Eps, 0, 1e-6)
		return hyper{c.LR, c.WeightDecay, c.Betas[0], "Betas[0]", c.Maximize, c.Master}, lamb{c}
	})
}

type lamb struct{ LAMBConfig }

func (c lamb) check() error              { return errors.Join(betas(c.Betas), notNegative("Eps", c.Eps)) }
func (c lamb) counters() []slot          { return []slot{{name: "step"}} }
func (c lamb) slots(w types.Type) []slot { return like(w, "exp_avg", "exp_avg_sq") }

func (c lamb) update(s *step) *lazy.Tensor {
	m := s.averageMomentum(s.state[0], s.g)
	v := s.averageSquare(s.state[1], s.g, c.Betas[1])
	s.state[0], s.state[1] = m, v
	by := m.Div(s.exact("correction1", s.correction1))
	by = by.Div(v.Div(s.exact("correction2", func() *lazy.Tensor { return s.correction2(c.Betas[1]) })).Sqrt().AddScalar(c.Eps))
	by = by.Add(s.w.MulScalar(c.WeightDecay))
	long, along := s.w.Norm(2), by.Norm(2)
	trust := long.GreaterScalar(0).LogicalAnd(along.GreaterScalar(0)).WhereScalar(long.Div(along), 1)
	return s.w.Sub(by.Mul(s.lr().Mul(trust)))
}
