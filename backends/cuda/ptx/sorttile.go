package ptx

import "ltc/ir/types"

// tiling is how elements of rows lie in a block's memory: their places and their
// keys, one list behind the other, the widest elements first, so that those of each
// list are aligned however few slots there are.
type tiling struct {
	place string // where the places are
	slots string // how many there are, a word as what follows
	size  string // of a tile, a power of two: several short rows have one each
	limit string // how many of a tile's slots are in use
	at    []string
	// first is the predicate that operands are read, and not results and places that
	// the launch before has left; last that no further launch follows. None: it holds.
	first, last string
	// of returns, for a slot, with which element its row begins, its place in the row,
	// and the predicate that there is one.
	of func(slot string) (begin, place, inside string)
}

// sortTiles writes the entry that sorts what a block's memory holds: whole rows, or
// tiles of longer ones.
func (m *sorter) sortTiles(whole bool) {
	t, distance, mask := &tiling{}, "1", "1"
	if whole {
		m.wholeRows(t)
	} else {
		distance, mask = m.partsOfRows(t)
	}
	m.lists(t)
	m.fetch(t)
	m.levels(t, distance, mask, t.size)
	m.barrier()
	m.deliver(t)
}

// lists lays out places and keys.
func (m *sorter) lists(t *tiling) {
	keys := m.s.keys()
	t.at = make([]string, len(keys))
	at := m.op(word, "mov.u32", "block")
	list := func(bytes int) (begin string) {
		begin, at = at, m.sum(at, m.times(t.slots, bytes))
		return begin
	}
	for _, bytes := range []int{8, 4, 2, 1} {
		if bytes == placeBytes {
			t.place = list(bytes)
		}
		for n, key := range keys {
			if m.s.Types[key].Size() == bytes {
				t.at[n] = list(bytes)
			}
		}
	}
}

// wholeRows is the tiling of rows that fit.
func (m *sorter) wholeRows(t *tiling) {
	shift := m.narrow(m.param())
	t.slots = m.narrow(m.param())
	t.size = m.op(word, "shl.b32", "1", shift)
	t.limit = m.narrow(m.n)
	before := m.mul(m.special("%ctaid.x"), m.wide(m.op(word, "shr.u32", t.slots, shift)))
	t.of = func(slot string) (begin, place, inside string) {
		row := m.add(before, m.wide(m.op(word, "shr.u32", slot, shift)))
		place = m.op(word, "and.b32", slot, m.less1(t.size))
		inside = m.both(m.op(predicate, "setp.lt.u64", row, m.rows), m.op(predicate, "setp.lt.u32", place, t.limit))
		return m.row(row), place, inside
	}
}

// partsOfRows is the tiling of a part of a row that does not fit. It returns the
// distance, and the mask, with which exchanges begin.
func (m *sorter) partsOfRows(t *tiling) (distance, mask string) {
	p := number(int64(m.s.tile()))
	per := m.param()
	distance, mask = m.narrow(m.param()), m.narrow(m.param())
	t.first = m.op(predicate, "setp.ne.s64", m.param(), "0")
	t.last = m.op(predicate, "setp.ne.s64", m.param(), "0")
	id := m.special("%ctaid.x")
	begin := m.row(m.quotient(id, per))
	from := m.mul(m.modulo(id, per), p)
	t.slots, t.size = m.variable(word, p), p
	t.limit = m.remaining(m.n, from, int64(m.s.tile()))
	start := m.narrow(from)
	t.of = func(slot string) (string, string, string) {
		return begin, m.sum(start, slot), m.op(predicate, "setp.lt.u32", slot, t.limit)
	}
	return distance, mask
}

// narrow returns the lower half of a long.
func (m *sorter) narrow(v string) string { return m.op(word, "cvt.u32.u64", v) }

// less1 returns a word less 1.
func (m *sorter) less1(v string) string {
	if n, ok := literal(v); ok {
		return number(n - 1)
	}
	return m.op(word, "sub.u32", v, "1")
}

// slots runs body for the slots of the thread.
func (m *sorter) slots(t *tiling, body func(slot string)) {
	m.loop(m.wide(m.op(word, "mov.u32", "%tid.x")), m.wide(t.slots), m.special("%ntid.x"), func(i string) { body(m.narrow(i)) })
}

// slot is where a slot's place and keys are.
func (m *sorter) slot(t *tiling, i string) slot {
	s := slot{place: m.sum(t.place, m.times(i, placeBytes))}
	for n, key := range m.s.keys() {
		s.keys = append(s.keys, m.sum(t.at[n], m.times(i, m.s.Types[key].Size())))
	}
	return s
}

// element is the address of an element of an operand or a result.
func (m *sorter) element(base, element string, bytes int) string {
	return m.mad(element, number(int64(bytes)), base)
}

// fetch brings keys and places to the block's memory, zeros where there are none.
func (m *sorter) fetch(t *tiling) {
	var from []string
	for _, key := range m.s.keys() {
		base := m.ins[key]
		if t.first != "" {
			base = m.op(long, "selp.b64", base, m.outs[key], t.first)
		}
		from = append(from, base)
	}
	m.slots(t, func(i string) {
		begin, place, inside := t.of(i)
		e := m.mad(m.wide(place), m.apart, begin)
		to := m.slot(t, i)
		for n, key := range m.s.keys() {
			d := m.s.Types[key]
			m.move("shared", d, to.keys[n], m.raw("global", d, m.element(from[n], e, d.Size()), inside), "")
		}
		if t.first != "" {
			was := m.raw("global", types.U32, m.element(m.places, e, placeBytes), m.both(inside, m.op(predicate, "not.pred", t.first)))
			place = m.op(word, "selp.b32", place, was, t.first)
		}
		m.move("shared", types.U32, to.place, place, "")
	})
}

// levels exchanges at a distance, with a mask that says which slots meet, then at
// half of it and so on; then at twice the first one, up to half of so many, likewise.
func (m *sorter) levels(t *tiling, distance, mask, until string) {
	top, d, meets := m.variable(word, distance), m.variable(word, distance), m.variable(word, mask)
	holds := func(opcode, a, b string) string {
		p := m.fresh(predicate)
		m.line("%s %s, %s, %s", opcode, p, a, b)
		return p
	}
	again := m.label()
	m.place(again)
	m.open()
	m.barrier()
	half := m.op(word, "shr.u32", t.slots, "1")
	m.loop(m.wide(m.op(word, "mov.u32", "%tid.x")), m.wide(half), m.special("%ntid.x"), func(n string) {
		u := m.narrow(n)
		i := m.op(word, "sub.u32", m.op(word, "shl.b32", u, "1"), m.op(word, "and.b32", u, m.less1(d)))
		j := m.op(word, "xor.b32", i, meets)
		inside := m.op(predicate, "setp.lt.u32", m.op(word, "and.b32", j, m.less1(t.size)), t.limit)
		m.when(inside, func() { m.exchange("shared", m.slot(t, i), m.slot(t, j)) })
	})
	m.close()
	m.line("shr.u32 %s, %s, 1", d, d)
	m.set(word, meets, d)
	m.line("@%s bra %s", holds("setp.ne.u32", d, "0"), again)
	m.line("shl.b32 %s, %s, 1", top, top)
	m.set(word, d, top)
	m.line("shl.b32 %s, %s, 1", meets, top)
	more := holds("setp.le.u32", meets, until)
	m.line("sub.u32 %s, %s, 1", meets, meets)
	m.line("@%s bra %s", more, again)
}

// deliver brings what was sorted to the results: keys, and what was not compared, by
// the places, at last; before, the places.
func (m *sorter) deliver(t *tiling) {
	keys := m.s.keys()
	m.slots(t, func(i string) {
		begin, place, inside := t.of(i)
		m.when(inside, func() {
			e := m.mad(m.wide(place), m.apart, begin)
			from := m.slot(t, i)
			compared := map[int]bool{}
			for n, key := range keys {
				d := m.s.Types[key]
				compared[key] = true
				m.move("global", d, m.element(m.outs[key], e, d.Size()), m.raw("shared", d, from.keys[n], ""), "")
			}
			was := m.raw("shared", types.U32, from.place, "")
			m.when(t.last, func() {
				source := m.mad(m.wide(was), m.apart, begin)
				for o, d := range m.s.Types {
					if !compared[o] {
						m.move("global", d, m.element(m.outs[o], e, d.Size()), m.raw("global", d, m.element(m.ins[o], source, d.Size()), ""), "")
					}
				}
			})
			if t.last != "" {
				m.move("global", types.U32, m.element(m.places, e, placeBytes), was, m.op(predicate, "not.pred", t.last))
			}
		})
	})
}
