package soa

import (
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"ltc/ir/types"
)

// far is remote memory whose addresses begin at its number.
type far struct {
	begin uintptr
	mem   []byte
}

func (f *far) Read(dst []byte, at uintptr) error { copy(dst, f.mem[at-f.begin:]); return nil }

func (f *far) Write(at uintptr, src []byte) error { copy(f.mem[at-f.begin:], src); return nil }

func (f *far) String() string { return "far:0" }

func farBuffer(elements int) *Buffer {
	f := &far{0x7000_0000_0000, make([]byte, 4*elements)}
	return OfRemote(f, f.begin, len(f.mem))
}

func TestRemoteMemoryIsCopied(t *testing.T) {
	b := farBuffer(12)
	v := b.View(types.Of(types.F32, 3, 4))
	require.Equal(t, "f32[3,4] dense on far:0", v.String())
	require.NoError(t, v.Check())
	host, err := Borrow([]float32{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}, v.Type)
	require.NoError(t, err)
	require.NoError(t, Copy(v, host))

	read := func(v View) []float32 {
		d := Make(v.Type)
		require.NoError(t, Copy(d, v))
		return Slice[float32](d)
	}
	require.Equal(t, Slice[float32](host), read(v))

	// Windows: of a column backwards, of which the neighbours stay, and by Restride.
	column, err := v.Slice(1, 1, 2, 1)
	require.NoError(t, err)
	require.NotNil(t, column.Remote())
	require.Equal(t, []float32{1, 5, 9}, read(column))
	back := column
	back.base, back.bounds, back.Strides = unsafe.Add(column.base, 2*4*4), column.bounds.shifted(2*4*4), []int{-4, 1}
	require.Equal(t, []float32{9, 5, 1}, read(back))
	three, err := Borrow([]float32{-1, -2, -3}, back.Type)
	require.NoError(t, err)
	require.NoError(t, Copy(back, three))
	require.Equal(t, []float32{0, -3, 2, 3, 4, -2, 6, 7, 8, -1, 10, 11}, read(v))
	inner, err := v.Restride(types.Of(types.F32, 2), 10, []int{1})
	require.NoError(t, err)
	require.Equal(t, []float32{10, 11}, read(inner))

	// Between remote memories, and columns of one.
	w := farBuffer(12).View(v.Type)
	require.NoError(t, Copy(w, v))
	require.Equal(t, read(v), read(w))
	one, err := v.Slice(0, 0, 1, 1)
	require.NoError(t, err)
	last, err := v.Slice(0, 2, 3, 1)
	require.NoError(t, err)
	table, err := NewTable(0, last, one)
	require.NoError(t, err)
	require.Equal(t, []float32{8, -1, 10, 11, 0, -3, 2, 3}, read(table))
	_, err = NewTable(0, one, Make(one.Type))
	require.ErrorContains(t, err, "another device")
}

func TestRemoteIsNoSlice(t *testing.T) {
	v := farBuffer(3).View(types.Of(types.F32, 3))
	require.PanicsWithValue(t, "soa: slice of f32[3], which is in the memory of far:0: copy it to a buffer of New", func() { With(v, func([]float32) {}) })
	require.Panics(t, func() { Slice[float32](v) })
	require.Panics(t, func() { farBuffer(2).View(types.Of(types.F32, 3)) })
	here := Make(v.Type)
	require.Nil(t, here.Remote())
}

// What would look at elements that the host does not reach is an error.
func TestRemoteColumnsAreNotReadByTheHost(t *testing.T) {
	b := farBuffer(8)
	values, offsets := ViewColumn("V", b.View(types.Of(types.F32, 2))), ViewColumn("V.offsets", b.View(types.Of(types.I64, 3)))
	const why = "it is in the memory of far:0: copy it to a buffer of New"
	c := NewCollection(2)
	require.NoError(t, c.Add("x", values))
	require.NoError(t, c.AddRagged("r", JaggedColumn(values, offsets)))
	require.EqualError(t, c.AddPadded("p", 3, JaggedColumn(values, offsets)), "tensor p: column V: "+why)
	require.EqualError(t, c.AddPadded("p", 3, JaggedColumn(ColumnOf("V", make([]float32, 2)), offsets)), "tensor p: column V.offsets: "+why)

	g, err := Gather("g", JaggedColumn(values, offsets))
	require.NoError(t, err)
	require.EqualError(t, g.SetLengths("V", []int{1, 1}), "layout g: column V.offsets: "+why)
	type record struct{ V []float32 }
	_, err = As[record](g)
	require.EqualError(t, err, "soa.record: layout g: column V.offsets: "+why)
	a := NewAccess(g, false)
	a.Field(Field{Name: "V", Kind: Values, DType: types.F32, Of: "V"})
	require.EqualError(t, a.Err(), "layout g: column V: "+why)
	require.EqualError(t, Of[record](0, In(b, 0)).Err(), "layout record: the buffer is memory of far:0: make views of it with RemoteAt, and columns of the views with Gather")
}

// faulty is remote memory of a backend with mistakes.
type faulty struct{}

func (faulty) Read([]byte, uintptr) error                           { panic("read") }
func (faulty) Write(uintptr, []byte) error                          { panic("write") }
func (faulty) CopyFrom(_ uintptr, _ Remote, _ uintptr, _ int) error { panic("copy") }
func (faulty) String() string                                       { return "faulty:0" }

func TestPanicsOfRemotesAreErrors(t *testing.T) {
	v := OfRemote(faulty{}, 0x7000_0000_0000, 24).View(f32s(6))
	row := OfRemote(faulty{}, 0x7000_0000_0000, 24).View(types.Of(types.F32, 3, 2))
	column, err := row.Slice(1, 0, 1, 1)
	require.NoError(t, err)
	for _, c := range []struct {
		dst, src View
		want     string
	}{
		{Make(v.Type), v, "the memory of faulty:0 panicked: read"},
		{v, Make(v.Type), "the memory of faulty:0 panicked: write"},
		{v, v, "the memory of faulty:0 panicked: copy"},
		{column, Make(column.Type), "the memory of faulty:0 panicked: read"},
	} {
		require.ErrorContains(t, Copy(c.dst, c.src), c.want)
	}
}
