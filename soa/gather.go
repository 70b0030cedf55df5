package soa

import (
	"fmt"
	"slices"
	"strings"

	"ltc/internal/diag"
)

// Named returns the same column under another name.
func (c Column) Named(name string) Column {
	c.name = name
	return c
}

// Gather returns columns of any memory, such as the arrays of a file, as columns of one layout,
// in place. All columns must have the same number of elements, and the entries of each component
// must be adjacent. The offsets of a jagged column ([JaggedColumn]) become a column
// of the result, too. The offsets of a column J, or of field X of a jagged column of structs
// (named J.X), must have the name J.offsets: see [Column.Named]. The result is read-only if one of the columns is read-only.
func Gather(name string, columns ...Column) (*Columns, error) {
	if len(columns) == 0 {
		return nil, fmt.Errorf("layout %s: there is nothing to gather", name)
	}
	g, n := &Columns{}, -1
	fail := func(c Column, format string, args ...any) error {
		if err := c.Err(); err != nil { // which names the column
			return fmt.Errorf("layout %s: %w", name, err)
		}
		return fmt.Errorf("layout %s: %s: %w", name, c.label(), fmt.Errorf(format, args...))
	}
	for i, c := range columns {
		if c.kind == Offsets {
			return nil, fail(c, "offsets come with the values")
		}
		of := ""
		if c.offsets != nil {
			var ok bool
			if of, ok = strings.CutSuffix(c.offsets.name, offsetsSuffix); !ok || c.name != of && !strings.HasPrefix(c.name, of+".") {
				return nil, fail(c, "its offsets are named %s, not %s: see Column.Named", c.offsets.name, root(c.name)+offsetsSuffix)
			}
			known := slices.IndexFunc(g.parts, func(p part) bool { return p.Name == c.offsets.name })
			if known < 0 {
				p, err := c.offsets.part("")
				if err != nil {
					return nil, fail(*c.offsets, "%w", err)
				}
				g.parts = append(g.parts, p)
			} else if g.parts[known].base != c.offsets.view.base {
				return nil, fail(c, "its offsets are not those of other columns of %s", of)
			}
		}
		p, err := c.part(of)
		if err != nil {
			return nil, fail(c, "%w", err)
		}
		count := c.count
		if c.offsets != nil {
			count = c.offsets.count - 1
		}
		if c.kind != Scalar {
			if n < 0 {
				n = count
			}
			if n != count {
				return nil, fail(c, "it has %s, and columns before it %d", diag.Count(count, "element"), n)
			}
		}
		if c.kind == Values {
			for _, other := range columns[:i] {
				if other.offsets != nil && other.offsets.view.base == c.offsets.view.base && other.count != c.count {
					return nil, fail(c, "it has %s, and %s %d", diag.Count(c.count, "value"), other.name, other.count)
				}
			}
		}
		g.readOnly = g.readOnly || c.readOnly
		g.parts = append(g.parts, p)
	}
	const largest = 8 // bytes of an element: nothing is known of how columns lie
	return g.finish(name, largest, max(n, 0))
}

// root returns J for a column named J or J.X.
func root(name string) string {
	j, _, _ := strings.Cut(name, ".")
	return j
}

// part returns the column as part of a layout.
func (c Column) part(of string) (part, error) {
	v, err := c.View()
	if err != nil {
		return part{}, err
	}
	size := v.Type.DType.Size()
	p := part{base: v.base, bounds: v.bounds, buffer: c.buffer, Placed: Placed{
		Field: Field{Name: c.name, Kind: c.kind, DType: v.Type.DType, Of: of},
		Count: c.count, Bytes: v.Type.Bytes(),
	}}
	inner := v.Type.Shape
	strides := v.Strides
	if c.kind != Scalar {
		if c.count > 1 && strides[0] != 1 {
			return part{}, fmt.Errorf("its elements are not adjacent: their strides are %v", strides)
		}
		inner, strides = inner[1:], strides[1:]
	} else {
		p.Count = 1
	}
	p.Shape = slices.Clone(inner)
	p.Stride = max(p.Count, 1)
	for i, d := range inner {
		if d > 1 { // dimensions before it have no neighbours
			p.Stride = strides[i]
			break
		}
	}
	for i, want := range columnMajor(inner, p.Stride) {
		if inner[i] > 1 && strides[i] != want || p.Stride < 1 {
			return part{}, fmt.Errorf("its components are not stored column by column: their strides are %v", v.Strides)
		}
	}
	if p.buffer == nil {
		if p.buffer = v.hold; p.buffer == nil {
			p.buffer = &Buffer{}
		}
	}
	if uintptr(v.base)%uintptr(size) != 0 && v.Type.Elements() > 0 {
		return part{}, fmt.Errorf("its memory does not start at a multiple of %s: copy its bytes to a buffer of New", diag.Count(size, "byte"))
	}
	return p, nil
}
