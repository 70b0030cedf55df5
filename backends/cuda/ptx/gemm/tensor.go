package gemm

import (
	"slices"

	"ltc/backends/cuda/ptx/internal/asm"
	"ltc/backends/cuda/ptx/internal/body"
	"ltc/backends/kit/kernel"
	"ltc/ir/types"
)

// tileWriter writes the entry of a tile.
type tileWriter struct {
	*body.Writer
	s      *Schedule
	c      *kernel.Contraction
	t      types.DType // of the elements of factors
	tile   *tile
	p      body.Point // of the contraction's stage
	memory string     // where the block's begins
	tid    string     // the thread and its lane, as words
	lane   string
	warp   [2]string // the warp's first row and column in the tile
	nY, nX string
	y, x   string // where the tile begins; of flat ones y is the number of its first row
	depth  string // the size of the inner axis of K
	a, b   *factor
	// vectors is the predicate that lanes load and store by vectors; none if they always do.
	vectors string
	exact   *exact        // if the tile's threads add up sums themselves; else:
	sums    [][][4]string // by rows of 16 and columns of 8 of the warp
}

// writeTile writes the entry of a tile. What is outside of a factor counts as 0.
func (s *Schedule) writeTile(w *body.Writer, t *tile) {
	w.Threads, w.Narrows = [2]int{t.threads(), 1}, t.groups
	m := &tileWriter{Writer: w, s: s, c: s.c, t: s.element, tile: t, p: w.Point(0)}
	m.nY, m.nX = w.Count(0, m.rowAxes()), w.Count(0, []int{s.x})
	m.depth = w.Size(w.K.Axis(0, s.inner).Size)
	if w.Lanes.N > 1 {
		m.vectors = w.Aligned()
	}
	m.memory = w.Op(asm.Word, "mov.u32", asm.Shared)
	m.tid = w.Op(asm.Word, "mov.u32", "%tid.x")
	m.lane = m.And(m.tid, asm.WarpSlots-1)
	warp := m.Shr(m.tid, 5)
	m.warp[0] = m.Times(m.Op(asm.Word, "div.u32", warp, asm.Number(int64(t.warps[1]))), t.rows/t.warps[0])
	m.warp[1] = m.Times(m.Op(asm.Word, "rem.u32", warp, asm.Number(int64(t.warps[1]))), t.columns/t.warps[1])
	m.a = m.factor(&m.c.A, s.y, t.rows, 0)
	m.b = m.factor(&m.c.B, s.x, t.columns, t.rows*asm.StripBytes)
	if t.maps {
		m.specialize()
		return
	}
	m.tiles(m.run)
}

// locate finds tile n: columns of group rows each, one group after the other.
func (m *tileWriter) locate(n, rows, columns string) {
	all := m.Mul(columns, asm.Number(group))
	first := m.Mul(m.Quotient(n, all), asm.Number(group))
	in := m.Modulo(n, all)
	high := m.Op(asm.Long, "min.u64", m.Op(asm.Long, "sub.s64", rows, first), asm.Number(group))
	m.y = m.Mul(m.Add(first, m.Modulo(in, high)), asm.Number(int64(m.tile.rows)))
	m.x = m.Mul(m.Quotient(in, high), asm.Number(int64(m.tile.columns)))
}

// run computes the tile's sums, and what becomes of them.
func (m *tileWriter) run() {
	if m.tile.own[0] > 0 {
		m.exact = m.newExact()
	} else {
		m.zero()
	}
	m.rows()
	if m.tile.groups {
		m.ringOfGroups()
	} else {
		m.ring()
	}
	m.end()
}

// outerK are the axes of K but for the inner one.
func (m *tileWriter) outerK() []int {
	return slices.DeleteFunc(slices.Clone(m.c.K), func(axis int) bool { return axis == m.s.inner })
}

// zero sets the sums of fragments to 0.
func (m *tileWriter) zero() {
	m.sums = make([][][4]string, m.tile.rows/m.tile.warps[0]/16)
	for i := range m.sums {
		m.sums[i] = make([][4]string, m.tile.columns/m.tile.warps[1]/8)
		for j := range m.sums[i] {
			for r := range m.sums[i][j] {
				m.sums[i][j][r] = m.Variable(asm.Single, asm.Bits32(0))
			}
		}
	}
}

// along runs body, which goes along the inner axis of K, for all points of given others.
func (m *tileWriter) along(outer []int, body func()) {
	if len(outer) == 0 {
		body()
		return
	}
	m.Loop("0", m.Size(m.K.Axis(0, outer[0]).Size), "1", func(i string) {
		m.p.At[outer[0]] = i
		m.along(outer[1:], body)
	})
}

// begin goes to where K begins. It returns how many strips there are: those along the
// inner axis, for each point of the others; and where along that the next one begins.
func (m *tileWriter) begin() (n, from string) {
	outer := m.outerK()
	for _, a := range outer {
		m.p.At[a] = "0"
	}
	m.a.begin(m)
	m.b.begin(m)
	for _, a := range outer {
		m.p.At[a] = m.Variable(asm.Long, "0")
	}
	return m.Mul(m.Ceil(m.depth, strip(m.t)), m.Count(0, outer)), m.Variable(asm.Long, "0")
}

// copyStage copies a strip of both factors to a stage, and goes on to the next one.
func (m *tileWriter) copyStage(into, from string) {
	m.a.copy(m, into, from)
	m.b.copy(m, into, from)
	m.Line("add.s64 %s, %s, %d", from, from, strip(m.t))
	outer := m.outerK()
	if len(outer) == 0 {
		return
	}
	m.When(m.reached(from, m.depth), func() {
		m.Set(asm.Long, from, "0")
		strips := m.Mul(m.Ceil(m.depth, strip(m.t)), asm.Number(int64(strip(m.t))))
		m.carry(outer, func(s *factor) string { return m.Mul(s.kStep, strips) })
	})
}

// carry goes a step along the last of some axes of K, where axes behind it have ended
// that have moved the factors' sources so far.
func (m *tileWriter) carry(outer []int, moved func(*factor) string) {
	last := len(outer) - 1
	axis := outer[last]
	m.Line("add.s64 %s, %s, 1", m.p.At[axis], m.p.At[axis])
	for _, s := range []*factor{m.a, m.b} {
		if s.source != "" {
			m.Line("add.s64 %s, %s, %s", s.source, s.source, m.Op(asm.Long, "sub.s64", s.step(axis), moved(s)))
		}
	}
	if last == 0 {
		return
	}
	size := m.Size(m.K.Axis(0, axis).Size)
	m.When(m.reached(m.p.At[axis], size), func() {
		m.Set(asm.Long, m.p.At[axis], "0")
		m.carry(outer[:last], func(s *factor) string { return m.Mul(s.step(axis), size) })
	})
}

// reached returns whether a variable is not below an end.
func (m *tileWriter) reached(at, end string) string {
	p := m.Fresh(asm.Predicate)
	m.Line("setp.ge.s64 %s, %s, %s", p, at, end)
	return p
}

// ring runs through the strips along K. A strip is copied while those before it are
// multiplied. In iteration n the block waits until strip n has arrived, and until all
// threads have multiplied strip n-1: strip n + stages - 1 takes its place. The first
// iterations only copy.
func (m *tileWriter) ring() {
	ahead := int64(m.tile.stages - 1)
	n, from := m.begin()
	copied := m.Add(n, asm.Number(-ahead)) // the iteration before which all strips are
	iteration := m.Variable(asm.Long, asm.Number(-ahead))
	into, out := m.Variable(asm.Word, m.memory), m.Variable(asm.Word, m.memory)
	begin := m.Label()
	m.Place(begin)
	m.Open()
	m.Line("cp.async.wait_group %d", ahead-1)
	m.Barrier()
	m.When(m.Op(asm.Predicate, "setp.lt.s64", iteration, copied), func() { m.copyStage(into, from) })
	m.Line("cp.async.commit_group")
	m.When(m.Op(asm.Predicate, "setp.ge.s64", iteration, "0"), func() {
		if m.exact != nil {
			m.multiplyExact(out)
		} else {
			m.multiply(out)
		}
		m.next(out)
	})
	m.next(into)
	m.Line("add.s64 %s, %s, 1", iteration, iteration)
	m.Close()
	m.Line("@%s bra %s", m.Op(asm.Predicate, "setp.lt.s64", iteration, n), begin)
	m.Line("cp.async.wait_all")
	m.Barrier()
}

// next moves a variable from a stage to the next one.
func (m *tileWriter) next(at string) {
	size := m.tile.stageBytes()
	m.Line("add.u32 %s, %s, %d", at, at, size)
	end := m.Op(asm.Predicate, "setp.ge.u32", at, m.Plus(m.memory, m.tile.stages*size))
	m.Line("selp.b32 %s, %s, %s, %s", at, m.memory, at, end)
}
