package main

import (
	"fmt"
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
func TestPreprocess(t *testing.T) {
	p := data.Picture{Channels: 3, Height: 300, Width: 400, Values: make([]float32, 3*300*400)}
	for i := range p.Values {
		p.Values[i] = 1
	}
	p, err := preprocess(p)
	require.NoError(t, err)
	require.Equal(t, []int{3, size, size}, []int{p.Channels, p.Height, p.Width})
	require.InDelta(t, 1, slices.Max(p.Values), 1e-6)
	require.InDelta(t, 1, slices.Min(p.Values), 1e-6)
}

// Flags that leave nothing to do are refused with what to give.
func TestFlags(t *testing.T) {
	require.NoError(t, usable(1, 5, ""))
	require.NoError(t, usable(0, 5, "effnet.mlir"))
	require.EqualError(t, usable(0, 5, ""), "give one or more pictures, PNG or JPEG")
	require.EqualError(t, usable(1, 0, ""), "-most is 0: give 1 to 1000")
	require.EqualError(t, usable(1, 1001, ""), "-most is 1001: give 1 to 1000")
}

// The scores and classes are those recorded, of a plain clone those of made-up values alone.
func TestRecordedScores(t *testing.T) {
	model := inputs.File(t, "efficientnet", "efficientnet-lite0-57934424.pth")
	var cases []struct {
		Input  string
		Top5   [][2]float64
		Logits []float32
	}
	inputs.Expected(t, "testdata/effnet.json", &cases)
	require.Len(t, cases, 3)
	c, err := open("cpu", model, 5)
	require.NoError(t, err)
	for _, of := range cases {
		t.Run(of.Input, func(t *testing.T) {
			name, _, _ := strings.Cut(of.Input, ",")
			values := generated(3 * size * size)
			if strings.HasSuffix(name, ".png") {
				path := inputs.Recorded(t, name)
				p, err := data.ReadImageFile(path, 3)
				require.NoError(t, err)
				p, err = preprocess(p)
				require.NoError(t, err)
				values = p.Values
				var out strings.Builder
				require.NoError(t, run(t.Context(), &out, "cpu", model, "", 2, "", []string{path}))
				require.Contains(t, out.String(), fmt.Sprintf("%.4f  class %.0f\n", of.Top5[0][1], of.Top5[0][0]))
			}
			all, err := c.call(t.Context(), values)
			require.NoError(t, err)
			scores, err := lazy.ToSlice[float32](all[2])
			require.NoError(t, err)
			require.Len(t, scores, classes)
			require.InDeltaSlice(t, of.Logits, scores[:len(of.Logits)], 1e-3)
			indices, err := lazy.ToSlice[int32](all[1])
			require.NoError(t, err)
			for i, top := range of.Top5 {
				require.EqualValues(t, top[0], indices[i])
			}
		})
	}
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
