package optim

import (
	"errors"

	"ltc/ir/types"
	"ltc/lazy"
)

// AdagradConfig is the config of [NewAdagrad].
type AdagradConfig struct {
	LR          float64     // learning rate; 0: 1e-2
	LRDecay     float64     // step t has the rate LR / (1 + (t-1)·LRDecay)
	Initial     float64     // first value of the sums of g²
	Eps         float64     // added to the denominator; 0: 1e-10
	WeightDecay float64     // λ: λw is added to the gradient
	Maximize    bool        // ascend
	Master      types.DType // dtype of master copies of narrower parameters; 0: none
}

// NewAdagrad returns torch.optim.Adagrad: w ← w − LR·g/(√Σg² + ε).
func NewAdagrad(dev *lazy.Device, params []*lazy.Tensor, c AdagradConfig, groups ...Group) *Optimizer {
	return newOptimizer("adagrad", dev, params, groups, func(g Group) (hyper, rule) {
		c := c
		fill(&c.LR, g.LR, 1e-2)
		fill(&c.WeightDecay, g.WeightDecay, 0)
		fill(&c.Eps, 0, 1e-10)
		return hyper{lr: c.LR, decay: c.WeightDecay, maximize: c.Maximize, master: c.Master}, adagrad{c}
	})
}

type adagrad struct{ AdagradConfig }

func (c adagrad) check() error {
	return errors.Join(notNegative("LRDecay", c.LRDecay), notNegative("Initial", c.Initial), notNegative("Eps", c.Eps))
}

func (c adagrad) counters() []slot {
	if c.LRDecay == 0 {
		return nil
	}
	return []slot{{name: "step"}}
}

func (c adagrad) slots(w types.Type) []slot {
	return []slot{{name: "sum", shape: w.Shape, initial: c.Initial}}
}

func (c adagrad) update(s *step) *lazy.Tensor {
	s.addDecay()
	sum := s.state[0].Add(s.g.Mul(s.g))
	s.state[0] = sum
	lr := s.lr()
	if c.LRDecay != 0 {
		lr = s.exact("decayed", func() *lazy.Tensor {
			return s.lr64().Div(s.count().AddScalar(-1).MulScalar(c.LRDecay).AddScalar(1))
		})
	}
	return s.w.Sub(s.g.Div(sum.Sqrt().AddScalar(c.Eps)).Mul(lr))
}
