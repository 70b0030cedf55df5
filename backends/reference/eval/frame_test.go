package eval

import (
	"context"
	"fmt"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/backends/reference/internal/loops"
	"ltc/soa"
	"ltc/stablehlo"
)

// What moves much memory ends soon after its run is cancelled, wherever it is.
func TestBulkEnds(t *testing.T) {
	const n = 4 * loops.Tank
	x, y, acc := make([]float32, n), make([]float32, n), make([]float32, 1)
	for i := range x {
		x[i] = 1
	}
	px, py, one := unsafe.Pointer(&x[0]), unsafe.Pointer(&y[0]), unsafe.Pointer(&x[0])
	packed, wide := tensorOf(loops.U4, n), tensorOf(loops.U8, n/2)
	for name, run := range map[string]func(f *frame){
		"clear":   func(f *frame) { f.clear(px, 4*n) },
		"copy":    func(f *frame) { f.copy(py, px, 4*n) },
		"fill":    func(f *frame) { f.fill(loops.Fill(loops.F32), 4, py, one, n) },
		"convert": func(f *frame) { f.convert(loops.Convert(loops.F32, loops.I32), 4, 4, py, px, n) },
		"combine": func(f *frame) { f.combine(loops.Binary(stablehlo.Add, loops.F32), 4, py, px, n) },
		"repack":  func(f *frame) { repack(f, py, px, packed, wide) },
		"add":     func(f *frame) { loops.Fold(stablehlo.Add, loops.F32)(&f.ws.Budget, unsafe.Pointer(&acc[0]), px, n) },
		"maximum": func(f *frame) { loops.Fold(stablehlo.Maximum, loops.F32)(&f.ws.Budget, unsafe.Pointer(&acc[0]), px, n) },
	} {
		done := make(chan struct{})
		close(done)
		f := &frame{ws: &workspace{Budget: loops.Budget{Done: done, Fuel: loops.Tank}}}
		run(f)
		require.Negative(t, f.ws.Fuel, "%s: it has seen that the run is cancelled", name)
	}
	require.Zero(t, x[0])
	require.EqualValues(t, 1, x[n-1], "the rest was not cleared")
	require.Zero(t, y[n-1])
}

// The tables of gather, scatter and sort count as the executable's memory.
func TestTableMemory(t *testing.T) {
	words := int(soa.Limit() / 8)
	for op, text := range map[string]string{
		"gather": `func.func @main(%%a: tensor<4xi8>, %%i: tensor<%[1]dxi8>) -> tensor<%[1]dxi8> {
  %%0 = "stablehlo.gather"(%%a, %%i) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1>}> : (tensor<4xi8>, tensor<%[1]dxi8>) -> tensor<%[1]dxi8>
  return %%0 : tensor<%[1]dxi8>
}`,
		"scatter": `func.func @main(%%a: tensor<4xi8>, %%i: tensor<%[1]dxi8>) -> tensor<4xi8> {
  %%0 = "stablehlo.scatter"(%%a, %%i, %%i) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%%x: tensor<i8>, %%y: tensor<i8>):
    stablehlo.return %%y : tensor<i8>
  }) : (tensor<4xi8>, tensor<%[1]dxi8>, tensor<%[1]dxi8>) -> tensor<4xi8>
  return %%0 : tensor<4xi8>
}`,
		"sort": `func.func @main(%%a: tensor<%[1]dx1xi8>) -> tensor<%[1]dx1xi8> {
  %%0 = "stablehlo.sort"(%%a) <{dimension = 1 : i64}> ({
  ^bb0(%%x: tensor<i8>, %%y: tensor<i8>):
    %%1 = stablehlo.compare LT, %%x, %%y : (tensor<i8>, tensor<i8>) -> tensor<i1>
    stablehlo.return %%1 : tensor<i1>
  }) : (tensor<%[1]dx1xi8>) -> tensor<%[1]dx1xi8>
  return %%0 : tensor<%[1]dx1xi8>
}`,
	} {
		_, err := New().Compile(context.Background(), backends.NewModule(fmt.Sprintf(text, words+1)), backends.Options{Name: "m.mlir"})
		require.ErrorContains(t, err, "m.mlir:2:8: error: stablehlo."+op+": a table of the offsets of [", op)
		require.ErrorContains(t, err, "not enough memory: ", op)
	}
}
