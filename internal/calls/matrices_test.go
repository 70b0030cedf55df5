package calls_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/lazy"
	"ltc/linalg"
)

// BenchmarkMatrices has the times of docs/use/matrices.md: of one f32 matrix of n rows and columns on one thread.
func BenchmarkMatrices(b *testing.B) {
	for _, c := range []struct {
		name string
		f    func(x *lazy.Tensor) *lazy.Tensor
	}{
		{"Solve", func(x *lazy.Tensor) *lazy.Tensor { return linalg.Solve(x, x.Neg(), false) }},
		{"QR", func(x *lazy.Tensor) *lazy.Tensor { q, _ := linalg.QR(x, false); return q }},
		{"Eigh", func(x *lazy.Tensor) *lazy.Tensor { _, v := linalg.Eigh(x, false); return v }},
		{"SVD", func(x *lazy.Tensor) *lazy.Tensor { u, _, _ := linalg.SVD(x, false); return u }},
	} {
		for _, n := range []int{16, 64, 128} {
			b.Run(fmt.Sprintf("%s/%d", c.name, n), func(b *testing.B) {
				dev, err := lazy.Open("cpu", lazy.Threads(1))
				require.NoError(b, err)
				defer dev.Close()
				f := lazy.Func(dev, func(_ *lazy.Trace, x *lazy.Tensor) *lazy.Tensor { return c.f(x) })
				tr := lazy.NewTrace(dev)
				x := lazy.NewRandom(dev, 1).Normal(tr, lazy.F32, 0, 1, n, n)
				require.NoError(b, tr.MarkStep(x))
				_, err = f.Call(b.Context(), x) // compiles it
				require.NoError(b, err)
				for b.Loop() {
					y, err := f.Call(b.Context(), x)
					require.NoError(b, err)
					_, err = y.Value()
					require.NoError(b, err)
				}
			})
		}
	}
}
