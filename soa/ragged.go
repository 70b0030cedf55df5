package soa

import (
	"fmt"
	"slices"
	"unsafe"

	"ltc/internal/diag"
	"ltc/ir/types"
)

// AddRagged adds jagged columns of one set of offsets in place, as two tensors. The tensor
// name has the values of all elements, one after the other, shaped as [Collection.Add] does
// with their number for n. The tensor name.offsets is (n+1) of i64.
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

// jagged returns the values of jagged columns as one tensor, and their offsets.
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

// JaggedColumn returns a jagged column of a column of all values and one of
// offsets (i64, one more than there are elements): as a layout has it, of any
// memory. For [Gather] those of values J are named J.offsets: see [Column.Named].
func JaggedColumn(values, offsets Column) Column {
	v, err := offsets.View()
	switch {
	case values.Err() != nil:
	case values.kind != Plain:
		values.err = fmt.Errorf("%s: it is %v, but the values of a jagged column are a column", values.label(), values.kind)
	case err != nil:
		values.err = err
	case v.Type.DType != types.I64 || v.Type.Rank() != 1 || offsets.count < 1:
		values.err = fmt.Errorf("%s: %v is not offsets, which are i64", offsets.label(), v.Type)
	case !v.IsDense():
		values.err = fmt.Errorf("%s: offsets with strides %v", offsets.label(), v.Strides)
	default:
		offsets.kind, values.kind, values.offsets = Offsets, Values, &offsets
	}
	return values
}

// padded is a jagged tensor that is copied to a rectangle.
type padded struct {
	most         int
	values       View // as tensorOf gives it
	offsets      Column
	columns      []Column
	to, mask     View
	parts        []piece
	count, inner int
}

// piece is a component's column of values.
type piece struct {
	base   unsafe.Pointer
	stride int // bytes
}

// AddPadded adds jagged columns of one set of offsets as a rectangle, as two tensors. The
// tensor name has the shape of [Collection.Add] with most values for each element, (n,
// most, …). The tensor name.mask, (n, most) of bool, says which values are there. The rest
// is 0; values beyond most are left out. The collection owns this memory: values are copied
// now and by [Collection.Refresh], and counted by [Collection.Copied].
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
	mask := types.Of(types.Bool, c.n, most) // which is larger where values are vectors of length 0
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

// Refresh copies the values of all padded tensors anew. It reports an error
// when their memory was released, or offsets do not rise or leave the values: then
// all are as they were.
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

// Copied returns how many bytes the collection has copied: 0 without padded
// tensors.
func (c *Collection) Copied() int64 { return c.copied }

// check reports what keeps p from being filled.
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

// bounds returns which values are element i's.
func (p *padded) bounds(offsets []int64, i int) (lo, hi int, err error) {
	lo, hi = int(offsets[i]), int(offsets[i+1])
	if lo < 0 || hi < lo || hi > p.count {
		err = fmt.Errorf("%s: element %d has values %d to %d of %d", p.columns[0].label(), i, lo, hi, p.count)
	}
	return lo, hi, err
}

// fill returns the bytes that were copied. Offsets are looked at once more: somebody
// else may write them since [padded.check].
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
