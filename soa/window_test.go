package soa

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/ir/types"
)

func read(t *testing.T, v View) []float32 {
	t.Helper()
	require.NoError(t, v.Check())
	d := Make(v.Type)
	require.NoError(t, Copy(d, v))
	return Slice[float32](d)
}

func strided(t *testing.T, mem []float32, offset int, strides []int, dims ...int) View {
	t.Helper()
	v, err := Strided(mem, types.Of(types.F32, dims...), offset, strides)
	require.NoError(t, err)
	return v
}

func TestStrided(t *testing.T) {
	m := []float32{0, 1, 2, 3, 4, 5}
	for _, c := range []struct {
		name    string
		offset  int
		strides []int
		dims    []int
		want    []float32
	}{
		{"dense", 0, []int{3, 1}, []int{2, 3}, m},
		{"transposed", 0, []int{1, 3}, []int{3, 2}, []float32{0, 3, 1, 4, 2, 5}},
		{"reversed", 5, []int{-3, -1}, []int{2, 3}, []float32{5, 4, 3, 2, 1, 0}},
		{"repeated", 1, []int{0, 1}, []int{2, 2}, []float32{1, 2, 1, 2}},
		{"repeated askew", 1, []int{1, 1}, []int{2, 2}, []float32{1, 2, 2, 3}},
		{"every other", 0, []int{2}, []int{3}, []float32{0, 2, 4}},
		{"scalar", 4, nil, nil, []float32{4}},
	} {
		v := strided(t, m, c.offset, c.strides, c.dims...)
		require.Equal(t, c.want, read(t, v), c.name)
		require.Equal(t, strings.HasPrefix(c.name, "repeated"), v.Overlaps(), c.name)
	}
	for _, c := range []struct{ offset, stride, n int }{{0, 1, 7}, {5, 1, 2}, {0, -1, 2}, {-1, 1, 1}, {6, 1, 1}} {
		_, err := Strided(m, types.Of(types.F32, c.n), c.offset, []int{c.stride})
		require.ErrorContains(t, err, "of a slice of 6 elements", "%v", c)
	}
	_, err := Strided(m, types.Of(types.F64, 1), 0, []int{1})
	require.EqualError(t, err, "float32 does not hold elements of f64")
	_, err = Strided(m, types.Of(types.F32, 2, 3), 0, []int{1})
	require.EqualError(t, err, "1 stride for f32[2,3]: want one per dimension")
}

func TestTable(t *testing.T) {
	a, b, c := []float32{0, 1, 2, 3}, []float32{10, 11, 12, 13}, []float32{20, 21, 22, 23}
	cols := []View{strided(t, a, 0, []int{1}, 4), strided(t, b, 0, []int{1}, 4), strided(t, c, 0, []int{1}, 4)}
	v, err := NewTable(1, cols...)
	require.NoError(t, err)
	require.Equal(t, types.Of(types.F32, 4, 3), v.Type)
	require.Equal(t, []float32{0, 10, 20, 1, 11, 21, 2, 12, 22, 3, 13, 23}, read(t, v))
	rows, err := v.Slice(0, 1, 4, 2)
	require.NoError(t, err)
	require.Equal(t, []float32{1, 11, 21, 3, 13, 23}, read(t, rows))
	some, err := v.Slice(1, 0, 3, 2)
	require.NoError(t, err)
	require.Equal(t, []float32{0, 20, 1, 21, 2, 22, 3, 23}, read(t, some))

	// Written through, the columns change.
	require.NoError(t, Copy(rows, strided(t, []float32{-1, -2, -3, -4, -5, -6}, 0, []int{3, 1}, 2, 3)))
	require.Equal(t, []float32{0, -1, 2, -4}, a)
	require.Equal(t, []float32{20, -3, 22, -6}, c)

	_, err = NewTable(2, cols...)
	require.ErrorContains(t, err, "axis 2 is not in [0, 1]")
	_, err = NewTable(0, v)
	require.ErrorContains(t, err, "column 0 is a table itself")
	_, err = NewTable(0, cols[0], strided(t, b, 0, []int{1}, 3))
	require.ErrorContains(t, err, "column 1 is f32[3], column 0 is f32[4]")
	_, err = v.Slice(0, 2, 5, 1)
	require.ErrorContains(t, err, "is not within axis 0")
	require.ErrorContains(t, View{Type: types.Of(types.F32, 1), Strides: []int{1}}.Check(), "no memory")
}

// The tiled copy of a transpose, with sizes that are no multiples of the tile.
func TestCopyTransposes(t *testing.T) {
	const rows, cols = 45, 71
	src := make([]float32, rows*cols)
	for i := range src {
		src[i] = float32(i)
	}
	got := read(t, strided(t, src, 0, []int{1, cols}, cols, rows))
	for i := range cols {
		for j := range rows {
			require.Equal(t, src[j*cols+i], got[i*rows+j])
		}
	}
}
