package attention

import (
	"math"

	"ltc/backends/cuda/ptx/internal/asm"
	"ltc/ir/types"
)

// weigh makes the scores weights, relative to the largest so far, to which it
// brings the sums.
func (m *writer) weigh() {
	for i := range m.scores {
		for h := range 2 {
			before := m.exponentials(i, h, func(n int, e [2]string) { m.weights[i][n][h] = m.pair(e[0], e[1]) })
			m.rescale(i, h, before)
		}
	}
}

// exponentials gives the weights of a row, two at a time, relative to the largest score
// so far, and adds them up. It returns what sums are to be multiplied by that were
// relative to the largest before.
func (m *writer) exponentials(i, h int, give func(n int, e [2]string)) (before string) {
	most := m.most[i][h]
	for _, s := range m.scores[i] {
		most = m.new("max.f32", most, s[2*h])
		most = m.new("max.f32", most, s[2*h+1])
	}
	most = m.overLanes("max.f32", most)
	score, largest := m.exponents(most)
	before = m.exp2(largest(m.most[i][h]))
	m.Set(asm.Single, m.most[i][h], most)
	sum := asm.Bits32(0)
	for n := range m.scores[i] {
		var e [2]string
		for j := range e {
			e[j] = m.exp2(score(m.scores[i][n][2*h+j]))
			sum = m.new("add.rn.f32", sum, e[j])
		}
		give(n, e)
	}
	total := m.total[i][h]
	m.Line("fma.rn.f32 %s, %s, %s, %s", total, total, before, sum)
	return before
}

// rescale brings the sums of a row to another largest score. Most tiles of many have no
// new one.
func (m *writer) rescale(i, h int, before string) {
	m.When(m.changes(before), func() {
		for n := range m.sums[i] {
			for e := range 2 {
				r := m.sums[i][n][2*h+e]
				m.Line("mul.rn.f32 %s, %s, %s", r, r, before)
			}
		}
	})
}

// changes returns a predicate: whether a factor is not 1.
func (m *writer) changes(factor string) string {
	p := m.Fresh(asm.Predicate)
	m.Line("setp.neu.f32 %s, %s, %s", p, factor, asm.Bits32(1))
	return p
}

// overLanes combines a value of the four lanes that share a row.
func (m *writer) overLanes(opcode, x string) string {
	for _, distance := range []string{"1", "2"} {
		y := m.Fresh(asm.Single)
		m.Line("shfl.sync.bfly.b32 %s, %s, %s, 31, -1", y, x, distance)
		x = m.new(opcode, x, y)
	}
	return x
}

// powers is (2^r-1)/r, |r| ≤ ½, interpolated where Chebyshev's polynomial of degree 4
// is 0; r times it is off by up to 7e-6 of 2^r.
var powers = []float64{0.6931367516517639, 0.24022530019283295, 0.05583828315138817, 0.009656710550189018}

// exp2 returns 2^x for x up to 0: 0 below -127, NaN for NaN. A float of 1.5·2²³ and
// more has no fraction: what is added to it is rounded to an integer, which its
// lowest bits are.
func (m *writer) exp2(x string) string {
	const whole, bias = 0x1.8p23, 127
	x = m.new("max.NaN.f32", x, asm.Bits32(-bias))
	n := m.new("add.rn.f32", x, asm.Bits32(whole+bias))
	r := m.new("sub.rn.f32", x, m.new("add.rn.f32", n, asm.Bits32(-whole-bias)))
	p := asm.Bits32(powers[len(powers)-1])
	for i := len(powers) - 2; i >= 0; i-- {
		p = m.new("fma.rn.f32", p, r, asm.Bits32(powers[i]))
	}
	p = m.new("fma.rn.f32", p, r, asm.Bits32(1))
	power := m.Fresh(asm.Word)
	m.Line("mov.b32 %s, %s", power, n)
	m.Line("shl.b32 %s, %s, 23", power, power)
	scale := m.Fresh(asm.Single)
	m.Line("mov.b32 %s, %s", scale, power)
	return m.new("mul.rn.f32", p, scale)
}

// pair rounds two floats to one word of two elements.
func (m *writer) pair(low, high string) string {
	r := m.Fresh(asm.Word)
	m.setPair(r, low, high)
	return r
}

func (m *writer) setPair(r, low, high string) {
	name := map[types.DType]string{types.BF16: "bf16x2", types.F16: "f16x2"}[m.t]
	m.Line("cvt.rn.%s.f32 %s, %s, %s", name, r, high, low)
}

// exponents returns what gives a score the power of 2 that its weight is, relative to the
// largest, and that of a score that was the largest before.
//
// With a mask scores may be as low as a float can be, and such a score times log₂ e is no
// finite float. All of a row may be hidden, as it may of a part of the keys. So the largest
// is at least the lowest float, from which -∞ is far enough. Without a mask one instruction
// less is needed.
func (m *writer) exponents(most string) (score, before func(x string) string) {
	if m.a.bounded() {
		scale := m.a.Scale * math.Log2E
		if m.a.added() {
			scale = math.Log2E
		}
		each := func(x string) string {
			return m.new("mul.rn.f32", m.new("sub.rn.f32", x, most), asm.Bits32(scale))
		}
		return each, each
	}
	c := asm.Bits32(m.a.Scale * math.Log2E)
	scaled := m.new("mul.rn.f32", most, c)
	before = func(x string) string { return m.new("sub.rn.f32", m.new("mul.rn.f32", x, c), scaled) }
	minus := m.new("neg.f32", scaled)
	return func(x string) string { return m.new("fma.rn.f32", x, c, minus) }, before
}

// inverse returns what the sums of a row are to be multiplied by. The sum of the weights
// counts as at least 1, the weight of the largest score: it is 0 where all is hidden.
func (m *writer) inverse(i, h int) string {
	total := m.overLanes("add.rn.f32", m.total[i][h])
	if m.a.masked() {
		total = m.new("max.NaN.f32", total, asm.Bits32(1))
	}
	return m.new("rcp.rn.f32", total)
}
