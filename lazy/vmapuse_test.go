package lazy_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/internal/samples"
	"ltc/internal/trials"
	"ltc/ir/ops"
	"ltc/ir/types"
	"ltc/lazy"
	"ltc/soa"
)

// vmapCases are functions of an example, f64[2,3]. Vmap and Map give the same.
var vmapCases = []struct {
	name string
	f    func(tr *lazy.Trace, x, w *lazy.Tensor) []*lazy.Tensor
}{
	{"what is outside, as it is", func(tr *lazy.Trace, x, w *lazy.Tensor) []*lazy.Tensor { return tensors{w, x, x.Sum()} }},
	{"views written in place", func(tr *lazy.Trace, x, w *lazy.Tensor) []*lazy.Tensor {
		y := x.Mul(w)
		y.Select(0, 1).Narrow(0, 1, 2).Mul_(w.Narrow(0, 0, 2))
		y.Transpose().Select(0, 0).Add_(x.Sum())
		y.Diagonal(0, 0, 1).Copy_(x.Select(1, 2))
		return tensors{y, y.Transpose().Reshape(3, 2)}
	}},
	{"a loop until a condition holds for all", func(tr *lazy.Trace, x, w *lazy.Tensor) []*lazy.Tensor {
		return lazy.While(func(_ *lazy.Trace, s []*lazy.Tensor) *lazy.Tensor { return s[0].Sum().LessScalar(20) },
			func(_ *lazy.Trace, s []*lazy.Tensor) []*lazy.Tensor {
				return tensors{s[0].Abs().Add(w), s[1].AddScalar(1), s[2]}
			}, x, lazy.Const(tr, lazy.I32, 0).Convert(lazy.F64), w)
	}},
	{"a loop whose condition is the same for all", func(tr *lazy.Trace, x, w *lazy.Tensor) []*lazy.Tensor {
		return lazy.While(func(_ *lazy.Trace, s []*lazy.Tensor) *lazy.Tensor { return s[1].Sum().LessScalar(6) },
			func(_ *lazy.Trace, s []*lazy.Tensor) []*lazy.Tensor {
				return tensors{s[1].Mul(x.Select(0, 0)).Sin(), s[1].Add(w).AddScalar(0.5)}
			}, x.Select(0, 1), w)
	}},
	{"as many iterations as an example says", func(tr *lazy.Trace, x, w *lazy.Tensor) []*lazy.Tensor {
		return lazy.For(x.Sum().Abs().MulScalar(3).Convert(lazy.I32), func(_ *lazy.Trace, i *lazy.Tensor, s []*lazy.Tensor) []*lazy.Tensor {
			return tensors{s[0].Add(i.Convert(lazy.F64)).Sin()}
		}, x)
	}},
	{"a branch an example chooses", func(tr *lazy.Trace, x, w *lazy.Tensor) []*lazy.Tensor {
		return lazy.Case(x.Sum().MulScalar(2).Convert(lazy.I32),
			func(*lazy.Trace) []*lazy.Tensor { return tensors{x.Sin(), w} },
			func(*lazy.Trace) []*lazy.Tensor { return tensors{x.Cos(), w.Exp()} },
			func(*lazy.Trace) []*lazy.Tensor { return tensors{x.MatMul(w).Unsqueeze(1).Mul(x), x.Select(0, 0)} })
	}},
	{"a branch that all choose", func(tr *lazy.Trace, x, w *lazy.Tensor) []*lazy.Tensor {
		return lazy.If(w.Sum().GreaterScalar(0),
			func(*lazy.Trace) []*lazy.Tensor { return tensors{x.Sin(), w} },
			func(*lazy.Trace) []*lazy.Tensor { return tensors{x.Cos(), x.Select(0, 0)} })
	}},
	{"a scan", func(tr *lazy.Trace, x, w *lazy.Tensor) []*lazy.Tensor {
		carry, ys := lazy.Scan(func(_ *lazy.Trace, c, xs []*lazy.Tensor) (next, ys []*lazy.Tensor) {
			return tensors{c[0].Mul(w).Add(xs[0]).Sin()}, tensors{c[0], w, xs[1]}
		}, tensors{w}, tensors{x, lazy.Iota(tr, lazy.F64, 0, 2, 1)}, lazy.ScanOptions{Reverse: true})
		return append(carry, ys...)
	}},
	{"vmap in vmap", func(tr *lazy.Trace, x, w *lazy.Tensor) []*lazy.Tensor {
		return lazy.Vmap(func(_ *lazy.Trace, a []*lazy.Tensor) []*lazy.Tensor {
			return lazy.Vmap(func(_ *lazy.Trace, b []*lazy.Tensor) []*lazy.Tensor {
				return tensors{a[0].Mul(b[0]).Add(w.Mul(x).Sum())}
			}, tensors{x}, lazy.VmapOptions{In: []int{1}, Out: []int{-1}})
		}, tensors{x.Select(0, 0)}, lazy.VmapOptions{})
	}},
	{"map and vmap in vmap", func(tr *lazy.Trace, x, w *lazy.Tensor) []*lazy.Tensor {
		return lazy.Map(func(_ *lazy.Trace, a []*lazy.Tensor) []*lazy.Tensor {
			return lazy.Vmap(func(_ *lazy.Trace, b []*lazy.Tensor) []*lazy.Tensor { return tensors{b[0].Mul(a[0]).Softmax(0)} }, tensors{x}, lazy.VmapOptions{})
		}, x)
	}},
	{"a Hessian", func(tr *lazy.Trace, x, w *lazy.Tensor) []*lazy.Tensor {
		g := lazy.Grad(x.Mul(w).Sin().Sum().Exp(), x)[0]
		return lazy.Vmap(func(_ *lazy.Trace, e []*lazy.Tensor) []*lazy.Tensor { return tensors{g.Mul(e[0])} },
			tensors{lazy.Iota(tr, lazy.F64, 0, 6, 1).Equal(lazy.Iota(tr, lazy.F64, 1, 1, 6)).Convert(lazy.F64).Reshape(6, 2, 3)}, lazy.VmapOptions{})
	}},
	{"a checkpoint", func(tr *lazy.Trace, x, w *lazy.Tensor) []*lazy.Tensor {
		return tensors{lazy.Checkpoint(x, func(x *lazy.Tensor) *lazy.Tensor { return x.Mul(w).Sin().Exp() })}
	}},
	{"a composite with its own gradient", func(tr *lazy.Trace, x, w *lazy.Tensor) []*lazy.Tensor {
		return tensors{straight.Call(nil, x, w)}
	}},
	{"the same within a composite's", func(tr *lazy.Trace, x, w *lazy.Tensor) []*lazy.Tensor {
		return lazy.Vmap(func(_ *lazy.Trace, rows []*lazy.Tensor) []*lazy.Tensor {
			return tensors{straight.Call(nil, rows[0].Mul(w), rows[0])}
		}, tensors{x}, lazy.VmapOptions{})
	}},
	{"layers", func(tr *lazy.Trace, x, w *lazy.Tensor) []*lazy.Tensor {
		y := x.LayerNorm(w, w.MulScalar(0.5), 1e-5).GELU()
		q := y.Reshape(1, 2, 3)
		values, indices := y.Mean(0).Sort(0, true)
		return tensors{q.Attention(q, q, lazy.AttentionOptions{Causal: true}).LogSoftmax(-1), values, indices}
	}},
	{"a convolution with a kernel of its own", func(tr *lazy.Trace, x, w *lazy.Tensor) []*lazy.Tensor {
		y, k := x.Sin().Reshape(1, 3, 2, 1), x.Reshape(3, 1, 2, 1)
		return tensors{y.Conv(k, lazy.ConvOptions{Groups: 3}), y.Conv(w.Reshape(1, 3, 1, 1), lazy.ConvOptions{}), w.Reshape(1, 1, 3, 1).Conv(x.Reshape(3, 1, 2, 1), lazy.ConvOptions{})}
	}},
	{"parts that begin where an example says", func(tr *lazy.Trace, x, w *lazy.Tensor) []*lazy.Tensor {
		at, zero := x.Select(0, 0).ArgMax(0), lazy.Const(tr, lazy.I64, 0)
		return tensors{x.DynamicSlice([]int{2, 2}, zero, at), x.DynamicUpdateSlice(w.Narrow(0, 0, 2).Unsqueeze(0), at, at), w.DynamicSlice([]int{1}, at), x.Transpose().Gather(at), w.Gather(at)}
	}},
}

// straight is 2·sign(x)·y, with a gradient that is not that of its ops.
var straight = lazy.Define(lazy.Composite{Name: "test.straight", Doc: "returns 2·sign(x)·y.", Operands: []ops.Operand{{Name: "x", Is: ops.Float}, {Name: "y", Like: "x"}}},
	func(x []*lazy.Tensor, _ lazy.Attrs) *lazy.Tensor { return x[0].Sign().Mul(x[1]).MulScalar(2) },
	func(x []*lazy.Tensor, y, ct *lazy.Tensor, _ lazy.Attrs) []*lazy.Tensor {
		dy := ct.Mul(x[0].Sign()).MulScalar(2)
		if x[1].Rank() < dy.Rank() {
			dy = dy.Sum(0)
		}
		return tensors{ct.MulScalar(7), dy}
	})

// Vmap gives what Map gives, for any number of examples, and so do its gradients, those in it, and
// those of it.
func TestVmapIsMap(t *testing.T) {
	trials.Sequential(t)
	for _, backend := range []string{"eval", "cpu"} {
		dev := open(t, backend)
		w := dev.Variable("w", lazy.F64, 3).Init(lazy.Uniform(-1, 1))
		for _, c := range vmapCases {
			for _, n := range []int{3, 1, 0} {
				t.Run(fmt.Sprintf("%s/%s/%d", backend, c.name, n), func(t *testing.T) {
					tr := lazy.NewTrace(dev)
					xs := lazy.Iota(tr, lazy.F64, 0, n*6).MulScalar(0.9).Sin().Reshape(n, 2, 3)
					f := func(tr *lazy.Trace, xs []*lazy.Tensor) []*lazy.Tensor {
						ys := c.f(tr, xs[0], tr.Read(w))
						loss := ys[0].Mul(ys[0]).Sum()
						for _, g := range lazy.Grad(loss, xs[0], w) {
							if g.Err() == nil { // through a loop there is none
								ys = append(ys[:len(ys):len(ys)], g)
							}
						}
						return ys
					}
					sameResults(t, tr, func(ys []*lazy.Tensor) []*lazy.Tensor {
						loss := lazy.Zeros(tr, lazy.F64)
						for _, y := range ys {
							if y.DType() == lazy.F64 {
								loss = loss.Add(y.Sin().Sum())
							}
						}
						for _, g := range lazy.Grad(loss, xs, w) {
							if g.Err() == nil {
								ys = append(ys[:len(ys):len(ys)], g)
							}
						}
						return ys
					}, lazy.Vmap(f, tensors{xs}, lazy.VmapOptions{}), lazy.Map(f, xs))
				})
			}
		}
	}
}

// sameResults requires got and want, with more of each, to have the same values.
func sameResults(t *testing.T, tr *lazy.Trace, more func(ys []*lazy.Tensor) []*lazy.Tensor, got, want []*lazy.Tensor) {
	t.Helper()
	got, want = more(got), more(want)
	require.Len(t, got, len(want))
	for _, y := range slices.Concat(got, want) {
		require.NoError(t, y.Err())
	}
	require.NoError(t, tr.MarkStep(slices.Concat(got, want)...))
	for i := range want {
		require.Equal(t, want[i].Type().String(), got[i].Type().String(), "result %d", i)
		var all [2][]float64
		for k, y := range (tensors{got[i], want[i]}) {
			if y.DType() != lazy.F64 {
				y = y.Convert(lazy.F64)
				require.NoError(t, tr.MarkStep(y))
			}
			var err error
			all[k], err = lazy.ToSlice[float64](y)
			require.NoError(t, err)
		}
		require.InDeltaSlice(t, all[1], all[0], 1e-9, "result %d", i)
	}
}

// The axes of the examples are those of the options.
func TestVmapAxes(t *testing.T) {
	tr := lazy.NewTrace(open(t, "eval"))
	x, y := lazy.Iota(tr, lazy.F32, 0, 6).Reshape(2, 3), lazy.From(tr, []float32{10, 20})
	ys := lazy.Vmap(func(_ *lazy.Trace, xs []*lazy.Tensor) []*lazy.Tensor {
		require.Equal(t, "f32[2]", xs[0].Type().String())
		require.Equal(t, "f32[2]", xs[1].Type().String())
		return tensors{xs[0].Add(xs[1]), xs[1].Exp().Log()}
	}, tensors{x, y}, lazy.VmapOptions{In: []int{-1, lazy.Unbatched}, Out: []int{1, lazy.Unbatched}})
	require.NoError(t, tr.MarkStep(ys...))
	require.Equal(t, "f32[2,3]", ys[0].Type().String())
	require.Equal(t, []float32{10, 11, 12, 23, 24, 25}, floats(t, ys[0]))
	require.Equal(t, "f32[2]", ys[1].Type().String())
}

// Each example draws the numbers that an iteration of Map draws, and the stream goes on behind them.
func TestVmapDraws(t *testing.T) {
	dev := open(t, "eval")
	run := func(vmap bool) (all [][]float32) {
		tr, r := lazy.NewTrace(dev), lazy.NewRandom(dev, 7)
		f := func(tr *lazy.Trace, xs []*lazy.Tensor) []*lazy.Tensor {
			x := xs[0]
			loop := lazy.While(func(_ *lazy.Trace, s []*lazy.Tensor) *lazy.Tensor { return s[0].Sum().LessScalar(4) },
				func(tr *lazy.Trace, s []*lazy.Tensor) []*lazy.Tensor {
					return tensors{s[0].Add(r.Uniform(tr, lazy.F32, 3))}
				}, x)[0]
			branch := lazy.If(x.Sum().GreaterScalar(2), func(tr *lazy.Trace) []*lazy.Tensor { return tensors{r.Normal(tr, lazy.F32, 0, 1, 5)} },
				func(tr *lazy.Trace) []*lazy.Tensor { return tensors{r.Uniform(tr, lazy.F32, 5)} })[0]
			inner := lazy.Map(func(tr *lazy.Trace, xs []*lazy.Tensor) []*lazy.Tensor { return tensors{r.Uniform(tr, lazy.F32)} }, x)[0]
			return tensors{r.Uniform(tr, lazy.F32, 3), loop, branch, inner, r.Dropout(x, 0.5)}
		}
		xs := lazy.Iota(tr, lazy.F32, 0, 6).Reshape(2, 3)
		var ys tensors
		if vmap {
			ys = lazy.Vmap(f, tensors{xs}, lazy.VmapOptions{})
		} else {
			ys = lazy.Map(f, xs)
		}
		ys = append(ys, r.Uniform(tr, lazy.F32, 4))
		require.NoError(t, tr.MarkStep(ys...))
		for _, y := range ys {
			all = append(all, floats(t, y))
		}
		return all
	}
	got := run(true)
	require.Equal(t, run(false), got)
	require.NotEqual(t, got[0][:3], got[0][3:])
}

// With a number of examples that is open, one program serves all numbers.
func TestVmapOpenSizes(t *testing.T) {
	trials.Sequential(t)
	ctx := context.Background()
	for _, c := range vmapCases {
		t.Run(c.name, func(t *testing.T) {
			dev := open(t, "eval")
			vmap := lazy.Func(dev, func(tr *lazy.Trace, xs []*lazy.Tensor) []*lazy.Tensor {
				return lazy.Vmap(func(tr *lazy.Trace, xs []*lazy.Tensor) []*lazy.Tensor { return c.f(tr, xs[0], xs[1]) }, xs, lazy.VmapOptions{In: []int{0, lazy.Unbatched}})
			})
			exported, err := vmap.Export([]lazy.Input{{Name: "x", Type: types.Of(lazy.F64, lazy.Dim("batch", 1, 64), 2, 3)}, {Name: "w", Type: types.Of(lazy.F64, 3)}})
			require.NoError(t, err)
			require.Contains(t, exported.Text, "?x2x3xf64")
			b, err := backends.Open("eval")
			require.NoError(t, err)
			exe, err := b.Compile(ctx, backends.NewModule(exported.Text), backends.Options{})
			require.NoError(t, err)
			for _, n := range []int{1, 2, 5} {
				tr := lazy.NewTrace(dev)
				x := lazy.Iota(tr, lazy.F64, 0, n*6).MulScalar(0.9).Sin().Reshape(n, 2, 3)
				w := lazy.From(tr, []float64{0.4, 0.7, -0.3})
				want := lazy.Map(func(tr *lazy.Trace, xs []*lazy.Tensor) []*lazy.Tensor { return c.f(tr, xs[0], w) }, x)
				require.NoError(t, tr.MarkStep(append(want, x)...))
				call := &backends.Call{Args: []soa.View{value(t, x), value(t, w)}, Results: make([]soa.View, len(want))}
				require.NoError(t, exe.Execute(ctx, call))
				for i, y := range want {
					d, err := samples.Differ(call.Results[i], value(t, y))
					require.NoError(t, err)
					require.LessOrEqual(t, d.Size, 1e-12, "%d examples, result %d", n, i)
				}
			}
		})
	}
}

// A product of each example with a matrix from outside is one product of all of them.
func TestVmapProgram(t *testing.T) {
	tr := lazy.NewTrace(open(t, "eval"))
	w := lazy.Zeros(tr, lazy.F32, 16, 32).AddScalar(1)
	xs := lazy.Zeros(tr, lazy.F32, 5, 16).AddScalar(1)
	y := lazy.Vmap(func(_ *lazy.Trace, xs []*lazy.Tensor) []*lazy.Tensor { return tensors{xs[0].MatMul(w).ReLU()} }, tensors{xs}, lazy.VmapOptions{})[0]
	require.NoError(t, tr.MarkStep(y))
	text := tr.StableHLO()
	require.Equal(t, 1, strings.Count(text, "stablehlo.dot_general"), text)
	require.Contains(t, text, "(tensor<5x16xf32>, tensor<16x32xf32>) -> tensor<5x32xf32>", text)
	require.NotContains(t, text, "while", text)
}

// A step that records the same again compiles nothing, in every mode of a device.
func TestVmapSteps(t *testing.T) {
	for _, o := range [][]lazy.Option{nil, {lazy.OpByOp()}, {lazy.CheckNaNs(true)}, {lazy.CheckIndices(true)}, {lazy.Strict()}} {
		dev := open(t, "cpu", o...)
		tr := lazy.NewTrace(dev)
		w := dev.Variable("w", lazy.F32, 3, 2).Init(lazy.Constant(0.5))
		for step := range 4 {
			xs := lazy.From(tr, []float32{1, 2, 3, 4, 5, float32(step)}, 2, 3)
			g := lazy.Vmap(func(_ *lazy.Trace, xs []*lazy.Tensor) []*lazy.Tensor {
				y := xs[0].MatMul(w)
				return lazy.Grad(y.Mul(y).Sum(), w)
			}, tensors{xs}, lazy.VmapOptions{})[0]
			w.Sub_(g.Mean(0).MulScalar(0.001))
			require.NoError(t, tr.MarkStep(g))
			require.Len(t, floats(t, g), 12)
		}
		if len(o) == 0 || o[0] == nil {
			require.Len(t, tr.Report().Compiles, 1)
		}
	}
}

// CheckIndices finds the index of an example that does not exist, of a row that is taken and of one
// that is added to. It finds none among those that Vmap computes itself.
func TestVmapChecksIndices(t *testing.T) {
	dev := open(t, "eval", lazy.CheckIndices(true))
	for _, bad := range []float64{2, 7} {
		for name, f := range map[string]func(tr *lazy.Trace, x, i *lazy.Tensor) *lazy.Tensor{
			"gather":      func(_ *lazy.Trace, x, i *lazy.Tensor) *lazy.Tensor { return x.Gather(i) },
			"scatter_add": func(_ *lazy.Trace, x, i *lazy.Tensor) *lazy.Tensor { return x.ScatterAdd(i, i.Convert(lazy.F32)) },
			"gradient":    func(_ *lazy.Trace, x, i *lazy.Tensor) *lazy.Tensor { return lazy.Grad(x.Gather(i).Sum(), x)[0] },
			"vmap": func(_ *lazy.Trace, x, i *lazy.Tensor) *lazy.Tensor {
				return lazy.Vmap(func(_ *lazy.Trace, a []*lazy.Tensor) []*lazy.Tensor { return tensors{a[0].Gather(a[1])} },
					tensors{x.Unsqueeze(0).Mul(x.Unsqueeze(1)), i}, lazy.VmapOptions{})[0]
			},
			"dynamic_slice": func(_ *lazy.Trace, x, i *lazy.Tensor) *lazy.Tensor {
				return x.DynamicSlice([]int{2}, i.Max()).Add(x.DynamicUpdateSlice(x.Narrow(0, 0, 2), i.Max()).Narrow(0, 0, 2))
			},
		} {
			tr := lazy.NewTrace(dev)
			x := lazy.Iota(tr, lazy.F32, 0, 6).Reshape(2, 3)
			i := lazy.From(tr, []int32{0, 1, 2, 1, 0, int32(bad)}, 2, 3)
			y := lazy.Vmap(func(tr *lazy.Trace, xs []*lazy.Tensor) []*lazy.Tensor { return tensors{f(tr, xs[0], xs[1])} }, tensors{x, i}, lazy.VmapOptions{})[0]
			err := errors.Join(tr.MarkStep(y), tr.Wait(t.Context()))
			if bad < 3 || name == "dynamic_slice" {
				require.NoError(t, err, name)
				continue
			}
			require.ErrorIs(t, err, lazy.ErrIndex, name)
			require.ErrorContains(t, err, "the index at [1 2] is 7, but there are 3 to choose from, 0 to 2", name)
		}
	}
}
