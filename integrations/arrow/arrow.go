// Package arrow shows Apache Arrow's record batches as columns, and columns as
// Arrow's arrays, where they lie: nothing is copied but what [Batch.Copied]
// counts. Its central type is [Batch].
//
//	b, err := arrow.Columns(batch)
//	err = in.Add("kinematics", b.Col("pt"), b.Col("eta"))
//
// The package imports only ltc/soa, ltc/ir/types and github.com/apache/arrow-go/v18.
package arrow

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unsafe"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"ltc/internal/diag"
	"ltc/ir/types"
	"ltc/soa"
)

// Batch is a record batch as columns to be read only. They keep the memory of the
// arrays that they are of (Retain), until the last view of it is gone.
type Batch struct {
	n       int
	columns []soa.Column
	copied  int64
	buffers []*soa.Buffer
	masks   bool
}

// Option changes how a record batch is read.
type Option func(*Batch)

// Masks accepts columns with nulls: each has another one, NAME.valid of bool,
// which says where there is a value. The entries of the others are whatever the
// array has there. Values of lists, and structs, still must have no nulls.
func Masks() Option { return func(b *Batch) { b.masks = true } }

// numeric are the types whose arrays are elements one after the other.
var numeric = []struct {
	arrow arrow.DataType
	dtype types.DType
}{
	{arrow.FixedWidthTypes.Float16, types.F16}, {arrow.PrimitiveTypes.Float32, types.F32}, {arrow.PrimitiveTypes.Float64, types.F64},
	{arrow.PrimitiveTypes.Int8, types.I8}, {arrow.PrimitiveTypes.Int16, types.I16}, {arrow.PrimitiveTypes.Int32, types.I32}, {arrow.PrimitiveTypes.Int64, types.I64},
	{arrow.PrimitiveTypes.Uint8, types.U8}, {arrow.PrimitiveTypes.Uint16, types.U16}, {arrow.PrimitiveTypes.Uint32, types.U32}, {arrow.PrimitiveTypes.Uint64, types.U64},
}

// dtypeOf returns the dtype of an array's elements.
func dtypeOf(t arrow.DataType) (types.DType, bool) {
	for _, n := range numeric {
		if n.arrow.ID() == t.ID() {
			return n.dtype, true
		}
	}
	return 0, false
}

// Columns returns the columns of a record batch:
//
//   - of numbers as they are;
//   - FixedSizeList, and that of FixedSizeList, as vectors and matrices;
//   - List and LargeList as jagged columns, whose values are numbers or structs of
//     numbers; offsets of List, and those that do not start at 0, are copied;
//   - Struct as a column for each field, NAME.FIELD.
//
// A column of another type is an error, and so are nulls, without [Masks], and
// memory that does not start at a multiple of the elements' size or is shorter than
// the array says. It names the column. Slices of arrays are shown as such.
func Columns(batch arrow.RecordBatch, options ...Option) (*Batch, error) {
	if batch == nil {
		return nil, errors.New("arrow: the record batch is nil")
	}
	b := &Batch{n: int(batch.NumRows())}
	for _, set := range options {
		set(b)
	}
	for i, a := range batch.Columns() {
		if err := b.add(batch.ColumnName(i), a); err != nil {
			return nil, fmt.Errorf("arrow: column %s: %w", batch.ColumnName(i), err)
		}
	}
	return b, nil
}

// Len returns the number of rows.
func (b *Batch) Len() int { return b.n }

// Copied returns how many bytes were copied: of offsets and masks.
func (b *Batch) Copied() int64 { return b.copied }

// Names returns the columns' names in order.
func (b *Batch) Names() []string {
	names := make([]string, len(b.columns))
	for i, c := range b.columns {
		names[i] = c.Name()
	}
	return names
}

// Col returns the column of a name; where there is none the error is that of the
// column, and of whatever uses it.
func (b *Batch) Col(name string) soa.Column {
	for _, c := range b.columns {
		if c.Name() == name {
			return c
		}
	}
	return soa.MissingColumn(name, fmt.Errorf("arrow: there is no column %s: there are %s", name, strings.Join(b.Names(), ", ")))
}

// Gather returns the columns of the given names, or all of them without any, as
// those of one layout: see [soa.Gather]. Vectors and matrices cannot be among
// them: Arrow has their components next to each other.
func (b *Batch) Gather(layout string, names ...string) (*soa.Columns, error) {
	if len(names) == 0 {
		names = b.Names()
	}
	columns := make([]soa.Column, len(names))
	for i, name := range names {
		columns[i] = b.Col(name)
	}
	return soa.Gather(layout, columns...)
}

// Release ends the use of the columns: it is an error from now on. The arrays'
// memory is released with the last view of it.
func (b *Batch) Release() {
	for _, buffer := range b.buffers {
		buffer.Release()
	}
}

// add appends the columns of an array.
func (b *Batch) add(name string, a arrow.Array) error {
	if err := checkNulls(a.Data()); err != nil {
		return err
	}
	if s, ok := a.(*array.Struct); ok {
		if a.NullN() > 0 {
			return fmt.Errorf("null structs: %d of %d", a.NullN(), a.Len())
		}
		for i, field := range s.DataType().(*arrow.StructType).Fields() {
			if err := b.add(name+"."+field.Name, s.Field(i)); err != nil {
				return fmt.Errorf("field %s: %w", field.Name, err)
			}
		}
		return nil
	}
	if a.NullN() > 0 && !b.masks {
		return fmt.Errorf("null entries: %d of %d", a.NullN(), a.Len())
	}
	var err error
	if l, ok := a.(array.ListLike); ok && a.DataType().ID() != arrow.FIXED_SIZE_LIST {
		err = b.addList(name, l)
	} else {
		var v soa.View
		v, err = b.view(a)
		b.columns = append(b.columns, soa.ViewColumn(name, v))
	}
	if err != nil || !b.masks || a.NullN() == 0 {
		return err
	}
	b.columns = append(b.columns, b.mask(name, a))
	return nil
}

// view returns an array of numbers, vectors or matrices in place.
func (b *Batch) view(a arrow.Array) (soa.View, error) {
	shape, first := types.Shape{a.Len()}, 0
	for values := a; ; {
		l, ok := values.(*array.FixedSizeList)
		if !ok {
			return b.numbers(values, first, shape)
		}
		width := int(l.DataType().(*arrow.FixedSizeListType).Len())
		first = (first + l.Data().Offset()) * width
		shape = append(shape, width)
		if err := (types.Type{DType: types.U8, Shape: shape}).Check(); err != nil {
			return soa.View{}, err
		}
		values = l.ListValues()
		inner, err := sliceOf(values, int64(first), int64(first+shape.Elements()))
		if err != nil {
			return soa.View{}, err
		}
		nulls := inner.NullN()
		inner.Release()
		if nulls > 0 {
			return soa.View{}, fmt.Errorf("null components: %d", nulls)
		}
	}
}

// numbers returns entries of an array from one on, as a tensor of the shape.
func (b *Batch) numbers(a arrow.Array, first int, shape types.Shape) (soa.View, error) {
	d, ok := dtypeOf(a.DataType())
	if !ok {
		return soa.View{}, fmt.Errorf("an array of %v has no numbers that can be read in place: leave it out of the batch", a.DataType())
	}
	t := types.Type{DType: d, Shape: shape}
	if err := t.Check(); err != nil {
		return soa.View{}, err
	}
	if t.Elements() == 0 {
		return soa.Make(t), nil
	}
	data := a.Data()
	mem, err := entriesOf(data, first, t.Elements(), d.Size())
	if err != nil {
		return soa.View{}, err
	}
	if over := uintptr(unsafe.Pointer(unsafe.SliceData(mem))) % uintptr(d.Size()); over != 0 {
		return soa.View{}, fmt.Errorf("its memory starts %s after a multiple of %d", diag.Count(over, "byte"), d.Size())
	}
	data.Retain()
	buffer := soa.Foreign(mem, data.Release)
	b.buffers = append(b.buffers, buffer)
	return buffer.View(t), nil
}

// addList appends the jagged columns of a list's values.
func (b *Batch) addList(name string, l array.ListLike) error {
	offsets, lo, hi, err := b.offsets(l)
	if err != nil {
		return err
	}
	inner, err := sliceOf(l.ListValues(), lo, hi)
	if err != nil {
		return err
	}
	defer inner.Release()
	values := &Batch{n: inner.Len()}
	err = values.add(name, inner)
	b.buffers, b.copied = append(b.buffers, values.buffers...), b.copied+values.copied
	for _, c := range values.columns {
		if c.Kind() != soa.Plain {
			return fmt.Errorf("its values are lists")
		}
		b.columns = append(b.columns, soa.JaggedColumn(c, soa.ViewColumn(name+".offsets", offsets)))
	}
	if err != nil {
		return fmt.Errorf("values: %w", err)
	}
	return nil
}

// offsets returns where the values of each entry start, from 0 on, and which of
// all values the list has.
func (b *Batch) offsets(l array.ListLike) (v soa.View, lo, hi int64, err error) {
	n := l.Len()
	var mem []byte
	switch size := 8; {
	case n == 0:
	case l.DataType().ID() == arrow.LIST:
		size = 4
		fallthrough
	case l.DataType().ID() == arrow.LARGE_LIST:
		if mem, err = entriesOf(l.Data(), 0, n+1, size); err != nil {
			return v, 0, 0, fmt.Errorf("offsets: %w", err)
		}
	}
	if n > 0 {
		lo, _ = l.ValueOffsets(0)
		_, hi = l.ValueOffsets(n - 1)
	}
	t := types.Of(types.I64, n+1)
	switch l := l.(type) {
	case *array.LargeList:
		if n > 0 && lo == 0 {
			data := l.Data()
			data.Retain()
			buffer := soa.Foreign(mem, data.Release)
			b.buffers = append(b.buffers, buffer)
			return buffer.View(t), lo, hi, nil
		}
	case *array.List:
	default:
		return v, 0, 0, fmt.Errorf("an array of %v has no numbers that can be read in place: leave it out of the batch", l.DataType())
	}
	v = soa.Make(t)
	to := soa.Slice[int64](v)
	for i := range n {
		_, end := l.ValueOffsets(i)
		to[i+1] = end - lo
	}
	b.copied += int64(t.Bytes())
	return v, lo, hi, nil
}

// mask returns the column that says which entries are there.
func (b *Batch) mask(name string, a arrow.Array) soa.Column {
	valid := make([]bool, a.Len())
	for i := range valid {
		valid[i] = a.IsValid(i)
	}
	b.copied += int64(len(valid))
	return soa.ColumnOf(name+".valid", slices.Clip(valid)).Const()
}
