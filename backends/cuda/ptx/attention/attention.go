package attention

import (
	"errors"
	"fmt"
	"math"

	"ltc/backends/cuda/ptx/internal/asm"
	"ltc/internal/diag"
	"ltc/ir/types"
)

// Op is the softmax of scaled products of queries with keys, times values, in one entry
// that keeps no scores. Each block has some queries of a head, and goes through the keys
// tile by tile. Its sums of the tiles so far are relative to the largest score of these
// (Milakov, Gimelshein 2018; Dao 2023).
//
// Scores are sums of f32 in tensor cores. A weight is 2 to the power of its score times
// scale·log₂ e, less that of the largest so far. It is off by up to 7e-6 of itself, and
// rounded to the elements' type before it meets the values. Sums of weights are of f32, of
// weights that are not rounded. All is in an order that follows from the sizes.
//
// A mask is added to the scores once they are scaled, or says of each whether it
// counts; a query to which all is hidden gives zeros, if no value is infinite or NaN.
//
// An entry's parameters are, in this order:
//
//   - the addresses of queries, keys, values, result and, if there is one, mask;
//   - if keys are cut, the addresses of [Op.Work];
//   - how many queries, keys and heads there are, and how many heads share keys and
//     values;
//   - if keys are cut, how many parts there are, and keys of one;
//   - of each operand, how many elements batches, heads and rows are apart, which of a
//     mask may be 0.
//
// Rows are contiguous; those of a mask are queries', with an element for each key. If keys
// are cut, the entry does not write the result.
type Op struct {
	Type   types.DType // f16 or bf16
	Dim    int         // features of queries and keys
	Width  int         // and of values
	Causal bool        // whether a query sees one key less than the next; the last sees all
	Scale  float64     // of the scores
	Mask   types.DType // bool, which says what is seen, f16, bf16 or f32; Invalid: there is none
	Split  bool        // whether keys are cut into parts, each a block's, which another launch combines
}

const (
	blockThreads = 128
	mostFeatures = 256 // as many as sums of 16 rows have registers for
	// rowPad is what lies between rows in the block's memory: rows are an odd number
	// of chunks apart then, so that eight of them meet each bank once.
	rowPad = asm.ChunkBytes
)

// Check returns an error that wraps [errors.ErrUnsupported] if there is no entry.
func (a Op) Check() error {
	c := float32(a.Scale * math.Log2E)
	switch {
	case a.Type != types.BF16 && a.Type != types.F16:
		return unsupported("of %v, which tensor cores do not multiply as it is", a.Type)
	case min(a.Dim, a.Width) < 1 || max(a.Dim, a.Width) > mostFeatures:
		return unsupported("of %d and %s: from 1 to %d", a.Dim, diag.Count(a.Width, "feature"), mostFeatures)
	case !(c > 0x1p-100) || c > 0x1p100:
		return unsupported("with scores scaled by %v", a.Scale)
	case a.masked() && !masks[a.Mask]:
		return unsupported("with a mask of %v: of bool, f16, bf16 or f32", a.Mask)
	}
	return nil
}

func unsupported(format string, args ...any) error {
	return fmt.Errorf("ptx: attention %s: %w", fmt.Sprintf(format, args...), errors.ErrUnsupported)
}

// parts is how many times 16 queries a warp has: two, so that what it reads of keys
// and values serves twice, if there are registers for their sums.
func (a Op) parts() int {
	if max(a.dim(), a.width()) > 128 {
		return 1
	}
	return 2
}

// tile is how many keys a tile has: as many as scores have registers for, beside the
// sums.
func (a Op) tile() int {
	if max(a.dim(), a.width()) > 64 {
		return 32
	}
	return 64
}

// rows is how many queries a block has.
func (a Op) rows() int { return blockThreads / 32 * 16 * a.parts() }

// dim and width are the features in the block's memory: with zeros up to what a
// product of fragments takes.
func (a Op) dim() int   { return asm.RoundUp(a.Dim, 16) }
func (a Op) width() int { return asm.RoundUp(a.Width, 16) }

func pitch(features int) int { return 2*features + rowPad }

// tileBytes is what a tile of keys takes, with their values.
func (a Op) tileBytes() int { return a.tile() * (pitch(a.dim()) + pitch(a.width())) }

// shared is the memory of a block: queries, a tile that is multiplied and one that
// is copied meanwhile; at last the result.
func (a Op) shared() int {
	return max(a.rows()*pitch(a.dim())+2*a.tileBytes(), a.rows()*pitch(a.width()))
}

// Launch returns the launch for so many queries of so many heads of all batches, of
// some keys; of no blocks, if there is nothing to compute.
func (a Op) Launch(queries, heads int64) asm.Launch {
	l := asm.Launch{Block: [3]int{blockThreads, 1, 1}, Shared: a.shared()}
	if n := asm.Ceil(queries, int64(a.rows())) * heads; n > 0 {
		l.Grid = [3]int{int(n), 1, 1}
	}
	return l
}

func (a Op) String() string {
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
	return fmt.Sprintf("%sattention of %v, %d and %s%s, tiles of %s and %s", causal, a.Type, a.Dim, diag.Count(a.Width, "feature"), mask, diag.Count(a.rows(), "query"), diag.Count(a.tile(), "key"))
}

// writer writes an entry.
type writer struct {
	*asm.Writer
	a       Op
	t       types.DType // of the elements
	memory  string      // where the block's begins
	tid     string      // the thread and its lane, as words
	lane    string
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
func (a Op) Entry(name string) (string, error) {
	if err := a.Check(); err != nil {
		return "", err
	}
	w := asm.New(name, [2]int{blockThreads, 1})
	m := &writer{Writer: w, t: a.Type, a: a, rows: a.rows(), parts: a.parts(), tile: a.tile()}
	bases, steps := m.locate()
	m.q = m.stripe(bases[0], steps[0], m.rows, a.Dim, 0)
	m.k = m.stripe(bases[1], steps[1], m.tile, a.Dim, m.q.bytes())
	m.v = m.stripe(bases[2], steps[2], m.tile, a.Width, m.k.at+m.k.bytes())
	if !a.Split {
		m.y = m.stripe(bases[3], steps[3], m.rows, a.Width, 0)
	}
	m.run()
	return w.Text(), w.Err
}

// locate finds the block's queries. It returns where they are, the keys and values of
// their head, the result and the mask, and how many bytes rows are apart.
func (m *writer) locate() (bases, steps []string) {
	w := m.Writer
	w.Narrows = true // a grid has fewer than 2^31 blocks
	bases, steps = make([]string, m.a.operands()), make([]string, m.a.operands())
	for i := range bases {
		bases[i] = w.Param()
	}
	if m.a.Split {
		m.part = &part{sums: w.Param(), seen: w.Param()}
	}
	queries, keys, heads, shared := w.Param(), w.Param(), w.Param(), w.Param()
	m.queries, m.keys = w.Op(asm.Word, "cvt.u32.u64", queries), w.Op(asm.Word, "cvt.u32.u64", keys)
	m.memory = w.Op(asm.Word, "mov.u32", "block")
	m.tid = w.Op(asm.Word, "mov.u32", "%tid.x")
	m.lane = m.And(m.tid, asm.WarpSlots-1)
	id := w.Special("%ctaid.x")
	if m.part != nil {
		m.part.parts = w.Param()
		id = m.part.take(m, id, w.Param())
	}
	tiles := m.Ceil(queries, m.rows)
	all, tile := "", ""
	if m.a.Causal {
		all, tile = m.longestFirst(id, tiles, keys)
	} else {
		all, tile = w.Quotient(id, tiles), w.Modulo(id, tiles)
	}
	first := w.Mul(tile, asm.Number(int64(m.rows)))
	m.query = w.Op(asm.Word, "cvt.u32.u64", first)
	if m.part != nil {
		m.part.query = w.Mad(all, queries, first)
	}
	batch, head := w.Quotient(all, heads), w.Modulo(all, heads)
	m.head = [3]string{batch, head, head}
	for i := range bases {
		h := head
		if i == 1 || i == 2 {
			h = w.Quotient(head, shared)
			m.head[2] = h
		}
		at := w.Mul(batch, w.Param())
		at = w.Mad(h, w.Param(), at)
		row := w.Param()
		if i != 1 && i != 2 {
			at = w.Mad(first, row, at)
		}
		if m.part != nil {
			switch i {
			case 1, 2:
				at = w.Mad(m.part.from, row, at)
			case 4:
				at = w.Add(at, m.part.from)
			}
		}
		size := m.t.Size()
		if i == 4 {
			size = m.a.Mask.Size()
		}
		steps[i] = w.Mul(row, asm.Number(int64(size)))
		bases[i] = w.Mad(at, asm.Number(int64(size)), bases[i])
		if i == 4 {
			m.mask = m.newMask(bases[i], row)
		}
	}
	return bases, steps
}

// cachedBytes is what keys and values of heads may have that are gone through at a time:
// they are read again and again, from the cache of a large GPU.
var cachedBytes = 32 << 20 // a test takes less, for heads of few keys

// longestFirst returns the head, counted over all batches, and the tile of queries of block
// id, where tiles see different numbers of keys. Those with most keys come first, of all
// heads of a group: no long one is left when others have ended. Groups are of as many heads
// as the cache has the keys and values of.
func (m *writer) longestFirst(id, tiles, keys string) (head, tile string) {
	w := m.Writer
	blocks := w.Special("%nctaid.x")
	if m.part != nil {
		blocks = w.Quotient(blocks, m.part.parts)
	}
	heads := w.Quotient(blocks, tiles)
	most := asm.Number(int64(cachedBytes / ((m.a.Dim + m.a.Width) * m.t.Size())))
	group := w.Op(asm.Long, "min.s64", w.Op(asm.Long, "max.s64", w.Quotient(most, w.Op(asm.Long, "max.s64", keys, "1")), "1"), heads)
	of := w.Mul(group, tiles)
	first, at := w.Mul(w.Quotient(id, of), group), w.Modulo(id, of)
	group = w.Op(asm.Long, "min.s64", group, w.Op(asm.Long, "sub.s64", heads, first)) // the last may be smaller
	tile = w.Op(asm.Long, "sub.s64", w.Add(tiles, "-1"), w.Quotient(at, group))
	return w.Add(first, w.Modulo(at, group)), tile
}

// run goes through the keys. A tile is copied while the one before it is multiplied.
func (m *writer) run() {
	w := m.Writer
	end := m.reach()
	m.begin()
	j := w.Variable(asm.Word, "0")
	m.now = w.Variable(asm.Word, m.memory)
	m.Open()
	m.q.copy(m, m.memory, m.Minus(m.queries, m.query))
	m.k.copy(m, m.memory, m.keys)
	m.v.copy(m, m.memory, m.keys)
	m.Close()
	again := w.Label()
	w.Place(again)
	w.Open()
	m.Line("cp.async.wait_all")
	m.Barrier() // a tile is there, and all are done with the one before
	after := m.Minus(m.Plus(m.Op(asm.Word, "shl.b32", m.memory, "1"), m.a.tileBytes()), m.now)
	next := m.Plus(j, m.tile)
	more := w.Op(asm.Predicate, "setp.lt.s32", next, end)
	m.When(more, func() {
		left := m.Minus(m.keys, next)
		m.k.copy(m, after, left)
		m.v.copy(m, after, left)
	})
	m.score()
	m.apply(j)
	m.hide(j)
	m.weigh()
	m.mix()
	m.Set(asm.Word, j, next)
	m.Set(asm.Word, m.now, after)
	w.Close()
	w.Line("@%s bra %s", more, again)
	if m.part != nil {
		m.leave()
		return
	}
	m.finish()
}

// reach returns behind which key the block sees no more, and finds what queries see.
func (m *writer) reach() string {
	m.row = m.Sum(m.Times(m.Shr(m.tid, 5), 16*m.parts), m.Shr(m.lane, 2))
	if !m.a.Causal {
		return m.keys
	}
	keys := m.keys
	if m.part != nil {
		keys = m.part.left
	}
	offset := m.Minus(keys, m.queries)
	m.first = m.Plus(m.Sum(m.query, offset), 1)
	return m.Op(asm.Word, "min.s32", m.keys, m.Sum(m.query, offset, asm.Number(int64(m.rows))))
}

// begin makes what is kept from tile to tile.
func (m *writer) begin() {
	for range m.parts {
		m.scores = append(m.scores, m.fragments(m.tile/8))
		m.weights = append(m.weights, make([][2]string, m.tile/8))
		m.sums = append(m.sums, m.fragments(m.a.width()/8))
		least := asm.Bits32(m.a.least())
		m.most = append(m.most, [2]string{m.Variable(asm.Single, least), m.Variable(asm.Single, least)})
		m.total = append(m.total, [2]string{m.Variable(asm.Single, asm.Bits32(0)), m.Variable(asm.Single, asm.Bits32(0))})
	}
}

// fragments are so many sums, of 0.
func (m *writer) fragments(n int) [][4]string {
	all := make([][4]string, n)
	for i := range all {
		for r := range all[i] {
			all[i][r] = m.Variable(asm.Single, asm.Bits32(0))
		}
	}
	return all
}

// score multiplies the queries with a tile of keys.
func (m *writer) score() {
	for i := range m.scores {
		for n := range m.scores[i] {
			for _, r := range m.scores[i][n] {
				m.Set(asm.Single, r, asm.Bits32(0))
			}
		}
	}
	in, low, high := m.squares()
	warp := m.Times(m.Shr(m.tid, 5), 16*m.parts)
	q := m.Sum(m.memory, m.Times(m.Sum(warp, in, m.Times(low, 8)), m.q.pitch), m.Times(high, asm.ChunkBytes))
	k := m.Sum(m.now, m.Times(m.Sum(in, m.Times(high, 8)), m.k.pitch), m.Times(low, asm.ChunkBytes))
	for step := range m.a.dim() / 16 {
		var rows [][]string
		for i := range m.scores {
			rows = append(rows, m.ldmatrix("", q, 16*i*m.q.pitch+step*asm.FragmentBytes))
		}
		for n := 0; n < m.tile/8; n += 2 {
			columns := m.ldmatrix("", k, m.k.at+8*n*m.k.pitch+step*asm.FragmentBytes)
			for i := range m.scores {
				m.Mma(m.t, &m.scores[i][n], rows[i], columns[:2])
				m.Mma(m.t, &m.scores[i][n+1], rows[i], columns[2:])
			}
		}
	}
}

// squares returns which row of which of the four squares of ldmatrix the lane has
// the address of.
func (m *writer) squares() (in, low, high string) {
	square := m.Shr(m.lane, 3)
	return m.And(m.lane, 7), m.And(square, 1), m.Shr(square, 1)
}

func (m *writer) ldmatrix(trans, at string, offset int) []string {
	r := []string{m.Fresh(asm.Word), m.Fresh(asm.Word), m.Fresh(asm.Word), m.Fresh(asm.Word)}
	m.Line("ldmatrix.sync.aligned.m8n8.x4%s.shared.b16 {%s, %s, %s, %s}, [%s+%d]", trans, r[0], r[1], r[2], r[3], at, offset)
	return r
}

// hide makes the scores of keys that a query does not see those of no weight, in
// the tiles that have such keys.
func (m *writer) hide(j string) {
	w := m.Writer
	seen := func(row string) string { // how many keys, from j on
		n := m.keys
		if m.a.Causal {
			n = w.Op(asm.Word, "min.s32", n, m.Sum(m.first, row))
		}
		return m.Minus(n, j)
	}
	some := w.Op(asm.Predicate, "setp.lt.s32", seen("0"), asm.Number(int64(m.tile)))
	m.When(some, func() {
		for i := range m.scores {
			for h := range 2 {
				n := m.Minus(seen(m.Plus(m.row, 16*i+8*h)), m.Times(m.And(m.lane, 3), 2))
				for c := range m.scores[i] {
					for e := range 2 {
						r := m.scores[i][c][2*h+e]
						p := w.Op(asm.Predicate, "setp.gt.s32", n, asm.Number(int64(8*c+e)))
						m.Line("selp.f32 %s, %s, %s, %s", r, r, asm.Bits32(math.Inf(-1)), p)
					}
				}
			}
		}
	})
}

// new computes a value of what changes from tile to tile, of which op would think
// that it knows it.
func (m *writer) new(opcode string, args ...string) string {
	r := m.Fresh(asm.Single)
	m.Line("%s %s, %s", opcode, r, asm.List(args))
	return r
}

// mix adds the values of a tile, weighted. Weights lie in registers as products
// left scores, which is as products take factors.
func (m *writer) mix() {
	in, low, high := m.squares()
	v := m.Sum(m.now, m.Times(m.Sum(in, m.Times(low, 8)), m.v.pitch), m.Times(high, asm.ChunkBytes))
	for step := range m.tile / 16 {
		var rows [][]string
		for i := range m.scores {
			a, b := m.weights[i][2*step], m.weights[i][2*step+1]
			rows = append(rows, []string{a[0], a[1], b[0], b[1]})
		}
		for n := 0; n < m.a.width()/8; n += 2 {
			columns := m.ldmatrix(".trans", v, m.v.at+16*step*m.v.pitch+8*n*2)
			for i := range m.sums {
				m.Mma(m.t, &m.sums[i][n], rows[i], columns[:2])
				m.Mma(m.t, &m.sums[i][n+1], rows[i], columns[2:])
			}
		}
	}
}

// finish divides by the sums of the weights and stores the result, by way of the
// block's memory, so that threads beside each other store neighbours.
func (m *writer) finish() {
	m.Barrier() // all are done with the memory
	to := m.Sum(m.memory, m.Times(m.row, m.y.pitch), m.Times(m.And(m.lane, 3), 4))
	for i := range m.sums {
		for h := range 2 {
			inverse := m.inverse(i, h)
			for n, s := range m.sums[i] {
				pair := m.pair(m.new("mul.rn.f32", s[2*h], inverse), m.new("mul.rn.f32", s[2*h+1], inverse))
				m.Line("st.shared.b32 [%s+%d], %s", to, (16*i+8*h)*m.y.pitch+8*n*2, pair)
			}
		}
	}
	m.Barrier()
	m.y.store(m, m.Minus(m.queries, m.query))
}
