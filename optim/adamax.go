package optim

import (
	"errors"

	"ltc/ir/types"
	"ltc/lazy"
)

// AdamaxConfig is the config of [NewAdamax].
type AdamaxConfig struct {
	LR          float64     // learning rate; 0: 2e-3
	Betas       [2]float64  // what the average of g and the largest |g| keep; 0: 0.9 and 0.999
	Eps         float64     // added to |g|; 0: 1e-8
	WeightDecay float64     // λ: λw is added to the gradient
	Maximize    bool        // ascend
	Master      types.DType // dtype of master copies of narrower parameters; 0: none
}

// NewAdamax returns torch.optim.Adamax: Adam that divides by u ← max(β₂u, |g|+ε) instead
// of the root of the average of g².
func NewAdamax(dev *lazy.Device, params []*lazy.Tensor, c AdamaxConfig, groups ...Group) *Optimizer {
	return newOptimizer("adamax", dev, params, groups, func(g Group) (hyper, rule) {
		c := c
		fill(&c.LR, g.LR, 2e-3)
		fill(&c.WeightDecay, g.WeightDecay, 0)
		fillBetas(&c.Betas, g, 0.9, 0.999)
		fill(&c.Eps, 0, 1e-8)
		return hyper{c.LR, c.WeightDecay, c.Betas[0], "Betas[0]", c.Maximize, c.Master}, adamax{c}
	})
}

type adamax struct{ AdamaxConfig }

func (c adamax) check() error              { return errors.Join(betas(c.Betas), notNegative("Eps", c.Eps)) }
func (c adamax) counters() []slot          { return []slot{{name: "step"}} }
func (c adamax) slots(w types.Type) []slot { return like(w, "exp_avg", "exp_inf") }

func (c adamax) update(s *step) *lazy.Tensor {
	s.addDecay()
	m := s.averageMomentum(s.state[0], s.g)
	u := s.state[1].MulScalar(c.Betas[1]).Maximum(s.g.Abs().AddScalar(c.Eps))
	s.state[0], s.state[1] = m, u
	return s.w.Sub(m.Div(u).Mul(s.correctedLR()))
}
