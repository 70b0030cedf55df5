package optim

import (
	"ltc/ir/types"
	"ltc/lazy"
)

// LionConfig is the config of [NewLion].
type LionConfig struct {
	LR          float64     // learning rate; 0: 1e-4
	Betas       [2]float64  // what the update and the average of g keep of the latter; 0: 0.9 and 0.99
	WeightDecay float64     // λ: w is multiplied by 1 − LR·λ
	Maximize    bool        // ascend
	Master      types.DType // dtype of master copies of narrower parameters; 0: none
}

// NewLion returns Lion: w ← w(1 − LR·λ) − LR·sign(β₁m + (1-β₁)g), and m is a moving average
// of g by β₂.
//
// It is by Chen et al., Symbolic Discovery of Optimization Algorithms, 2023.
func NewLion(dev *lazy.Device, params []*lazy.Tensor, c LionConfig, groups ...Group) *Optimizer {
	return newOptimizer("lion", dev, params, groups, func(g Group) (hyper, rule) {
		c := c
		fill(&c.LR, g.LR, 1e-4)
		fill(&c.WeightDecay, g.WeightDecay, 0)
		fillBetas(&c.Betas, g, 0.9, 0.99)
		return hyper{c.LR, c.WeightDecay, c.Betas[0], "Betas[0]", c.Maximize, c.Master}, lion{c}
	})
}

type lion struct{ LionConfig }

func (c lion) check() error              { return betas(c.Betas) }
func (c lion) counters() []slot          { return nil }
func (c lion) slots(w types.Type) []slot { return like(w, "exp_avg") }

func (c lion) update(s *step) *lazy.Tensor {
	s.shrink()
	by := s.averageMomentum(s.state[0], s.g).Sign()
	s.state[0] = s.average(s.state[0], s.g, c.Betas[1])
	return s.w.Sub(by.Mul(s.lr()))
}
