// Package viewtest tests that executables read and write views where they lie:
// columns, tables of them, gaps, repeated and reversed elements. Its central
// function is [Run].
//
// The package imports only ltc/backends, ltc/internal/trials, ltc/soa, ltc/ir/types,
// ltc/internal/diag and testify.
package viewtest

import (
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/ir/types"
	"ltc/soa"
)

// gap is what memory between elements holds.
const gap = -77

// lie makes a view of f32s from how far apart neighbours are along each
// dimension. One dimension may be of a table: then its stride is 0, and table is
// the order of its columns in memory, one of another's length apart.
type lie struct {
	shape   []int
	strides []int
	axis    int   // of the table
	table   []int // nil: none
	skip    int   // elements before the first, so that memory is aligned to no more than one
}

// made is a view with all memory around its elements.
type made struct {
	soa.View
	mem []float32
	// there is, of a view of a device's memory, what mem is a copy of.
	there soa.View
}

// fetch returns all memory around the elements as it is.
func (m *made) fetch(t testing.TB) []float32 {
	t.Helper()
	if !m.there.IsZero() {
		here, err := soa.Borrow(m.mem, m.there.Type)
		require.NoError(t, err)
		require.NoError(t, soa.Copy(here, m.there))
	}
	return m.mem
}

// on returns the memory of a backend's device; nil if its is the host's.
func on(b backends.Backend) backends.Allocator { return b.Capabilities().Allocator }

// dense returns a dense copy of a view.
func dense(t testing.TB, d backends.Allocator, v soa.View) soa.View {
	t.Helper()
	here := soa.Make(v.Type)
	require.NoError(t, soa.Copy(here, v))
	if d == nil {
		return here
	}
	w, err := d.Make(v.Type)
	require.NoError(t, err)
	require.NoError(t, soa.Copy(w, here))
	return w
}

// make returns the view, with elements from -2 on up to 2, or gaps: of a device's
// memory, unless d is nil.
func (l lie) make(t testing.TB, d backends.Allocator, empty bool) made {
	t.Helper()
	shape, strides := l.shape, l.strides
	if l.table != nil {
		shape = append(append([]int{}, shape[:l.axis]...), shape[l.axis+1:]...)
		strides = append(append([]int{}, strides[:l.axis]...), strides[l.axis+1:]...)
	}
	low, high := 0, 0
	for d, n := range shape {
		reach := max(n-1, 0) * strides[d]
		low, high = low+min(reach, 0), high+max(reach, 0)
	}
	each := high - low + 1 + 3
	columns := max(len(l.table), 1)
	m := made{mem: make([]float32, each*columns+l.skip)}
	for i := range m.mem {
		m.mem[i] = gap
	}
	typ := types.Of(types.F32, shape...)
	if d != nil {
		here, err := soa.Borrow(m.mem, types.Of(types.F32, len(m.mem)))
		require.NoError(t, err)
		m.there = dense(t, d, here)
	}
	column := func(i int) soa.View {
		at := l.skip + i*each - low
		if d == nil {
			v, err := soa.Strided(m.mem, typ, at, strides)
			require.NoError(t, err)
			return v
		}
		v, err := m.there.Restride(types.Of(types.F32), at, nil)
		require.NoError(t, err)
		v.Type, v.Strides = typ, strides // which may be negative
		return v
	}
	if l.table == nil {
		m.View = column(0)
	} else {
		var all []soa.View
		for _, i := range l.table {
			all = append(all, column(i))
		}
		v, err := soa.NewTable(l.axis, all...)
		require.NoError(t, err)
		m.View = v
	}
	if !empty {
		values := soa.Make(m.Type)
		for i, all := 0, soa.Slice[float32](values); i < len(all); i++ {
			all[i] = float32(i*7%33)/8 - 2
		}
		require.NoError(t, soa.Copy(m.View, values))
	}
	return m
}

// gaps returns how many elements of memory are none of the view's.
func (m *made) gaps(t testing.TB) int {
	n := 0
	for _, x := range m.fetch(t) {
		if x == gap {
			n++
		}
	}
	return n
}

// Strided returns views of one shape with the given strides, filled.
func Strided(t testing.TB, strides [][]int, shape ...int) []soa.View {
	var all []soa.View
	for _, s := range strides {
		all = append(all, lie{shape: shape, strides: s}.make(t, nil, false).View)
	}
	return all
}

// Floats returns the elements of a view of f32s.
func Floats(v soa.View) []float32 {
	d := soa.Make(v.Type)
	if err := soa.Copy(d, v); err != nil {
		panic(err)
	}
	return soa.Slice[float32](d)
}
