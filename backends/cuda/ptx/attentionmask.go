package ptx

import (
	"math"

	"ltc/ir/types"
)

// scoreMask is what the scores of the block's queries are masked by. It is read where it
// is, by the lanes that have the scores: four that share a row read neighbours.
type scoreMask struct {
	base string // where the row of the block's first query is
	step string // how many elements rows are apart; 0, if one is of all queries. A parameter: it costs no register
	even string // a predicate: whether neighbours, of which the first has an even place, are one load
}

// masks are the types that a mask may have.
var masks = map[types.DType]bool{types.Bool: true, types.F16: true, types.BF16: true, types.F32: true}

// masked reports whether there is a mask.
func (a Attention) masked() bool { return a.Mask != types.Invalid }

// added reports whether there is a mask that is added to scores.
func (a Attention) added() bool { return a.masked() && a.Mask != types.Bool }

// operands is how many operands the entry has.
func (a Attention) operands() int {
	if a.masked() {
		return 5
	}
	return 4
}

func (m *attention) newMask(base, step string) *scoreMask {
	odd := m.op(long, "and.b64", m.op(long, "or.b64", step, m.wide(m.keys)), "1")
	all := m.op(long, "or.b64", m.op(long, "and.b64", base, number(int64(2*m.a.Mask.Size()-1))), odd)
	return &scoreMask{base: base, step: step, even: m.op(predicate, "setp.eq.s64", all, "0")}
}

// apply masks the scores of a tile of keys from j on. What it makes of keys behind the
// last is left to hide.
func (m *attention) apply(j string) {
	if m.mask == nil {
		return
	}
	m.either(m.mask.even, func() { m.applyBy(j, 2) }, func() { m.applyBy(j, 1) })
}

// applyBy loads so many elements at a time. Queries behind the last have its row.
func (m *attention) applyBy(j string, n int) {
	size := m.a.Mask.Size()
	column := m.sum(j, m.times(m.and(m.lane, 3), 2))
	left := m.minus(m.keys, column)
	last := m.plus(m.minus(m.queries, m.query), -1)
	for i := range m.scores {
		for h := range 2 {
			row := m.op(word, "min.s32", m.plus(m.row, 16*i+8*h), last)
			at := m.mad(m.mad(m.wide(row), m.mask.step, m.wide(column)), number(int64(size)), m.mask.base)
			for c, s := range m.scores[i] {
				for e := 0; e < 2; e += n {
					inside := m.op(predicate, "setp.gt.s32", left, number(int64(8*c+e)))
					for k, v := range m.loadMask(inside, at, (8*c+e)*size, n) {
						m.maskScore(s[2*h+e+k], v)
					}
				}
			}
		}
	}
}

// maskScore adds a number to a score, once that is scaled, or gives it no weight.
func (m *attention) maskScore(score, v string) {
	if m.a.added() {
		m.line("fma.rn.f32 %s, %s, %s, %s", score, score, bits32(m.a.Scale), v)
		return
	}
	m.line("selp.f32 %s, %s, %s, %s", score, score, bits32(math.Inf(-1)), v)
}

// loadMask loads one or two elements where they are inside, and 0 where not: as f32, or,
// of bool, as predicates.
func (m *attention) loadMask(inside, at string, off, n int) []string {
	size := m.a.Mask.Size()
	if size == 4 {
		v := []string{m.variable(single, bits32(0)), m.variable(single, bits32(0))}[:n]
		opcode, to := "ld.global.f32", v[0]
		if n == 2 {
			opcode, to = "ld.global.v2.f32", "{"+list(v)+"}"
		}
		m.line("@%s %s %s, [%s+%d]", inside, opcode, to, at, off)
		return v
	}
	r := m.variable(word, "0")
	m.line("@%s ld.global.%s %s, [%s+%d]", inside, inMemory[n*size], r, at, off)
	var all []string
	for k := range n {
		bits := m.shr(r, 8*size*k)
		if k < n-1 {
			bits = m.and(bits, 1<<(8*size)-1)
		}
		all = append(all, m.ofBits(m.a.Mask, bits))
	}
	return all
}
