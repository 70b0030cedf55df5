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
			switch name { // those of the table are along another axis
			case "SafeSoftmax":
				f = one(func(x *lazy.Tensor) *lazy.Tensor { return nn.SafeSoftmax(x, 0) })
			case "Softmin":
				f = one(func(x *lazy.Tensor) *lazy.Tensor { return nn.Softmin(x, 0) })
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
	tr := lazy.NewTrace(dev)
	var marked error
	for _, c := range []struct {
		labels []int32
		bad    bool
	}{{[]int32{0, -100}, false}, {[]int32{0, 3}, true}} {
		y := nn.CrossEntropy(lazy.Zeros(tr, lazy.F32, 2, 3), lazy.From(tr, c.labels), nn.CrossEntropyOptions{})
		marked = tr.MarkStep(y)
		err := marked
		if err == nil { // the step is queued
			_, err = y.Item()
		}
		if !c.bad {
			require.NoError(t, err)
			continue
		}
		require.ErrorIs(t, err, lazy.ErrIndex)
		require.ErrorContains(t, err, "nn_test.go:")
	}
	if closed := dev.Close(); marked != nil { // MarkStep has run the short step, and returned its error
		require.NoError(t, closed)
	} else {
		require.ErrorIs(t, closed, lazy.ErrIndex)
	}
}

// Functions compute 16-bit floats in f32, round once, and give their dtype back.
func TestNarrowFloats(t *testing.T) {
	tr := trace(t, "cpu")
	for _, d := range []types.DType{lazy.F16, lazy.BF16} {
		for _, g := range goldens(t) {
			if strings.Contains(g.name, "/") || len(g.grads) == 0 || slices.Contains([]string{"NLLLoss", "EmbeddingBag", "EmbeddingBagOffsets", "MultiHeadAttention"}, g.name) {
				continue // with weights of f64
			}
			var xs, wide []*lazy.Tensor
			for k, in := range g.inputs {
				x := fill(tr, in, k, 0)
				w := x
				if x.DType().IsFloat() {
					x = x.Convert(d)
					w = x.Convert(lazy.F32)
				}
				xs, wide = append(xs, x), append(wide, w)
			}
			y := functions[g.name](xs)[0]
			require.NoError(t, y.Err(), g.name)
			require.Equal(t, d, y.DType(), g.name)
			z := functions[g.name](wide)[0].Convert(d).Convert(lazy.F64)
			y = y.Convert(lazy.F64)
			require.NoError(t, tr.MarkStep(y, z), g.name)
			if g.name != "CTCLoss" && g.name != "ScaledDotProductAttention" { // ops of package lazy round within these
				require.Equal(t, values(t, z), values(t, y), "%s of %v", g.name, d)
			}
		}
	}
}

// A program with an open batch runs for every size of it.
func TestOpenBatch(t *testing.T) {
	dev, err := lazy.Open("cpu", lazy.CheckIndices(false)) // checks make programs of a size each
	require.NoError(t, err)
	defer func() { require.NoError(t, dev.Close()) }()
	f := lazy.Func(dev, func(tr *lazy.Trace, x *lazy.Tensor) *lazy.Tensor {
		c := lazy.Ones(tr, lazy.F32, 4)
		x, mean, _ := nn.BatchNormTraining(x, c, c, c, nil, 0.5, 1e-3)
		x = nn.GroupNorm(nn.Mish(x), c, nil, 2, 1e-3)
		x = nn.Conv2d(x, lazy.Ones(tr, lazy.F32, 4, 4, 3, 3), nil, nn.ConvOptions{Same: true})
		x = nn.PixelUnshuffle(nn.Interpolate(x, nn.InterpolateOptions{Sizes: []int{4, 4}, Mode: nn.ModeLinear}), 2)
		x = nn.AdaptiveAvgPool(nn.AvgPool(x, []int{2, 2}, nn.PoolOptions{Stride: []int{1}}), 1, 1).Reshape(-1, 16)
		x = nn.RMSNorm(nn.LayerNorm(x, nil, nil, 1, 1e-3), nil, 1, 1e-3)
		padded := nn.Pad(x, []int{1, 1, 2, 0}, nn.PadReplicate)
		return nn.MSELoss(x, x.Sigmoid(), nn.ReduceSum).Add(mean.Sum()).Add(padded.Mean())
	})
	require.NoError(t, f.Inputs(lazy.Input{Name: "x", Type: types.Of(types.F32, lazy.Dim("batch", 1, 16), 4, 3, 3)}))
	for _, n := range []int{1, 5} {
		in := make([]float32, n*36)
		for i := range in {
			in[i] = float32(i%7) - 3
		}
		y, err := f.Call(t.Context(), lazy.From(dev, in, n, 4, 3, 3))
		require.NoError(t, err)
		require.False(t, math.IsNaN(y.Float()))
	}
	require.Len(t, f.Report().Compiles, 1)
}

// Padding is what PyTorch's pad makes, with negative numbers, too.
func TestPad(t *testing.T) {
	tr := trace(t, "eval")
	row, square := lazy.From(tr, []float32{1, 2, 3, 4}), lazy.From(tr, []float32{1, 2, 3, 4}, 2, 2)
	for _, c := range []struct {
		x       *lazy.Tensor
		padding []int
		mode    int
		values  []float32
	}{
		{row, []int{2, 1}, nn.PadReflect, []float32{3, 2, 1, 2, 3, 4, 3}},
		{row, []int{-1, 2}, nn.PadReflect, []float32{2, 3, 4, 3, 2}},
		{row, []int{2, 1}, nn.PadReplicate, []float32{1, 1, 1, 2, 3, 4, 4}},
		{row, []int{2, 4}, nn.PadCircular, []float32{3, 4, 1, 2, 3, 4, 1, 2, 3, 4}},
		{row, []int{-1, 1}, nn.PadConstant, []float32{2, 3, 4, 0}},
		{row, []int{-4, 5}, nn.PadReplicate, []float32{4, 4, 4, 4, 4}},
		{row, []int{2, -5}, nn.PadReplicate, []float32{1}},
		{square, []int{0, 1, 1, 0}, nn.PadReplicate, []float32{1, 2, 2, 1, 2, 2, 3, 4, 4}},
	} {
		y, err := lazy.ToSlice[float32](nn.Pad(c.x, c.padding, c.mode))
		require.NoError(t, err)
		require.Equal(t, c.values, y)
	}
	filled, err := lazy.ToSlice[float32](nn.PadValue(row, []int{1, -2}, math.Inf(-1)))
	require.NoError(t, err)
	require.Equal(t, []float32{float32(math.Inf(-1)), 1, 2}, filled)
	bools, err := lazy.ToSlice[bool](nn.Pad(row.GreaterScalar(2), []int{1, 0}, nn.PadConstant))
	require.NoError(t, err)
	require.Equal(t, []bool{false, false, false, true, true}, bools)
}

// A batch without examples has results and gradients without elements.
func TestWindowsOfEmptyBatches(t *testing.T) {
	for _, backend := range []string{"eval", "cpu"} {
		tr := trace(t, backend)
		x := lazy.Zeros(tr, lazy.F32, 0, 2, 4, 5)
		columns := nn.Unfold(x, []int{2, 2}, nn.PoolOptions{})
		largest, _ := nn.MaxPool(x, []int{2, 2}, nn.PoolOptions{Ceil: true})
		g := lazy.Grad(columns.Sum().Add(largest.Sum()), x)[0]
		require.NoError(t, tr.MarkStep(columns, largest, g))
		require.Equal(t, types.Shape{0, 8, 12}, columns.Shape())
		require.Equal(t, types.Shape{0, 2, 2, 3}, largest.Shape())
		require.Equal(t, types.Shape{0, 2, 4, 5}, g.Shape())
	}
}

// Windows of the smallest numbers have the index of their first element, not of the padding before it.
func TestMaxPoolOfSmallestNumbers(t *testing.T) {
	for _, backend := range []string{"eval", "cpu"} {
		tr := trace(t, backend)
		least := float32(math.Inf(-1))
		for _, x := range []*lazy.Tensor{
			lazy.From(tr, []float32{7, 3, least, least}, 1, 1, 2, 2),
			lazy.From(tr, []uint8{7, 3, 0, 0}, 1, 1, 2, 2),
			lazy.From(tr, []int64{7, 3, math.MinInt64, math.MinInt64}, 1, 1, 2, 2),
		} {
			y, i := nn.MaxPool(x, []int{2, 2}, nn.PoolOptions{Padding: []int{1}})
			places, err := lazy.ToSlice[int64](i)
			require.NoError(t, err)
			require.Equal(t, []int64{0, 1, 2, 3}, places)
			same, err := lazy.ToSlice[bool](y.Equal(x).All())
			require.NoError(t, err)
			require.Equal(t, []bool{true}, same)
		}
	}
}

// Pairs of features turn by the product of the place and their rate, neighbours or halves apart. The angle
// between a query and a key depends on the distance of their places alone.
func TestRotary(t *testing.T) {
	tr := trace(t, "eval")
	x := lazy.From(tr, []float32{1, 2, 3, 4, 1, 2, 3, 4}, 2, 4)
	places := lazy.From(tr, []int32{0, 3})
	turned := func(a, b float64, i int) (float64, float64) {
		s, c := math.Sincos(3 * math.Pow(100, -float64(i)/2))
		return a*c - b*s, a*s + b*c
	}
	var side, half [4]float64
	side[0], side[1] = turned(1, 2, 0)
	side[2], side[3] = turned(3, 4, 1)
	half[0], half[2] = turned(1, 3, 0)
	half[1], half[3] = turned(2, 4, 1)
	for _, c := range []struct {
		interleaved bool
		want        [4]float64
	}{{true, side}, {false, half}} {
		y := nn.Rotary(x, places, nn.RotaryOptions{Base: 100, Interleaved: c.interleaved})
		require.NoError(t, tr.MarkStep(y))
		got, err := lazy.ToSlice[float32](y)
		require.NoError(t, err)
		require.Equal(t, []float32{1, 2, 3, 4}, got[:4])
		for i, want := range c.want {
			require.InDelta(t, want, got[4+i], 1e-5)
		}
	}
	product := func(at, other int32) float64 {
		turn := func(place int32) *lazy.Tensor {
			return nn.Rotary(lazy.From(tr, []float32{1, 2, 3, 4}, 1, 4), lazy.From(tr, []int32{place}), nn.RotaryOptions{})
		}
		y := turn(at).Mul(turn(other)).Sum()
		require.NoError(t, tr.MarkStep(y))
		return y.Float()
	}
	require.InDelta(t, product(0, 7), product(30, 37), 1e-4)
	require.NotEqual(t, product(0, 7), product(0, 8))

	for want, x := range map[string]*lazy.Tensor{
		"features is 3, must be even":                 lazy.Ones(tr, lazy.F32, 2, 3),
		"x has rank 1, must be […, n, features]":      lazy.Ones(tr, lazy.F32, 4),
		"x must be floating point or complex, is i32": lazy.Ones(tr, lazy.I32, 2, 4),
	} {
		require.ErrorContains(t, nn.Rotary(x, places, nn.RotaryOptions{}).Err(), "nn.rotary("+x.Type().String())
		require.ErrorContains(t, nn.Rotary(x, places, nn.RotaryOptions{}).Err(), want)
	}
	even := lazy.Ones(tr, lazy.F32, 2, 4)
	require.ErrorContains(t, nn.Rotary(even, places, nn.RotaryOptions{Base: -2}).Err(), "base is -2, must be positive, or 0 for 10,000")
	require.ErrorContains(t, nn.Rotary(even, places, nn.RotaryOptions{Base: math.NaN()}).Err(), "base is NaN, must be a finite number")
}
