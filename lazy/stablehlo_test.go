package lazy_test

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	_ "ltc/backends/reference"
	"ltc/lazy"
	"ltc/mlir"
	"ltc/stablehlo"
)

// Arguments carry the line that first uses them in the step.
func TestTextOfStep(t *testing.T) {
	dev, err := lazy.Open("cpu")
	require.NoError(t, err)
	tr := lazy.NewTrace(dev)
	require.Empty(t, tr.StableHLO())
	w := dev.Variable("w", lazy.F32, 2)
	require.Equal(t, "w", w.Name())
	require.True(t, w.IsVariable())
	x := lazy.From(dev, []float32{1, 2})
	require.False(t, x.IsVariable())
	one := lazy.Ones(tr, lazy.F32, 2)
	_, _, line, _ := runtime.Caller(0)
	y := one.Add(w)
	z := y.Mul(x)
	require.NoError(t, tr.MarkStep(z))

	text := tr.StableHLO()
	m, err := stablehlo.Parse("step.mlir", text)
	require.NoError(t, err)
	var main *mlir.Op
	m.Walk(func(op *mlir.Op) bool {
		if main == nil && op.Code == mlir.OpFunc {
			main = op
		}
		return true
	})
	require.NotNil(t, main)
	args := main.Body().Args
	require.Len(t, args, 2)
	for i, a := range args {
		loc, ok := a.Loc.(mlir.FileLoc)
		require.True(t, ok)
		require.Equal(t, fmt.Sprintf("stablehlo_test.go:%d", line+1+i), fmt.Sprintf("%s:%d", loc.File, loc.Line))
	}

	lazy.Ones(tr, lazy.F32, 1)
	require.NoError(t, tr.MarkStep())
	require.Equal(t, text, tr.StableHLO(), "a step without anything to compute leaves the text")
}
