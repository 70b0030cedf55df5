package mlir_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/mlir"
	"ltc/stablehlo"
)

func TestOpsWithoutARowHaveCodeZero(t *testing.T) {
	require.Zero(t, mlir.CodeOf("test.none"))
	require.Empty(t, mlir.Code(0).String())
	require.Zero(t, mlir.Code(0).Info())
	var op mlir.Op
	op.SetName("test.none")
	require.Equal(t, "test.none", op.Name())
	require.Equal(t, "test.none", op.Like().Name())
	op.SetName("func.call")
	require.Equal(t, mlir.OpCall, op.Code)
}

func TestAccess(t *testing.T) {
	d := stablehlo.DotDims{LHSBatch: []int64{0}, RHSBatch: []int64{1}, LHSContract: []int64{2}, RHSContract: []int64{0}}
	got, ok := stablehlo.ParseDot(d.Attr())
	require.True(t, ok)
	require.Equal(t, d, got)
	g := stablehlo.GatherDims{OffsetDims: []int64{1}, CollapsedSliceDims: []int64{0}, StartIndexMap: []int64{0}, IndexVectorDim: 1}
	gotG, ok := stablehlo.ParseGather(g.Attr())
	require.True(t, ok)
	require.Equal(t, g, gotG)
	s := stablehlo.ScatterDims{UpdateWindowDims: []int64{1}, InsertedWindowDims: []int64{0}, ScatterDimsToOperandDims: []int64{0}, IndexVectorDim: 1}
	gotS, ok := stablehlo.ParseScatter(s.Attr())
	require.True(t, ok)
	require.Equal(t, s, gotS)
	_, ok = stablehlo.ParseGather(d.Attr())
	require.False(t, ok)

	for _, a := range []mlir.Attribute{mlir.I64Array([]int{3, 3}), mlir.ArrayAttr{mlir.I64Attr(3), mlir.I64Attr(3)}, &mlir.DenseAttr{Literal: "3", Type: mlir.Tensor(mlir.I64, 2)}} {
		v, ok := mlir.Ints(a)
		require.True(t, ok)
		require.Equal(t, []int64{3, 3}, v)
	}
	_, ok = mlir.Ints(mlir.StringAttr("3"))
	require.False(t, ok)
	require.Equal(t, "LT", mlir.Enum(mlir.EnumAttr{Dialect: "stablehlo", Kind: "comparison_direction", Value: "LT"}))
	require.Empty(t, mlir.Enum(nil))
}
