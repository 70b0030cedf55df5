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

func expanded() []kernel.Op {
	var all []kernel.Op
	for _, op := range kernel.Ops() {
		if op.Expanded() {
			all = append(all, op)
		}
	}
	return all
}

// of returns a kernel that computes an op of vectors.
func of(t *testing.T, op kernel.Op, d types.DType) *kernel.Kernel {
	args := "%0"
	loads, params := "    %0 = load x[i]\n", fmt.Sprintf("x: %v[n0] strides [1]", d)
	if op.Arity() == 2 {
		args, loads, params = "%0, %1", loads+"    %1 = load y[i]\n", params+fmt.Sprintf(", y: %v[n0] strides [1]", d)
	}
	k, err := kernel.Parse(fmt.Sprintf("kernel k(%s, out z: %v[n0] strides [1]) {\n  for i < n0\n  stage {\n%s    %%z = %v %s : %v\n    store z[i], %%z\n  }\n}", params, d, loads, op, args, d))
	require.NoError(t, err)
	return k
}

// An expansion is kernel IR like any other: it passes the verifier, and its text
// reads as what was written. It has no function left.
func TestExpansionsAreKernelIR(t *testing.T) {
	require.Greater(t, len(expanded()), 12)
	for name, target := range targets {
		for _, op := range expanded() {
			for _, d := range []types.DType{types.F32, types.F64, types.BF16, types.F16} {
				k := expand.Kernel(of(t, op, d), target)
				require.NoError(t, kernel.Verify(k), "%v of %v on %s", op, d, name)
				again, err := kernel.Parse(k.String())
				require.NoError(t, err)
				require.Equal(t, k.String(), again.String())
				for _, i := range k.Instrs {
					require.False(t, i.Op.Expanded() && i.Type.IsFloat())
				}
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
	for _, op := range expanded() {
		for _, d := range []types.DType{types.F32, types.F64} {
			cpu, gpu := expand.Kernel(of(t, op, d), targets["avx2"]), expand.Kernel(of(t, op, d), targets["gpu"])
			require.Equal(t, other[fmt.Sprintf("%v %v", op, d)], cpu.String() != gpu.String(), "%v of %v", op, d)
		}
	}
}
