package lazy_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/lazy"
)

// watchers are the backends that checks of data are tried on.
var watchers = []string{"eval", "cpu"}

// training returns a variable, and what says that a failed step has left it as it was.
func training(t *testing.T, d *lazy.Device) (*lazy.Trace, *lazy.Tensor, func(step func(w *lazy.Tensor), want string, is error)) {
	tr := lazy.NewTrace(d)
	w := lazy.SetValues(d.Variable("w", lazy.F32, 4, 3), []float32{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12})
	return tr, w, func(step func(w *lazy.Tensor), want string, is error) {
		t.Helper()
		before := floats(t, w)
		step(w)
		err := tr.MarkStep()
		if err == nil {
			err = tr.Wait(t.Context())
		}
		require.ErrorContains(t, err, want)
		require.ErrorIs(t, err, is)
		require.Equal(t, before, floats(t, w))
	}
}

func TestIndicesOutOfRangeAreFound(t *testing.T) {
	for _, name := range watchers {
		t.Run(name, func(t *testing.T) {
			d := open(t, name, lazy.CheckIndices(true))
			tr, w, fails := training(t, d)
			ints := func(x ...int32) *lazy.Tensor { return lazy.From(tr, x) }
			fails(func(w *lazy.Tensor) { w.Sub_(w.Gather(ints(0, 3, 4, 9))) },
				"guard_test.go:39: gather(f32[4,3], i32[4]): the index at [2] is 4, but there are 4 to choose from, 0 to 3", lazy.ErrIndex)
			fails(func(w *lazy.Tensor) { w.Sub_(w.Gather(ints(0, 3, -2, 0).AddScalar(1))) }, // computed
				"guard_test.go:41: gather(f32[4,3], i32[4]): an index is -1, but there are 4 to choose from, 0 to 3", lazy.ErrIndex)
			fails(func(w *lazy.Tensor) { w.Assign(w.ScatterAdd(ints(-1), lazy.Ones(tr, lazy.F32, 1, 3))) },
				"guard_test.go:43: scatter_add(f32[4,3], i32[1], f32[1,3]): the index at [0] is -1", lazy.ErrIndex)
			fails(func(w *lazy.Tensor) {
				loss := tr.Read(w).CrossEntropy(ints(0, 1, 3, 2))
				w.Sub_(lazy.Grad(loss, w)[0])
			}, "guard_test.go:46: cross_entropy(f32[4,3], i32[4]): the label at [2] is 3, but the classes are 0 to 2; correct the labels: data.CheckLabels finds the rows", lazy.ErrIndex)
			fails(func(w *lazy.Tensor) { w.Sub_(ints(0, 0, 0, 7).OneHot(3, lazy.F32)) },
				"guard_test.go:49: one_hot(i32[4]): the index at [3] is 7", lazy.ErrIndex)

			// The same program, of another line.
			fails(func(w *lazy.Tensor) { w.Sub_(ints(0, 0, 0, 7).OneHot(3, lazy.F32)) }, "guard_test.go:53: one_hot", lazy.ErrIndex)

			// Of a Func, too, and what exists is found.
			f := lazy.Func(d, func(tr *lazy.Trace, i *lazy.Tensor) *lazy.Tensor { return tr.Read(w).Gather(i).Sum() })
			_, err := f.Call(t.Context(), lazy.From(d, []int32{5}))
			require.ErrorIs(t, err, lazy.ErrIndex)
			y, err := f.Call(t.Context(), lazy.From(d, []int32{3}))
			require.NoError(t, err)
			require.Equal(t, 33.0, y.Float())

			// Nothing but that is different.
			free := open(t, name, lazy.CheckIndices(false))
			both := func(d *lazy.Device) []float32 {
				tr := lazy.NewTrace(d)
				w := lazy.SetValues(d.Variable("w", lazy.F32, 4, 3), []float32{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12})
				w.Sub_(lazy.Grad(tr.Read(w).CrossEntropy(lazy.From(tr, []int32{2, 1, 0, 1})), w)[0])
				require.NoError(t, tr.MarkStep())
				return floats(t, w)
			}
			require.Equal(t, both(free), both(d))
		})
	}
}

func TestFirstNaNIsFound(t *testing.T) {
	for _, name := range watchers {
		t.Run(name, func(t *testing.T) {
			d := open(t, name, lazy.CheckNaNs(true))
			tr, _, fails := training(t, d)
			fails(func(w *lazy.Tensor) {
				shifted := tr.Read(w).AddScalar(-5)
				l := shifted.Log() // -4 at [0 0]
				w.Sub_(l.Exp())
			}, "guard_test.go:84: log(f32[4,3]): the element at [0 0] is NaN, and is made of finite values: -4", lazy.ErrNaN)
			// Where a mask hides it, too: gradients go through it.
			fails(func(w *lazy.Tensor) {
				x := tr.Read(w).AddScalar(-1)
				y := lazy.Ones(tr, lazy.F32, 4, 3).Div(x)
				w.Assign(x.Equal(lazy.Full(tr, lazy.F32, 0)).Where(x, y))
			}, "guard_test.go:90: div(f32[4,3], f32[4,3]): the element at [0 0] is +Inf, and is made of finite values: 1, 0", lazy.ErrNaN)
			// What a gradient makes has the line of the op that it is the gradient of.
			fails(func(w *lazy.Tensor) {
				y := tr.Read(w).AddScalar(-1).Sqrt()
				w.Sub_(lazy.Grad(y.AddScalar(1).Sum(), w)[0])
			}, "guard_test.go:95: div(f32[4,3], f32[4,3]): the element at [0 0] is +Inf", lazy.ErrNaN)
			fails(func(w *lazy.Tensor) { w.Assign(tr.Read(w).MulScalar(2e37).Sum(0).BroadcastTo(4, 3)) },
				"guard_test.go:98: sum(f32[4,3]): the element at [0] is +Inf", lazy.ErrNaN)
			fails(func(w *lazy.Tensor) { w.Assign(tr.Read(w).AddScalar(200).MulScalar(1e38)) }, "guard_test.go:100: mul", lazy.ErrNaN)

			// What is not finite already, or meant to be, is no mistake.
			inf := lazy.Full(tr, lazy.F32, math.Inf(-1), 4, 3)
			x := lazy.From(tr, []float32{float32(math.NaN()), 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}, 4, 3)
			mask := x.Greater(lazy.Full(tr, lazy.F32, 4))
			y := mask.Where(inf, x).Softmax(-1).Add(x)
			require.NoError(t, tr.MarkStep(y))
			require.NoError(t, tr.Wait(t.Context()))
		})
	}
}

func TestNothingsLargestIsNoMistake(t *testing.T) {
	for _, name := range watchers {
		t.Run(name, func(t *testing.T) {
			tr := lazy.NewTrace(open(t, name, lazy.CheckNaNs(true)))
			none := lazy.From(tr, []float32{}, 2, 0)
			window := lazy.From(tr, []float32{1, 2}, 1, 1, 2).MaxPool([]int{1}, lazy.PoolOptions{Padding: [][2]int{{1, 0}}}) // the first is of padding alone
			most, least := none.Max(1), none.Min(1)
			require.NoError(t, tr.MarkStep(most, least, window))
			require.NoError(t, tr.Wait(t.Context()))
			inf := float32(math.Inf(1))
			require.Equal(t, []float32{-inf, -inf}, floats(t, most))
			require.Equal(t, []float32{inf, inf}, floats(t, least))
			require.Equal(t, []float32{-inf, 1, 2}, floats(t, window))
			err := tr.MarkStep(lazy.From(tr, []float32{}, 2, 0).Mean(1)) // 0/0
			if err == nil {
				err = tr.Wait(t.Context())
			}
			require.ErrorIs(t, err, lazy.ErrNaN)
			require.ErrorContains(t, err, "the element at [0] is NaN")
		})
	}
}

func TestArgumentsThatHaveNaNsAreWarnedOf(t *testing.T) {
	var log logged
	d := open(t, "eval", lazy.CheckNaNs(true), logTo(&log))
	tr := lazy.NewTrace(d)
	nan := float32(math.NaN())
	for range 3 {
		x := lazy.From(tr, []float32{1, 2, 3, 4, nan, nan}, 3, 2).Named("x")
		w := lazy.From(tr, []float32{float32(math.Inf(1))}) // meant to be, perhaps
		y := x.Exp().Mul(w)
		require.NoError(t, tr.MarkStep(y))
		require.NoError(t, tr.Wait(t.Context()))
	}
	warned := log.of("WARN argument")
	require.Len(t, warned, 1)
	require.Regexp(t, `WARN argument x f32\[3,2\] has NaNs device=eval at=guard_test.go:\d+ first=\[2 0\] do=`, warned[0])
}

func TestIndicesOfGradientsAreFound(t *testing.T) {
	for _, name := range watchers {
		t.Run(name, func(t *testing.T) {
			d := open(t, name, lazy.CheckIndices(true))
			tr := lazy.NewTrace(d)
			v := lazy.SetValues(d.Variable("v", lazy.F32, 3), []float32{1, 2, 3})
			w := lazy.SetValues(d.Variable("w", lazy.F32, 3, 2), []float32{1, 2, 3, 4, 5, 6})
			bad := lazy.From(d, []int32{3, -1, 5})
			fails := func(g *lazy.Tensor, want string) {
				t.Helper()
				err := tr.MarkStep(g)
				if err == nil {
					err = tr.Wait(t.Context())
				}
				require.ErrorIs(t, err, lazy.ErrIndex)
				require.ErrorContains(t, err, want)
			}
			// The loss is no root, so that the gather itself is not run.
			fails(lazy.Grad(v.Gather(tr.Read(bad)).Sum(), v)[0],
				"guard_test.go:171: gather(f32[3], i32[3]): the index at [0] is 3, but there are 3 to choose from, 0 to 2")
			fails(lazy.Grad(w.Gather(tr.Read(bad).AddScalar(-1)).Sum(), w)[0], // computed
				"guard_test.go:173: gather(f32[3,2], i32[3]): an index is -2")
			fails(lazy.Grad(w.Gather(tr.Read(bad)).Gather(lazy.From(tr, []int64{0, 7})).Sum(), w)[0], // of a gather
				"guard_test.go:175: gather(f32[3,2], i64[2]): the index at [1] is 7")
			fails(lazy.Grad(lazy.Grad(w.Gather(tr.Read(bad)).Mul(w).Sum(), w)[0].Sum(), w)[0], // of a gradient
				"guard_test.go:177: gather(f32[3,2], i32[3]): the index at [0] is 3")
			fails(lazy.Grad(w.CrossEntropy(tr.Read(bad)), w)[0], "guard_test.go:179: cross_entropy(f32[3,2], i32[3]): the label at [0] is 3")
			fails(lazy.Grad(tr.Read(bad).OneHot(2, lazy.F32).Mul(w).Sum(), w)[0], "guard_test.go:180: one_hot(i32[3]): the index at [0] is 3")
			u := lazy.From(tr, []float32{1, 2, 3})
			fails(lazy.Grad(v.ScatterAdd(tr.Read(bad), u).Mul(v).Sum(), u)[0], "guard_test.go:182: gather(f32[3], i32[3]): the index at [0] is 3")

			// A caller's own clamp is no gather's.
			inside := tr.Read(bad).Maximum(lazy.Zeros(tr, lazy.I32)).Minimum(lazy.Full(tr, lazy.I32, 2))
			g := lazy.Grad(v.Gather(inside).Sum(), v)[0]
			require.NoError(t, tr.MarkStep(g))
			require.Equal(t, []float32{1, 0, 2}, floats(t, g))
		})
	}
}

// LTC_CHECK_NANS=1 is CheckNaNs.
func TestEnvironmentSwitchesChecksOn(t *testing.T) {
	fails := func(f func(tr *lazy.Trace) *lazy.Tensor) error {
		tr := lazy.NewTrace(open(t, "cpu"))
		if err := tr.MarkStep(f(tr)); err != nil {
			return err
		}
		return tr.Wait(t.Context())
	}
	log := func(tr *lazy.Trace) *lazy.Tensor { return lazy.From(tr, []float32{-1}).Log() }
	require.NoError(t, fails(log))
	t.Setenv("LTC_CHECK_NANS", "1")
	require.ErrorIs(t, fails(log), lazy.ErrNaN)
}

// What makes the first NaN within control flow is the op of the closure, with the iteration of its loop.
func TestFirstNaNOfControlFlowIsFound(t *testing.T) {
	for _, name := range watchers {
		t.Run(name, func(t *testing.T) {
			tr := lazy.NewTrace(open(t, name, lazy.CheckNaNs(true)))
			x := func(v ...float32) *lazy.Tensor { return lazy.From(tr, v) }
			fails := func(y *lazy.Tensor, want string) {
				t.Helper()
				err := tr.MarkStep(y)
				if err == nil {
					err = tr.Wait(t.Context())
				}
				require.ErrorIs(t, err, lazy.ErrNaN)
				require.Regexp(t, `^step \d+: guard_test\.go:`+want+"$", err.Error())
			}
			down := func(_ *lazy.Trace, s, xs []*lazy.Tensor) (next, ys []*lazy.Tensor) {
				y := s[0].Sub(xs[0])
				return tensors{y}, tensors{y.Sqrt()}
			}
			_, ys := lazy.Scan(down, tensors{x(3)}, tensors{lazy.From(tr, []float32{1, 2, 1, 1}, 4, 1)}, lazy.ScanOptions{})
			fails(ys[0], `\d+: sqrt\(f32\[1\]\): the element at \[0\] is NaN, and is made of finite values: -1; in iteration 2 of the loop at guard_test.go:\d+`)
			_, ys = lazy.Scan(down, tensors{x(3)}, tensors{lazy.From(tr, []float32{1, 2, 1, 1}, 4, 1)}, lazy.ScanOptions{Reverse: true})
			fails(ys[0], `\d+: sqrt\(f32\[1\]\): .*: -1; in iteration 2 of the loop at guard_test.go:\d+`)
			fails(lazy.While(func(_ *lazy.Trace, s []*lazy.Tensor) *lazy.Tensor { return s[0].Max().LessScalar(1e30) },
				func(_ *lazy.Trace, s []*lazy.Tensor) []*lazy.Tensor { return tensors{s[0].MulScalar(1e15).Exp()} }, x(1e-15))[0],
				`\d+: exp\(f32\[1\]\): the element at \[0\] is \+Inf, .*; in iteration 1 of the loop at guard_test.go:\d+`)
			y := x(2, 3)
			fails(lazy.If(y.Sum().GreaterScalar(4), func(*lazy.Trace) []*lazy.Tensor { return tensors{y.Neg().Log()} },
				func(*lazy.Trace) []*lazy.Tensor { return tensors{y} })[0],
				`\d+: log\(f32\[2\]\): the element at \[0\] is NaN, and is made of finite values: -2`)
		})
	}
}
