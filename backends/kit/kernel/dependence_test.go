package kernel_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends/kit/kernel"
	"ltc/ir/types"
)

// An axis is a digit of an index if its factor and larger ones are more than smaller terms add up
// to. Offsets count as another term.
func TestDistinctElements(t *testing.T) {
	const open = -1
	for _, c := range []struct {
		sizes    []kernel.Size // of i0, i1, ...
		factors  []int64
		offsets  []int64 // of a store each
		distinct []bool
	}{
		{[]kernel.Size{open}, []int64{1}, []int64{0}, []bool{true}},
		{[]kernel.Size{open}, []int64{-3}, []int64{7}, []bool{true}},
		{[]kernel.Size{open}, []int64{2}, []int64{0, 1}, []bool{true}},
		{[]kernel.Size{open}, []int64{2}, []int64{0, 2}, []bool{false}},
		{[]kernel.Size{open}, []int64{2}, []int64{2, 0}, []bool{false}},
		{[]kernel.Size{open, 64}, []int64{64, 1}, []int64{0}, []bool{true, true}},
		{[]kernel.Size{open, 64}, []int64{-64, 1}, []int64{0}, []bool{true, true}},
		{[]kernel.Size{open, 64}, []int64{128, 2}, []int64{0, 1}, []bool{true, true}},
		{[]kernel.Size{open, 64}, []int64{127, 2}, []int64{0, 1}, []bool{false, false}},
		{[]kernel.Size{open, 65}, []int64{64, 1}, []int64{0}, []bool{false, false}},
		{[]kernel.Size{64, open}, []int64{64, 1}, []int64{0}, []bool{false, false}},
		{[]kernel.Size{3, 5, open}, []int64{1, 3, 15}, []int64{0}, []bool{true, true, true}},
		{[]kernel.Size{4, 5, open}, []int64{1, 3, 16}, []int64{0}, []bool{false, false, true}},
		{[]kernel.Size{8, 8}, []int64{1, 1}, []int64{0}, []bool{false, false}},
		{[]kernel.Size{open, 2}, []int64{1 << 40, 1}, []int64{0}, []bool{false, false}},
		{[]kernel.Size{open, 1 << 40, 1 << 40}, []int64{1 << 31, 1 << 30, 1 << 30}, []int64{0}, []bool{false, false, false}},
	} {
		t.Run(fmt.Sprint(c.sizes, c.factors, c.offsets), func(t *testing.T) {
			b := kernel.NewBuilder("k")
			x := kernel.Index{Value: kernel.None}
			for i, n := range c.sizes {
				if n == open {
					n = b.Size()
				}
				x.Terms = append(x.Terms, kernel.Term{Axis: b.Axis(kernel.AxisName(i), n), Factor: c.factors[i]})
			}
			y := b.Param(kernel.Dense("y", types.Of(types.F32, 1<<20), true))
			b.Stage()
			for _, by := range c.offsets {
				x.Offset = by
				b.Store(y, b.F32(0), x)
			}
			for axis, want := range c.distinct {
				require.Equal(t, want, b.Kernel().DistinctElements(y, axis), "axis %d", axis)
			}
		})
	}
}
