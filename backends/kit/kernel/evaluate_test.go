package kernel_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends/kit/kernel"
	"ltc/backends/kit/kernel/kerneltest"
	"ltc/backends/reference/tiles"
	"ltc/internal/test/golden"
)

func evaluate(m *kerneltest.Memory) error {
	return kernel.Evaluate(m.Kernel, m.Sizes, m.Mem, m.Strides, tiles.Scalars{})
}

// The values of golden kernels, in memory of all layouts.
func TestEvaluate(t *testing.T) {
	if golden.Update() {
		files, err := filepath.Glob("kerneltest/testdata/*.txtar")
		require.NoError(t, err)
		for _, f := range files {
			text, err := os.ReadFile(f)
			require.NoError(t, err)
			text, err = kerneltest.Update(text, evaluate)
			require.NoError(t, err, f)
			require.NoError(t, os.WriteFile(f, text, 0o644))
		}
		t.Skip("written: run again without -update")
	}
	for _, g := range kerneltest.Goldens(t) {
		for _, r := range g.Runs {
			t.Run(r.Name, func(t *testing.T) {
				for _, layout := range []kerneltest.Layout{kerneltest.Dense, kerneltest.Spread, kerneltest.Reverse} {
					got, err := r.Before.Like(layout, 0x5A).Run(evaluate)
					require.NoError(t, err)
					require.NoError(t, kerneltest.Same(r.After, got, kerneltest.Tolerance{}))
				}
			})
		}
	}
}
