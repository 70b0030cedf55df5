package ptx_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends/cuda/ptx/internal/asm"
	"ltc/backends/kit/expand"
	"ltc/backends/kit/kernel"
	"ltc/backends/kit/kernel/kerneltest"
	"ltc/backends/reference/tiles"
	"ltc/internal/test/ptxsim"
	"ltc/ir/types"
)

// tolerance is how far an op may be from what the evaluator says: ops that are
// exact, or rounded to nearest, not at all.
func tolerance(op kernel.Op, t types.DType) kerneltest.Tolerance {
	switch op {
	case kernel.Power: // the evaluator's is off by more in f64
		if t == types.F64 {
			return kerneltest.Tolerance{Relative: 0x1p-46, Absolute: math.SmallestNonzeroFloat64}
		}
		return tolerance(kernel.Atan2, t)
	case kernel.Exponential, kernel.ExponentialMinusOne, kernel.Log, kernel.LogPlusOne, kernel.Logistic, kernel.Tanh, kernel.Erf, kernel.Rsqrt,
		kernel.Cbrt, kernel.Cosine, kernel.Sine, kernel.Tan, kernel.Atan2:
		return map[types.DType]kerneltest.Tolerance{
			types.F64: {Relative: 0x1p-51, Absolute: math.SmallestNonzeroFloat64}, types.F32: {Relative: 0x1p-22, Absolute: 0x1p-149},
			types.BF16: {Relative: 0x1p-7, Absolute: 0x1p-133}, types.F16: {Relative: 0x1p-10, Absolute: 0x1p-24},
		}[t]
	}
	return kerneltest.Tolerance{}
}

// extremes returns elements of a type at which ops may go wrong.
func extremes(t types.DType) []uint64 {
	if t == types.Bool {
		return []uint64{0, 1}
	}
	mask := ^uint64(0) >> (64 - 8*t.Size())
	if t.IsInteger() {
		return []uint64{0, 1, 2, 3, 7, 8, 31, 63, mask, mask - 1, mask - 6, mask >> 1, mask>>1 + 1, mask>>1 + 2}
	}
	var all []uint64
	for _, x := range []float64{0, 1, 2, 0.5, 0.75, 3, math.Pi, 10, 89, 300, 65504, 0x1p-14, 0x1p-24, 0x1p-126, 0x1p-149, 0x1p-1022, 0x1p-1074, 1e22, 0x1p127, math.MaxFloat32, 1e300, math.MaxFloat64, math.Inf(1), math.NaN()} {
		for _, v := range []float64{x, -x} {
			switch t {
			case types.F16:
				all = append(all, uint64(types.ToFloat16(v)))
			case types.BF16:
				all = append(all, uint64(types.ToBFloat16(v)))
			case types.F32:
				all = append(all, uint64(math.Float32bits(float32(v))))
			default:
				all = append(all, math.Float64bits(v))
			}
		}
	}
	return all
}

// Every op that kernels have, on every type that it takes, does what the evaluator
// does on numbers that are likely to go wrong, and on all pairs of them.
func TestOps(t *testing.T) {
	for _, op := range kernel.Ops() {
		if !op.Computes() || op == kernel.Convert || op == kernel.BitcastConvert {
			continue
		}
		t.Run(op.String(), func(t *testing.T) {
			for _, d := range types.RealDTypes() {
				if op.Takes(d) {
					onExtremes(t, op, d, result(op, d))
				}
			}
		})
	}
	t.Run("convert", func(t *testing.T) {
		for _, d := range types.RealDTypes() {
			for _, to := range types.RealDTypes() {
				onExtremes(t, kernel.Convert, d, to)
			}
		}
	})
}

// result returns the type of what an op makes of a type.
func result(op kernel.Op, d types.DType) types.DType {
	switch op {
	case kernel.IsFinite, kernel.CompareEQ, kernel.CompareNE, kernel.CompareLT, kernel.CompareLE, kernel.CompareGT, kernel.CompareGE:
		return types.Bool
	}
	return d
}

func onExtremes(t *testing.T, op kernel.Op, d, to types.DType) {
	t.Helper()
	values := extremes(d)
	n := len(values)
	var args []string
	var loads, params strings.Builder
	for i := range op.Arity() {
		fmt.Fprintf(&params, "x%d: %v[n0] strides [1], ", i, d)
		fmt.Fprintf(&loads, "    %%x%d = load x%d[i]\n", i, i)
		args = append(args, fmt.Sprintf("%%x%d", i))
	}
	k, err := kernel.Parse(fmt.Sprintf("kernel k(%sout y: %v[n0] strides [1]) {\n  for i < n0\n  stage {\n%s    %%y = %v %s : %v\n    store y[i], %%y\n  }\n}",
		params.String(), to, loads.String(), op, strings.Join(args, ", "), to))
	require.NoError(t, err)
	points := n
	if op.Arity() > 1 {
		points = n * n
	}
	m := kerneltest.NewMemory(k, []int64{int64(points)}, kerneltest.Dense, 0)
	for i := range op.Arity() {
		list := make([]uint64, points)
		for p := range list {
			list[p] = values[[]int{p % n, p / n, (p + p/n) % n}[i]]
		}
		m.Set(i, list)
	}
	want, err := m.Run(evaluate)
	require.NoError(t, err)
	run, err := runner(t, k, 1<<20)
	require.NoError(t, err)
	got, err := m.Run(run)
	require.NoError(t, err)
	require.NoError(t, kerneltest.Same(want, got, tolerance(op, d)), "%v of %v to %v", op, d, to)
	if !op.Expands(d) {
		return
	}
	// An op has the very bits that the kernel IR's evaluator makes of its expansion.
	want, err = m.Run(func(m *kerneltest.Memory) error {
		return kernel.Evaluate(expand.Kernel(k, asm.Target), m.Sizes, m.Mem, m.Strides, tiles.Scalars{})
	})
	require.NoError(t, err)
	require.NoError(t, kerneltest.Same(want, got, kerneltest.Tolerance{}), "%v of %v, expanded", op, d)
}

// A kernel whose entry would have more parameters than drivers take has none; one less is
// taken.
func TestParameters(t *testing.T) {
	for n, want := range map[int]string{511: "", 512: "ptx: kernel k: 513 parameters: an entry has at most 512: unsupported operation"} {
		var params, loads strings.Builder
		for i := range n - 1 {
			fmt.Fprintf(&params, "x%d: i32[n0] strides [1], ", i)
			fmt.Fprintf(&loads, "    %%x%d = load x%d[i]\n", i, i)
		}
		k, err := kernel.Parse(fmt.Sprintf("kernel k(%sout y: i32[n0] strides [1]) {\n  for i < n0\n  stage {\n%s    store y[i], %%x0\n  }\n}", params.String(), loads.String()))
		require.NoError(t, err)
		module, _, err := text(k)
		if want != "" {
			require.EqualError(t, err, want)
			continue
		}
		require.NoError(t, err)
		_, err = ptxsim.Parse(module)
		require.NoError(t, err)
	}
}
