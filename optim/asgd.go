package optim

import (
	"errors"

	"ltc/ir/types"
	"ltc/lazy"
)

// ASGDConfig is the config of [NewASGD].
type ASGDConfig struct {
	LR          float64     // learning rate; 0: 1e-2
	Lambda      float64     // decay of the parameters and of the rate; 0: 1e-4
	Alpha       float64     // the rate of step t+1 is LR / (1 + Lambda·LR·t)^Alpha; 0: 0.75
	Start       float64     // steps before the average begins; 0: 1e6
	WeightDecay float64     // λ: λw is added to the gradient
	Maximize    bool        // ascend
	Master      types.DType // dtype of master copies of narrower parameters; 0: none
}

// NewASGD returns torch.optim.ASGD, SGD that averages: the state named ax is the average
// of the parameters since the step Start.
func NewASGD(dev *lazy.Device, params []*lazy.Tensor, c ASGDConfig, groups ...Group) *Optimizer {
	return newOptimizer("asgd", dev, params, groups, func(g Group) (hyper, rule) {
		c := c
		fill(&c.LR, g.LR, 1e-2)
		fill(&c.WeightDecay, g.WeightDecay, 0)
		fill(&c.Lambda, 0, 1e-4)
		fill(&c.Alpha, 0, 0.75)
		fill(&c.Start, 0, 1e6)
		return hyper{lr: c.LR, decay: c.WeightDecay, maximize: c.Maximize, master: c.Master}, asgd{c}
	})
}

type asgd struct{ ASGDConfig }

func (c asgd) check() error {
	return errors.Join(notNegative("Lambda", c.Lambda), notNegative("Alpha", c.Alpha), notNegative("Start", c.Start))
}

func (c asgd) counters() []slot          { return []slot{{name: "step"}, {name: "eta"}} }
func (c asgd) slots(w types.Type) []slot { return like(w, "ax") }

func (c asgd) update(s *step) *lazy.Tensor {
	s.addDecay()
	eta := s.once("eta", func() *lazy.Tensor {
		eta := s.count().EqualScalar(1).Where(s.lr64(), s.counter[1])
		s.counter[1] = s.lr64().Div(s.lr64().Mul(s.count()).MulScalar(c.Lambda).AddScalar(1).PowScalar(c.Alpha))
		return eta
	})
	shrink := s.exact("shrink", func() *lazy.Tensor { return eta.MulScalar(c.Lambda).RSubScalar(1) })
	rate := s.exact("rate", func() *lazy.Tensor { return eta })
	weight := s.exact("weight", func() *lazy.Tensor { return s.count().AddScalar(-1 - c.Start).MaximumScalar(1).Reciprocal() })
	w := s.w.Mul(shrink).Sub(s.g.Mul(rate))
	s.state[0] = s.state[0].Lerp(w, weight)
	return w
}
