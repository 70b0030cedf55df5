package emit

import (
	"github.com/llir/llvm/ir/value"

	"ltc/backends/kit/kernel"
	"ltc/backends/reference/llvm/vector"
)

// records writes a load or store for all variants.
func (b *body) records(id kernel.ID, l vector.Lanes) {
	if b.k.Instrs[id].Op == kernel.Load {
		b.vals[id] = b.loadRecords(id, l)
		return
	}
	b.storeRecords(id, l)
}

// loadRecords writes a load for all variants: where elements lie side by side along
// an axis that is written out, in pieces of each record, which are transposed.
func (b *body) loadRecords(id kernel.ID, l vector.Lanes) []vector.Value {
	vars := b.vars[b.last()]
	axis, n := b.recordOf(id)
	out := make([]vector.Value, vars)
	apart := b.inner(vars, axis)
	for first := range vars {
		if b.within(first, vars, axis) > 0 {
			continue
		}
		p, _, stride, _ := b.address(id, first, vars, l)
		for j, column := range b.loadRows(p, stride, n, l, nil) {
			out[first+j*apart] = column
		}
	}
	return out
}

// loadRows loads the first n elements of records that lie stride elements apart, as
// many as lanes, and returns each element of all. With a mask, lanes behind the given last
// one load what that does.
func (b *body) loadRows(p vector.Pointer, stride value.Value, n int, l vector.Lanes, last value.Value) []vector.Value {
	var all []vector.Value
	for _, c := range chunks(n, l.N, b.Machine.FreeMasks()) {
		from := b.at(p, b.Index(int64(c.first)))
		if c.width == 1 {
			all = append(all, b.LoadStrided(from, stride, l))
			continue
		}
		rows := b.rowsOf(from, stride, l.N)
		if l.Mask != nil {
			rows = b.rowsUpTo(last, from, stride, l.N)
		}
		some := b.some(c)
		columns := b.columnsOf(c.width, l.N, func(row int) vector.Value { return b.LoadLanes(rows[row], some) })
		all = append(all, columns[:c.n]...)
	}
	return all
}

// storeRecords writes a store for all variants as loadRecords does a load; records
// without gaps are stored in whole vectors.
func (b *body) storeRecords(id kernel.ID, l vector.Lanes) {
	i := &b.k.Instrs[id]
	vars := b.vars[b.last()]
	axis, n := b.recordOf(id)
	apart := b.inner(vars, axis)
	for first := range vars {
		if b.within(first, vars, axis) > 0 {
			continue
		}
		p, _, stride, _ := b.address(id, first, vars, l)
		columns := make([]vector.Value, n)
		for j := range columns {
			columns[j] = b.arg(i.Args[0], first+j*apart, vars, l)
		}
		dense := func(store func(vector.Pointer, vector.Value)) {
			for m, x := range b.interleaved(columns) {
				store(b.at(p, b.Index(int64(m*l.N))), x)
			}
		}
		write := func() {
			b.Either(b.equal(stride, b.Index(int64(n))), func() []value.Value {
				dense(b.Store)
				return nil
			}, func() []value.Value {
				b.storeRows(p, stride, columns, l)
				return nil
			})
		}
		if b.defers && b.streams(i.Mem) {
			b.pending = append(b.pending, pending{past: func() { dense(b.StoreStreaming) }, near: write})
			continue
		}
		write()
	}
}

// storeRows stores columns to records that lie stride elements apart.
func (b *body) storeRows(p vector.Pointer, stride value.Value, columns []vector.Value, l vector.Lanes) {
	for _, c := range chunks(len(columns), l.N, b.Machine.FreeMasks()) {
		to := b.at(p, b.Index(int64(c.first)))
		if c.width == 1 {
			b.StoreStrided(to, stride, columns[c.first], l)
			continue
		}
		list := make([]vector.Value, c.width)
		for j := range list {
			list[j] = columns[c.first+min(j, c.n-1)]
		}
		some := b.some(c)
		rows := b.rowsOf(to, stride, l.N)
		for r, x := range b.recordsOf(list) {
			b.StoreLanes(rows[r], x, some)
		}
	}
}

// some returns the lanes of a chunk.
func (b *body) some(c chunk) vector.Lanes {
	if c.n == c.width {
		return vector.Lanes{N: c.n}
	}
	return vector.Lanes{N: c.width, Mask: b.Mask(c.width, b.Index(int64(c.n)))}
}

// rowsOf returns where n records begin that lie stride elements apart: in steps of
// one and of four, which few registers hold.
func (b *body) rowsOf(p vector.Pointer, stride value.Value, n int) []vector.Pointer {
	all := make([]vector.Pointer, n)
	four := b.mul(stride, b.Index(4))
	for r := range all {
		switch {
		case r == 0:
			all[r] = p
		case r%4 == 0:
			all[r] = b.at(all[r-4], four)
		default:
			all[r] = b.at(all[r-r%4], b.mul(stride, b.Index(int64(r%4))))
		}
	}
	return all
}

// rowsUpTo returns where n records begin that lie stride elements apart; those behind a last
// one are that one.
func (b *body) rowsUpTo(last value.Value, p vector.Pointer, stride value.Value, n int) []vector.Pointer {
	all := []vector.Pointer{p}
	for r := 1; r < n; r++ {
		all = append(all, b.at(p, b.mul(stride, b.min(last, b.Index(int64(r))))))
	}
	return all
}

// squares is the layout of the records of vectors of some lanes in as many vectors as a
// record has elements. Squares of group by group elements, side by side, are transposed
// within 128 bits, then every other group is taken.
type squares struct{ width, group, lanes int }

// squaresOf returns that of vectors like x.
func squaresOf(width, lanes int, x vector.Value) squares {
	return squares{width, groupOf(width, x), lanes}
}

// row returns which record is in the given vector at the given place.
func (s squares) row(vector, place int) int {
	return vector/s.group*(s.lanes*s.group/s.width) + place*s.group + vector%s.group
}

// columnsOf returns the elements of as many records as lanes, those of a number in
// one vector. All are width, a power of two, that load returns.
func (b *body) columnsOf(width, lanes int, load func(row int) vector.Value) []vector.Value {
	rows := make([]vector.Value, lanes)
	for r := range rows {
		rows[r] = load(r)
	}
	s := squaresOf(width, lanes, rows[0])
	list := make([]vector.Value, width)
	for v := range list {
		parts := make([]vector.Value, lanes/width)
		for place := range parts {
			parts[place] = rows[s.row(v, place)]
		}
		for len(parts) > 1 {
			for i := range len(parts) / 2 {
				parts[i] = b.Concat(parts[2*i], parts[2*i+1])
			}
			parts = parts[:len(parts)/2]
		}
		list[v] = parts[0]
	}
	return transposed(b.function, list)
}

// recordsOf is the inverse of columnsOf.
func (b *body) recordsOf(columns []vector.Value) []vector.Value {
	width, lanes := len(columns), columns[0].Lanes()
	s := squaresOf(width, lanes, columns[0])
	list := b.separated(columns, s.group)
	list = b.groupsInOrder(b.withinGroups(list, s.group), s.group)
	all := make([]vector.Value, lanes)
	for v, x := range list {
		for place := range lanes / width {
			all[s.row(v, place)] = b.Slice(x, place*width, width)
		}
	}
	return all
}

// separated undoes what takes every other group.
func (f *function) separated(rows []vector.Value, group int) []vector.Value {
	n := rows[0].Lanes()
	for d := len(rows) / 2; d >= group; d /= 2 {
		next := make([]vector.Value, len(rows))
		low, high := make([]int, n), make([]int, n)
		for l := range n {
			at := l / group // half of these are from the even groups, in turn
			low[l] = at%2*n + at/2*group + l%group
			high[l] = low[l] + n/2
		}
		for r := range rows {
			if r/d%2 == 0 {
				next[r] = f.shuffle(rows[r], rows[r+d], low)
				next[r+d] = f.shuffle(rows[r], rows[r+d], high)
			}
		}
		rows = next
	}
	return rows
}

// interleaved returns the lanes of vectors in turn: the first of each, then the
// second of each.
func (f *function) interleaved(columns []vector.Value) []vector.Value {
	count, n := len(columns), columns[0].Lanes()
	if count == 1 {
		return columns
	}
	if count%2 == 0 {
		half := make([][]vector.Value, 2)
		for j, x := range columns {
			half[j%2] = append(half[j%2], x)
		}
		even, odd := f.interleaved(half[0]), f.interleaved(half[1])
		low, high := make([]int, n), make([]int, n)
		for l := range n {
			low[l] = l%2*n + l/2
			high[l] = low[l] + n/2
		}
		var out []vector.Value
		for m := range even {
			out = append(out, f.shuffle(even[m], odd[m], low), f.shuffle(even[m], odd[m], high))
		}
		return out
	}
	// Each vector takes lanes of all, one after the other.
	out := make([]vector.Value, count)
	for m := range out {
		out[m] = columns[0]
		for j := 1; j < count; j++ {
			lanes := make([]int, n)
			for l := range n {
				at := m*n + l
				switch from := at % count; {
				case from == j:
					lanes[l] = n + at/count
				case from == 0 && j == 1:
					lanes[l] = at / count
				default: // as it is, or not there yet
					lanes[l] = l
				}
			}
			out[m] = f.shuffle(out[m], columns[j], lanes)
		}
	}
	return out
}
