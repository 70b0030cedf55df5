package lazy_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/ir/types"
	"ltc/lazy"
)

// The name of an open size is no number of an op, and neither is one divided by it.
func TestNamesAreNoNumbers(t *testing.T) {
	tr := lazy.NewTrace(open(t, "eval"))
	x := lazy.Ones(tr, lazy.F32, 3)
	name := float64(x.MaskedSelect(x.Greater(x)).OpenDim(0))
	for _, y := range []*lazy.Tensor{
		x.DivScalar(name), x.MulScalar(1 / name), x.AddScalar(float64(float32(name))), lazy.Full(tr, lazy.F32, name, 2),
		x.MulScalar(-name), x.AddScalar(2*name + 1), x.DivScalar(name * name), x.MulScalar(3 / name / 4), x.MulScalar(float64(float32(-1 / (8 * name)))),
		lazy.Const(tr, lazy.F64, name), lazy.NewScalar(tr, "n", lazy.F64, name),
	} {
		require.ErrorContains(t, y.Err(), "is computed from the name of a size that is open, which is no number: compute with Size(i)")
	}
	for _, v := range []float64{0, 1, -1e30, 1e30, -1 << 63, -1e18, -9e18, -1e-19, -1e-30, 1 << 62, 1e18, 1e19, 1e38, 1e-38, 1e300, 1e-300, 6.02214076e23, 1.602176634e-19, 9.1093837e-31} {
		require.NoError(t, x.DivScalar(v).Err(), v)
	}
}

// Warmup without arguments compiles what Inputs says.
func TestWarmupOfInputs(t *testing.T) {
	d := open(t, "cpu")
	f := lazy.Func(d, func(_ *lazy.Trace, x *lazy.Tensor) *lazy.Tensor { return x.Tanh().Mean(1) })
	require.NoError(t, f.Inputs(lazy.Input{Name: "x", Type: types.Of(lazy.F32, lazy.Dim("batch", 1, 512), 8)}))
	require.NoError(t, f.Warmup(t.Context()))
	require.EqualValues(t, 1, f.Report().Compiled)
	f.Freeze(true)
	for _, rows := range []int{3, 1, 512} {
		y, err := f.Call(t.Context(), lazy.From(d, make([]float32, rows*8), rows, 8))
		require.NoError(t, err)
		require.Equal(t, make([]float32, rows), floats(t, y))
	}

	fixed := lazy.Func(d, func(_ *lazy.Trace, x *lazy.Tensor) *lazy.Tensor { return x.Exp() })
	require.NoError(t, fixed.Inputs(lazy.Input{Name: "x", Type: types.Of(lazy.F32, 2)}))
	require.NoError(t, fixed.Warmup(t.Context()))
	fixed.Freeze(true)
	y, err := fixed.Call(t.Context(), lazy.From(d, []float32{0, 0}))
	require.NoError(t, err)
	require.Equal(t, []float32{1, 1}, floats(t, y))

	d = open(t, "cpu", lazy.StaticShapes())
	f = lazy.Func(d, func(_ *lazy.Trace, x *lazy.Tensor) *lazy.Tensor { return x.Tanh() })
	require.NoError(t, f.Inputs(lazy.Input{Name: "x", Type: types.Of(lazy.F32, lazy.Dim("batch", 1, 512))}))
	require.ErrorContains(t, f.Warmup(t.Context()), "compiles a program for each size; give Warmup an argument of each")
}
