package dims

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// A product that is too large is an error, too, where a term that is taken from it moves the bounds
// of the sum below what sizes can be.
func TestEvaluatorOfOverflowingTerms(t *testing.T) {
	n, m := Symbol("n", 1, 1<<31), Symbol("m", 1, 1<<31)
	cube := Sub(Mul(Mul(n, n), m), m)
	e, err := NewEvaluator([]int64{n, m}, []int64{cube, Sub(7, cube)})
	require.NoError(t, err)
	r := e.Registers()
	require.NoError(t, e.Eval(r, []int64{3, 2}))
	require.Equal(t, []int64{16, -9}, []int64{e.Of(r, 0), e.Of(r, 1)})
	require.ErrorIs(t, e.Eval(r, []int64{1 << 31, 4}), ErrTooLarge) // 2^64, which is 0 of 64 bits
	require.ErrorIs(t, e.Eval(r, []int64{1 << 31, 3}), ErrTooLarge)
}
