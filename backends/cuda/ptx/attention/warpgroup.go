package attention

import (
	"ltc/backends/cuda/ptx/internal/asm"
	"ltc/internal/diag"
)

// Attention of warpgroups, of sm_90a: two of them multiply, 64 queries each, and one
// thread of a third has boxes of queries, keys and values copied by tensor maps. A
// warpgroup issues the scores of a tile of keys, and behind them the products of the
// weights of the tile before with their values. It makes weights of the scores while the
// latter are under way (Shah et al. 2024). The two take turns in issuing, so that one
// makes weights while products of the other are computed.
//
// An mbarrier says that the queries are full, or a pipeline stage of keys or of values: the
// bytes that arrive complete it. Another says that a stage is empty: a lane of each warp
// arrives there, once the warp has multiplied the stage. A third says whose turn it is: the
// other warpgroup's lanes arrive there.

const (
	warpgroups       = 2   // of queries
	tileKeys         = 128 // of a tile
	stages           = 2   // of tiles of keys, and of values
	boxFeatures      = 64  // of a box: stripBytes
	mostBoxFeatures  = 128 // features that sums have registers for
	tileQueries      = warpgroups * asm.GroupRows
	multipliers      = warpgroups * asm.GroupThreads
	warpgroupThreads = multipliers + asm.GroupThreads
	boxesOfKeys      = tileKeys * asm.StripBytes
	boxesOfQueries   = tileQueries * asm.StripBytes
)

// warpgroupMemory is the layout of a block's memory: where keys, values and mbarriers
// begin, behind the queries, and how many boxes beside each other hold the features.
type warpgroupMemory struct {
	dim, width               int // boxes
	atKeys, atValues, atBars int
}

func (a Op) warpgroupMemory() warpgroupMemory {
	p := warpgroupMemory{dim: asm.Ceil(a.Dim, boxFeatures), width: asm.Ceil(a.Width, boxFeatures)}
	p.atKeys = max(p.dim, p.width) * boxesOfQueries // the result takes the queries' place
	p.atValues = p.atKeys + stages*p.dim*boxesOfKeys
	p.atBars = p.atValues + stages*p.width*boxesOfKeys
	return p
}

// Of the mbarriers, by what they say; those of stages are as many as these.
const (
	queriesFull  = 0
	keysFull     = queriesFull + asm.MbarrierBytes
	valuesFull   = keysFull + stages*asm.MbarrierBytes
	keysEmpty    = valuesFull + stages*asm.MbarrierBytes
	valuesEmpty  = keysEmpty + stages*asm.MbarrierBytes
	turns        = valuesEmpty + stages*asm.MbarrierBytes
	allMbarriers = turns + warpgroups*asm.MbarrierBytes
)

// MapLaunch returns the launch of the entry of [Op.MapEntry] for sizes and strides as [Op]
// has them, and so many batches. The maps of queries, keys and values are arguments behind
// the others. It returns false if there is none. The addresses of the maps' operands must
// be multiples of [asm.MapAlign].
func (a Op) MapLaunch(sizes, strides []int64, batches int64) (asm.Launch, []asm.Map, bool) {
	if a.Check() != nil || a.Split || max(a.Dim, a.Width) > mostBoxFeatures {
		return asm.Launch{}, nil, false
	}
	queries, keys, heads, shared := sizes[0], sizes[1], sizes[2], sizes[3]
	var maps []asm.Map
	for i, x := range []struct {
		features           int
		rows, heads, boxes int64
	}{{a.Dim, queries, heads, tileQueries}, {a.Dim, keys, heads / shared, tileKeys}, {a.Width, keys, heads / shared, tileKeys}} {
		m := asm.Map{Operand: i, Type: a.Type, Box: []int{boxFeatures, int(x.boxes), 1, 1}}
		ok := m.AddDimension(int64(x.features), 0)
		for d, n := range []int64{x.rows, x.heads, batches} {
			ok = m.AddDimension(n, strides[3*i+2-d]*int64(a.Type.Size())) && ok
		}
		if !ok {
			return asm.Launch{}, nil, false
		}
		maps = append(maps, m)
	}
	l := asm.Launch{Variant: 1, Block: [3]int{warpgroupThreads, 1, 1}, Shared: a.warpgroupMemory().atBars + allMbarriers}
	l.Grid = [3]int{int(asm.Ceil(queries, tileQueries) * heads * batches), 1, 1}
	return l, maps, l.Grid[0] > 0
}

// MapEntry returns the text of the entry for sm_90a that is given tensor maps.
func (a Op) MapEntry(name string) (string, error) {
	if err := a.Check(); err != nil {
		return "", err
	}
	if max(a.Dim, a.Width) > mostBoxFeatures {
		return "", unsupported("by boxes of %d and %s: up to %d", a.Dim, diag.Count(a.Width, "feature"), mostBoxFeatures)
	}
	if a.Split {
		return "", unsupported("by boxes of keys that are cut into parts")
	}
	w := asm.New(name, [2]int{warpgroupThreads, 1})
	m := &writer{Writer: w, t: a.Type, a: a, rows: tileQueries, parts: 1, tile: tileKeys}
	bases, steps := m.locate()
	b := &warpgroupWriter{writer: m, warpgroupMemory: a.warpgroupMemory(), result: bases[3], step: steps[3]}
	b.run()
	return w.Text(), w.Err
}

// warpgroupWriter writes the entry of [Op.MapEntry].
type warpgroupWriter struct {
	*writer
	warpgroupMemory
	bar    string // the first mbarrier
	tiles  string // how many tiles of keys there are
	leads  string // a predicate: whether the thread is its warp's first
	group  string // the thread's warpgroup
	result string // where the block's is
	step   string // and how many bytes its rows are apart
	// before is, by row, what sums are to be multiplied by before the values of the tile
	// are added that was weighed.
	before [2]string
}

func (m *warpgroupWriter) run() {
	m.bar = m.Plus(m.memory, m.atBars)
	m.When(m.Op(asm.Predicate, "setp.eq.u32", m.tid, "0"), func() {
		init := func(at, n, arrivals int) {
			for i := range n {
				m.Line("mbarrier.init.shared::cta.b64 [%s+%d], %d", m.bar, at+i*asm.MbarrierBytes, arrivals)
			}
		}
		init(queriesFull, 1+2*stages, 1)
		init(keysEmpty, 2*stages, multipliers/asm.WarpSlots)
		init(turns, warpgroups, asm.GroupThreads/asm.WarpSlots)
		m.Line("fence.mbarrier_init.release.cluster")
	})
	m.Barrier()
	m.tiles = m.Shr(m.Plus(m.reach(), tileKeys-1), asm.Log2(tileKeys))
	m.Specialize(m.tid, multipliers, m.copies, m.multiplies)
}

// pipelineStage is the stage that a tile of keys, or of values, goes through.
type pipelineStage struct {
	at     string // its number
	bar    string // its mbarriers, behind those of the first stage
	parity string // of the phase in which it is full
}

func (m *warpgroupWriter) stage(tile string) pipelineStage {
	at := m.And(tile, stages-1)
	return pipelineStage{at: at, bar: m.Sum(m.bar, m.Times(at, asm.MbarrierBytes)), parity: m.And(m.Shr(tile, asm.Log2(stages)), 1)}
}

// copies has all boxes copied.
func (m *warpgroupWriter) copies() {
	head := func(h string) string { return m.Op(asm.Word, "cvt.u32.u64", h) }
	batch := head(m.head[0])
	boxes := func(n, boxes, size int, to, on, row, h string) {
		m.Line("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%s], %d", on, boxes*size)
		for i := range boxes {
			m.CopyBox(m.Plus(to, i*size), n, []string{asm.Number(int64(i * boxFeatures)), row, h, batch}, on)
		}
	}
	boxes(0, m.dim, boxesOfQueries, m.memory, m.Plus(m.bar, queriesFull), m.query, head(m.head[1]))
	group := head(m.head[2])
	m.Loop("0", m.Wide(m.tiles), "1", func(n string) {
		tile := m.Op(asm.Word, "cvt.u32.u64", n)
		p := m.stage(tile)
		before := m.Op(asm.Word, "xor.b32", p.parity, "1") // stages that nothing was in are empty
		row := m.Times(tile, tileKeys)
		m.Await(p.bar, keysEmpty, before)
		boxes(1, m.dim, boxesOfKeys, m.Plus(m.Sum(m.memory, m.Times(p.at, m.dim*boxesOfKeys)), m.atKeys), m.Plus(p.bar, keysFull), row, group)
		m.Await(p.bar, valuesEmpty, before)
		boxes(2, m.width, boxesOfKeys, m.Plus(m.Sum(m.memory, m.Times(p.at, m.width*boxesOfKeys)), m.atValues), m.Plus(p.bar, valuesFull), row, group)
	})
}

// multiplies goes through the tiles: in each turn the scores of a tile are multiplied,
// and behind them the values of the one before, whose weights are made of scores before
// the turn. What is under way is waited for where a turn begins: the assembler would
// else wait before it computes what has nothing to do with that.
func (m *warpgroupWriter) multiplies() {
	w := m.Writer
	m.begin()
	for n := range m.weights[0] {
		m.weights[0][n] = [2]string{m.Variable(asm.Word, "0"), m.Variable(asm.Word, "0")}
	}
	m.before = [2]string{m.Variable(asm.Single, asm.Bits32(0)), m.Variable(asm.Single, asm.Bits32(0))}
	m.group = m.Shr(m.tid, asm.Log2(asm.GroupThreads))
	m.leads = m.Op(asm.Predicate, "setp.eq.u32", m.lane, "0")
	parity := m.Variable(asm.Word, m.Op(asm.Word, "xor.b32", m.group, "1")) // the first turn is the first one's
	m.Await(m.bar, queriesFull, "0")

	w.Open()
	first := m.stage("0")
	m.Await(first.bar, keysFull, first.parity)
	m.score(first)
	m.Line("wgmma.wait_group.sync.aligned 0")
	m.arrive(first.bar, keysEmpty)
	m.weigh("0")
	w.Close()

	j := m.Variable(asm.Word, "0")
	again, last := w.Label(), w.Label()
	w.Place(again)
	w.Open()
	m.Line("wgmma.wait_group.sync.aligned 0")
	m.emptied(j)
	m.pack()
	now := m.Fresh(asm.Word) // the tile whose values are multiplied
	m.Line("mov.u32 %s, %s", now, j)
	next, p := m.Plus(now, 1), m.stage(now)
	m.Await(p.bar, valuesFull, p.parity)
	m.Line("@%s bra %s", m.Op(asm.Predicate, "setp.ge.u32", next, m.tiles), last)
	w.Open()
	q := m.stage(next)
	m.Await(q.bar, keysFull, q.parity)
	m.turn(parity, func() {
		m.score(q)
		m.mix(p)
	})
	m.Line("wgmma.wait_group.sync.aligned 1")
	m.arrive(q.bar, keysEmpty)
	m.weigh(m.Times(next, tileKeys))
	w.Close()
	m.Set(asm.Word, j, next)
	m.Line("bra %s", again)
	w.Place(last)
	m.mix(p)
	m.Line("wgmma.wait_group.sync.aligned 0")
	w.Close()
	m.finish()
}

// emptied says that the values have been multiplied of the tile before one, if there is
// one.
func (m *warpgroupWriter) emptied(tile string) {
	before := m.Fresh(asm.Word)
	m.Line("sub.u32 %s, %s, 1", before, tile)
	some := m.Fresh(asm.Predicate)
	m.Line("setp.ne.u32 %s, %s, 0", some, tile)
	m.Line("and.pred %s, %s, %s", some, some, m.leads)
	m.Line("@%s mbarrier.arrive.shared::cta.b64 _, [%s+%d]", some, m.stage(before).bar, valuesEmpty)
}

// arrive has the warp say that it is done with what an mbarrier is of.
func (m *warpgroupWriter) arrive(bar string, off int) {
	m.Line("@%s mbarrier.arrive.shared::cta.b64 _, [%s+%d]", m.leads, bar, off)
}

// turn issues products when it is the warpgroup's turn, which then is the other's.
func (m *warpgroupWriter) turn(parity string, issue func()) {
	own := m.Sum(m.bar, m.Times(m.group, asm.MbarrierBytes))
	other := m.Sum(m.bar, m.Times(m.Op(asm.Word, "xor.b32", m.group, "1"), asm.MbarrierBytes))
	m.Await(own, turns, parity)
	m.Line("xor.b32 %s, %s, 1", parity, parity)
	issue()
	m.arrive(other, turns)
}

// score issues the products of the queries with a tile of keys.
func (m *warpgroupWriter) score(p pipelineStage) {
	q := m.Descriptor(m.Sum(m.memory, m.Times(m.group, asm.BlockBytes)), asm.ChunkBytes)
	k := m.Descriptor(m.Plus(m.Sum(m.memory, m.Times(p.at, m.dim*boxesOfKeys)), m.atKeys), asm.ChunkBytes)
	m.Line("wgmma.fence.sync.aligned")
	for step := range m.a.dim() / 16 {
		box, in := step/4, step%4*asm.FragmentBytes
		m.Wgmma(m.t, m.scores[0], q(box*boxesOfQueries+in), k(box*boxesOfKeys+in), step > 0, "0, 0")
	}
	m.Line("wgmma.commit_group.sync.aligned")
}

// mix issues the products of the weights with a tile of values. Weights lie in registers
// as products left scores, which is as products take factors.
func (m *warpgroupWriter) mix(p pipelineStage) {
	v := m.Descriptor(m.Plus(m.Sum(m.memory, m.Times(p.at, m.width*boxesOfKeys)), m.atValues), boxesOfKeys)
	m.Line("wgmma.fence.sync.aligned")
	for step := range tileKeys / 16 {
		a, b := m.weights[0][2*step], m.weights[0][2*step+1]
		m.Wgmma(m.t, m.sums[0], "{"+asm.List([]string{a[0], a[1], b[0], b[1]})+"}", v(step*2*asm.EightRows), true, "1")
	}
	m.Line("wgmma.commit_group.sync.aligned")
}

// weigh makes the scores of a tile, from a key on, weights where they are.
func (m *warpgroupWriter) weigh(key string) {
	m.apply(key)
	m.hide(key)
	for h := range m.before {
		before := m.exponentials(0, h, func(n int, e [2]string) {
			for i := range e {
				m.Set(asm.Single, m.scores[0][n][2*h+i], e[i])
			}
		})
		m.Set(asm.Single, m.before[h], before)
	}
}

// pack rounds the weights to factors, and brings the sums to what they are relative to.
func (m *warpgroupWriter) pack() {
	for h, before := range m.before {
		m.rescale(0, h, before)
		for n, s := range m.scores[0] {
			m.setPair(m.weights[0][n][h], s[2*h], s[2*h+1])
		}
	}
}

// finish divides by the sums of the weights and stores the result, by way of the block's
// memory, where it takes the place of the warpgroup's queries, in boxes, too.
func (m *warpgroupWriter) finish() {
	own := func(barrier int) func() { return func() { m.Line("bar.sync %d, %d", barrier, asm.GroupThreads) } }
	m.Either(m.Op(asm.Predicate, "setp.eq.u32", m.group, "0"), own(1), own(2)) // all have multiplied these
	row := m.Shr(m.lane, 2)
	first := m.Sum(m.memory, m.Times(m.Shr(m.tid, 5), 16*asm.StripBytes)) // of the warp's rows
	at := m.Sum(first, m.Times(row, asm.StripBytes), m.Times(m.And(m.lane, 3), 4))
	for h := range 2 {
		inverse := m.inverse(0, h)
		for n, s := range m.sums[0] {
			pair := m.pair(m.new("mul.rn.f32", s[2*h], inverse), m.new("mul.rn.f32", s[2*h+1], inverse))
			chunk := m.Times(m.Op(asm.Word, "xor.b32", row, asm.Number(int64(n%8))), asm.ChunkBytes) // rows by eight have one swizzle
			m.Line("st.shared.b32 [%s+%d], %s", m.Sum(at, chunk), n/8*boxesOfQueries+8*h*asm.StripBytes, pair)
		}
	}
	m.Line("bar.warp.sync -1")
	m.store(first)
}

// store copies the warp's 16 rows to the device's memory, by chunks where that is
// aligned, else by elements.
func (m *warpgroupWriter) store(first string) {
	chunks := asm.Ceil(m.a.Width, 8)
	wide := asm.NextPower(chunks)
	both := m.Op(asm.Long, "and.b64", m.Op(asm.Long, "or.b64", m.result, m.step), asm.Number(asm.ChunkBytes-1))
	aligned := m.Op(asm.Predicate, "setp.eq.u64", both, "0")
	queries := m.Minus(m.queries, m.query)
	m.Loop(m.Wide(m.lane), asm.Number(int64(16*wide)), asm.Number(asm.WarpSlots), func(n string) {
		e := m.Op(asm.Word, "cvt.u32.u64", n)
		row, chunk := m.Shr(e, asm.Log2(wide)), m.And(e, wide-1)
		of := m.Sum(m.Times(m.Shr(m.tid, 5), 16), row)
		inside := m.Both(m.Op(asm.Predicate, "setp.lt.s32", of, queries), m.Op(asm.Predicate, "setp.lt.u32", chunk, asm.Number(int64(chunks))))
		m.When(inside, func() {
			in := m.Times(m.Op(asm.Word, "xor.b32", m.And(chunk, 7), m.And(row, 7)), asm.ChunkBytes)
			from := m.Sum(first, m.Times(row, asm.StripBytes), m.Times(m.Shr(chunk, 3), boxesOfQueries), in)
			to := m.Mad(m.Wide(of), m.step, m.Mad(m.Wide(chunk), asm.Number(asm.ChunkBytes), m.result))
			m.storeChunk(from, to, m.Times(chunk, 8), aligned)
		})
	})
}

// storeChunk stores a chunk, from a feature on.
func (m *warpgroupWriter) storeChunk(from, to, feature, aligned string) {
	elements := func() {
		for i := range min(8, m.a.Width) {
			v := m.Fresh(asm.Half)
			m.Line("ld.shared.b16 %s, [%s+%d]", v, from, 2*i)
			m.Line("@%s st.global.b16 [%s+%d], %s", m.Op(asm.Predicate, "setp.lt.u32", feature, asm.Number(int64(m.a.Width-i))), to, 2*i, v)
		}
	}
	if m.a.Width%8 != 0 {
		elements()
		return
	}
	m.Either(aligned, func() {
		r := []string{m.Fresh(asm.Word), m.Fresh(asm.Word), m.Fresh(asm.Word), m.Fresh(asm.Word)}
		m.Line("ld.shared.v4.b32 {%s}, [%s]", asm.List(r), from)
		m.Line("st.global.v4.b32 [%s], {%s}", to, asm.List(r))
	}, elements)
}
