package llvm

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/internal/samples"
	"ltc/internal/test/programs"
	"ltc/internal/trials"
	"ltc/ir/types"
	"ltc/soa"
)

// agree requires that a program computes on the backend cpu what the evaluator
// computes, for one to three threads, with ordinary and with extreme arguments.
func agree(t *testing.T, text string) {
	t.Helper()
	cpu, err := backends.Open("cpu")
	require.NoError(t, err)
	eval, err := backends.Open("eval")
	require.NoError(t, err)
	for seed := range uint64(3) {
		for _, extreme := range []bool{false, true} {
			_, err := alike(t.Context(), cpu, eval, programs.Program{Text: text, Extreme: extreme}, seed)
			require.NoError(t, err, text)
		}
	}
}

// Integers are divided by zero and the least by -1, shifted by more than they
// have bits, and floats converted that no integer holds.
func TestArithmeticWithoutResult(t *testing.T) {
	trials.Sequential(t)
	for _, e := range []string{"i32", "i64", "ui8", "ui32", "ui64"} {
		for _, n := range []int{67} {
			for _, op := range []string{"divide", "remainder", "shift_left", "shift_right_logical", "shift_right_arithmetic"} {
				for _, by := range []string{"0", "1", "127", "-1"} {
					if by == "-1" && e[0] == 'u' {
						by = "255"
					}
					v := fmt.Sprintf("tensor<%dx%s>", n, e)
					agree(t, fmt.Sprintf(`func.func @main(%%x: %[1]s, %%y: %[1]s) -> (%[1]s, %[1]s, %[1]s) {
  %%c = stablehlo.constant dense<%[2]s> : %[1]s
  %%0 = stablehlo.%[3]s %%x, %%y : %[1]s
  %%1 = stablehlo.%[3]s %%x, %%c : %[1]s
  %%2 = stablehlo.%[3]s %%c, %%y : %[1]s
  return %%0, %%1, %%2 : %[1]s, %[1]s, %[1]s
}`, v, by, op))
				}
			}
		}
		for _, f := range []string{"f32", "f64", "f16", "bf16"} {
			agree(t, fmt.Sprintf(`func.func @main(%%x: tensor<99x%[1]s>) -> (tensor<99x%[2]s>, tensor<99xi1>) {
  %%0 = stablehlo.convert %%x : (tensor<99x%[1]s>) -> tensor<99x%[2]s>
  %%1 = stablehlo.convert %%x : (tensor<99x%[1]s>) -> tensor<99xi1>
  return %%0, %%1 : tensor<99x%[2]s>, tensor<99xi1>
}`, f, e))
		}
	}
}

// Indices point anywhere: at the ends of their type, far outside.
func TestIndicesOutOfRange(t *testing.T) {
	trials.Sequential(t)
	for _, i := range []string{"i32", "i64", "ui8", "ui32", "ui64"} {
		agree(t, strings.ReplaceAll(`func.func @main(%x: tensor<7x33xf32>, %i: tensor<50x2xI>, %s: tensor<I>, %u: tensor<50x3xf32>, %p: tensor<2x5xf32>) -> (tensor<50x3xf32>, tensor<7x33xf32>, tensor<2x5xf32>, tensor<7x33xf32>) {
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0, 1], index_vector_dim = 1>, slice_sizes = array<i64: 1, 3>}> : (tensor<7x33xf32>, tensor<50x2xI>) -> tensor<50x3xf32>
  %1 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %m = stablehlo.maximum %a, %b : tensor<f32>
    stablehlo.return %m : tensor<f32>
  }) : (tensor<7x33xf32>, tensor<50x2xI>, tensor<50x3xf32>) -> tensor<7x33xf32>
  %2 = stablehlo.dynamic_slice %x, %s, %s, sizes = [2, 5] : (tensor<7x33xf32>, tensor<I>, tensor<I>) -> tensor<2x5xf32>
  %3 = stablehlo.dynamic_update_slice %x, %p, %s, %s : (tensor<7x33xf32>, tensor<2x5xf32>, tensor<I>, tensor<I>) -> tensor<7x33xf32>
  return %0, %1, %2, %3 : tensor<50x3xf32>, tensor<7x33xf32>, tensor<2x5xf32>, tensor<7x33xf32>
}`, "I", i))
	}
}

// Tensors without elements and without dimensions, in every kind of op.
func TestEmptyTensors(t *testing.T) {
	for _, n := range []int{0, 1} {
		agree(t, strings.ReplaceAll(`func.func @main(%x: tensor<Nx5xf32>, %y: tensor<5xNxf32>, %i: tensor<Nx1xi32>, %s: tensor<f32>, %z: tensor<3x5xf32>) -> (tensor<Nx5xf32>, tensor<5xf32>, tensor<Nxf32>, tensor<NxNxf32>, tensor<5x5xf32>, tensor<Nx5xf32>, tensor<Nx5xf32>, tensor<3x5xf32>, tensor<f32>, tensor<5xNxf32>, tensor<Nxi32>, tensor<Nx5xf32>) {
  %c = stablehlo.constant dense<2.0> : tensor<f32>
  %0 = stablehlo.tanh %x : tensor<Nx5xf32>
  %1 = stablehlo.reduce(%0 init: %c) applies stablehlo.add across dimensions = [0] : (tensor<Nx5xf32>, tensor<f32>) -> tensor<5xf32>
  %2 = stablehlo.reduce(%0 init: %c) applies stablehlo.maximum across dimensions = [1] : (tensor<Nx5xf32>, tensor<f32>) -> tensor<Nxf32>
  %3 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<Nx5xf32>, tensor<5xNxf32>) -> tensor<NxNxf32>
  %4 = stablehlo.dot_general %y, %x, contracting_dims = [1] x [0] : (tensor<5xNxf32>, tensor<Nx5xf32>) -> tensor<5x5xf32>
  %5 = stablehlo.broadcast_in_dim %s, dims = [] : (tensor<f32>) -> tensor<Nx5xf32>
  %6 = "stablehlo.gather"(%z, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 5>}> : (tensor<3x5xf32>, tensor<Nx1xi32>) -> tensor<Nx5xf32>
  %7 = "stablehlo.scatter"(%z, %i, %x) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %b : tensor<f32>
  }) : (tensor<3x5xf32>, tensor<Nx1xi32>, tensor<Nx5xf32>) -> tensor<3x5xf32>
  %8 = stablehlo.reduce(%y init: %s) applies stablehlo.multiply across dimensions = [0, 1] : (tensor<5xNxf32>, tensor<f32>) -> tensor<f32>
  %9 = stablehlo.transpose %0, dims = [1, 0] : (tensor<Nx5xf32>) -> tensor<5xNxf32>
  %10 = stablehlo.iota dim = 0 : tensor<Nxi32>
  %11 = stablehlo.concatenate %x, dim = 0 : (tensor<Nx5xf32>) -> tensor<Nx5xf32>
  return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11 : tensor<Nx5xf32>, tensor<5xf32>, tensor<Nxf32>, tensor<NxNxf32>, tensor<5x5xf32>, tensor<Nx5xf32>, tensor<Nx5xf32>, tensor<3x5xf32>, tensor<f32>, tensor<5xNxf32>, tensor<Nxi32>, tensor<Nx5xf32>
}`, "N", fmt.Sprint(n)))
	}
}

// onCPU compiles a program for the backend cpu.
func onCPU(ctx context.Context, text string, threads int) (backends.Executable, error) {
	cpu, err := backends.Open("cpu")
	if err != nil {
		return nil, err
	}
	return cpu.Compile(ctx, backends.NewModule(text), backends.Options{Threads: threads})
}

const scaled = `func.func @main(%x: tensor<300x200xf32>) -> tensor<300x200xf32> {
  %0 = stablehlo.add %x, %x : tensor<300x200xf32>
  return %0 : tensor<300x200xf32>
}`

// Any number of threads gives the same; less than none is a mistake.
func TestThreadCounts(t *testing.T) {
	_, err := onCPU(t.Context(), scaled, -1)
	require.EqualError(t, err, "compile: Threads is -1: give a number of threads, or 0 for the default")
	for _, threads := range []int{0, 1, 2, 299, 1_000_000, math.MaxInt} {
		e, err := onCPU(t.Context(), scaled, threads)
		require.NoError(t, err)
		x := soa.Make(e.Signature().Args[0].Type)
		for i, s := 0, soa.Slice[float32](x); i < len(s); i++ {
			s[i] = float32(i)
		}
		c := &backends.Call{Args: []soa.View{x}}
		require.NoError(t, e.Execute(t.Context(), c))
		for i, y := range soa.Slice[float32](c.Results[0]) {
			require.Equal(t, float32(2*i), y, "%d threads, element %d", threads, i)
		}
	}
}

// Programs that need more memory than there is, or more than integers count,
// are refused before any of it is asked for.
func TestTooMuchMemory(t *testing.T) {
	for want, text := range map[string]string{
		"module.mlir: the results and the values that are alive at once: not enough memory: 7.3 TiB are needed, there are ": `func.func @main() -> tensor<1000000000000xf64> {
  %0 = stablehlo.iota dim = 0 : tensor<1000000000000xf64>
  return %0 : tensor<1000000000000xf64>
}`,
		"stablehlo.sort: operand 0: tensor<1000000x1000000xf32>: not enough memory: 3.6 TiB are needed, there are": `func.func @main(%x: tensor<1000000xf32>, %p: tensor<i1>) -> tensor<1000000xf32> {
  %0 = stablehlo.broadcast_in_dim %x, dims = [0] : (tensor<1000000xf32>) -> tensor<1000000x1000000xf32>
  %1 = "stablehlo.sort"(%0) <{dimension = 0 : i64}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.or %p, %p : tensor<i1>
    stablehlo.return %c : tensor<i1>
  }) : (tensor<1000000x1000000xf32>) -> tensor<1000000x1000000xf32>
  %2 = stablehlo.slice %1 [0:1:1, 0:1000000:1] : (tensor<1000000x1000000xf32>) -> tensor<1x1000000xf32>
  %3 = stablehlo.reshape %2 : (tensor<1x1000000xf32>) -> tensor<1000000xf32>
  return %3 : tensor<1000000xf32>
}`,
		"number of elements does not fit 64 bits": `func.func @main() -> tensor<4294967296x4294967296xf32> {
  %0 = stablehlo.iota dim = 0 : tensor<4294967296x4294967296xf32>
  return %0 : tensor<4294967296x4294967296xf32>
}`,
		"module.mlir: the constants that stablehlo.while reads whole: not enough memory: 3.6 TiB are needed, there are ": `func.func @main(%n: tensor<i32>) -> tensor<i32> {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.broadcast_in_dim %z, dims = [] : (tensor<f32>) -> tensor<1000000000000xf32>
  %1:2 = stablehlo.while(%i = %n, %x = %0) : tensor<i32>, tensor<1000000000000xf32>
  cond {
    %c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %y = stablehlo.add %x, %x : tensor<1000000000000xf32>
    %p = stablehlo.slice %y [0:1:1] : (tensor<1000000000000xf32>) -> tensor<1xf32>
    %q = stablehlo.reshape %p : (tensor<1xf32>) -> tensor<f32>
    %r = stablehlo.convert %q : (tensor<f32>) -> tensor<i32>
    stablehlo.return %r, %y : tensor<i32>, tensor<1000000000000xf32>
  }
  return %1#0 : tensor<i32>
}`,
	} {
		t.Run(want, func(t *testing.T) {
			_, err := onCPU(t.Context(), text, 1)
			require.ErrorContains(t, err, want)
		})
	}
}

// Arguments and results lie in memory as they like: backwards, transposed, all
// in one place, at odd addresses, one over the other.
func TestMemoryOfAllKinds(t *testing.T) {
	const text = `func.func @main(%x: tensor<40x30xf32>, %y: tensor<40x30xf32>) -> (tensor<40x30xf32>, tensor<30x40xf32>) {
  %0 = stablehlo.subtract %x, %y : tensor<40x30xf32>
  %1 = stablehlo.transpose %0, dims = [1, 0] : (tensor<40x30xf32>) -> tensor<30x40xf32>
  return %0, %1 : tensor<40x30xf32>, tensor<30x40xf32>
}`
	memory := func(from int) []float32 {
		s := make([]float32, 10_000)
		for i := range s {
			s[i] = float32((i*7 + from) % 1000)
		}
		return s
	}
	typ := func(shape ...int) types.Type { return types.Type{DType: types.F32, Shape: shape} }
	a, b := memory(1), memory(500)
	view := func(s []float32, at int, t types.Type, strides ...int) soa.View {
		v := soa.At(unsafe.Pointer(&s[at]), t)
		v.Strides = strides
		return v
	}
	layouts := map[string][2]soa.View{
		"dense":      {view(a, 0, typ(40, 30), 30, 1), view(b, 0, typ(40, 30), 30, 1)},
		"odd":        {view(a, 1, typ(40, 30), 30, 1), view(b, 3, typ(40, 30), 30, 1)},
		"backwards":  {view(a, 1199, typ(40, 30), -30, -1), view(b, 29, typ(40, 30), 30, -1)},
		"transposed": {view(a, 0, typ(40, 30), 1, 40), view(b, 0, typ(40, 30), 1, 77)},
		"one place":  {view(a, 5, typ(40, 30), 0, 0), view(b, 0, typ(40, 30), 0, 1)},
		"the same":   {view(a, 0, typ(40, 30), 30, 1), view(a, 0, typ(40, 30), 30, 1)},
		"apart":      {view(a, 0, typ(40, 30), 200, 3), view(b, 0, typ(40, 30), 1, 200)},
	}
	for name, args := range layouts {
		t.Run(name, func(t *testing.T) {
			want := [40][30]float32{}
			for i := range want {
				for j := range want[i] {
					want[i][j] = at(args[0], i, j) - at(args[1], i, j)
				}
			}
			for threads := range 3 {
				e, err := onCPU(t.Context(), text, threads+1)
				require.NoError(t, err)
				for kind, results := range map[string][2]soa.View{
					"none":       {},
					"odd":        {view(memory(0), 1, typ(40, 30), 30, 1), view(memory(0), 7, typ(30, 40), 40, 1)},
					"transposed": {view(memory(0), 0, typ(40, 30), 1, 40), view(memory(0), 0, typ(30, 40), 1, 99)},
					"backwards":  {view(memory(0), 1199, typ(40, 30), -30, -1), view(memory(0), 9000, typ(30, 40), -200, 3)},
				} {
					c := &backends.Call{Args: args[:], Results: results[:]}
					require.NoError(t, e.Execute(t.Context(), c), kind)
					for i := range want {
						for j := range want[i] {
							require.Equal(t, want[i][j], at(c.Results[0], i, j), kind)
							require.Equal(t, want[i][j], at(c.Results[1], j, i), kind)
						}
					}
				}
			}
		})
	}
}

func at(v soa.View, i, j int) float32 {
	return *(*float32)(unsafe.Add(v.Base(), 4*(i*v.Strides[0]+j*v.Strides[1])))
}

// Chains of tens of thousands of ops, kernels of hundreds of operands, tensors of
// a dozen dimensions.
func TestDeepAndWidePrograms(t *testing.T) {
	trials.Sequential(t)
	t.Run("deep", func(t *testing.T) {
		n := 4000
		if trials.Soaking() {
			n = trials.Soak(n, 40_000)
		}
		var b strings.Builder
		b.WriteString("func.func @main(%x: tensor<9xf32>, %y: tensor<9xf32>) -> tensor<9xf32> {\n  %0 = stablehlo.add %x, %y : tensor<9xf32>\n")
		for i := range n {
			fmt.Fprintf(&b, "  %%%d = stablehlo.%s %%%d, %%%s : tensor<9xf32>\n", i+1, []string{"subtract", "maximum", "add"}[i%3], i, []string{"x", "y"}[i%2])
		}
		fmt.Fprintf(&b, "  return %%%d : tensor<9xf32>\n}\n", n)
		cpu, err := backends.Open("cpu")
		require.NoError(t, err)
		eval, err := backends.Open("eval")
		require.NoError(t, err)
		_, err = alike(t.Context(), cpu, eval, programs.Program{Text: b.String()}, 0)
		require.NoError(t, err)
	})
	t.Run("wide", func(t *testing.T) {
		const n = 500
		var args, body strings.Builder
		body.WriteString("  %s0 = stablehlo.tanh %x0 : tensor<77xf32>\n")
		for i := range n {
			fmt.Fprintf(&args, ", %%x%d: tensor<77xf32>", i)
			fmt.Fprintf(&body, "  %%s%d = stablehlo.add %%s%d, %%x%d : tensor<77xf32>\n", i+1, i, i)
		}
		agree(t, fmt.Sprintf("func.func @main(%s) -> tensor<77xf32> {\n%s  return %%s%d : tensor<77xf32>\n}\n", args.String()[2:], body.String(), n))
	})
	t.Run("dimensions", func(t *testing.T) {
		agree(t, strings.NewReplacer("X", "2x1x2x2x2x1x2x3x2x2x1x2", "Y", "2x1x2x2x3x2x1x2x2x2x1x2", "Z", "2x2x2x2x3x2").Replace(`func.func @main(%x: tensor<Xxf32>) -> (tensor<Yxf32>, tensor<Zxf32>, tensor<f32>) {
  %c = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.transpose %x, dims = [11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0] : (tensor<Xxf32>) -> tensor<Yxf32>
  %1 = stablehlo.reduce(%x init: %c) applies stablehlo.maximum across dimensions = [1, 3, 5, 9, 10, 11] : (tensor<Xxf32>, tensor<f32>) -> tensor<Zxf32>
  %2 = stablehlo.reduce(%0 init: %c) applies stablehlo.add across dimensions = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11] : (tensor<Yxf32>, tensor<f32>) -> tensor<f32>
  return %0, %1, %2 : tensor<Yxf32>, tensor<Zxf32>, tensor<f32>
}`))
	})
}

// A loop without end ends when its context does.
func TestEndlessLoop(t *testing.T) {
	e, err := onCPU(t.Context(), `func.func @main(%x: tensor<300xf32>) -> tensor<300xf32> {
  %0 = stablehlo.while(%i = %x) : tensor<300xf32>
  cond {
    %c = stablehlo.constant dense<true> : tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %y = stablehlo.add %i, %i : tensor<300xf32>
    stablehlo.return %y : tensor<300xf32>
  }
  return %0 : tensor<300xf32>
}`, 1)
	require.NoError(t, err)
	stop := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	time.AfterFunc(10*time.Millisecond, func() { cancel(stop) })
	x, err := samples.Make(e.Signature().Args[0].Type, "rand:1")
	require.NoError(t, err)
	require.ErrorIs(t, e.Execute(ctx, &backends.Call{Args: []soa.View{x}}), stop)
}

// More elements than 32 bits count. Without LTC_SOAK=1 it is skipped: it takes 10
// GB and minutes.
func TestBillionsOfElements(t *testing.T) {
	if trials.Soak(0, 100) < 100 {
		t.Skip("LTC_SOAK=1 runs it")
	}
	const n, rows = 4_500_000_000, 75_000
	if err := soa.Fits(3 * n); err != nil {
		t.Skip(err)
	}
	run := func(text string, args ...soa.View) []soa.View {
		e, err := onCPU(t.Context(), text, 2)
		require.NoError(t, err)
		if c, ok := e.(interface{ Compiled() (int, int) }); ok {
			_, evaluated := c.Compiled()
			require.Zero(t, evaluated)
		}
		c := &backends.Call{Args: args}
		require.NoError(t, e.Execute(t.Context(), c))
		return c.Results
	}
	value := func(i int) uint8 { return uint8(i % 60_000 * 7) }
	places := []int{0, 1, 59_999, 60_000, 1<<31 - 1, 1 << 31, 1<<31 + 1, 1<<32 - 1, 1 << 32, 1<<32 + 65, n - 2, n - 1}
	x := run(`func.func @main() -> tensor<75000x60000xui8> {
  %0 = stablehlo.iota dim = 1 : tensor<75000x60000xui32>
  %1 = stablehlo.constant dense<7> : tensor<75000x60000xui32>
  %2 = stablehlo.multiply %0, %1 : tensor<75000x60000xui32>
  %3 = stablehlo.convert %2 : (tensor<75000x60000xui32>) -> tensor<75000x60000xui8>
  return %3 : tensor<75000x60000xui8>
}`)[0]
	s := soa.Slice[uint8](x)
	for _, i := range places {
		require.Equal(t, value(i), s[i], i)
	}
	r := run(`func.func @main(%x: tensor<75000x60000xui8>, %at: tensor<3x2xi64>, %i: tensor<i64>) -> (tensor<60000x75000xui8>, tensor<75000xui8>, tensor<ui64>, tensor<3x5xui8>, tensor<2x2xui8>, tensor<1x9xui8>) {
  %0 = stablehlo.transpose %x, dims = [1, 0] : (tensor<75000x60000xui8>) -> tensor<60000x75000xui8>
  %c = stablehlo.constant dense<0> : tensor<ui8>
  %1 = stablehlo.reduce(%x init: %c) applies stablehlo.add across dimensions = [1] : (tensor<75000x60000xui8>, tensor<ui8>) -> tensor<75000xui8>
  %w = stablehlo.convert %x : (tensor<75000x60000xui8>) -> tensor<75000x60000xui64>
  %d = stablehlo.constant dense<0> : tensor<ui64>
  %2 = stablehlo.reduce(%w init: %d) applies stablehlo.add across dimensions = [0, 1] : (tensor<75000x60000xui64>, tensor<ui64>) -> tensor<ui64>
  %3 = "stablehlo.gather"(%x, %at) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0, 1], index_vector_dim = 1>, slice_sizes = array<i64: 1, 5>}> : (tensor<75000x60000xui8>, tensor<3x2xi64>) -> tensor<3x5xui8>
  %4 = stablehlo.dynamic_slice %x, %i, %i, sizes = [2, 2] : (tensor<75000x60000xui8>, tensor<i64>, tensor<i64>) -> tensor<2x2xui8>
  %5 = stablehlo.slice %x [74999:75000:1, 59991:60000:1] : (tensor<75000x60000xui8>) -> tensor<1x9xui8>
  return %0, %1, %2, %3, %4, %5 : tensor<60000x75000xui8>, tensor<75000xui8>, tensor<ui64>, tensor<3x5xui8>, tensor<2x2xui8>, tensor<1x9xui8>
}`, x, soa.At(unsafe.Pointer(&[]int64{74_999, 59_990, 40_000, 3, 1 << 40, 1 << 40}[0]), types.Type{DType: types.I64, Shape: types.Shape{3, 2}}),
		soa.At(unsafe.Pointer(&[]int64{59_000}[0]), types.Type{DType: types.I64}))
	turned := soa.Slice[uint8](r[0])
	for _, i := range places {
		require.Equal(t, value(i), turned[i%60_000*rows+i/60_000], i)
	}
	sum := uint64(0)
	for i := range 60_000 {
		sum += uint64(value(i))
	}
	require.Equal(t, uint8(sum), soa.Slice[uint8](r[1])[rows-1])
	require.Equal(t, sum*rows, soa.Slice[uint64](r[2])[0])
	require.Equal(t, []uint8{value(59_990), value(59_991), value(59_992), value(59_993), value(59_994), value(3), value(4), value(5), value(6), value(7), value(59_995), value(59_996), value(59_997), value(59_998), value(59_999)}, soa.Slice[uint8](r[3]))
	require.Equal(t, []uint8{value(59_000), value(59_001), value(59_000), value(59_001)}, soa.Slice[uint8](r[4]))
	require.Equal(t, value(59_991), soa.Slice[uint8](r[5])[0])
}
