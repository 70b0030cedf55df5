package sorts

import (
	"ltc/backends/cuda/ptx/internal/asm"
	"ltc/ir/types"
)

// The first few elements of rows, by bitonic selection (Shanbhag, Pirk and Madden 2018).
// Runs of as many elements as are kept are sorted, in a block's memory. Then of each two
// runs one exchange with the mirror image takes the lesser half, and exchanges at half the
// distance and so on sort it, until a tile has one run. No element moves farther than that,
// and most take part in few exchanges. The next launch selects among the elements that
// tiles have kept, by their places, until one tile holds them.
//
// As in a sort, what is behind the end of a row is left out of exchanges: of two runs
// the second is not full, or the first one is the last.

// leastTile is how many elements a tile has at least where rows are long, and
// enoughTiles how many of them keep a device busy: tiles are no larger then than that
// takes. What is selected does not depend on it.
const (
	leastTile   = 1024
	enoughTiles = 264
)

// runs is how long runs are: a power of two.
func (s *Sort) runs() int64 { return int64(max(asm.NextPower(int(s.Keep)), 2)) }

// topTile is how many elements a tile has of rows of n.
func (s *Sort) topTile(n, rows int64) int64 {
	p := int64(s.tile())
	if n <= p {
		return int64(max(asm.NextPower(int(n)), 2))
	}
	for p > max(leastTile, 4*s.runs()) && rows*asm.Ceil(n, p) < enoughTiles {
		p /= 2
	}
	return p
}

// kept is how many elements tiles of p keep together of a row of n.
func (s *Sort) kept(n, p int64) int64 {
	all := asm.Ceil(n, p) - 1
	return all*s.runs() + min(s.runs(), n-all*p)
}

// topPlaces is Places where few elements are kept.
func (s *Sort) topPlaces(n, rows int64) []int64 {
	p := s.topTile(n, rows)
	if n <= p || rows == 0 {
		return nil
	}
	places := s.kept(n, p)
	return []int64{rows * places, rows * s.kept(places, s.topTile(places, rows))}
}

// topLaunches is Launches where few elements are kept.
func (s *Sort) topLaunches(n, apart, rows int64) []Launch {
	if rows == 0 {
		return []Launch{{Sizes: make([]int64, 8)}}
	}
	var all []Launch
	whole := len(s.topPlaces(n, rows)) == 0
	for count := n; ; {
		p := s.topTile(count, rows)
		per, next := asm.Ceil(count, p), s.kept(count, p)
		slots := p
		if per == 1 {
			slots *= min(max(1, fewSlots/p), rows)
		}
		l := asm.Launch{Variant: tilesOfRows, Grid: [3]int{int(asm.Ceil(rows, slots/p) * per), 1, 1}, Shared: int(slots) * s.slotBytes()}
		l.Block = [3]int{int(min(int64(s.threads()), asm.RoundUp(asm.Ceil(slots, 2), 32))), 1, 1}
		sizes := []int64{n, apart, rows, s.Keep, int64(asm.Log2(int(s.runs()))), count, int64(asm.Log2(int(p))), slots}
		if whole {
			l.Variant = wholeRows
			return []Launch{{l, sizes}}
		}
		// The list that places are read from, and that they go to; -1: places are those
		// of operands, and elements go to the results.
		from, to := int64(len(all)-1), int64(len(all))
		if per == 1 {
			to = -1
		}
		all = append(all, Launch{l, append(sizes, per, next, from, to)})
		if per == 1 {
			return all
		}
		count = next
	}
}

// top is what an entry that selects is given, beside what a sort is.
type top struct {
	keep     string // elements of a result's row
	shift    string // the logarithm of how long a run is, a word
	run      string // how long one is, a word
	count    string // of what is selected, of a row
	size     string // the logarithm of a tile's, a word
	next     string // how many places tiles hand on of a row
	from, to string // lists of places
	// first and last are predicates; none: they hold.
	first, last string
	row         string // the block's first row
	part        string // the tile's number in its row
	begin       string // its first element
}

// topTiles writes the entry that selects in tiles: of whole rows, or of parts of longer
// ones and of what these have kept.
func (m *sorter) topTiles(whole bool) {
	other := ""
	if !whole {
		other = m.Param()
	}
	m.rowSizes()
	t, p := &tiling{}, &top{keep: m.Param(), shift: m.narrow(m.Param()), count: m.Param(), size: m.narrow(m.Param())}
	t.slots = m.narrow(m.Param())
	t.size = m.Op(asm.Word, "shl.b32", "1", p.size)
	p.run = m.Op(asm.Word, "shl.b32", "1", p.shift)
	block := m.Special("%ctaid.x")
	p.row, p.begin = block, "0"
	if !whole {
		per := m.Param()
		p.next = m.Param()
		m.listsOf(p, other)
		p.row, p.part = m.Quotient(block, per), m.Modulo(block, per)
		p.begin = m.Mul(p.part, m.Wide(t.size))
	}
	p.row = m.Mul(p.row, m.Wide(m.Op(asm.Word, "shr.u32", t.slots, p.size)))
	t.limit = m.narrow(m.Op(asm.Long, "min.s64", m.Wide(t.size), m.Op(asm.Long, "sub.s64", p.count, p.begin)))
	m.lists(t)
	m.fetchTop(t, p)
	m.levels(t, "1", "1", p.run)
	m.halve(t, p)
	m.deliverTop(t, p)
}

// listsOf finds out which list of places is read and which is written.
func (m *sorter) listsOf(p *top, other string) {
	from, to := m.Param(), m.Param()
	list := func(n string) string {
		odd := m.Op(asm.Predicate, "setp.ne.s64", m.Op(asm.Long, "and.b64", n, "1"), "0")
		return m.Op(asm.Long, "selp.b64", other, m.places, odd)
	}
	p.first, p.last = m.Op(asm.Predicate, "setp.lt.s64", from, "0"), m.Op(asm.Predicate, "setp.lt.s64", to, "0")
	p.from, p.to = list(from), list(to)
}

// fetchTop brings keys and places to the block's memory, zeros where there are none.
func (m *sorter) fetchTop(t *tiling, p *top) {
	m.slots(t, func(i string) {
		row := m.Add(p.row, m.Wide(m.Op(asm.Word, "shr.u32", i, p.size)))
		at := m.Op(asm.Word, "and.b32", i, m.less1(t.size))
		inside := m.Both(m.Op(asm.Predicate, "setp.lt.u64", row, m.rows), m.Op(asm.Predicate, "setp.lt.u32", at, t.limit))
		candidate := m.Add(m.Wide(at), p.begin)
		place := m.narrow(candidate)
		if p.first != "" {
			was := m.raw("global", types.U32, m.element(p.from, m.Mad(row, p.count, candidate), placeBytes), m.Both(inside, m.Op(asm.Predicate, "not.pred", p.first)))
			place = m.Op(asm.Word, "selp.b32", place, was, p.first)
		}
		e := m.Mad(m.Wide(place), m.apart, m.row(row))
		to := m.slot(t, i)
		for n, key := range m.s.keys() {
			d := m.s.Types[key]
			m.move("shared", d, to.keys[n], m.raw("global", d, m.element(m.ins[key], e, d.Size()), inside), "")
		}
		m.move("shared", types.U32, to.place, place, "")
	})
}

// halve makes one run of those of a tile: of two that are next to each other, it keeps
// the lesser half in the place of the first.
func (m *sorter) halve(t *tiling, p *top) {
	apart, shift := m.Variable(asm.Word, p.run), m.Variable(asm.Word, p.shift) // of runs, and its logarithm
	m.While(func() string { return m.Op(asm.Predicate, "setp.lt.u32", apart, t.size) }, func() {
		pairs := m.Op(asm.Word, "shr.u32", t.slots, m.Sum(shift, "1"))
		twice := m.Op(asm.Word, "shl.b32", apart, "1")
		m.Barrier()
		m.meet(t, m.Op(asm.Word, "shl.b32", pairs, p.shift), func(n string) (i, j string) {
			u := m.Op(asm.Word, "and.b32", n, m.less1(p.run))
			begin := m.Op(asm.Word, "mul.lo.u32", m.Op(asm.Word, "shr.u32", n, p.shift), twice)
			mirror := m.Op(asm.Word, "sub.u32", m.less1(p.run), u)
			return m.Sum(begin, u), m.Sum(m.Sum(begin, apart), mirror)
		})
		half := m.Op(asm.Word, "shr.u32", p.run, "1")
		d := m.Variable(asm.Word, half)
		m.While(func() string { return m.Op(asm.Predicate, "setp.ne.u32", d, "0") }, func() {
			m.Barrier()
			m.meet(t, m.Op(asm.Word, "shl.b32", pairs, m.Op(asm.Word, "sub.u32", p.shift, "1")), func(n string) (i, j string) {
				u := m.Op(asm.Word, "and.b32", n, m.less1(half))
				begin := m.Op(asm.Word, "mul.lo.u32", m.Op(asm.Word, "shr.u32", n, m.Op(asm.Word, "sub.u32", p.shift, "1")), twice)
				low := m.Op(asm.Word, "and.b32", u, m.less1(d))
				i = m.Sum(begin, m.Op(asm.Word, "sub.u32", m.Op(asm.Word, "shl.b32", u, "1"), low))
				return i, m.Sum(i, d)
			})
			m.Line("shr.u32 %s, %s, 1", d, d)
		})
		m.Set(asm.Word, apart, twice)
		m.Line("add.u32 %s, %s, 1", shift, shift)
	})
	m.Barrier()
}

// meet exchanges so many pairs of slots, but those whose second is behind the end.
func (m *sorter) meet(t *tiling, pairs string, of func(n string) (i, j string)) {
	m.Loop(m.Wide(m.Op(asm.Word, "mov.u32", "%tid.x")), m.Wide(pairs), m.Special("%ntid.x"), func(n string) {
		i, j := of(m.narrow(n))
		inside := m.Op(asm.Predicate, "setp.lt.u32", m.Op(asm.Word, "and.b32", j, m.less1(t.size)), t.limit)
		m.When(inside, func() { m.exchange("shared", m.slot(t, i), m.slot(t, j)) })
	})
}

// deliverTop brings the first run of each tile to the results, what was not compared by
// the places; before the last launch, its places to the list of them.
func (m *sorter) deliverTop(t *tiling, p *top) {
	all := m.Op(asm.Word, "shl.b32", m.Op(asm.Word, "shr.u32", t.slots, p.size), p.shift)
	m.Loop(m.Wide(m.Op(asm.Word, "mov.u32", "%tid.x")), m.Wide(all), m.Special("%ntid.x"), func(n string) {
		e := m.narrow(n)
		tile, at := m.Op(asm.Word, "shr.u32", e, p.shift), m.Op(asm.Word, "and.b32", e, m.less1(p.run))
		row := m.Add(p.row, m.Wide(tile))
		inside := m.Both(m.Op(asm.Predicate, "setp.lt.u64", row, m.rows), m.Op(asm.Predicate, "setp.lt.u32", at, t.limit))
		m.When(inside, func() {
			from := m.slot(t, m.Sum(m.Op(asm.Word, "shl.b32", tile, p.size), at))
			place := m.raw("shared", types.U32, from.place, "")
			kept := m.Op(asm.Predicate, "setp.lt.s64", m.Wide(at), p.keep)
			m.When(m.Both(kept, p.last), func() { m.keepTop(row, at, place, p, from) })
			if p.last != "" {
				to := m.Mad(row, p.next, m.Add(m.Wide(m.Op(asm.Word, "shl.b32", m.narrow(p.part), p.shift)), m.Wide(at)))
				m.move("global", types.U32, m.element(p.to, to, placeBytes), place, m.Op(asm.Predicate, "not.pred", p.last))
			}
		})
	})
}

// keepTop stores an element of all results.
func (m *sorter) keepTop(row, at, place string, p *top, from slot) {
	to := m.Mad(m.Wide(at), m.apart, m.rowOf(row, p.keep))
	source := m.Mad(m.Wide(place), m.apart, m.row(row))
	compared := map[int]string{}
	for n, key := range m.s.keys() {
		compared[key] = from.keys[n]
	}
	for o, d := range m.s.Types {
		space, address := "global", m.element(m.ins[o], source, d.Size())
		if key, ok := compared[o]; ok {
			space, address = "shared", key
		}
		m.move("global", d, m.element(m.outs[o], to, d.Size()), m.raw(space, d, address, ""), "")
	}
}
