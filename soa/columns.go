package soa

import (
	"errors"
	"fmt"
	"strings"
	"text/tabwriter"
	"unsafe"

	"ltc/internal/diag"
	"ltc/ir/types"
)

// Columns holds the columns and scalars of a layout in memory. A Columns borrows the memory from
// buffers and keeps the memory alive. The number of elements does not change.
type Columns struct {
	layout   *Layout
	counts   []int // by group of the layout
	parts    []part
	bytes    int // of the block of memory; 0 if there are several
	base     unsafe.Pointer
	extent   *Extent
	readOnly bool
	err      error // if it is set there are no columns
}

// part is a field in memory.
type part struct {
	Placed
	base   unsafe.Pointer
	bounds bounds
	buffer *Buffer
}

// New returns the layout's columns for n elements, in a zeroed block of Go memory or in the
// buffer of [In]. The option [Count] gives the number of elements of a block, or of the values
// of a jagged column. Memory that is too small, misaligned or released is an error. It is also
// an error if a number of elements is negative or too large, or if the name in Count is that of
// no block or jagged column of the layout. Errors name the layout and the column.
func (l *Layout) New(n int, opts ...Option) (*Columns, error) {
	o := gather(opts)
	counts, err := l.counts(n, o.counts)
	if err != nil {
		return nil, err
	}
	placed, bytes, err := l.place(counts)
	if err != nil {
		return nil, err
	}
	if !o.in {
		if err := Fits(bytes + l.align); err != nil {
			return nil, fmt.Errorf("layout %s: %w", l.name, err)
		}
		o.buffer, o.offset = NewAligned(bytes, l.align), 0
	}
	c := &Columns{layout: l, counts: counts, bytes: bytes, parts: make([]part, len(placed))}
	b := o.buffer
	switch {
	case b == nil:
		return nil, fmt.Errorf("layout %s: the buffer of In is nil", l.name)
	case b.Released():
		return nil, fmt.Errorf("layout %s: %w", l.name, ErrReleased)
	case b.remote != nil:
		return nil, fmt.Errorf("layout %s: the buffer is memory of %v: make views of it with RemoteAt, and columns of the views with Gather", l.name, b.remote)
	case o.offset < 0 || o.offset > len(b.mem):
		return nil, fmt.Errorf("layout %s: byte %d is not in a buffer of %d", l.name, o.offset, len(b.mem))
	}
	mem := b.mem[o.offset:]
	c.base = unsafe.Pointer(unsafe.SliceData(mem))
	c.readOnly = b.readOnly
	for i, p := range placed {
		if p.Offset+p.Bytes > len(mem) {
			return nil, fmt.Errorf("layout %s: column %s: it ends at byte %d of %d for %s, but the memory has %s",
				l.name, p.Name, p.Offset+p.Bytes, bytes, diag.Count(n, "element"), diag.Count(len(mem), "byte"))
		}
		at := unsafe.Pointer(unsafe.SliceData(mem[p.Offset:]))
		want := l.align
		if l.relaxed {
			want = p.DType.Size()
		}
		if over := uintptr(at) & uintptr(want-1); over != 0 && p.Bytes > 0 {
			return nil, fmt.Errorf("layout %s: column %s: its memory starts %s after a multiple of %d: %s", l.name, p.Name, diag.Count(over, "byte"), want, l.alignmentHint())
		}
		c.parts[i] = part{Placed: p, base: at, bounds: bounds{o.offset + p.Offset, len(mem) - p.Offset}, buffer: b}
	}
	c.extent = new(Extent)
	c.extent.follow(c)
	return c, nil
}

// alignmentHint is the advice in the error of misaligned memory.
func (l *Layout) alignmentHint() string {
	if l.relaxed {
		return "copy its bytes to a buffer of New"
	}
	return "start it there (NewAligned), or give the layout the option Relaxed"
}

// errNone is the error of nil and zero Columns, and of zero Records.
var errNone = errors.New("the columns are the zero value: make columns with Of or Layout.New")

// Err returns the reason if there are no columns: see [Of]. For nil and zero Columns there is a
// reason, too. Columns with an error have no elements, and functions that use them return the
// error.
func (c *Columns) Err() error {
	if c == nil || c.layout == nil {
		return errNone
	}
	return c.err
}

// Layout returns the layout of the columns; an empty Layout if there are no columns.
func (c *Columns) Layout() *Layout {
	if c == nil || c.layout == nil {
		return &Layout{}
	}
	return c.layout
}

// Len returns the number of elements.
func (c *Columns) Len() int {
	if c.Err() != nil {
		return 0
	}
	return c.counts[0]
}

// Count returns the number of elements of a block (see [LayoutOf]), or of all values of a jagged
// column. Name is the name of the block or of the jagged column. Count returns 0 if no block or
// jagged column has the name.
func (c *Columns) Count(name string) int {
	if c.Err() != nil {
		return 0
	}
	if g, ok := c.layout.findGroup(name); ok {
		return c.counts[g]
	}
	return 0
}

// Bytes returns the size of the block of memory; 0 for columns in several blocks, such as those
// of [Join].
func (c *Columns) Bytes() int {
	if c == nil {
		return 0
	}
	return c.bytes
}

// Base returns the address of the block of memory; nil for columns in several blocks. The
// columns keep their memory alive, and an address does not: see [runtime.KeepAlive].
func (c *Columns) Base() unsafe.Pointer {
	if c == nil {
		return nil
	}
	return c.base
}

// ReadOnly reports whether the columns must not be written.
func (c *Columns) ReadOnly() bool { return c != nil && c.readOnly }

// Const returns the columns as read-only. The functions [As] and
// [Elements], the accessors of generated code, [Columns.SetLengths] and [Collection.Writable]
// refuse read-only columns where they would write. The memory itself is not protected: writes through c, and through the views of columns ([Column.View]), are still
// possible.
func (c *Columns) Const() *Columns {
	if c == nil {
		return nil
	}
	r := *c
	r.readOnly = true
	return &r
}

// check returns an error if there are no columns, or their memory was released.
func (c *Columns) check() error {
	if err := c.Err(); err != nil {
		return err
	}
	for i, p := range c.parts {
		if (i == 0 || p.buffer != c.parts[i-1].buffer) && p.buffer.Released() {
			return fmt.Errorf("layout %s: column %s: %w", c.layout.name, p.Name, ErrReleased)
		}
	}
	return nil
}

// Col returns the column or scalar with the given name. If no column or scalar has the name, the
// result holds an error: see [Column].
func (c *Columns) Col(name string) Column {
	if err := c.Err(); err != nil {
		if err == errNone {
			err = fmt.Errorf("column %s: %w", name, err)
		}
		return Column{name: name, err: err}
	}
	i, ok := c.layout.index[name]
	if !ok {
		return Column{name: name, err: fmt.Errorf("layout %s: there is no column %s: there are %s", c.layout.name, name, strings.Join(c.names(), ", "))}
	}
	p := c.parts[i]
	col := Column{layout: c.layout.name, name: name, kind: p.Kind, count: p.Count, readOnly: c.readOnly, buffer: p.buffer}
	col.view = p.view()
	if p.Kind == Values {
		offsets := c.Col(p.Of + offsetsSuffix)
		col.offsets = &offsets
	}
	if p.buffer.Released() {
		col.err = fmt.Errorf("layout %s: column %s: %w", c.layout.name, name, ErrReleased)
	}
	return col
}

func (c *Columns) names() []string {
	names := make([]string, len(c.layout.fields))
	for i, f := range c.layout.fields {
		names[i] = f.Name
	}
	return names
}

// locate returns field f in memory. It is an error if there is none of that name, type and
// kind, or the memory is remote.
func (c *Columns) locate(f Field) (*part, error) {
	if err := c.Err(); err != nil {
		return nil, err
	}
	i, ok := c.layout.index[f.Name]
	if !ok {
		return nil, c.errorf("there is no column %s: there are %s", f.Name, strings.Join(c.names(), ", "))
	}
	p := &c.parts[i]
	if err := p.view().onHost(); err != nil {
		return nil, c.errorf("column %s: %w", f.Name, err)
	}
	if p.DType != f.DType || !p.Shape.Equal(f.Shape) || p.Kind != f.Kind || p.Of != f.Of {
		return nil, c.errorf("column %s is %v, not %v", f.Name, p.Field, f)
	}
	return p, nil
}

func (c *Columns) errorf(format string, args ...any) error {
	return fmt.Errorf("layout %s: %w", c.layout.name, fmt.Errorf(format, args...))
}

// view returns a field as a tensor: its shape is the number of entries and the shape of an
// element; for a scalar only the latter.
func (p *part) view() View {
	v := View{Type: types.Type{DType: p.DType}, base: p.base, bounds: p.bounds}
	if p.Kind != Scalar {
		v.Type.Shape, v.Strides = types.Shape{p.Count}, []int{1}
	}
	v.Type.Shape = append(v.Type.Shape, p.Shape...)
	v.Strides = append(v.Strides, columnMajor(p.Shape, p.Stride)...)
	if p.buffer.off {
		v.hold = p.buffer
	}
	return v
}

// columnMajor returns the strides of an element's components in column-major order: stride
// is the distance between neighbours in a column of a matrix.
func columnMajor(shape types.Shape, stride int) []int {
	strides := make([]int, len(shape))
	for i, d := range shape {
		strides[i] = stride
		stride *= d
	}
	return strides
}

// Block returns the columns whose names start with name and a dot, under their names without
// that prefix. Such columns are the fields of a nested struct, of a block (see [LayoutOf]), or of
// a jagged column of structs.
func (c *Columns) Block(name string) (*Columns, error) {
	if err := c.Err(); err != nil {
		return nil, err
	}
	var fields []Field
	b := &Columns{readOnly: c.readOnly}
	n, own := -1, 0
	for i, p := range c.parts {
		rest, ok := strings.CutPrefix(p.Name, name+".")
		if !ok || p.Kind == Offsets && p.Name == name+offsetsSuffix {
			continue
		}
		if g := c.layout.group[i]; n < 0 {
			n, own = c.counts[g], g
		}
		p.Name, p.Of = rest, strings.TrimPrefix(strings.TrimPrefix(p.Of, name), ".")
		if p.Kind == Values && c.layout.group[i] == own {
			p.Kind = Plain
		} else if c.layout.group[i] == own {
			p.Of = ""
		}
		p.Placed.Field.Name = rest
		fields, b.parts = append(fields, p.Field), append(b.parts, p)
	}
	if fields == nil {
		return nil, fmt.Errorf("layout %s: there are no columns %s.…: there are %s", c.layout.name, name, strings.Join(c.names(), ", "))
	}
	return b.finish(c.layout.name+"."+name, c.layout.align, n)
}

// finish sets the layout and the counts of columns whose parts are in memory already.
func (c *Columns) finish(name string, align, n int) (*Columns, error) {
	fields := make([]Field, len(c.parts))
	for i, p := range c.parts {
		fields[i] = p.Field
	}
	l, err := NewLayout(name, fields, Align(align))
	if err != nil {
		return nil, err
	}
	c.layout, c.counts = l, make([]int, len(l.groups))
	c.counts[0] = n
	for i, p := range c.parts {
		if p.Kind == Plain || p.Kind == Values {
			c.counts[l.group[i]] = p.Count
		}
	}
	c.extent = new(Extent)
	c.extent.follow(c)
	return c, nil
}

// Join returns the columns of all parts, in place, as columns of one layout. The parts must
// have the same number of elements and no column name in common.
func Join(name string, parts ...*Columns) (*Columns, error) {
	if len(parts) == 0 {
		return nil, fmt.Errorf("layout %s: there is nothing to join", name)
	}
	j, align := &Columns{}, layoutAlignment
	for i, c := range parts {
		if c == nil {
			return nil, fmt.Errorf("layout %s: columns %d are nil", name, i)
		}
		if err := c.check(); err != nil {
			return nil, fmt.Errorf("join: %w", err)
		}
		if c.Len() != parts[0].Len() {
			return nil, fmt.Errorf("layout %s: %s of %s, but %d of %s: joined columns have one number of elements", name, diag.Count(c.Len(), "element"), c.layout.name, parts[0].Len(), parts[0].layout.name)
		}
		align = min(align, c.layout.align)
		j.readOnly = j.readOnly || c.readOnly
		j.parts = append(j.parts, c.parts...)
	}
	return j.finish(name, align, parts[0].Len())
}

// String lists the columns and scalars, one a line, with offset, bytes and stride.
func (c *Columns) String() string {
	if err := c.Err(); err != nil {
		return err.Error()
	}
	var s strings.Builder
	rule := "enforced"
	if c.layout.relaxed {
		rule = "relaxed"
	}
	fmt.Fprintf(&s, "%s: %s, aligned to %s (%s)", c.layout.name, diag.Count(c.Len(), "element"), diag.Count(c.layout.align, "byte"), rule)
	if c.base != nil {
		fmt.Fprintf(&s, ", %s", diag.Count(c.bytes, "byte"))
	}
	if c.readOnly {
		s.WriteString(", read only")
	}
	s.WriteByte('\n')
	w := tabwriter.NewWriter(&s, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "offset\tbytes\tstride\t\x00column")
	for _, p := range c.parts {
		fmt.Fprintf(w, "%d\t%d\t%d\t\x00%v\n", p.Offset, p.Bytes, p.Stride, p.Field)
	}
	w.Flush()
	return strings.ReplaceAll(s.String(), "\x00", "  ")
}
