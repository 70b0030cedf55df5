package ptx_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends/kit/kernel"
	"ltc/backends/kit/kernel/kerneltest"
	"ltc/ir/types"
)

// Ops that another compiler would guard at run time: whose indices or divisors may be
// anything.
var anywhere = map[string]string{
	"gather": `%x: tensor<7x20xf32>, %at: tensor<9xTYPE>) -> tensor<9x20xf32> {
		%0 = "stablehlo.gather"(%x, %at) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 20>, indices_are_sorted = false}> : (tensor<7x20xf32>, tensor<9xTYPE>) -> tensor<9x20xf32>
		return %0 : tensor<9x20xf32>`,
	"gather of slices": `%x: tensor<7x20xf32>, %at: tensor<9x2xTYPE>) -> tensor<9x3x4xf32> {
		%0 = "stablehlo.gather"(%x, %at) <{dimension_numbers = #stablehlo.gather<offset_dims = [1, 2], start_index_map = [0, 1], index_vector_dim = 1>, slice_sizes = array<i64: 3, 4>, indices_are_sorted = false}> : (tensor<7x20xf32>, tensor<9x2xTYPE>) -> tensor<9x3x4xf32>
		return %0 : tensor<9x3x4xf32>`,
	"dynamic_slice": `%x: tensor<7x20xf32>, %i: tensor<TYPE>, %j: tensor<TYPE>) -> tensor<3x8xf32> {
		%0 = stablehlo.dynamic_slice %x, %i, %j, sizes = [3, 8] : (tensor<7x20xf32>, tensor<TYPE>, tensor<TYPE>) -> tensor<3x8xf32>
		return %0 : tensor<3x8xf32>`,
	"dynamic_update_slice": `%x: tensor<7x20xf32>, %y: tensor<3x8xf32>, %i: tensor<TYPE>, %j: tensor<TYPE>) -> tensor<7x20xf32> {
		%0 = stablehlo.dynamic_update_slice %x, %y, %i, %j : (tensor<7x20xf32>, tensor<3x8xf32>, tensor<TYPE>, tensor<TYPE>) -> tensor<7x20xf32>
		return %0 : tensor<7x20xf32>`,
	"scatter": `%x: tensor<7x20xf32>, %at: tensor<9x1xTYPE>, %y: tensor<9x20xf32>) -> tensor<7x20xf32> {
		%0 = "stablehlo.scatter"(%x, %at, %y) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
		^bb0(%a: tensor<f32>, %b: tensor<f32>):
			%s = stablehlo.add %a, %b : tensor<f32>
			stablehlo.return %s : tensor<f32>
		}) : (tensor<7x20xf32>, tensor<9x1xTYPE>, tensor<9x20xf32>) -> tensor<7x20xf32>
		return %0 : tensor<7x20xf32>`,
	"divide": `%x: tensor<40xTYPE>, %y: tensor<40xTYPE>) -> tensor<40xTYPE> {
		%0 = stablehlo.divide %x, %y : tensor<40xTYPE>
		return %0 : tensor<40xTYPE>`,
	"remainder": `%x: tensor<40xTYPE>, %y: tensor<40xTYPE>) -> tensor<40xTYPE> {
		%0 = stablehlo.remainder %x, %y : tensor<40xTYPE>
		return %0 : tensor<40xTYPE>`,
}

// No step of a kernel can fail for the values in memory. Whatever indices and divisors are,
// kernels stay inside of their operands, and compute what the evaluator does.
// [kernel.Bounds] shows that before they run, and the interpreter when they do. So there is
// nothing that a guard would have to report.
func TestAnywhere(t *testing.T) {
	for name, text := range anywhere {
		for _, index := range []types.DType{types.I32, types.I64, types.U32, types.U64, types.I8, types.U16} {
			t.Run(fmt.Sprint(name, "/", index), func(t *testing.T) {
				signature := map[bool]string{true: "i", false: "ui"}[index.IsSigned()] + fmt.Sprint(8*index.Size())
				p := compile(t, "func.func @main("+strings.ReplaceAll(text, "TYPE", signature)+"\n}")
				require.Equal(t, -1, p.LastFallible)
				for n := range p.Steps {
					st := p.Steps[n].Launch()
					require.NotNil(t, st, "a step that is no kernel")
					k := p.Kernels[st.Kernel]
					require.NoError(t, kernel.Bounds(k, st.Sizes))
					run, err := runner(t, k, 1<<20)
					require.NoError(t, err)
					for seed := range uint64(5) {
						before := kerneltest.NewMemory(k, st.Sizes, kerneltest.Dense, 0x5A)
						ordinary(before)
						hostile(before, rand.New(rand.NewPCG(seed, 9)))
						want, err := before.Run(evaluate)
						require.NoError(t, err)
						got, err := before.Run(run)
						require.NoError(t, err)
						require.NoError(t, kerneltest.Same(want, got, near))
					}
				}
			})
		}
	}
}

// hostile fills operands of integers with numbers that no index should be.
func hostile(m *kerneltest.Memory, r *rand.Rand) {
	for p := range m.Kernel.Params {
		d := m.Kernel.Params[p].DType
		if !d.IsInteger() || d == types.Bool {
			continue
		}
		values, odd := m.Get(p), extremes(d)
		for i := range values {
			values[i] = odd[r.IntN(len(odd))]
		}
		m.Set(p, values)
	}
}
