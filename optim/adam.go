package optim

import (
	"errors"

	"ltc/ir/types"
	"ltc/lazy"
)

// AdamConfig is the config of [NewAdam] and [NewAdamW].
type AdamConfig struct {
	LR          float64     // learning rate; 0: 1e-3
	Betas       [2]float64  // the parts that the averages of g and g² keep; 0: 0.9 and 0.999
	Eps         float64     // added to the denominator; 0: 1e-8
	WeightDecay float64     // λ; 0: 0 of Adam, 0.01 of AdamW
	AMSGrad     bool        // divide by the largest average of g² so far
	Maximize    bool        // ascend
	Master      types.DType // dtype of master copies of narrower parameters; 0: none
}

// NewAdam returns torch.optim.Adam: m and v are moving averages of g and g², and
// w ← w − LR·m̂/(√v̂ + ε), with both divided by 1 − βᵗ.
//
// Weight decay is added to g.
func NewAdam(dev *lazy.Device, params []*lazy.Tensor, c AdamConfig, groups ...Group) *Optimizer {
	return newAdam("adam", dev, params, c, groups, 0)
}

// NewAdamW returns torch.optim.AdamW: [NewAdam] with decoupled weight decay, which
// multiplies w by 1 − LR·λ.
func NewAdamW(dev *lazy.Device, params []*lazy.Tensor, c AdamConfig, groups ...Group) *Optimizer {
	return newAdam("adamw", dev, params, c, groups, 0.01)
}

func newAdam(name string, dev *lazy.Device, params []*lazy.Tensor, c AdamConfig, groups []Group, decay float64) *Optimizer {
	return newOptimizer(name, dev, params, groups, func(g Group) (hyper, rule) {
		c := c
		fill(&c.LR, g.LR, 1e-3)
		fill(&c.WeightDecay, g.WeightDecay, decay)
		fillBetas(&c.Betas, g, 0.9, 0.999)
		fill(&c.Eps, 0, 1e-8)
		return hyper{c.LR, c.WeightDecay, c.Betas[0], "Betas[0]", c.Maximize, c.Master}, adam{c, name == "adamw"}
	})
}

type adam struct {
	AdamConfig
	decoupled bool
}

func (c adam) check() error     { return errors.Join(betas(c.Betas), notNegative("Eps", c.Eps)) }
func (c adam) counters() []slot { return []slot{{name: "step"}} }

func (c adam) slots(w types.Type) []slot {
	if c.AMSGrad {
		return like(w, "exp_avg", "exp_avg_sq", "max_exp_avg_sq")
	}
	return like(w, "exp_avg", "exp_avg_sq")
}

func (c adam) update(s *step) *lazy.Tensor {
	if c.decoupled {
		s.shrink()
	} else {
		s.addDecay()
	}
	m := s.averageMomentum(s.state[0], s.g)
	v := s.averageSquare(s.state[1], s.g, c.Betas[1])
	s.state[0], s.state[1] = m, v
	if c.AMSGrad {
		v = s.state[2].Maximum(v)
		s.state[2] = v
	}
	root := s.exact("root of correction2", func() *lazy.Tensor { return s.correction2(c.Betas[1]).Sqrt() })
	return s.w.Sub(m.Div(v.Sqrt().Div(root).AddScalar(c.Eps)).Mul(s.correctedLR()))
}
