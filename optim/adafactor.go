package optim

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"ltc/ir/types"
	"ltc/lazy"
)

// AdafactorConfig is the config of [NewAdafactor].
type AdafactorConfig struct {
	LR          float64     // largest relative step; 0: 1e-2
	Beta2Decay  float64     // at most 0: step t keeps 1 − t^Beta2Decay of the average of g²; 0: -0.8
	Eps         [2]float64  // least root of g² and least size of w; 0: the dtype's epsilon and 1e-3
	D           float64     // largest root mean square of an update, from 1 on; 0: 1
	WeightDecay float64     // λ: w is multiplied by 1 − LR·λ
	Maximize    bool        // ascend
	Master      types.DType // dtype of master copies of narrower parameters; 0: none
}

// NewAdafactor returns torch.optim.Adafactor: the average of g² of a matrix is kept as one
// of its rows and one of its columns, those of the last two dimensions. Steps are relative
// to the size of the parameter.
func NewAdafactor(dev *lazy.Device, params []*lazy.Tensor, c AdafactorConfig, groups ...Group) *Optimizer {
	return newOptimizer("adafactor", dev, params, groups, func(g Group) (hyper, rule) {
		c := c
		fill(&c.LR, g.LR, 1e-2)
		fill(&c.WeightDecay, g.WeightDecay, 0)
		fill(&c.Beta2Decay, 0, -0.8)
		fill(&c.Eps[1], 0, 1e-3)
		fill(&c.D, 0, 1)
		return hyper{lr: c.LR, decay: c.WeightDecay, maximize: c.Maximize, master: c.Master}, adafactor{c}
	})
}

type adafactor struct{ AdafactorConfig }

func (c adafactor) check() error {
	switch {
	case !(c.Beta2Decay <= 0):
		return fmt.Errorf("Beta2Decay %v is above 0: want a power of the step that falls, such as -0.8", c.Beta2Decay)
	case !(c.D >= 1):
		return fmt.Errorf("D %v is below 1: 1 is usual, larger numbers clip fewer updates", c.D)
	}
	return errors.Join(notNegative("Eps[0]", c.Eps[0]), notNegative("Eps[1]", c.Eps[1]))
}

func (c adafactor) counters() []slot { return []slot{{name: "step"}} }

func (c adafactor) slots(w types.Type) []slot {
	n := len(w.Shape)
	if n < 2 {
		return like(w, "variance")
	}
	row, col := slices.Clone(w.Shape), slices.Clone(w.Shape)
	row[n-1], col[n-2] = 1, 1
	return []slot{{name: "row_var", shape: row}, {name: "col_var", shape: col}}
}

func (c adafactor) update(s *step) *lazy.Tensor {
	weight := s.exact("weight", func() *lazy.Tensor { return s.count().PowScalar(c.Beta2Decay) })
	relative := s.exact("relative", func() *lazy.Tensor { return s.lr64().Minimum(s.count().Rsqrt()) })
	n := s.w.Rank()
	size := rms(s.w).MaximumScalar(c.Eps[1]).Mul(relative)
	s.shrink()
	squares := s.g.Mul(s.g)
	var v *lazy.Tensor
	eps := c.epsilon(s.w.DType())
	if n < 2 {
		v = s.state[0].Lerp(squares, weight)
		s.state[0] = v
	} else {
		row := s.state[0].Lerp(squares.MeanKeep(n-1), weight)
		col := s.state[1].Lerp(squares.MeanKeep(n-2), weight)
		s.state[0], s.state[1] = row, col
		v = row.Mul(col).Div(row.MeanKeep(n - 2).MaximumScalar(eps))
	}
	by := v.MaximumScalar(eps * eps).Rsqrt().Mul(s.g)
	return s.w.Sub(by.Mul(size.Div(rms(by).DivScalar(c.D).MaximumScalar(1))))
}

// rms is the root of the mean square of all elements.
func rms(x *lazy.Tensor) *lazy.Tensor {
	return x.Norm(2).DivScalar(math.Sqrt(float64(max(x.Shape().Elements(), 1))))
}

// epsilon is Eps[0], by default the distance of 1 to the next number of a dtype.
func (c adafactor) epsilon(d types.DType) float64 {
	switch {
	case c.Eps[0] == Zero:
		return 0
	case c.Eps[0] != 0:
		return c.Eps[0]
	}
	return d.Epsilon()
}
