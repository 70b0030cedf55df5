package lazy_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/lazy"
)

// A view that closures take from outside has the gradient of all that they make of it, as any
// other tensor.
func TestGradientsByViewsThatClosuresTake(t *testing.T) {
	views := map[string]func(x *lazy.Tensor) *lazy.Tensor{
		"reshape": func(x *lazy.Tensor) *lazy.Tensor { return x.Reshape(2, 2) },
		"part":    func(x *lazy.Tensor) *lazy.Tensor { return x.Reshape(2, 2).Transpose().Narrow(0, 0, 1) },
	}
	closures := map[string]func(v *lazy.Tensor) *lazy.Tensor{
		"for": func(v *lazy.Tensor) *lazy.Tensor {
			return steps(2, v, func(s *lazy.Tensor) *lazy.Tensor { return s.Mul(v) })
		},
		"if in for": func(v *lazy.Tensor) *lazy.Tensor {
			return steps(2, v, func(s *lazy.Tensor) *lazy.Tensor {
				return lazy.If(v.Sum().GreaterScalar(-9), func(*lazy.Trace) []*lazy.Tensor { return tensors{s.Mul(v)} },
					func(*lazy.Trace) []*lazy.Tensor { return tensors{v} })[0]
			})
		},
		"checkpoint": func(v *lazy.Tensor) *lazy.Tensor {
			return lazy.Checkpoint(v, func(v *lazy.Tensor) *lazy.Tensor { return v.Mul(v).Mul(v) })
		},
	}
	tr := lazy.NewTrace(open(t, "eval"))
	w := tr.Device().Variable("w", lazy.F64, 4).Init(lazy.Uniform(1, 2))
	for of, view := range views {
		for in, closure := range closures {
			for name, make := range map[string]func() *lazy.Tensor{
				"result":   func() *lazy.Tensor { return lazy.Iota(tr, lazy.F64, 0, 4).Exp() },
				"variable": func() *lazy.Tensor { return tr.View(w) },
				"value":    func() *lazy.Tensor { return lazy.From(tr, []float64{1, 2, 3, 4}) },
			} {
				v := view(make())
				got, want := lazy.Grad(closure(v).Sum(), v)[0], v.Mul(v).MulScalar(3)
				require.NoError(t, tr.MarkStep(got, want))
				a, err := lazy.ToSlice[float64](want)
				require.NoError(t, err)
				b, err := lazy.ToSlice[float64](got)
				require.NoError(t, err)
				require.InDeltaSlice(t, a, b, 1e-9, "%s: %s of a %s", in, of, name)
			}
		}
	}
}

// A view that a closure makes of what an outer one has made is the outer one's, too.
func TestViewsAcrossClosures(t *testing.T) {
	tr := lazy.NewTrace(open(t, "cpu"))
	x := lazy.From(tr, []float64{1, 2, 3, 4})
	y := steps(2, x, func(s *lazy.Tensor) *lazy.Tensor {
		h := s.AddScalar(1)
		var part *lazy.Tensor
		steps(1, h, func(s *lazy.Tensor) *lazy.Tensor {
			part = h.Narrow(0, 0, 2)
			return s
		})
		part.Fill_(0)
		inner := part.Reshape(2, 1)
		return steps(1, h, func(s *lazy.Tensor) *lazy.Tensor { return s.Add(inner.Sum()).Add(part.Sum()) })
	})
	require.NoError(t, tr.MarkStep(y))
	got, err := lazy.ToSlice[float64](y)
	require.NoError(t, err)
	require.Equal(t, []float64{0, 0, 5, 6}, got)
}
