package main

import (
	"fmt"
	"strings"

	"ltc/soa"
)

// even returns which of the columns are plain, from one to before another, if they
// lie at equal distances in a block of the layout: they are of one size, and nothing
// is between them.
func (s *structure) even() (from, to int, ok bool) {
	from = -1
	for i, c := range s.columns {
		switch {
		case c.block || c.Kind != soa.Plain:
			continue
		case from < 0:
			from, to = i, i
		case to != i || c.DType.Size() != s.columns[from].DType.Size():
			return 0, 0, false
		}
		to++
	}
	return from, to, from >= 0
}

// entries writes the types of all elements taken once, if there can be any.
func (s *structure) entries(w *writer) {
	from, to, ok := s.even()
	if !ok {
		return
	}
	w.f(entryTypes, s.name, s.columns[from].DType.Size())
	before := 0 // components
	for _, c := range s.columns[from:to] {
		c.entry(w, s.name, before)
		before += max(c.components(), 1)
	}
}

// entryTypes are those types, without the methods of columns.
const entryTypes = `
// %[1]sEntries are the elements of a %[1]sView, taken once for a loop that reads and
// writes many: see soa.Entries.
type %[1]sEntries struct{ %[1]sConstEntries }

// %[1]sConstEntries are %[1]sEntries to be read only.
type %[1]sConstEntries struct {
	first   unsafe.Pointer
	step, n int
	columns *soa.Columns
}

// %[1]sEntry is one of %[1]sEntries.
type %[1]sEntry struct{ %[1]sConstEntry }

// %[1]sConstEntry is one of %[1]sConstEntries.
type %[1]sConstEntry struct {
	at   unsafe.Pointer
	step int
}

// Entries returns all elements. It panics when the memory was released or is off the
// Go heap, and when columns do not lie at equal distances in one block.
func (v *%[1]sView) Entries() %[1]sEntries { return %[1]sEntries{v.%[1]sConstView.Entries()} }

// Entries returns all elements. It panics when the memory was released or is off the
// Go heap, and when columns do not lie at equal distances in one block.
func (v *%[1]sConstView) Entries() %[1]sConstEntries {
	first, step, n := v.even.All(v.columns, &v.extent)
	return %[1]sConstEntries{first, step, n, v.columns}
}

// Len returns the number of elements.
func (e %[1]sConstEntries) Len() int { return e.n }

// At returns element i. It panics when there is none.
func (e %[1]sEntries) At(i int) %[1]sEntry {
	if uint(i) >= uint(e.n) {
		panic(soa.NoElement{Columns: e.columns, Index: i})
	}
	return %[1]sEntry{%[1]sConstEntry{unsafe.Add(e.first, i*%[2]d), e.step}}
}

// At returns element i. It panics when there is none.
func (e %[1]sConstEntries) At(i int) %[1]sConstEntry {
	if uint(i) >= uint(e.n) {
		panic(soa.NoElement{Columns: e.columns, Index: i})
	}
	return %[1]sConstEntry{unsafe.Add(e.first, i*%[2]d), e.step}
}
`

// entry writes the methods of a column, which so many components come before.
func (c *column) entry(w *writer, name string, before int) {
	var params, checks []string
	for i, p := range []string{"r", "c"}[:len(c.Shape)] {
		params = append(params, p+" int")
		checks = append(checks, fmt.Sprintf("_ = [%d]struct{}{}[%s]\n", c.Shape[i], p))
	}
	index := []string{"", "+r", fmt.Sprintf("+c*%d+r", append(c.Shape, 0)[0])}[len(c.Shape)]
	at := fmt.Sprintf("%s*(*%s)(unsafe.Add(e.at, e.step*(%d%s)))", strings.Join(checks, ""), c.goType, before, index)
	read := strings.Replace(at, "*(*", "return *(*", 1)
	w.f("\n// %[1]s returns %[2]s.\nfunc (e %[3]sConstEntry) %[1]s(%[4]s) %[5]s {\n%[6]s\n}\n", c.method, c.says(), name, strings.Join(params, ", "), c.goType, read)
	w.f("\n// Set%[1]s sets %[2]s.\nfunc (e %[3]sEntry) Set%[1]s(%[4]s) {\n%[5]s = x\n}\n", c.method, c.says(), name, strings.Join(append(params, "x "+c.goType), ", "), at)
}
