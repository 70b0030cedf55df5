package lazy_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/internal/trials"
	"ltc/lazy"
)

// Iterations of a loop draw what they would written out: from the stream where their number is known,
// else from a fork of it. Draws of branches are drawn, whichever runs.
func TestDrawsOfLoops(t *testing.T) {
	trials.Sequential(t)
	draw := func(tr *lazy.Trace, r *lazy.Random, s *lazy.Tensor) *lazy.Tensor {
		return s.MulScalar(0.5).Add(r.Uniform(tr, lazy.F32, 3)).Add(r.Normal(tr, lazy.F32, 0, 1, 3)).Add(r.Dropout(s, 0.5))
	}
	for _, c := range []struct {
		name string
		loop func(tr *lazy.Trace, r *lazy.Random, x *lazy.Tensor) *lazy.Tensor
		flat func(tr *lazy.Trace, r *lazy.Random, x *lazy.Tensor) *lazy.Tensor
	}{
		{"for", func(tr *lazy.Trace, r *lazy.Random, x *lazy.Tensor) *lazy.Tensor {
			return lazy.For(3, func(tr *lazy.Trace, _ *lazy.Tensor, s []*lazy.Tensor) []*lazy.Tensor {
				return tensors{draw(tr, r, s[0])}
			}, x)[0]
		}, func(tr *lazy.Trace, r *lazy.Random, x *lazy.Tensor) *lazy.Tensor {
			for range 3 {
				x = draw(tr, r, x)
			}
			return x
		}},
		{"for in for", func(tr *lazy.Trace, r *lazy.Random, x *lazy.Tensor) *lazy.Tensor {
			return lazy.For(2, func(tr *lazy.Trace, _ *lazy.Tensor, s []*lazy.Tensor) []*lazy.Tensor {
				a := draw(tr, r, s[0])
				b := lazy.For(3, func(tr *lazy.Trace, i *lazy.Tensor, s []*lazy.Tensor) []*lazy.Tensor {
					return lazy.If(i.EqualScalar(1), func(*lazy.Trace) []*lazy.Tensor { return tensors{draw(tr, r, s[0])} },
						func(*lazy.Trace) []*lazy.Tensor { return tensors{draw(tr, r, s[0]).Neg()} })
				}, a)[0]
				return tensors{draw(tr, r, b)}
			}, x)[0]
		}, func(tr *lazy.Trace, r *lazy.Random, x *lazy.Tensor) *lazy.Tensor {
			for range 2 {
				x = draw(tr, r, x)
				for i := range 3 {
					a, b := draw(tr, r, x), draw(tr, r, x).Neg()
					if x = b; i == 1 {
						x = a
					}
				}
				x = draw(tr, r, x)
			}
			return x
		}},
		{"while", func(tr *lazy.Trace, r *lazy.Random, x *lazy.Tensor) *lazy.Tensor {
			return lazy.While(
				func(tr *lazy.Trace, s []*lazy.Tensor) *lazy.Tensor {
					return s[1].Add(r.Uniform(tr, lazy.F32).MulScalar(0.25)).LessScalar(3)
				},
				func(tr *lazy.Trace, s []*lazy.Tensor) []*lazy.Tensor {
					return tensors{draw(tr, r, s[0]), s[1].AddScalar(1)}
				},
				x, lazy.Zeros(tr, lazy.F32))[0]
		}, func(tr *lazy.Trace, r *lazy.Random, x *lazy.Tensor) *lazy.Tensor {
			fork, _ := r.Fork(1)
			for range 3 {
				fork[0].Uniform(tr, lazy.F32)
				x = draw(tr, fork[0], x)
			}
			return x
		}},
		{"bounded for in for", func(tr *lazy.Trace, r *lazy.Random, x *lazy.Tensor) *lazy.Tensor {
			return lazy.For(2, func(tr *lazy.Trace, i *lazy.Tensor, s []*lazy.Tensor) []*lazy.Tensor {
				return lazy.For(i.AddScalar(1), func(tr *lazy.Trace, _ *lazy.Tensor, s []*lazy.Tensor) []*lazy.Tensor {
					return tensors{draw(tr, r, s[0])}
				}, s[0])
			}, x)[0]
		}, func(tr *lazy.Trace, r *lazy.Random, x *lazy.Tensor) *lazy.Tensor {
			for i := range 2 {
				fork, _ := r.Fork(1)
				for range i + 1 {
					x = draw(tr, fork[0], x)
				}
			}
			return x
		}},
	} {
		for _, backend := range []string{"eval", "cpu"} {
			t.Run(fmt.Sprint(c.name, "/", backend), func(t *testing.T) {
				dev := open(t, backend)
				tr := lazy.NewTrace(dev)
				one, other := lazy.NewRandom(dev, 7), lazy.NewRandom(dev, 7)
				for range 3 {
					x := lazy.From(tr, []float32{1, 2, 3})
					got, want := c.loop(tr, one, x), c.flat(tr, other, x)
					require.NoError(t, tr.MarkStep(got, want))
					require.Equal(t, floats(t, want), floats(t, got))
					require.Equal(t, other.State(), one.State())
				}
				require.Equal(t, int64(1), tr.Report().Compiled, "%v", tr.Report())

				f := lazy.Func(dev, func(tr *lazy.Trace, x *lazy.Tensor) *lazy.Tensor { return c.loop(tr, one, x) })
				for range 2 {
					x := lazy.From(tr, []float32{1, 2, 3})
					got, err := f.Call(t.Context(), x)
					require.NoError(t, err)
					want := c.flat(tr, other, x)
					require.NoError(t, tr.MarkStep(want))
					require.Equal(t, floats(t, want), floats(t, got))
				}
			})
		}
	}
}
