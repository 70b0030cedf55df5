package kit_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"ltc/backends"
	"ltc/backends/kit/plan"
)

// The programs of the benchmark, of transformers and of convolutional networks
// are kernels and nothing else, inside of loops, too.
func TestProgramsWithoutTheEvaluator(t *testing.T) {
	files, err := filepath.Glob("testdata/workloads/*.mlir")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, name := range []string{"encoder", "decoder", "decoder_export", "embedding", "mlp_step", "convnet", "convnet_grad", "channels_first"} {
		files = append(files, filepath.Join("../../testdata/exported", name+".mlir"))
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".mlir"), func(t *testing.T) {
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			for _, h := range hostSteps(t, string(text)) {
				t.Errorf("%s is left to the evaluator: %s", h.Op, h.Reason)
			}
		})
	}
}

// Nor is any of attention left to it, in groups, causal or with a mask.
func TestAttentionWithoutTheEvaluator(t *testing.T) {
	archive, err := txtar.ParseFile("../../testdata/ops/attention.txtar")
	require.NoError(t, err)
	programs := 0
	for _, f := range archive.Files {
		if strings.HasSuffix(f.Name, ".mlir") {
			programs++
			require.Empty(t, hostSteps(t, string(f.Data)), f.Name)
		}
	}
	require.Equal(t, 5, programs)
}

// hostSteps returns what the backend cpu leaves to the evaluator.
func hostSteps(t *testing.T, text string) []*plan.Host {
	t.Helper()
	cpu, err := backends.Open("cpu")
	require.NoError(t, err)
	e, err := cpu.Compile(t.Context(), backends.NewModule(text), backends.Options{})
	require.NoError(t, err)
	p, ok := e.(interface{ Program() *plan.Program })
	require.True(t, ok, "nothing of it is compiled")
	return p.Program().HostSteps()
}

// What a region leaves to the evaluator is found, however deep it lies.
func TestHostStepsOfRegions(t *testing.T) {
	const text = `func.func @main(%n: tensor<i32>, %p: tensor<i1>, %x: tensor<9xf32>) -> tensor<9xf32> {
  %0:2 = stablehlo.while(%i = %n, %y = %x) : tensor<i32>, tensor<9xf32>
  cond {
    %c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %j = stablehlo.add %i, %i : tensor<i32>
    %1 = "stablehlo.if"(%p) ({
      %s = stablehlo.constant dense<9> : tensor<1xi64>
      %c = stablehlo.constant dense<1.0> : tensor<f32>
      %2 = OP
      stablehlo.return %2 : tensor<9xf32>
    }, {
      %2 = stablehlo.tanh %y : tensor<9xf32>
      stablehlo.return %2 : tensor<9xf32>
    }) : (tensor<i1>) -> tensor<9xf32>
    stablehlo.return %j, %1 : tensor<i32>, tensor<9xf32>
  }
  return %0#1 : tensor<9xf32>
}`
	require.Empty(t, hostSteps(t, strings.ReplaceAll(text, "OP", "stablehlo.negate %y : tensor<9xf32>")))
	steps := hostSteps(t, strings.ReplaceAll(text, "OP", "stablehlo.rng %c, %c, %s, distribution = NORMAL : (tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<9xf32>"))
	require.Len(t, steps, 1)
	require.Equal(t, "stablehlo.rng", steps[0].Op.String())
}
