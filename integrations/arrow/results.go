package arrow

import (
	"fmt"
	"unsafe"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"ltc/internal/diag"
	"ltc/soa"
)

// RecordBatch returns columns as a record batch, where they lie: see [Array].
func RecordBatch(columns ...soa.Column) (arrow.RecordBatch, error) {
	fields, arrays := make([]arrow.Field, len(columns)), make([]arrow.Array, len(columns))
	rows := 0
	for i, c := range columns {
		a, err := Array(c)
		if err != nil {
			return nil, err
		}
		defer a.Release()
		if i == 0 {
			rows = a.Len()
		}
		if a.Len() != rows {
			return nil, fmt.Errorf("arrow: column %s: it has %s, and columns before it %d", c.Name(), diag.Count(a.Len(), "row"), rows)
		}
		fields[i], arrays[i] = arrow.Field{Name: c.Name(), Type: a.DataType()}, a
	}
	return array.NewRecordBatch(arrow.NewSchema(fields, nil), arrays, int64(rows)), nil
}

// Array returns a column of numbers as an array of the same memory, which it
// keeps: write the column before, as arrays do not change. A column of rows that
// are dense is a FixedSizeList; of a layout's vectors, whose components are columns
// of their own, take each with [soa.Column.Component]. A jagged column is a
// LargeList.
func Array(c soa.Column) (arrow.Array, error) {
	a, err := arrayOf(c)
	if err != nil {
		return nil, fmt.Errorf("arrow: column %s: %w", c.Name(), err)
	}
	return a, nil
}

func arrayOf(c soa.Column) (arrow.Array, error) {
	v, err := c.View()
	switch {
	case err != nil:
		return nil, err
	case c.Kind() == soa.Scalar:
		return nil, fmt.Errorf("it is a scalar, not a column")
	case v.Type.Rank() > 2:
		return nil, fmt.Errorf("elements of %v are no numbers or vectors", v.Type)
	case !v.IsDense() && v.Type.Rank() == 2:
		return nil, fmt.Errorf("its components lie apart, with strides %v: take each with Component", v.Strides)
	case !v.IsDense():
		return nil, fmt.Errorf("its elements lie apart, with strides %v", v.Strides)
	}
	data, err := numbers(v)
	if err != nil {
		return nil, err
	}
	defer data.Release()
	if v.Type.Rank() == 2 {
		row := arrow.FixedSizeListOfNonNullable(int32(v.Type.Shape[1]), data.DataType())
		data = array.NewData(row, v.Type.Shape[0], []*memory.Buffer{nil}, []arrow.ArrayData{data}, 0, 0)
		defer data.Release()
	}
	if c.Kind() == soa.Values {
		offsets, err := c.Offsets().View()
		if err != nil {
			return nil, err
		}
		list := arrow.LargeListOfNonNullable(data.DataType())
		starts := buffer(offsets)
		defer starts.Release()
		data = array.NewData(list, offsets.Type.Elements()-1, []*memory.Buffer{nil, starts}, []arrow.ArrayData{data}, 0, 0)
		defer data.Release()
	}
	return array.MakeFromData(data), nil
}

// numbers returns the elements of a dense view.
func numbers(v soa.View) (arrow.ArrayData, error) {
	for _, n := range numeric {
		if n.dtype == v.Type.DType {
			values := buffer(v)
			defer values.Release()
			return array.NewData(n.arrow, v.Type.Elements(), []*memory.Buffer{nil, values}, nil, 0, 0), nil
		}
	}
	return nil, fmt.Errorf("Arrow has no array of %v that lies like that", v.Type.DType)
}

// buffer returns a dense view's memory.
func buffer(v soa.View) *memory.Buffer {
	return memory.NewBufferWithAllocator(unsafe.Slice((*byte)(v.Base()), v.Type.Bytes()), &keeper{v})
}

// keeper keeps a view's memory for a buffer, which calls Free at its end.
type keeper struct{ view soa.View }

// Free lets go of the memory.
func (k *keeper) Free([]byte) { k.view = soa.View{} }

// Allocate and Reallocate give memory of the Go heap: what a buffer is made larger
// to is no column.
func (k *keeper) Allocate(n int) []byte { return make([]byte, n) }

// Reallocate copies b.
func (k *keeper) Reallocate(n int, b []byte) []byte {
	to := make([]byte, n)
	copy(to, b)
	return to
}

var _ memory.Allocator = (*keeper)(nil)
