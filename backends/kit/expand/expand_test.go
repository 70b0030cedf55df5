package expand_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends/kit/expand"
	"ltc/backends/kit/kernel"
	"ltc/internal/test/golden"
	"ltc/ir/types"
)

// The targets that there are: x86-64 with AVX2, AVX-512 and neither, and GPUs.
var targets = map[string]expand.Target{
	"avx2": {FMA: true, Lookup: 32}, "avx512": {FMA: true, Lookup: 64, Scales: true}, "sse2": {}, "gpu": {FMA: true, Precise: true},
}

// expanded returns the ops that have expansions on values of a type.
func expanded(d types.DType) []kernel.Op {
	var all []kernel.Op
	for _, op := range kernel.Ops() {
		if op.Expands(d) {
			all = append(all, op)
		}
	}
	return all
}

// loops has ops whose code loops, which kernels do not.
var loops = map[string]bool{"remainder f32": true, "remainder f64": true, "remainder f16": true, "remainder bf16": true,
	"power i8": true, "power i16": true, "power i32": true, "power i64": true,
	"power u8": true, "power u16": true, "power u32": true, "power u64": true}

// of returns a kernel that computes an op of vectors.
func of(t *testing.T, op kernel.Op, d types.DType) *kernel.Kernel {
	to := d
	if op == kernel.IsFinite {
		to = types.Bool
	}
	var args, loads, params []string
	for n := range op.Arity() {
		args = append(args, fmt.Sprintf("%%%d", n))
		loads = append(loads, fmt.Sprintf("    %%%d = load %c[i]\n", n, "xyw"[n]))
		params = append(params, fmt.Sprintf("%c: %v[n0] strides [1]", "xyw"[n], d))
	}
	k, err := kernel.Parse(fmt.Sprintf("kernel k(%s, out z: %v[n0] strides [1]) {\n  for i < n0\n  stage {\n%s    %%z = %v %s : %v\n    store z[i], %%z\n  }\n}",
		strings.Join(params, ", "), to, strings.Join(loads, ""), op, strings.Join(args, ", "), to))
	require.NoError(t, err)
	return k
}

// An expansion is kernel IR like any other: it passes the verifier, and its text
// reads as what was written. It has no function left, but for those that loop.
func TestExpansionsAreKernelIR(t *testing.T) {
	require.Greater(t, len(expanded(types.F32)), 19)
	for name, target := range targets {
		for _, d := range types.RealDTypes() {
			for _, op := range expanded(d) {
				what := fmt.Sprintf("%v %v", op, d)
				k := expand.Kernel(of(t, op, d), target)
				require.NoError(t, kernel.Verify(k), "%s on %s", what, name)
				again, err := kernel.Parse(k.String())
				require.NoError(t, err)
				require.Equal(t, k.String(), again.String())
				left := false
				for _, i := range k.Instrs {
					left = left || i.Op.Computes() && i.Op.Expands(k.Instrs[i.Args[0]].Type)
				}
				require.Equal(t, loops[what], left, "%s on %s", what, name)
			}
		}
	}
}

// The text of a function on each target, as a reader sees it.
func TestTanh(t *testing.T) {
	var s strings.Builder
	for _, name := range []string{"avx2", "avx512", "gpu", "sse2"} {
		fmt.Fprintf(&s, "-- %s --\n%v", name, expand.Kernel(of(t, kernel.Tanh, types.F32), targets[name]))
	}
	golden.Is(t, "testdata/tanh.txtar", s.String())
}

// Functions that CPUs with AVX2 and GPUs compute in the same way have the same bits on
// both: those are all but the ones here, which one of the two computes more exactly.
func TestCPUsAndGPUsShareFunctions(t *testing.T) {
	other := map[string]bool{
		"erf f32": true, "tanh f32": true, "tanh f64": true, // more exact on GPUs
		"log f32": true, "log_plus_one f32": true, // 16 logarithms in registers on CPUs
		"cbrt f32": true, "tan f32": true, "power f32": true, "atan2 f32": true, // f64 of fewer bits on CPUs
		"sine f32": true, "cosine f32": true, // likewise, far from 0
	}
	for _, d := range []types.DType{types.F32, types.F64} {
		for _, op := range expanded(d) {
			cpu, gpu := expand.Kernel(of(t, op, d), targets["avx2"]), expand.Kernel(of(t, op, d), targets["gpu"])
			require.Equal(t, other[fmt.Sprintf("%v %v", op, d)], cpu.String() != gpu.String(), "%v of %v", op, d)
		}
	}
}
