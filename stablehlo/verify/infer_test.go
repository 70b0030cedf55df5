package verify_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/mlir"
	"ltc/stablehlo"
	"ltc/stablehlo/verify"
)

// The shape inferred of each result is the one that its type has, of all ops of the
// workloads. The ops that tell nothing of theirs are few.
func TestInferredShapesAreThoseOfTheText(t *testing.T) {
	files, err := filepath.Glob("../../backends/kit/testdata/workloads/*.mlir")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	inferred, not := map[string]bool{}, map[string]bool{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		m, err := stablehlo.Parse(file, string(text))
		require.NoError(t, err)
		require.NoError(t, verify.Module(m))
		m.Walk(func(op *mlir.Op) bool {
			if len(op.Results) == 0 || op.Callee() != "" {
				return true
			}
			var operands [][]int64
			for _, v := range op.Operands {
				operands = append(operands, v.Type.(*mlir.TensorType).Shape)
			}
			shapes, _, err := verify.InferShapes(m, op, operands, mlir.TypesOf(op.Results))
			require.NoError(t, err, "%s", op)
			for i, r := range op.Results {
				if shapes[i] == nil {
					not[op.Name()] = true
					continue
				}
				inferred[op.Name()] = true
				require.True(t, slices.Equal(r.Type.(*mlir.TensorType).Shape, shapes[i]), "%v of %s", shapes[i], op)
			}
			return true
		})
	}
	require.Equal(t, map[string]bool{"stablehlo.constant": true, "stablehlo.iota": true, "stablehlo.broadcast_in_dim": true}, not)
	require.Greater(t, len(inferred), 15)
}

// Operands of other sizes than the text allows are refused by the op's rules.
func TestInferShapesChecksSizes(t *testing.T) {
	m, err := stablehlo.Parse("m", `func.func @main(%a: tensor<?x4xf32>, %b: tensor<?x4xf32>) -> tensor<?x?xf32> {
  %0 = stablehlo.add %a, %b : tensor<?x4xf32>
  %1 = stablehlo.concatenate %0, %b, dim = 1 : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x?xf32>
  return %1 : tensor<?x?xf32>
}`)
	require.NoError(t, err)
	add, joined := m.Func("main").Body().Ops[0], m.Func("main").Body().Ops[1]
	for _, c := range []struct {
		op   *mlir.Op
		in   [][]int64
		want []int64
		err  string
	}{
		{add, [][]int64{{3, 4}, {3, 4}}, []int64{3, 4}, ""},
		{add, [][]int64{{3, 4}, {2, 4}}, nil, "operands are tensor<3x4xf32> and tensor<2x4xf32> but the result is tensor<?x4xf32>: shapes differ (add_c1)"},
		{joined, [][]int64{{3, 4}, {3, 5}}, []int64{3, 9}, ""},
		{joined, [][]int64{{3, 4}, {2, 4}}, nil, "they differ outside dimension 1 (concatenate_c2)"},
	} {
		shapes, _, err := verify.InferShapes(m, c.op, c.in, mlir.TypesOf(c.op.Results))
		if c.err != "" {
			require.ErrorContains(t, err, c.err)
			continue
		}
		require.NoError(t, err)
		require.Equal(t, [][]int64{c.want}, shapes)
	}
}
