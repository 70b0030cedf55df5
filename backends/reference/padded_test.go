package reference

import (
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/backends/reference/eval"
	"ltc/internal/samples"
)

// What is padded after a part of it was taken, or its dimensions were exchanged, has the
// padding's value beside it and no element of what was left out.
func TestPaddedParts(t *testing.T) {
	for name, ops := range map[string]string{
		"a slice from the start": `
  %p = stablehlo.slice %x [0:3, 0:5] : (tensor<6x8xf32>) -> tensor<3x5xf32>
  %r = stablehlo.pad %p, %z, low = [0, 0], high = [2, 4], interior = [0, 0] : (tensor<3x5xf32>, tensor<f32>) -> tensor<5x9xf32>`,
		"a slice within": `
  %p = stablehlo.slice %x [1:4, 2:7] : (tensor<6x8xf32>) -> tensor<3x5xf32>
  %r = stablehlo.pad %p, %z, low = [1, 2], high = [1, 2], interior = [0, 0] : (tensor<3x5xf32>, tensor<f32>) -> tensor<5x9xf32>`,
		"a transposed slice": `
  %s = stablehlo.slice %x [0:5, 0:3] : (tensor<6x8xf32>) -> tensor<5x3xf32>
  %p = stablehlo.transpose %s, dims = [1, 0] : (tensor<5x3xf32>) -> tensor<3x5xf32>
  %r = stablehlo.pad %p, %z, low = [1, 0], high = [1, 4], interior = [0, 0] : (tensor<3x5xf32>, tensor<f32>) -> tensor<5x9xf32>`,
		"a transpose": `
  %p = stablehlo.transpose %x, dims = [1, 0] : (tensor<6x8xf32>) -> tensor<8x6xf32>
  %q = stablehlo.slice %p [0:3, 0:6] : (tensor<8x6xf32>) -> tensor<3x6xf32>
  %r = stablehlo.pad %q, %z, low = [0, 1], high = [2, 2], interior = [0, 0] : (tensor<3x6xf32>, tensor<f32>) -> tensor<5x9xf32>`,
	} {
		t.Run(name, func(t *testing.T) {
			m := backends.NewModule("func.func @main(%x: tensor<6x8xf32>) -> tensor<5x9xf32> {\n  %z = stablehlo.constant dense<7.0> : tensor<f32>" + ops + "\n  return %r : tensor<5x9xf32>\n}")
			var results [2]*backends.Call
			for i, b := range []backends.Backend{asKernels{eval.New()}, eval.New()} {
				e, err := b.Compile(t.Context(), m, backends.Options{})
				require.NoError(t, err)
				results[i] = &backends.Call{Args: arguments(e)}
				require.NoError(t, e.Execute(t.Context(), results[i]))
			}
			d, err := samples.Differ(results[0].Results[0], results[1].Results[0])
			require.NoError(t, err)
			require.Zero(t, d.Size, "at %v: %s, want %s", d.At, d.Got, d.Want)
		})
	}
}
