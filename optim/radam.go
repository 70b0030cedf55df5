package optim

import (
	"errors"

	"ltc/ir/types"
	"ltc/lazy"
)

// RAdamConfig is the config of [NewRAdam].
type RAdamConfig struct {
	LR          float64     // learning rate; 0: 1e-3
	Betas       [2]float64  // what the averages of g and g² keep; 0: 0.9 and 0.999
	Eps         float64     // added to the denominator; 0: 1e-8
	WeightDecay float64     // λ
	Decoupled   bool        // multiply w by 1 − LR·λ instead of adding λw to the gradient
	Maximize    bool        // ascend
	Master      types.DType // dtype of master copies of narrower parameters; 0: none
}

// NewRAdam returns torch.optim.RAdam: Adam whose first steps, where the average of g²
// has too few gradients, do not divide by it.
//
// Later steps are rectified by the length of that average.
func NewRAdam(dev *lazy.Device, params []*lazy.Tensor, c RAdamConfig, groups ...Group) *Optimizer {
	return newOptimizer("radam", dev, params, groups, func(g Group) (hyper, rule) {
		c := c
		fill(&c.LR, g.LR, 1e-3)
		fill(&c.WeightDecay, g.WeightDecay, 0)
		fillBetas(&c.Betas, g, 0.9, 0.999)
		fill(&c.Eps, 0, 1e-8)
		return hyper{c.LR, c.WeightDecay, c.Betas[0], "Betas[0]", c.Maximize, c.Master}, radam{c}
	})
}

type radam struct{ RAdamConfig }

func (c radam) check() error              { return errors.Join(betas(c.Betas), notNegative("Eps", c.Eps)) }
func (c radam) counters() []slot          { return []slot{{name: "step"}} }
func (c radam) slots(w types.Type) []slot { return like(w, "exp_avg", "exp_avg_sq") }

func (c radam) update(s *step) *lazy.Tensor {
	if c.Decoupled {
		s.shrink()
	} else {
		s.addDecay()
	}
	m := s.averageMomentum(s.state[0], s.g)
	v := s.averageSquare(s.state[1], s.g, c.Betas[1])
	s.state[0], s.state[1] = m, v
	// The length of the average of g² after t steps, at most limit.
	limit := 2/(1-c.Betas[1]) - 1
	length := s.once("length", func() *lazy.Tensor {
		t := s.count()
		return t.Mul(t.RPowScalar(c.Betas[1])).Div(s.correction2(c.Betas[1])).MulScalar(-2).AddScalar(limit)
	})
	rectified := s.exact("rectified", func() *lazy.Tensor {
		r := length.AddScalar(-4).Mul(length.AddScalar(-2)).Div(length).MulScalar(limit / ((limit - 4) * (limit - 2)))
		return r.Mul(s.correction2(c.Betas[1])).Sqrt()
	})
	long := s.once("long", func() *lazy.Tensor { return length.GreaterScalar(5) })
	scale := long.WhereScalar(rectified.Div(v.Sqrt().AddScalar(c.Eps)), 1)
	return s.w.Sub(m.Mul(s.correctedLR()).Mul(scale))
}
