package reference

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/backends/kit/kernel"
	"ltc/backends/reference/eval"
	"ltc/internal/trials"
	"ltc/soa"
)

// Sorts by other comparators are the evaluator's to the bit, orders or not.
func TestMergedSorts(t *testing.T) {
	trials.Sequential(t)
	r := rand.New(rand.NewPCG(1, 7))
	for _, less := range otherOrders {
		for n, shape := range [][]int{{1}, {7, 3}, {2, 40, 3}, {5, 1100}, {0, 4}, {4, 0}, {1600, 2}, {300, 2}} {
			dim := []int{0, 0, 1, 1, 1, 1, 0, 1}[n]
			text := otherSorting(less, shape, dim)
			want, err := eval.New().Compile(t.Context(), backends.NewModule(text), backends.Options{})
			require.NoError(t, err, text)
			got, err := asKernels{eval.New()}.Compile(t.Context(), backends.NewModule(text), backends.Options{Threads: 1 + n%3})
			require.NoError(t, err, text)
			for _, nans := range []bool{false, true} {
				c := &backends.Call{}
				for _, a := range want.Signature().Args {
					v := soa.Make(a.Type)
					fillSorted(v, r, nans)
					c.Args = append(c.Args, v)
				}
				sameResults(t, want, got, c.Args, fmt.Sprintf("%s, %v along %d, NaNs %v", less, shape, dim, nans))
			}
		}
	}
}

// Only the first elements of rows are written where they are used alone.
func TestFirstOfMergedSorts(t *testing.T) {
	shape := []int{3, 400, 2}
	text := firstOf(otherSorting(otherOrders[2], shape, 1), shape, 1, 7)
	want, err := eval.New().Compile(t.Context(), backends.NewModule(text), backends.Options{})
	require.NoError(t, err, text)
	got, err := asKernels{eval.New()}.Compile(t.Context(), backends.NewModule(text), backends.Options{Threads: 1})
	require.NoError(t, err, text)
	require.Equal(t, 7, got.(*compiled).steps[0].code.(*mergeCode).keep)
	c := &backends.Call{}
	for _, a := range want.Signature().Args {
		v := soa.Make(a.Type)
		fillSorted(v, rand.New(rand.NewPCG(1, 8)), true)
		c.Args = append(c.Args, v)
	}
	sameResults(t, want, got, c.Args, text)
}

// Merged sorts allocate nothing, and end soon when they are given up.
func TestMergedSortsAllocateNothingAndEnd(t *testing.T) {
	e, err := asKernels{eval.New()}.Compile(t.Context(), backends.NewModule(otherSorting(otherOrders[2], []int{3, 5000}, 1)), backends.Options{Threads: 1})
	require.NoError(t, err)
	c := sortedCall(e, 9)
	require.NoError(t, e.Execute(t.Context(), c))
	require.Zero(t, trials.Allocs(10, func() { require.NoError(t, e.Execute(t.Context(), c)) }))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, e.Execute(ctx, c), context.Canceled)

	code := e.(*compiled).steps[0].code.(*mergeCode)
	clear(bytesOf(c.Results[0]))
	l := e.(*compiled).launcher()
	require.NoError(t, code.Run(&kernel.Call{Parts: 1, Done: ctx.Done(), Scratch: l.scratch.Base(), Mem: nil}))
	require.Equal(t, make([]uint8, c.Results[0].Type.Bytes()), bytesOf(c.Results[0]), "no row is compared or written any more")
}
