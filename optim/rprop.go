package optim

import (
	"errors"
	"fmt"

	"ltc/ir/types"
	"ltc/lazy"
)

// RpropConfig is the config of [NewRprop].
type RpropConfig struct {
	LR       float64     // first step size of each element; 0: 1e-2
	Etas     [2]float64  // factors of a step size when the sign of g changes, and when not; 0: 0.5 and 1.2
	Sizes    [2]float64  // the smallest and the largest step size; 0: 1e-6 and 50
	Maximize bool        // ascend
	Master   types.DType // dtype of master copies of narrower parameters; 0: none
}

// NewRprop returns torch.optim.Rprop, resilient backpropagation: an element has its own step
// size and moves against its gradient's sign.
//
// The rate counts in the first step alone.
func NewRprop(dev *lazy.Device, params []*lazy.Tensor, c RpropConfig, groups ...Group) *Optimizer {
	return newOptimizer("rprop", dev, params, groups, func(g Group) (hyper, rule) {
		c := c
		fill(&c.LR, g.LR, 1e-2)
		fill(&c.Etas[0], 0, 0.5)
		fill(&c.Etas[1], 0, 1.2)
		fill(&c.Sizes[0], 0, 1e-6)
		fill(&c.Sizes[1], 0, 50)
		return hyper{lr: c.LR, maximize: c.Maximize, master: c.Master}, rprop{c, g.WeightDecay != 0}
	})
}

type rprop struct {
	RpropConfig
	decays bool // a group asks for weight decay
}

func (c rprop) check() error {
	switch {
	case c.decays:
		return errors.New("the rule has no WeightDecay: add a term to the loss")
	case !(c.Etas[0] > 0 && c.Etas[0] < 1 && c.Etas[1] > 1):
		return fmt.Errorf("Etas %v: want one in (0, 1) and one above 1", c.Etas)
	case !(c.Sizes[0] >= 0 && c.Sizes[0] <= c.Sizes[1]):
		return fmt.Errorf("Sizes %v: want the smallest step size and the largest, from 0 on", c.Sizes)
	}
	return nil
}

func (c rprop) counters() []slot          { return []slot{{name: "step"}} }
func (c rprop) slots(w types.Type) []slot { return like(w, "prev", "step_size") }

func (c rprop) update(s *step) *lazy.Tensor {
	first := s.once("first", func() *lazy.Tensor { return s.count().EqualScalar(1) })
	size := first.Where(s.lr(), s.state[1])
	agree := s.g.Mul(s.state[0])
	turned := agree.LessScalar(0)
	size = turned.Where(size.MulScalar(c.Etas[0]), agree.GreaterScalar(0).Where(size.MulScalar(c.Etas[1]), size))
	size = size.ClampScalar(c.Sizes[0], c.Sizes[1])
	g := turned.ScalarWhere(0, s.g)
	s.state[0], s.state[1] = g, size
	return s.w.Sub(g.Sign().Mul(size))
}
