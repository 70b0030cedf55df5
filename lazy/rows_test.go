package lazy_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/lazy"
)

// Compiled code takes and combines rows as the evaluator does, along each axis, with indices that
// are repeated and out of range.
func TestRowsAreCompiled(t *testing.T) {
	for seed, shape := range [][]int{{4, 5, 3}, {16, 100, 64}, {1, 1000, 7}} {
		for axis := range shape {
			t.Run(fmt.Sprint(shape, " along ", axis), func(t *testing.T) {
				run := func(dev *lazy.Device) (all [][]float32) {
					rng := rand.New(rand.NewPCG(uint64(seed), uint64(axis)))
					tr := lazy.NewTrace(dev)
					random := func(shape []int) *lazy.Tensor {
						data := make([]float32, product(shape))
						for i := range data {
							data[i] = 0.5 + rng.Float32()
						}
						return lazy.From(tr, data, shape...)
					}
					of := append([]int{}, shape...)
					of[axis] = 1 + rng.IntN(50)
					numbers := make([]int32, product(of))
					for i := range numbers {
						numbers[i] = int32(rng.IntN(shape[axis]+2) - 1)
					}
					x, indices, updates := random(shape), lazy.From(tr, numbers, of...), random(of)
					one := lazy.From(tr, numbers[:of[axis]], of[axis])
					ys := []*lazy.Tensor{
						x.GatherAlong(indices, axis), x.ScatterAlong(indices, updates, axis), x.ScatterAddAlong(indices, updates, axis), x.ScatterMulAlong(indices, updates, axis),
						x.ScatterMinAlong(indices, updates, axis), x.ScatterMaxAlong(indices, updates, axis), x.IndexSelect(one, axis), x.IndexAdd(one, updates, axis), x.IndexCopy(one, updates, axis),
					}
					require.NoError(t, tr.MarkStep(ys...))
					for _, y := range ys {
						values, err := lazy.ToSlice[float32](y)
						require.NoError(t, err)
						all = append(all, values)
					}
					return all
				}
				want, got := run(open(t, "eval", lazy.CheckIndices(false))), run(open(t, "cpu", lazy.CheckIndices(false), lazy.Compiled()))
				for i := range want {
					require.InDeltaSlice(t, want[i], got[i], 1e-4)
				}
			})
		}
	}
}

func product(shape []int) int {
	n := 1
	for _, d := range shape {
		n *= d
	}
	return n
}

// The error of rows that do not exist is that of the call.
func TestRowsOfNothing(t *testing.T) {
	tr := lazy.NewTrace(open(t, "eval"))
	x, i := lazy.Zeros(tr, lazy.F32, 2, 0), lazy.From(tr, []int32{0}, 1)
	require.ErrorContains(t, x.IndexSelect(i, 1).Err(), "x has no rows")
	require.ErrorContains(t, x.GatherAlong(i.Reshape(1, 1), 1).Err(), "x has no rows")
	require.ErrorContains(t, x.Transpose().GatherAlong(i.Reshape(1, 1), 0).Err(), "x has no rows")
}
