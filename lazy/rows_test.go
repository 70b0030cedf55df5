package lazy_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/internal/trials"
	"ltc/lazy"
)

// Compiled code takes and combines rows as the evaluator does, along each axis, with indices that
// are repeated and out of range.
func TestRowsAreCompiled(t *testing.T) {
	trials.Sequential(t)
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

// Indices that are arguments are looked at by default, on the host, with the name of the call, its
// line and the bound; also in a step that follows an earlier one.
func TestArgumentsOutOfRangeAreFound(t *testing.T) {
	for _, name := range []string{"cpu", "eval"} {
		for _, c := range []struct {
			want string
			f    func(x, i, row *lazy.Tensor) *lazy.Tensor
		}{
			{"gather(f32[4,3], i64[1])", func(x, i, _ *lazy.Tensor) *lazy.Tensor { return x.Gather(i) }},
			{"index_select(f32[4,3], i64[1])", func(x, i, _ *lazy.Tensor) *lazy.Tensor { return x.IndexSelect(i, 0) }},
			{"gather_along(f32[4,3], i64[1,1])", func(x, i, _ *lazy.Tensor) *lazy.Tensor { return x.GatherAlong(i.Reshape(1, 1), 0) }},
			{"scatter_add(f32[4,3], i64[1], f32[1,3])", func(x, i, row *lazy.Tensor) *lazy.Tensor { return x.ScatterAdd(i, row) }},
			{"index_add(f32[4,3], i64[1], f32[1,3])", func(x, i, row *lazy.Tensor) *lazy.Tensor { return x.IndexAdd(i, row, 0) }},
			{"index_copy(f32[4,3], i64[1], f32[1,3])", func(x, i, row *lazy.Tensor) *lazy.Tensor { return x.IndexCopy(i, row, 0) }},
			{"scatter_max_along(f32[4,3], i64[1,1], f32[1,3])", func(x, i, row *lazy.Tensor) *lazy.Tensor {
				return x.ScatterMaxAlong(i.Reshape(1, 1), row, 0)
			}},
		} {
			step := func(tr *lazy.Trace, at int64) error {
				y := c.f(lazy.Ones(tr, lazy.F32, 4, 3), lazy.From(tr, []int64{at}), lazy.Ones(tr, lazy.F32, 1, 3))
				if err := tr.MarkStep(y); err != nil {
					return err
				}
				return tr.Wait(t.Context())
			}
			tr, free := lazy.NewTrace(open(t, name)), lazy.NewTrace(open(t, name, lazy.CheckIndices(false)))
			for range 3 {
				require.NoError(t, step(tr, 3))
				for _, at := range []int64{-1, 4} {
					err := step(tr, at)
					require.ErrorIs(t, err, lazy.ErrIndex)
					require.ErrorContains(t, err, "rows_test.go:")
					require.ErrorContains(t, err, c.want)
					require.ErrorContains(t, err, fmt.Sprintf("is %d, but there are 4 to choose from, 0 to 3", at))
					require.NoError(t, step(free, at))
				}
			}
		}
	}
}

// The same holds of the arguments of a Func.
func TestArgumentsOfFunctionsOutOfRange(t *testing.T) {
	d := open(t, "cpu")
	f := lazy.Func(d, func(tr *lazy.Trace, x, i *lazy.Tensor) *lazy.Tensor { return x.IndexSelect(i, 0) })
	x := lazy.From(d, []float32{1, 2, 3})
	for range 2 {
		_, err := f.Call(t.Context(), x, lazy.From(d, []int32{2}))
		require.NoError(t, err)
		_, err = f.Call(t.Context(), x, lazy.From(d, []int32{-1}))
		require.ErrorIs(t, err, lazy.ErrIndex)
		require.ErrorContains(t, err, "index_select(f32[3], i32[1]): the index at [0] is -1, but there are 3 to choose from, 0 to 2")
	}
}
