package nn_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	_ "ltc/backends/reference"
	"ltc/lazy"
	"ltc/nn"
)

// trace returns a trace of a device.
func trace(t *testing.T, backend string) *lazy.Trace {
	dev, err := lazy.Open(backend)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, dev.Close()) })
	return lazy.NewTrace(dev)
}

func values(t *testing.T, x *lazy.Tensor) []float64 {
	got, err := lazy.ToSlice[float64](x)
	require.NoError(t, err)
	return got
}

// The values are those of the formulas in 50 digits.
func TestActivations(t *testing.T) {
	x := []float64{-1000, -2, -0.5, 0, 0.5, 3, 1000}
	for name, c := range map[string]struct {
		f          func(x *lazy.Tensor) *lazy.Tensor
		want, grad []float64
	}{
		"silu": {nn.SiLU, []float64{0, -0.2384058440442351, -0.1887703343990727, 0, 0.3112296656009273, 2.8577223804673, 1000},
			[]float64{0, -0.09078424878489955, 0.2600388126973482, 0.5, 0.7399611873026518, 1.0881041060151697, 1}},
		"elu": {func(x *lazy.Tensor) *lazy.Tensor { return nn.ELU(x, 1.5) }, []float64{-1.5, -1.296997075145081, -0.5902040104310499, 0, 0.5, 3, 1000},
			[]float64{0, 0.20300292485491905, 0.9097959895689501, 1.5, 1, 1, 1}},
	} {
		for _, backend := range []string{"eval", "cpu"} {
			tr := trace(t, backend)
			in := lazy.From(tr, x)
			y := c.f(in)
			g := lazy.Grad(y.Sum(), in)[0]
			require.NoError(t, tr.MarkStep(y, g))
			require.InDeltaSlice(t, c.want, values(t, y), 1e-12, "%s on %s", name, backend)
			require.InDeltaSlice(t, c.grad, values(t, g), 1e-12, "gradient of %s on %s", name, backend)
		}
	}
	tr := trace(t, "cpu")
	y := nn.SiLU(lazy.From(tr, []float64{math.NaN()}))
	require.NoError(t, tr.MarkStep(y))
	require.True(t, math.IsNaN(values(t, y)[0]))
}

func TestGLU(t *testing.T) {
	tr := trace(t, "cpu")
	x := lazy.From(tr, []float64{1, 2, 0, math.Log(3)}, 2, 2)
	y := nn.GLU(x, 0)
	require.NoError(t, tr.MarkStep(y))
	require.InDeltaSlice(t, []float64{0.5, 1.5}, values(t, y), 1e-12)
}

// A call that breaks a rule is an error with the op, the types, the rule and the line.
func TestMistakes(t *testing.T) {
	tr := trace(t, "cpu")
	f, i := lazy.From(tr, []float32{1, 2, 3}), lazy.From(tr, []int32{1})
	for want, y := range map[string]*lazy.Tensor{
		"nn.silu(i32[1]): x must be floating point, is i32; convert it with Convert (nn.silu_c1)": nn.SiLU(i),
		"nn.elu(f32[3]): alpha is NaN, must be a finite number":                                   nn.ELU(f, math.NaN()),
		"nn.glu(f32[3]): axis 1 is not one of [3]":                                                nn.GLU(f, 1),
		"nn.glu(f32[3]): the dimension of axis 0 of f32[3] is 3, must be even":                    nn.GLU(f, -1),
	} {
		require.ErrorContains(t, y.Err(), want)
		require.ErrorContains(t, y.Err(), "nn_test.go:")
	}
}
