package mlir_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/mlir"
	"ltc/stablehlo"
)

// A clone prints as the op does, shares no op, block or value with it, and has the
// replaced values. Copies have no names: the text has those that the printer gives.
func TestClonesShareNothing(t *testing.T) {
	m, err := stablehlo.Parse("a.mlir", `func.func @f(%arg0: tensor<2xf32>, %arg1: tensor<i1>) -> tensor<2xf32> {
  %0 = "stablehlo.if"(%arg1) ({
    %2 = stablehlo.abs %arg0 : tensor<2xf32>
    stablehlo.return %2 : tensor<2xf32>
  }, {
    stablehlo.return %arg0 : tensor<2xf32>
  }) : (tensor<i1>) -> tensor<2xf32>
  "test.branch"(%0)[^bb1] : (tensor<2xf32>) -> ()
^bb1(%1: tensor<2xf32>):
  return %1 : tensor<2xf32>
}`)
	require.NoError(t, err)
	before := mlir.Print(m)
	parts := func(f *mlir.Op) map[any]bool {
		seen := map[any]bool{}
		(&mlir.Module{Ops: []*mlir.Op{f}}).Walk(func(op *mlir.Op) bool {
			seen[op] = true
			for _, v := range op.Results {
				seen[v] = true
			}
			for _, r := range op.Regions {
				for _, b := range r.Blocks {
					seen[b] = true
					for _, a := range b.Args {
						seen[a] = true
					}
				}
			}
			return true
		})
		return seen
	}
	var c mlir.Cloner
	f := c.Op(m.Ops[0])
	require.Equal(t, before, mlir.Print(&mlir.Module{Name: m.Name, Ops: []*mlir.Op{f}}))
	old := parts(m.Ops[0])
	(&mlir.Module{Ops: []*mlir.Op{f}}).Walk(func(op *mlir.Op) bool {
		for _, v := range op.Operands {
			require.False(t, old[v], op.Name())
		}
		for _, b := range op.Successors {
			require.False(t, old[b], op.Name())
		}
		return true
	})
	for part := range parts(f) {
		require.False(t, old[part])
	}

	entry := m.Ops[0].Regions[0].Blocks[0]
	var replacing mlir.Cloner
	by := &mlir.Value{Type: entry.Args[0].Type}
	replacing.Replace(entry.Args[0], by)
	require.Same(t, by, replacing.Op(entry.Ops[0]).Regions[1].Blocks[0].Ops[0].Operands[0])
	require.Equal(t, before, mlir.Print(m))
}
