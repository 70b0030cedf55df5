package soa

import (
	"cmp"
	"fmt"
	"slices"

	"ltc/ir/types"
)

// Writable returns an error if a run cannot write the collection while it reads inputs,
// which may be nil. The reasons are a read-only column, memory that two indices or two
// columns share, and memory that an input shares. The error names the layout and the
// column.
func (c *Collection) Writable(inputs *Collection) error {
	var all []segment
	for i := range c.tensors {
		t := &c.tensors[i]
		for _, col := range t.columns {
			if col.readOnly {
				return fmt.Errorf("output %s: %s: %w", t.name, col.label(), ErrReadOnly)
			}
		}
		if t.view.Overlaps() {
			return fmt.Errorf("output %s: %s: its elements share memory: give each element memory of its own", t.name, t.label(0))
		}
		all = t.segments(all, true)
	}
	if inputs != nil {
		for i := range inputs.tensors {
			all = inputs.tensors[i].segments(all, false)
		}
	}
	slices.SortStableFunc(all, func(a, b segment) int { return cmp.Compare(a.lo, b.lo) })
	var found sweep
	for i := range all {
		a := &all[i]
		switch b := found.add(a); {
		case b == nil:
		case b.output:
			return b.sharing(a)
		default:
			return a.sharing(b)
		}
	}
	return nil
}

// sharing is the error of output a, which shares memory with b.
func (a *segment) sharing(b *segment) error {
	what := "output"
	if !b.output {
		what = "input"
	}
	return fmt.Errorf("output %s: %s: its memory is also that of %s %s, %s",
		a.tensor.name, a.tensor.label(a.column), what, b.tensor.name, b.tensor.label(b.column))
}

// label names column i in errors.
func (t *tensor) label(i int) string {
	if len(t.columns) == 0 {
		return "tensor " + t.name
	}
	return t.columns[min(i, len(t.columns)-1)].label()
}

// segment is a range of memory with elements at equal distances: each has size bytes, and they
// are stride bytes apart.
type segment struct {
	lo, hi       uintptr // the addresses [lo, hi)
	stride, size uintptr // in bytes; size is that of all adjacent components of an element
	tensor       *tensor
	column       int
	output       bool
}

// meets reports whether two segments share a byte. For segments with different strides it
// reports whether their ranges overlap.
func (a *segment) meets(b *segment) bool {
	if a.hi <= b.lo || b.hi <= a.lo {
		return false
	}
	if a.stride != b.stride || a.stride == 0 {
		return true
	}
	d := max(a.lo, b.lo) - min(a.lo, b.lo)
	first, second := a, b
	if b.lo < a.lo {
		first, second = b, a
	}
	d %= a.stride
	return d < first.size || a.stride-d < second.size
}

// Meets reports whether an element of v and an element of w are in the same memory: see
// [types.Window]. Both views must have passed [View.Check].
func (v *View) Meets(w *View) bool {
	if v.Remote() != w.Remote() {
		return false
	}
	a, b := v.window(), w.window()
	for from := range v.starts {
		for to := range w.starts {
			if a.Meets(b, int(to-from)) {
				return true
			}
		}
	}
	return false
}

// starts calls yield with the address of the first element, or of that of each column of a table.
func (v *View) starts(yield func(at uintptr) bool) {
	if v.Table == nil {
		yield(uintptr(v.base))
		return
	}
	for _, base := range v.Table {
		if !yield(uintptr(base)) {
			return
		}
	}
}

// window returns the places of v, or of one column of v's table.
func (v *View) window() types.Window {
	w := types.Window{Sizes: v.Type.Shape, Strides: v.Strides, Without: -1, Bytes: v.Type.DType.Size()}
	if v.Table != nil {
		w.Without = v.TableAxis
	}
	return w
}

// segments appends the segments of a tensor, which go along the elements. There is one for
// each component, or for the components of a row if they are adjacent.
func (t *tensor) segments(all []segment, output bool) []segment {
	if t.view.Type.Elements() == 0 {
		return all
	}
	v, size := t.view, t.view.Type.DType.Size()
	first := 1 // the dimension that counts columns is kept, since errors name the column
	if len(t.columns) > 1 {
		first = 2
	}
	for last := v.Type.Rank() - 1; v.Table == nil && last >= first; last-- {
		d := v.Type.Shape[last]
		if d > 1 && v.Strides[last]*v.Type.DType.Size() != size {
			break
		}
		v.Type.Shape, v.Strides, size = v.Type.Shape[:last], v.Strides[:last], d*size
	}
	return t.viewSegments(all, v, size, -1, output)
}

func (t *tensor) viewSegments(all []segment, v View, size, column int, output bool) []segment {
	if v.Type.Rank() > 1 {
		for i := range v.Type.Shape[1] {
			at := column
			if at < 0 {
				at = i
			}
			all = t.viewSegments(all, v.index(1, i), size, at, output)
		}
		return all
	}
	r := segment{lo: uintptr(v.base), size: uintptr(size), tensor: t, column: max(column, 0), output: output}
	r.hi = r.lo + r.size
	if v.Type.Rank() == 1 {
		of := v.Type.DType.Size()
		if reach := (v.Type.Shape[0] - 1) * v.Strides[0] * of; reach < 0 {
			r.lo -= uintptr(-reach)
		} else {
			r.hi += uintptr(reach)
		}
		r.stride = uintptr(max(v.Strides[0], -v.Strides[0]) * of)
	}
	return append(all, r)
}

// Acquire keeps the memory of all tensors until [Collection.Done]: buffers that are released in
// between are freed only in Done. Acquire returns an error, which names the layout and the
// column, if a buffer was released before. Any goroutine may call Acquire. It does not allocate.
func (c *Collection) Acquire() error {
	for i, u := range c.uses {
		if !u.buffer.acquire() {
			for _, before := range c.uses[:i] {
				before.buffer.done()
			}
			return fmt.Errorf("tensor %s: %s: %w", u.tensor, u.label, ErrReleased)
		}
	}
	return nil
}

// Done undoes one successful [Collection.Acquire].
func (c *Collection) Done() {
	for _, u := range c.uses {
		u.buffer.done()
	}
}

// use is a buffer of a collection, and the first column in it.
type use struct {
	buffer        *Buffer
	tensor, label string
}

// using appends the buffers of a tensor that are not in uses.
func (t *tensor) using(uses []use) []use {
	for _, col := range t.columns {
		if col.buffer != nil && !slices.ContainsFunc(uses, func(u use) bool { return u.buffer == col.buffer }) {
			uses = append(uses, use{col.buffer, t.name, col.label()})
		}
	}
	return uses
}
