package nn_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	_ "ltc/backends/reference"
	"ltc/ir/types"
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
	if x.DType() == lazy.I64 {
		ints, err := lazy.ToSlice[int64](x)
		require.NoError(t, err)
		got := []float64{}
		for _, v := range ints {
			got = append(got, float64(v))
		}
		return got
	}
	got, err := lazy.ToSlice[float64](x)
	require.NoError(t, err)
	return got
}

// Values and gradients have no NaN where the functions have none, in 16 bits either.
func TestExtremes(t *testing.T) {
	tr := trace(t, "cpu")
	for _, d := range []types.DType{lazy.F16, lazy.BF16, lazy.F32, lazy.F64} {
		for name, f := range activations() {
			if strings.Contains(name, "/") || name == "GLU" || name == "PReLU" {
				continue
			}
			if name == "SafeSoftmax" || name == "Softmin" {
				f = one(func(x *lazy.Tensor) *lazy.Tensor { return nn.SafeSoftmax(x, 0) })
			}
			x := lazy.From(tr, []float64{-60000, -100, 0, 100, 60000}).Convert(d)
			y := f([]*lazy.Tensor{x})[0]
			require.Equal(t, d, y.DType(), name)
			g := lazy.Grad(y.Sum(), x)[0].Convert(lazy.F64)
			y = y.Convert(lazy.F64)
			require.NoError(t, tr.MarkStep(y, g), name)
			for _, v := range slices.Concat(values(t, y), values(t, g)) {
				require.False(t, math.IsNaN(v), "%s of %v", name, d)
			}
		}
	}
}

// A row without anything to choose is zeros, as PyTorch's _safe_softmax has it.
func TestSafeSoftmaxOfNothing(t *testing.T) {
	tr := trace(t, "cpu")
	inf := math.Inf(-1)
	x := lazy.From(tr, []float64{inf, inf, 0, inf}, 2, 2)
	y := nn.SafeSoftmax(x, 1)
	g := lazy.Grad(y.Sum(), x)[0]
	require.NoError(t, tr.MarkStep(y, g))
	require.Equal(t, []float64{0, 0, 1, 0}, values(t, y))
	require.Equal(t, []float64{0, 0, 0, 0}, values(t, g))
}

// Slopes of noise have no gradient.
func TestRReLU(t *testing.T) {
	tr := trace(t, "cpu")
	x, slopes := lazy.From(tr, []float64{-2, 0, 3}), lazy.From(tr, []float64{0.125, 0.25, 0.5})
	y := nn.RReLU(x, slopes)
	g := lazy.Grad(y.Sum(), x, slopes)
	require.NoError(t, tr.MarkStep(append(g, y)...))
	require.Equal(t, []float64{-0.25, 0, 3}, values(t, y))
	require.Equal(t, []float64{0.125, 0.25, 1}, values(t, g[0]))
	require.Equal(t, []float64{0, 0, 0}, values(t, g[1]))
}

func TestGLU(t *testing.T) {
	tr := trace(t, "cpu")
	x := lazy.From(tr, []float64{1, 2, 0, math.Log(3)}, 2, 2)
	y := nn.GLU(x, 0)
	require.NoError(t, tr.MarkStep(y))
	require.InDeltaSlice(t, []float64{0.5, 1.5}, values(t, y), 1e-12)
}

// A label that is no class is an error of the run where indices are checked; ignored ones are not.
func TestLabelsAreChecked(t *testing.T) {
	dev, err := lazy.Open("cpu", lazy.CheckIndices(true))
	require.NoError(t, err)
	defer func() { require.ErrorIs(t, dev.Close(), lazy.ErrIndex) }()
	tr := lazy.NewTrace(dev)
	for _, c := range []struct {
		labels []int32
		bad    bool
	}{{[]int32{0, -100}, false}, {[]int32{0, 3}, true}} {
		y := nn.CrossEntropy(lazy.Zeros(tr, lazy.F32, 2, 3), lazy.From(tr, c.labels), nn.CrossEntropyOptions{})
		err := tr.MarkStep(y)
		if err == nil {
			_, err = y.Item()
		}
		if !c.bad {
			require.NoError(t, err)
			continue
		}
		require.ErrorIs(t, err, lazy.ErrIndex)
		require.ErrorContains(t, err, "nn_test.go:")
	}
}
