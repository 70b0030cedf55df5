package lazy_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	_ "ltc/backends/reference/llvm"
	"ltc/ir/types"
	"ltc/lazy"
)

type tensors = []*lazy.Tensor

// controlCases are programs with control flow, and what they compute written out. Each is a function
// of two tensors [3] and of whether control flow is written out; its results are in no loop.
var controlCases = []struct {
	name string
	f    func(tr *lazy.Trace, x, y *lazy.Tensor, plain bool) *lazy.Tensor
	none bool // there is no gradient
}{
	{"if", func(tr *lazy.Trace, x, y *lazy.Tensor, plain bool) *lazy.Tensor {
		a := func() tensors { return tensors{x.Mul(y).Softmax(0).Mul(x), y.Tanh()} }
		b := func() tensors { return tensors{x.Sub(y).Exp(), x.Sin()} }
		if plain {
			z := b()
			return z[0].Mul(z[1])
		}
		z := lazy.If(x.Sum().GreaterScalar(1e6), func(*lazy.Trace) []*lazy.Tensor { return a() }, func(*lazy.Trace) []*lazy.Tensor { return b() })
		return z[0].Mul(z[1])
	}, false},
	{"case", func(tr *lazy.Trace, x, y *lazy.Tensor, plain bool) *lazy.Tensor {
		all := lazy.Zeros(tr, x.DType(), 3)
		for i, index := range []int{0, 1, 2, 7, -3} {
			fs := []func(*lazy.Trace) []*lazy.Tensor{
				func(*lazy.Trace) []*lazy.Tensor { return tensors{x.Mul(y)} },
				func(*lazy.Trace) []*lazy.Tensor { return tensors{x.Sin()} },
				func(*lazy.Trace) []*lazy.Tensor { return tensors{y.Cos().Mul(x)} },
			}
			k := index
			if k < 0 || k > 2 {
				k = 2
			}
			z := fs[k](tr)
			if !plain {
				d := []types.DType{lazy.I32, lazy.I64, lazy.I8}[i%3]
				z = lazy.Case(lazy.Full(tr, d, float64(index)), fs...)
			}
			all = all.Add(z[0].MulScalar(float64(i + 1)))
		}
		return all
	}, false},
	{"for", func(tr *lazy.Trace, x, y *lazy.Tensor, plain bool) *lazy.Tensor {
		iteration := func(i, s *lazy.Tensor) *lazy.Tensor { return s.Sin().Mul(y).Add(i.Convert(x.DType())).MulScalar(0.5) }
		if plain {
			s := x
			for i := range 4 {
				s = iteration(lazy.Full(tr, lazy.I32, float64(i)), s)
			}
			return s
		}
		return lazy.For(4, func(_ *lazy.Trace, i *lazy.Tensor, s []*lazy.Tensor) []*lazy.Tensor {
			return tensors{iteration(i, s[0])}
		}, x)[0]
	}, false},
	{"for with a bound", func(tr *lazy.Trace, x, y *lazy.Tensor, plain bool) *lazy.Tensor {
		if plain {
			return x.Mul(y).Mul(y).Mul(y)
		}
		n := lazy.Full(tr, lazy.I64, 3)
		return lazy.For(n, func(_ *lazy.Trace, i *lazy.Tensor, s []*lazy.Tensor) []*lazy.Tensor { return tensors{s[0].Mul(y)} }, x)[0]
	}, true},
	{"while", func(tr *lazy.Trace, x, y *lazy.Tensor, plain bool) *lazy.Tensor {
		if plain {
			return x.AddScalar(5).Mul(y)
		}
		one := lazy.Ones(tr, x.DType())
		return lazy.While(
			func(_ *lazy.Trace, s []*lazy.Tensor) *lazy.Tensor { return s[1].LessScalar(5) },
			func(_ *lazy.Trace, s []*lazy.Tensor) []*lazy.Tensor { return tensors{s[0].Add(one), s[1].Add(one)} },
			x, lazy.Zeros(tr, x.DType()))[0].Mul(y)
	}, true},
	{"scan", scanCase(lazy.ScanOptions{}), false},
	{"scan in reverse", scanCase(lazy.ScanOptions{Reverse: true}), false},
	{"scan with checkpoints", scanCase(lazy.ScanOptions{Checkpoint: true}), false},
	{"map", func(tr *lazy.Trace, x, y *lazy.Tensor, plain bool) *lazy.Tensor {
		f := func(a *lazy.Tensor) *lazy.Tensor { return a.Mul(y).Softmax(0) }
		if plain {
			var rows []*lazy.Tensor
			for i := range 3 {
				rows = append(rows, f(x.Select(0, i)).Unsqueeze(0))
			}
			return lazy.Concatenate(0, rows...)
		}
		return lazy.Map(func(_ *lazy.Trace, xs []*lazy.Tensor) []*lazy.Tensor { return tensors{f(xs[0])} }, x)[0]
	}, false},
	{"nested", func(tr *lazy.Trace, x, y *lazy.Tensor, plain bool) *lazy.Tensor {
		up := func(s *lazy.Tensor) *lazy.Tensor { return s.Mul(y).Tanh() }
		down := func(s *lazy.Tensor) *lazy.Tensor { return s.Sub(x).Sin().Mul(s) }
		if plain {
			s := x
			for i := range 3 {
				if i == 1 {
					s = up(s)
				} else {
					s = down(down(s))
				}
			}
			return s
		}
		return lazy.For(3, func(tr *lazy.Trace, i *lazy.Tensor, s []*lazy.Tensor) []*lazy.Tensor {
			return lazy.If(i.EqualScalar(1),
				func(*lazy.Trace) []*lazy.Tensor { return tensors{up(s[0])} },
				func(*lazy.Trace) []*lazy.Tensor {
					_, ys := lazy.Scan(func(_ *lazy.Trace, c, _ []*lazy.Tensor) (next, ys []*lazy.Tensor) {
						n := down(c[0])
						return tensors{n}, tensors{n}
					}, tensors{s[0]}, tensors{lazy.Iota(tr, lazy.I32, 0, 2)}, lazy.ScanOptions{})
					return tensors{ys[0].Select(0, 1)}
				})
		}, x)[0]
	}, false},
	{"views and writes", func(tr *lazy.Trace, x, y *lazy.Tensor, plain bool) *lazy.Tensor {
		iteration := func(s *lazy.Tensor) *lazy.Tensor {
			h := s.Mul(y)
			h.Narrow(0, 1, 2).Mul_(x.Narrow(0, 0, 2))
			h.Select(0, 0).Fill_(0.25)
			return h.Add(y.Reverse(0))
		}
		if plain {
			return iteration(iteration(x.Sin()))
		}
		return lazy.For(2, func(_ *lazy.Trace, _ *lazy.Tensor, s []*lazy.Tensor) []*lazy.Tensor { return tensors{iteration(s[0])} }, x.Sin())[0]
	}, false},
	{"gradient inside", func(tr *lazy.Trace, x, y *lazy.Tensor, plain bool) *lazy.Tensor {
		iteration := func(s *lazy.Tensor) *lazy.Tensor {
			return s.Sub(lazy.Grad(s.Mul(s).Mul(y).Softmax(0).Mul(y).Sum(), s)[0])
		}
		if plain {
			return iteration(iteration(x))
		}
		return lazy.For(2, func(_ *lazy.Trace, _ *lazy.Tensor, s []*lazy.Tensor) []*lazy.Tensor { return tensors{iteration(s[0])} }, x)[0]
	}, false},
	{"dynamic slices", func(tr *lazy.Trace, x, y *lazy.Tensor, plain bool) *lazy.Tensor {
		if plain {
			return x.Mul(y).Add(x)
		}
		return lazy.For(3, func(_ *lazy.Trace, i *lazy.Tensor, s []*lazy.Tensor) []*lazy.Tensor {
			row := s[0].DynamicSlice([]int{1}, i)
			return tensors{s[0].DynamicUpdateSlice(row.Mul(y.DynamicSlice([]int{1}, i)).Add(row), i)}
		}, x)[0]
	}, false},
}

func scanCase(o lazy.ScanOptions) func(tr *lazy.Trace, x, y *lazy.Tensor, plain bool) *lazy.Tensor {
	return func(tr *lazy.Trace, x, y *lazy.Tensor, plain bool) *lazy.Tensor {
		w := x.Unsqueeze(1).Mul(y.Unsqueeze(0)) // taken from outside
		f := func(c, row *lazy.Tensor) (next, out *lazy.Tensor) {
			h := c.Unsqueeze(0).MatMul(w).Squeeze(0)
			next = h.Add(row).Tanh().Mul(c.Sigmoid())
			return next, next.Mul(row).LayerNorm(y, x, 1e-3)
		}
		if plain {
			c, rows := x, make(tensors, 3)
			for i := range 3 {
				at := i
				if o.Reverse {
					at = 2 - i
				}
				c, rows[at] = f(c, w.Select(0, at))
				rows[at] = rows[at].Unsqueeze(0)
			}
			return lazy.Concatenate(0, rows...).Add(c)
		}
		c, ys := lazy.Scan(func(_ *lazy.Trace, c, xs []*lazy.Tensor) (next, ys []*lazy.Tensor) {
			n, y := f(c[0], xs[0])
			return tensors{n}, tensors{y}
		}, tensors{x}, tensors{w}, o)
		return ys[0].Add(c[0])
	}
}

// Control flow computes what it computes written out, and has its gradients, on each backend
// and in each way to run; recorded again it compiles nothing.
func TestControlFlow(t *testing.T) {
	for _, way := range []struct {
		name, backend string
		opts          []lazy.Option
	}{{"eval", "eval", nil}, {"cpu", "cpu", nil}, {"op by op", "eval", []lazy.Option{lazy.OpByOp()}}, {"nans", "cpu", []lazy.Option{lazy.CheckNaNs(true)}}} {
		for _, c := range controlCases {
			for _, d := range []types.DType{lazy.F64, lazy.F32} {
				t.Run(fmt.Sprint(way.name, "/", c.name, "/", d), func(t *testing.T) {
					dev, err := lazy.Open(way.backend, way.opts...)
					require.NoError(t, err)
					defer dev.Close()
					tr := lazy.NewTrace(dev)
					w := dev.Variable("w", d, 3).Init(lazy.Uniform(0.5, 1))
					for step := range 3 {
						x := lazy.From(tr, []float64{0.3, -0.7, float64(step) / 4}).Convert(d)
						y := tr.Read(w)
						got, want := c.f(tr, x, y, false), c.f(tr, x, y, true)
						all := tensors{got, want}
						if !c.none {
							weight := lazy.Iota(tr, d, 0, got.Type().Elements()).AddScalar(1).Reshape(got.Shape()...)
							all = append(all, lazy.Grad(got.Mul(weight).Sum(), x, w)...)
							all = append(all, lazy.Grad(want.Mul(weight).Sum(), x, w)...)
						}
						for i := range all {
							all[i] = all[i].Convert(lazy.F64)
						}
						require.NoError(t, tr.MarkStep(all...))
						within := map[types.DType]float64{lazy.F64: 1e-12, lazy.F32: 2e-5}[d]
						requireNear(t, all[1], all[0], within)
						if !c.none {
							requireNear(t, all[4], all[2], within)
							requireNear(t, all[5], all[3], within)
						}
					}
					if way.name != "op by op" {
						require.Equal(t, int64(1), tr.Report().Compiled, "%v", tr.Report())
					}
				})
			}
		}
	}
}

func requireNear(t *testing.T, want, got *lazy.Tensor, within float64) {
	t.Helper()
	require.Equal(t, want.Shape(), got.Shape())
	a, err := lazy.ToSlice[float64](got)
	require.NoError(t, err)
	b, err := lazy.ToSlice[float64](want)
	require.NoError(t, err)
	require.InDeltaSlice(t, b, a, within)
}
