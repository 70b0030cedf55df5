package soa_test

import (
	"math"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/ir/types"
	"ltc/soa"
)

// Nil and zero columns have no elements, and what uses them is an error.
func TestZeroColumnsHaveNoElements(t *testing.T) {
	const none = "the columns are the zero value: make columns with Of or Layout.New"
	for _, c := range []*soa.Columns{nil, {}} {
		require.EqualError(t, c.Err(), none)
		require.Equal(t, none, c.String())
		require.Zero(t, c.Len()+c.Count("x")+c.Bytes())
		require.Nil(t, c.Base())
		require.False(t, c.ReadOnly())
		require.EqualError(t, c.Const().Err(), none)
		require.Empty(t, c.Layout().Fields())
		require.EqualError(t, c.Col("x").Err(), "column x: "+none)
		require.EqualError(t, soa.NewCollection(1).Add("t", c.Col("x")), "tensor t: column x: "+none)
		require.EqualError(t, c.SetLengths("x", nil), "column x.offsets: "+none)
		require.EqualError(t, soa.SetScalar(c, "x", float32(1)), "column x: "+none)
		_, err := c.Block("x")
		require.EqualError(t, err, none)
		_, err = soa.Join("j", c)
		require.Error(t, err)
		_, err = soa.As[position](c)
		require.EqualError(t, err, none)
		_, err = soa.ConstAs[position](c)
		require.EqualError(t, err, none)
		_, err = HitViewOf(c)
		require.EqualError(t, err, none)
		_, err = HitConstViewOf(c)
		require.EqualError(t, err, none)
	}
	require.EqualError(t, soa.ViewColumn("v", soa.View{}).Err(), "column v: its view is the zero View")
	var r soa.Records[position]
	require.Zero(t, r.Len())
	require.EqualError(t, r.Col("X").Err(), "column X: "+none)
	require.PanicsWithError(t, "soa: "+none, func() { r.At(0) })
	require.PanicsWithError(t, "soa: "+none, func() { r.Const().At(0) })

	for _, l := range []*soa.Layout{nil, {}} {
		_, err := l.New(3)
		require.EqualError(t, err, "layout: the Layout is the zero value: make a layout with NewLayout or LayoutOf")
		_, err = l.Size(3)
		require.Error(t, err)
	}
}

// Zero generated views have no elements: asking for one panics as indexing a slice
// does, and says why.
func TestZeroViewsPanicAsEmptySlicesDo(t *testing.T) {
	const none = "soa: the columns are the zero value: make columns with Of or Layout.New"
	var v HitView
	var tracks TrackView
	require.Zero(t, v.Len()+v.Const().Len()+v.XEntries().Len()+v.Const().CovEntries(0, 1).Len()+tracks.Entries().Len())
	require.EqualError(t, v.Columns().Col("X").Err(), "column X: the columns are the zero value: make columns with Of or Layout.New")
	for range v.All() {
		t.Fatal("there is no element")
	}
	for range v.Const().All() {
		t.Fatal("there is no element")
	}
	require.PanicsWithError(t, none, func() { v.At(0) })
	require.PanicsWithError(t, none, func() { v.Const().At(0) })
	require.PanicsWithError(t, none, func() { v.Run() })
	require.PanicsWithError(t, none, func() { v.SetRun(1) })
	require.Panics(t, func() { tracks.Entries().At(0) })
}

// What has no error to return panics, and says why, on what cannot be memory.
func TestBadSizesOfBuffersPanic(t *testing.T) {
	for _, bad := range [][2]int{{-1, 64}, {1, 3}, {1, 0}, {1, -8}, {math.MaxInt, 64}, {math.MinInt, 64}} {
		require.Panics(t, func() { soa.NewAligned(bad[0], bad[1]) }, bad)
	}
	require.PanicsWithValue(t, "soa: a buffer of -1 bytes, aligned to 64: the size must fit in memory, and the alignment must be a power of two", func() { soa.New(-1) })
	require.PanicsWithValue(t, "soa: make f32[-1,3]: dimension 0 is negative: -1", func() { soa.Make(types.Of(types.F32, -1, 3)) })
	require.PanicsWithValue(t, "soa: a buffer of 1 byte, aligned to 3: the size must fit in memory, and the alignment must be a power of two", func() { soa.NewAligned(1, 3) })
	b := soa.New(64)
	for _, bad := range []types.Type{{}, types.Of(types.F32, -1), types.Of(types.F32, 1<<31, 1<<31), types.Of(types.F64, 1<<61)} {
		require.Panics(t, func() { b.View(bad) }, "its bytes are no number")
		require.Panics(t, func() { soa.Make(bad) })
	}
	require.Panics(t, func() { b.ViewAt(-4, types.Of(types.F32, 1)) })
	require.Panics(t, func() { b.ViewAt(64, types.Of(types.F32, 1)) })
	require.EqualError(t, soa.Copy(soa.View{}, soa.View{}), "copy: the views are zero Views")
	_, err := soa.NewTable(0, soa.View{})
	require.EqualError(t, err, "column 0 is the zero View")
	_, err = b.View(types.Of(types.F32, 4)).Restride(types.Of(types.F32, 1<<32, 1<<32), 0, []int{0, 0})
	require.ErrorContains(t, err, "more bytes than an int can count")
	require.EqualError(t, soa.NewCollection(0).Batch(0, nil), "collection: into is nil: give Batch(0) a collection to set")
}

// Sizes beyond what an int counts are errors, not sizes that wrapped around, and
// nothing is made for them.
func TestSizesBeyondIntsAreErrors(t *testing.T) {
	field := func(shape ...int) []soa.Field {
		return []soa.Field{{Name: "X", DType: types.F64, Shape: shape}}
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := soa.NewLayout("big", field(1<<62))
	require.EqualError(t, err, "layout big: column X: f64[4611686018427387904]: dimensions of an element are from 1 to 1048576")
	_, err = soa.NewLayout("big", field(1<<20, 1<<20))
	require.EqualError(t, err, "layout big: column X: f64[1048576,1048576]: an element has 1099511627776 components, more than the limit of 16777216")
	_, err = soa.NewLayout("big", field(2), soa.Align(1<<62))
	require.NoError(t, err)
	l, err := soa.NewLayout("big", append(field(1<<12, 1<<12), soa.Field{Name: "Y", DType: types.U8}))
	require.NoError(t, err)
	for _, n := range []int{1 << 32, 1 << 37, 1 << 40, 1<<62 - 1, 1 << 62, math.MaxInt - 1, math.MaxInt} {
		_, err := l.New(n)
		require.ErrorIs(t, err, soa.ErrMemory, n)
		require.ErrorContains(t, err, "layout big: ")
		_, err = l.New(n, soa.In(soa.New(4096), 0))
		require.Error(t, err, n)
	}
	_, err = l.New(-1)
	require.EqualError(t, err, "layout big: the number of elements is -1: it must be at least 0")
	for _, align := range []int{1 << 45, 1 << 61, 1 << 62} {
		require.ErrorIs(t, soa.Of[position](0, soa.Align(align)).Err(), soa.ErrMemory, align)
	}
	jagged, err := soa.LayoutOf[event]()
	require.NoError(t, err)
	for _, n := range []int{math.MaxInt, 1 << 62} {
		_, err = jagged.New(1, soa.Count("Jets", n))
		require.ErrorIs(t, err, soa.ErrMemory)
		_, err = jagged.New(n)
		require.ErrorIs(t, err, soa.ErrMemory)
	}

	// A scalar is of any number of elements, but not of more bytes than there can be.
	p := soa.Of[point](1)
	for _, n := range []int{1 << 61, math.MaxInt} {
		require.EqualError(t, soa.NewCollection(n).Add("t", p.Col("Type")), "tensor t: layout point: column Type: f32["+types.Of(types.F32, n).Shape.String()[1:]+" has more bytes than an int can count")
	}
	require.ErrorContains(t, soa.NewCollection(1<<60).Add("t", p.Col("Type"), p.Col("Type")), "tensor t: f32[1152921504606846976,2] has more bytes than an int can count")
	runtime.ReadMemStats(&after)
	require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(64<<20))
}

// A copy from or to memory that was given back is an error; what runs on it ends first.
func TestCopiesOfReleasedMemoryAreErrors(t *testing.T) {
	off, err := soa.OffHeap(4096)
	require.NoError(t, err)
	x := types.Of(types.F32, 8)
	v, heap := off.View(x), soa.Make(x)
	if !v.OffHeap() {
		t.Skip("this system has no memory off the Go heap")
	}
	table, err := soa.NewTable(1, heap, v)
	require.NoError(t, err)
	soa.With(v, func(s []float32) { s[3] = 5 })
	c := soa.NewCollection(8)
	require.NoError(t, c.Add("x", soa.ViewColumn("x", v)))
	require.NoError(t, c.Acquire())
	off.Release()
	require.NoError(t, soa.Copy(heap, v), "in use")
	require.Equal(t, float32(5), soa.Slice[float32](heap)[3])
	c.Done()
	require.EqualError(t, soa.Copy(heap, v), "copy of f32[8]: its memory was released")
	require.ErrorIs(t, soa.Copy(v, heap), soa.ErrReleased)
	require.ErrorIs(t, soa.Copy(soa.Make(table.Type), table), soa.ErrReleased)
	require.Equal(t, float32(5), soa.Slice[float32](heap)[3])
}

// A refresh that fails leaves all rectangles as they were, and what was counted.
func TestRefreshOrNothing(t *testing.T) {
	values, offsets := []float32{1, 2, 3}, []int64{0, 1, 3}
	others := []int64{0, 1, 3}
	c := soa.NewCollection(2)
	require.NoError(t, c.AddPadded("a", 2, soa.JaggedColumn(soa.ColumnOf("v", values), soa.ColumnOf("o", offsets))))
	require.NoError(t, c.AddPadded("b", 2, soa.JaggedColumn(soa.ColumnOf("w", values), soa.ColumnOf("p", others))))
	read := func() (all []any) {
		for i := range c.Len() {
			if v := c.Tensor(i); v.Type.DType == types.Bool {
				all = append(all, append([]bool(nil), soa.Slice[bool](v)...))
			} else {
				all = append(all, append([]float32(nil), soa.Slice[float32](v)...))
			}
		}
		return append(all, c.Copied())
	}
	before := read()
	for i := range values {
		values[i] *= 10
	}
	for _, bad := range [][]int64{{0, 2, 1}, {0, 1, 4}, {-1, 1, 3}, {0, math.MaxInt64, 3}, {math.MinInt64, 1, 3}} {
		copy(others, bad)
		require.ErrorContains(t, c.Refresh(), "column w: the offsets of element ")
		require.Equal(t, before, read())
	}
	copy(others, []int64{0, 0, 3})
	require.NoError(t, c.Refresh())
	require.Equal(t, []float32{10, 0, 20, 30}, soa.Slice[float32](c.Tensor(0)))
	require.Equal(t, []float32{0, 0, 10, 20}, soa.Slice[float32](c.Tensor(2)))
}
