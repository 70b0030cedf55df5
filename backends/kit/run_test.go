package kit_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/internal/test/golden"
	"ltc/internal/test/kittest"
)

// TestWorkloads compares what the programs of the benchmark compute as kernels
// with what the evaluator does.
func TestWorkloads(t *testing.T) {
	for _, file := range golden.Files(t, "testdata/workloads/*.mlir") {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".mlir"), func(t *testing.T) {
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			kittest.Same(t, string(text))
		})
	}
}

// What a loop starts from can be a constant that repeats one element: the loop
// is given all of them, and gives them back when it does not turn.
func TestSplatsForTheHost(t *testing.T) {
	kittest.Same(t, `func.func @main(%i: tensor<i32>) -> tensor<3x4xi32> {
  %n = stablehlo.constant dense<3> : tensor<i32>
  %0 = stablehlo.maximum %i, %n : tensor<i32>
  %1 = stablehlo.constant dense<-1> : tensor<3x4xi32>
  %2:2 = stablehlo.while(%j = %0, %x = %1) : tensor<i32>, tensor<3x4xi32>
    cond {
      %c = stablehlo.compare LT, %j, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    } do {
      %3 = stablehlo.add %j, %n : tensor<i32>
      %4 = stablehlo.add %x, %x : tensor<3x4xi32>
      stablehlo.return %3, %4 : tensor<i32>, tensor<3x4xi32>
    }
  return %2#1 : tensor<3x4xi32>
}`)
}
