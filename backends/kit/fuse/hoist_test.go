package fuse_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends/kit/fuse"
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

// Scales of blocks are converted, and the terms that are the same for a block summed, in a stage
// of its own.
func TestHoist(t *testing.T) {
	golden.Is(t, "testdata/passes/hoist.txt", fromTo(t, blocksOf, fuse.Options{Hoist: true}, "cut", "hoisted"))
	kittest.SameAs(t, blocksOf, kittest.CompileFor(t, blocksOf, fuse.Options{Hoist: true}))
	_, graphs := compileGraphs(t, blocksOf, fuse.Options{})
	require.Equal(t, graphs["cut"], graphs["hoisted"]) // nobody asked for it
}
