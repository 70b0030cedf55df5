package model_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	_ "ltc/internal/test/cudasim"
	"ltc/ir/types"
	"ltc/lazy"
	"ltc/model"
	"ltc/soa"
)

type scored struct{ X, Y, Score float32 }

// Collections of several sizes, each with a last batch of fewer elements, are run one
// after another on every backend: a batch has no trace of the one before.
func TestBatchesLeaveNoTraceOfTheOneBefore(t *testing.T) {
	dev, err := lazy.Open("cpu")
	require.NoError(t, err)
	sum := lazy.Func(dev, func(_ *lazy.Trace, x *lazy.Tensor) *lazy.Tensor { return x.Sum(1) })
	x, err := sum.Export([]lazy.Input{{Name: "xy", Type: types.Of(types.F32, lazy.AnySize, 2)}}, "score")
	require.NoError(t, err)
	for _, backend := range []string{"cpu", "eval", "cudasim"} {
		t.Run(backend, func(t *testing.T) {
			b, err := backends.Open(backend)
			require.NoError(t, err)
			m, err := model.New(t.Context(), b, backends.NewModule(x.Text), x.Constants)
			require.NoError(t, err)
			for _, n := range []int{3, 5, 6, 2, 1, 7, 3} {
				all := soa.Of[scored](n)
				for i := range n {
					all.At(i).Store(scored{X: float32(i), Y: 0.5})
				}
				in, out := soa.NewCollection(n), soa.NewCollection(n)
				require.NoError(t, in.AddBatched("xy", 2, all.Col("X"), all.Col("Y")))
				require.NoError(t, out.AddBatched("score", 2, all.Col("Score")))
				bound := m.Bind(in, out)
				for i := range in.Batches() {
					require.NoError(t, bound.Run(t.Context(), nil, i))
				}
				for i := range n {
					require.Equal(t, float32(i)+0.5, all.At(i).Load().Score, "element %d of %d", i, n)
				}
			}
		})
	}
}
