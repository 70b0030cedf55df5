package optim

import (
	"errors"

	"ltc/ir/types"
	"ltc/lazy"
)

// NAdamConfig is the config of [NewNAdam].
type NAdamConfig struct {
	LR            float64     // learning rate; 0: 2e-3
	Betas         [2]float64  // what the averages of g and g² keep; 0: 0.9 and 0.999
	Eps           float64     // added to the denominator; 0: 1e-8
	WeightDecay   float64     // λ
	Decoupled     bool        // multiply w by 1 − LR·λ instead of adding λw to the gradient
	MomentumDecay float64     // ψ: how fast the momentum grows to β₁; 0: 4e-3
	Maximize      bool        // ascend
	Master        types.DType // dtype of master copies of narrower parameters; 0: none
}

// NewNAdam returns torch.optim.NAdam: Adam with Nesterov momentum μₜ = β₁(1 − 0.96^(tψ)/2).
func NewNAdam(dev *lazy.Device, params []*lazy.Tensor, c NAdamConfig, groups ...Group) *Optimizer {
	return newOptimizer("nadam", dev, params, groups, func(g Group) (hyper, rule) {
		c := c
		fill(&c.LR, g.LR, 2e-3)
		fill(&c.WeightDecay, g.WeightDecay, 0)
		fillBetas(&c.Betas, g, 0.9, 0.999)
		fill(&c.Eps, 0, 1e-8)
		fill(&c.MomentumDecay, 0, 4e-3)
		return hyper{c.LR, c.WeightDecay, c.Betas[0], "Betas[0]", c.Maximize, c.Master}, nadam{c}
	})
}

type nadam struct{ NAdamConfig }

func (c nadam) check() error {
	return errors.Join(betas(c.Betas), notNegative("Eps", c.Eps), notNegative("MomentumDecay", c.MomentumDecay))
}

func (c nadam) counters() []slot          { return []slot{{name: "step"}, {name: "mu_product", initial: 1}} }
func (c nadam) slots(w types.Type) []slot { return like(w, "exp_avg", "exp_avg_sq") }

func (c nadam) update(s *step) *lazy.Tensor {
	if c.Decoupled {
		s.shrink()
	} else {
		s.addDecay()
	}
	m := s.averageMomentum(s.state[0], s.g)
	v := s.averageSquare(s.state[1], s.g, c.Betas[1])
	s.state[0], s.state[1] = m, v
	mu := s.once("mu", func() *lazy.Tensor { return c.mu(s, s.count()) })
	product := s.once("product", func() *lazy.Tensor { return s.counter[1].Mul(mu) })
	ofGradient := s.exact("of gradient", func() *lazy.Tensor {
		return s.lr64().Mul(mu.RSubScalar(1)).Div(product.RSubScalar(1))
	})
	ofAverage := s.exact("of average", func() *lazy.Tensor {
		next := c.mu(s, s.count().AddScalar(1))
		return s.lr64().Mul(next).Div(product.Mul(next).RSubScalar(1))
	})
	s.counter[1] = product
	scale := s.exact("correction2", func() *lazy.Tensor { return s.correction2(c.Betas[1]) })
	return s.w.Sub(s.g.Mul(ofGradient).Add(m.Mul(ofAverage)).Div(v.Div(scale).Sqrt().AddScalar(c.Eps)))
}

// mu is the momentum of step t.
func (c nadam) mu(s *step, t *lazy.Tensor) *lazy.Tensor {
	return s.momentum64().Mul(t.MulScalar(c.MomentumDecay).RPowScalar(0.96).MulScalar(-0.5).AddScalar(1))
}
