package fuse_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends/kit/fuse"
	"ltc/backends/kit/kernel"
	"ltc/internal/test/kittest"
)

// Long reductions are done in parts, whose number their sizes decide.
func TestSplit(t *testing.T) {
	for shape, steps := range map[string]int{"300x400": 2, "131072": 2, "1000": 1, "131071": 1, "20x300x400": 1} {
		dims, out := "0", "f32"
		switch shape {
		case "300x400":
			dims = "0, 1"
		case "20x300x400":
			dims, out = "1, 2", "20xf32"
		}
		p := kittest.Same(t, fmt.Sprintf(`func.func @main(%%x: tensor<%[1]sxf32>) -> tensor<%[3]s> {
			%%0 = stablehlo.constant dense<0.0> : tensor<f32>
			%%1 = stablehlo.multiply %%x, %%x : tensor<%[1]sxf32>
			%%2 = stablehlo.reduce(%%1 init: %%0) applies stablehlo.add across dimensions = [%[2]s] : (tensor<%[1]sxf32>, tensor<f32>) -> tensor<%[3]s>
			return %%2 : tensor<%[3]s>
		}`, shape, dims, out))
		require.Len(t, p.Steps, steps, shape)
	}
}

// A target may want other reductions cut, along any axis, and into parts of any
// length that divides them by powers of two.
func TestParts(t *testing.T) {
	for _, c := range []struct {
		dims, result string
		parts, steps int
	}{
		{"0", "24xf32", 8, 2}, {"0", "24xf32", 1, 1}, {"1", "64xf32", 2, 2}, {"1", "64xf32", 5, 2}, {"0, 1", "f32", 16, 2},
	} {
		text := fmt.Sprintf(`func.func @main(%%x: tensor<64x24xf32>, %%y: tensor<64x24xf32>) -> tensor<%[2]s> {
			%%0 = stablehlo.constant dense<0.0> : tensor<f32>
			%%1 = stablehlo.multiply %%x, %%y : tensor<64x24xf32>
			%%2 = stablehlo.reduce(%%1 init: %%0) applies stablehlo.add across dimensions = [%[1]s] : (tensor<64x24xf32>, tensor<f32>) -> tensor<%[2]s>
			%%3 = stablehlo.tanh %%2 : tensor<%[2]s>
			return %%3 : tensor<%[2]s>
		}`, c.dims, c.result)
		p := kittest.CompileFor(t, text, fuse.Options{Parts: func(_ *kernel.Kernel, points, length int64) int64 {
			require.EqualValues(t, 64*24, points*length)
			return int64(c.parts)
		}})
		require.Len(t, kittest.SameAs(t, text, p).Steps, c.steps, "%v", c)
	}
}
