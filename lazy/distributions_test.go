package lazy_test

import (
	"cmp"
	"context"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/internal/test/optest"
	"ltc/internal/trials"
	"ltc/ir/types"
	"ltc/lazy"
	"ltc/soa"
)

var philoxReference = optest.Philox

// drawn runs what draw records on the evaluator.
func drawn[T soa.Element](t testing.TB, seed uint64, draw func(r *lazy.Random, tr *lazy.Trace) *lazy.Tensor) []T {
	t.Helper()
	dev := open(t, "eval")
	tr := lazy.NewTrace(dev)
	x := draw(lazy.NewRandom(dev, seed), tr)
	require.NoError(t, tr.MarkStep(x))
	v, err := lazy.ToSlice[T](x)
	require.NoError(t, err)
	return v
}

// kolmogorov returns the largest distance between the distribution of xs and f.
func kolmogorov(xs []float64, f func(float64) float64) float64 {
	slices.Sort(xs)
	worst, n := 0.0, float64(len(xs))
	for i := 0; i < len(xs); {
		j := i
		for j < len(xs) && xs[j] == xs[i] {
			j++
		}
		p := f(xs[i])
		worst = max(worst, math.Abs(p-float64(i)/n), math.Abs(p-float64(j)/n))
		i = j
	}
	return worst
}

func TestNormalIsNormal(t *testing.T) {
	trials.Sequential(t)
	const n = 100_000
	for _, c := range []struct {
		dtype        types.DType
		mean, stddev float64
		coarse       float64 // what rounding to the dtype adds to distances
	}{{lazy.F32, 0, 1, 0}, {lazy.F64, 0, 1, 0}, {lazy.F16, 0, 1, 0.002}, {lazy.BF16, 0, 1, 0.01}, {lazy.F32, 3, 0.5, 0}, {lazy.F64, -1, 4, 0}} {
		t.Run(c.dtype.String(), func(t *testing.T) {
			xs := drawn[float64](t, 1, func(r *lazy.Random, tr *lazy.Trace) *lazy.Tensor {
				x := r.Normal(tr, c.dtype, c.mean, c.stddev, n/4, 4)
				require.Equal(t, types.Of(c.dtype, n/4, 4), x.Type())
				return x.Convert(lazy.F64)
			})
			var m1, m2, m3, m4, lag float64
			for i := range xs {
				z := (xs[i] - c.mean) / c.stddev
				m1, m2, m3, m4 = m1+z/n, m2+z*z/n, m3+z*z*z/n, m4+z*z*z*z/n
				lag += z * (xs[(i+1)%n] - c.mean) / c.stddev / n
			}
			// Four standard deviations of each.
			for i, d := range []struct{ got, want, variance float64 }{{m1, 0, 1}, {m2, 1, 2}, {m3, 0, 15}, {m4, 3, 96}, {lag, 0, 1}} {
				require.InDelta(t, d.want, d.got, 4*math.Sqrt(d.variance/n), "%d", i)
			}
			// 1.63/√n is exceeded once in a hundred.
			require.Less(t, kolmogorov(xs, func(x float64) float64 {
				return math.Erfc((c.mean-x)/c.stddev/math.Sqrt2) / 2
			}), 1.63/math.Sqrt(n)+c.coarse)
		})
	}
}

// The series of integers are as good as a library's functions.
func TestNormalIsAccurate(t *testing.T) {
	trials.Sequential(t)
	const n = 200_000
	for _, c := range []struct {
		bits  int
		dtype types.DType
		error float64
	}{{32, lazy.F32, 4e-7}, {64, lazy.F64, 1e-12}} {
		xs := drawn[float64](t, 9, func(r *lazy.Random, tr *lazy.Trace) *lazy.Tensor {
			return r.Normal(tr, c.dtype, 0, 1, n).Convert(lazy.F64)
		})
		ws := drawn[uint32](t, 9, func(r *lazy.Random, tr *lazy.Trace) *lazy.Tensor { return r.Bits(tr, n*c.bits/32) })
		for i := 0; i < n; i += 2 {
			u, turn := math.Ldexp(2*float64(ws[i])+1, -33), math.Ldexp(float64(ws[i+1]), -32)
			if c.bits == 64 {
				u = math.Ldexp(float64(uint64(ws[2*i+1])<<32|uint64(ws[2*i])|1), -64)
				turn = math.Ldexp(float64(uint64(ws[2*i+3])<<32|uint64(ws[2*i+2])), -64)
			}
			sin, cos := math.Sincos(2 * math.Pi * turn)
			radius := math.Sqrt(-2 * math.Log(u))
			require.InDelta(t, radius*cos, xs[i], c.error)
			require.InDelta(t, radius*sin, xs[i+1], c.error)
		}
	}
}

func TestBernoulli(t *testing.T) {
	trials.Sequential(t)
	n := trials.Of(100_000)
	for _, p := range []float64{0, 0.001, 0.25, 0.5, 0.9, 1} {
		constant := drawn[bool](t, 3, func(r *lazy.Random, tr *lazy.Trace) *lazy.Tensor { return r.Bernoulli(tr, p, n) })
		argument := drawn[bool](t, 3, func(r *lazy.Random, tr *lazy.Trace) *lazy.Tensor { return r.BernoulliOf(tr.Scalar("p", p), n) })
		require.Equal(t, constant, argument)
		hits := 0
		for _, b := range constant {
			if b {
				hits++
			}
		}
		require.InDelta(t, float64(n)*p, hits, 4*math.Sqrt(float64(n)*p*(1-p)), "p = %v", p)
	}
	// Probabilities of each column, of two dtypes.
	for _, d := range []types.DType{lazy.BF16, lazy.F64} {
		bs := drawn[bool](t, 3, func(r *lazy.Random, tr *lazy.Trace) *lazy.Tensor {
			return r.BernoulliOf(lazy.From(tr, []float64{0, 0.5, 1, -1, 2, math.NaN()}).Convert(d), 1000, 6)
		})
		var hits [6]int
		for i, b := range bs {
			if b {
				hits[i%6]++
			}
		}
		require.InDelta(t, 500, hits[1], 60)
		hits[1] = 0
		require.Equal(t, [6]int{0, 0, 1000, 0, 1000, 0}, hits)
	}
}

func TestRandInt(t *testing.T) {
	trials.Sequential(t)
	n := trials.Of(60_000)
	for _, c := range []struct {
		dtype     types.DType
		low, high int64
	}{{lazy.I32, -2, 4}, {lazy.I64, -2, 4}, {lazy.U8, 250, 256}, {lazy.U32, 1<<32 - 6, 1 << 32}, {lazy.U64, 1 << 62, 1<<62 + 6}, {lazy.I64, math.MaxInt64 - 6, math.MaxInt64}, {lazy.I64, math.MinInt64, math.MinInt64 + 6}} {
		xs := drawn[uint64](t, 11, func(r *lazy.Random, tr *lazy.Trace) *lazy.Tensor {
			x := r.RandInt(tr, c.dtype, c.low, c.high, n)
			require.Equal(t, types.Of(c.dtype, n), x.Type())
			return offset(tr, x, c.low)
		})
		var bins [6]int
		for _, x := range xs {
			bins[x]++ // panics when it is out of range
		}
		for i, k := range bins {
			require.InDelta(t, n/6, k, 4*math.Sqrt(float64(n)*5/36), "%v %d", c.dtype, i)
		}
	}
}

// offset returns x - low as u64.
func offset(tr *lazy.Trace, x *lazy.Tensor, low int64) *lazy.Tensor {
	if x.DType() == lazy.U64 {
		return x.Sub(lazy.From(tr, []uint64{uint64(low)}))
	}
	return x.Convert(lazy.I64).Sub(lazy.From(tr, []int64{low})).Convert(lazy.U64)
}

// Ranges of one number, of all numbers of 32 bits and of more: halves of a large
// range that is no power of two are equally probable.
func TestRandIntRanges(t *testing.T) {
	trials.Sequential(t)
	n := trials.Of(40_000)
	draw := func(low, high int64) []int64 {
		return drawn[int64](t, 12, func(r *lazy.Random, tr *lazy.Trace) *lazy.Tensor { return r.RandInt(tr, lazy.I64, low, high, n) })
	}
	for _, x := range draw(-7, -6) {
		require.EqualValues(t, -7, x)
	}
	for _, c := range []struct{ low, high int64 }{{0, 1 << 32}, {0, 3 << 31}, {math.MinInt64, 1 << 62}, {math.MinInt64, math.MaxInt64}, {-1, math.MaxInt64}} {
		xs := draw(c.low, c.high)
		fs := make([]float64, n)
		for i, x := range xs {
			require.True(t, x >= c.low && x < c.high)
			fs[i] = (float64(x) - float64(c.low)) / (float64(c.high) - float64(c.low))
		}
		require.Less(t, kolmogorov(fs, func(x float64) float64 { return x }), 1.63/math.Sqrt(float64(n)), "%v", c)
	}
	// The bits of Lemire's product, from integers of any size.
	words := drawn[uint32](t, 12, func(r *lazy.Random, tr *lazy.Trace) *lazy.Tensor { return r.Bits(tr, 4*n) })
	large, small := draw(-5, math.MaxInt64-7), draw(10, 1_000_003)
	for i := range n {
		require.Equal(t, optest.MulHigh(words[4*i:4*i+4], math.MaxInt64-2)-5, large[i])
		require.Equal(t, optest.MulHigh(words[2*i:2*i+2], 999_993)+10, small[i])
	}
}

func TestPermutation(t *testing.T) {
	trials.Sequential(t)
	const n = 5000
	p := drawn[int64](t, 4, func(r *lazy.Random, tr *lazy.Trace) *lazy.Tensor { return r.Permutation(tr, n) })
	ws := drawn[uint64](t, 4, func(r *lazy.Random, tr *lazy.Trace) *lazy.Tensor { return r.RandInt(tr, lazy.U64, 0, 1<<32, n) })
	seen := make([]bool, n)
	for i, k := range p {
		require.False(t, seen[k])
		seen[k] = true
		require.True(t, i == 0 || cmp.Compare(ws[p[i-1]], ws[k]) <= 0, "the upper halves of the keys rise")
	}
	require.Empty(t, drawn[int64](t, 4, func(r *lazy.Random, tr *lazy.Trace) *lazy.Tensor { return r.Permutation(tr, 0) }))
	require.Equal(t, []int64{0}, drawn[int64](t, 4, func(r *lazy.Random, tr *lazy.Trace) *lazy.Tensor { return r.Permutation(tr, 1) }))

	// All six orders of three.
	dev := open(t, "eval")
	tr := lazy.NewTrace(dev)
	r := lazy.NewRandom(dev, 8)
	orders, draws := map[[3]int64]int{}, trials.Of(3000)
	for range draws {
		x := r.Permutation(tr, 3)
		require.NoError(t, tr.MarkStep(x))
		v, err := lazy.ToSlice[int64](x)
		require.NoError(t, err)
		orders[[3]int64(v)]++
	}
	require.Len(t, orders, 6)
	for o, k := range orders {
		require.InDelta(t, draws/6, k, 4*math.Sqrt(float64(draws)*5/36), "%v", o)
	}
	require.Len(t, tr.Report().Compiles, 1)
}

func TestCategorical(t *testing.T) {
	trials.Sequential(t)
	n := trials.Of(40_000)
	probabilities := []float64{0.5, 0.25, 0.125, 0.1, 0.025, 0}
	for _, d := range []types.DType{lazy.F32, lazy.F64, lazy.F16, lazy.BF16} {
		classes := drawn[int64](t, 6, func(r *lazy.Random, tr *lazy.Trace) *lazy.Tensor {
			p := lazy.From(tr, probabilities).Log()
			c := r.Categorical(p.BroadcastTo(n/2, 2, 6).Convert(d))
			require.Equal(t, types.Of(lazy.I64, n/2, 2), c.Type())
			return c
		})
		var hits [6]float64
		for _, c := range classes {
			hits[c]++
		}
		for i, p := range probabilities {
			coarse := map[types.DType]float64{lazy.F16: 0.001, lazy.BF16: 0.006}[d]
			require.InDelta(t, float64(n)*p, hits[i], 4*math.Sqrt(float64(n)*p*(1-p))+float64(n)*coarse, "%v, class %d", d, i)
		}
	}
	inf, nan := math.Inf(1), math.NaN()
	special := drawn[int64](t, 6, func(r *lazy.Random, tr *lazy.Trace) *lazy.Tensor {
		return r.Categorical(lazy.From(tr, []float64{-inf, -inf, 0, -inf, -inf, -inf, 0, inf, -inf, -inf, 7, nan}, 4, 3))
	})
	require.Equal(t, []int64{2, 0, 1, 2}, special)
	require.Empty(t, drawn[int64](t, 6, func(r *lazy.Random, tr *lazy.Trace) *lazy.Tensor {
		return r.Categorical(lazy.Zeros(tr, lazy.F32, 0, 3))
	}))
}

// One program draws for rows of any number; its constants are words of 64 bits.
func TestCategoricalOfOpenSizes(t *testing.T) {
	tr := lazy.NewTrace(open(t, "cpu"))
	r := lazy.NewRandom(tr.Device(), 1)
	for _, n := range []int{5, 9, 7, 12, 3, 20} {
		logits := lazy.From(tr, sequence(n*4), n, 4)
		classes := r.Categorical(logits)
		require.NoError(t, tr.MarkStep(classes))
		require.Equal(t, types.Of(lazy.I64, n), classes.Type())
	}
	require.EqualValues(t, 2, tr.Report().Compiled)
}

func TestEmptyDraws(t *testing.T) {
	dev := open(t, "eval")
	tr := lazy.NewTrace(dev)
	r := lazy.NewRandom(dev, 1)
	empty := []*lazy.Tensor{r.Bernoulli(tr, 0.5, 0, 3), r.RandInt(tr, lazy.I32, 0, 9, 0, 3), r.RandInt(tr, lazy.I64, 0, 1<<40, 0, 3),
		r.Dropout(lazy.Zeros(tr, lazy.F32, 0, 3), 0.5)}
	for _, d := range []types.DType{lazy.F32, lazy.F64, lazy.F16, lazy.BF16} {
		empty = append(empty, r.Normal(tr, d, 1, 2, 0, 3), r.Uniform(tr, d, 0, 3))
	}
	require.NoError(t, tr.MarkStep(empty...))
	for _, x := range empty {
		require.Equal(t, types.Shape{0, 3}, x.Shape())
		require.Equal(t, 0, value(t, x).Type.Elements())
	}
	require.Equal(t, lazy.RandomState{Key: 1}, r.State())
	// Scalars, too.
	require.Len(t, drawn[float32](t, 1, func(r *lazy.Random, tr *lazy.Trace) *lazy.Tensor { return r.Normal(tr, lazy.F32, 0, 1) }), 1)
}

// The first numbers of a draw do not depend on how many follow.
func TestDrawsAreSequences(t *testing.T) {
	for _, d := range []types.DType{lazy.F32, lazy.F64} {
		long := drawn[float64](t, 2, func(r *lazy.Random, tr *lazy.Trace) *lazy.Tensor { return r.Normal(tr, d, 0, 1, 101).Convert(lazy.F64) })
		short := drawn[float64](t, 2, func(r *lazy.Random, tr *lazy.Trace) *lazy.Tensor { return r.Normal(tr, d, 0, 1, 7).Convert(lazy.F64) })
		require.Equal(t, long[:7], short)
	}
}

func TestBadDraws(t *testing.T) {
	dev, other := open(t, "eval"), open(t, "eval")
	tr := lazy.NewTrace(dev)
	r := lazy.NewRandom(dev, 1)
	f, i := lazy.From(tr, []float32{1, 2}), lazy.From(tr, []int32{1, 2})
	nan, inf := math.NaN(), math.Inf(1)
	for _, c := range []struct {
		x    *lazy.Tensor
		kind error
		want string
	}{
		{r.Bernoulli(tr, 1.5, 2), lazy.ErrUsage, "bernoulli(): probability 1.5 is not between 0 and 1"},
		{r.Bernoulli(tr, -0.1, 2), lazy.ErrUsage, "bernoulli(): probability -0.1 is not between 0 and 1"},
		{r.Bernoulli(tr, nan, 2), lazy.ErrUsage, "bernoulli(): probability NaN is not between 0 and 1"},
		{r.BernoulliOf(i, 2), lazy.ErrType, "bernoulli(i32[2]): probabilities must be floating point, are i32"},
		{r.BernoulliOf(f, 3), lazy.ErrType, "it does not broadcast to [3]"},
		{r.BernoulliOf(nil, 3), lazy.ErrUsage, "operand 0 is nil"},
		{r.Dropout(f, 2), lazy.ErrUsage, "dropout(): probability 2 is not between 0 and 1"},
		{r.Dropout(i, 0.5), lazy.ErrType, "dropout(i32[2]): x must be floating point, is i32"},
		{r.Dropout(nil, 0.5), lazy.ErrUsage, "operand 0 is nil"},
		{r.DropoutOf(f, f), lazy.ErrType, "dropout(f32[2], f32[2]): p must be a scalar"},
		{r.RandInt(tr, lazy.I32, 5, 5, 2), lazy.ErrUsage, "randint(): low 5 is not below high 5, and there is no integer to draw"},
		{r.RandInt(tr, lazy.I32, 6, 5, 2), lazy.ErrUsage, "randint(): low 6 is not below high 5"},
		{r.RandInt(tr, lazy.U8, 0, 257, 2), lazy.ErrUsage, "randint(): [0, 257) is not within u8, which holds [0, 255]"},
		{r.RandInt(tr, lazy.U64, -1, 5, 2), lazy.ErrUsage, "randint(): [-1, 5) is not within u64, which holds [0, 9223372036854775807]"},
		{r.RandInt(tr, lazy.F32, 0, 5, 2), lazy.ErrUsage, "randint(): there are no random integers of f32"},
		{r.Normal(tr, lazy.I32, 0, 1, 2), lazy.ErrUsage, "normal(): there are no normal numbers of i32"},
		{r.Normal(tr, lazy.F32, 0, -1, 2), lazy.ErrUsage, "normal(): mean 0 and stddev -1 must be finite and stddev not negative"},
		{r.Normal(tr, lazy.F32, 0, nan, 2), lazy.ErrUsage, "stddev NaN must be finite"},
		{r.Normal(tr, lazy.F32, inf, 1, 2), lazy.ErrUsage, "mean +Inf"},
		{r.Normal(tr, lazy.F32, 0, 1, -2), lazy.ErrUsage, "normal(): "},
		{r.Normal(tr, lazy.F32, 0, 1, 1<<31, 1<<31), lazy.ErrUsage, "normal(): "},
		{r.Uniform(tr, lazy.F64, 1<<31, 1<<31), lazy.ErrUsage, "uniform(): "},
		{r.Permutation(tr, -1), lazy.ErrUsage, "permutation(): "},
		{r.Categorical(lazy.Zeros(tr, lazy.F32)), lazy.ErrType, "categorical(f32[]): there are no classes to draw from"},
		{r.Categorical(lazy.Zeros(tr, lazy.F32, 3, 0)), lazy.ErrType, "categorical(f32[3,0]): there are no classes to draw from"},
		{r.Categorical(i), lazy.ErrType, "categorical(i32[2]): logits must be floating point, is i32"},
		{lazy.NewRandom(other, 1).Bits(tr, 4), lazy.ErrPlacement, "bits(): the trace and the stream are on two devices"},
		{(*lazy.Random)(nil).Bits(tr, 4), lazy.ErrUsage, "bits(): there is no stream; make one with NewRandom, for a device that is open"},
		{(&lazy.Random{}).Normal(tr, lazy.F32, 0, 1, 4), lazy.ErrUsage, "normal(): there is no stream"},
	} {
		require.ErrorIs(t, c.x.Err(), c.kind, "%s", c.want)
		require.ErrorContains(t, c.x.Err(), c.want)
		require.Regexp(t, `^distributions_test\.go:\d+: |/distributions_test\.go:\d+: `, c.x.Err().Error())
	}
	require.Error(t, r.Bits(nil, 4).Err())
	require.Equal(t, lazy.RandomState{Key: 1}, r.State(), "what is refused draws nothing")
}

// In a Func each call draws on, and all distributions can be in one.
func TestDrawsInFunc(t *testing.T) {
	dev := open(t, "eval")
	r := lazy.NewRandom(dev, 1)
	f := lazy.Func(dev, func(tr *lazy.Trace, xs []*lazy.Tensor) []*lazy.Tensor {
		return []*lazy.Tensor{r.Normal(tr, lazy.F32, 0, 1, 4), r.RandInt(tr, lazy.I32, 0, 1000, 4), r.Dropout(xs[0], 0.5), r.Categorical(xs[0])}
	})
	x := lazy.From(dev, []float32{1, 2, 3, 4, 5, 6, 7, 8})
	var last []float32
	for range 3 {
		ys, err := f.CallAll(context.Background(), x)
		require.NoError(t, err)
		require.NotEqual(t, last, floats(t, ys[0]))
		last = floats(t, ys[0])
	}
	require.Len(t, f.Report().Compiles, 1)
	// Calls draw from where the stream stands, as steps do.
	r.SetState(lazy.RandomState{Key: 1})
	ys, err := f.CallAll(context.Background(), x)
	require.NoError(t, err)
	state := r.State()
	r.SetState(lazy.RandomState{Key: 1})
	tr := lazy.NewTrace(dev)
	z := r.Normal(tr, lazy.F32, 0, 1, 4)
	r.RandInt(tr, lazy.I32, 0, 1000, 4)
	d := r.Dropout(tr.Read(x), 0.5)
	require.NoError(t, tr.MarkStep(z, d))
	require.Equal(t, floats(t, z), floats(t, ys[0]))
	require.Equal(t, floats(t, d), floats(t, ys[2]))
	r.Categorical(tr.Read(x))
	require.Equal(t, state, r.State())
}

// Multinomial draws in proportion to p, without replacement each class once.
func TestMultinomial(t *testing.T) {
	trials.Sequential(t)
	p := []float32{1, 0, 3, 4}
	many := drawn[int64](t, 3, func(r *lazy.Random, tr *lazy.Trace) *lazy.Tensor {
		return r.Multinomial(lazy.From(tr, p, 4), 8000, true)
	})
	counts := make([]int, 4)
	for _, c := range many {
		counts[c]++
	}
	require.InDeltaSlice(t, []int{1000, 0, 3000, 4000}, counts, 160)
	rows := drawn[int64](t, 4, func(r *lazy.Random, tr *lazy.Trace) *lazy.Tensor {
		return r.Multinomial(lazy.From(tr, p, 4).BroadcastTo(2000, 4), 3, false)
	})
	first := make([]int, 4)
	for row := range slices.Chunk(rows, 3) {
		first[row[0]]++
		row = slices.Sorted(slices.Values(row))
		require.Equal(t, []int64{0, 2, 3}, row)
	}
	require.InDeltaSlice(t, []int{250, 0, 750, 1000}, first, 90)
	tr := lazy.NewTrace(open(t, "eval"))
	r := lazy.NewRandom(tr.Device(), 1)
	require.ErrorContains(t, r.Multinomial(lazy.From(tr, p, 4), 5, false).Err(), "multinomial(f32[4]): 5 of 4 classes are to be drawn")
	require.ErrorContains(t, r.Multinomial(lazy.Zeros(tr, lazy.I32, 4), 1, true).Err(), "p is i32[4], must be floating point")
}
