package arrow_test

import (
	"encoding/binary"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/stretchr/testify/require"

	ltcarrow "ltc/integrations/arrow"
	"ltc/soa"
)

// Arrays whose buffers are not what they say, as a reader may make them of a file, are
// errors that name the column.
func TestUnsoundArrays(t *testing.T) {
	values := func(n int) arrow.ArrayData {
		return array.NewData(f32, n, []*memory.Buffer{nil, memory.NewBufferBytes(make([]byte, 4*n))}, nil, 0, 0)
	}
	offsets := func(o ...int32) *memory.Buffer {
		var b []byte
		for _, x := range o {
			b = binary.LittleEndian.AppendUint32(b, uint32(x))
		}
		return memory.NewBufferBytes(b)
	}
	large := func(o ...int64) *memory.Buffer {
		var b []byte
		for _, x := range o {
			b = binary.LittleEndian.AppendUint64(b, uint64(x))
		}
		return memory.NewBufferBytes(b)
	}
	lists := func(n, offset int, o *memory.Buffer, of arrow.DataType) arrow.ArrayData {
		return array.NewData(of, n, []*memory.Buffer{nil, o}, []arrow.ArrayData{values(4)}, 0, offset)
	}
	for name, c := range map[string]struct {
		data arrow.ArrayData
		want string
	}{
		"few offsets":           {lists(3, 0, offsets(0, 1), list(f32)), "offsets: entries 0 to 4 of 4 bytes each are not in a buffer of 8"},
		"few offsets of slices": {lists(1, 3, offsets(0, 1, 2, 3), list(f32)), "offsets: entries 3 to 5 of 4 bytes each are not in a buffer of 16"},
		"few large offsets":     {lists(3, 0, large(0, 1), largeList(f32)), "offsets: entries 0 to 4 of 8 bytes each are not in a buffer of 16"},
		"offsets beyond":        {lists(2, 0, offsets(0, 1, 9), list(f32)), "values 0 to 9 of 4"},
		"large offsets beyond":  {lists(2, 0, large(0, 1, 1<<40), largeList(f32)), "values 0 to 1099511627776 of 4"},
		"offsets that fall":     {lists(2, 0, offsets(3, 4, 1), list(f32)), "values 3 to 1 of 4"},
		"offsets below 0":       {lists(2, 0, offsets(-2, 0, 1), list(f32)), "values -2 to 1 of 4"},
		"few components":        {array.NewData(vector, 3, []*memory.Buffer{nil}, []arrow.ArrayData{values(4)}, 0, 0), "values 0 to 6 of 4"},
		"no null bits":          {array.NewData(f32, 20, []*memory.Buffer{memory.NewBufferBytes([]byte{}), memory.NewBufferBytes(make([]byte, 80))}, nil, -1, 0), "20 entries with 0 bits that say which are null"},
		"few null bits":         {array.NewData(f32, 20, []*memory.Buffer{memory.NewBufferBytes([]byte{255}), memory.NewBufferBytes(make([]byte, 80))}, nil, -1, 0), "20 entries with 8 bits that say which are null"},
	} {
		t.Run(name, func(t *testing.T) {
			a := array.MakeFromData(c.data)
			r := array.NewRecordBatch(arrow.NewSchema(fields("x", a.DataType()), nil), []arrow.Array{a}, int64(a.Len()))
			for _, options := range [][]ltcarrow.Option{nil, {ltcarrow.Masks()}} {
				_, err := ltcarrow.Columns(r, options...)
				require.EqualError(t, err, "arrow: column x: "+c.want)
			}
		})
	}
	_, err := ltcarrow.Columns(nil)
	require.EqualError(t, err, "arrow: the record batch is nil")

	// Offsets in between are data, which whatever reads the values looks at.
	a := array.MakeFromData(lists(3, 0, large(0, 3, 1, 4), largeList(f32)))
	r := array.NewRecordBatch(arrow.NewSchema(fields("x", a.DataType()), nil), []arrow.Array{a}, 3)
	b, err := ltcarrow.Columns(r)
	require.NoError(t, err)
	require.EqualError(t, soa.NewCollection(3).AddPadded("p", 2, b.Col("x")), "tensor p: column x: the offsets of element 1 are 3 and 1: want ascending numbers from 0 to 4")
}
