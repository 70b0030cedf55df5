//go:build race

package sharing

import (
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"ltc/ir/types"
	"ltc/soa"
)

// The race detector hears of elements, and not of the gaps between them.
func TestTouch(t *testing.T) {
	mem := make([]float32, 24)
	view := func(offset int, strides []int, shape ...int) soa.View {
		v, err := soa.Strided(mem, types.Of(types.F32, shape...), offset, strides)
		require.NoError(t, err)
		return v
	}
	table, err := soa.NewTable(1, view(0, []int{2, 1}, 2, 2), view(12, []int{2, 1}, 2, 2))
	require.NoError(t, err)
	for _, c := range []struct {
		name string
		view soa.View
		want [][2]int // first element and number of elements
	}{
		{"zero", soa.View{}, nil},
		{"no elements", view(0, []int{1, 1}, 0, 3), nil},
		{"scalar", view(5, nil), [][2]int{{5, 1}}},
		{"dense", view(4, []int{3, 1}, 2, 3), [][2]int{{4, 6}}},
		{"rows", view(1, []int{8, 1}, 2, 3), [][2]int{{1, 3}, {9, 3}}},
		{"every 2nd", view(0, []int{2}, 3), [][2]int{{0, 1}, {2, 1}, {4, 1}}},
		{"repeated", view(0, []int{0, 1}, 5, 3), [][2]int{{0, 3}}},
		{"table", table, [][2]int{{0, 4}, {12, 4}}},
	} {
		var got [][2]int
		touch(c.view, func(p unsafe.Pointer, n int) {
			got = append(got, [2]int{int(uintptr(p)-uintptr(unsafe.Pointer(&mem[0]))) / 4, n / 4})
		})
		require.Equal(t, c.want, got, c.name)
	}
}
