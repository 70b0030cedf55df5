package lazy_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/internal/trials"
	"ltc/lazy"
)

// ofSelected are steps with closures along, or around, elements that were selected.
var ofSelected = map[string]func(tr *lazy.Trace, s *lazy.Tensor) *lazy.Tensor{
	"For as often as there are elements": func(tr *lazy.Trace, s *lazy.Tensor) *lazy.Tensor {
		return lazy.For(s.Size(0), func(_ *lazy.Trace, i *lazy.Tensor, x []*lazy.Tensor) []*lazy.Tensor {
			return []*lazy.Tensor{x[0].Add(s).Div(s.Size(0).Convert(lazy.F32)).Add(i.Convert(lazy.F32))}
		}, s)[0].Sum()
	},
	"For that uses a size": func(tr *lazy.Trace, s *lazy.Tensor) *lazy.Tensor {
		return lazy.For(3, func(tr *lazy.Trace, _ *lazy.Tensor, x []*lazy.Tensor) []*lazy.Tensor {
			return []*lazy.Tensor{x[0].Add(lazy.Ones(tr, lazy.F32, s.OpenDim(0)).Sum()).Add(s.Sum())}
		}, lazy.Zeros(tr, lazy.F32))[0]
	},
	"Map": func(tr *lazy.Trace, s *lazy.Tensor) *lazy.Tensor {
		return lazy.Map(func(_ *lazy.Trace, x []*lazy.Tensor) []*lazy.Tensor { return []*lazy.Tensor{x[0].Exp().Add(s.Sum())} }, s)[0].Sum()
	},
	"Scan": func(tr *lazy.Trace, s *lazy.Tensor) *lazy.Tensor {
		carry, ys := lazy.Scan(func(_ *lazy.Trace, c, x []*lazy.Tensor) (next, ys []*lazy.Tensor) {
			y := c[0].MulScalar(0.5).Add(x[0])
			return []*lazy.Tensor{y}, []*lazy.Tensor{y.Tanh()}
		}, []*lazy.Tensor{lazy.Ones(tr, lazy.F32)}, []*lazy.Tensor{s}, lazy.ScanOptions{})
		return carry[0].Add(ys[0].Sum())
	},
	"the gradient of a Scan": func(tr *lazy.Trace, s *lazy.Tensor) *lazy.Tensor {
		carry, _ := lazy.Scan(func(_ *lazy.Trace, c, x []*lazy.Tensor) (next, ys []*lazy.Tensor) {
			return []*lazy.Tensor{c[0].MulScalar(0.5).Add(x[0]).Tanh()}, nil
		}, []*lazy.Tensor{lazy.Ones(tr, lazy.F32)}, []*lazy.Tensor{s}, lazy.ScanOptions{})
		return lazy.Grad(carry[0], s)[0].Sum()
	},
	"If that makes as many": func(tr *lazy.Trace, s *lazy.Tensor) *lazy.Tensor {
		n := s.OpenDim(0)
		return lazy.If(s.Sum().GreaterScalar(10),
			func(tr *lazy.Trace) []*lazy.Tensor { return []*lazy.Tensor{lazy.Ones(tr, lazy.F32, n)} },
			func(tr *lazy.Trace) []*lazy.Tensor { return []*lazy.Tensor{s.Exp()} },
		)[0].Sum()
	},
	"a loop in a branch": func(tr *lazy.Trace, s *lazy.Tensor) *lazy.Tensor {
		return lazy.If(s.Sum().GreaterScalar(10), func(tr *lazy.Trace) []*lazy.Tensor {
			return lazy.For(s.Size(0), func(_ *lazy.Trace, _ *lazy.Tensor, x []*lazy.Tensor) []*lazy.Tensor {
				return []*lazy.Tensor{x[0].Add(s.Mean())}
			}, lazy.Zeros(tr, lazy.F32))
		}, func(tr *lazy.Trace) []*lazy.Tensor { return []*lazy.Tensor{s.Size(0).Convert(lazy.F32)} })[0]
	},
}

// Closures of control flow along elements that were selected are compiled once for all counts.
func TestClosuresOfSelected(t *testing.T) {
	trials.Sequential(t)
	for name, f := range ofSelected {
		t.Run(name, func(t *testing.T) {
			step := func(tr *lazy.Trace, threshold float64) float32 {
				x := lazy.From(tr, []float32{1, 5, 3, 2, 4, 0.5, 6, 2.5}, 8)
				y := f(tr, x.MaskedSelect(x.Greater(lazy.From(tr, []float32{float32(threshold)}))))
				require.NoError(t, tr.MarkStep(y))
				return floats(t, y)[0]
			}
			tr, other := lazy.NewTrace(open(t, "cpu", lazy.Compiled())), lazy.NewTrace(open(t, "eval"))
			for _, threshold := range []float64{1, 0, 4.5, 100, 5.5, 2} {
				require.InDelta(t, step(other, threshold), step(tr, threshold), 1e-3, "above %v", threshold)
			}
			require.EqualValues(t, 1, tr.Report().Compiled)
		})
	}
}
