package llvm

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends/kit/kernel"
	"ltc/backends/kit/kernel/kerneltest"
	"ltc/backends/reference/llvm/emit"
	"ltc/backends/reference/llvm/libllvm"
	"ltc/backends/reference/llvm/vector"
	"ltc/internal/trials"
)

// The code of all levels, of other architectures too, passes LLVM's verifier
// and becomes an object.
func TestLevels(t *testing.T) {
	trials.Sequential(t)
	c, err := compilers(t)[0].opened(t.Context())
	require.NoError(t, err)
	var kernels []*kernel.Kernel
	for _, g := range kerneltest.Goldens(t) {
		kernels = append(kernels, g.Kernel)
	}
	for _, l := range launches {
		kernels = append(kernels, workload(t, l.name))
	}
	triples := map[bool]string{true: "aarch64-unknown-linux-gnu", false: "x86_64-unknown-linux-gnu"}
	for _, level := range vector.Levels() {
		t.Run(level.String(), func(t *testing.T) {
			text, schedules := emit.Module(kernels, vector.Machine{Level: level, Splats: c.machine.Splats}, func() {})
			require.NotContains(t, schedules, (*emit.Schedule)(nil))
			object, err := c.library.Compile(context.Background(), text, libllvm.Options{Triple: triples[level == vector.NEON], Verify: true})
			require.NoError(t, err)
			require.NotEmpty(t, object)
		})
	}
}
