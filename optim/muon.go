package optim

import (
	"errors"
	"fmt"
	"math"

	"ltc/ir/types"
	"ltc/lazy"
)

// MuonConfig is the config of [NewMuon].
type MuonConfig struct {
	LR           float64     // learning rate; 0: 1e-3
	Momentum     float64     // what the average of g keeps; 0: 0.95
	WeightDecay  float64     // λ: w is multiplied by 1 − LR·λ; 0: 0.1
	Plain        bool        // step along the average itself, without Nesterov's part of g
	Steps        int         // of the iteration of Newton and Schulz; 0: 5
	Coefficients [3]float64  // of its polynomial; 0: 3.4445, -4.775 and 2.0315
	Eps          float64     // least norm to divide by; 0: 1e-7
	Adjust       MuonRate    // how the rate depends on the sizes of a matrix
	Master       types.DType // dtype of master copies of narrower parameters; 0: none
}

// MuonRate is how the rate of [NewMuon] depends on the sizes of a matrix of a rows and b columns.
type MuonRate int

const (
	MuonOriginal  MuonRate = iota // the rate times √max(1, a/b)
	MuonMatchRMS                  // the rate times 0.2·√max(a, b): then rates of AdamW fit
	MuonUnclamped                 // the rate times √(a/b)
)

// NewMuon returns torch.optim.Muon, for matrices: a step goes along the moving average of
// g made orthogonal by an iteration in bf16.
//
// Give other parameters to an optimizer of their own, such as AdamW.
func NewMuon(dev *lazy.Device, params []*lazy.Tensor, c MuonConfig, groups ...Group) *Optimizer {
	o := newOptimizer("muon", dev, params, groups, func(g Group) (hyper, rule) {
		c := c
		fill(&c.LR, g.LR, 1e-3)
		fill(&c.WeightDecay, g.WeightDecay, 0.1)
		fill(&c.Momentum, g.Momentum, 0.95)
		fill(&c.Eps, 0, 1e-7)
		if c.Steps == 0 {
			c.Steps = 5
		}
		if c.Coefficients == [3]float64{} {
			c.Coefficients = [3]float64{3.4445, -4.7750, 2.0315}
		}
		return hyper{c.LR, c.WeightDecay, c.Momentum, "Momentum", false, c.Master}, muon{c}
	})
	for _, w := range o.Params() {
		if o.err == nil && w.Rank() != 2 {
			o.err = fmt.Errorf("muon: parameter %q is %v, no matrix: give it to an optimizer of its own, such as AdamW", w.Name(), w.Type())
		}
	}
	return o
}

type muon struct{ MuonConfig }

func (c muon) check() error {
	if c.Steps < 1 || c.Steps >= 100 {
		return fmt.Errorf("Steps %d is not from 1 to 99: 5 is usual", c.Steps)
	}
	if c.Adjust < MuonOriginal || c.Adjust > MuonUnclamped {
		return fmt.Errorf("Adjust %d is none of MuonOriginal, MuonMatchRMS and MuonUnclamped", c.Adjust)
	}
	return errors.Join(fraction("Momentum", c.Momentum), notNegative("Eps", c.Eps))
}

func (c muon) counters() []slot          { return nil }
func (c muon) slots(w types.Type) []slot { return like(w, "momentum_buffer") }

func (c muon) update(s *step) *lazy.Tensor {
	m := s.averageMomentum(s.state[0], s.g)
	s.state[0] = m
	if !c.Plain {
		m = s.g.Add(m.Sub(s.g).Mul(s.momentum()))
	}
	s.shrink()
	by := c.orthogonal(m).AsType(s.w.DType())
	return s.w.Sub(by.Mul(s.lr()).MulScalar(c.factor(s.w.Dim(0), s.w.Dim(1))))
}

func (c muon) factor(rows, columns int) float64 {
	a, b := float64(rows), float64(columns)
	switch c.Adjust {
	case MuonMatchRMS:
		return 0.2 * math.Sqrt(max(a, b))
	case MuonUnclamped:
		return math.Sqrt(a / b)
	}
	return math.Sqrt(max(1, a/b))
}

// orthogonal returns an approximation of UVᵀ in bf16, where x = USVᵀ: each step of Newton
// and Schulz brings the singular values nearer to 1. Sums are f32.
func (c muon) orthogonal(x *lazy.Tensor) *lazy.Tensor {
	round := func(x *lazy.Tensor) *lazy.Tensor { return x.Convert(types.BF16) }
	single := func(x *lazy.Tensor) *lazy.Tensor { return x.Convert(types.F32) }
	product := func(x, y *lazy.Tensor) *lazy.Tensor { return single(x).MatMul(single(y)) }
	tall := x.Dim(0) > x.Dim(1)
	x = round(x)
	if tall {
		x = x.Transpose(1, 0)
	}
	norm := round(single(x).Norm(2)).MaximumScalar(c.Eps)
	x = round(single(x).Div(single(norm)))
	for range c.Steps {
		gram := round(product(x, x.Transpose(1, 0)))
		by := round(single(gram).MulScalar(c.Coefficients[1]).Add(product(gram, gram).MulScalar(c.Coefficients[2])))
		x = round(single(x).MulScalar(c.Coefficients[0]).Add(product(by, x)))
	}
	if tall {
		x = x.Transpose(1, 0)
	}
	return x
}
