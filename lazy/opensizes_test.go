package lazy_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/lazy"
)

func TestSecondSizeOpensIt(t *testing.T) {
	d, err := lazy.Open("cpu")
	require.NoError(t, err)
	defer d.Close()
	tr := lazy.NewTrace(d)
	w := lazy.From(tr, []float32{1, 2, 3, 4, 5, 6}, 2, 3)
	for n := 1; n < 40; n++ {
		x := make([]float32, 2*n)
		for i := range x {
			x[i] = float32(i % 7)
		}
		y := lazy.From(tr, x, n, 2).MatMul(w).Tanh().Mean(0)
		require.NoError(t, tr.MarkStep(y))
	}
	for _, c := range tr.Report().Compiles {
		t.Log(c)
	}
	for _, e := range tr.Explain() {
		t.Log(e)
	}
	t.Log(tr.StableHLO())
}
