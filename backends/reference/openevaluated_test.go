package reference

import (
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/internal/test/programs"
	"ltc/soa"
)

// The ops that a program of open sizes leaves to the evaluator are named one by one, and the
// program computes what programs of numbers do. Complex numbers lie as their parts between steps.
func TestEvaluatedOpsOfOpenSizes(t *testing.T) {
	const (
		sine = `func.func @main(%x: tensor<$Nx$Mxf64>) -> tensor<$Nx$Mxf64> {
  %c = stablehlo.complex %x, %x : tensor<$Nx$Mxcomplex<f64>>
  %0 = stablehlo.sine %c : tensor<$Nx$Mxcomplex<f64>>
  %1 = stablehlo.imag %0 : (tensor<$Nx$Mxcomplex<f64>>) -> tensor<$Nx$Mxf64>
  return %1 : tensor<$Nx$Mxf64>
}`
		arcus = `func.func @main(%x: tensor<$Nx3x$Mxf64>) -> tensor<$Nx3x$Mxf64> {
  %c = stablehlo.complex %x, %x : tensor<$Nx3x$Mxcomplex<f64>>
  %0 = stablehlo.atan2 %c, %c : tensor<$Nx3x$Mxcomplex<f64>>
  %1 = stablehlo.real %0 : (tensor<$Nx3x$Mxcomplex<f64>>) -> tensor<$Nx3x$Mxf64>
  return %1 : tensor<$Nx3x$Mxf64>
}`
	)
	cpu, err := backends.Open("cpu")
	require.NoError(t, err)
	for op, text := range map[string]string{"stablehlo.sine": sine, "stablehlo.atan2": arcus} {
		var left []string
		open, err := cpu.Compile(t.Context(), backends.NewModule(programs.OfSizes(text, "?", "?")), backends.Options{Warn: func(e *backends.FallbackError) {
			for _, o := range e.Ops {
				left = append(left, o.Op)
			}
		}})
		require.NoError(t, err)
		require.Equal(t, []string{op}, left)
		for _, n := range [][2]int{{2, 5}, {1, 1}, {7, 3}, {3, 4}} {
			numbers, err := cpu.Compile(t.Context(), backends.NewModule(programs.OfSizes(text, n[0], n[1])), backends.Options{Warn: func(*backends.FallbackError) {}})
			require.NoError(t, err)
			x := soa.Make(numbers.Signature().Args[0].Type)
			for i := range x.Type.Elements() {
				soa.Slice[float64](x)[i] = float64(i)/4 - 1
			}
			want, got := &backends.Call{Args: []soa.View{x}}, &backends.Call{Args: []soa.View{x}}
			require.NoError(t, numbers.Execute(t.Context(), want))
			require.NoError(t, open.Execute(t.Context(), got))
			require.Equal(t, want.Results[0].Type, got.Results[0].Type)
			require.Equal(t, soa.Slice[float64](want.Results[0]), soa.Slice[float64](got.Results[0]))
		}
	}
}
