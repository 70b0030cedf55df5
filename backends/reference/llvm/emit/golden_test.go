package emit_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends/kit/kernel"
	"ltc/backends/kit/kernel/kerneltest"
	"ltc/backends/reference/llvm/emit"
	"ltc/backends/reference/llvm/vector"
	"ltc/internal/test/golden"
)

// workloads are the kernels of the benchmarks.
func workloads(t *testing.T) []*kernel.Kernel {
	t.Helper()
	text, err := os.ReadFile("../testdata/workloads.txt")
	require.NoError(t, err)
	all, err := kernel.ParseAll(string(text))
	require.NoError(t, err)
	return all
}

// How kernels run: one line for each kernel and each of its stages.
func TestSchedules(t *testing.T) {
	kernels := workloads(t)
	for _, g := range kerneltest.Goldens(t) {
		kernels = append(kernels, g.Kernel)
	}
	for _, level := range []vector.Level{vector.AVX512, vector.SSE2} {
		var b strings.Builder
		for _, k := range kernels {
			fmt.Fprintf(&b, "%s: %s", k.Name, emit.Plan(k, vector.Machine{Level: level}).Of(k))
		}
		golden.Is(t, fmt.Sprintf("testdata/schedules_%v.txt", level), b.String())
	}
}

// The code of an elementwise kernel on each kind of machine, and of softmax.
func TestText(t *testing.T) {
	levels := map[string][]vector.Level{
		"affine_relu": {vector.SSE2, vector.AVX2, vector.AVX512, vector.NEON},
		"softmax":     {vector.AVX512},
	}
	for _, k := range workloads(t) {
		for _, level := range levels[k.Name] {
			text, schedules := emit.Module([]*kernel.Kernel{k}, vector.Machine{Level: level, Splats: true}, func() {})
			require.NotNil(t, schedules[0])
			golden.Is(t, fmt.Sprintf("testdata/%s_%v.ll", k.Name, level), text)
		}
	}
}

// Three components of a record are moved at once where masks cost nothing, and else
// as two and one: no code but that of what vectors leave over has masks then.
func TestRecordsAreMasked(t *testing.T) {
	k, err := kernel.Parse(`kernel records(x: f32[n0, 3] strides [*, 1], out y: f32[n0, 3] strides [*, 1]) {
  for i0 < n0
  for i1 < 3
  stage {
    %0 = load x[i0, i1]
    %1 = add %0, %0 : f32
    store y[i0, i1], %1
  }
}
`)
	require.NoError(t, err)
	for _, level := range vector.Levels() {
		free := level == vector.AVX512 || level == vector.AVX512BF16
		text, schedules := emit.Module([]*kernel.Kernel{k}, vector.Machine{Level: level, Splats: true}, func() {})
		require.Len(t, schedules[0].Records, 2, "%v", level)
		for _, op := range []string{"call <4 x float> @llvm.masked.load", "call void @llvm.masked.store"} {
			require.Equal(t, free, strings.Contains(text, op), "%v: %s", level, op)
		}
		require.Equal(t, !free, strings.Contains(text, "load <2 x float>"), "%v", level)
	}
}

// Kernels that differ in their names alone are one; the order in which they
// come changes nothing but that of the schedules.
func TestModule(t *testing.T) {
	all := workloads(t)
	m := vector.Machine{Level: vector.AVX2}
	want, schedules := emit.Module(all, m, func() {})
	require.NotContains(t, schedules, (*emit.Schedule)(nil))
	again := append([]*kernel.Kernel{}, all...)
	for i, j := 0, len(again)-1; i < j; i, j = i+1, j-1 {
		again[i], again[j] = again[j], again[i]
	}
	twin := *all[0]
	twin.Name = "twin"
	got, schedules := emit.Module(append(again, &twin), m, func() {})
	require.Equal(t, want, got)
	require.Same(t, schedules[len(all)], schedules[len(all)-1])
	require.Equal(t, strings.Count(want, "define i32"), len(all))
}
