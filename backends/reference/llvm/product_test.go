package llvm

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/backends/kit/kernel"
	"ltc/backends/reference/llvm/emit"
	"ltc/internal/samples"
	"ltc/internal/test/programs"
	"ltc/internal/trials"
	"ltc/ir/types"
	"ltc/soa"
)

// products are programs whose sums go through an epilogue. %[1]d to %[4]d are
// b, m, n and k, %[5]s the element.
var products = map[string]string{
	"plain": `func.func @main(%%x: tensor<%[2]dx%[4]dx%[5]s>, %%y: tensor<%[4]dx%[3]dx%[5]s>) -> tensor<%[2]dx%[3]dx%[5]s> {
	%%0 = stablehlo.dot_general %%x, %%y, contracting_dims = [1] x [0] : (tensor<%[2]dx%[4]dx%[5]s>, tensor<%[4]dx%[3]dx%[5]s>) -> tensor<%[2]dx%[3]dx%[5]s>
	return %%0 : tensor<%[2]dx%[3]dx%[5]s>
}`,
	"transposed, bias, residual, two results": `func.func @main(%%x: tensor<%[4]dx%[2]dx%[5]s>, %%y: tensor<%[3]dx%[4]dx%[5]s>, %%b: tensor<%[3]dx%[5]s>, %%r: tensor<%[2]dx%[3]dx%[5]s>) -> (tensor<%[2]dx%[3]dx%[5]s>, tensor<%[2]dx%[3]dx%[5]s>) {
	%%0 = stablehlo.dot_general %%x, %%y, contracting_dims = [0] x [1] : (tensor<%[4]dx%[2]dx%[5]s>, tensor<%[3]dx%[4]dx%[5]s>) -> tensor<%[2]dx%[3]dx%[5]s>
	%%1 = stablehlo.broadcast_in_dim %%b, dims = [1] : (tensor<%[3]dx%[5]s>) -> tensor<%[2]dx%[3]dx%[5]s>
	%%2 = stablehlo.add %%0, %%1 : tensor<%[2]dx%[3]dx%[5]s>
	%%3 = stablehlo.maximum %%2, %%r : tensor<%[2]dx%[3]dx%[5]s>
	return %%2, %%3 : tensor<%[2]dx%[3]dx%[5]s>, tensor<%[2]dx%[3]dx%[5]s>
}`,
	"batches, heads in the middle": `func.func @main(%%x: tensor<%[1]dx%[2]dx3x%[4]dx%[5]s>, %%y: tensor<%[1]dx%[3]dx3x%[4]dx%[5]s>, %%s: tensor<%[5]s>) -> tensor<%[1]dx3x%[2]dx%[3]dx%[5]s> {
	%%0 = stablehlo.dot_general %%x, %%y, batching_dims = [0, 2] x [0, 2], contracting_dims = [3] x [3] : (tensor<%[1]dx%[2]dx3x%[4]dx%[5]s>, tensor<%[1]dx%[3]dx3x%[4]dx%[5]s>) -> tensor<%[1]dx3x%[2]dx%[3]dx%[5]s>
	%%1 = stablehlo.broadcast_in_dim %%s, dims = [] : (tensor<%[5]s>) -> tensor<%[1]dx3x%[2]dx%[3]dx%[5]s>
	%%2 = stablehlo.multiply %%0, %%1 : tensor<%[1]dx3x%[2]dx%[3]dx%[5]s>
	return %%2 : tensor<%[1]dx3x%[2]dx%[3]dx%[5]s>
}`,
	"donated": `func.func @main(%%x: tensor<%[4]dx%[2]dx%[5]s>, %%y: tensor<%[4]dx%[3]dx%[5]s>, %%w: tensor<%[2]dx%[3]dx%[5]s> {tf.aliasing_output = 0 : i32}) -> tensor<%[2]dx%[3]dx%[5]s> {
	%%0 = stablehlo.dot_general %%x, %%y, contracting_dims = [0] x [0] : (tensor<%[4]dx%[2]dx%[5]s>, tensor<%[4]dx%[3]dx%[5]s>) -> tensor<%[2]dx%[3]dx%[5]s>
	%%1 = stablehlo.subtract %%w, %%0 : tensor<%[2]dx%[3]dx%[5]s>
	return %%1 : tensor<%[2]dx%[3]dx%[5]s>
}`,
	"matrix and vector": `func.func @main(%%x: tensor<%[2]dx%[4]dx%[5]s>, %%y: tensor<%[4]dx%[5]s>, %%b: tensor<%[2]dx%[5]s>) -> tensor<%[2]dx%[5]s> {
	%%0 = stablehlo.dot_general %%x, %%y, contracting_dims = [1] x [0] : (tensor<%[2]dx%[4]dx%[5]s>, tensor<%[4]dx%[5]s>) -> tensor<%[2]dx%[5]s>
	%%1 = stablehlo.add %%0, %%b : tensor<%[2]dx%[5]s>
	return %%1 : tensor<%[2]dx%[5]s>
}`,
}

// Products of all shapes, with what is fused into them, are those of the
// evaluator.
func TestProducts(t *testing.T) {
	cpu, err := backends.Open("cpu")
	require.NoError(t, err)
	eval, err := backends.Open("eval")
	require.NoError(t, err)
	r := rand.New(rand.NewPCG(1, 2))
	size := func() int {
		if r.IntN(3) == 0 {
			return 1 + r.IntN(200)
		}
		return 1 + r.IntN(20)
	}
	for name, program := range products {
		t.Run(name, func(t *testing.T) {
			n := 12
			if trials.Few() {
				n = 4 // one of each dtype
			}
			for i := range n {
				elem := []string{"f32", "f32", "f64", "i32"}[i%4]
				text := fmt.Sprintf(program, 1+r.IntN(4), size(), size(), size(), elem)
				text = strings.ReplaceAll(text, "%!(EXTRA", "//")
				ok, err := alike(t.Context(), cpu, eval, programs.Program{Text: text}, uint64(i))
				require.NoError(t, err, "%s", text)
				require.True(t, ok, "not compiled\n%s", text)
			}
		})
	}
}

// byteProducts are products of bytes with sums of 32 bits: %[1]d to %[4]d are b, m, n and
// k, %[5]s the element, %[6]s that of the result.
var byteProducts = map[string]string{
	"matrices": `func.func @main(%%x: tensor<%[2]dx%[4]dxui8>, %%y: tensor<%[4]dx%[3]dxui8>) -> tensor<%[2]dx%[3]dx%[6]s> {
	%%a = stablehlo.bitcast_convert %%x : (tensor<%[2]dx%[4]dxui8>) -> tensor<%[2]dx%[4]dx%[5]s>
	%%b = stablehlo.bitcast_convert %%y : (tensor<%[4]dx%[3]dxui8>) -> tensor<%[4]dx%[3]dx%[5]s>
	%%0 = stablehlo.dot_general %%a, %%b, contracting_dims = [1] x [0] : (tensor<%[2]dx%[4]dx%[5]s>, tensor<%[4]dx%[3]dx%[5]s>) -> tensor<%[2]dx%[3]dx%[6]s>
	return %%0 : tensor<%[2]dx%[3]dx%[6]s>
}`,
	"transposed, scaled": `func.func @main(%%x: tensor<%[1]dx%[4]dx%[2]dxui8>, %%y: tensor<%[1]dx%[3]dx%[4]dxui8>, %%s: tensor<%[3]dxf32>) -> tensor<%[1]dx%[2]dx%[3]dxf32> {
	%%a = stablehlo.bitcast_convert %%x : (tensor<%[1]dx%[4]dx%[2]dxui8>) -> tensor<%[1]dx%[4]dx%[2]dx%[5]s>
	%%b = stablehlo.bitcast_convert %%y : (tensor<%[1]dx%[3]dx%[4]dxui8>) -> tensor<%[1]dx%[3]dx%[4]dx%[5]s>
	%%0 = stablehlo.dot_general %%a, %%b, batching_dims = [0] x [0], contracting_dims = [1] x [2] : (tensor<%[1]dx%[4]dx%[2]dx%[5]s>, tensor<%[1]dx%[3]dx%[4]dx%[5]s>) -> tensor<%[1]dx%[2]dx%[3]dx%[6]s>
	%%1 = stablehlo.convert %%0 : (tensor<%[1]dx%[2]dx%[3]dx%[6]s>) -> tensor<%[1]dx%[2]dx%[3]dxf32>
	%%2 = stablehlo.broadcast_in_dim %%s, dims = [2] : (tensor<%[3]dxf32>) -> tensor<%[1]dx%[2]dx%[3]dxf32>
	%%3 = stablehlo.multiply %%1, %%2 : tensor<%[1]dx%[2]dx%[3]dxf32>
	return %%3 : tensor<%[1]dx%[2]dx%[3]dxf32>
}`,
}

// Products of bytes, those with a sign and others, are exact: of all values, and
// of the least and the greatest ones alone.
func TestByteProducts(t *testing.T) {
	trials.Sequential(t)
	cpu, err := backends.Open("cpu")
	require.NoError(t, err)
	eval, err := backends.Open("eval")
	require.NoError(t, err)
	for name, program := range byteProducts {
		for _, elem := range []string{"i8", "ui8"} {
			for n, size := range [][3]int{{64, 96, 131}, {33, 1, 77}, {1, 50, 64}, {2, 3, 5}, {130, 40, 4100}} {
				text := fmt.Sprintf(program, 2, size[0], size[1], size[2], elem, "i32")
				if elem == "ui8" {
					text = strings.ReplaceAll(text, "stablehlo.bitcast_convert", "stablehlo.convert")
				}
				a, err := cpu.Compile(t.Context(), backends.NewModule(text), backends.Options{})
				require.NoError(t, err)
				kernels, evaluated := a.(interface{ Compiled() (int, int) }).Compiled()
				require.Zero(t, evaluated)
				require.Equal(t, 1, kernels, "bytes are widened by the product")
				b, err := eval.Compile(t.Context(), backends.NewModule(text), backends.Options{})
				require.NoError(t, err)
				for _, values := range [][]byte{nil, {0x80}, {0x7f}, {0xff}, {0x80, 0x7f, 0, 0xff}} {
					var args []soa.View
					r := rand.New(rand.NewPCG(uint64(n), 3))
					for i, p := range a.Signature().Args {
						if p.Type.DType != types.U8 {
							v, err := samples.Make(p.Type, "rand:1")
							require.NoError(t, err)
							args = append(args, v)
							continue
						}
						v := soa.Make(p.Type)
						for j, all := 0, unsafe.Slice((*byte)(v.Base()), p.Type.Bytes()); j < len(all); j++ {
							if all[j] = byte(r.Uint32()); values != nil {
								all[j] = values[(j+i)%len(values)]
							}
						}
						args = append(args, v)
					}
					got, want := &backends.Call{Args: args}, &backends.Call{Args: args}
					require.NoError(t, a.Execute(t.Context(), got))
					require.NoError(t, b.Execute(t.Context(), want))
					d, err := samples.Differ(got.Results[0], want.Results[0])
					require.NoError(t, err)
					require.LessOrEqual(t, d.Size, 0.0, "%s of %s: %v is %s, want %s\n%s", name, elem, d.At, d.Got, d.Want, text)
				}
			}
		}
	}
}

// Kernels whose factors are bytes with or without a sign are products of package
// gemm.
func TestByteKernels(t *testing.T) {
	trials.Sequential(t)
	for _, signed := range []bool{false, true} {
		b := kernel.NewBuilder("bytes")
		m, n, k := b.Size(), b.Size(), b.Size()
		i, j := b.Axis("i", m), b.Axis("j", n)
		matrix := func(name string, d types.DType, rows, columns kernel.Size, out bool) int {
			return b.Param(kernel.Param{Name: name, DType: d, Dims: []kernel.Size{rows, columns}, Strides: []kernel.Stride{kernel.AnyStride, kernel.UnitStride}, Out: out})
		}
		d := types.U8
		if signed {
			d = types.I8
		}
		x, y, z := matrix("x", d, m, k, false), matrix("y", d, k, n, false), matrix("z", types.I32, m, n, true)
		b.Stage(kernel.Axis{Name: "k", Size: k})
		number := func(p int, index ...kernel.Index) kernel.ID {
			return b.Op(kernel.Convert, types.I32, b.Load(p, index...))
		}
		sum := b.Reduce(kernel.Add, b.Op(kernel.Multiply, types.I32, number(x, kernel.Along(i), kernel.Along(2)), number(y, kernel.Along(2), kernel.Along(j))))
		b.Stage()
		b.Store(z, sum, kernel.Along(i), kernel.Along(j))
		for _, c := range compilers(t) {
			p, ok := emit.AsProduct(b.Kernel(), c.units.machine)
			require.True(t, ok, "%v on %v", b.Kernel(), c.machine.Level)
			require.Equal(t, [2]bool{signed, signed}, p.Nominal().Signed)
		}
	}
}

// A product of few rows takes as long as it takes to read its matrices, and is cut by that. One that
// takes less than to wake a thread is cut for threads that are awake.
func TestProductsAreCutByBytes(t *testing.T) {
	k, err := kernel.Parse(`kernel k(x0: f32[n0, n2] strides [*, 1], x1: f32[n2, n1] strides [*, 1], out y2: f32[n0, n1] strides [*, 1]) {
  for i < n0
  for j < n1
  stage s < n2 {
    %0 = load x0[i, s]
    %1 = load x1[s, j]
    %2 = multiply %0, %1 : f32
    %3 = reduce add %2
  }
  stage {
    store y2[i, j], %3
  }
}`)
	require.NoError(t, err)
	code := compile(t, compilers(t)[0], k)[0].(kernel.Preparer)
	for _, c := range []struct {
		m, n, k    int64
		cut, short bool
	}{
		{1, 1536, 576, true, false},  // 3.5 MB
		{1, 192, 576, true, true},    // 0.4 MB
		{1, 64, 576, false, true},    // 0.1 MB
		{1536, 1, 576, true, false},  // a column
		{4, 1536, 576, true, false},  // few rows
		{64, 64, 64, false, true},    // few operations
		{64, 96, 192, true, true},    // more
		{128, 384, 384, true, false}, // many
	} {
		sizes := []int64{c.m, c.n, c.k}
		made, err := code.Prepare(t.Context(), sizes, []int64{c.k, c.n, c.n}, nil)
		require.NoError(t, err)
		require.Nil(t, made.(*product).own)
		require.Equal(t, c.cut, made.Parts(sizes, 2) > 1, sizes)
		require.Equal(t, 1, made.Parts(sizes, 1), sizes)
		require.Equal(t, c.short, made.(kernel.ShortLauncher).IsShort(sizes), sizes)
	}
}
