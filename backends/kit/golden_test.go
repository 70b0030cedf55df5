package kit_test

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write the goldens anew")

// What some of the programs of the benchmark become.
func TestFused(t *testing.T) {
	for _, name := range []string{"softmax", "layernorm", "linear_gelu", "cross_entropy_grad", "train_mlp", "encoder", "step100_mix"} {
		t.Run(name, func(t *testing.T) {
			text, err := os.ReadFile(filepath.Join("testdata/workloads", name+".mlir"))
			require.NoError(t, err)
			golden := filepath.Join("testdata/fused", name+".txt")
			got := compile(t, string(text)).String()
			if *update {
				require.NoError(t, os.WriteFile(golden, []byte(got), 0o644))
			}
			want, err := os.ReadFile(golden)
			require.NoError(t, err)
			require.Empty(t, cmp.Diff(string(want), got), "go test ./backends/kit -run TestFused -update writes it anew")
		})
	}
}
