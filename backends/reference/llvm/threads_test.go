package llvm

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/backends/kit/kernel"
	"ltc/internal/samples"
	"ltc/internal/test/programs"
	"ltc/internal/trials"
	"ltc/ir/types"
	"ltc/soa"
)

// A program gives the same bits on any number of threads, be its steps as small
// as they are.
func TestThreads(t *testing.T) {
	compilers(t)
	defer func(wake, part float64) { wakeCost, partCost = wake, part }(wakeCost, partCost)
	wakeCost, partCost = 0.02, 0.01
	files, err := filepath.Glob("../../kit/testdata/workloads/*.mlir")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	cut := 0
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		cut += onThreads(t, string(text), 1)
	}
	require.Greater(t, cut, len(files), "programs ran on one thread")
	for seed := range uint64(trials.Soak(25, 100)) {
		onThreads(t, programs.Random(rand.New(rand.NewPCG(seed, 5)), 4+int(seed%24)), seed)
	}
	for seed := range uint64(trials.Soak(4, 10)) {
		onThreads(t, programs.Network(rand.New(rand.NewPCG(seed, 6))), seed)
	}
}

// Scans of a few long rows, which are cut into parts, give the same bits on any number
// of threads, in either order; so do scans of many rows, and of none.
func TestScansOnThreads(t *testing.T) {
	for _, c := range []struct {
		rows, columns int
		padding       string
	}{{2, 1 << 17, "[131071, 0]"}, {1, 1 << 17, "[0, 131071]"}, {67, 4099, "[4098, 0]"}, {0, 6, "[5, 0]"}} {
		text := fmt.Sprintf(`func.func @main(%%x: tensor<%[1]dx%[2]dxf32>) -> tensor<%[1]dx%[2]dxf32> {
  %%i = stablehlo.constant dense<0.0> : tensor<f32>
  %%0 = stablehlo.multiply %%x, %%x : tensor<%[1]dx%[2]dxf32>
  %%1 = "stablehlo.reduce_window"(%%0, %%i) <{padding = dense<[[0, 0], %[3]s]> : tensor<2x2xi64>, window_dimensions = array<i64: 1, %[2]d>}> ({
  ^bb0(%%a: tensor<f32>, %%b: tensor<f32>):
    %%2 = stablehlo.add %%a, %%b : tensor<f32>
    stablehlo.return %%2 : tensor<f32>
  }) : (tensor<%[1]dx%[2]dxf32>, tensor<f32>) -> tensor<%[1]dx%[2]dxf32>
  return %%1 : tensor<%[1]dx%[2]dxf32>
}`, c.rows, c.columns, c.padding)
		parts := onThreads(t, text, 1)
		if c.rows > 0 {
			require.Greater(t, parts, 1, "%s", text)
		}
	}
}

// So do scans of other functions: of few long rows, which are cut into parts, and of many,
// which are moved in blocks.
func TestScansOfFunctionsOnThreads(t *testing.T) {
	for _, c := range []struct {
		rows, columns int
		padding       string
	}{{2, 1 << 16, "[65535, 0]"}, {1, 1 << 16, "[0, 65535]"}, {515, 523, "[522, 0]"}} {
		parts := onThreads(t, fmt.Sprintf(`func.func @main(%%x: tensor<%[1]dx%[2]dxf32>) -> tensor<%[1]dx%[2]dxf32> {
  %%i = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %%1 = "stablehlo.reduce_window"(%%x, %%i) <{padding = dense<[[0, 0], %[3]s]> : tensor<2x2xi64>, window_dimensions = array<i64: 1, %[2]d>}> ({
  ^bb0(%%a: tensor<f32>, %%b: tensor<f32>):
    %%2 = stablehlo.exponential %%a : tensor<f32>
    %%3 = stablehlo.exponential %%b : tensor<f32>
    %%4 = stablehlo.add %%2, %%3 : tensor<f32>
    %%5 = stablehlo.log %%4 : tensor<f32>
    stablehlo.return %%5 : tensor<f32>
  }) : (tensor<%[1]dx%[2]dxf32>, tensor<f32>) -> tensor<%[1]dx%[2]dxf32>
  return %%1 : tensor<%[1]dx%[2]dxf32>
}`, c.rows, c.columns, c.padding), 1)
		require.Greater(t, parts, 1, "%v", c)
	}
}

// Products that take less than a wake-up, which are cut for threads that are awake, give the same
// bits on any number of threads, whatever their shapes.
func TestShortProductsOnThreads(t *testing.T) {
	compilers(t)
	defer func(wake, part float64) { wakeCost, partCost = wake, part }(wakeCost, partCost)
	wakeCost, partCost = 1e12, 0.01
	for i, of := range []struct{ batch, m, n, k, parts int }{
		{1, 1, 192, 576, 8}, {1, 17, 1, 129, 8}, {3, 7, 19, 5, 8}, {2, 13, 67, 31, 8}, {1, 65, 65, 65, 8},
		{1, 1, 1, 1, 1}, {1, 3, 33, 1, 1}, {1, 0, 8, 8, 1}, {0, 3, 3, 3, 1}, {1, 9, 130, 0, 1},
	} {
		parts := onThreads(t, fmt.Sprintf(`func.func @main(%%x: tensor<%[1]dx%[2]dx%[4]dxf32>, %%y: tensor<%[1]dx%[4]dx%[3]dxf32>, %%z: tensor<%[1]dx%[2]dx%[3]dxf32>) -> tensor<%[1]dx%[2]dx%[3]dxf32> {
  %%0 = stablehlo.dot_general %%x, %%y, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<%[1]dx%[2]dx%[4]dxf32>, tensor<%[1]dx%[4]dx%[3]dxf32>) -> tensor<%[1]dx%[2]dx%[3]dxf32>
  %%1 = stablehlo.add %%0, %%z : tensor<%[1]dx%[2]dx%[3]dxf32>
  return %%1 : tensor<%[1]dx%[2]dx%[3]dxf32>
}`, of.batch, of.m, of.n, of.k), uint64(i))
		require.GreaterOrEqual(t, parts, of.parts, "%v", of)
	}
}

// onThreads runs a program on several numbers of threads and returns the most
// parts that a step of it was cut into. There are eight threads, on however many processors.
func onThreads(t *testing.T, text string, seed uint64) (parts int) {
	t.Helper()
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(8))
	cpu, err := backends.Open("cpu")
	require.NoError(t, err)
	var want [][]byte
	for _, threads := range []int{1, 2, 3, 7, 1_000_000, 0} {
		e, err := cpu.Compile(t.Context(), backends.NewModule(text), backends.Options{Threads: threads})
		require.NoError(t, err)
		c := &backends.Call{}
		for i, p := range e.Signature().Args {
			v, err := samples.Make(p.Type, fmt.Sprintf("rand:%d", seed+uint64(i)))
			require.NoError(t, err)
			c.Args = append(c.Args, v)
		}
		require.NoError(t, e.Execute(t.Context(), c))
		for j, r := range c.Results {
			if threads == 1 {
				want = append(want, bytesOf(r))
			} else if !bytes.Equal(want[j], bytesOf(r)) {
				require.Failf(t, "other bits", "%d threads, seed %d, result %d of\n%s", threads, seed, j, text)
			}
		}
		if p, ok := e.(interface{ Parts() int }); ok {
			parts = max(parts, p.Parts())
		}
	}
	return parts
}

func bytesOf(v soa.View) []byte {
	return unsafe.Slice((*byte)(v.Base()), v.Type.Bytes())
}

// Kernels of few operations and many bytes are cut by their bytes: all of an operand at most, and
// of one that is gathered from what is loaded.
func TestKernelsAreCutByBytes(t *testing.T) {
	c := compilers(t)[0]
	for _, of := range []struct {
		text  string
		sizes []int64
		bytes float64
		parts int
	}{
		{`kernel pad(x0: f32[n0, 14, 14] strides [*, *, 1], out y1: f32[n0, 16, 16] strides [*, *, 1]) {
  for i < n0
  for j < 16
  for l < 16
  stage {
    %0 = constant 0.0 : f32
    %1 = load x0[i, j - 1, l - 1] else %0
    store y1[i, j, l], %1
  }
}`, []int64{480}, 480 * (14*14 + 16*16) * 4, 2},
		{`kernel rows(x0: f32[30000, n1] strides [*, 1], x1: i32[n0] strides [1], out y2: f32[n0, n1] strides [*, 1]) {
  for i < n0
  for j < n1
  stage {
    %0 = load x1[i]
    %1 = load x0[%0, j]
    store y2[i, j], %1
  }
}`, []int64{16, 64}, 16*4 + 2*16*64*4, 1},
	} {
		k, err := kernel.Parse(of.text)
		require.NoError(t, err)
		code := compile(t, c, k)[0].(*code)
		require.Equal(t, of.bytes, code.schedule.Bytes(k, of.sizes), of.text)
		require.Equal(t, of.parts > 1, code.Parts(of.sizes, 2) > 1, of.text)
		require.Equal(t, 1, code.Parts(of.sizes, 1))
	}
}

// The product of one row and a matrix [k, n] is cut along k: its bits are the same on any number of
// threads. A matrix that is not dense is read where it is, in pieces, too.
func TestRowsInPieces(t *testing.T) {
	compilers(t)
	for _, elem := range []string{"f32", "bf16"} {
		text := strings.ReplaceAll(`func.func @main(%x: tensor<768xT>, %w: tensor<768x384xT>) -> tensor<384xT> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [0] x [0] : (tensor<768xT>, tensor<768x384xT>) -> tensor<384xT>
  %1 = stablehlo.logistic %0 : tensor<384xT>
  return %1 : tensor<384xT>
}`, "T", elem)
		require.Greater(t, onThreads(t, text, 1), 1)
		want, got := compiledFor(t, "eval", text, 1), compiledFor(t, "cpu", text, 2)
		for _, strides := range [][]int{{384, 1}, {1, 768}, {800, 2}} {
			var args []soa.View
			for i, a := range want.Signature().Args {
				v, err := samples.Make(a.Type, fmt.Sprintf("rand:%d", i))
				require.NoError(t, err)
				args = append(args, v)
			}
			w := soa.Make(types.Of(args[1].Type.DType, 768*800))
			w.Type, w.Strides = args[1].Type, strides
			require.NoError(t, soa.Copy(w, args[1]))
			args[1] = w
			var results [2]soa.View
			for i, e := range []backends.Executable{want, got} {
				call := &backends.Call{Args: args}
				require.NoError(t, e.Execute(t.Context(), call), text)
				results[i] = call.Results[0]
			}
			d, err := samples.Differ(results[1], results[0])
			require.NoError(t, err)
			require.LessOrEqual(t, d.Size, tolerance(results[0].Type.DType, elem == "bf16"), "strides %v at %v: %s, want %s", strides, d.At, d.Got, d.Want)
		}
		require.Zero(t, got.(backends.Copying).CopiedBytes())
	}
}
