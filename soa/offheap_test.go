package soa

import (
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/require"

	"ltc/internal/hostmem"
	"ltc/ir/types"
)

func waitFor(t *testing.T, done func() bool) {
	t.Helper()
	for range 200 {
		if done() {
			return
		}
		Collect()
		time.Sleep(time.Millisecond)
	}
	t.Fatal("it did not come about")
}

func TestOffHeapIsUnmappedAfterItsLastView(t *testing.T) {
	if !canMap {
		t.Skip("this system does not map memory")
	}
	none := func() bool { live, _ := hostmem.OffHeap(); return live == 0 }
	waitFor(t, none) // memory of other tests is still on its way back
	b, err := OffHeap(1 << 20)
	require.NoError(t, err)
	v := b.ViewAt(64, types.Of(types.F32, 4, 4))
	b = nil
	row, err := v.Slice(0, 1, 2, 1)
	require.NoError(t, err)
	require.True(t, row.OffHeap())
	src, err := Borrow([]float32{1, 2, 3, 4}, types.Of(types.F32, 1, 4))
	require.NoError(t, err)
	require.NoError(t, Copy(row, src))
	table, err := NewTable(0, row, row)
	require.NoError(t, err)
	v, row = View{}, View{}
	for range 3 {
		Collect()
	}
	live, peak := hostmem.OffHeap()
	require.EqualValues(t, 1<<20, live)
	require.GreaterOrEqual(t, peak, live)
	dense := Make(table.Type)
	require.NoError(t, Copy(dense, table))
	require.Equal(t, []float32{1, 2, 3, 4, 1, 2, 3, 4}, Slice[float32](dense))
	table = View{}
	waitFor(t, none)
}

func TestOffHeapHasNoSlices(t *testing.T) {
	if !canMap {
		t.Skip("this system does not map memory")
	}
	b, err := OffHeap(64)
	require.NoError(t, err)
	v := b.View(types.Of(types.I32, 2))
	With(v, func(s []int32) { s[1] = 5 })
	With(v, func(s []int32) { require.Equal(t, []int32{0, 5}, s) })
	require.PanicsWithValue(t, "soa: slice of i32[2] off the Go heap; use With, or copy it to a buffer of New", func() { Slice[int32](v) })
	empty, err := OffHeap(0)
	require.NoError(t, err)
	require.Empty(t, empty.Bytes())
	_, err = OffHeap(1 << 60)
	require.ErrorIs(t, err, ErrMemory)
}

// Off-heap bytes bring a collection about, which nothing else here does.
func TestOffHeapBytesDriveCollection(t *testing.T) {
	if !canMap {
		t.Skip("this system does not map memory")
	}
	Collect()
	before, _ := hostmem.OffHeap()
	var most int64
	for range 100 {
		b, err := OffHeap(16 << 20)
		require.NoError(t, err)
		*(*byte)(unsafe.Pointer(unsafe.SliceData(b.Bytes()))) = 1
		live, _ := hostmem.OffHeap()
		most = max(most, live-before)
	}
	require.Less(t, most, int64(400<<20), "of 1600 MiB mapped")
}
