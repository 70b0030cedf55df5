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
	"ltc/internal/golden"
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
			text, schedules := emit.Module([]*kernel.Kernel{k}, vector.Machine{Level: level, Splats: true})
			require.NotNil(t, schedules[0])
			golden.Is(t, fmt.Sprintf("testdata/%s_%v.ll", k.Name, level), text)
		}
	}
}

// Kernels that differ in their names alone are one; the order in which they
// come changes nothing but that of the schedules.
func TestModule(t *testing.T) {
	all := workloads(t)
	m := vector.Machine{Level: vector.AVX2}
	want, schedules := emit.Module(all, m)
	require.NotContains(t, schedules, (*emit.Schedule)(nil))
	again := append([]*kernel.Kernel{}, all...)
	for i, j := 0, len(again)-1; i < j; i, j = i+1, j-1 {
		again[i], again[j] = again[j], again[i]
	}
	twin := *all[0]
	twin.Name = "twin"
	got, schedules := emit.Module(append(again, &twin), m)
	require.Equal(t, want, got)
	require.Same(t, schedules[len(all)], schedules[len(all)-1])
	require.Equal(t, strings.Count(want, "define i32"), len(all))
}
