package fuse_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends/kit/fuse"
	"ltc/backends/kit/kernel"
	"ltc/internal/test/golden"
	"ltc/internal/test/kittest"
)

// blocksOf is the product of a row and weights in blocks that share a scale and a minimum.
const blocksOf = `func.func @main(%codes: tensor<5x8x4xui8>, %scale: tensor<5x8x1xf16>, %min: tensor<5x8x1xf16>, %x: tensor<1x8x4xf32>, %mean: tensor<1x8x1xf32>) -> tensor<5xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %q = stablehlo.convert %codes : (tensor<5x8x4xui8>) -> tensor<5x8x4xf32>
  %xs = stablehlo.broadcast_in_dim %x, dims = [0, 1, 2] : (tensor<1x8x4xf32>) -> tensor<5x8x4xf32>
  %p = stablehlo.multiply %q, %xs : tensor<5x8x4xf32>
  %s = stablehlo.convert %scale : (tensor<5x8x1xf16>) -> tensor<5x8x1xf32>
  %ss = stablehlo.broadcast_in_dim %s, dims = [0, 1, 2] : (tensor<5x8x1xf32>) -> tensor<5x8x4xf32>
  %ps = stablehlo.multiply %p, %ss : tensor<5x8x4xf32>
  %m = stablehlo.convert %min : (tensor<5x8x1xf16>) -> tensor<5x8x1xf32>
  %means = stablehlo.broadcast_in_dim %mean, dims = [0, 1, 2] : (tensor<1x8x1xf32>) -> tensor<5x8x1xf32>
  %mm = stablehlo.multiply %m, %means : tensor<5x8x1xf32>
  %base = stablehlo.broadcast_in_dim %mm, dims = [0, 1, 2] : (tensor<5x8x1xf32>) -> tensor<5x8x4xf32>
  %all = stablehlo.add %ps, %base : tensor<5x8x4xf32>
  %y = stablehlo.reduce(%all init: %zero) applies stablehlo.add across dimensions = [1, 2] : (tensor<5x8x4xf32>, tensor<f32>) -> tensor<5xf32>
  return %y : tensor<5xf32>
}`

// Scales of blocks are converted, and the invariant terms summed, in a stage of its own.
func TestHoist(t *testing.T) {
	golden.Is(t, "testdata/passes/hoist.txt", fromTo(t, blocksOf, fuse.Options{Hoist: true}, "cut", "hoisted"))
	kittest.SameAs(t, blocksOf, kittest.CompileFor(t, blocksOf, fuse.Options{Hoist: true}))
	_, graphs := compileGraphs(t, blocksOf, fuse.Options{})
	require.Equal(t, graphs["cut"], graphs["hoisted"]) // nobody asked for it
}

// Only sums over short axes without an order are split, if some of their terms or values are invariant.
func TestHoistRefuses(t *testing.T) {
	const text = `kernel k(codes: u8[5, 8, 4] strides [*, *, *], scale: f16[5, 8] strides [*, *], out y: f32[5] strides [*]) {
	for p < 5
	stage i < 8 j < 4 {
		%0 = load codes[p, i, j]
		%1 = convert %0 : f32
		%2 = load scale[p, i]
		%3 = convert %2 : f32
		%4 = multiply %1, %3 : f32
		%5 = reduce add %4
	}
	stage {
		store y[p], %5
	}
}
`
	for _, c := range []struct {
		name   string
		change []string // old and new texts
		splits bool
	}{
		{"blocks", nil, true},
		{"256 points", []string{"8, 4]", "8, 256]", "j < 4", "j < 256"}, true},
		{"257 points", []string{"8, 4]", "8, 257]", "j < 4", "j < 257"}, false},
		{"7 blocks", []string{"5, 8", "5, 7", "i < 8", "i < 7"}, false},
		{"maximum", []string{"reduce add", "reduce maximum"}, false},
		{"scan", []string{"stage i < 8 j < 4", "stage i < 8 scan j < 4"}, false},
		{"no scale", []string{"multiply %1, %3", "multiply %1, %1"}, false},
	} {
		k, err := kernel.Parse(strings.NewReplacer(c.change...).Replace(text))
		require.NoError(t, err, c.name)
		require.Equal(t, c.splits, fuse.Splits(k, 0), c.name)
	}
}

// Later stages with axes use a sum whose terms are split, too.
func TestHoistedSumsOfLaterStages(t *testing.T) {
	const text = `func.func @main(%x: tensor<3x8x2xf32>, %y: tensor<3x8x1xf32>) -> tensor<3xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %ys = stablehlo.broadcast_in_dim %y, dims = [0, 1, 2] : (tensor<3x8x1xf32>) -> tensor<3x8x2xf32>
  %s = stablehlo.add %x, %ys : tensor<3x8x2xf32>
  %sum = stablehlo.reduce(%s init: %zero) applies stablehlo.add across dimensions = [1, 2] : (tensor<3x8x2xf32>, tensor<f32>) -> tensor<3xf32>
  %sums = stablehlo.broadcast_in_dim %sum, dims = [0] : (tensor<3xf32>) -> tensor<3x8x2xf32>
  %d = stablehlo.subtract %s, %sums : tensor<3x8x2xf32>
  %a = stablehlo.abs %d : tensor<3x8x2xf32>
  %most = stablehlo.reduce(%a init: %zero) applies stablehlo.maximum across dimensions = [1, 2] : (tensor<3x8x2xf32>, tensor<f32>) -> tensor<3xf32>
  %r = stablehlo.add %most, %sum : tensor<3xf32>
  return %r : tensor<3xf32>
}`
	kittest.SameAs(t, text, kittest.CompileFor(t, text, fuse.Options{Hoist: true}))
}
