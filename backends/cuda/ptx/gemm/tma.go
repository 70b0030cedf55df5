package gemm

import (
	"ltc/backends/cuda/ptx/internal/asm"
	"ltc/backends/cuda/ptx/internal/body"
)

// Tiles by tensor maps have warps for each task. One thread has boxes of the factors copied
// into a pipeline. Warpgroups multiply them, and store the results while boxes of the
// next tile arrive. One mbarrier of a stage says that it is full: the bytes that arrive
// complete it. Another says that it is empty: a lane of each warp arrives there, once the
// warp has waited for its own products of it.

const (
	// keptColumns is how many columns of a warp's sums are in the block's memory at a
	// time, on their way to what follows the product.
	keptColumns = 32
	keptRow     = (keptColumns + sumPad) * 4
	keptBytes   = 16 * keptRow
)

// multipliers is how many threads multiply.
func (t *tile) multipliers() int { return 32 * t.warps[0] * t.warps[1] }

// Of a block's memory, behind the stages: the mbarriers, those of full ones first, and
// the sums of each warp.

func (t *tile) mbarriersAt() int { return t.stages * t.stageBytes() }
func (t *tile) keptAt() int      { return t.mbarriersAt() + asm.RoundUp(2*t.stages*asm.MbarrierBytes, 128) }
func (t *tile) mapShared() int   { return t.keptAt() + t.multipliers()/32*keptBytes }

// pipelineStage is the stage that a thread copies to, or multiplies, next.
type pipelineStage struct {
	at     string // where the strip is
	full   string // its first mbarrier
	parity string // of the phase to wait for
}

// specialize writes a tile whose factors are copied by tensor maps.
func (m *tileWriter) specialize() {
	t := m.tile
	full := m.Plus(m.memory, t.mbarriersAt())
	m.When(m.Op(asm.Predicate, "setp.eq.u32", m.tid, "0"), func() {
		for n := range t.stages {
			m.Line("mbarrier.init.shared::cta.b64 [%s+%d], 1", full, n*asm.MbarrierBytes)
			m.Line("mbarrier.init.shared::cta.b64 [%s+%d], %d", full, (t.stages+n)*asm.MbarrierBytes, t.multipliers()/32)
		}
		m.Line("fence.mbarrier_init.release.cluster")
	})
	m.Barrier()
	m.Specialize(m.tid, t.multipliers(), m.copies, m.multiplies)
}

// copies has boxes of all strips of all tiles copied.
func (m *tileWriter) copies() {
	r := m.newPipelineStage(1) // places that nothing was in are empty
	m.tiles(func() {
		m.along(m.outerK(), func() {
			m.Loop("0", m.depth, asm.Number(int64(strip(m.t))), func(from string) {
				m.Await(r.full, m.tile.stages*asm.MbarrierBytes, r.parity)
				m.Line("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%s], %d", r.full, m.tile.stageBytes())
				a, b, _ := m.s.tensorMaps(m.tile)
				m.copyBoxes(0, a, m.a, r, from)
				m.copyBoxes(1, b, m.b, r, from)
				r.next(m)
			})
		})
	})
}

// copyBoxes has a strip of a factor copied, which begins at an element of K: as it lies
// in the block's memory for descriptors, in boxes of 128 bytes a row.
func (m *tileWriter) copyBoxes(n int, b *tensorMap, s *factor, r *pipelineStage, from string) {
	tile, _ := m.side(s)
	p := body.Point{At: append([]string(nil), m.p.At...)}
	p.At[s.axis], p.At[m.s.inner] = tile, from
	for at := 0; at < s.size; at += b.box[0] {
		var list []string
		for i, d := range b.dims {
			x := m.Index(&b.load.Index[d], p)
			if i == 0 && !s.alongK {
				x = m.Add(x, asm.Number(int64(at)))
			}
			list = append(list, m.Op(asm.Word, "cvt.u32.u64", x))
		}
		m.CopyBox(m.Plus(r.at, s.at+at*asm.StripBytes), n, list, r.full)
		if s.alongK {
			return // one box has all rows
		}
	}
}

// multiplies multiplies the strips of tiles. Those of one strip are under way while the
// next is waited for.
func (m *tileWriter) multiplies() {
	r := m.newPipelineStage(0)
	busy := m.Variable(asm.Word, "0") // the first mbarrier of the strip that is multiplied; 0: none
	first := m.Op(asm.Predicate, "setp.eq.u32", m.lane, "0")
	done := func() {
		some := m.Fresh(asm.Predicate)
		m.Line("setp.ne.u32 %s, %s, 0", some, busy)
		m.Line("and.pred %s, %s, %s", some, some, first)
		m.Line("@%s mbarrier.arrive.shared::cta.b64 _, [%s+%d]", some, busy, m.tile.stages*asm.MbarrierBytes)
	}
	m.tiles(func() {
		m.zero()
		m.along(m.outerK(), func() {
			m.Loop("0", m.depth, asm.Number(int64(strip(m.t))), func(string) {
				m.Await(r.full, 0, r.parity)
				m.multiplyGroups(r.at)
				m.Line("wgmma.wait_group.sync.aligned 1")
				done()
				m.Set(asm.Word, busy, r.full)
				r.next(m)
			})
		})
		m.Line("wgmma.wait_group.sync.aligned 0")
		done()
		m.Set(asm.Word, busy, "0")
		m.endByWarps()
	})
}

// tiles runs body for each of the block's tiles.
func (m *tileWriter) tiles(body func()) {
	rows, columns := m.Ceil(m.nY, m.tile.rows), m.Ceil(m.nX, m.tile.columns)
	m.Outer(m.s.tileAxes(m.tile.flat), m.p, func() {
		m.Loop(m.Special("%ctaid.x"), m.Mul(rows, columns), m.Special("%nctaid.x"), func(n string) {
			m.locate(n, rows, columns)
			body()
		})
	})
}

func (m *tileWriter) newPipelineStage(parity int) *pipelineStage {
	return &pipelineStage{
		at:     m.Variable(asm.Word, m.memory),
		full:   m.Variable(asm.Word, m.Plus(m.memory, m.tile.mbarriersAt())),
		parity: m.Variable(asm.Word, asm.Number(int64(parity))),
	}
}

// next goes on to the next stage. Behind the last comes the first, with the next phase.
func (r *pipelineStage) next(m *tileWriter) {
	t := m.tile
	m.Line("add.u32 %s, %s, %d", r.at, r.at, t.stageBytes())
	m.Line("add.u32 %s, %s, %d", r.full, r.full, asm.MbarrierBytes)
	end := m.Fresh(asm.Predicate)
	m.Line("setp.eq.u32 %s, %s, %s", end, r.full, m.Plus(m.memory, t.mbarriersAt()+t.stages*asm.MbarrierBytes))
	m.Line("@%s mov.u32 %s, %s", end, r.at, m.memory)
	m.Line("@%s mov.u32 %s, %s", end, r.full, m.Plus(m.memory, t.mbarriersAt()))
	m.Line("@%s xor.b32 %s, %s, 1", end, r.parity, r.parity)
}

// endByWarps runs the epilogue of a tile: each warp that of its rows, some columns at a
// time.
func (m *tileWriter) endByWarps() {
	rows := 16 * len(m.sums)
	place := m.Sum(m.Plus(m.memory, m.tile.keptAt()), m.Times(m.Shr(m.tid, 5), keptBytes))
	groups, thread := m.Shr(m.lane, 2), m.And(m.lane, 3)
	to := m.Sum(place, m.Times(groups, keptRow), m.Times(thread, 8))
	m.Loop("0", asm.Number(int64(m.tile.columns/keptColumns)), "1", func(part string) {
		m.Line("bar.warp.sync -1")
		for n := range m.tile.columns / keptColumns {
			m.When(m.Op(asm.Predicate, "setp.eq.s64", part, asm.Number(int64(n))), func() {
				for j, sums := range m.sums[0][n*keptColumns/8:][:keptColumns/8] {
					for h := range 2 {
						m.Line("st.shared.v2.f32 [%s+%d], {%s, %s}", to, 8*h*keptRow+8*j*4, sums[2*h], sums[2*h+1])
					}
				}
			})
		}
		m.Line("bar.warp.sync -1")
		x := m.Add(m.x, m.Mul(part, asm.Number(keptColumns)))
		m.epilogue(&tileSums{at: place, pitch: keptRow, rows: rows, columns: keptColumns, y: m.Add(m.y, m.Wide(m.warp[0])), x: x, thread: m.lane, threads: asm.Number(asm.WarpSlots)})
	})
}
