package fuse_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/backends/kit/fuse"
	"ltc/backends/kit/kernel"
	"ltc/backends/kit/plan"
	"ltc/internal/test/golden"
	"ltc/internal/test/kittest"
	"ltc/soa"
)

// everyRow is a target that wants rows of all operands of products to be multiples of
// eight elements, whatever it takes.
func everyRow(k *kernel.Kernel, _ []bool) []int64 {
	rows := make([]int64, len(k.Params))
	for i, p := range k.Params {
		if n := len(p.Dims); !p.Out && n > 1 && p.Dims[n-1]%8 != 0 {
			rows[i] = 8
		}
	}
	return rows
}

// oddLayers are two dense layers whose matrices have rows of odd lengths.
const oddLayers = `func.func @main(%x: tensor<6x5xf32>, %w: tensor<5x7xf32>, %v: tensor<7x16xf32>) -> tensor<6x16xf32> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<6x5xf32>, tensor<5x7xf32>) -> tensor<6x7xf32>
  %1 = stablehlo.tanh %0 : tensor<6x7xf32>
  %2 = stablehlo.dot_general %1, %v, contracting_dims = [1] x [0] : (tensor<6x7xf32>, tensor<7x16xf32>) -> tensor<6x16xf32>
  return %2 : tensor<6x16xf32>
}`

// oddImages is a convolution with 0 around images of 3 features, to 5.
const oddImages = `func.func @main(%x: tensor<2x6x5x3xf32>, %w: tensor<3x3x3x5xf32>) -> tensor<2x6x5x5xf32> {
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x6x5x3xf32>, tensor<3x3x3x5xf32>) -> tensor<2x6x5x5xf32>
  return %0 : tensor<2x6x5x5xf32>
}`

// Arguments are copied to rows that a product wants; a temporary has them at once. Images
// and kernels get more features, which are 0, where the border of 0 is written.
func TestPitched(t *testing.T) {
	for name, text := range map[string]string{"pitched": oddLayers, "pitched_convolution": oddImages} {
		samePasses(t, text)
		golden.Is(t, "testdata/passes/"+name+".txt", fromTo(t, text, fuse.Options{Pitch: everyRow}, "joined", "pitched"))
	}
}

// Copies of operands are as few as can be, and results are as they were.
func TestWhatIsPitched(t *testing.T) {
	require.NoError(t, backends.RegisterHost("fuse.copy", func(_ context.Context, c *backends.HostCall) error { return soa.Copy(c.Results[0], c.Args[0]) }))
	replace := func(text string, pairs ...string) string { return strings.NewReplacer(pairs...).Replace(text) }
	dot := func(to, x, w, dims, types string) string {
		return "%" + to + " = stablehlo.dot_general %" + x + ", %" + w + ", " + dims + " : " + types + "\n  "
	}
	const plain = "contracting_dims = [1] x [0]"
	for _, c := range []struct {
		name   string
		text   string
		copies int // steps that copy operands
		values int // temporaries of longer rows
	}{
		{"layers", oddLayers, 2, 3},
		{"a layer that is a result", replace(oddLayers, "-> tensor<6x16xf32> {", "-> (tensor<6x16xf32>, tensor<6x7xf32>) {", "return %2 : tensor<6x16xf32>", "return %2, %1 : tensor<6x16xf32>, tensor<6x7xf32>"), 3, 3},
		{"a layer that the host reads", replace(oddLayers, "-> tensor<6x16xf32> {", "-> (tensor<6x16xf32>, tensor<6x7xf32>) {", "return %2 : tensor<6x16xf32>", "%3 = stablehlo.custom_call @fuse.copy(%1) : (tensor<6x7xf32>) -> tensor<6x7xf32>\n  return %2, %3 : tensor<6x16xf32>, tensor<6x7xf32>"), 3, 3},
		{"twice the same matrix", "func.func @main(%x: tensor<6x5xf32>, %w: tensor<5x5xf32>) -> tensor<6x5xf32> {\n  " +
			dot("0", "x", "w", plain, "(tensor<6x5xf32>, tensor<5x5xf32>) -> tensor<6x5xf32>") +
			dot("1", "0", "w", plain, "(tensor<6x5xf32>, tensor<5x5xf32>) -> tensor<6x5xf32>") + "return %1 : tensor<6x5xf32>\n}", 2, 3},
		{"a matrix times itself", "func.func @main(%x: tensor<6x5xf32>) -> tensor<6x6xf32> {\n  " +
			dot("0", "x", "x", "contracting_dims = [1] x [1]", "(tensor<6x5xf32>, tensor<6x5xf32>) -> tensor<6x6xf32>") + "return %0 : tensor<6x6xf32>\n}", 1, 1},
		{"batches", "func.func @main(%x: tensor<3x6x5xf32>, %w: tensor<3x5x7xf32>) -> tensor<3x6x7xf32> {\n  " +
			dot("0", "x", "w", "batching_dims = [0] x [0], contracting_dims = [2] x [1]", "(tensor<3x6x5xf32>, tensor<3x5x7xf32>) -> tensor<3x6x7xf32>") + "return %0 : tensor<3x6x7xf32>\n}", 2, 2},
		{"a constant", "func.func @main(%x: tensor<6x8xf32>) -> tensor<6x3xf32> {\n  %w = stablehlo.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0], [1.5, 2.5, 3.5], [0.0, 1.0, 0.5], [3.0, 1.0, 2.0], [1.0, 1.0, 1.0], [2.0, 4.0, 8.0]]> : tensor<8x3xf32>\n  " +
			dot("0", "x", "w", plain, "(tensor<6x8xf32>, tensor<8x3xf32>) -> tensor<6x3xf32>") + "return %0 : tensor<6x3xf32>\n}", 0, 0},
		{"rows that are there", "func.func @main(%x: tensor<6x8xf32>, %w: tensor<8x16xf32>) -> tensor<6x16xf32> {\n  " +
			dot("0", "x", "w", plain, "(tensor<6x8xf32>, tensor<8x16xf32>) -> tensor<6x16xf32>") + "return %0 : tensor<6x16xf32>\n}", 0, 0},
		{"a convolution", oddImages, 1, 2},
		{"a convolution without a border", replace(oddImages, "pad = [[1, 1], [1, 1]]", "", "2x6x5x5", "2x4x3x5"), 2, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := kittest.CompileFor(t, c.text, fuse.Options{Pitch: everyRow})
			copies := 0
			for i := range p.Steps {
				if l := p.Steps[i].Launch(); l != nil && l.Pitches {
					copies++
				}
			}
			require.Equal(t, c.copies, copies, "%v", p)
			long := slices.DeleteFunc(slices.Clone(p.Values), func(v plan.Value) bool {
				if v.Kind == plan.Constant {
					require.Zero(t, len(v.Data)/4%64, "rows of eight elements")
				}
				return v.Kind != plan.Temporary || v.Type.Shape[len(v.Type.Shape)-1]%8 != 0
			})
			require.Len(t, long, c.values, "%v", p)
			samePasses(t, c.text)
		})
	}
}

// A target that wants none gets none.
func TestNothingIsPitched(t *testing.T) {
	none := func(k *kernel.Kernel, copied []bool) []int64 {
		require.Len(t, copied, len(k.Params))
		return nil
	}
	for _, text := range []string{oddLayers, oddImages} {
		require.Equal(t, kittest.CompileFor(t, text, fuse.Options{}).String(), kittest.CompileFor(t, text, fuse.Options{Pitch: none}).String())
	}
}
