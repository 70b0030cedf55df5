package strided_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/ir"
	"ltc/ir/types"
	"ltc/lazy/internal/strided"
	"ltc/soa"
)

// places are where the elements of a layout lie, in row-major order.
func places(l strided.Layout, s types.Shape) []int {
	at := []int{l.Offset}
	for i, stride := range l.Dense(s) {
		var next []int
		for _, p := range at {
			for k := range s[i] {
				next = append(next, p+k*stride)
			}
		}
		at = next
	}
	return at
}

// An op that changes where elements lie changes it as the op on the places themselves does.
func TestLayoutsAfterOps(t *testing.T) {
	storage := types.Shape{2, 3, 4}
	ints := func(all ...int) ir.Attr { return ir.Attr{Ints: all} }
	for _, c := range []struct {
		op    ir.Op
		attrs []ir.Attr
		shape types.Shape
		want  []int
	}{
		{ir.OpTranspose, []ir.Attr{ints(2, 0, 1)}, types.Shape{4, 2, 3}, []int{0, 4, 8, 12, 16, 20, 1, 5, 9, 13, 17, 21, 2, 6, 10, 14, 18, 22, 3, 7, 11, 15, 19, 23}},
		{ir.OpSlice, []ir.Attr{ints(1, 0, 1), ints(2, 3, 4), ints(1, 2, 2)}, types.Shape{1, 2, 2}, []int{13, 15, 21, 23}},
		{ir.OpReshape, []ir.Attr{ints(6, 4)}, types.Shape{6, 4}, places(strided.Layout{}, storage)},
	} {
		l, ok := strided.Layout{}.After(c.op, c.attrs, storage, c.shape)
		require.True(t, ok, c.op)
		require.Equal(t, c.want, places(l, c.shape), c.op)
	}
}

// A reshape of what lies with gaps has a layout only if its elements keep their places.
func TestReshapesThatKeepPlaces(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	kept, refused := 0, 0
	for range 2000 {
		shape := types.Shape{1 + rng.IntN(3), 1 + rng.IntN(4), 1 + rng.IntN(4)}
		l := strided.Layout{Strides: soa.Dense(shape)}
		for i := range l.Strides {
			l.Strides[i] *= 1 + rng.IntN(2)
		}
		to := types.Shape{shape[0] * shape[1], shape[2]}
		if rng.IntN(2) == 0 {
			to = types.Shape{shape[0], shape[1] * shape[2]}
		}
		after, ok := l.After(ir.OpReshape, nil, shape, to)
		if !ok {
			refused++
			continue
		}
		kept++
		require.Equal(t, places(l, shape), places(after, to), "%v with strides %v as %v", shape, l.Strides, to)
	}
	require.Positive(t, kept)
	require.Positive(t, refused)
}
