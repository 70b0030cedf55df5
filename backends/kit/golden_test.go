package kit_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/internal/golden"
)

// What some of the programs of the benchmark become.
func TestFused(t *testing.T) {
	for _, name := range []string{"softmax", "layernorm", "linear_gelu", "cross_entropy_grad", "train_mlp", "encoder", "step100_mix"} {
		t.Run(name, func(t *testing.T) {
			text, err := os.ReadFile(filepath.Join("testdata/workloads", name+".mlir"))
			require.NoError(t, err)
			golden.Is(t, filepath.Join("testdata/fused", name+".txt"), compile(t, string(text)).String())
		})
	}
}
