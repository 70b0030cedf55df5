package kit_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/backends/kit"
	"ltc/backends/kit/plan"
	"ltc/backends/reference/eval"
	"ltc/ir/types"
)

// A composite that the target has code for is a step. Its operands that are transposed
// or broadcast are read in place, if the target says that it can. A composite that the
// target declines is its decomposition.
func TestComposite(t *testing.T) {
	text := `module {
  func.func public @main(%x: tensor<2x3x4xf32>, %y: tensor<4x3xf32>) -> tensor<4x3x2xf32> {
    %0 = stablehlo.transpose %x, dims = [1, 2, 0] : (tensor<2x3x4xf32>) -> tensor<3x4x2xf32>
    %1 = stablehlo.transpose %0, dims = [1, 0, 2] : (tensor<3x4x2xf32>) -> tensor<4x3x2xf32>
    %2 = stablehlo.composite "my.scale" %1, %y {composite_attributes = {by = 3 : i64}, decomposition = @d} : (tensor<4x3x2xf32>, tensor<4x3xf32>) -> tensor<4x3x2xf32>
    return %2 : tensor<4x3x2xf32>
  }
  func.func private @d(%x: tensor<4x3x2xf32>, %y: tensor<4x3xf32>) -> tensor<4x3x2xf32> {
    %0 = stablehlo.broadcast_in_dim %y, dims = [0, 1] : (tensor<4x3xf32>) -> tensor<4x3x2xf32>
    %1 = stablehlo.multiply %x, %0 : tensor<4x3x2xf32>
    return %1 : tensor<4x3x2xf32>
  }
}`
	var work []types.Type
	steps := func(takes func(c *plan.Composite) bool) []string {
		l, err := backends.Load(t.Context(), backends.NewModule(text), backends.Options{})
		require.NoError(t, err)
		p, err := kit.Compile(t.Context(), l, kit.Options{Eval: eval.New(), Check: true, Claim: func(w plan.Work) ([]types.Type, bool) { return work, takes(w.(*plan.Composite)) }})
		require.NoError(t, err)
		var all []string
		for line := range strings.Lines(p.String()) {
			if strings.HasPrefix(line, "step ") {
				all = append(all, strings.TrimSpace(line))
			}
		}
		return all
	}
	scale := func(c *plan.Composite) bool { return c.Name == "my.scale" && c.Attrs.Get("by").String() == "3 : i64" }
	require.Equal(t, []string{"step 0: composite my.scale(v0 by [1 4 12], v1 by [3 1], v2 by [6 2 1])"}, steps(scale))
	dense := steps(func(c *plan.Composite) bool { return scale(c) && c.Args[0].Strides[2] == 1 })
	require.Len(t, dense, 2)
	require.Contains(t, dense[0], "kernel 0(v0, v2)")
	require.Equal(t, "step 1: composite my.scale(v2 by [6 2 1], v1 by [3 1], v3 by [6 2 1])", dense[1])
	none := steps(func(*plan.Composite) bool { return false })
	require.Len(t, none, 1)
	require.Contains(t, none[0], "kernel 0(v0, v1, v2)")

	// One of [3,1], transposed, broadcast and transposed again.
	text = `module {
  func.func public @main(%x: tensor<3x1xf32>) -> tensor<5x4x3xf32> {
    %0 = stablehlo.transpose %x, dims = [1, 0] : (tensor<3x1xf32>) -> tensor<1x3xf32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [0, 1] : (tensor<1x3xf32>) -> tensor<4x3xf32>
    %2 = stablehlo.broadcast_in_dim %1, dims = [1, 2] : (tensor<4x3xf32>) -> tensor<5x4x3xf32>
    %3 = stablehlo.composite "my.scale" %2 {composite_attributes = {by = 3 : i64}, decomposition = @d} : (tensor<5x4x3xf32>) -> tensor<5x4x3xf32>
    return %3 : tensor<5x4x3xf32>
  }
  func.func private @d(%x: tensor<5x4x3xf32>) -> tensor<5x4x3xf32> {
    return %x : tensor<5x4x3xf32>
  }
}`
	require.Equal(t, []string{"step 0: composite my.scale(v0 by [0 0 1], v1 by [12 3 1])"}, steps(scale))
	work = []types.Type{types.Of(types.F32, 7), types.Of(types.I8, 3)}
	require.Equal(t, []string{"step 0: composite my.scale(v0 by [0 0 1], v1 by [12 3 1]) works in (v2, v3)"}, steps(scale))
}
