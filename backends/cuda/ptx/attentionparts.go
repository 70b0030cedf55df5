package ptx

import (
	"math"

	"ltc/ir/types"
)

// Attention in parts, for few queries of many keys: each block goes through a part of
// the keys, and leaves what it has seen in memory: of each query and part, the sums of
// values, the largest score, and the sum of the weights, both relative to that score. A
// launch behind it brings the parts of a query to the largest score of all, adds them
// in order, and divides.

const (
	partBlocks  = 256 // as many as keys are cut for
	leastOfPart = 256 // keys
	leastParts  = 4   // fewer are not worth a launch, and what goes through memory
)

// Combining is the launch variant of [Attention.CombineEntry].
const Combining = 2

// Cut returns how many parts the keys are to be cut into for so many queries of so many
// heads of all batches, and how many keys a part has; 1 part: they are not to be. It
// depends on the sizes alone, so that results have the same bits on all devices.
func (a Attention) Cut(queries, keys, heads int64) (parts, span int64) {
	blocks := ceil(queries, int64(a.rows())) * heads
	if blocks < 1 {
		return 1, keys
	}
	parts = min(partBlocks/blocks, keys/leastOfPart)
	if parts < leastParts {
		return 1, keys
	}
	span = roundUp(ceil(keys, parts), int64(a.tile()))
	return ceil(keys, span), span
}

// Work returns the types of what the parts of so many queries of all heads leave: sums
// of values, and scores with sums of weights.
func (a Attention) Work(queries, parts int64) []types.Type {
	return []types.Type{types.Of(types.F32, int(queries), int(parts), a.width()), types.Of(types.F32, int(queries), int(parts), 2)}
}

// Combine returns the launch that combines the parts of so many queries of all heads.
func (a Attention) Combine(queries int64) Launch {
	return Launch{Variant: Combining, Grid: [3]int{int(ceil(queries*int64(a.Width), attentionThreads)), 1, 1}, Block: [3]int{attentionThreads, 1, 1}}
}

// part is which keys are the block's, and where it leaves what it has seen.
type part struct {
	sums, seen string // addresses
	number     string // which part it is
	parts      string // of how many
	from       string // its first key
	left       string // how many keys there are from it on, as a word
	query      string // the block's first query, of all of all heads
}

// take finds the block's part; id is which of all parts of all queries it is. It returns
// which block it would be if keys were not cut.
func (p *part) take(m *attention, id, span string) string {
	p.number = m.modulo(id, p.parts)
	p.from = m.mul(p.number, span)
	p.left = m.minus(m.keys, m.op(word, "cvt.u32.u64", p.from))
	m.keys = m.op(word, "min.s32", p.left, m.op(word, "cvt.u32.u64", span))
	return m.quotient(id, p.parts)
}

// leave stores what the block has seen.
func (m *attention) leave() {
	queries := m.minus(m.queries, m.query)
	width := int64(4 * m.a.width())
	stores := m.op(predicate, "setp.eq.u32", m.and(m.lane, 3), "0")
	for i := range m.sums {
		for h := range 2 {
			row := m.plus(m.row, 16*i+8*h)
			total := m.overLanes("add.rn.f32", m.total[i][h])
			m.when(m.op(predicate, "setp.lt.s32", row, queries), func() {
				at := m.mad(m.add(m.part.query, m.wide(row)), m.part.parts, m.part.number)
				m.line("@%s st.global.v2.f32 [%s], {%s, %s}", stores, m.mad(at, "8", m.part.seen), m.most[i][h], total)
				to := m.mad(at, number(width), m.mad(m.wide(m.and(m.lane, 3)), "8", m.part.sums))
				for n, s := range m.sums[i] {
					m.line("st.global.v2.f32 [%s+%d], {%s, %s}", to, 32*n, s[2*h], s[2*h+1])
				}
			})
		}
	}
}

// CombineEntry returns the text of the entry that combines the parts, a thread for each
// feature of a query. Its parameters are the addresses that the entry has which leaves
// them; how many queries, heads and parts there are, and queries of all heads; how many
// elements batches, heads and rows of the result are apart.
func (a Attention) CombineEntry(name string) (string, error) {
	if err := a.Check(); err != nil {
		return "", err
	}
	w := begin(name, [2]int{attentionThreads, 1})
	m := &attention{tensor: &tensor{writer: w, t: a.Type}, a: a, part: new(part)}
	var bases []string
	for range a.operands() {
		bases = append(bases, w.param())
	}
	m.part.sums, m.part.seen = w.param(), w.param()
	queries, heads := w.param(), w.param()
	m.part.parts = w.param()
	all := w.param()
	strides := []string{w.param(), w.param(), w.param()}
	e := w.mad(w.special("%ctaid.x"), number(attentionThreads), w.special("%tid.x"))
	width := number(int64(a.Width))
	w.when(w.op(predicate, "setp.lt.s64", e, w.mul(all, width)), func() {
		row, feature := w.quotient(e, width), w.modulo(e, width)
		y := m.combined(w.mul(row, m.part.parts), feature)
		head := w.quotient(row, queries)
		at := w.mad(w.quotient(head, heads), strides[0], feature)
		at = w.mad(w.modulo(head, heads), strides[1], at)
		at = w.mad(w.modulo(row, queries), strides[2], at)
		w.line("st.global.u16 [%s], %s", w.mad(at, "2", bases[3]), m.pair(y, y))
	})
	return w.entry(), w.err
}

// combined returns a feature of a query whose parts begin at a row of theirs.
func (m *attention) combined(first, feature string) string {
	const together = 4 // parts whose loads are on their way
	load := func(at string, off int) string {
		v := m.fresh(single)
		m.line("ld.global.f32 %s, [%s+%d]", v, at, off)
		return v
	}
	most := m.variable(single, bits32(m.a.least()))
	seen := func(p string) string { return m.mad(m.add(first, p), "8", m.part.seen) }
	m.unrolled(together, "0", m.part.parts, "1", func(p string) {
		m.line("max.f32 %s, %s, %s", most, most, load(seen(p), 0))
	})
	total, sum := m.variable(single, bits32(0)), m.variable(single, bits32(0))
	_, exponent := m.exponents(most)
	sums := m.mad(feature, "4", m.part.sums)
	m.unrolled(together, "0", m.part.parts, "1", func(p string) {
		factor := m.exp2(exponent(load(seen(p), 0)))
		m.line("fma.rn.f32 %s, %s, %s, %s", total, factor, load(seen(p), 4), total)
		m.line("fma.rn.f32 %s, %s, %s, %s", sum, factor, load(m.mad(m.add(first, p), number(int64(4*m.a.width())), sums), 0), sum)
	})
	if m.a.masked() {
		total = m.new("max.NaN.f32", total, bits32(1))
	}
	return m.new("mul.rn.f32", sum, m.new("rcp.rn.f32", total))
}

// least is below what the largest score of a row is.
func (a Attention) least() float64 {
	if a.bounded() {
		return -math.MaxFloat32
	}
	return math.Inf(-1)
}

// bounded reports whether the largest score of a row is at least the lowest float: it may
// be that a block sees nothing of the row.
func (a Attention) bounded() bool { return a.masked() || a.Split }
