package soa

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/ir/types"
)

// Whatever a view is of, a type or strides that leave its memory are an error.
func TestViewsKnowWhereTheirMemoryEnds(t *testing.T) {
	file := filepath.Join(t.TempDir(), "f")
	require.NoError(t, os.WriteFile(file, make([]byte, 64), 0o600))
	off, err := OffHeap(64)
	require.NoError(t, err)
	mapped, err := MapFile(file)
	require.NoError(t, err)
	none := func(v View, err error) View {
		require.NoError(t, err)
		return v
	}
	whole := Make(f32s(16))
	l, err := NewLayout("l", []Field{{Name: "x", DType: types.F32}, {Name: "y", DType: types.F32}})
	require.NoError(t, err)
	columns, err := l.New(16)
	require.NoError(t, err)
	second, err := columns.Col("y").View()
	require.NoError(t, err)
	gathered, err := Gather("g", ColumnOf("a", make([]float32, 16)))
	require.NoError(t, err)
	var slab Slab
	var batches, batch Collection
	batches = *NewCollection(16)
	require.NoError(t, batches.AddBatched("x", 8, ViewColumn("x", none(whole.Slice(0, 0, 16, 1)))))
	require.NoError(t, batches.Batch(1, &batch))

	for name, v := range map[string]View{
		"Make":       whole,
		"of buffer":  New(128).ViewAt(64, f32s(16)),
		"borrowed":   none(Borrow(make([]float32, 16), f32s(16))),
		"strided":    none(Strided(make([]float32, 20), f32s(16), 4, []int{1})),
		"slab":       slab.Make(f32s(16), []int{1}),
		"off heap":   off.View(f32s(16)),
		"file":       mapped.View(f32s(16)),
		"foreign":    Foreign(make([]byte, 64), func() {}).View(f32s(16)),
		"wrapped":    Wrap(make([]byte, 64)).View(f32s(16)),
		"remote":     farBuffer(16).View(f32s(16)),
		"window":     none(whole.Slice(0, 4, 16, 1)),
		"every 2nd":  none(whole.Slice(0, 0, 16, 2)),
		"restrided":  none(whole.Restride(f32s(4), 12, []int{1})),
		"row":        none(Strided(make([]float32, 32), f32s(2, 16), 0, []int{16, 1})).index(0, 1),
		"column":     second,
		"gathered":   none(gathered.Col("a").View()),
		"batch":      batch.Tensor(0),
		"table":      none(NewTable(0, whole, Make(f32s(16)))),
		"table part": none(none(NewTable(0, whole, Make(f32s(16)))).Slice(1, 8, 16, 1)),
	} {
		t.Run(name, func(t *testing.T) {
			require.NoError(t, v.Check())
			axis := v.Type.Rank() - 1
			change := func(dim, stride int) View {
				w := v
				w.Type.Shape, w.Strides = append(types.Shape(nil), v.Type.Shape...), append([]int(nil), v.Strides...)
				w.Type.Shape[axis], w.Strides[axis] = dim, stride
				return w
			}
			for _, w := range []View{change(1<<16, 1), change(4, 1<<40), change(4, -1<<40), change(1<<40, 1<<40), change(2, -1<<63), change(3, -(1 << 16))} {
				require.ErrorContains(t, w.Check(), "reaches outside of its memory")
				require.ErrorContains(t, Copy(Make(types.Of(types.F32, 0)), w), "types differ")
				if w.Type.Elements() <= 1<<16*2 {
					require.ErrorContains(t, Copy(Make(w.Type), w), "reaches outside of its memory")
					require.ErrorContains(t, Copy(w, Make(w.Type)), "reaches outside of its memory")
				}
			}
		})
	}

	long := whole
	long.Type = f32s(17)
	require.PanicsWithValue(t, "soa: slice of f32[17]: its memory has only 64 bytes", func() { Slice[float32](long) })
	require.PanicsWithValue(t, "soa: slice of f32[17]: its memory has only 64 bytes", func() { Bits[uint32](long) })
	require.PanicsWithValue(t, "soa: zero of f32[17]: its memory has only 64 bytes", func() { Zero(long) })
	backwards := none(Strided(make([]float32, 16), f32s(16), 15, []int{-1}))
	require.NoError(t, backwards.Check())
	backwards.Type = f32s(17)
	require.ErrorContains(t, backwards.Check(), "reaches outside of its memory (4 bytes from its first element on, 60 before it): its type or strides were changed since it was made")
	require.ErrorContains(t, Copy(Make(f32s(2)), View{Type: f32s(2), Strides: []int{1}}), "reaches outside of its memory")
}

func f32s(dims ...int) types.Type { return types.Of(types.F32, dims...) }
