package kit_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The programs of the benchmark, of transformers and of networks without
// convolutions are kernels and nothing else, inside of loops, too.
func TestProgramsWithoutTheEvaluator(t *testing.T) {
	files, err := filepath.Glob("testdata/workloads/*.mlir")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, name := range []string{"encoder", "decoder", "decoder_export", "embedding", "mlp_step"} {
		files = append(files, filepath.Join("../../testdata/exported", name+".mlir"))
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".mlir"), func(t *testing.T) {
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			for _, h := range compile(t, string(text)).HostSteps() {
				t.Errorf("%s is left to the evaluator: %s", h.Name, h.Reason)
			}
		})
	}
}
