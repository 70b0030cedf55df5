package llvm

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"ltc/backends/kit/kernel"
	"ltc/backends/kit/kernel/kerneltest"
	"ltc/internal/trials"
	"ltc/ir/types"
)

// Cumulative maxima and minima of floats tell zeros apart, and are NaN from the first one of
// either sign on, in both orders, with and without the element itself.
func TestExtremesOfRows(t *testing.T) {
	trials.Sequential(t)
	var kernels []*kernel.Kernel
	for _, d := range []types.DType{types.F32, types.F64} {
		for _, order := range []string{"scan", "scan reverse"} {
			for _, with := range []string{"maximum %0", "minimum %0", "maximum exclusive %0", "minimum exclusive %0"} {
				k, err := kernel.Parse(fmt.Sprintf(`kernel extremes(x: %[1]s[n0, n1] strides [*, 1], out y: %[1]s[n0, n1] strides [*, 1]) {
  for i < n0
  stage %[2]s j < n1 {
    %%0 = load x[i, j]
    %%1 = scan %[3]s
    store y[i, j], %%1
  }
}
`, d, order, with))
				require.NoError(t, err)
				kernels = append(kernels, k)
			}
		}
	}
	inf, zero := math.Inf(1), math.Copysign(0, -1)
	rows := []func(i int) float64{
		func(i int) float64 { return []float64{zero, zero, 0}[i*i%89%3] },
		func(i int) float64 { return []float64{zero, 0, 1, -1, 2.5, -2.5, 1e-40, -1e-40}[i*i%97%8] },
		func(i int) float64 { return []float64{-inf, -inf, -1e30, 3, inf}[i*i%113/25] },
		func(i int) float64 { return map[bool]float64{false: float64(i % 7), true: math.NaN()}[i == 70] },
		func(i int) float64 { return map[bool]float64{true: math.Copysign(math.NaN(), -1)}[i == 60] },
	}
	const n = 133
	for _, c := range compilers(t) {
		for at, code := range compile(t, c, kernels...) {
			k := kernels[at]
			d := k.Params[0].DType
			before := kerneltest.NewMemory(k, []int64{int64(len(rows)), n}, kerneltest.Dense, 0)
			var values []uint64
			for _, row := range rows {
				for i := range n {
					if values = append(values, math.Float64bits(row(i))); d == types.F32 {
						values[len(values)-1] = uint64(math.Float32bits(float32(row(i))))
					}
				}
			}
			before.Set(0, values)
			want, err := before.Run(evaluate)
			require.NoError(t, err)
			got, err := before.Run(in(code, 1))
			require.NoError(t, err)
			require.NoError(t, kerneltest.Same(want, got, kerneltest.Tolerance{}), "%v: %v", c.machine.Level, k)
			sign := uint64(1) << (8*d.Size() - 1)
			for i, w := range want.Get(1) {
				if g := got.Get(1)[i]; w&^sign == 0 {
					require.Equal(t, w, g, "%v: element %d is another zero: %v", c.machine.Level, i, k)
				}
			}
		}
	}
}

// Stages that carry along rows move blocks of many rows in both orders, whole ones and what
// is left over along both axes. Results have the evaluator's bits, and what is only moved
// keeps them. Nothing beside the rows is written.
func TestBlocksOfRows(t *testing.T) {
	trials.Sequential(t)
	combine := map[types.DType]kernel.Op{types.Bool: kernel.Xor}
	var kernels []*kernel.Kernel
	for _, d := range []types.DType{types.Bool, types.U8, types.I16, types.F16, types.BF16, types.F32, types.F64} {
		for _, order := range []string{"scan", "scan reverse"} {
			op, ok := combine[d]
			if !ok {
				op = kernel.Add
			}
			k, err := kernel.Parse(fmt.Sprintf(`kernel carried(x: %[1]s[n0, n1] strides [*, 1], init: %[1]s[n0] strides [1], out y: %[1]s[n0, n1] strides [*, 1], out z: %[1]s[n0, n1] strides [*, 1]) {
  for i < n0
  local h: %[1]s[]
  stage {
    %%0 = load init[i]
    store h[], %%0
  }
  stage %[2]s j < n1 {
    %%2 = load h[]
    %%3 = load x[i, j]
    %%4 = %[3]v %%2, %%3 : %[1]s
    store h[], %%4
    store y[i, j], %%2
    store z[i, j], %%3
  }
}
`, d, order, op))
			require.NoError(t, err)
			require.NoError(t, kernel.Verify(k))
			kernels = append(kernels, k)
		}
	}
	for i, c := range compilers(t) {
		kernels := kernels
		if i > 0 && !trials.Soaking() { // levels below the processor's
			kernels = everyThird(kernels, i)
		}
		for n, code := range compile(t, c, kernels...) {
			k := kernels[n]
			require.Contains(t, schedule(code), "block x block y block z", "%v", k)
			for _, sizes := range [][]int64{{1, 1}, {3, 70}, {64, 64}, {70, 131}, {130, 63}, {17, 200}, {5, 0}} {
				before := kerneltest.NewMemory(k, sizes, kerneltest.Dense, 0)
				before.Fill(rand.New(rand.NewPCG(uint64(n), 11)))
				want, err := before.Run(evaluate)
				require.NoError(t, err)
				for parts := 1; parts <= 3; parts += 2 {
					for _, layout := range []kerneltest.Layout{kerneltest.Dense, kerneltest.Spread} {
						got, err := before.Like(layout, 0xA5).Run(in(code, parts))
						require.NoError(t, err)
						require.NoError(t, kerneltest.Same(want, got, kerneltest.Tolerance{}), "%v %v: %v%v", c.machine.Level, sizes, k, schedule(code))
					}
				}
			}
		}
	}
}

// Scans down the columns of a large matrix store past the caches where rows are aligned, and
// by the caches in others: every other row of these i32s.
func TestScansOfLargeColumns(t *testing.T) {
	trials.Sequential(t)
	const rows, columns = 2049, 2056
	k := kerneltest.Kernel(t, "scan0")
	x, want := make([]int32, rows*columns), make([]int32, rows*columns)
	for i := range x {
		x[i] = int32(2*(i%5) - 3) // odd factors lose nothing
	}
	for j := range columns {
		product := int32(1)
		for i := rows - 1; i >= 0; i-- {
			product *= x[i*columns+j]
			want[i*columns+j] = -product
		}
	}
	for _, c := range compilers(t) {
		code := compile(t, c, k)[0]
		require.Contains(t, schedule(code), "stream y")
		for _, parts := range []int{1, 3} {
			got := make([]int32, rows*columns+16)
			got = got[-uintptr(unsafe.Pointer(&got[0]))%64/4:][:rows*columns]
			call := &kernel.Call{Sizes: []int64{rows, columns}, Strides: []int64{columns, columns}, Parts: parts, Mem: []unsafe.Pointer{unsafe.Pointer(&x[0]), unsafe.Pointer(&got[0])}}
			scratch := make([]byte, code.Scratch(call.Sizes, parts)+64)
			call.Scratch = unsafe.Pointer(&scratch[-uintptr(unsafe.Pointer(&scratch[0]))%64])
			for call.Part = range parts {
				require.NoError(t, code.Run(call))
			}
			require.True(t, slices.Equal(want, got), "%v, %d parts", c.machine.Level, parts)
		}
	}
}
