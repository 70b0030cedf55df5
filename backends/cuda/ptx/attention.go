package ptx

import (
	"errors"
	"fmt"
	"math"
	"math/bits"

	"ltc/ir/types"
)

// Attention is the softmax of scaled products of queries with keys, times values,
// in one entry that keeps no scores: each block has some queries of a head, and goes
// through the keys tile by tile, with the sums of what it has seen so far relative
// to the largest score of that (Milakov, Gimelshein 2018; Dao 2023).
//
// What it computes: scores are sums of f32 in tensor cores; a weight is 2 to the
// power of its score times scale·log₂ e, less that of the largest so far, off by up
// to 7e-6 of itself, and rounded to the elements' type before it meets the values;
// sums of weights are of f32, of those that are not rounded. All is in an order that
// follows from the sizes.
//
// A mask is added to the scores once they are scaled, or says of each whether it
// counts; a query to which all is hidden gives zeros, if no value is infinite or NaN.
//
// An entry's parameters are the addresses of queries, keys, values, result and, if
// there is one, mask; how many queries, keys and heads there are, and how many heads
// share keys and values; then, of each operand, how many elements batches, heads and
// rows are apart, which of a mask may be 0. Rows are contiguous; those of a mask are
// queries', with an element for each key. If keys are cut, the addresses of
// [Attention.Work] come behind those, and how many parts there are, and keys of one,
// behind those numbers; the entry then does not write the result.
type Attention struct {
	Type   types.DType // f16 or bf16
	Dim    int         // features of queries and keys
	Width  int         // and of values
	Causal bool        // whether a query sees one key less than the next; the last sees all
	Scale  float64     // of the scores
	Mask   types.DType // bool, which says what is seen, f16, bf16 or f32; Invalid: there is none
	Split  bool        // whether keys are cut into parts, each a block's, which another launch combines
}

const (
	attentionThreads = 128
	mostFeatures     = 256 // as many as sums of 16 rows have registers for
	// rowPad is what lies between rows in the block's memory: rows are an odd number
	// of chunks apart then, so that eight of them meet each bank once.
	rowPad = chunkBytes
)

// Check returns an error that wraps [errors.ErrUnsupported] if there is no entry.
func (a Attention) Check() error {
	c := float32(a.Scale * math.Log2E)
	switch {
	case a.Type != types.BF16 && a.Type != types.F16:
		return unsupportedAttention("of %v, which tensor cores do not multiply as it is", a.Type)
	case min(a.Dim, a.Width) < 1 || max(a.Dim, a.Width) > mostFeatures:
		return unsupportedAttention("of %d and %d features: from 1 to %d", a.Dim, a.Width, mostFeatures)
	case !(c > 0x1p-100) || c > 0x1p100:
		return unsupportedAttention("with scores scaled by %v", a.Scale)
	case a.masked() && !masks[a.Mask]:
		return unsupportedAttention("with a mask of %v: of bool, f16, bf16 or f32", a.Mask)
	}
	return nil
}

func unsupportedAttention(format string, args ...any) error {
	return fmt.Errorf("ptx: attention %s: %w", fmt.Sprintf(format, args...), errors.ErrUnsupported)
}

// parts is how many times 16 queries a warp has: two, so that what it reads of keys
// and values serves twice, if there are registers for their sums.
func (a Attention) parts() int {
	if max(a.dim(), a.width()) > 128 {
		return 1
	}
	return 2
}

// tile is how many keys a tile has: as many as scores have registers for, beside the
// sums.
func (a Attention) tile() int {
	if max(a.dim(), a.width()) > 64 {
		return 32
	}
	return 64
}

// rows is how many queries a block has.
func (a Attention) rows() int { return attentionThreads / 32 * 16 * a.parts() }

// dim and width are the features in the block's memory: with zeros up to what a
// product of fragments takes.
func (a Attention) dim() int   { return int(roundUp(int64(a.Dim), 16)) }
func (a Attention) width() int { return int(roundUp(int64(a.Width), 16)) }

func pitch(features int) int { return 2*features + rowPad }

// tileBytes is what a tile of keys takes, with their values.
func (a Attention) tileBytes() int { return a.tile() * (pitch(a.dim()) + pitch(a.width())) }

// shared is the memory of a block: queries, a tile that is multiplied and one that
// is copied meanwhile; at last the result.
func (a Attention) shared() int {
	return max(a.rows()*pitch(a.dim())+2*a.tileBytes(), a.rows()*pitch(a.width()))
}

// Launch returns the launch for so many queries of so many heads of all batches, of
// some keys; of no blocks, if there is nothing to compute.
func (a Attention) Launch(queries, heads int64) Launch {
	l := Launch{Block: [3]int{attentionThreads, 1, 1}, Shared: a.shared()}
	if n := ceil(queries, int64(a.rows())) * heads; n > 0 {
		l.Grid = [3]int{int(n), 1, 1}
	}
	return l
}

func (a Attention) String() string {
	causal := ""
	if a.Causal {
		causal = "causal "
	}
	mask := ""
	if a.masked() {
		mask = fmt.Sprintf(", masked by %v", a.Mask)
	}
	if a.Split {
		mask += ", keys in parts"
	}
	return fmt.Sprintf("%sattention of %v, %d and %d features%s, tiles of %d queries and %d keys", causal, a.Type, a.Dim, a.Width, mask, a.rows(), a.tile())
}

// attention is where code that writes one is.
type attention struct {
	*tensor // its arithmetic of words, and its products
	a       Attention
	rows    int // queries of a block, of which warps have so many times 16
	parts   int
	tile    int // keys of a tile
	y       *stripe
	q, k, v *stripe
	mask    *scoreMask // nil: there is none
	part    *part      // nil: keys are not cut
	queries string     // how many there are, as are words in what follows
	keys    string
	head    [3]string     // which batch, head, and head of the keys are the block's
	query   string        // the first of the block
	first   string        // how many keys that one sees, if causal
	now     string        // what is added to the places of keys and values: where the tile is that is multiplied
	row     string        // that of the lane's first sum, from the tile's first
	scores  [][][4]string // by 16 rows and 8 keys
	weights [][][2]string // the same, two of a row to a word
	sums    [][][4]string // by 16 rows and 8 features
	most    [][2]string   // by row: the largest score so far
	total   [][2]string   // and the sum of the lane's weights, relative to it
}

// Entry returns the text of the entry.
func (a Attention) Entry(name string) (string, error) {
	if err := a.Check(); err != nil {
		return "", err
	}
	w := begin(name, [2]int{attentionThreads, 1})
	m := &attention{tensor: &tensor{writer: w, t: a.Type}, a: a, rows: a.rows(), parts: a.parts(), tile: a.tile()}
	bases, steps := m.locate()
	m.q = m.stripe(bases[0], steps[0], m.rows, a.Dim, 0)
	m.k = m.stripe(bases[1], steps[1], m.tile, a.Dim, m.q.bytes())
	m.v = m.stripe(bases[2], steps[2], m.tile, a.Width, m.k.at+m.k.bytes())
	if !a.Split {
		m.y = m.stripe(bases[3], steps[3], m.rows, a.Width, 0)
	}
	m.run()
	return w.entry(), w.err
}

// locate finds the block's queries. It returns where they are, the keys and values of
// their head, the result and the mask, and how many bytes rows are apart.
func (m *attention) locate() (bases, steps []string) {
	w := m.writer
	w.narrows = true // a grid has fewer than 2^31 blocks
	bases, steps = make([]string, m.a.operands()), make([]string, m.a.operands())
	for i := range bases {
		bases[i] = w.param()
	}
	if m.a.Split {
		m.part = &part{sums: w.param(), seen: w.param()}
	}
	queries, keys, heads, shared := w.param(), w.param(), w.param(), w.param()
	m.queries, m.keys = w.op(word, "cvt.u32.u64", queries), w.op(word, "cvt.u32.u64", keys)
	m.memory = w.op(word, "mov.u32", "block")
	m.tid = w.op(word, "mov.u32", "%tid.x")
	m.lane = m.and(m.tid, warpSlots-1)
	id := w.special("%ctaid.x")
	if m.part != nil {
		m.part.parts = w.param()
		id = m.part.take(m, id, w.param())
	}
	tiles := m.ceil(queries, m.rows)
	all := w.quotient(id, tiles)
	tile := w.modulo(id, tiles)
	if m.a.Causal { // those with most keys first
		tile = w.op(long, "sub.s64", w.add(tiles, "-1"), tile)
	}
	first := w.mul(tile, number(int64(m.rows)))
	m.query = w.op(word, "cvt.u32.u64", first)
	if m.part != nil {
		m.part.query = w.mad(all, queries, first)
	}
	batch, head := w.quotient(all, heads), w.modulo(all, heads)
	m.head = [3]string{batch, head, head}
	for i := range bases {
		h := head
		if i == 1 || i == 2 {
			h = w.quotient(head, shared)
			m.head[2] = h
		}
		at := w.mul(batch, w.param())
		at = w.mad(h, w.param(), at)
		row := w.param()
		if i != 1 && i != 2 {
			at = w.mad(first, row, at)
		}
		if m.part != nil {
			switch i {
			case 1, 2:
				at = w.mad(m.part.from, row, at)
			case 4:
				at = w.add(at, m.part.from)
			}
		}
		size := m.t.Size()
		if i == 4 {
			size = m.a.Mask.Size()
		}
		steps[i] = w.mul(row, number(int64(size)))
		bases[i] = w.mad(at, number(int64(size)), bases[i])
		if i == 4 {
			m.mask = m.newMask(bases[i], row)
		}
	}
	return bases, steps
}

// run goes through the keys. A tile is copied while the one before it is multiplied.
func (m *attention) run() {
	w := m.writer
	end := m.reach()
	m.begin()
	j := w.variable(word, "0")
	m.now = w.variable(word, m.memory)
	m.open()
	m.q.copy(m, m.memory, m.minus(m.queries, m.query))
	m.k.copy(m, m.memory, m.keys)
	m.v.copy(m, m.memory, m.keys)
	m.close()
	again := w.label()
	w.place(again)
	w.open()
	m.line("cp.async.wait_all")
	m.barrier() // a tile is there, and all are done with the one before
	after := m.minus(m.plus(m.op(word, "shl.b32", m.memory, "1"), m.a.tileBytes()), m.now)
	next := m.plus(j, m.tile)
	more := w.op(predicate, "setp.lt.s32", next, end)
	m.when(more, func() {
		left := m.minus(m.keys, next)
		m.k.copy(m, after, left)
		m.v.copy(m, after, left)
	})
	m.score()
	m.apply(j)
	m.hide(j)
	m.weigh()
	m.mix()
	m.set(word, j, next)
	m.set(word, m.now, after)
	w.close()
	w.line("@%s bra %s", more, again)
	if m.part != nil {
		m.leave()
		return
	}
	m.finish()
}

// reach returns behind which key the block sees no more, and finds what queries see.
func (m *attention) reach() string {
	m.row = m.sum(m.times(m.shr(m.tid, 5), 16*m.parts), m.shr(m.lane, 2))
	if !m.a.Causal {
		return m.keys
	}
	keys := m.keys
	if m.part != nil {
		keys = m.part.left
	}
	offset := m.minus(keys, m.queries)
	m.first = m.plus(m.sum(m.query, offset), 1)
	return m.op(word, "min.s32", m.keys, m.sum(m.query, offset, number(int64(m.rows))))
}

// begin makes what is kept from tile to tile.
func (m *attention) begin() {
	for range m.parts {
		m.scores = append(m.scores, m.fragments(m.tile/8))
		m.weights = append(m.weights, make([][2]string, m.tile/8))
		m.sums = append(m.sums, m.fragments(m.a.width()/8))
		least := bits32(m.a.least())
		m.most = append(m.most, [2]string{m.variable(single, least), m.variable(single, least)})
		m.total = append(m.total, [2]string{m.variable(single, bits32(0)), m.variable(single, bits32(0))})
	}
}

// fragments are so many sums, of 0.
func (m *attention) fragments(n int) [][4]string {
	all := make([][4]string, n)
	for i := range all {
		for r := range all[i] {
			all[i][r] = m.variable(single, bits32(0))
		}
	}
	return all
}

// score multiplies the queries with a tile of keys.
func (m *attention) score() {
	for i := range m.scores {
		for n := range m.scores[i] {
			for _, r := range m.scores[i][n] {
				m.set(single, r, bits32(0))
			}
		}
	}
	in, low, high := m.squares()
	warp := m.times(m.shr(m.tid, 5), 16*m.parts)
	q := m.sum(m.memory, m.times(m.sum(warp, in, m.times(low, 8)), m.q.pitch), m.times(high, chunkBytes))
	k := m.sum(m.now, m.times(m.sum(in, m.times(high, 8)), m.k.pitch), m.times(low, chunkBytes))
	for step := range m.a.dim() / 16 {
		var rows [][]string
		for i := range m.scores {
			rows = append(rows, m.ldmatrix("", q, 16*i*m.q.pitch+step*fragmentBytes))
		}
		for n := 0; n < m.tile/8; n += 2 {
			columns := m.ldmatrix("", k, m.k.at+8*n*m.k.pitch+step*fragmentBytes)
			for i := range m.scores {
				m.mma(&m.scores[i][n], rows[i], columns[:2])
				m.mma(&m.scores[i][n+1], rows[i], columns[2:])
			}
		}
	}
}

// squares returns which row of which of the four squares of ldmatrix the lane has
// the address of.
func (m *attention) squares() (in, low, high string) {
	square := m.shr(m.lane, 3)
	return m.and(m.lane, 7), m.and(square, 1), m.shr(square, 1)
}

func (m *attention) ldmatrix(trans, at string, offset int) []string {
	r := []string{m.fresh(word), m.fresh(word), m.fresh(word), m.fresh(word)}
	m.line("ldmatrix.sync.aligned.m8n8.x4%s.shared.b16 {%s, %s, %s, %s}, [%s+%d]", trans, r[0], r[1], r[2], r[3], at, offset)
	return r
}

// hide makes the scores of keys that a query does not see those of no weight, in
// the tiles that have such keys.
func (m *attention) hide(j string) {
	w := m.writer
	seen := func(row string) string { // how many keys, from j on
		n := m.keys
		if m.a.Causal {
			n = w.op(word, "min.s32", n, m.sum(m.first, row))
		}
		return m.minus(n, j)
	}
	some := w.op(predicate, "setp.lt.s32", seen("0"), number(int64(m.tile)))
	m.when(some, func() {
		for i := range m.scores {
			for h := range 2 {
				n := m.minus(seen(m.plus(m.row, 16*i+8*h)), m.times(m.and(m.lane, 3), 2))
				for c := range m.scores[i] {
					for e := range 2 {
						r := m.scores[i][c][2*h+e]
						p := w.op(predicate, "setp.gt.s32", n, number(int64(8*c+e)))
						m.line("selp.f32 %s, %s, %s, %s", r, r, bits32(math.Inf(-1)), p)
					}
				}
			}
		}
	})
}

// minus subtracts words.
func (m *attention) minus(a, b string) string { return m.op(word, "sub.s32", a, b) }

// new computes a value of what changes from tile to tile, of which op would think
// that it knows it.
func (m *attention) new(opcode string, args ...string) string {
	r := m.fresh(single)
	m.line("%s %s, %s", opcode, r, list(args))
	return r
}

// mix adds the values of a tile, weighted. Weights lie in registers as products
// left scores, which is as products take factors.
func (m *attention) mix() {
	in, low, high := m.squares()
	v := m.sum(m.now, m.times(m.sum(in, m.times(low, 8)), m.v.pitch), m.times(high, chunkBytes))
	for step := range m.tile / 16 {
		var rows [][]string
		for i := range m.scores {
			a, b := m.weights[i][2*step], m.weights[i][2*step+1]
			rows = append(rows, []string{a[0], a[1], b[0], b[1]})
		}
		for n := 0; n < m.a.width()/8; n += 2 {
			columns := m.ldmatrix(".trans", v, m.v.at+16*step*m.v.pitch+8*n*2)
			for i := range m.sums {
				m.mma(&m.sums[i][n], rows[i], columns[:2])
				m.mma(&m.sums[i][n+1], rows[i], columns[2:])
			}
		}
	}
}

// finish divides by the sums of the weights and stores the result, by way of the
// block's memory, so that threads beside each other store neighbours.
func (m *attention) finish() {
	m.barrier() // all are done with the memory
	to := m.sum(m.memory, m.times(m.row, m.y.pitch), m.times(m.and(m.lane, 3), 4))
	for i := range m.sums {
		for h := range 2 {
			inverse := m.inverse(i, h)
			for n, s := range m.sums[i] {
				pair := m.pair(m.new("mul.rn.f32", s[2*h], inverse), m.new("mul.rn.f32", s[2*h+1], inverse))
				m.line("st.shared.b32 [%s+%d], %s", to, (16*i+8*h)*m.y.pitch+8*n*2, pair)
			}
		}
	}
	m.barrier()
	m.y.store(m, m.minus(m.queries, m.query))
}

// nextPower returns the least power of two that is not below n.
func nextPower(n int) int { return 1 << bits.Len(uint(n-1)) }
