package soa

import (
	"fmt"
	"reflect"
	"unsafe"

	"ltc/internal/diag"
)

// plan is a list of copies between the columns of an element and a Go struct.
type plan struct {
	columns, scalars []scatter
	jagged           []jagged
}

// scatter copies one component between a struct, at offset, and its column, at base.
type scatter struct {
	offset uintptr
	size   int
	base   unsafe.Pointer
}

// jagged copies a slice of a struct from or to a jagged column.
type jagged struct {
	name    string
	offset  uintptr
	element reflect.Type
	offsets unsafe.Pointer // of int64
	values  int
	parts   []scatter
}

func newPlan[T any](c *Columns) (plan, error) {
	var p plan
	t := reflect.TypeFor[T]()
	w := walker{layout: t.Name()}
	if t.Kind() != reflect.Struct {
		return p, fmt.Errorf("layout of %v: it is no struct", t)
	}
	if err := w.walk(t, enclosing{}); err != nil {
		return p, err
	}
	slices := map[string]int{} // jagged columns of elements by name, as numbers of p.jagged
	for _, f := range w.found {
		j, inSlice := slices[f.Of]
		if f.Of != "" && !inSlice {
			continue // of a block
		}
		have, err := c.locate(f.Field)
		if err != nil {
			return p, fmt.Errorf("%v: %w", t, err)
		}
		switch f.Kind {
		case Plain:
			p.columns = append(p.columns, components(f, f.offset, have)...)
		case Scalar:
			p.scalars = append(p.scalars, components(f, f.offset, have)...)
		case Offsets:
			name := f.Name[:len(f.Name)-len(offsetsSuffix)]
			slices[name] = len(p.jagged)
			p.jagged = append(p.jagged, jagged{name: c.layout.name + ": column " + name, offset: f.offset, element: f.element, offsets: have.base, values: c.Count(name)})
		case Values:
			p.jagged[j].parts = append(p.jagged[j].parts, components(f, f.within, have)...)
		}
	}
	return p, nil
}

// components returns a scatter for each component of a field at an offset of a struct. A Go
// matrix is row-major, and the columns of a matrix are column-major.
func components(f found, offset uintptr, at *part) []scatter {
	size := f.DType.Size()
	rows, cols := 1, 1
	switch len(f.Shape) {
	case 1:
		rows = f.Shape[0]
	case 2:
		rows, cols = f.Shape[0], f.Shape[1]
	}
	list := make([]scatter, 0, rows*cols)
	for r := range rows {
		for c := range cols {
			list = append(list, scatter{
				offset: offset + uintptr((r*cols+c)*size), size: size,
				base: unsafe.Add(at.base, (c*rows+r)*at.Stride*size),
			})
		}
	}
	return list
}

func (s *scatter) load(p unsafe.Pointer, i int)  { move(unsafe.Add(p, s.offset), s.at(i), s.size) }
func (s *scatter) store(p unsafe.Pointer, i int) { move(s.at(i), unsafe.Add(p, s.offset), s.size) }
func (s *scatter) at(i int) unsafe.Pointer       { return unsafe.Add(s.base, i*s.size) }

func move(dst, src unsafe.Pointer, size int) {
	switch size {
	case 1:
		*(*uint8)(dst) = *(*uint8)(src)
	case 2:
		*(*uint16)(dst) = *(*uint16)(src)
	case 4:
		*(*uint32)(dst) = *(*uint32)(src)
	case 8:
		*(*uint64)(dst) = *(*uint64)(src)
	}
}

// bounds returns the range [lo, hi) of element i's values. It panics if the offsets, which
// are unchecked data, are not within the values.
func (j *jagged) bounds(i int) (lo, hi int) {
	o := unsafe.Slice((*int64)(j.offsets), i+2)
	lo, hi = int(o[i]), int(o[i+1])
	if lo < 0 || hi < lo || hi > j.values {
		panic(fmt.Sprintf("soa: layout %s: %v", j.name, badOffsets(i, lo, hi, j.values)))
	}
	return lo, hi
}

func (j *jagged) load(p unsafe.Pointer, i int) {
	lo, hi := j.bounds(i)
	if lo == hi {
		return
	}
	s := reflect.MakeSlice(reflect.SliceOf(j.element), hi-lo, hi-lo)
	to, size := s.UnsafePointer(), int(j.element.Size())
	for k := lo; k < hi; k++ {
		for _, m := range j.parts {
			m.load(unsafe.Add(to, (k-lo)*size), k)
		}
	}
	reflect.NewAt(s.Type(), unsafe.Add(p, j.offset)).Elem().Set(s)
}

func (j *jagged) store(p unsafe.Pointer, i int) {
	lo, hi := j.bounds(i)
	s := reflect.NewAt(reflect.SliceOf(j.element), unsafe.Add(p, j.offset)).Elem()
	if s.Len() != hi-lo {
		panic(fmt.Sprintf("soa: layout %s: %s for element %d, whose length is %d: set the lengths first, with SetLengths", j.name, diag.Count(s.Len(), "value"), i, hi-lo))
	}
	from, size := s.UnsafePointer(), int(j.element.Size())
	for k := lo; k < hi; k++ {
		for _, m := range j.parts {
			m.store(unsafe.Add(from, (k-lo)*size), k)
		}
	}
}

// SetLengths writes the offsets of a jagged column: element i gets lengths[i] values. SetLengths
// returns an error if there is not one length for each element, if a length is negative, or if
// the sum of the lengths exceeds the number of values ([Count]).
func (c *Columns) SetLengths(name string, lengths []int) error {
	col := c.Col(name + offsetsSuffix)
	v, err := col.View()
	switch {
	case err != nil:
		return err
	case col.readOnly:
		return fmt.Errorf("%s: %w", col.label(), ErrReadOnly)
	case col.kind != Offsets || len(lengths) != col.count-1:
		return fmt.Errorf("%s: %s for %s", col.label(), diag.Count(len(lengths), "length"), diag.Count(col.count-1, "element"))
	}
	if err := v.onHost(); err != nil {
		return fmt.Errorf("%s: %w", col.label(), err)
	}
	total, room := 0, c.Count(name)
	for i, n := range lengths {
		if total += n; n < 0 || total > room || n > room {
			return fmt.Errorf("%s: element %d has %s, %d with those before it: there is room for %d, which the option soa.Count sets", col.label(), i, diag.Count(n, "value"), total, room)
		}
	}
	With(v, func(o []int64) {
		o[0] = 0
		for i, n := range lengths {
			o[i+1] = o[i] + int64(n)
		}
	})
	return nil
}
