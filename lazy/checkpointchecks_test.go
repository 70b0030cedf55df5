package lazy_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/lazy"
)

// Checks look into checkpoints, also into one within another: at indices, and at NaNs that no
// result shows. Errors name the line within.
func TestChecksLookIntoCheckpoints(t *testing.T) {
	for _, backend := range []string{"eval", "cpu"} {
		tr := lazy.NewTrace(open(t, backend, lazy.CheckIndices(true), lazy.CheckNaNs(true)))
		block := func(index *lazy.Tensor) func(xs []*lazy.Tensor) []*lazy.Tensor {
			return func(xs []*lazy.Tensor) []*lazy.Tensor {
				rows := lazy.Checkpoint(xs[0], func(x *lazy.Tensor) *lazy.Tensor {
					return x.Gather(index.AddScalar(1)) // line 19
				})
				roots := xs[0].Sqrt() // line 21
				return tensors{xs[1].Add(rows), roots.Greater(xs[1]).Where(xs[0], xs[1])}
			}
		}
		step := func(data []float64, index []int32, gradient bool) error {
			x := lazy.From(tr, data)
			ys := lazy.CheckpointAll(tensors{x, x.MulScalar(2)}, block(lazy.From(tr, index)))
			roots := ys
			if gradient {
				roots = append(roots, lazy.Grad(ys[0].Sum(), x)...)
			}
			if err := tr.MarkStep(roots...); err != nil {
				return err
			}
			if err := tr.Wait(t.Context()); err != nil {
				return err
			}
			got, err := lazy.ToSlice[float64](ys[0])
			require.NoError(t, err)
			require.Equal(t, []float64{2*data[0] + data[index[0]+1], 2*data[1] + data[index[1]+1]}, got)
			return nil
		}
		require.NoError(t, step([]float64{1, 4}, []int32{0, -1}, true))
		err := step([]float64{1, 4}, []int32{0, 1}, false)
		require.ErrorIs(t, err, lazy.ErrIndex)
		require.ErrorContains(t, err, "checkpointchecks_test.go:19: gather(")
		err = step([]float64{1, -4}, []int32{0, -1}, false)
		require.ErrorIs(t, err, lazy.ErrNaN)
		require.ErrorContains(t, err, "checkpointchecks_test.go:21: sqrt(")
	}
}
