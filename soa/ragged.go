package soa

import (
	"fmt"
	"slices"
	"unsafe"

	"ltc/internal/diag"
	"ltc/ir/types"
)

// AddRagged adds jagged columns (see [JaggedColumn]) with common offsets, in place, as two
// tensors. The first tensor has the given name, and holds the values of all elements, one after
// the other. Its shape is that of [Collection.Add], with n the number of values. The second
// tensor has the name followed by ".offsets", type i64 and shape (n+1), with n the number of
// elements.
func (c *Collection) AddRagged(name string, columns ...Column) error {
	v, offsets, err := c.jagged(name, columns)
	if err != nil {
		return err
	}
	o, _ := offsets.View()
	return c.append(
		tensor{name: name, view: v, columns: slices.Clone(columns)},
		tensor{name: name + offsetsSuffix, view: o, columns: []Column{offsets}},
	)
}

// jagged returns the values of jagged columns as one tensor, and their common offsets.
func (c *Collection) jagged(name string, columns []Column) (View, Column, error) {
	if len(columns) == 0 {
		return View{}, Column{}, fmt.Errorf("tensor %s: it has no columns", name)
	}
	offsets := columns[0].Offsets()
	for _, col := range columns {
		o := col.Offsets()
		if err := o.Err(); err != nil {
			return View{}, Column{}, fmt.Errorf("tensor %s: %w", name, err)
		}
		if o.view.base != offsets.view.base {
			return View{}, Column{}, fmt.Errorf("tensor %s: %s: its offsets are not those of %s", name, col.label(), columns[0].label())
		}
	}
	if offsets.count-1 != c.n {
		return View{}, Column{}, fmt.Errorf("tensor %s: %s: it has %s, want one more than the %s of the collection", name, columns[0].label(), diag.Count(offsets.count, "offset"), diag.Count(c.n, "element"))
	}
	v, err := tensorOf(columns[0].count, columns)
	if err != nil {
		return View{}, Column{}, fmt.Errorf("tensor %s: %w", name, err)
	}
	return v, offsets, nil
}

// JaggedColumn returns a jagged column in memory of the caller: a column with any number of
// values for each element. Values has the values of all elements, and offsets (i64) has one
// entry more than there are elements. To pass the column to [Gather], name the offsets after the
// values: if values is named J, the offsets must be named J.offsets (see [Column.Named]). For a
// field X of structs, values is named J.X and the offsets J.offsets.
func JaggedColumn(values, offsets Column) Column {
	v, err := offsets.View()
	switch {
	case values.Err() != nil:
	case values.kind != Plain:
		values.err = fmt.Errorf("%s: its kind is %v: the values of a jagged column must be a plain column", values.label(), values.kind)
	case err != nil:
		values.err = err
	case v.Type.DType != types.I64 || v.Type.Rank() != 1 || offsets.count < 1:
		values.err = fmt.Errorf("%s: its type is %v: offsets must be a column of i64, with at least one entry", offsets.label(), v.Type)
	case !v.IsDense():
		values.err = fmt.Errorf("%s: its strides are %v: offsets must be dense", offsets.label(), v.Strides)
	default:
		offsets.kind, values.kind, values.offsets = Offsets, Values, &offsets
	}
	return values
}

// padded is a jagged tensor that is copied to a rectangle.
type padded struct {
	most         int
	values       View // of tensorOf
	offsets      Column
	columns      []Column
	to, mask     View
	parts        []piece
	count, inner int
}

// piece is the column of values of one component.
type piece struct {
	base   unsafe.Pointer
	stride int // bytes
}

// AddPadded copies jagged columns (see [JaggedColumn]) with common offsets to a rectangle, and
// adds the rectangle as two tensors. The first tensor has the given name and the shape (n, most,
// …), with room for as many values of each element as the argument `most` says. The dimensions after
// `most` are those that [Collection.Add] puts after n. The second tensor has the name followed by ".mask", is
// of type bool and shape (n, most), and says which values exist. Missing values are 0, and
// values beyond `most` are dropped. The collection owns the memory of both tensors. The values are
// copied by AddPadded and by [Collection.Refresh], and [Collection.Copied] counts the bytes.
func (c *Collection) AddPadded(name string, most int, columns ...Column) error {
	v, offsets, err := c.jagged(name, columns)
	if err != nil {
		return err
	}
	for _, col := range append(slices.Clone(columns), offsets) {
		if err := col.view.onHost(); err != nil {
			return fmt.Errorf("tensor %s: %s: %w", name, col.label(), err)
		}
	}
	t := types.Type{DType: v.Type.DType, Shape: append(types.Shape{c.n, most}, v.Type.Shape[1:]...)}
	if err := t.Check(); err != nil {
		return fmt.Errorf("tensor %s: %w", name, err)
	}
	mask := types.Of(types.Bool, c.n, most) // larger than the values if these are empty vectors
	for _, t := range []types.Type{t, mask} {
		if err := Fits(t.Bytes()); err != nil {
			return fmt.Errorf("tensor %s: %w", name, err)
		}
	}
	p := &padded{most: most, values: v, offsets: offsets, columns: slices.Clone(columns), count: v.Type.Shape[0], to: Make(t), mask: Make(mask)}
	p.parts = pieces(v)
	p.inner = len(p.parts)
	if err := p.check(); err != nil {
		return fmt.Errorf("tensor %s: %w", name, err)
	}
	copied, err := p.fill()
	if err != nil {
		return fmt.Errorf("tensor %s: %w", name, err)
	}
	if err := c.append(tensor{name: name, view: p.to}, tensor{name: name + ".mask", view: p.mask}); err != nil {
		return err
	}
	c.padded, c.copied = append(c.padded, p), c.copied+copied
	return nil
}

// pieces returns the components of an element in row-major order.
func pieces(v View) []piece {
	if v.Type.Rank() == 1 {
		if v.Type.Elements() == 0 {
			return nil
		}
		return []piece{{v.base, v.Strides[0] * v.Type.DType.Size()}}
	}
	var all []piece
	for i := range v.Type.Shape[1] {
		all = append(all, pieces(v.index(1, i))...)
	}
	return all
}

// Refresh copies the values of all padded tensors again. Refresh returns an error if the memory
// was released, or if an offset is less than the one before it or beyond the values. After an
// error no tensor has changed.
func (c *Collection) Refresh() error {
	for _, p := range c.padded {
		if err := p.check(); err != nil {
			return err
		}
	}
	for _, p := range c.padded {
		n, err := p.fill()
		if err != nil {
			return err
		}
		c.copied += n
	}
	return nil
}

// Copied returns the number of bytes that the collection has copied so far. The number is 0 if
// the collection has no padded tensors.
func (c *Collection) Copied() int64 { return c.copied }

// check returns an error if p cannot be filled: its memory was released, or its offsets are
// wrong.
func (p *padded) check() error {
	for _, col := range p.columns {
		if err := col.Err(); err != nil {
			return err
		}
	}
	o, err := p.offsets.View()
	if err != nil {
		return err
	}
	defer KeepAlive(o)
	offsets := elements[int64](o)
	for i := range len(offsets) - 1 {
		if _, _, err := p.bounds(offsets, i); err != nil {
			return err
		}
	}
	return nil
}

// bounds returns the range [lo, hi) of element i's values; an error if it is not valid.
func (p *padded) bounds(offsets []int64, i int) (lo, hi int, err error) {
	lo, hi = int(offsets[i]), int(offsets[i+1])
	if lo < 0 || hi < lo || hi > p.count {
		err = fmt.Errorf("%s: %w", p.columns[0].label(), badOffsets(i, lo, hi, p.count))
	}
	return lo, hi, err
}

// fill copies the values and returns the number of bytes. It checks the offsets again, since
// another goroutine or process may have written them after [padded.check].
func (p *padded) fill() (int64, error) {
	o := p.offsets.view
	Zero(p.to)
	size, copied := p.to.Type.DType.Size(), int64(0)
	mask := elements[bool](p.mask)
	for i, offsets := 0, elements[int64](o); i+1 < len(offsets); i++ {
		lo, hi, err := p.bounds(offsets, i)
		if err != nil {
			return copied, err
		}
		n := min(hi-lo, p.most)
		for k := range p.most {
			mask[i*p.most+k] = k < n
		}
		for k := range n {
			to := unsafe.Add(p.to.base, (i*p.most+k)*p.inner*size)
			for j := range p.parts {
				from := &p.parts[j]
				move(unsafe.Add(to, j*size), unsafe.Add(from.base, (lo+k)*from.stride), size)
			}
		}
		copied += int64(n * p.inner * size)
	}
	KeepAlive(o)
	KeepAlive(p.values)
	return copied, nil
}
