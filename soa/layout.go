package soa

import (
	"fmt"
	"slices"
	"strings"

	"ltc/internal/diag"
	"ltc/ir/types"
)

// layoutAlignment is the default alignment in bytes of each column of a layout: a cache line
// of GPUs, and two of CPUs.
const layoutAlignment = 128

// Kind says what a field of a layout is: a column, a scalar, or a part of a jagged column.
type Kind uint8

const (
	// Plain is a column: one value, vector or matrix for each element.
	Plain Kind = iota
	// Scalar is one value, whatever the number of elements.
	Scalar
	// Offsets says which values of a jagged column belong to which element: element i has the
	// values with the indices offsets[i] to offsets[i+1]-1.
	Offsets
	// Values is a part of a jagged column: the values of all elements, one after the other.
	Values
)

var kinds = [...]string{Plain: "column", Scalar: "scalar", Offsets: "offsets", Values: "values"}

// String returns column, scalar, offsets or values.
func (k Kind) String() string {
	if int(k) >= len(kinds) {
		return fmt.Sprintf("kind(%d)", uint8(k))
	}
	return kinds[k]
}

// offsetsSuffix ends the name of a jagged column's offsets.
const offsetsSuffix = ".offsets"

// Field is a column or a scalar of a [Layout].
type Field struct {
	Name  string
	Kind  Kind
	DType types.DType
	// Shape is the shape of one element: empty, [R] or [R,C]. Each component has a column of its
	// own; the components of a matrix are in column-major order.
	Shape types.Shape
	// The field Of is the name of a group of elements; the column has one entry for each element
	// of the group. Of is empty for the layout's own elements, and otherwise the name of a block
	// or of a jagged column. The values of jagged column J have Of = J, and there is a field
	// J.offsets.
	Of string
}

// String describes the field, as in
//
//	Pt f32
//	Cov f32[3,3]
//	Type f32 scalar
func (f Field) String() string {
	s := f.Name + " " + f.DType.String()
	if len(f.Shape) > 0 {
		s += f.Shape.String()
	}
	if f.Kind != Plain {
		s += " " + f.Kind.String()
	}
	return s
}

// components returns the number of columns that the field takes.
func (f Field) components() int { return f.Shape.Elements() }

// check returns an error if a field is invalid, whatever the other fields.
func (f Field) check(align int) error {
	switch {
	case f.Name == "":
		return fmt.Errorf("it has no name")
	case int(f.Kind) >= len(kinds):
		return fmt.Errorf("its kind is unknown: %v", f.Kind)
	case !f.DType.Valid():
		return fmt.Errorf("its dtype is %v", f.DType)
	case f.Kind == Offsets && (f.DType != types.I64 || len(f.Shape) > 0):
		return fmt.Errorf("offsets are i64, not %v%v", f.DType, f.Shape)
	case len(f.Shape) > 2:
		return fmt.Errorf("an element is a value, a vector or a matrix, not %v%v", f.DType, f.Shape)
	case align%f.DType.Size() != 0:
		return fmt.Errorf("an alignment of %s is less than an element's %d", diag.Count(align, "byte"), f.DType.Size())
	}
	const most, together = 1 << 20, 1 << 24 // a list of the latter is some hundreds of MB
	for _, d := range f.Shape {
		if d < 1 || d > most {
			return fmt.Errorf("%v%v: dimensions of an element are from 1 to %d", f.DType, f.Shape, most)
		}
	}
	if n := f.components(); n > together {
		return fmt.Errorf("%v%v: an element has %s, more than the limit of %d", f.DType, f.Shape, diag.Count(n, "component"), together)
	}
	return nil
}

// Layout says where columns and scalars are in one block of memory, for any number of elements.
// The columns are in the order of the fields, and each column starts at a multiple of the
// alignment. A Layout is immutable. [LayoutOf] makes a Layout of a Go struct.
type Layout struct {
	name    string
	align   int
	relaxed bool
	fields  []Field
	index   map[string]int
	groups  []group // sets of elements with a number; groups[0] is the layout's own
	group   []int   // by field: the index of its group
}

// group is a set of elements with a number of its own.
type group struct {
	name   string
	parent int // for a jagged column, the group whose elements have its values; else -1
}

// Option changes a layout, or the allocation of its memory.
type Option func(*options)

type options struct {
	align   int
	relaxed bool
	counts  map[string]int
	in      bool // memory is taken from buffer
	buffer  *Buffer
	offset  int
}

// Align sets the alignment of columns in bytes, a power of two. The default is 128.
func Align(n int) Option { return func(o *options) { o.align = n } }

// Relaxed allows memory that is aligned for the elements only. By default, memory that does
// not start at a multiple of the layout's alignment is an error.
func Relaxed() Option { return func(o *options) { o.relaxed = true } }

// Count sets the number of elements of a block (see [LayoutOf]), or of all values of a jagged
// column. Name is the name of the block or of the jagged column. The default is 0.
func Count(name string, n int) Option {
	return func(o *options) {
		if o.counts == nil {
			o.counts = map[string]int{}
		}
		o.counts[name] = n
	}
}

// In puts the columns into b, from byte offset on, instead of fresh memory.
func In(b *Buffer, offset int) Option {
	return func(o *options) { o.in, o.buffer, o.offset = true, b, offset }
}

func gather(opts []Option) options {
	o := options{align: layoutAlignment}
	for _, opt := range opts {
		opt(&o)
	}
	return o
}

// NewLayout returns a layout of the given fields. The options are [Align] and [Relaxed]. An
// invalid field, or two fields of one name, is an error.
func NewLayout(name string, fields []Field, opts ...Option) (*Layout, error) {
	o := gather(opts)
	l := &Layout{name: name, align: o.align, relaxed: o.relaxed, fields: slices.Clone(fields),
		index: make(map[string]int, len(fields)), groups: []group{{parent: -1}}}
	if o.align < 1 || o.align&(o.align-1) != 0 {
		return nil, fmt.Errorf("layout %s: an alignment of %s is no power of two", name, diag.Count(o.align, "byte"))
	}
	for i, f := range fields {
		if err := f.check(o.align); err != nil {
			return nil, fmt.Errorf("layout %s: column %s: %w", name, f.Name, err)
		}
		if _, ok := l.index[f.Name]; ok {
			return nil, fmt.Errorf("layout %s: there are two columns %s", name, f.Name)
		}
		l.index[f.Name] = i
		of, ok := l.findGroup(f.Of)
		if jagged, is := strings.CutSuffix(f.Name, offsetsSuffix); f.Kind == Offsets {
			if !is {
				return nil, fmt.Errorf("layout %s: column %s: offsets of column J are J%s", name, f.Name, offsetsSuffix)
			}
			if !ok { // the first column of a block
				of = len(l.groups)
				l.groups = append(l.groups, group{f.Of, -1})
			}
			if _, twice := l.findGroup(jagged); twice {
				return nil, fmt.Errorf("layout %s: there are two columns %s", name, jagged)
			}
			l.groups = append(l.groups, group{jagged, of})
		} else if !ok {
			if f.Kind == Values {
				return nil, fmt.Errorf("layout %s: column %s: there is no %s%s before it", name, f.Name, f.Of, offsetsSuffix)
			}
			of = len(l.groups)
			l.groups = append(l.groups, group{f.Of, -1})
		}
		if jagged := l.groups[of].parent >= 0; jagged != (f.Kind == Values) && f.Kind != Offsets {
			if f.Kind == Values {
				return nil, fmt.Errorf("layout %s: column %s: values must belong to a jagged column", name, f.Name)
			}
			return nil, fmt.Errorf("layout %s: column %s: a %v cannot belong to the jagged column %s", name, f.Name, f.Kind, f.Of)
		}
		l.group = append(l.group, of)
	}
	return l, nil
}

func (l *Layout) findGroup(name string) (int, bool) {
	i := slices.IndexFunc(l.groups, func(g group) bool { return g.name == name })
	return i, i >= 0
}

// Fields returns a copy of the fields, in their order in memory.
func (l *Layout) Fields() []Field { return slices.Clone(l.fields) }

// String describes the layout on one line.
func (l *Layout) String() string {
	list := make([]string, len(l.fields))
	for i, f := range l.fields {
		list[i] = f.String()
	}
	return l.name + "{" + strings.Join(list, "; ") + "}"
}
