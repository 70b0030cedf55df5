package arrow_test

import (
	"runtime"
	"strings"
	"testing"
	"unsafe"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/stretchr/testify/require"

	ltcarrow "ltc/integrations/arrow"
	"ltc/ir/types"
	"ltc/soa"
)

// fields are a name and its type each.
func fields(all ...any) []arrow.Field {
	var list []arrow.Field
	for i := 0; i < len(all); i += 2 {
		list = append(list, arrow.Field{Name: all[i].(string), Type: all[i+1].(arrow.DataType), Nullable: true})
	}
	return list
}

// fromJSON makes a record batch of rows.
func fromJSON(t *testing.T, mem memory.Allocator, rows string, of ...any) arrow.RecordBatch {
	t.Helper()
	r, _, err := array.RecordFromJSON(mem, arrow.NewSchema(fields(of...), nil), strings.NewReader(rows))
	require.NoError(t, err)
	return r
}

// values returns a column's elements in row-major order.
func values[T soa.Element](t *testing.T, c soa.Column) []T {
	t.Helper()
	v, err := c.View()
	require.NoError(t, err)
	dense := soa.Make(v.Type)
	require.NoError(t, soa.Copy(dense, v))
	return soa.Slice[T](dense)
}

var (
	f32    = arrow.PrimitiveTypes.Float32
	i64    = arrow.PrimitiveTypes.Int64
	vector = arrow.FixedSizeListOf(2, f32)
	matrix = arrow.FixedSizeListOf(2, vector)
	hit    = arrow.StructOf(fields("charge", f32, "layer", arrow.PrimitiveTypes.Uint8)...)
)

const rows = `[
	{"pt": 1, "id": 10, "dir": [1, 2], "cov": [[1, 2], [3, 4]], "hits": [5], "tracks": [{"charge": 1, "layer": 7}], "pos": {"charge": 1, "layer": 2}},
	{"pt": 2, "id": 20, "dir": [3, 4], "cov": [[5, 6], [7, 8]], "hits": [], "tracks": [], "pos": {"charge": 3, "layer": 4}},
	{"pt": 3, "id": 30, "dir": [5, 6], "cov": [[9, 10], [11, 12]], "hits": [6, 7, 8], "tracks": [{"charge": 2, "layer": 8}, {"charge": 3, "layer": 9}], "pos": {"charge": 5, "layer": 6}},
	{"pt": 4, "id": 40, "dir": [7, 8], "cov": [[13, 14], [15, 16]], "hits": [9], "tracks": [], "pos": {"charge": 7, "layer": 8}}
]`

func whole(t *testing.T, mem memory.Allocator, list func(arrow.DataType) arrow.DataType) arrow.RecordBatch {
	return fromJSON(t, mem, rows, "pt", f32, "id", i64, "dir", vector, "cov", matrix, "hits", list(f32), "tracks", list(hit), "pos", hit)
}

func list(t arrow.DataType) arrow.DataType      { return arrow.ListOf(t) }
func largeList(t arrow.DataType) arrow.DataType { return arrow.LargeListOf(t) }

// Every column is there, of the whole batch and of slices of it, and lies where
// the arrays have it.
func TestColumns(t *testing.T) {
	for name, of := range map[string]func(arrow.DataType) arrow.DataType{"List": list, "LargeList": largeList} {
		t.Run(name, func(t *testing.T) {
			r := whole(t, memory.DefaultAllocator, of)
			for _, cut := range [][2]int64{{0, 4}, {1, 4}, {2, 3}, {0, 2}, {1, 1}, {4, 4}} {
				lo, hi := cut[0], cut[1]
				part := r.NewSlice(lo, hi)
				b, err := ltcarrow.Columns(part)
				require.NoError(t, err)
				require.Equal(t, []string{"pt", "id", "dir", "cov", "hits", "tracks.charge", "tracks.layer", "pos.charge", "pos.layer"}, b.Names())
				n := int(hi - lo)
				require.Equal(t, n, b.Len())
				require.Equal(t, []float32{1, 2, 3, 4}[lo:hi], values[float32](t, b.Col("pt")))
				require.Equal(t, []int64{10, 20, 30, 40}[lo:hi], values[int64](t, b.Col("id")))
				require.Equal(t, []float32{1, 2, 3, 4, 5, 6, 7, 8}[2*lo:2*hi], values[float32](t, b.Col("dir")))
				require.Equal(t, []float32{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}[4*lo:4*hi], values[float32](t, b.Col("cov")))
				require.Equal(t, []uint8{2, 4, 6, 8}[lo:hi], values[uint8](t, b.Col("pos.layer")))
				cov, err := b.Col("cov").View()
				require.NoError(t, err)
				require.Equal(t, types.Of(types.F32, n, 2, 2), cov.Type)

				offsets, all := []int64{0, 1, 1, 4, 5}, []float32{5, 6, 7, 8, 9}
				var want []int64
				for _, o := range offsets[lo : hi+1] {
					want = append(want, o-offsets[lo])
				}
				require.Equal(t, want, values[int64](t, b.Col("hits").Offsets()))
				require.Equal(t, all[offsets[lo]:offsets[hi]], values[float32](t, b.Col("hits")))
				starts := []int{0, 1, 1, 3, 3}
				require.Equal(t, []uint8{7, 8, 9}[starts[lo]:starts[hi]], values[uint8](t, b.Col("tracks.layer")))

				copied := int64(2 * 8 * (n + 1)) // of both lists
				if name == "LargeList" && lo == 0 && n > 0 {
					copied = 0
				}
				require.Equal(t, copied, b.Copied())
				if pt, err := b.Col("pt").View(); n > 0 {
					require.NoError(t, err)
					require.Equal(t, unsafe.Pointer(&part.Column(0).(*array.Float32).Float32Values()[0]), pt.Base())
				}
			}
		})
	}
}

// Columns are read only, are those of collections and layouts, and are errors
// after their release.
func TestUses(t *testing.T) {
	b, err := ltcarrow.Columns(whole(t, memory.DefaultAllocator, largeList))
	require.NoError(t, err)
	in := soa.NewCollection(4)
	require.NoError(t, in.Add("kinematics", b.Col("pt"), b.Col("pos.charge")))
	require.NoError(t, in.Add("dir", b.Col("dir")))
	require.NoError(t, in.AddRagged("tracks", b.Col("tracks.charge")))
	require.Zero(t, in.Copied())
	v := soa.Make(types.Of(types.F32, 4, 2))
	require.NoError(t, soa.Copy(v, in.Tensor(0)))
	require.Equal(t, []float32{1, 1, 2, 3, 3, 5, 4, 7}, soa.Slice[float32](v))
	require.ErrorIs(t, in.Writable(nil), soa.ErrReadOnly)

	c, err := b.Gather("events", "pt", "tracks.charge", "tracks.layer")
	require.NoError(t, err)
	require.True(t, c.ReadOnly())
	type event struct {
		Pt float32 `soa:"pt"`
	}
	events, err := soa.ConstAs[event](c)
	require.NoError(t, err)
	require.Equal(t, float32(3), events.At(2).Load().Pt)
	_, err = b.Gather("events", "dir")
	require.ErrorContains(t, err, "layout events: column dir: its elements are not adjacent: their strides are [2 1]")
	require.ErrorContains(t, in.Add("x", b.Col("phi")), "arrow: there is no column phi: there are pt, id, dir")

	b.Release()
	require.ErrorIs(t, in.Acquire(), soa.ErrReleased)
	require.ErrorIs(t, soa.NewCollection(4).Add("x", b.Col("pt")), soa.ErrReleased)
	require.Panics(t, func() { events.At(2) })
}

// Arrays live as long as a view of them, and no longer.
func TestMemoryIsKept(t *testing.T) {
	mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
	column := func() soa.Column {
		r := whole(t, mem, largeList)
		defer r.Release()
		b, err := ltcarrow.Columns(r)
		require.NoError(t, err)
		return b.Col("pt")
	}
	pt := column()
	soa.Collect()
	require.Positive(t, mem.CurrentAlloc())
	require.Equal(t, []float32{1, 2, 3, 4}, values[float32](t, pt))
	runtime.KeepAlive(pt)
	pt = soa.Column{}
	for range 10 {
		if soa.Collect(); mem.CurrentAlloc() == 0 {
			break
		}
	}
	mem.AssertSize(t, 0)
}

func TestNulls(t *testing.T) {
	const rows = `[{"pt": 1, "hits": [1]}, {"pt": null, "hits": null}, {"pt": 3, "hits": [2, 3]}]`
	r := fromJSON(t, memory.DefaultAllocator, rows, "pt", f32, "hits", list(f32))
	_, err := ltcarrow.Columns(r)
	require.EqualError(t, err, "arrow: column pt: null entries: 1 of 3")
	b, err := ltcarrow.Columns(r, ltcarrow.Masks())
	require.NoError(t, err)
	require.Equal(t, []string{"pt", "pt.valid", "hits", "hits.valid"}, b.Names())
	require.Equal(t, []bool{true, false, true}, values[bool](t, b.Col("pt.valid")))
	require.Equal(t, []int64{0, 1, 1, 3}, values[int64](t, b.Col("hits").Offsets()))
	require.Equal(t, int64(3+4*8+3), b.Copied())

	b, err = ltcarrow.Columns(r.NewSlice(2, 3)) // where there are none
	require.NoError(t, err)
	require.Equal(t, []float32{3}, values[float32](t, b.Col("pt")))
	require.Equal(t, []string{"pt", "hits"}, b.Names())
}

func TestErrors(t *testing.T) {
	for name, c := range map[string]struct {
		rows, want string
		of         arrow.DataType
	}{
		"bits":           {`[{"x": true}]`, "an array of bool has no numbers that can be read in place: leave it out of the batch", arrow.FixedWidthTypes.Boolean},
		"text":           {`[{"x": "a"}]`, "an array of utf8 has no numbers that can be read in place: leave it out of the batch", arrow.BinaryTypes.String},
		"time":           {`[{"x": "2026-01-02"}]`, "an array of date32 has no numbers that can be read in place: leave it out of the batch", arrow.FixedWidthTypes.Date32},
		"lists of lists": {`[{"x": [[1]]}]`, "its values are lists", list(list(f32))},
		"text in a list": {`[{"x": ["a"]}]`, "values: an array of utf8 has no numbers that can be read in place: leave it out of the batch", list(arrow.BinaryTypes.String)},
		"null values":    {`[{"x": [1, null, 2]}]`, "values: null entries: 1 of 3", list(f32)},
		"null component": {`[{"x": [1, null]}]`, "null components: 1", vector},
		"null structs":   {`[{"x": null}]`, "null structs: 1 of 1", hit},
		"null fields":    {`[{"x": {"charge": null, "layer": 1}}]`, "field charge: null entries: 1 of 1", hit},
		"list views":     {`[{"x": [1]}]`, "an array of list_view<item: float32, nullable> has no numbers that can be read in place: leave it out of the batch", arrow.ListViewOf(f32)},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := ltcarrow.Columns(fromJSON(t, memory.DefaultAllocator, c.rows, "x", c.of))
			require.EqualError(t, err, "arrow: column x: "+c.want)
		})
	}

	odd := memory.NewBufferBytes(make([]byte, 64)[1:9])
	data := array.NewData(f32, 2, []*memory.Buffer{nil, odd}, nil, 0, 0)
	r := array.NewRecordBatch(arrow.NewSchema(fields("x", f32), nil), []arrow.Array{array.MakeFromData(data)}, 2)
	_, err := ltcarrow.Columns(r)
	require.EqualError(t, err, "arrow: column x: its memory starts 1 byte after a multiple of 4")
}

func TestNoRows(t *testing.T) {
	for name, of := range map[string]func(arrow.DataType) arrow.DataType{"List": list, "LargeList": largeList} {
		r := fromJSON(t, memory.DefaultAllocator, "[]", "pt", f32, "dir", vector, "hits", of(f32))
		b, err := ltcarrow.Columns(r)
		require.NoError(t, err, name)
		in := soa.NewCollection(0)
		require.NoError(t, in.Add("x", b.Col("pt")))
		require.NoError(t, in.Add("dir", b.Col("dir")))
		require.NoError(t, in.AddRagged("hits", b.Col("hits")))
		require.Equal(t, []int64{0}, values[int64](t, b.Col("hits").Offsets()))
	}
}

// Columns of a layout are arrays in place, and come back as the columns that they
// were.
func TestResults(t *testing.T) {
	type event struct {
		Pt    float32
		Dir   [2]float64
		Label int32
		Good  bool
		Hits  []float32
		Run   int64 `soa:",scalar"`
	}
	events := soa.Of[event](3, soa.Count("Hits", 4))
	require.NoError(t, events.SetLengths("Hits", []int{1, 0, 3}))
	for i := range 3 {
		events.At(i).Store(event{Pt: float32(i), Dir: [2]float64{1, float64(i)}, Label: int32(-i), Hits: make([]float32, []int{1, 0, 3}[i])})
	}
	rows := soa.ViewColumn("Rows", soa.Make(types.Of(types.F32, 3, 2)))
	r, err := ltcarrow.RecordBatch(events.Col("Pt"), events.Col("Dir").Component(1), events.Col("Label"), events.Col("Hits"), rows)
	require.NoError(t, err)
	defer r.Release()
	require.Equal(t, "[0 1 2]", r.Column(0).String())
	require.Equal(t, "[0 1 2]", r.Column(1).String())
	require.Equal(t, "[[0] [] [0 0 0]]", r.Column(3).String())
	require.Equal(t, "[[0 0] [0 0] [0 0]]", r.Column(4).String())

	pt, err := soa.Elements[float32](events.Col("Pt"))
	require.NoError(t, err)
	require.Equal(t, &pt[0], &r.Column(0).(*array.Float32).Float32Values()[0])
	b, err := ltcarrow.Columns(r)
	require.NoError(t, err)
	require.Zero(t, b.Copied())
	require.Equal(t, []int64{0, 1, 1, 4}, values[int64](t, b.Col("Hits").Offsets()))

	for name, c := range map[string]soa.Column{
		"column Good: Arrow has no array of bool that lies like that":                                               events.Col("Good"),
		"column Dir: its components lie apart, with strides [1 16]: take each with Component":                       events.Col("Dir"),
		"column Run: it is a scalar, not a column":                                                                  events.Col("Run"),
		"column Phi: layout event: there is no column Phi: there are Pt, Dir, Label, Good, Hits.offsets, Hits, Run": events.Col("Phi"),
	} {
		_, err := ltcarrow.Array(c)
		require.EqualError(t, err, "arrow: "+name)
	}
	_, err = ltcarrow.RecordBatch(events.Col("Pt"), soa.ColumnOf("x", []float32{1}))
	require.EqualError(t, err, "arrow: column x: it has 1 row, and columns before it 3")
}
