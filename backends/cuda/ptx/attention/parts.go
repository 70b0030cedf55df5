package attention

import (
	"math"

	"ltc/backends/cuda/ptx/internal/asm"
	"ltc/ir/types"
)

// Attention in parts, for few queries of many keys. Each block goes through a part of the
// keys, and leaves its results in memory. Of each query and part they are the sums of
// values, the largest score, and the sum of the weights, both sums relative to that score.
// A launch behind it brings the parts of a query to the largest score of all, adds them in
// order, and divides.

const (
	partBlocks  = 256 // as many as keys are cut for
	leastOfPart = 256 // keys
	leastParts  = 4   // fewer are not worth a launch, and what goes through memory
)

// Combining is the launch variant of [Op.CombineEntry].
const Combining = 2

// Cut returns how many parts the keys are to be cut into for so many queries of so many
// heads of all batches, and how many keys a part has. 1 part says that they are not to be
// cut. The result depends on the sizes alone, so that attention has the same bits on all
// devices.
func (a Op) Cut(queries, keys, heads int64) (parts, span int64) {
	blocks := asm.Ceil(queries, int64(a.rows())) * heads
	if blocks < 1 {
		return 1, keys
	}
	parts = min(partBlocks/blocks, keys/leastOfPart)
	if parts < leastParts {
		return 1, keys
	}
	span = asm.RoundUp(asm.Ceil(keys, parts), int64(a.tile()))
	return asm.Ceil(keys, span), span
}

// Work returns the types of what the parts of so many queries of all heads leave: sums
// of values, and scores with sums of weights.
func (a Op) Work(queries, parts int64) []types.Type {
	return []types.Type{types.Of(types.F32, int(queries), int(parts), a.width()), types.Of(types.F32, int(queries), int(parts), 2)}
}

// Combine returns the launch that combines the parts of so many queries of all heads.
func (a Op) Combine(queries int64) asm.Launch {
	return asm.Launch{Variant: Combining, Grid: [3]int{int(asm.Ceil(queries*int64(a.Width), blockThreads)), 1, 1}, Block: [3]int{blockThreads, 1, 1}}
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
func (p *part) take(m *writer, id, span string) string {
	p.number = m.Modulo(id, p.parts)
	p.from = m.Mul(p.number, span)
	p.left = m.Minus(m.keys, m.Op(asm.Word, "cvt.u32.u64", p.from))
	m.keys = m.Op(asm.Word, "min.s32", p.left, m.Op(asm.Word, "cvt.u32.u64", span))
	return m.Quotient(id, p.parts)
}

// leave stores what the block has seen.
func (m *writer) leave() {
	queries := m.Minus(m.queries, m.query)
	width := int64(4 * m.a.width())
	stores := m.Op(asm.Predicate, "setp.eq.u32", m.And(m.lane, 3), "0")
	for i := range m.sums {
		for h := range 2 {
			row := m.Plus(m.row, 16*i+8*h)
			total := m.overLanes("add.rn.f32", m.total[i][h])
			m.When(m.Op(asm.Predicate, "setp.lt.s32", row, queries), func() {
				at := m.Mad(m.Add(m.part.query, m.Wide(row)), m.part.parts, m.part.number)
				m.Line("@%s st.global.v2.f32 [%s], {%s, %s}", stores, m.Mad(at, "8", m.part.seen), m.most[i][h], total)
				to := m.Mad(at, asm.Number(width), m.Mad(m.Wide(m.And(m.lane, 3)), "8", m.part.sums))
				for n, s := range m.sums[i] {
					m.Line("st.global.v2.f32 [%s+%d], {%s, %s}", to, 32*n, s[2*h], s[2*h+1])
				}
			})
		}
	}
}

// CombineEntry returns the text of the entry that combines the parts, a thread for each
// feature of a query. Its parameters begin with the addresses of the entry that leaves
// the parts, in the same order. Then come how many queries, heads and parts there are,
// and queries of all heads. Last is how many elements batches, heads and rows of the
// result are apart.
func (a Op) CombineEntry(name string) (string, error) {
	if err := a.Check(); err != nil {
		return "", err
	}
	w := asm.New(name, [2]int{blockThreads, 1})
	m := &writer{Writer: w, t: a.Type, a: a, part: new(part)}
	var bases []string
	for range a.operands() {
		bases = append(bases, w.Param())
	}
	m.part.sums, m.part.seen = w.Param(), w.Param()
	queries, heads := w.Param(), w.Param()
	m.part.parts = w.Param()
	all := w.Param()
	strides := []string{w.Param(), w.Param(), w.Param()}
	e := w.Mad(w.Special("%ctaid.x"), asm.Number(blockThreads), w.Special("%tid.x"))
	width := asm.Number(int64(a.Width))
	w.When(w.Op(asm.Predicate, "setp.lt.s64", e, w.Mul(all, width)), func() {
		row, feature := w.Quotient(e, width), w.Modulo(e, width)
		y := m.combined(w.Mul(row, m.part.parts), feature)
		head := w.Quotient(row, queries)
		at := w.Mad(w.Quotient(head, heads), strides[0], feature)
		at = w.Mad(w.Modulo(head, heads), strides[1], at)
		at = w.Mad(w.Modulo(row, queries), strides[2], at)
		w.Line("st.global.u16 [%s], %s", w.Mad(at, "2", bases[3]), m.pair(y, y))
	})
	return w.Text(), w.Err
}

// combined returns a feature of a query whose parts begin at a row of theirs.
func (m *writer) combined(first, feature string) string {
	const together = 4 // parts whose loads are on their way
	load := func(at string, off int) string {
		v := m.Fresh(asm.Single)
		m.Line("ld.global.f32 %s, [%s+%d]", v, at, off)
		return v
	}
	most := m.Variable(asm.Single, asm.Bits32(m.a.least()))
	seen := func(p string) string { return m.Mad(m.Add(first, p), "8", m.part.seen) }
	m.Unrolled(together, "0", m.part.parts, "1", func(p string) {
		m.Line("max.f32 %s, %s, %s", most, most, load(seen(p), 0))
	})
	total, sum := m.Variable(asm.Single, asm.Bits32(0)), m.Variable(asm.Single, asm.Bits32(0))
	_, exponent := m.exponents(most)
	sums := m.Mad(feature, "4", m.part.sums)
	m.Unrolled(together, "0", m.part.parts, "1", func(p string) {
		factor := m.exp2(exponent(load(seen(p), 0)))
		m.Line("fma.rn.f32 %s, %s, %s, %s", total, factor, load(seen(p), 4), total)
		m.Line("fma.rn.f32 %s, %s, %s, %s", sum, factor, load(m.Mad(m.Add(first, p), asm.Number(int64(4*m.a.width())), sums), 0), sum)
	})
	if m.a.masked() {
		total = m.new("max.NaN.f32", total, asm.Bits32(1))
	}
	return m.new("mul.rn.f32", sum, m.new("rcp.rn.f32", total))
}

// least is below what the largest score of a row is.
func (a Op) least() float64 {
	if a.bounded() {
		return -math.MaxFloat32
	}
	return math.Inf(-1)
}

// bounded reports whether the largest score of a row is at least the lowest float: it may
// be that a block sees nothing of the row.
func (a Op) bounded() bool { return a.masked() || a.Split }
