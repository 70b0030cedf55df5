package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/data"
	"ltc/internal/test/inputs"
	"ltc/lazy"
	"ltc/nn/module"
)

// The network has the variables of the package efficientnet-lite-pytorch, and one program.
func TestNet(t *testing.T) {
	dev, err := lazy.Open("cpu")
	require.NoError(t, err)
	net := NewNet(10)
	require.NoError(t, module.Build(net, dev))
	require.NoError(t, module.Eval(net))
	var names []string
	for name := range module.State(net) {
		names = append(names, name)
	}
	require.Len(t, names, 296)
	for _, name := range []string{"_conv_stem.weight", "_blocks.0._depthwise_conv.weight", "_blocks.15._expand_conv.weight", "_blocks.15._bn2.running_var", "_bn1.num_batches_tracked", "_fc.bias"} {
		require.Contains(t, names, name)
	}
	require.NotContains(t, names, "_blocks.0._expand_conv.weight")
	tr := lazy.NewTrace(dev)
	y := net.Forward(lazy.Ones(tr, lazy.F32, 1, 3, 65, 64))
	require.NoError(t, y.Err())
	require.Equal(t, []int{1, 10}, []int(y.Type().Shape))
}

// Pictures of other sizes are cropped and scaled; values are from -1 to 1.
func TestPrepared(t *testing.T) {
	p := data.Picture{Channels: 3, Height: 300, Width: 400, Values: make([]float32, 3*300*400)}
	for i := range p.Values {
		p.Values[i] = 1
	}
	p, err := prepared(p)
	require.NoError(t, err)
	require.Equal(t, []int{3, size, size}, []int{p.Channels, p.Height, p.Width})
	require.InDelta(t, 1, slices.Max(p.Values), 1e-6)
	require.InDelta(t, 1, slices.Min(p.Values), 1e-6)
}

// The scores and classes are those recorded.
func TestRecordedScores(t *testing.T) {
	model := inputs.File(t, "efficientnet", "efficientnet-lite0-57934424.pth")
	var cases []struct {
		Input  string
		Top5   [][2]float64
		Logits []float32
	}
	inputs.Expected(t, "effnet_expected.json", &cases)
	require.NotEmpty(t, cases)
	c, err := open("cpu", model, 5)
	require.NoError(t, err)
	var pictures []string
	for _, of := range cases {
		name, _, picture := strings.Cut(of.Input, ",")
		values := generated(3 * size * size)
		if picture = picture && strings.HasSuffix(name, ".png"); picture {
			path := inputs.Beside(t, name)
			pictures = append(pictures, path)
			p, err := data.ReadImageFile(path, 3)
			require.NoError(t, err)
			p, err = prepared(p)
			require.NoError(t, err)
			values = p.Values
		}
		all, err := c.call(t.Context(), values)
		require.NoError(t, err)
		scores, err := lazy.ToSlice[float32](all[2])
		require.NoError(t, err)
		require.InDeltaSlice(t, of.Logits, scores, 1e-3, of.Input)
		indices, err := lazy.ToSlice[int32](all[1])
		require.NoError(t, err)
		for i, top := range of.Top5 {
			require.EqualValues(t, top[0], indices[i], of.Input)
		}
	}
	require.Len(t, pictures, 2)
	var out strings.Builder
	require.NoError(t, run(t.Context(), &out, "cpu", model, "", 2, "", pictures))
	require.Contains(t, out.String(), "0.3268  class 985\n")
	require.Contains(t, out.String(), "0.3596  class 698\n")
	require.Len(t, c.function.Report().Compiles, 1)
}

// generated returns n numbers from -1 to 1, as the recorded scores have them: hashes of their places.
func generated(n int) []float32 {
	x := make([]float32, n)
	for i := range x {
		h := uint32(i+1+7919) * 2654435761
		x[i] = float32(float64(h)/(1<<32)*2 - 1)
	}
	return x
}
