package llvm

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/soa"
)

// A loop that is not known to end runs on every backend, also where nobody uses
// what it gives or its values stay as they are, and ends with its context.
func TestEndlessLoopsEndNowhere(t *testing.T) {
	for name, text := range map[string]string{
		"unused": `func.func @main(%x: tensor<f32>) -> tensor<f32> {
  %r = stablehlo.while(%i = %x) : tensor<f32> cond {
    %yes = stablehlo.constant dense<true> : tensor<i1>
    stablehlo.return %yes : tensor<i1>
  } do {
    %j = stablehlo.add %i, %i : tensor<f32>
    stablehlo.return %j : tensor<f32>
  }
  return %x : tensor<f32>
}`,
		"invariant": `func.func @main(%x: tensor<f32>) -> tensor<f32> {
  %r = stablehlo.while(%i = %x) : tensor<f32> cond {
    %yes = stablehlo.constant dense<true> : tensor<i1>
    stablehlo.return %yes : tensor<i1>
  } do {
    stablehlo.return %i : tensor<f32>
  }
  return %r : tensor<f32>
}`,
	} {
		t.Run(name, func(t *testing.T) {
			cpu, eval := onBackends(t, text, 1)
			for backend, e := range map[string]backends.Executable{"cpu": cpu, "eval": eval} {
				ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
				err := e.Execute(ctx, &backends.Call{Args: []soa.View{soa.Make(e.Signature().Args[0].Type)}})
				cancel()
				require.ErrorIs(t, err, context.DeadlineExceeded, backend)
			}
		})
	}
}
