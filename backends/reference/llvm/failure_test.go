package llvm

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/internal/trials"
	"ltc/ir/types"
	"ltc/soa"
)

// onBackends compiles a program for the compiler and for the evaluator.
func onBackends(t *testing.T, text string, threads int) (cpu, eval backends.Executable) {
	t.Helper()
	compilers(t)
	return compiledFor(t, "cpu", text, threads), compiledFor(t, "eval", text, threads)
}

// compiledFor compiles a program by a backend.
func compiledFor(t testing.TB, backend, text string, threads int) backends.Executable {
	t.Helper()
	b, err := backends.Open(backend)
	require.NoError(t, err)
	e, err := b.Compile(t.Context(), backends.NewModule(text), backends.Options{Threads: threads})
	require.NoError(t, err)
	return e
}

var errLeft = errors.New("the caller has left")

// A run that is cancelled, in a loop that does not end or between long steps, has
// written neither a result nor what was donated to one.
func TestCancelledRunsWriteNothing(t *testing.T) {
	const matrix = "2048x2048xf32"
	for name, text := range map[string]string{
		"loop": `func.func @main(%a: tensor<4096xf32> {tf.aliasing_output = 0 : i32}) -> (tensor<4096xf32>, tensor<4096xf32>) {
  %yes = stablehlo.constant dense<true> : tensor<i1>
  %b = stablehlo.add %a, %a : tensor<4096xf32>
  %r:2 = stablehlo.while(%c = %yes, %x = %b) : tensor<i1>, tensor<4096xf32> cond {
    stablehlo.return %c : tensor<i1>
  } do {
    %y = stablehlo.cosine %x : tensor<4096xf32>
    stablehlo.return %c, %y : tensor<i1>, tensor<4096xf32>
  }
  return %b, %r#1 : tensor<4096xf32>, tensor<4096xf32>
}`,
		"steps": strings.ReplaceAll(`func.func @main(%a: tensor<MATRIX> {tf.aliasing_output = 0 : i32}) -> (tensor<MATRIX>, tensor<MATRIX>) {
  %0 = stablehlo.add %a, %a : tensor<MATRIX>
`+strings.Join(powers(8, "MATRIX"), "")+`  return %0, %8 : tensor<MATRIX>, tensor<MATRIX>
}`, "MATRIX", matrix),
	} {
		for _, threads := range []int{1, 2} {
			t.Run(fmt.Sprintf("%s on %d", name, threads), func(t *testing.T) {
				cpu, _ := onBackends(t, text, threads)
				typ := cpu.Signature().Args[0].Type
				arg, out := soa.Make(typ), soa.Make(typ)
				donated, result := soa.Slice[float32](arg), soa.Slice[float32](out)
				for i := range donated {
					donated[i], result[i] = 1, 2
				}
				ctx, cancel := context.WithCancelCause(t.Context())
				time.AfterFunc(20*time.Millisecond, func() { cancel(errLeft) })
				err := cpu.Execute(ctx, &backends.Call{Args: []soa.View{arg}, Results: []soa.View{{}, out}})
				require.ErrorIs(t, err, errLeft)
				for i := range donated {
					if donated[i] != 1 || result[i] != 2 {
						require.Failf(t, "written", "element %d", i)
					}
				}
			})
		}
	}
}

// powers is a chain of n products of square matrices from %0 on.
func powers(n int, typ string) []string {
	var all []string
	for i := range n {
		all = append(all, fmt.Sprintf("  %%%d = stablehlo.dot_general %%%d, %%0, contracting_dims = [1] x [0] : (tensor<%s>, tensor<%s>) -> tensor<%s>\n", i+1, i, typ, typ, typ))
	}
	return all
}

// Division by zero and of the least number by -1, which processors trap, give
// what the evaluator gives, in vectors and behind them.
func TestDivisionsDoNotFault(t *testing.T) {
	trials.Sequential(t)
	const n = 67
	for elem, dt := range map[string]types.DType{"i32": types.I32, "i64": types.I64, "ui8": types.U8, "ui32": types.U32, "ui64": types.U64} {
		t.Run(elem, func(t *testing.T) {
			typ := fmt.Sprintf("tensor<%dx%s>", n, elem)
			cpu, eval := onBackends(t, fmt.Sprintf(`func.func @main(%%a: %[1]s, %%b: %[1]s) -> (%[1]s, %[1]s) {
  %%0 = stablehlo.divide %%a, %%b : %[1]s
  %%1 = stablehlo.remainder %%a, %%b : %[1]s
  return %%0, %%1 : %[1]s, %[1]s
}`, typ), 1)
			a, b := soa.Make(types.Of(dt, n)), soa.Make(types.Of(dt, n))
			rows := []([]byte){bytesOf(a), bytesOf(b)}
			size := dt.Size()
			for i := range n {
				least, minus := i%3 == 0, i%2 == 0 // else x / 0
				for k := range size {
					switch {
					case least && k == size-1:
						rows[0][i*size+k] = 0x80
					case !least:
						rows[0][i*size+k] = byte(i * 37)
					}
					if minus {
						rows[1][i*size+k] = 0xff
					}
				}
			}
			same(t, cpu, eval, a, b)
		})
	}
}

// Indices beyond an operand are clamped by gathers and dynamic slices, and
// skipped by scatters; no memory beyond it is read or written.
func TestIndicesBeyondOperands(t *testing.T) {
	cpu, eval := onBackends(t, `func.func @main(%x: tensor<10x8xf32>, %i: tensor<6x1xi32>, %j: tensor<i32>) -> (tensor<6x8xf32>, tensor<3x8xf32>, tensor<10x8xf32>, tensor<10x8xf32>) {
  %g = "stablehlo.gather"(%x, %i) {dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 8>} : (tensor<10x8xf32>, tensor<6x1xi32>) -> tensor<6x8xf32>
  %z = stablehlo.constant dense<0> : tensor<i32>
  %d = stablehlo.dynamic_slice %x, %j, %z, sizes = [3, 8] : (tensor<10x8xf32>, tensor<i32>, tensor<i32>) -> tensor<3x8xf32>
  %u = stablehlo.dynamic_update_slice %x, %d, %j, %j : (tensor<10x8xf32>, tensor<3x8xf32>, tensor<i32>, tensor<i32>) -> tensor<10x8xf32>
  %s = "stablehlo.scatter"(%x, %i, %g) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %c : tensor<f32>
  }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>} : (tensor<10x8xf32>, tensor<6x1xi32>, tensor<6x8xf32>) -> tensor<10x8xf32>
  return %g, %d, %u, %s : tensor<6x8xf32>, tensor<3x8xf32>, tensor<10x8xf32>, tensor<10x8xf32>
}`, 1)
	x := soa.Make(types.Of(types.F32, 10, 8))
	for i := range soa.Slice[float32](x) {
		soa.Slice[float32](x)[i] = float32(i)
	}
	for _, at := range []int32{-1 << 31, -1, 9, 10, 1<<31 - 1} {
		i, j := soa.Make(types.Of(types.I32, 6, 1)), soa.Make(types.Of(types.I32))
		copy(soa.Slice[int32](i), []int32{3, at, 0, 9, -at, at + 1})
		soa.Slice[int32](j)[0] = at
		same(t, cpu, eval, x, i, j)
	}
}

// same runs a program on both and compares bits.
func same(t *testing.T, cpu, eval backends.Executable, args ...soa.View) {
	t.Helper()
	got, want := &backends.Call{Args: args}, &backends.Call{Args: args}
	require.NoError(t, cpu.Execute(t.Context(), got))
	require.NoError(t, eval.Execute(t.Context(), want))
	for j := range want.Results {
		require.Equal(t, bytesOf(want.Results[j]), bytesOf(got.Results[j]), "result %d", j)
	}
}
