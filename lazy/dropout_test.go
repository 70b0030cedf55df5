package lazy_test

import (
	"context"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/internal/trials"
	"ltc/ir/types"
	"ltc/lazy"
)

func TestDropout(t *testing.T) {
	trials.Sequential(t)
	n := trials.Of(50_000)
	for _, d := range []types.DType{lazy.F32, lazy.F64, lazy.F16, lazy.BF16} {
		for _, p := range []float64{0, 0.25, 0.5, 1} {
			run := func(f func(r *lazy.Random, tr *lazy.Trace, x *lazy.Tensor) *lazy.Tensor) []float64 {
				return drawn[float64](t, 7, func(r *lazy.Random, tr *lazy.Trace) *lazy.Tensor {
					y := f(r, tr, lazy.Full(tr, d, 3, n))
					require.Equal(t, types.Of(d, n), y.Type())
					return y.Convert(lazy.F64)
				})
			}
			ys := run(func(r *lazy.Random, _ *lazy.Trace, x *lazy.Tensor) *lazy.Tensor { return r.Dropout(x, p) })
			require.Equal(t, ys, run(func(r *lazy.Random, tr *lazy.Trace, x *lazy.Tensor) *lazy.Tensor {
				return r.DropoutOf(x, tr.Scalar("p", p))
			}), "as an argument")
			kept := 0
			for _, y := range ys {
				if y != 0 {
					kept++
					require.Equal(t, 3/(1-p), y, "%v %v", d, p) // exact in all dtypes but for 1/0.75
				}
			}
			require.InDelta(t, float64(n)*(1-p), kept, 4*math.Sqrt(float64(n)*p*(1-p)), "%v, p = %v", d, p)
		}
	}
}

// The gradient is 1/(1-p) where the element is left and 0 where it is not, and
// a finite one whatever the elements are.
func TestDropoutGradient(t *testing.T) {
	dev := open(t, "eval")
	for _, p := range []float64{0, 0.5, 1} {
		tr := lazy.NewTrace(dev)
		r := lazy.NewRandom(dev, 7)
		ones := lazy.From(tr, make([]float32, 64)).AddScalar(1)
		y := r.DropoutOf(ones, tr.Scalar("p", p))
		dx := lazy.Grad(y.Mul(y).Sum(), ones)[0] // 2 y times the mask's 1/(1-p)
		require.NoError(t, tr.MarkStep(y, dx))
		ys, dxs := floats(t, y), floats(t, dx)
		left := 0
		for i := range ys {
			if ys[i] != 0 {
				left++
			}
			require.Equal(t, 2*ys[i]*ys[i], dxs[i])
		}
		require.Equal(t, p == 1, left == 0)
		require.Equal(t, p == 0, left == len(ys))
	}
	// Infinities that are dropped leave nothing behind; p has no gradient.
	tr := lazy.NewTrace(dev)
	x, p := lazy.From(tr, []float32{float32(math.Inf(1)), float32(math.NaN())}), tr.Scalar("p", 1)
	y := lazy.NewRandom(dev, 7).DropoutOf(x, p)
	g := lazy.Grad(y.Sum(), x, p)
	require.NoError(t, tr.MarkStep(y, g[0], g[1]))
	require.Equal(t, []float32{0, 0}, floats(t, y))
	require.Equal(t, []float32{0, 0}, floats(t, g[0]))
	require.Equal(t, []float32{0}, floats(t, g[1]))
}

func TestDropoutOutsideOfRange(t *testing.T) {
	for p, want := range map[float64]float32{-1: 1, 2: 0, math.Inf(-1): 1} {
		for _, y := range drawn[float32](t, 7, func(r *lazy.Random, tr *lazy.Trace) *lazy.Tensor {
			return r.DropoutOf(lazy.Ones(tr, lazy.F32, 100), tr.Scalar("p", p))
		}) {
			require.Equal(t, want, y, "p = %v", p)
		}
	}
}

// https://github.com/pytorch/xla/issues/8636: a compiled function had its random
// numbers burned in.
func TestCompiledFunctionDrawsAnew(t *testing.T) {
	dev := open(t, "eval")
	r := lazy.NewRandom(dev, 1)
	f := lazy.Func(dev, func(_ *lazy.Trace, x *lazy.Tensor) *lazy.Tensor { return r.Dropout(x, 0.5) })
	seen := map[[32]float32]bool{}
	for range 5 {
		y, err := f.Call(context.Background(), lazy.From(dev, make32(1)))
		require.NoError(t, err)
		seen[[32]float32(floats(t, y))] = true
	}
	require.Len(t, seen, 5)
	require.Len(t, f.Report().Compiles, 1)
}

func make32(x float32) []float32 {
	xs := make([]float32, 32)
	for i := range xs {
		xs[i] = x
	}
	return xs
}

// https://github.com/pytorch/pytorch/issues/90097: what was compiled dropped
// other elements than what was not, in training.
func TestFunctionAndStepDropTheSame(t *testing.T) {
	dev := open(t, "eval")
	compiled, traced := lazy.NewRandom(dev, 3), lazy.NewRandom(dev, 3)
	model := func(tr *lazy.Trace, x *lazy.Tensor, r *lazy.Random) []*lazy.Tensor {
		y := r.Dropout(x.MulScalar(2), 0.1)
		return []*lazy.Tensor{y, lazy.Grad(y.Sum(), x)[0]}
	}
	f := lazy.Func(dev, func(tr *lazy.Trace, xs []*lazy.Tensor) []*lazy.Tensor { return model(tr, xs[0], compiled) })
	tr := lazy.NewTrace(dev)
	for range 3 {
		x := lazy.From(dev, make32(1))
		ys, err := f.CallAll(context.Background(), x)
		require.NoError(t, err)
		zs := model(tr, tr.Read(x), traced)
		require.NoError(t, tr.MarkStep(zs...))
		for i := range zs {
			require.Equal(t, floats(t, zs[i]), floats(t, ys[i]))
		}
	}
}

// https://github.com/pytorch/pytorch/issues/25690: the sum of a dropout depended
// on the device.
func TestDropoutIsTheSameEverywhere(t *testing.T) {
	for _, name := range []string{"eval", "cpu"} {
		for _, threads := range []int{1, 2} {
			dev := open(t, name, lazy.Threads(threads))
			tr := lazy.NewTrace(dev)
			sum := lazy.NewRandom(dev, 0).Dropout(lazy.Ones(tr, lazy.F32, 1000, 1000), 0.5).Sum()
			require.NoError(t, tr.MarkStep(sum))
			require.EqualValues(t, dropoutSum, sum.Float(), "%s, %d threads", name, threads)
		}
	}
}

const dropoutSum = 1_001_134 // of a million ones: even, and exact in f32

// https://github.com/pytorch/pytorch/issues/76580: a dropout could not have a
// generator of its own, which other random numbers do not disturb.
func TestDropoutHasItsOwnStream(t *testing.T) {
	dev := open(t, "eval")
	dropped := func(others int) []float32 {
		tr := lazy.NewTrace(dev)
		mine, rest := lazy.NewRandom(dev, 1), lazy.NewRandom(dev, 2)
		for range others {
			rest.Normal(tr, lazy.F32, 0, 1, 10)
		}
		y := mine.Dropout(lazy.From(tr, make32(1)), 0.5)
		require.NoError(t, tr.MarkStep(y))
		return floats(t, y)
	}
	require.Equal(t, dropped(0), dropped(3))
}
