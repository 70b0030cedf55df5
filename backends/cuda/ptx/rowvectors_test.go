package ptx_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends/cuda/ptx"
	"ltc/backends/kit/kernel"
	"ltc/backends/kit/kernel/kerneltest"
	"ltc/internal/test/ptxas"
	"ltc/ir/types"
)

// as returns a kernel of floats with another type of floats.
func as(t *testing.T, k *kernel.Kernel, d types.DType) *kernel.Kernel {
	t.Helper()
	k, err := kernel.Parse(strings.ReplaceAll(k.String(), "f32", d.String()))
	require.NoError(t, err)
	return k
}

// rowKernels are kernels of rows with how many vectors they load along one.
var rowKernels = map[string]int{"softmax": 1, "layernorm": 3, "sum1": 1}

// Threads take strips of rows of any length, aligned or not, and compute the same
// bits in both cases, which are what the evaluator computes.
func TestStrips(t *testing.T) {
	for name := range rowKernels {
		for _, d := range []types.DType{types.F32, types.BF16, types.F16, types.F64} {
			k := as(t, kerneltest.Kernel(t, name), d)
			s, err := ptx.Options{}.Plan(k)
			require.NoError(t, err)
			require.Equal(t, min(16/d.Size(), 8), s.Lanes.N)
			run, err := runnerOf(t, k, s, 2)
			require.NoError(t, err)
			for _, length := range []int64{1, 7, 8, 100, 520, 2056} {
				t.Run(fmt.Sprint(name, "/", d, "/", length), func(t *testing.T) {
					before := kerneltest.NewMemory(k, []int64{3, length}[:k.Sizes], kerneltest.Dense, 0x5A)
					ordinary(before)
					want := ofSingles(t, name, before)
					aligned, err := before.Run(run)
					require.NoError(t, err)
					require.NoError(t, kerneltest.Same(want, aligned, rowTolerance(d)))
					spread, err := before.Like(kerneltest.Spread, 0x5A).Run(run)
					require.NoError(t, err)
					require.NoError(t, kerneltest.Same(aligned, spread, kerneltest.Tolerance{}))
				})
			}
		}
	}
}

// ofSingles returns what the evaluator computes; of f16 and bf16, whose sums it rounds
// at each step, by the kernel of f32, at the end rounded.
func ofSingles(t *testing.T, name string, before *kerneltest.Memory) *kerneltest.Memory {
	k := kerneltest.Kernel(t, name)
	d := before.Kernel.Params[0].DType
	if d.Size() != 2 {
		k = before.Kernel
	}
	m := kerneltest.NewMemory(k, before.Sizes, kerneltest.Dense, 0x5A)
	for p := range k.Params {
		m.Set(p, each(before.Get(p), d, k.Params[p].DType))
	}
	m, err := m.Run(evaluate)
	require.NoError(t, err)
	want := before.Like(kerneltest.Dense, 0x5A)
	for p := range k.Params {
		want.Set(p, each(m.Get(p), k.Params[p].DType, d))
	}
	return want
}

// each converts numbers between f32 and types of 2 bytes.
func each(values []uint64, from, to types.DType) []uint64 {
	all := make([]uint64, len(values))
	for i, v := range values {
		switch {
		case from == to:
			all[i] = v
		case from == types.BF16:
			all[i] = uint64(math.Float32bits(types.BFloat16(v).Float32()))
		case from == types.F16:
			all[i] = uint64(math.Float32bits(types.Float16(v).Float32()))
		case to == types.BF16:
			all[i] = uint64(types.ToBFloat16(float64(math.Float32frombits(uint32(v)))))
		default:
			all[i] = uint64(types.ToFloat16(float64(math.Float32frombits(uint32(v)))))
		}
	}
	return all
}

// rowTolerance is some units in the last place: results are rounded several times.
func rowTolerance(d types.DType) kerneltest.Tolerance {
	switch d {
	case types.BF16:
		return kerneltest.Tolerance{Relative: 0x1p-6, Absolute: 0x1p-5}
	case types.F16:
		return kerneltest.Tolerance{Relative: 0x1p-9, Absolute: 0x1p-8}
	}
	return kerneltest.Tolerance{Relative: 4e-5, Absolute: 1e-5}
}

// Each element of a row is loaded once and stored once, 16 bytes at a time, however
// many stages take it: by entries for up to as many strips as registers hold. What
// the assembler says about these is in ptxas.tsv.
func TestStripsOnce(t *testing.T) {
	for name, loads := range rowKernels {
		for _, d := range []types.DType{types.F32, types.BF16} {
			k := as(t, kerneltest.Kernel(t, name), d)
			module, s, err := text(k)
			require.NoError(t, err)
			require.NoError(t, ptxas.Name(fmt.Sprintf("rows/%s/%v", name, d), module))
			require.GreaterOrEqual(t, s.Variants(), 3)
			warps := 0
			for v := 1; v < s.Variants(); v++ {
				strips, threads, rows := 1<<(v-1), 256, int64(5)
				if l, err := s.Launch([]int64{rows, int64(strips * threads * s.Lanes.N)}[:k.Sizes]); err != nil || l.Variant != v {
					strips, threads, rows = 1<<warps, 32, 4096
					warps++
				}
				l, err := s.Launch([]int64{rows, int64(strips * threads * s.Lanes.N)}[:k.Sizes])
				require.NoError(t, err)
				require.Equal(t, v, l.Variant)
				require.Equal(t, 256, l.Block[0], "of which a warp has a row each, if it is short")
				require.EqualValues(t, rows, l.Grid[0]*256/threads)
				one, err := ptx.Variant("k", k, s, v)
				require.NoError(t, err)
				require.Equal(t, loads*strips, strings.Count(one, "ld.global.v4."), "%s of %v with %d strips", name, d, strips)
				if name != "sum1" {
					require.Equal(t, strips, strings.Count(one, "st.global.v4."))
				}
			}
			require.Positive(t, warps)
			l, err := s.Launch([]int64{5, 1 << 20}[:k.Sizes])
			if err == nil {
				require.Equal(t, 0, l.Variant, "of rows that registers do not hold")
			}
		}
	}
}

// Warps of a block have a row each where rows are short: as many of them as keep all
// blocks busy, with locals of their own.
func TestStripsOfWarps(t *testing.T) {
	for _, c := range []struct{ rows, length, threads, blocks int64 }{{5, 40, 32, 5}, {600, 40, 64, 300}, {1601, 37, 128, 401}} {
		k := kerneltest.Kernel(t, "softmax")
		s, err := ptx.Options{}.Plan(k)
		require.NoError(t, err)
		l, err := s.Launch([]int64{c.rows, c.length})
		require.NoError(t, err)
		require.EqualValues(t, c.threads, l.Block[0])
		require.EqualValues(t, c.blocks, l.Grid[0])
		run, err := runnerOf(t, k, s, 60)
		require.NoError(t, err)
		before := kerneltest.NewMemory(k, []int64{c.rows, c.length}, kerneltest.Dense, 0x5A)
		ordinary(before)
		want, err := before.Run(evaluate)
		require.NoError(t, err)
		aligned, err := before.Run(run)
		require.NoError(t, err)
		require.NoError(t, kerneltest.Same(want, aligned, rowTolerance(types.F32)))
		spread, err := before.Like(kerneltest.Spread, 0x5A).Run(run)
		require.NoError(t, err)
		require.NoError(t, kerneltest.Same(aligned, spread, kerneltest.Tolerance{}))
	}
	k := kerneltest.Kernel(t, "softmax")
	s, err := ptx.Options{}.Plan(k)
	require.NoError(t, err)
	l, err := s.Launch([]int64{1600, 40})
	require.NoError(t, err)
	module, err := ptx.Variant(l.Entry("k"), k, s, l.Variant)
	require.NoError(t, err)
	wrong := strings.ReplaceAll(module, "shr.u64 %rd", "and.b64 %rd") // no warp's number
	require.NotEqual(t, module, wrong)
	before := kerneltest.NewMemory(k, []int64{1600, 40}, kerneltest.Spread, 0x5A)
	ordinary(before)
	_, err = before.Run(runnerOfText(t, k, s, ptx.Options{}.Module(wrong), 2))
	require.ErrorContains(t, err, "of a block's memory", "locals lie elsewhere")
}

// A value that is the same along a row is added once for each of its elements.
func TestStripsOfConstants(t *testing.T) {
	k, err := kernel.Parse(`kernel k(x: f32[n0, n1] strides [*, 1], out y: f32[n0] strides [1]) {
  for i < n0
  stage j < n1 {
    %0 = load x[i, j]
    %1 = constant 1.5 : f32
    %2 = reduce add %0
    %3 = reduce add %1
  }
  stage {
    %4 = add %2, %3 : f32
    store y[i], %4
  }
}`)
	require.NoError(t, err)
	for _, length := range []int64{64, 5000} {
		interpreted(t, k, []int64{2, length})
	}
}

// Mistakes in what threads do with strips are found.
func TestStripsPlanted(t *testing.T) {
	k := kerneltest.Kernel(t, "softmax")
	s, err := ptx.Options{}.Plan(k)
	require.NoError(t, err)
	require.Equal(t, 4, s.Lanes.N)
	two := func(stride int64) int64 { return stride + 2 }
	for name, c := range map[string]struct {
		old, new string
		times    int // -1: all
		length   int64
		layout   kerneltest.Layout
		want     string
	}{
		"half a vector's alignment": {", 3;", ", 1;", -1, 576, two, "not aligned"},
		"any length":                {", 3;", ", 1;", 1, 578, two, ""},
		"no barrier":                {"bar.sync 0;", "", 1, 576, kerneltest.Dense, "nobody has written"},
		"one strip too many":        {"setp.lt.s64", "setp.le.s64", 1, 576, kerneltest.Dense, ""},
	} {
		t.Run(name, func(t *testing.T) {
			module, err := ptx.Variant("k_1", k, s, 1)
			require.NoError(t, err)
			wrong := strings.Replace(module, c.old, c.new, c.times)
			require.NotEqual(t, module, wrong)
			before := kerneltest.NewMemory(k, []int64{2, c.length}, c.layout, 0x5A)
			ordinary(before)
			good, err := before.Run(runnerOfText(t, k, s, ptx.Options{}.Module(module), 2))
			require.NoError(t, err)
			bad, err := before.Run(runnerOfText(t, k, s, ptx.Options{}.Module(wrong), 2))
			if c.want == "" && err == nil { // then the numbers are wrong
				require.Error(t, kerneltest.Same(good, bad, kerneltest.Tolerance{}))
				return
			}
			require.ErrorContains(t, err, c.want)
		})
	}
}
