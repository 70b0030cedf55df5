package attention

import (
	"math"

	"ltc/backends/cuda/ptx/internal/asm"
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
func (a Op) masked() bool { return a.Mask != types.Invalid }

// added reports whether there is a mask that is added to scores.
func (a Op) added() bool { return a.masked() && a.Mask != types.Bool }

// operands is how many operands the entry has.
func (a Op) operands() int {
	if a.masked() {
		return 5
	}
	return 4
}

func (m *writer) newMask(base, step string) *scoreMask {
	odd := m.Op(asm.Long, "and.b64", m.Op(asm.Long, "or.b64", step, m.Wide(m.keys)), "1")
	all := m.Op(asm.Long, "or.b64", m.Op(asm.Long, "and.b64", base, asm.Number(int64(2*m.a.Mask.Size()-1))), odd)
	return &scoreMask{base: base, step: step, even: m.Op(asm.Predicate, "setp.eq.s64", all, "0")}
}

// apply masks the scores of a tile of keys from j on. What it makes of keys behind the
// last is left to hide.
func (m *writer) apply(j string) {
	if m.mask == nil {
		return
	}
	m.Either(m.mask.even, func() { m.applyBy(j, 2) }, func() { m.applyBy(j, 1) })
}

// applyBy loads so many elements at a time. Queries behind the last have its row.
func (m *writer) applyBy(j string, n int) {
	size := m.a.Mask.Size()
	column := m.Sum(j, m.Times(m.And(m.lane, 3), 2))
	left := m.Minus(m.keys, column)
	last := m.Plus(m.Minus(m.queries, m.query), -1)
	for i := range m.scores {
		for h := range 2 {
			row := m.Op(asm.Word, "min.s32", m.Plus(m.row, 16*i+8*h), last)
			at := m.Mad(m.Mad(m.Wide(row), m.mask.step, m.Wide(column)), asm.Number(int64(size)), m.mask.base)
			for c, s := range m.scores[i] {
				for e := 0; e < 2; e += n {
					inside := m.Op(asm.Predicate, "setp.gt.s32", left, asm.Number(int64(8*c+e)))
					for k, v := range m.loadMask(inside, at, (8*c+e)*size, n) {
						m.maskScore(s[2*h+e+k], v)
					}
				}
			}
		}
	}
}

// maskScore adds a number to a score, once that is scaled, or gives it no weight.
func (m *writer) maskScore(score, v string) {
	if m.a.added() {
		m.Line("fma.rn.f32 %s, %s, %s, %s", score, score, asm.Bits32(m.a.Scale), v)
		return
	}
	m.Line("selp.f32 %s, %s, %s, %s", score, score, asm.Bits32(math.Inf(-1)), v)
}

// loadMask loads one or two elements where they are inside, and 0 where not: as f32, or,
// of bool, as predicates.
func (m *writer) loadMask(inside, at string, off, n int) []string {
	size := m.a.Mask.Size()
	if size == 4 {
		v := []string{m.Variable(asm.Single, asm.Bits32(0)), m.Variable(asm.Single, asm.Bits32(0))}[:n]
		opcode, to := "ld.global.f32", v[0]
		if n == 2 {
			opcode, to = "ld.global.v2.f32", "{"+asm.List(v)+"}"
		}
		m.Line("@%s %s %s, [%s+%d]", inside, opcode, to, at, off)
		return v
	}
	r := m.Variable(asm.Word, "0")
	m.Line("@%s ld.global.%s %s, [%s+%d]", inside, asm.InMemory[n*size], r, at, off)
	var all []string
	for k := range n {
		bits := m.Shr(r, 8*size*k)
		if k < n-1 {
			bits = m.And(bits, 1<<(8*size)-1)
		}
		all = append(all, m.OfBits(m.a.Mask, bits))
	}
	return all
}
