package soa

import (
	"cmp"
	"fmt"
	"reflect"

	"ltc/ir/types"
	"ltc/soa/internal/tag"
)

// LayoutOf returns the layout of struct type T: a column for each exported
// field, in their order.
//
//	Pt   float32            // a column; also bool, integers of fixed size, types.Float16, …
//	P    [3]float32         // a vector column: 3 columns, one after the other
//	Cov  [3][3]float64      // a matrix column: 9 columns, Cov[0][0], Cov[1][0], …
//	Pos  struct{ X, Y T }   // columns Pos.X and Pos.Y
//	Hits []float32          // jagged: columns Hits.offsets and Hits
//	Jets []Jet              // jagged: columns Jets.offsets, Jets.Pt, …
//
// The tag `soa:"name"` gives a field another name, and `soa:"-"` leaves it out. Further
// words of a tag follow a comma. `soa:",scalar"` makes the field one value for all elements. A struct with
// `soa:",block"` is a block: its columns have another number of elements than the layout. [Count]
// gives that number to functions that allocate memory, such as [Layout.New]. The fields of an embedded struct are fields of T. The options of
// LayoutOf are [Align] and [Relaxed]. A struct without columns is an error.
func LayoutOf[T any](opts ...Option) (*Layout, error) {
	t := reflect.TypeFor[T]()
	w := walker{layout: cmp.Or(t.Name(), "struct")}
	if t.Kind() != reflect.Struct {
		return nil, fmt.Errorf("layout of %v: it is no struct", t)
	}
	if err := w.walk(t, enclosing{}); err != nil {
		return nil, err
	}
	if len(w.found) == 0 {
		return nil, fmt.Errorf("layout %s: it has no columns: the struct has no exported fields", w.layout)
	}
	fields := make([]Field, len(w.found))
	for i, f := range w.found {
		fields[i] = f.Field
	}
	return NewLayout(w.layout, fields, opts...)
}

// found is a field of a layout and its offset in the Go struct.
type found struct {
	Field
	offset  uintptr      // of the field in the struct; for Values, of the slice
	within  uintptr      // for Values, the offset in an element of the slice
	element reflect.Type // for Values, the type of the slice's elements
}

// walker collects the fields of a struct.
type walker struct {
	layout string
	found  []found
}

// enclosing is the context of a struct's fields: the prefix of their names, their group and
// the struct's offset.
type enclosing struct {
	prefix, of string
	kind       Kind
	offset     uintptr
	within     uintptr
	element    reflect.Type
}

func (w *walker) walk(t reflect.Type, at enclosing) error {
	for i := range t.NumField() {
		f := t.Field(i)
		name, rest, err := tag.Parse(f.Tag)
		if err != nil {
			return fmt.Errorf("layout %s: column %s: %w", w.layout, at.prefix+f.Name, err)
		}
		if name == "-" || !f.IsExported() && !f.Anonymous {
			continue
		}
		if name == "" {
			name = f.Name
		}
		in := at
		if in.element != nil {
			in.within += f.Offset
		} else {
			in.offset += f.Offset
		}
		if err := w.field(f, in, at.prefix+name, rest); err != nil {
			return err
		}
	}
	return nil
}

func (w *walker) field(f reflect.StructField, at enclosing, name, option string) error {
	fail := func(format string, args ...any) error {
		return fmt.Errorf("layout %s: column %s: %s", w.layout, name, fmt.Sprintf(format, args...))
	}
	isStruct := f.Type.Kind() == reflect.Struct
	switch option {
	case "":
	case "scalar":
		if isStruct || f.Type.Kind() == reflect.Slice || at.kind == Values {
			return fail("a %v cannot be a scalar here", f.Type)
		}
		at.kind = Scalar
	case "block":
		if !isStruct {
			return fail("a block must be a struct, not %v", f.Type)
		}
		if at.of != "" {
			return fail("a block cannot be inside another block or a jagged column")
		}
		// The elements of a block are not those of the layout.
		return w.walk(f.Type, enclosing{prefix: name + ".", of: name, offset: at.offset})
	default:
		return fail("option %q is unknown: the options are scalar and block", option)
	}
	switch {
	case isStruct && f.Anonymous:
		return w.walk(f.Type, at)
	case isStruct:
		at.prefix = name + "."
		return w.walk(f.Type, at)
	case f.Type.Kind() == reflect.Slice:
		if at.kind == Values {
			return fail("a jagged column cannot be inside another jagged column")
		}
		w.found = append(w.found, found{Field: Field{Name: name + offsetsSuffix, Kind: Offsets, DType: types.I64, Of: at.of}, offset: at.offset, element: f.Type.Elem()})
		at = enclosing{prefix: name + ".", of: name, kind: Values, offset: at.offset, element: f.Type.Elem()}
		if at.element.Kind() == reflect.Struct {
			return w.walk(at.element, at)
		}
		return w.value(at.element, at, name, fail)
	}
	return w.value(f.Type, at, name, fail)
}

// value adds a field of type t: a value, a vector or a matrix.
func (w *walker) value(t reflect.Type, at enclosing, name string, fail func(string, ...any) error) error {
	var shape types.Shape
	elem := t
	for elem.Kind() == reflect.Array {
		shape = append(shape, elem.Len())
		elem = elem.Elem()
	}
	d, ok := dtypeOf(elem)
	switch {
	case elem.Kind() == reflect.Int || elem.Kind() == reflect.Uint:
		return fail("%v has no fixed size: use %v32 or %v64", t, elem.Kind(), elem.Kind())
	case !ok:
		return fail("no dtype holds %v", t)
	}
	w.found = append(w.found, found{
		Field:  Field{Name: name, Kind: at.kind, DType: d, Shape: shape, Of: at.of},
		offset: at.offset, within: at.within, element: at.element,
	})
	return nil
}

// dtypeOf returns the dtype that a Go type holds; see [Slice].
func dtypeOf(t reflect.Type) (types.DType, bool) {
	switch t {
	case reflect.TypeFor[types.Float16]():
		return types.F16, true
	case reflect.TypeFor[types.BFloat16]():
		return types.BF16, true
	case reflect.TypeFor[types.Float8E4M3FN]():
		return types.F8E4M3FN, true
	case reflect.TypeFor[types.Float8E5M2]():
		return types.F8E5M2, true
	}
	d := goKinds[t.Kind()]
	return d, d.Valid()
}

// goKinds are the dtypes of Go's basic types, by kind. It is an array since [Slice] reads it
// on hot paths.
var goKinds = [reflect.UnsafePointer + 1]types.DType{
	reflect.Bool: types.Bool, reflect.Uint8: types.U8, reflect.Uint16: types.U16, reflect.Uint32: types.U32, reflect.Uint64: types.U64,
	reflect.Int8: types.I8, reflect.Int16: types.I16, reflect.Int32: types.I32, reflect.Int64: types.I64,
	reflect.Float32: types.F32, reflect.Float64: types.F64, reflect.Complex64: types.C64, reflect.Complex128: types.C128,
}
