package fuse_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends/kit/fuse"
	"ltc/backends/kit/kernel"
	"ltc/internal/test/golden"
	"ltc/internal/test/kittest"
)

// packsOnce is a target that packs the factors of all contractions once.
func packsOnce(k *kernel.Kernel, _, _ []int64) (a, b int) {
	if c, ok := kernel.AsContraction(k); !ok || c.A.Source == kernel.None || c.B.Source == kernel.None {
		return 0, 0
	}
	return 1, 1
}

// dequantised is a product with a matrix of bytes, each column of which has a
// scale.
const dequantised = `func.func @main(%x: tensor<8x16xf32>, %w: tensor<16x12xui8>, %s: tensor<12xf32>) -> tensor<8x12xf32> {
  %0 = stablehlo.convert %w : (tensor<16x12xui8>) -> tensor<16x12xf32>
  %1 = stablehlo.broadcast_in_dim %s, dims = [1] : (tensor<12xf32>) -> tensor<16x12xf32>
  %2 = stablehlo.multiply %0, %1 : tensor<16x12xf32>
  %3 = stablehlo.dot_general %x, %2, contracting_dims = [1] x [0] : (tensor<8x16xf32>, tensor<16x12xf32>) -> tensor<8x12xf32>
  return %3 : tensor<8x12xf32>
}`

// What computes a factor becomes part of the contraction.
func TestPacked(t *testing.T) {
	samePasses(t, dequantised)
	golden.Is(t, "testdata/passes/packed.txt", fromTo(t, dequantised, fuse.Options{Packs: packsOnce}, "private", "packed"))
}

// It does so where that takes less than memory, and nobody else reads it.
func TestWhatIsPacked(t *testing.T) {
	times := func(a, b int) func(*kernel.Kernel, []int64, []int64) (int, int) {
		return func(*kernel.Kernel, []int64, []int64) (int, int) { return a, b }
	}
	replace := func(pairs ...string) string { return strings.NewReplacer(pairs...).Replace(dequantised) }
	twice := replace("return %3 : tensor<8x12xf32>", "%4 = stablehlo.dot_general %x, %2, contracting_dims = [1] x [0] : (tensor<8x16xf32>, tensor<16x12xf32>) -> tensor<8x12xf32>\n %5 = stablehlo.dot_general %4, %2, contracting_dims = [1] x [1] : (tensor<8x12xf32>, tensor<16x12xf32>) -> tensor<8x16xf32>\n return %5 : tensor<8x16xf32>",
		"-> tensor<8x12xf32> {", "-> tensor<8x16xf32> {")
	for _, c := range []struct {
		name    string
		text    string
		packs   func(*kernel.Kernel, []int64, []int64) (int, int)
		kernels int
	}{
		{"once", dequantised, times(1, 1), 1},
		{"by a target that does not", dequantised, nil, 2},
		{"not at all", dequantised, times(0, 0), 2},
		{"many times", dequantised, times(1, 100), 1},
		{"two matrices many times", replace("%w: tensor<16x12xui8>", "%w: tensor<16x12xf32>, %v: tensor<16x12xf32>", "convert %w : (tensor<16x12xui8>) -> tensor<16x12xf32>", "add %w, %v : tensor<16x12xf32>"), times(1, 100), 2},
		{"two matrices once", replace("%w: tensor<16x12xui8>", "%w: tensor<16x12xf32>, %v: tensor<16x12xf32>", "convert %w : (tensor<16x12xui8>) -> tensor<16x12xf32>", "add %w, %v : tensor<16x12xf32>"), times(1, 1), 1},
		{"of the other factor", dequantised, times(100, 1), 1},
		{"dear, once", replace("convert %w : (tensor<16x12xui8>) -> tensor<16x12xf32>", "exponential %w : tensor<16x12xf32>", "%w: tensor<16x12xui8>", "%w: tensor<16x12xf32>"), times(1, 1), 1},
		{"dear, often", replace("convert %w : (tensor<16x12xui8>) -> tensor<16x12xf32>", "exponential %w : tensor<16x12xf32>", "%w: tensor<16x12xui8>", "%w: tensor<16x12xf32>"), times(1, 4), 2},
		{"by two products", twice, times(1, 1), 2},
		{"a result, too", replace("-> tensor<8x12xf32> {", "-> (tensor<8x12xf32>, tensor<16x12xf32>) {", "return %3 : tensor<8x12xf32>", "return %3, %2 : tensor<8x12xf32>, tensor<16x12xf32>"), times(1, 1), 2},
		{"read by another", replace("-> tensor<8x12xf32> {", "-> (tensor<8x12xf32>, tensor<12x16xf32>) {", "return %3 : tensor<8x12xf32>", "%4 = stablehlo.transpose %2, dims = [1, 0] : (tensor<16x12xf32>) -> tensor<12x16xf32>\n return %3, %4 : tensor<8x12xf32>, tensor<12x16xf32>"), times(1, 1), 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := kittest.CompileFor(t, c.text, fuse.Options{Packs: c.packs})
			require.Len(t, p.Steps, c.kernels, fmt.Sprint(p))
			samePasses(t, c.text)
		})
	}
}

// A transpose becomes part of a product that reads it through a window if neighbours stay
// neighbours along what is summed.
func TestWindowsOfTransposes(t *testing.T) {
	for _, c := range []struct {
		shape, dims string
		steps       int
	}{
		{"2x8x6x6", "1, 2, 3, 0", 1},
		{"2x6x6x8", "3, 1, 2, 0", 2},
	} {
		text := fmt.Sprintf(`func.func @main(%%x: tensor<%[1]sxf32>, %%w: tensor<5x5x2x4xf32>) -> tensor<8x2x2x4xf32> {
  %%0 = stablehlo.transpose %%x, dims = [%[2]s] : (tensor<%[1]sxf32>) -> tensor<8x6x6x2xf32>
  %%1 = stablehlo.convolution(%%0, %%w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<8x6x6x2xf32>, tensor<5x5x2x4xf32>) -> tensor<8x2x2x4xf32>
  return %%1 : tensor<8x2x2x4xf32>
}`, c.shape, c.dims)
		p := kittest.SameAs(t, text, kittest.CompileFor(t, text, fuse.Options{Packs: packsOnce}))
		require.Len(t, p.Steps, c.steps, fmt.Sprint(p))
	}
}

// A border of 0 becomes part of the convolutions that read it, where the target copies what they
// read of the image, and nobody else reads it.
func TestPackedBorders(t *testing.T) {
	const text = `func.func @main(%x: tensor<2x5x4x3xf32>, %w: tensor<3x3x3x4xf32>) -> (tensor<2x5x4x4xf32>, tensor<2x5x4x4xf32>) {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %p = stablehlo.pad %x, %z, low = [0, 1, 1, 0], high = [0, 1, 1, 0], interior = [0, 0, 0, 0] : (tensor<2x5x4x3xf32>, tensor<f32>) -> tensor<2x7x6x3xf32>
  %y = stablehlo.convolution(%p, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x7x6x3xf32>, tensor<3x3x3x4xf32>) -> tensor<2x5x4x4xf32>
  %v = stablehlo.negate %w : tensor<3x3x3x4xf32>
  %u = stablehlo.convolution(%p, %v) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x7x6x3xf32>, tensor<3x3x3x4xf32>) -> tensor<2x5x4x4xf32>
  return %y, %u : tensor<2x5x4x4xf32>, tensor<2x5x4x4xf32>
}`
	borders := func(k *kernel.Kernel, _, _ []int64) (a, b int) {
		if c, ok := kernel.AsContraction(k); !ok || !c.A.Bordered && !c.B.Bordered {
			return 0, 0
		}
		return 1, 1
	}
	for _, c := range []struct {
		name, old, new string
		padded         bool
	}{
		{"as it is", "", "", false},
		{"of 1", "dense<0.0>", "dense<1.0>", true},
		{"a result, too", "return %y, %u : tensor<2x5x4x4xf32>, tensor<2x5x4x4xf32>", "return %y, %p : tensor<2x5x4x4xf32>, tensor<2x7x6x3xf32>", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			text := strings.Replace(text, c.old, c.new, 1)
			if c.name == "a result, too" {
				text = strings.Replace(text, "-> (tensor<2x5x4x4xf32>, tensor<2x5x4x4xf32>)", "-> (tensor<2x5x4x4xf32>, tensor<2x7x6x3xf32>)", 1)
			}
			p := kittest.SameAs(t, text, kittest.CompileFor(t, text, fuse.Options{Packs: borders}))
			guards := 0
			for _, k := range p.Kernels {
				if _, ok := kernel.AsContraction(k); ok {
					guards += strings.Count(k.String(), " else ")
				}
			}
			require.Equal(t, c.padded, guards == 0, fmt.Sprint(p))
		})
	}
}

// The transpose of an image with a border pads it itself, unless others read that, too.
func TestTransposesOfBorders(t *testing.T) {
	for _, results := range []string{"%1", "%1, %0"} {
		types := strings.NewReplacer("%1", "tensor<8x4x2xf32>", "%0", "tensor<2x4x8xf32>").Replace(results)
		text := fmt.Sprintf(`func.func @main(%%x: tensor<2x3x8xf32>, %%z: tensor<f32>) -> (%s) {
  %%0 = stablehlo.pad %%x, %%z, low = [0, 1, 0], high = [0, 0, 0], interior = [0, 0, 0] : (tensor<2x3x8xf32>, tensor<f32>) -> tensor<2x4x8xf32>
  %%1 = stablehlo.transpose %%0, dims = [2, 1, 0] : (tensor<2x4x8xf32>) -> tensor<8x4x2xf32>
  return %s : %s
}`, types, results, types)
		p := kittest.Same(t, text)
		require.Equal(t, 1, strings.Count(fmt.Sprint(p), " else "), fmt.Sprint(p))
	}
}
