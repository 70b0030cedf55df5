package sorts

import (
	"ltc/backends/cuda/ptx/internal/asm"
	"ltc/ir/types"
)

// tiling is the layout of elements of rows in a block's memory: their places and their
// keys, one list behind the other. The widest elements come first, so that those of each
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
	m.Barrier()
	m.deliver(t)
}

// lists lays out places and keys.
func (m *sorter) lists(t *tiling) {
	keys := m.s.keys()
	t.at = make([]string, len(keys))
	at := m.Op(asm.Word, "mov.u32", "block")
	list := func(bytes int) (begin string) {
		begin, at = at, m.Sum(at, m.Times(t.slots, bytes))
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
	shift := m.narrow(m.Param())
	t.slots = m.narrow(m.Param())
	t.size = m.Op(asm.Word, "shl.b32", "1", shift)
	t.limit = m.narrow(m.n)
	before := m.Mul(m.Special("%ctaid.x"), m.Wide(m.Op(asm.Word, "shr.u32", t.slots, shift)))
	t.of = func(slot string) (begin, place, inside string) {
		row := m.Add(before, m.Wide(m.Op(asm.Word, "shr.u32", slot, shift)))
		place = m.Op(asm.Word, "and.b32", slot, m.less1(t.size))
		inside = m.Both(m.Op(asm.Predicate, "setp.lt.u64", row, m.rows), m.Op(asm.Predicate, "setp.lt.u32", place, t.limit))
		return m.row(row), place, inside
	}
}

// partsOfRows is the tiling of a part of a row that does not fit. It returns the
// distance, and the mask, with which exchanges begin.
func (m *sorter) partsOfRows(t *tiling) (distance, mask string) {
	p := asm.Number(int64(m.s.tile()))
	per := m.Param()
	distance, mask = m.narrow(m.Param()), m.narrow(m.Param())
	t.first = m.Op(asm.Predicate, "setp.ne.s64", m.Param(), "0")
	t.last = m.Op(asm.Predicate, "setp.ne.s64", m.Param(), "0")
	id := m.Special("%ctaid.x")
	begin := m.row(m.Quotient(id, per))
	from := m.Mul(m.Modulo(id, per), p)
	t.slots, t.size = m.Variable(asm.Word, p), p
	t.limit = m.Remaining(m.n, from, int64(m.s.tile()))
	start := m.narrow(from)
	t.of = func(slot string) (string, string, string) {
		return begin, m.Sum(start, slot), m.Op(asm.Predicate, "setp.lt.u32", slot, t.limit)
	}
	return distance, mask
}

// narrow returns the lower half of a long.
func (m *sorter) narrow(v string) string { return m.Op(asm.Word, "cvt.u32.u64", v) }

// less1 returns a word less 1.
func (m *sorter) less1(v string) string {
	if n, ok := asm.Literal(v); ok {
		return asm.Number(n - 1)
	}
	return m.Op(asm.Word, "sub.u32", v, "1")
}

// slots runs body for the slots of the thread.
func (m *sorter) slots(t *tiling, body func(slot string)) {
	m.Loop(m.Wide(m.Op(asm.Word, "mov.u32", "%tid.x")), m.Wide(t.slots), m.Special("%ntid.x"), func(i string) { body(m.narrow(i)) })
}

// slot is where a slot's place and keys are.
func (m *sorter) slot(t *tiling, i string) slot {
	s := slot{place: m.Sum(t.place, m.Times(i, placeBytes))}
	for n, key := range m.s.keys() {
		s.keys = append(s.keys, m.Sum(t.at[n], m.Times(i, m.s.Types[key].Size())))
	}
	return s
}

// element is the address of an element of an operand or a result.
func (m *sorter) element(base, element string, bytes int) string {
	return m.Mad(element, asm.Number(int64(bytes)), base)
}

// fetch brings keys and places to the block's memory, zeros where there are none.
func (m *sorter) fetch(t *tiling) {
	var from []string
	for _, key := range m.s.keys() {
		base := m.ins[key]
		if t.first != "" {
			base = m.Op(asm.Long, "selp.b64", base, m.outs[key], t.first)
		}
		from = append(from, base)
	}
	m.slots(t, func(i string) {
		begin, place, inside := t.of(i)
		e := m.Mad(m.Wide(place), m.apart, begin)
		to := m.slot(t, i)
		for n, key := range m.s.keys() {
			d := m.s.Types[key]
			m.move("shared", d, to.keys[n], m.raw("global", d, m.element(from[n], e, d.Size()), inside), "")
		}
		if t.first != "" {
			was := m.raw("global", types.U32, m.element(m.places, e, placeBytes), m.Both(inside, m.Op(asm.Predicate, "not.pred", t.first)))
			place = m.Op(asm.Word, "selp.b32", place, was, t.first)
		}
		m.move("shared", types.U32, to.place, place, "")
	})
}

// levels exchanges at a distance, with a mask that says which slots meet, then at
// half of it and so on; then at twice the first one, up to half of so many, likewise.
func (m *sorter) levels(t *tiling, distance, mask, until string) {
	top, d, meets := m.Variable(asm.Word, distance), m.Variable(asm.Word, distance), m.Variable(asm.Word, mask)
	holds := func(opcode, a, b string) string {
		p := m.Fresh(asm.Predicate)
		m.Line("%s %s, %s, %s", opcode, p, a, b)
		return p
	}
	again := m.Label()
	m.Place(again)
	m.Open()
	m.Barrier()
	half := m.Op(asm.Word, "shr.u32", t.slots, "1")
	m.Loop(m.Wide(m.Op(asm.Word, "mov.u32", "%tid.x")), m.Wide(half), m.Special("%ntid.x"), func(n string) {
		u := m.narrow(n)
		i := m.Op(asm.Word, "sub.u32", m.Op(asm.Word, "shl.b32", u, "1"), m.Op(asm.Word, "and.b32", u, m.less1(d)))
		j := m.Op(asm.Word, "xor.b32", i, meets)
		inside := m.Op(asm.Predicate, "setp.lt.u32", m.Op(asm.Word, "and.b32", j, m.less1(t.size)), t.limit)
		m.When(inside, func() { m.exchange("shared", m.slot(t, i), m.slot(t, j)) })
	})
	m.Close()
	m.Line("shr.u32 %s, %s, 1", d, d)
	m.Set(asm.Word, meets, d)
	m.Line("@%s bra %s", holds("setp.ne.u32", d, "0"), again)
	m.Line("shl.b32 %s, %s, 1", top, top)
	m.Set(asm.Word, d, top)
	m.Line("shl.b32 %s, %s, 1", meets, top)
	more := holds("setp.le.u32", meets, until)
	m.Line("sub.u32 %s, %s, 1", meets, meets)
	m.Line("@%s bra %s", more, again)
}

// deliver brings what was sorted to the results: keys, and what was not compared, by
// the places, at last; before, the places.
func (m *sorter) deliver(t *tiling) {
	keys := m.s.keys()
	m.slots(t, func(i string) {
		begin, place, inside := t.of(i)
		m.When(inside, func() {
			e := m.Mad(m.Wide(place), m.apart, begin)
			from := m.slot(t, i)
			compared := map[int]bool{}
			for n, key := range keys {
				d := m.s.Types[key]
				compared[key] = true
				m.move("global", d, m.element(m.outs[key], e, d.Size()), m.raw("shared", d, from.keys[n], ""), "")
			}
			was := m.raw("shared", types.U32, from.place, "")
			m.When(t.last, func() {
				source := m.Mad(m.Wide(was), m.apart, begin)
				for o, d := range m.s.Types {
					if !compared[o] {
						m.move("global", d, m.element(m.outs[o], e, d.Size()), m.raw("global", d, m.element(m.ins[o], source, d.Size()), ""), "")
					}
				}
			})
			if t.last != "" {
				m.move("global", types.U32, m.element(m.places, e, placeBytes), was, m.Op(asm.Predicate, "not.pred", t.last))
			}
		})
	})
}
