package optim

import (
	"errors"

	"ltc/ir/types"
	"ltc/lazy"
)

// AdadeltaConfig is the config of [NewAdadelta].
type AdadeltaConfig struct {
	LR          float64     // factor of the updates; 0: 1
	Rho         float64     // what the averages keep; 0: 0.9
	Eps         float64     // added to the averages; 0: 1e-6
	WeightDecay float64     // λ: λw is added to the gradient
	Maximize    bool        // ascend
	Master      types.DType // dtype of master copies of narrower parameters; 0: none
}

// NewAdadelta returns torch.optim.Adadelta: w ← w − LR·Δ with Δ = g·√((a+ε)/(v+ε)), where v
// and a are moving averages of g² and of the earlier Δ².
func NewAdadelta(dev *lazy.Device, params []*lazy.Tensor, c AdadeltaConfig, groups ...Group) *Optimizer {
	return newOptimizer("adadelta", dev, params, groups, func(g Group) (hyper, rule) {
		c := c
		fill(&c.LR, g.LR, 1)
		fill(&c.WeightDecay, g.WeightDecay, 0)
		fill(&c.Rho, 0, 0.9)
		fill(&c.Eps, 0, 1e-6)
		return hyper{lr: c.LR, decay: c.WeightDecay, maximize: c.Maximize, master: c.Master}, adadelta{c}
	})
}

type adadelta struct{ AdadeltaConfig }

func (c adadelta) check() error {
	return errors.Join(fraction("Rho", c.Rho), notNegative("Eps", c.Eps))
}

func (c adadelta) counters() []slot          { return nil }
func (c adadelta) slots(w types.Type) []slot { return like(w, "square_avg", "acc_delta") }

func (c adadelta) update(s *step) *lazy.Tensor {
	s.addDecay()
	v := s.averageSquare(s.state[0], s.g, c.Rho)
	delta := s.state[1].AddScalar(c.Eps).Sqrt().Div(v.AddScalar(c.Eps).Sqrt()).Mul(s.g)
	s.state[0], s.state[1] = v, s.averageSquare(s.state[1], delta, c.Rho)
	return s.w.Sub(delta.Mul(s.lr()))
}
