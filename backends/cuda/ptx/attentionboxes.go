package ptx

import (
	"fmt"
	"strings"

	"ltc/ir/types"
)

// Attention of warpgroups, of sm_90a: two of them multiply, 64 queries each, and one
// thread of a third has boxes of queries, keys and values copied by tensor maps. A
// warpgroup issues the scores of a tile of keys, and behind them the products of the
// weights of the tile before with their values; it makes weights of the scores while the
// latter are under way (Shah et al. 2024). The two take turns in issuing, so that one
// makes weights while products of the other are computed.
//
// Mbarriers say that queries, and each of the places for tiles of keys and of values, are
// full, which the bytes that arrive do; that a place is empty, which a lane of each warp
// does that has multiplied what was there; and whose turn it is, which the other's do.

const (
	boxedGroups    = 2   // of queries
	boxedKeys      = 128 // of a tile
	boxedPlaces    = 2   // for tiles of keys, and of values
	boxedFeatures  = 64  // of a box: stripBytes
	mostBoxed      = 128 // features that sums have registers for
	boxedQueries   = boxedGroups * groupRows
	boxedMultiply  = boxedGroups * groupThreads
	boxedThreads   = boxedMultiply + groupThreads
	boxesOfKeys    = boxedKeys * stripBytes
	boxesOfQueries = boxedQueries * stripBytes
)

// boxedMemory is how a block of boxes has its memory: where keys, values and mbarriers
// begin, behind the queries, and how many boxes beside each other hold the features.
type boxedMemory struct {
	dim, width               int // boxes
	atKeys, atValues, atBars int
}

func (a Attention) boxedMemory() boxedMemory {
	p := boxedMemory{dim: ceilInt(a.Dim, boxedFeatures), width: ceilInt(a.Width, boxedFeatures)}
	p.atKeys = max(p.dim, p.width) * boxesOfQueries // the result takes the queries' place
	p.atValues = p.atKeys + boxedPlaces*p.dim*boxesOfKeys
	p.atBars = p.atValues + boxedPlaces*p.width*boxesOfKeys
	return p
}

func ceilInt(n, by int) int { return (n + by - 1) / by }

// Of the mbarriers, by what they say; those of places are as many as these.
const (
	queriesFull = 0
	keysFull    = queriesFull + mbarrierBytes
	valuesFull  = keysFull + boxedPlaces*mbarrierBytes
	keysEmpty   = valuesFull + boxedPlaces*mbarrierBytes
	valuesEmpty = keysEmpty + boxedPlaces*mbarrierBytes
	turns       = valuesEmpty + boxedPlaces*mbarrierBytes
	boxedBars   = turns + boxedGroups*mbarrierBytes
)

// Boxed returns the launch of the entry of [Attention.BoxedEntry] for such sizes and
// strides, those of [Attention], of so many batches, and the maps of queries, keys and
// values, which are arguments behind the others; false if there is none. The addresses of
// the maps' operands must be multiples of [MapAlign].
func (a Attention) Boxed(sizes, strides []int64, batches int64) (Launch, []Map, bool) {
	if a.Check() != nil || a.Split || max(a.Dim, a.Width) > mostBoxed {
		return Launch{}, nil, false
	}
	queries, keys, heads, shared := sizes[0], sizes[1], sizes[2], sizes[3]
	var maps []Map
	for i, x := range []struct {
		features           int
		rows, heads, boxes int64
	}{{a.Dim, queries, heads, boxedQueries}, {a.Dim, keys, heads / shared, boxedKeys}, {a.Width, keys, heads / shared, boxedKeys}} {
		m := Map{Operand: i, Type: a.Type, Sizes: []int64{int64(x.features), x.rows, x.heads, batches}, Box: []int{boxedFeatures, int(x.boxes), 1, 1}}
		for d, n := range m.Sizes {
			if n < 1 || n >= 1<<31 {
				return Launch{}, nil, false
			}
			if d == 0 {
				continue
			}
			bytes := strides[3*i+3-d] * int64(a.Type.Size())
			if n == 1 {
				bytes = MapAlign // nothing is there
			}
			if bytes%MapAlign != 0 || bytes <= 0 || bytes >= 1<<40 {
				return Launch{}, nil, false
			}
			m.Strides = append(m.Strides, bytes)
		}
		maps = append(maps, m)
	}
	l := Launch{Variant: 1, Block: [3]int{boxedThreads, 1, 1}, Shared: a.boxedMemory().atBars + boxedBars}
	l.Grid = [3]int{int(ceil(queries, boxedQueries) * heads * batches), 1, 1}
	return l, maps, l.Grid[0] > 0
}

// BoxedEntry returns the text of the entry for sm_90a that is given tensor maps.
func (a Attention) BoxedEntry(name string) (string, error) {
	if err := a.Check(); err != nil {
		return "", err
	}
	if max(a.Dim, a.Width) > mostBoxed {
		return "", unsupportedAttention("by boxes of %d and %d features: up to %d", a.Dim, a.Width, mostBoxed)
	}
	if a.Split {
		return "", unsupportedAttention("by boxes of keys that are cut into parts")
	}
	w := begin(name, [2]int{boxedThreads, 1})
	m := &attention{tensor: &tensor{writer: w, t: a.Type}, a: a, rows: boxedQueries, parts: 1, tile: boxedKeys}
	bases, steps := m.locate()
	b := &boxedAttention{attention: m, boxedMemory: a.boxedMemory(), result: bases[3], step: steps[3]}
	b.run()
	return w.entry(), w.err
}

// boxedAttention is where code that writes one is.
type boxedAttention struct {
	*attention
	boxedMemory
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

func (m *boxedAttention) run() {
	m.bar = m.plus(m.memory, m.atBars)
	from := number(boxedMultiply)
	m.when(m.op(predicate, "setp.eq.u32", m.tid, "0"), func() {
		init := func(at, n, arrivals int) {
			for i := range n {
				m.line("mbarrier.init.shared::cta.b64 [%s+%d], %d", m.bar, at+i*mbarrierBytes, arrivals)
			}
		}
		init(queriesFull, 1+2*boxedPlaces, 1)
		init(keysEmpty, 2*boxedPlaces, boxedMultiply/warpSlots)
		init(turns, boxedGroups, groupThreads/warpSlots)
		m.line("fence.mbarrier_init.release.cluster")
	})
	m.barrier()
	m.tiles = m.shr(m.plus(m.reach(), boxedKeys-1), log2(boxedKeys))
	m.when(m.op(predicate, "setp.ge.u32", m.tid, from), func() {
		m.line("setmaxnreg.dec.sync.aligned.u32 %d", copierRegisters)
		m.when(m.op(predicate, "setp.eq.u32", m.tid, from), m.copies)
	})
	m.when(m.op(predicate, "setp.lt.u32", m.tid, from), func() {
		m.line("setmaxnreg.inc.sync.aligned.u32 %d", multiplierRegisters)
		m.multiplies()
	})
}

// berth is the place of a tile, among those of keys or of values.
type berth struct {
	at     string // how far behind the first place's, as a number of places
	bar    string // its mbarriers, behind those of the first place
	parity string // of the phase in which it is full
}

func (m *boxedAttention) berth(tile string) berth {
	at := m.and(tile, boxedPlaces-1)
	return berth{at: at, bar: m.sum(m.bar, m.times(at, mbarrierBytes)), parity: m.and(m.shr(tile, log2(boxedPlaces)), 1)}
}

// copies has all boxes copied.
func (m *boxedAttention) copies() {
	head := func(h string) string { return m.op(word, "cvt.u32.u64", h) }
	batch := head(m.head[0])
	boxes := func(n, boxes, size int, to, on, row, h string) {
		m.line("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%s], %d", on, boxes*size)
		for i := range boxes {
			m.line("cp.async.bulk.tensor.4d.shared::cluster.global.mbarrier::complete_tx::bytes [%s], [%s, {%d, %s, %s, %s}], [%s]",
				m.plus(to, i*size), m.tensorMap(n), i*boxedFeatures, row, h, batch, on)
		}
	}
	boxes(0, m.dim, boxesOfQueries, m.memory, m.plus(m.bar, queriesFull), m.query, head(m.head[1]))
	group := head(m.head[2])
	m.loop("0", m.wide(m.tiles), "1", func(n string) {
		tile := m.op(word, "cvt.u32.u64", n)
		p := m.berth(tile)
		before := m.op(word, "xor.b32", p.parity, "1") // places that nothing was in are empty
		row := m.times(tile, boxedKeys)
		m.await(p.bar, keysEmpty, before)
		boxes(1, m.dim, boxesOfKeys, m.plus(m.sum(m.memory, m.times(p.at, m.dim*boxesOfKeys)), m.atKeys), m.plus(p.bar, keysFull), row, group)
		m.await(p.bar, valuesEmpty, before)
		boxes(2, m.width, boxesOfKeys, m.plus(m.sum(m.memory, m.times(p.at, m.width*boxesOfKeys)), m.atValues), m.plus(p.bar, valuesFull), row, group)
	})
}

// multiplies goes through the tiles: in each turn the scores of a tile are multiplied,
// and behind them the values of the one before, whose weights are made of scores before
// the turn. What is under way is waited for where a turn begins: the assembler would
// else wait before it computes what has nothing to do with that.
func (m *boxedAttention) multiplies() {
	w := m.writer
	m.begin()
	for n := range m.weights[0] {
		m.weights[0][n] = [2]string{m.variable(word, "0"), m.variable(word, "0")}
	}
	m.before = [2]string{m.variable(single, bits32(0)), m.variable(single, bits32(0))}
	m.group = m.shr(m.tid, log2(groupThreads))
	m.leads = m.op(predicate, "setp.eq.u32", m.lane, "0")
	parity := m.variable(word, m.op(word, "xor.b32", m.group, "1")) // the first turn is the first one's
	m.await(m.bar, queriesFull, "0")

	w.open()
	first := m.berth("0")
	m.await(first.bar, keysFull, first.parity)
	m.score(first)
	m.line("wgmma.wait_group.sync.aligned 0")
	m.arrive(first.bar, keysEmpty)
	m.weigh("0")
	w.close()

	j := m.variable(word, "0")
	again, last := w.label(), w.label()
	w.place(again)
	w.open()
	m.line("wgmma.wait_group.sync.aligned 0")
	m.emptied(j)
	m.pack()
	now := m.fresh(word) // the tile whose values are multiplied
	m.line("mov.u32 %s, %s", now, j)
	next, p := m.plus(now, 1), m.berth(now)
	m.await(p.bar, valuesFull, p.parity)
	m.line("@%s bra %s", m.op(predicate, "setp.ge.u32", next, m.tiles), last)
	w.open()
	q := m.berth(next)
	m.await(q.bar, keysFull, q.parity)
	m.turn(parity, func() {
		m.score(q)
		m.mix(p)
	})
	m.line("wgmma.wait_group.sync.aligned 1")
	m.arrive(q.bar, keysEmpty)
	m.weigh(m.times(next, boxedKeys))
	w.close()
	m.set(word, j, next)
	m.line("bra %s", again)
	w.place(last)
	m.mix(p)
	m.line("wgmma.wait_group.sync.aligned 0")
	w.close()
	m.finish()
}

// emptied says that the values have been multiplied of the tile before one, if there is
// one.
func (m *boxedAttention) emptied(tile string) {
	before := m.fresh(word)
	m.line("sub.u32 %s, %s, 1", before, tile)
	some := m.fresh(predicate)
	m.line("setp.ne.u32 %s, %s, 0", some, tile)
	m.line("and.pred %s, %s, %s", some, some, m.leads)
	m.line("@%s mbarrier.arrive.shared::cta.b64 _, [%s+%d]", some, m.berth(before).bar, valuesEmpty)
}

// arrive has the warp say that it is done with what an mbarrier is of.
func (m *boxedAttention) arrive(bar string, off int) {
	m.line("@%s mbarrier.arrive.shared::cta.b64 _, [%s+%d]", m.leads, bar, off)
}

// turn issues products when it is the warpgroup's turn, which then is the other's.
func (m *boxedAttention) turn(parity string, issue func()) {
	own := m.sum(m.bar, m.times(m.group, mbarrierBytes))
	other := m.sum(m.bar, m.times(m.op(word, "xor.b32", m.group, "1"), mbarrierBytes))
	m.await(own, turns, parity)
	m.line("xor.b32 %s, %s, 1", parity, parity)
	issue()
	m.arrive(other, turns)
}

// descriptors returns those of a factor that begins at an address, by how many bytes
// behind: of one that lies along K, or else whose boxes are some bytes apart.
func (m *boxedAttention) descriptors(at string, apart int) func(off int) string {
	start := m.shr(m.and(at, 1<<18-1), log2(chunkBytes))
	low := m.op(word, "or.b32", start, fmt.Sprintf("%#x", apart/chunkBytes<<16))
	high := m.op(word, "mov.u32", fmt.Sprintf("%#x", swizzle|eightRows/chunkBytes))
	return func(off int) string {
		return m.op(long, "mov.b64", "{"+m.plus(low, off/chunkBytes)+", "+high+"}")
	}
}

// wgmma issues a product of the warpgroup.
func (m *boxedAttention) wgmma(sums [][4]string, a, b string, adds bool, transposed string) {
	var d []string
	for _, s := range sums {
		d = append(d, s[:]...)
	}
	kind := map[types.DType]string{types.BF16: "bf16.bf16", types.F16: "f16.f16"}[m.t]
	scale := 0
	if adds {
		scale = 1
	}
	m.line("wgmma.mma_async.sync.aligned.m%dn%dk16.f32.%s {%s}, %s, %s, %d, 1, 1, %s", groupRows, 8*len(sums), kind, strings.Join(d, ", "), a, b, scale, transposed)
}

// score issues the products of the queries with a tile of keys.
func (m *boxedAttention) score(p berth) {
	q := m.descriptors(m.sum(m.memory, m.times(m.group, blockBytes)), chunkBytes)
	k := m.descriptors(m.plus(m.sum(m.memory, m.times(p.at, m.dim*boxesOfKeys)), m.atKeys), chunkBytes)
	m.line("wgmma.fence.sync.aligned")
	for step := range m.a.dim() / 16 {
		box, in := step/4, step%4*fragmentBytes
		m.wgmma(m.scores[0], q(box*boxesOfQueries+in), k(box*boxesOfKeys+in), step > 0, "0, 0")
	}
	m.line("wgmma.commit_group.sync.aligned")
}

// mix issues the products of the weights with a tile of values. Weights lie in registers
// as products left scores, which is as products take factors.
func (m *boxedAttention) mix(p berth) {
	v := m.descriptors(m.plus(m.sum(m.memory, m.times(p.at, m.width*boxesOfKeys)), m.atValues), boxesOfKeys)
	m.line("wgmma.fence.sync.aligned")
	for step := range boxedKeys / 16 {
		a, b := m.weights[0][2*step], m.weights[0][2*step+1]
		m.wgmma(m.sums[0], "{"+list([]string{a[0], a[1], b[0], b[1]})+"}", v(step*2*eightRows), true, "1")
	}
	m.line("wgmma.commit_group.sync.aligned")
}

// weigh makes the scores of a tile, from a key on, weights where they are.
func (m *boxedAttention) weigh(key string) {
	m.apply(key)
	m.hide(key)
	for h := range m.before {
		before := m.exponentials(0, h, func(n int, e [2]string) {
			for i := range e {
				m.set(single, m.scores[0][n][2*h+i], e[i])
			}
		})
		m.set(single, m.before[h], before)
	}
}

// pack rounds the weights to factors, and brings the sums to what they are relative to.
func (m *boxedAttention) pack() {
	for h, before := range m.before {
		m.rescale(0, h, before)
		for n, s := range m.scores[0] {
			m.setPair(m.weights[0][n][h], s[2*h], s[2*h+1])
		}
	}
}

// finish divides by the sums of the weights and stores the result, by way of the block's
// memory, where it takes the place of the warpgroup's queries, in boxes, too.
func (m *boxedAttention) finish() {
	own := func(barrier int) func() { return func() { m.line("bar.sync %d, %d", barrier, groupThreads) } }
	m.either(m.op(predicate, "setp.eq.u32", m.group, "0"), own(1), own(2)) // all have multiplied these
	row := m.shr(m.lane, 2)
	first := m.sum(m.memory, m.times(m.shr(m.tid, 5), 16*stripBytes)) // of the warp's rows
	at := m.sum(first, m.times(row, stripBytes), m.times(m.and(m.lane, 3), 4))
	for h := range 2 {
		inverse := m.inverse(0, h)
		for n, s := range m.sums[0] {
			pair := m.pair(m.new("mul.rn.f32", s[2*h], inverse), m.new("mul.rn.f32", s[2*h+1], inverse))
			chunk := m.times(m.op(word, "xor.b32", row, number(int64(n%8))), chunkBytes) // rows by eight have one swizzle
			m.line("st.shared.b32 [%s+%d], %s", m.sum(at, chunk), n/8*boxesOfQueries+8*h*stripBytes, pair)
		}
	}
	m.line("bar.warp.sync -1")
	m.store(first)
}

// store copies the warp's 16 rows to the device's memory, by chunks where that is
// aligned, else by elements.
func (m *boxedAttention) store(first string) {
	chunks := ceilInt(m.a.Width, 8)
	wide := nextPower(chunks)
	both := m.op(long, "and.b64", m.op(long, "or.b64", m.result, m.step), number(chunkBytes-1))
	aligned := m.op(predicate, "setp.eq.u64", both, "0")
	queries := m.minus(m.queries, m.query)
	m.loop(m.wide(m.lane), number(int64(16*wide)), number(warpSlots), func(n string) {
		e := m.op(word, "cvt.u32.u64", n)
		row, chunk := m.shr(e, log2(wide)), m.and(e, wide-1)
		of := m.sum(m.times(m.shr(m.tid, 5), 16), row)
		inside := m.both(m.op(predicate, "setp.lt.s32", of, queries), m.op(predicate, "setp.lt.u32", chunk, number(int64(chunks))))
		m.when(inside, func() {
			in := m.times(m.op(word, "xor.b32", m.and(chunk, 7), m.and(row, 7)), chunkBytes)
			from := m.sum(first, m.times(row, stripBytes), m.times(m.shr(chunk, 3), boxesOfQueries), in)
			to := m.mad(m.wide(of), m.step, m.mad(m.wide(chunk), number(chunkBytes), m.result))
			m.storeChunk(from, to, m.times(chunk, 8), aligned)
		})
	})
}

// storeChunk stores a chunk, from a feature on.
func (m *boxedAttention) storeChunk(from, to, feature, aligned string) {
	elements := func() {
		for i := range min(8, m.a.Width) {
			v := m.fresh(half)
			m.line("ld.shared.b16 %s, [%s+%d]", v, from, 2*i)
			m.line("@%s st.global.b16 [%s+%d], %s", m.op(predicate, "setp.lt.u32", feature, number(int64(m.a.Width-i))), to, 2*i, v)
		}
	}
	if m.a.Width%8 != 0 {
		elements()
		return
	}
	m.either(aligned, func() {
		r := []string{m.fresh(word), m.fresh(word), m.fresh(word), m.fresh(word)}
		m.line("ld.shared.v4.b32 {%s}, [%s]", list(r), from)
		m.line("st.global.v4.b32 [%s], {%s}", to, list(r))
	}, elements)
}
