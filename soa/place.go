package soa

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"ltc/internal/diag"
)

// Placed is a field with its place in memory.
type Placed struct {
	Field
	Count  int // number of entries of each component
	Offset int // in bytes, from the start of the memory
	Stride int // in elements, from one component's column to the next
	Bytes  int // of all components, with the padding up to the alignment
}

// Place returns the place of each field for n elements, and the total bytes. The option [Count]
// gives the number of elements of a block, or of the values of a jagged column. It is an error
// if a number of elements is negative or too large, or if the name in Count is that of no block
// or jagged column of the layout.
//
// The column of a component takes count*size bytes, rounded up to a multiple of the
// alignment. The single entry of a scalar is rounded up in the same way.
func (l *Layout) Place(n int, opts ...Option) (fields []Placed, bytes int, err error) {
	counts, err := l.counts(n, gather(opts).counts)
	if err != nil {
		return nil, 0, err
	}
	return l.place(counts)
}

// Size returns the total bytes for n elements: see [Layout.Place].
func (l *Layout) Size(n int, opts ...Option) (int, error) {
	_, bytes, err := l.Place(n, opts...)
	return bytes, err
}

// counts returns the number of elements of each group, of which more has those of [Count].
func (l *Layout) counts(n int, more map[string]int) ([]int, error) {
	if l == nil || len(l.groups) == 0 {
		return nil, fmt.Errorf("layout: the Layout is the zero value: make a layout with NewLayout or LayoutOf")
	}
	counts := make([]int, len(l.groups))
	counts[0] = n
	for _, name := range slices.Sorted(maps.Keys(more)) {
		g, ok := l.findGroup(name)
		if !ok || g == 0 {
			return nil, fmt.Errorf("layout %s: there is no block or jagged column %s: Count cannot set its number of elements", l.name, name)
		}
		counts[g] = more[name]
	}
	for g, c := range counts {
		if c < 0 {
			return nil, fmt.Errorf("layout %s: the number of elements%s is %d: it must be at least 0", l.name, of(l.groups[g].name), c)
		}
	}
	return counts, nil
}

func of(group string) string {
	if group == "" {
		return ""
	}
	return " of " + group
}

func (l *Layout) place(counts []int) ([]Placed, int, error) {
	fields, bytes := make([]Placed, len(l.fields)), 0
	for i, f := range l.fields {
		p := Placed{Field: f, Count: counts[l.group[i]], Offset: bytes}
		switch f.Kind {
		case Scalar:
			p.Count = 1
		case Offsets:
			p.Count++
		}
		size, parts := f.DType.Size(), f.components()
		if p.Count < 0 || p.Count > (math.MaxInt/4/parts-l.align)/size { // one offset more than an int counts
			return nil, 0, fmt.Errorf("layout %s: column %s: %w: it has %s", l.name, f.Name, ErrMemory, diag.Count(uint(p.Count), "entry"))
		}
		padded := (p.Count*size + l.align - 1) &^ (l.align - 1)
		p.Stride, p.Bytes = padded/size, padded*parts
		if bytes += p.Bytes; bytes > math.MaxInt/2 {
			return nil, 0, fmt.Errorf("layout %s: %w for %s", l.name, ErrMemory, diag.Count(counts[0], "element"))
		}
		fields[i] = p
	}
	return fields, bytes, nil
}
