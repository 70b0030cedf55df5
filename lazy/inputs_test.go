package lazy_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/ir/types"
	"ltc/lazy"
	"ltc/soa"
)

// batches are inputs of two open sizes.
func batches() lazy.Input {
	return lazy.Input{Name: "x", Type: types.Of(lazy.F32, lazy.Dim("batch", 1, 64), lazy.Dim("seq", 1, 32))}
}

// Sizes that Go code computes in several operations have one program, and so have those that only functions
// of sizes can say.
func TestInputsOfComputedSizes(t *testing.T) {
	for name, size := range map[string]func(b, s int) int{
		"operators of Go":    func(b, s int) int { return b*s - b/2 },
		"parts":              func(b, s int) int { return b * 3 / 4 },
		"rounded up":         func(b, s int) int { return (b+1)/2 + (s+2)/3 },
		"at least":           func(b, s int) int { return max(b, 16) },
		"functions of sizes": func(b, s int) int { return lazy.SizeDiv(lazy.SizeMul(b, s), lazy.SizeAdd(b, s)) },
		"of several": func(b, s int) int {
			return lazy.SizeMax(lazy.SizeMin(lazy.SizeMul(5, b), lazy.SizeMul(7, s)), lazy.SizeSub(40, b))
		},
	} {
		t.Run(name, func(t *testing.T) {
			dev := open(t, "cpu", lazy.Compiled())
			f := lazy.Func(dev, func(tr *lazy.Trace, x *lazy.Tensor) *lazy.Tensor {
				return lazy.Ones(tr, lazy.F32, size(x.Dim(0), x.Dim(1))).Add(x.Sum())
			})
			require.NoError(t, f.Inputs(batches()))
			for _, n := range [][2]int{{64, 32}, {7, 8}, {8, 7}, {33, 31}, {6, 3}, {12, 12}} {
				y, err := f.Call(t.Context(), lazy.From(dev, make([]float32, n[0]*n[1]), n[0], n[1]))
				require.NoError(t, err)
				require.Equal(t, []int{size(n[0], n[1])}, []int(y.Shape()), "%v", n)
			}
			require.EqualValues(t, 1, f.Report().Compiled)
		})
	}
}

// A function may have a dimension of a fixed size that an open one can be as well, and data of the host
// of which there is more for another size.
func TestInputsBesideNumbers(t *testing.T) {
	dev := open(t, "cpu", lazy.Compiled())
	n := lazy.Dim("n", 1, 9)
	f := lazy.Func(dev, func(tr *lazy.Trace, xs []*lazy.Tensor) []*lazy.Tensor {
		x, i := xs[0], xs[1]
		pairs := x.Dim(1) * (x.Dim(1) - 1) / 2
		return []*lazy.Tensor{x.Index(i, i), lazy.From(tr, make([]float32, pairs), pairs).Exp()}
	})
	require.NoError(t, f.Inputs(lazy.Input{Name: "x", Type: types.Of(lazy.F32, 4, n)}, lazy.Input{Name: "i", Type: types.Of(lazy.I32, 4, n)}))
	for _, n := range []int{3, 9, 2, 5} {
		x, i := lazy.From(dev, make([]float32, 4*n), 4, n), lazy.From(dev, make([]int32, 4*n), 4, n)
		ys, err := f.CallAll(t.Context(), x, i)
		require.NoError(t, err)
		require.Equal(t, []int{4, n}, []int(ys[0].Shape()))
		require.Equal(t, []int{n * (n - 1) / 2}, []int(ys[1].Shape()))
	}
	require.EqualValues(t, 1, f.Report().Compiled)
}

// Draws for an open size have one program, though draws of few numbers and of whole blocks are recorded with fewer
// ops. They are the numbers of programs of fixed sizes.
func TestInputsOfDraws(t *testing.T) {
	for name, draw := range map[string]func(r *lazy.Random, x *lazy.Tensor) *lazy.Tensor{
		"uniform":   func(r *lazy.Random, x *lazy.Tensor) *lazy.Tensor { return r.Uniform(x.Trace(), lazy.F32, x.Dim(0)) },
		"uniform64": func(r *lazy.Random, x *lazy.Tensor) *lazy.Tensor { return r.Uniform(x.Trace(), lazy.F64, x.Dim(0)) },
		"normal": func(r *lazy.Random, x *lazy.Tensor) *lazy.Tensor {
			return r.Normal(x.Trace(), lazy.F32, 1, 2, x.Dim(0))
		},
		"normal64": func(r *lazy.Random, x *lazy.Tensor) *lazy.Tensor {
			return r.Normal(x.Trace(), lazy.F64, 1, 2, x.Dim(0))
		},
		"bernoulli": func(r *lazy.Random, x *lazy.Tensor) *lazy.Tensor { return r.Bernoulli(x.Trace(), 0.5, x.Dim(0)) },
		"dropout":   func(r *lazy.Random, x *lazy.Tensor) *lazy.Tensor { return r.Dropout(x, 0.5) },
		"two":       func(r *lazy.Random, x *lazy.Tensor) *lazy.Tensor { return r.Dropout(r.Dropout(x, 0.25), 0.25) },
		"dropout and normal": func(r *lazy.Random, x *lazy.Tensor) *lazy.Tensor {
			return r.Dropout(x, 0.5).Add(r.Normal(x.Trace(), lazy.F32, 0, 1, x.Dim(0)))
		},
	} {
		for _, most := range []int{64, 100_000} {
			t.Run(fmt.Sprint(name, most), func(t *testing.T) {
				dev, static := open(t, "cpu", lazy.Compiled()), open(t, "eval", lazy.StaticShapes())
				function := func(d *lazy.Device) *lazy.Function {
					r := lazy.NewRandom(d, 7)
					return lazy.Func(d, func(_ *lazy.Trace, x *lazy.Tensor) *lazy.Tensor {
						return draw(r, x).Convert(lazy.F64).Add(x.Convert(lazy.F64))
					})
				}
				f, numbers := function(dev), function(static)
				require.NoError(t, f.Inputs(lazy.Input{Name: "x", Type: types.Of(lazy.F32, lazy.Dim("n", 1, most))}))
				for _, n := range []int{17, 5, 4, 3, 1, 64, 2, 8, 6} {
					y, err := f.Call(t.Context(), lazy.From(dev, sequence(n), n))
					require.NoError(t, err)
					want, err := numbers.Call(t.Context(), lazy.From(static, sequence(n), n))
					require.NoError(t, err)
					require.Equal(t, bits(t, want), bits(t, y), n)
				}
				require.EqualValues(t, 1, f.Report().Compiled)
			})
		}
	}
}

// Draws for two open sizes have one program, whichever remainders of 4 their products leave.
func TestInputsOfDrawsOfTwoSizes(t *testing.T) {
	for _, most := range [][2]int{{100, 65}, {64, 64}, {100_000, 100_000}} {
		dev, static := open(t, "cpu", lazy.Compiled()), open(t, "eval", lazy.StaticShapes())
		function := func(d *lazy.Device) *lazy.Function {
			r := lazy.NewRandom(d, 7)
			return lazy.Func(d, func(_ *lazy.Trace, x *lazy.Tensor) *lazy.Tensor {
				return r.Dropout(x, 0.5).Add(r.Normal(x.Trace(), lazy.F32, 0, 1, x.Dim(0), x.Dim(1))).Mul(r.Normal(x.Trace(), lazy.F32, 0, 1, x.Dim(1)))
			})
		}
		f, numbers := function(dev), function(static)
		require.NoError(t, f.Inputs(lazy.Input{Name: "x", Type: types.Of(lazy.F32, lazy.Dim("a", 1, most[0]), lazy.Dim("b", 1, most[1]))}))
		for _, n := range [][2]int{{5, 5}, {5, 6}, {5, 7}, {7, 8}, {6, 3}, {2, 7}, {1, 9}} {
			y, err := f.Call(t.Context(), lazy.From(dev, sequence(n[0]*n[1]), n[0], n[1]))
			require.NoError(t, err, most)
			want, err := numbers.Call(t.Context(), lazy.From(static, sequence(n[0]*n[1]), n[0], n[1]))
			require.NoError(t, err)
			require.Equal(t, bits(t, want), bits(t, y), "%v of %v", n, most)
		}
		require.EqualValues(t, 1, f.Report().Compiled, most)
	}
}

// Complex numbers whose size follows from data have one program as well: between its stages they are parts.
func TestInputsOfSelectedComplexNumbers(t *testing.T) {
	dev := open(t, "cpu", lazy.Compiled())
	n := lazy.Dim("n", 1, 9)
	f := lazy.Func(dev, func(tr *lazy.Trace, x, mask *lazy.Tensor) *lazy.Tensor { return x.MaskedSelect(mask).Neg() })
	require.NoError(t, f.Inputs(lazy.Input{Name: "x", Type: types.Of(lazy.C64, n)}, lazy.Input{Name: "mask", Type: types.Of(lazy.Bool, n)}))
	for _, n := range []int{3, 9, 2} {
		x, mask := make([]complex64, n), make([]bool, n)
		var want []complex64
		for i := range x {
			if x[i], mask[i] = complex(float32(i), -1), i%2 == 0; mask[i] {
				want = append(want, -x[i])
			}
		}
		y, err := f.Call(t.Context(), lazy.From(dev, x, n), lazy.From(dev, mask, n))
		require.NoError(t, err)
		got, err := lazy.ToSlice[complex64](y)
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
	require.EqualValues(t, 1, f.Report().Compiled)
}

// A size that no expression of few samples is has an error that says where, and what to write.
func TestInputsWithoutAnExpression(t *testing.T) {
	dev := open(t, "cpu")
	f := lazy.Func(dev, func(tr *lazy.Trace, x *lazy.Tensor) *lazy.Tensor {
		b, s := x.Dim(0), x.Dim(1)
		return lazy.Zeros(tr, lazy.F32, b*s/(b+s))
	})
	require.NoError(t, f.Inputs(batches()))
	_, err := f.Call(t.Context(), lazy.From(dev, sequence(6), 2, 3))
	require.Error(t, err)
	require.Regexp(t, `inputs_test\.go:\d+: broadcast: the sizes \d+, \d+ and \d+ follow from no sizes of the arguments: batch is .*; seq is .*; there, compute a size from x\.Dim\(i\) by SizeAdd, `, err.Error())
}

// needing are functions that need sizes of their arguments to be equal, or one to be a multiple.
var needing = []struct {
	name  string
	in    []lazy.Input
	fn    func(tr *lazy.Trace, x []*lazy.Tensor) []*lazy.Tensor
	good  [][][]int // shapes
	bad   [][]int
	guard string // of the exported text
	fails string // a call of the function for bad sizes
	run   string // and a run of the text
}{
	{
		name: "a sum",
		in: []lazy.Input{
			{Name: "x", Type: types.Of(lazy.F32, lazy.Dim("a", 1, 64), 3)},
			{Name: "y", Type: types.Of(lazy.F32, lazy.Dim("b", 0, 100), 3)},
		},
		fn: func(_ *lazy.Trace, x []*lazy.Tensor) []*lazy.Tensor {
			return []*lazy.Tensor{x[0].Add(x[1].Tanh()).Sum(0)}
		},
		good:  [][][]int{{{5, 3}, {5, 3}}, {{64, 3}, {64, 3}}, {{2, 3}, {2, 3}}},
		bad:   [][]int{{5, 3}, {7, 3}},
		guard: `inputs_test\.go:\d+: add: [ab] should be [ab]`,
		fails: `inputs_test\.go:\d+: add\(f32\[5,3\], f32\[7,3\]\): shapes do not broadcast`,
		run:   `inputs_test\.go:\d+.*: add: [ab] should be [ab], and [ab] is [57], [ab] is [57]`,
	},
	{
		name: "rows in pairs",
		in:   []lazy.Input{{Name: "x", Type: types.Of(lazy.F32, lazy.Dim("n", 1, 100), 8)}},
		fn: func(_ *lazy.Trace, x []*lazy.Tensor) []*lazy.Tensor {
			return []*lazy.Tensor{x[0].Reshape(-1, 16).Exp().Sum(1), x[0].Tanh()}
		},
		good:  [][][]int{{{2, 8}}, {{64, 8}}, {{100, 8}}},
		bad:   [][]int{{7, 8}},
		guard: `inputs_test\.go:\d+: reshape: 8\*n should be a multiple of 16`,
		fails: `inputs_test\.go:\d+: reshape\(f32\[7,8\]\): no dimension in place of -1 makes 56 elements`,
		run:   `inputs_test\.go:\d+.*: reshape: 8\*n should be a multiple of 16: n should be a multiple of 2, and n is 7`,
	},
	{
		name: "both",
		in: []lazy.Input{
			{Name: "x", Type: types.Of(lazy.F32, lazy.Dim("n", 1, 100), 2)},
			{Name: "y", Type: types.Of(lazy.F32, lazy.Dim("m", 1, 100), 2)},
		},
		fn: func(_ *lazy.Trace, x []*lazy.Tensor) []*lazy.Tensor {
			half := lazy.SizeDiv(x[0].Dim(0), 2)
			return []*lazy.Tensor{x[0].Reshape(half, 4).MatMul(x[1].Reshape(4, half))}
		},
		good:  [][][]int{{{2, 2}, {2, 2}}, {{64, 2}, {64, 2}}, {{6, 2}, {6, 2}}},
		bad:   [][]int{{6, 2}, {8, 2}},
		guard: `inputs_test\.go:\d+: reshape: 2\*n should be 4\*floor\(n / 2\)`,
		fails: `inputs_test\.go:\d+: reshape\(f32\[8,2\]\): `,
		run:   `inputs_test\.go:\d+.*: reshape: .* should be .*, and m is 8, 2\*\(n/2\) is 6`,
	},
}

// What ops need of the sizes of arguments is found, and said with the op's line, when a function is recorded.
// Calls of other sizes are errors of the op.
func TestInputsThatOpsNeed(t *testing.T) {
	for _, c := range needing {
		t.Run(c.name, func(t *testing.T) {
			dev, exact := open(t, "cpu", lazy.Compiled()), open(t, "eval", lazy.StaticShapes())
			f := lazy.Func(dev, c.fn)
			require.NoError(t, f.Inputs(c.in...))
			require.NoError(t, f.Warmup(t.Context()))
			call := func(f *lazy.Function, d *lazy.Device, shapes [][]int) ([]*lazy.Tensor, error) {
				var x []*lazy.Tensor
				for _, s := range shapes {
					x = append(x, lazy.From(d, sequence(s[0]*s[1]), s...))
				}
				return f.CallAll(t.Context(), x...)
			}
			for _, shapes := range c.good {
				y, err := call(f, dev, shapes)
				require.NoError(t, err)
				want, err := call(lazy.Func(exact, c.fn), exact, shapes)
				require.NoError(t, err)
				for i := range want {
					require.Equal(t, want[i].Shape(), y[i].Shape())
					require.InDeltaSlice(t, floats(t, want[i]), floats(t, y[i]), 1e-4, "%v", shapes)
				}
			}
			require.EqualValues(t, 1, f.Report().Compiled)
			_, err := call(f, dev, c.bad)
			require.Error(t, err)
			require.Regexp(t, c.fails, err.Error())
			require.ErrorIs(t, err, lazy.ErrType)
		})
	}
}

// An exported text has what ops need of sizes, is compiled once for all of these, and its runs of others are
// errors at the op's line.
func TestExportOfWhatOpsNeed(t *testing.T) {
	for _, c := range needing {
		t.Run(c.name, func(t *testing.T) {
			dev := open(t, "eval")
			f := lazy.Func(dev, c.fn)
			exported, err := f.Export(c.in)
			require.NoError(t, err)
			require.NotEmpty(t, exported.Guards)
			require.Regexp(t, "^"+c.guard+"$", exported.Guards[0])
			for _, in := range c.in {
				require.Contains(t, exported.Text, in.Name)
			}
			b, err := backends.Open("cpu")
			require.NoError(t, err)
			e, err := b.Compile(t.Context(), backends.NewModule(exported.Text), backends.Options{Compiled: true})
			require.NoError(t, err, exported.Text)
			run := func(shapes [][]int) ([]soa.View, error) {
				call := &backends.Call{}
				for _, s := range shapes {
					call.Args = append(call.Args, soa.Make(types.Of(lazy.F32, s...)))
					copy(soa.Slice[float32](call.Args[len(call.Args)-1]), sequence(s[0]*s[1]))
				}
				return call.Results, e.Execute(t.Context(), call)
			}
			for _, shapes := range c.good {
				var x []*lazy.Tensor
				for _, s := range shapes {
					x = append(x, lazy.From(dev, sequence(s[0]*s[1]), s...))
				}
				want, err := lazy.Func(dev, c.fn).CallAll(t.Context(), x...)
				require.NoError(t, err)
				got, err := run(shapes)
				require.NoError(t, err)
				for i := range want {
					require.InDeltaSlice(t, floats(t, want[i]), soa.Slice[float32](got[i]), 1e-4, "%v", shapes)
				}
			}
			_, err = run(c.bad)
			require.Error(t, err)
			require.Regexp(t, c.run, err.Error())
		})
	}
}

// A size that a text cannot tell is an error that names the line of the op that asks for it.
func TestExportedSizeBeyondI32(t *testing.T) {
	f := lazy.Func(open(t, "eval"), func(_ *lazy.Trace, x *lazy.Tensor) *lazy.Tensor {
		return x.Size(0).Add(x.Size(0))
	})
	exported, err := f.Export([]lazy.Input{{Name: "x", Type: types.Of(lazy.F32, lazy.Dim("n", 1, 1<<40), 0)}})
	require.NoError(t, err)
	for _, backend := range []string{"eval", "cpu"} {
		b, err := backends.Open(backend)
		require.NoError(t, err)
		e, err := b.Compile(t.Context(), backends.NewModule(exported.Text), backends.Options{})
		require.NoError(t, err)
		err = e.Execute(t.Context(), &backends.Call{Args: []soa.View{soa.Make(types.Of(lazy.F32, 1<<31, 0))}})
		require.Error(t, err)
		require.Regexp(t, `inputs_test\.go:\d+.*get_dimension_size.*dimension 0 is 2147483648, which is no i32`, err.Error())
	}
}

// An op that no result uses is not in the text, and its rule is.
func TestExportOfUnusedNeeds(t *testing.T) {
	f := lazy.Func(open(t, "eval"), func(_ *lazy.Trace, x *lazy.Tensor) *lazy.Tensor { return x.Reshape(-1, 2).Size(0) })
	exported, err := f.Export([]lazy.Input{{Name: "x", Type: types.Of(lazy.F32, lazy.Dim("n", 1, 100))}})
	require.NoError(t, err)
	require.Len(t, exported.Guards, 1)
	for _, backend := range []string{"eval", "cpu"} {
		n, err := runExported(t, backend, exported.Text, 6)
		require.NoError(t, err)
		require.Equal(t, []int64{3}, soa.Slice[int64](n))
		_, err = runExported(t, backend, exported.Text, 7)
		require.ErrorContains(t, err, "reshape: n should be a multiple of 2, and n is 7")
	}
}

// runExported runs a text of one argument, the numbers from 0 on, and one result.
func runExported(t *testing.T, backend, text string, n int) (soa.View, error) {
	t.Helper()
	b, err := backends.Open(backend)
	require.NoError(t, err)
	e, err := b.Compile(t.Context(), backends.NewModule(text), backends.Options{Compiled: backend == "cpu"})
	require.NoError(t, err)
	x := soa.Make(types.Of(lazy.F32, n))
	copy(soa.Slice[float32](x), sequence(n))
	call := &backends.Call{Args: []soa.View{x}}
	if err := e.Execute(t.Context(), call); err != nil {
		return soa.View{}, err
	}
	return call.Results[0], nil
}

// Ops whose operands are parts of one argument have the same size in a text, whatever the rule says: the text
// asserts the rule.
func TestExportAssertsWhatNoOpOfTheTextChecks(t *testing.T) {
	halves := func(x *lazy.Tensor) (a, b *lazy.Tensor) {
		h := lazy.SizeDiv(x.Dim(0), 2)
		return x.Narrow(0, 0, h), x.Narrow(0, h, lazy.SizeSub(x.Dim(0), h))
	}
	for name, fn := range map[string]func(tr *lazy.Trace, x *lazy.Tensor) *lazy.Tensor{
		"add": func(_ *lazy.Trace, x *lazy.Tensor) *lazy.Tensor {
			a, b := halves(x)
			return a.Add(b)
		},
		"matmul": func(_ *lazy.Trace, x *lazy.Tensor) *lazy.Tensor {
			a, b := halves(x)
			return a.MatMul(b)
		},
		"less": func(_ *lazy.Trace, x *lazy.Tensor) *lazy.Tensor {
			a, b := halves(x)
			return a.Less(b).Where(a, b)
		},
		"add of iota": func(tr *lazy.Trace, x *lazy.Tensor) *lazy.Tensor {
			h := lazy.SizeDiv(x.Dim(0), 2)
			return lazy.Iota(tr, lazy.F32, 0, h).Add(lazy.Iota(tr, lazy.F32, 0, lazy.SizeSub(x.Dim(0), h)))
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := lazy.Func(open(t, "eval"), func(tr *lazy.Trace, x *lazy.Tensor) *lazy.Tensor { return fn(tr, x) })
			exported, err := f.Export([]lazy.Input{{Name: "x", Type: types.Of(lazy.F32, lazy.Dim("n", 0, 100))}}, "y")
			require.NoError(t, err)
			op, _, _ := strings.Cut(name, " ")
			require.Len(t, exported.Guards, 1)
			require.Regexp(t, `^inputs_test\.go:\d+: `+op+`: `, exported.Guards[0])
			for _, backend := range []string{"eval", "cpu"} {
				_, err = runExported(t, backend, exported.Text, 8)
				require.NoError(t, err)
				for _, n := range []int{1, 7} {
					_, err = runExported(t, backend, exported.Text, n)
					require.Error(t, err, "%s of %d", backend, n)
					require.Regexp(t, fmt.Sprintf(`inputs_test\.go:\d+.*: %s: .* should be .*: n should be a multiple of 2, and n is %d`, op, n), err.Error())
				}
			}
		})
	}
}

// An op that is for a range of sizes has the range among the guards, and runs of others are errors of the op, as
// calls of the function are.
func TestExportedRanges(t *testing.T) {
	for _, c := range []struct {
		guard string // of the op
		bad   int
		good  int
		fn    func(tr *lazy.Trace, x *lazy.Tensor) *lazy.Tensor
	}{
		{"slice: 5 should be at most n", 4, 5, func(_ *lazy.Trace, x *lazy.Tensor) *lazy.Tensor { return x.Narrow(0, 2, 3) }},
		{"top_k: 3 should be at most n", 2, 3, func(_ *lazy.Trace, x *lazy.Tensor) *lazy.Tensor {
			y, _ := x.TopK(3, 0)
			return y
		}},
		{"broadcast: 0 should be at most n - 5", 4, 5, func(tr *lazy.Trace, x *lazy.Tensor) *lazy.Tensor {
			return lazy.Ones(tr, lazy.F32, lazy.SizeSub(x.Dim(0), 5))
		}},
		{"max_pool: 4*min(1, n) should be at most n", 3, 4, func(_ *lazy.Trace, x *lazy.Tensor) *lazy.Tensor {
			return x.Reshape(1, 1, -1).MaxPool([]int{4}, lazy.PoolOptions{}).Sum()
		}},
		{"conv: 4*min(1, n) should be at most n", 3, 4, func(tr *lazy.Trace, x *lazy.Tensor) *lazy.Tensor {
			return x.Reshape(1, 1, -1).Conv(lazy.Ones(tr, lazy.F32, 1, 1, 4), lazy.ConvOptions{}).Sum()
		}},
		{"argmax: 1 should be at most n", 0, 1, func(_ *lazy.Trace, x *lazy.Tensor) *lazy.Tensor { return x.ArgMax(0) }},
	} {
		op, _, _ := strings.Cut(c.guard, ":")
		t.Run(op, func(t *testing.T) {
			dev := open(t, "eval")
			f := lazy.Func(dev, c.fn)
			exported, err := f.Export([]lazy.Input{{Name: "x", Type: types.Of(lazy.F32, lazy.Dim("n", 0, 100))}}, "y")
			require.NoError(t, err)
			require.Len(t, exported.Guards, 1)
			require.Regexp(t, `^inputs_test\.go:\d+: `+regexp.QuoteMeta(c.guard)+"$", exported.Guards[0])
			_, err = f.Call(t.Context(), lazy.From(dev, sequence(c.bad)))
			require.ErrorIs(t, err, lazy.ErrType)
			for _, backend := range []string{"eval", "cpu"} {
				_, err = runExported(t, backend, exported.Text, c.good)
				require.NoError(t, err)
				_, err = runExported(t, backend, exported.Text, c.bad)
				require.Error(t, err, backend)
				require.Regexp(t, `inputs_test\.go:\d+.*: `+regexp.QuoteMeta(c.guard), err.Error())
			}
		})
	}
}
