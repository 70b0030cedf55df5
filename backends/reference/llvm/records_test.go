package llvm

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/backends/kit"
	"ltc/backends/kit/fuse"
	"ltc/backends/kit/kernel"
	"ltc/backends/kit/kernel/kerneltest"
	"ltc/backends/reference"
	"ltc/backends/reference/eval"
	"ltc/backends/reference/llvm/emit"
	"ltc/backends/reference/llvm/vector"
	"ltc/internal/trials"
)

// Records of elements of every size become columns, and these records, to the bit:
// of every number of elements, of every number of records that vectors leave over.
func TestRecords(t *testing.T) {
	trials.Sequential(t)
	const text = `kernel %[1]s_%[2]d(x: %[1]s[n0, %[2]d] strides [*, 1], columns: %[1]s[n0, %[2]d] strides [1, *], out y: %[1]s[n0, %[2]d] strides [1, *], out records: %[1]s[n0, %[2]d] strides [*, 1]) {
	for p0 < n0
	for p1 < %[2]d
	stage {
		%%0 = load x[p0, p1]
		store y[p0, p1], %%0
		%%1 = load columns[p0, p1]
		store records[p0, p1], %%1
	}
}
`
	var all string
	for _, dtype := range []string{"f64", "f32", "bf16", "i32", "i16"} {
		for _, n := range []int{2, 3, 7, 8, 9, 16} {
			all += fmt.Sprintf(text, dtype, n)
		}
	}
	kernels, err := kernel.ParseAll(all)
	require.NoError(t, err)
	for i, c := range compilers(t) {
		kernels := kernels
		if i > 0 && !trials.Soaking() { // levels below the processor's
			kernels = everyThird(kernels, i)
		}
		codes := compile(t, c, kernels...)
		read := 0
		for i, k := range kernels {
			read += len(emit.Plan(k, c.machine).Records)
			t.Run(fmt.Sprint(c.machine.Level, "/", k.Name), func(t *testing.T) {
				for _, n := range []int64{0, 1, 7, 8, 15, 16, 31, 32, 64, 67} {
					before := kerneltest.NewMemory(k, []int64{n}, kerneltest.Dense, 0)
					before.Fill(rand.New(rand.NewPCG(uint64(n), 11)))
					want, err := before.Run(evaluate)
					require.NoError(t, err)
					for _, layout := range []kerneltest.Layout{kerneltest.Dense, kerneltest.Spread} {
						got, err := before.Like(layout, 0xFF).Run(in(codes[i], 1))
						require.NoError(t, err)
						require.NoError(t, kerneltest.Same(want, got, kerneltest.Tolerance{}), n)
					}
				}
			})
		}
		require.Greater(t, read, len(kernels), "%v: few are read as records", c.machine.Level)
	}
}

// Rows of blocks, which share a scale and a minimum, are summed by whole vectors, of any number of
// blocks: the sums are near those of the evaluator. What is the same for a block is added up once
// for it, in another order than that of stand-ins.
func TestRowsOfBlocks(t *testing.T) {
	trials.Sequential(t)
	const text = `kernel blocks_%[1]d(x: u8[n0, n1, %[1]d] strides [*, *, 1], scale: f16[n0, n1] strides [*, *], row: f32[n1, %[1]d] strides [*, 1], minimum: f16[n0, n1] strides [*, *], mean: f32[n1] strides [1], out y: f32[n0] strides [1]) {
	for p0 < n0
	stage j0 < n1 j1 < %[1]d {
		%%0 = load x[p0, j0, j1]
		%%1 = convert %%0 : f32
		%%2 = load scale[p0, j0]
		%%3 = convert %%2 : f32
		%%4 = multiply %%1, %%3 : f32
		%%5 = load row[j0, j1]
		%%6 = multiply %%4, %%5 : f32
		%%7 = reduce add %%6
		%%8 = load minimum[p0, j0]
		%%9 = convert %%8 : f32
		%%10 = load mean[j0]
		%%11 = multiply %%9, %%10 : f32
		%%12 = reduce add %%11
	}
	stage {
		%%13 = add %%7, %%12 : f32
		store y[p0], %%13
	}
}
`
	var all string
	for _, n := range []int{8, 12, 16, 32} {
		all += fmt.Sprintf(text, n)
	}
	kernels, err := kernel.ParseAll(all)
	require.NoError(t, err)
	for _, c := range compilers(t) {
		codes := compile(t, c, kernels...)
		for i, k := range kernels {
			t.Run(fmt.Sprint(c.machine.Level, "/", k.Name), func(t *testing.T) {
				s, block := emit.Plan(k, c.machine), int(k.Axis(0, 2).Size)
				whole := block&(block-1) == 0 && block >= s.Lanes
				require.Equal(t, whole, s.Stages[0].Whole)
				require.Equal(t, whole, emit.OrderOf(k, s, c.machine) == nil)
				for _, blocks := range []int64{0, 1, 3, 4, 5, 18} {
					before := kerneltest.NewMemory(k, []int64{3, blocks}, kerneltest.Dense, 0)
					before.Fill(rand.New(rand.NewPCG(uint64(blocks), 11)))
					want, err := before.Run(evaluate)
					require.NoError(t, err)
					for _, layout := range []kerneltest.Layout{kerneltest.Dense, kerneltest.Spread} {
						got, err := before.Like(layout, 0xFF).Run(in(codes[i], 1))
						require.NoError(t, err)
						require.NoError(t, kerneltest.Same(want, got, kerneltest.Tolerance{Relative: 1e-4, Absolute: 1e-2}), blocks)
					}
				}
			})
		}
	}
}

// The lower four bits of an integer are converted by a table where it is one register: whole vectors, and what remains.
func TestLowBits(t *testing.T) {
	trials.Sequential(t)
	const text = `kernel low_%[1]s(x: %[1]s[n0] strides [1], out y: f32[n0] strides [1]) {
	for p0 < n0
	stage {
		%%0 = load x[p0]
		%%1 = constant %[2]d : %[1]s
		%%2 = and %%1, %%0 : %[1]s
		%%3 = convert %%2 : f32
		store y[p0], %%3
	}
}
`
	kernels, err := kernel.ParseAll(fmt.Sprintf(text, "i32", 15) + fmt.Sprintf(text, "u32", 15) + fmt.Sprintf(text, "i64", 15) + fmt.Sprintf(text, "i32", 31))
	require.NoError(t, err)
	for _, c := range compilers(t) {
		for i, code := range compile(t, c, kernels...) {
			text, _ := emit.Module(kernels[i:i+1], c.machine, func() {})
			byTable := c.machine.Bits() == 512 && i < 2 // of 32 bits, and of four
			require.Equal(t, byTable, strings.Contains(text, "llvm.x86.avx512.permvar.sf.512"), "%v: %s", c.machine.Level, kernels[i].Name)
			before := kerneltest.NewMemory(kernels[i], []int64{83}, kerneltest.Dense, 0)
			before.Fill(rand.New(rand.NewPCG(uint64(i), 13)))
			want, err := before.Run(evaluate)
			require.NoError(t, err)
			got, err := before.Run(in(code, 1))
			require.NoError(t, err)
			require.NoError(t, kerneltest.Same(want, got, kerneltest.Tolerance{}), "%v: %s", c.machine.Level, kernels[i].Name)
		}
	}
}

// A sum along an axis of a few vectors has all its elements if an operand of 16 bits is strided there: its lanes are
// inserted one by one, in a loop over the axis.
func TestRowsOfStridedBlocks(t *testing.T) {
	trials.Sequential(t)
	const text = `kernel strided_%[1]d(x: f16[n0, n1, %[1]d] strides [*, *, *], w: f32[n0, n1, %[1]d] strides [*, *, 1], row: f32[n1, %[1]d] strides [*, 1], out y: f32[n0] strides [1]) {
	for p0 < n0
	stage j0 < n1 j1 < %[1]d {
		%%0 = load x[p0, j0, j1]
		%%1 = convert %%0 : f32
		%%2 = load w[p0, j0, j1]
		%%3 = load row[j0, j1]
		%%4 = multiply %%2, %%3 : f32
		%%5 = multiply %%1, %%4 : f32
		%%6 = reduce add %%5
	}
	stage {
		store y[p0], %%6
	}
}
`
	kernels, err := kernel.ParseAll(fmt.Sprintf(text, 32) + fmt.Sprintf(text, 64))
	require.NoError(t, err)
	for _, c := range compilers(t) {
		codes := compile(t, c, kernels...)
		for i, k := range kernels {
			t.Run(fmt.Sprint(c.machine.Level, "/", k.Name), func(t *testing.T) {
				s := emit.Plan(k, c.machine)
				require.Equal(t, emit.Rows, s.Form)
				require.Equal(t, 2, s.Stages[0].Vector)
				require.False(t, s.Stages[0].Whole)
				for _, blocks := range []int64{0, 1, 3, 8} {
					before := kerneltest.NewMemory(k, []int64{3, blocks}, kerneltest.Dense, 0)
					before.Fill(rand.New(rand.NewPCG(uint64(blocks), 11)))
					want, err := before.Run(evaluate)
					require.NoError(t, err)
					for _, layout := range []kerneltest.Layout{kerneltest.Dense, kerneltest.Spread} {
						got, err := before.Like(layout, 0xFF).Run(in(codes[i], 1))
						require.NoError(t, err)
						require.NoError(t, kerneltest.Same(want, got, kerneltest.Tolerance{Relative: 1e-4, Absolute: 1e-2}), blocks)
					}
				}
			})
		}
	}
}

// Vectors run along the points. The three coordinates, adjacent in memory, are unrolled.
func TestCoordinatesOfPoints(t *testing.T) {
	p, err := backends.Load(t.Context(), backends.NewModule(`func.func @main(%x: tensor<100x3xf32>) -> tensor<100x100x3xf32> {
  %0 = stablehlo.broadcast_in_dim %x, dims = [0, 2] : (tensor<100x3xf32>) -> tensor<100x100x3xf32>
  %1 = stablehlo.broadcast_in_dim %x, dims = [1, 2] : (tensor<100x3xf32>) -> tensor<100x100x3xf32>
  %2 = stablehlo.subtract %0, %1 : tensor<100x100x3xf32>
  %3 = stablehlo.multiply %2, %2 : tensor<100x100x3xf32>
  %4 = stablehlo.constant dense<0.0> : tensor<f32>
  %5 = stablehlo.reduce(%3 init: %4) applies stablehlo.add across dimensions = [2] : (tensor<100x100x3xf32>, tensor<f32>) -> tensor<100x100xf32>
  %6 = stablehlo.sqrt %5 : tensor<100x100xf32>
  %7 = stablehlo.broadcast_in_dim %6, dims = [0, 1] : (tensor<100x100xf32>) -> tensor<100x100x3xf32>
  %8 = stablehlo.multiply %7, %2 : tensor<100x100x3xf32>
  return %8 : tensor<100x100x3xf32>
}`), backends.Options{})
	require.NoError(t, err)
	prog, err := kit.Compile(t.Context(), p, kit.Options{Eval: eval.New(), Fuse: fuse.Options{Cut: reference.Cut}})
	require.NoError(t, err)
	require.Len(t, prog.Kernels, 1)
	for _, level := range []vector.Level{vector.AVX2, vector.AVX512} {
		s := emit.Plan(prog.Kernels[0], vector.Machine{Level: level})
		require.Equal(t, emit.Written, s.Form)
		require.Equal(t, 1, s.Vector)
		require.Len(t, s.Records, 3, "two loads and a store")
	}
}
