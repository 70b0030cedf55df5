package lazy_test

import (
	"math"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/internal/trials"
	"ltc/lazy"
)

// numbersOf runs a step for each value and returns the results, and how many programs
// were compiled.
func numbersOf(t *testing.T, values []float64, step func(tr *lazy.Trace, v float64) *lazy.Tensor, opts ...lazy.Option) (results []float64, programs int) {
	t.Helper()
	tr := lazy.NewTrace(open(t, "eval", opts...))
	for _, v := range values {
		y := step(tr, v)
		require.NoError(t, tr.MarkStep(y))
		results = append(results, y.Float())
	}
	return results, len(tr.Report().Compiles)
}

func upTo(n int) []float64 {
	values := make([]float64, n)
	for i := range values {
		values[i] = float64(i)
	}
	return values
}

// The second value of a number compiles, the third does not.
func TestVaryingNumbersBecomeArguments(t *testing.T) {
	trials.Sequential(t)
	x := func(tr *lazy.Trace) *lazy.Tensor { return lazy.From(tr, []float64{2}, 1) }
	for name, c := range map[string]struct {
		step func(tr *lazy.Trace, v float64) *lazy.Tensor
		want func(v float64) float64
	}{
		"MulScalar":     {func(tr *lazy.Trace, v float64) *lazy.Tensor { return x(tr).MulScalar(v).Sum() }, func(v float64) float64 { return 2 * v }},
		"PowScalar":     {func(tr *lazy.Trace, v float64) *lazy.Tensor { return x(tr).PowScalar(v).Sum() }, func(v float64) float64 { return math.Pow(2, v) }},
		"Full":          {func(tr *lazy.Trace, v float64) *lazy.Tensor { return x(tr).Add(lazy.Full(tr, lazy.F64, v, 3)).Sum() }, func(v float64) float64 { return 6 + 3*v }},
		"WhereScalar":   {func(tr *lazy.Trace, v float64) *lazy.Tensor { return x(tr).Less(x(tr)).WhereScalar(x(tr), v).Sum() }, func(v float64) float64 { return v }},
		"GreaterScalar": {func(tr *lazy.Trace, v float64) *lazy.Tensor { return x(tr).GreaterScalar(v).Convert(lazy.F64).Sum() }, func(v float64) float64 { return map[bool]float64{true: 1}[2 > v] }},
		"in place": {func(tr *lazy.Trace, v float64) *lazy.Tensor {
			y := x(tr).Exp()
			y.Mul_(y.MulScalar(v))
			return y.Sum()
		}, func(v float64) float64 { return math.Exp(4) * v }},
		"gradient": {func(tr *lazy.Trace, v float64) *lazy.Tensor {
			x := x(tr)
			return lazy.Grad(x.Mul(x).MulScalar(v).Sum(), x)[0].Sum()
		}, func(v float64) float64 { return 4 * v }},
		"two lines": {func(tr *lazy.Trace, v float64) *lazy.Tensor {
			y := x(tr).MulScalar(v)
			y = y.Add(x(tr))
			return y.AddScalar(-v).Sum()
		}, func(v float64) float64 { return 2 + v }},
		"several on a line": {func(tr *lazy.Trace, v float64) *lazy.Tensor {
			y := x(tr)
			for k := range 3 {
				y = y.AddScalar(v * float64(k))
			}
			return y.Sum()
		}, func(v float64) float64 { return 2 + 3*v }},
	} {
		t.Run(name, func(t *testing.T) {
			got, programs := numbersOf(t, upTo(100), c.step)
			require.Equal(t, 2, programs)
			for i, v := range upTo(100) {
				require.InEpsilon(t, 1+c.want(v), 1+got[i], 1e-14)
			}
		})
	}
}

// Numbers that stay, and those that follow from a size, are constants.
func TestNumbersThatStayAreConstants(t *testing.T) {
	_, programs := numbersOf(t, []float64{3, 3, 3}, func(tr *lazy.Trace, v float64) *lazy.Tensor {
		return lazy.From(tr, []float64{2}, 1).MulScalar(v).Sum()
	})
	require.Equal(t, 1, programs)

	tr := lazy.NewTrace(open(t, "eval"))
	for n := 1; n < 5; n++ {
		y := lazy.From(tr, make([]float64, n), n).MulScalar(1 / float64(n)).Sum()
		require.NoError(t, tr.MarkStep(y))
	}
	for _, c := range tr.Report().Compiles[1:] {
		require.Contains(t, c.Reason, "parameter f64[")
	}
}

// The second compile says why, and that it is the last.
func TestReasonOfAVaryingNumber(t *testing.T) {
	tr := lazy.NewTrace(open(t, "eval"))
	for i := range 3 {
		require.NoError(t, tr.MarkStep(lazy.From(tr, []float64{2}, 1).MulScalar(0.5+float64(i)).Sum()))
	}
	r := tr.Report()
	require.Len(t, r.Compiles, 2)
	require.Equal(t, "numbers_test.go:101: the number 0.5, now another; nothing to change: numbers of this line are arguments from now on, and other values compile nothing", r.Compiles[1].Reason)
}

// Const, and an option, keep numbers in programs.
func TestConstantNumbers(t *testing.T) {
	_, programs := numbersOf(t, upTo(5), func(tr *lazy.Trace, v float64) *lazy.Tensor {
		return lazy.From(tr, []float64{2}, 1).Mul(lazy.Const(tr, lazy.F64, v)).Sum()
	})
	require.Equal(t, 5, programs)
	_, programs = numbersOf(t, upTo(5), func(tr *lazy.Trace, v float64) *lazy.Tensor {
		return lazy.From(tr, []float64{2}, 1).MulScalar(v).Sum()
	}, lazy.NumbersAsConstants())
	require.Equal(t, 5, programs)

	tr := lazy.NewTrace(open(t, "eval"))
	require.ErrorContains(t, lazy.Const(tr, lazy.I32, 0.5).Err(), "const(): 0.5 is no value of i32")
}

// Two values by turns are two programs, the second of which serves all others.
func TestNumbersByTurns(t *testing.T) {
	got, programs := numbersOf(t, []float64{1, 2, 1, 2, 3, 1}, func(tr *lazy.Trace, v float64) *lazy.Tensor {
		return lazy.From(tr, []float64{2}, 1).MulScalar(v).Sum()
	})
	require.Equal(t, []float64{2, 4, 2, 4, 6, 2}, got)
	require.Equal(t, 2, programs)
}

// Programs that take turns, more than a trace follows, and scopes that have the number of a
// step in their name, cost a program more: a number is an argument from its third value on.
func TestVaryingNumbersOfStepsThatFollowNone(t *testing.T) {
	tr := lazy.NewTrace(open(t, "eval"))
	for i := range 100 {
		n := 1 + i%7
		y := lazy.From(tr, make([]float64, n), n).Exp().MulScalar(float64(i)).Sum()
		require.NoError(t, tr.MarkStep(y))
		require.Equal(t, float64(n*i), y.Float())
	}
	require.LessOrEqual(t, len(tr.Report().Compiles), 9)

	tr = lazy.NewTrace(open(t, "eval"))
	tr.Reuse(false)
	for i := range 100 {
		y := lazy.From(tr, []float64{2}, 1)
		for k := range 3 {
			y = y.AddScalar(float64(i * k))
		}
		require.NoError(t, tr.MarkStep(y.Sum()))
	}
	require.Equal(t, 3, len(tr.Report().Compiles))
}

// The gradient of what is a number alone is zero, whatever the number is recorded as.
func TestGradientOfANumber(t *testing.T) {
	got, _ := numbersOf(t, upTo(4), func(tr *lazy.Trace, v float64) *lazy.Tensor {
		x := lazy.From(tr, []float64{2}, 1)
		return lazy.Grad(lazy.Full(tr, lazy.F64, v), x)[0].Sum()
	})
	require.Equal(t, []float64{0, 0, 0, 0}, got)
}

// Scopes with a name for each step do not make a trace grow.
func TestNumbersInScopesOfEachStep(t *testing.T) {
	trials.Sequential(t)
	tr := lazy.NewTrace(open(t, "null"))
	x := lazy.From(tr, []float64{2}, 1)
	for i := range 10_000 {
		end := tr.Scope(strconv.Itoa(i))
		y := x.MulScalar(3)
		end()
		require.NoError(t, tr.MarkStep(y))
	}
	require.Len(t, tr.Report().Compiles, 1)
}
