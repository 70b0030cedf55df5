package lazy_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/lazy"
)

// Ops with a number are ops with a tensor of that number.
func TestScalarsStandForTensors(t *testing.T) {
	d := open(t, "eval")
	tr := lazy.NewTrace(d)
	x := lazy.From(tr, []float32{-1, 0, 2, 3}, 2, 2)
	two := lazy.Full(tr, lazy.F32, 2)
	pairs := [][2]*lazy.Tensor{
		{x.MaximumScalar(2), x.Maximum(two)}, {x.MinimumScalar(2), x.Minimum(two)}, {x.PowScalar(2), x.Pow(two)},
		{x.EqualScalar(2), x.Equal(two)}, {x.NotEqualScalar(2), x.NotEqual(two)},
		{x.LessScalar(2), x.Less(two)}, {x.LessEqualScalar(2), x.LessEqual(two)},
		{x.GreaterScalar(2), x.Greater(two)}, {x.GreaterEqualScalar(2), x.GreaterEqual(two)},
		{x.LessScalar(2).WhereScalar(x, 2), x.Less(two).Where(x, two)},
		{x.SumKeep(0), x.Sum(0).Reshape(1, 2)}, {x.MeanKeep(-1), x.Mean(-1).Reshape(2, 1)},
		{x.MaxKeep(), x.Max().Reshape(1, 1)}, {x.MinKeep(0, 1), x.Min().Reshape(1, 1)},
		{x.PadZeros([2]int{1, 0}), x.Pad(lazy.Zeros(tr, lazy.F32), []int{0, 1}, []int{0, 0}, []int{0, 0})},
		{x.PadZeros([2]int{1, 0}, [2]int{-1, 2}), x.Pad(lazy.Zeros(tr, lazy.F32), []int{1, -1}, []int{0, 2}, []int{0, 0})},
	}
	marked(t, tr, pairs)
	for i, p := range pairs {
		require.Equal(t, p[1].Type(), p[0].Type(), i)
		require.Equal(t, elements(t, p[1]), elements(t, p[0]), i)
	}

	// Where both are values, the condition brings the trace.
	w := lazy.From(d, []float32{5, 6, 7, 8}, 2, 2)
	y := x.GreaterScalar(0).WhereScalar(w, 0)
	require.NoError(t, tr.MarkStep(y))
	require.Equal(t, []float32{0, 0, 7, 8}, elements(t, y))

	for want, bad := range map[string]*lazy.Tensor{
		"scalars_test.go:42: where_scalar(bool[2], i32[2]): 0.5 is no value of i32; convert x with Convert":            lazy.From(tr, []bool{true, false}).WhereScalar(lazy.From(tr, []int32{1, 2}), 0.5),
		"scalars_test.go:43: less_scalar(i32[2]): 0.5 is no value of i32; convert x with Convert":                      lazy.From(tr, []int32{1, 2}).LessScalar(0.5),
		"scalars_test.go:44: pad_zeros(f32[2,2]): got 3 entries of padding, x has 2 axes":                              x.PadZeros([2]int{}, [2]int{}, [2]int{}),
		"scalars_test.go:45: maximum_scalar(f32[2,2]): none of the operands belongs to a trace; bring one in with Tra": w.MaximumScalar(1),
		"scalars_test.go:46: sum_keep(f32[2,2]): ":                                                                     x.SumKeep(2),
	} {
		require.ErrorContains(t, bad.Err(), want)
	}
	var nilTensor *lazy.Tensor
	require.Error(t, nilTensor.LessScalar(1).Err())
	require.Error(t, nilTensor.SumKeep(1).Err())
	require.Error(t, nilTensor.WhereScalar(x, 1).Err())
	require.Error(t, nilTensor.PadZeros().Err())
}

// marked computes all of pairs in one step.
func marked(t *testing.T, tr *lazy.Trace, pairs [][2]*lazy.Tensor) {
	t.Helper()
	var roots []*lazy.Tensor
	for _, p := range pairs {
		roots = append(roots, p[0], p[1])
	}
	require.NoError(t, tr.MarkStep(roots...))
}

func elements(t *testing.T, x *lazy.Tensor) any {
	t.Helper()
	if x.DType() == lazy.Bool {
		v, err := lazy.ToSlice[bool](x)
		require.NoError(t, err)
		return v
	}
	v, err := lazy.ToSlice[float32](x)
	require.NoError(t, err)
	return v
}

// Pad is the same padding on all sides.
func TestPadStandsForPadding(t *testing.T) {
	d := open(t, "eval")
	tr := lazy.NewTrace(d)
	x := lazy.From(tr, []float32{1, 2, 3, 4, 5, 6, 7, 8, 9}, 1, 1, 3, 3)
	k := lazy.Ones(tr, lazy.F32, 1, 1, 3, 3)
	sides := [][2]int{{1, 1}, {1, 1}}
	pairs := [][2]*lazy.Tensor{
		{x.Conv(k, lazy.ConvOptions{Pad: 1}), x.Conv(k, lazy.ConvOptions{Padding: sides})},
		{x.MaxPool([]int{2, 2}, lazy.PoolOptions{Pad: 1}), x.MaxPool([]int{2, 2}, lazy.PoolOptions{Padding: sides})},
		{x.AvgPool([]int{2, 2}, lazy.PoolOptions{Pad: 1}), x.AvgPool([]int{2, 2}, lazy.PoolOptions{Padding: sides})},
	}
	const both = "Pad and Padding are both given: Pad stands for the same on all sides"
	require.ErrorContains(t, x.Conv(k, lazy.ConvOptions{Pad: 1, Padding: sides}).Err(), both)
	require.ErrorContains(t, x.MaxPool([]int{2, 2}, lazy.PoolOptions{Pad: 1, Padding: sides}).Err(), both)

	marked(t, tr, pairs)
	for i, p := range pairs {
		require.Equal(t, elements(t, p[1]), elements(t, p[0]), i)
	}
}

// Warmup of a function compiles what Call runs then, and runs nothing.
func TestFunctionsWarmUp(t *testing.T) {
	d := open(t, "eval")
	n := d.Variable("n", lazy.F32).Init(lazy.Constant(0))
	f := lazy.Func(d, func(tr *lazy.Trace, x *lazy.Tensor) *lazy.Tensor {
		n.Assign(tr.Read(n).AddScalar(1))
		return x.Sum()
	})
	x := lazy.From(d, []float32{1, 2})
	require.NoError(t, f.Warmup(t.Context(), x))
	require.Zero(t, n.Float())
	require.Len(t, f.Report().Compiles, 1)
	y, err := f.Call(t.Context(), x)
	require.NoError(t, err)
	require.Equal(t, 3., y.Float())
	require.Equal(t, 1., n.Float())
	require.Len(t, f.Report().Compiles, 1)

	require.ErrorIs(t, (*lazy.Function)(nil).Warmup(t.Context()), lazy.ErrUsage)
	var op *lazy.OpError
	require.True(t, errors.As(f.Warmup(t.Context()), &op))
	require.NoError(t, d.Close())
	require.ErrorIs(t, f.Warmup(t.Context(), x), lazy.ErrClosed)
}
