package ptx

import "strings"

// Tiles with boxes have warps for each task: one thread has boxes of the factors
// copied into a ring of strips, by tensor maps; warpgroups multiply them and store what
// becomes of the sums while boxes of the next tile arrive. Two mbarriers a strip say
// that it is full, which the bytes that arrive do, and that it is empty, which a lane of
// each warp that has multiplied it does: a warp has waited for its own products.

const (
	// Registers of a thread: of those that copy, and of those that multiply, which hold
	// the sums. Threads begin with 168.
	copierRegisters     = 40
	multiplierRegisters = 232
	mbarrierBytes       = 8
	// keptColumns is how many columns of a warp's sums are in the block's memory at a
	// time, on their way to what follows the product.
	keptColumns = 32
	keptRow     = (keptColumns + sumPad) * 4
	keptBytes   = 16 * keptRow
)

// multipliers is how many threads multiply.
func (t *tile) multipliers() int { return 32 * t.warps[0] * t.warps[1] }

// Of a block's memory, behind the ring: the mbarriers, those of full strips first, and
// the sums of each warp.

func (t *tile) mbarriersAt() int { return t.strips * t.stripsBytes() }
func (t *tile) keptAt() int      { return t.mbarriersAt() + roundUpTo(2*t.strips*mbarrierBytes, 128) }
func (t *tile) boxedShared() int { return t.keptAt() + t.multipliers()/32*keptBytes }

func roundUpTo(n, to int) int { return int(roundUp(int64(n), int64(to))) }

// strips is a place in the ring.
type strips struct {
	at     string // where the strip is
	full   string // its first mbarrier
	parity string // of the phase to wait for
}

// boxes writes a tile whose factors boxes are copied of.
func (m *tensor) boxes() {
	t := m.tile
	from := number(int64(t.multipliers()))
	full := m.plus(m.memory, t.mbarriersAt())
	m.when(m.op(predicate, "setp.eq.u32", m.tid, "0"), func() {
		for n := range t.strips {
			m.line("mbarrier.init.shared::cta.b64 [%s+%d], 1", full, n*mbarrierBytes)
			m.line("mbarrier.init.shared::cta.b64 [%s+%d], %d", full, (t.strips+n)*mbarrierBytes, t.multipliers()/32)
		}
		m.line("fence.mbarrier_init.release.cluster")
	})
	m.barrier()
	m.when(m.op(predicate, "setp.ge.u32", m.tid, from), func() {
		m.line("setmaxnreg.dec.sync.aligned.u32 %d", copierRegisters)
		m.when(m.op(predicate, "setp.eq.u32", m.tid, from), m.copies)
	})
	m.when(m.op(predicate, "setp.lt.u32", m.tid, from), func() {
		m.line("setmaxnreg.inc.sync.aligned.u32 %d", multiplierRegisters)
		m.multiplies()
	})
}

// copies has boxes of all strips of all tiles copied.
func (m *tensor) copies() {
	r := m.newStrips(1) // places that nothing was in are empty
	m.tiles(func() {
		m.along(m.outerK(), func() {
			m.loop("0", m.depth, number(int64(strip(m.t))), func(from string) {
				m.await(r.full, m.tile.strips*mbarrierBytes, r.parity)
				m.line("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%s], %d", r.full, m.tile.stripsBytes())
				a, b, _ := m.s.boxes(m.tile)
				m.copyBoxes(0, a, m.a, r, from)
				m.copyBoxes(1, b, m.b, r, from)
				r.next(m)
			})
		})
	})
}

// copyBoxes has a strip of a factor copied, which begins at an element of K: as it lies
// in the block's memory for descriptors, in boxes of 128 bytes a row.
func (m *tensor) copyBoxes(n int, b *boxed, s *factor, r *strips, from string) {
	tile := m.y
	if s.axis == m.s.X {
		tile = m.x
	}
	p := point{at: append([]string(nil), m.p.at...)}
	p.at[s.axis], p.at[m.s.Inner] = tile, from
	for at := 0; at < s.size; at += b.box[0] {
		var list []string
		for i, d := range b.dims {
			x := m.index(&b.load.Index[d], p)
			if i == 0 && !s.alongK {
				x = m.add(x, number(int64(at)))
			}
			list = append(list, m.op(word, "cvt.u32.u64", x))
		}
		into := m.plus(r.at, s.at+at*stripBytes)
		m.line("cp.async.bulk.tensor.%dd.shared::cluster.global.mbarrier::complete_tx::bytes [%s], [%s, {%s}], [%s]", len(list), into, m.tensorMap(n), strings.Join(list, ", "), r.full)
		if s.alongK {
			return // one box has all rows
		}
	}
}

// multiplies multiplies the strips of tiles. Those of one strip are under way while the
// next is waited for.
func (m *tensor) multiplies() {
	r := m.newStrips(0)
	busy := m.variable(word, "0") // the first mbarrier of the strip that is multiplied; 0: none
	first := m.op(predicate, "setp.eq.u32", m.lane, "0")
	done := func() {
		some := m.fresh(predicate)
		m.line("setp.ne.u32 %s, %s, 0", some, busy)
		m.line("and.pred %s, %s, %s", some, some, first)
		m.line("@%s mbarrier.arrive.shared::cta.b64 _, [%s+%d]", some, busy, m.tile.strips*mbarrierBytes)
	}
	m.tiles(func() {
		m.zero()
		m.along(m.outerK(), func() {
			m.loop("0", m.depth, number(int64(strip(m.t))), func(string) {
				m.await(r.full, 0, r.parity)
				m.multiplyGroups(r.at)
				m.line("wgmma.wait_group.sync.aligned 1")
				done()
				m.set(word, busy, r.full)
				r.next(m)
			})
		})
		m.line("wgmma.wait_group.sync.aligned 0")
		done()
		m.set(word, busy, "0")
		m.endBoxes()
	})
}

// tiles runs body for each of the block's tiles.
func (m *tensor) tiles(body func()) {
	rows, columns := m.ceil(m.nY, m.tile.rows), m.ceil(m.nX, m.tile.columns)
	m.outerOf(m.s.outer(m.tile.flat), m.p, func() {
		m.loop(m.special("%ctaid.x"), m.mul(rows, columns), m.special("%nctaid.x"), func(n string) {
			m.locate(n, rows, columns)
			body()
		})
	})
}

func (m *tensor) newStrips(parity int) *strips {
	return &strips{
		at:     m.variable(word, m.memory),
		full:   m.variable(word, m.plus(m.memory, m.tile.mbarriersAt())),
		parity: m.variable(word, number(int64(parity))),
	}
}

// next goes on to the next place, of which the first comes after the last one, with
// the next phase.
func (r *strips) next(m *tensor) {
	t := m.tile
	m.line("add.u32 %s, %s, %d", r.at, r.at, t.stripsBytes())
	m.line("add.u32 %s, %s, %d", r.full, r.full, mbarrierBytes)
	end := m.fresh(predicate)
	m.line("setp.eq.u32 %s, %s, %s", end, r.full, m.plus(m.memory, t.mbarriersAt()+t.strips*mbarrierBytes))
	m.line("@%s mov.u32 %s, %s", end, r.at, m.memory)
	m.line("@%s mov.u32 %s, %s", end, r.full, m.plus(m.memory, t.mbarriersAt()))
	m.line("@%s xor.b32 %s, %s, 1", end, r.parity, r.parity)
}

// await waits for a phase of an mbarrier.
func (m *tensor) await(at string, off int, parity string) {
	again, p := m.label(), m.fresh(predicate)
	m.place(again)
	m.line("mbarrier.try_wait.parity.shared::cta.b64 %s, [%s+%d], %s", p, at, off, parity)
	m.line("@!%s bra %s", p, again)
}

// endBoxes runs the epilogue of a tile: each warp that of its rows, some columns at a
// time.
func (m *tensor) endBoxes() {
	rows := 16 * len(m.sums)
	place := m.sum(m.plus(m.memory, m.tile.keptAt()), m.times(m.shr(m.tid, 5), keptBytes))
	groups, thread := m.shr(m.lane, 2), m.and(m.lane, 3)
	to := m.sum(place, m.times(groups, keptRow), m.times(thread, 8))
	m.loop("0", number(int64(m.tile.columns/keptColumns)), "1", func(part string) {
		m.line("bar.warp.sync -1")
		for n := range m.tile.columns / keptColumns {
			m.when(m.op(predicate, "setp.eq.s64", part, number(int64(n))), func() {
				for j, sums := range m.sums[0][n*keptColumns/8:][:keptColumns/8] {
					for h := range 2 {
						m.line("st.shared.v2.f32 [%s+%d], {%s, %s}", to, 8*h*keptRow+8*j*4, sums[2*h], sums[2*h+1])
					}
				}
			})
		}
		m.line("bar.warp.sync -1")
		x := m.add(m.x, m.mul(part, number(keptColumns)))
		m.epilogue(&tileSums{at: place, pitch: keptRow, rows: rows, columns: keptColumns, y: m.add(m.y, m.wide(m.warp[0])), x: x, thread: m.lane, threads: number(warpSlots)})
	})
}
