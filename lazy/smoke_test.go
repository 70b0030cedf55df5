package lazy_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	_ "ltc/backends/reference"
	"ltc/lazy"
)

func TestSmoke(t *testing.T) {
	dev, err := lazy.Open("cpu")
	require.NoError(t, err)
	tr := lazy.NewTrace(dev)
	w := dev.Variable("w", lazy.F32, 3, 2).Init(lazy.Normal(0, 0.5))
	b := dev.Variable("b", lazy.F32, 2)
	lr := tr.Scalar("lr", 0.1)
	for range 4 {
		x := lazy.From(tr, []float32{1, 2, 3, 4, 5, 6}, 2, 3)
		y := lazy.From(tr, []int32{0, 1}, 2)
		loss := x.MatMul(w).Add(b).CrossEntropy(y)
		g := lazy.Grad(loss, w, b)
		w.Sub_(g[0].Mul(lr))
		b.Sub_(g[1].Mul(lr))
		require.NoError(t, tr.MarkStep(loss))
		fmt.Println(loss.Float())
	}
	fmt.Println(tr.Report())
}
