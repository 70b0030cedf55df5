package ptx

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"ltc/backends/cuda/ptx/internal/asm"
	"ltc/backends/cuda/ptx/internal/body"
	"ltc/backends/kit/kernel"
	"ltc/ir/types"
)

// tile is how blocks of a Tensor share out the products: each has rows·columns
// sums at a time, its warps parts of it beside each other, and a ring of strips of
// the factors, of stripBytes along K.
type tile struct {
	rows, columns int
	warps         [2]int // along rows and columns
	strips        int    // of the ring: copies of all but one may be under way
	groups        bool   // whether warpgroups multiply, four warps together: of sm_90a alone
	own           [2]int // if set, of how many rows and columns each thread adds up the sums itself, of f32
	why           string
	boxes         bool // whether boxes of the factors are copied, which a warpgroup more is for
	// flat is of how many axes of M rows are, one after the other; 0: of the last alone.
	flat int
}

// The tiles that entries are written for, by which [Schedule.Launch] chooses.
const (
	largeTile = iota
	smallTile
	fewRows
	fewColumns
	widestTile // of those for sm_90a
)

// tileTable returns them for elements of a type.
func tileTable(t types.DType, o Options) []tile {
	all := []tile{
		largeTile:  {rows: 128, columns: 128, warps: [2]int{2, 2}, strips: 3, why: "large products: each element that a warp reads takes part in 64 products, and two blocks fit a multiprocessor of H100; of others see paired"},
		smallTile:  {rows: 64, columns: 64, warps: [2]int{2, 2}, strips: 4, why: "products too small to give each multiprocessor a large tile"},
		fewRows:    {rows: 16, columns: 128, warps: [2]int{1, 4}, strips: 4, why: "few rows, such as the tokens of a decoding step: none is computed in vain, and the other factor is read once"},
		fewColumns: {rows: 128, columns: 16, warps: [2]int{4, 1}, strips: 4, why: "few columns"},
	}
	switch {
	case t == types.F32 && !o.TF32:
		all[largeTile] = tile{rows: 128, columns: 128, warps: [2]int{4, 2}, strips: 3, own: [2]int{8, 8}, why: "large products: sixteen loads for 256 fma"}
		all[smallTile].own = [2]int{8, 4}
		all[fewRows].own = [2]int{4, 4}
		all[fewColumns].own = [2]int{4, 4}
	case t == types.F32:
		all[largeTile] = tile{rows: 128, columns: 64, warps: [2]int{2, 2}, strips: 4, why: "fragments that are rounded, and read one by one, leave registers for no more sums"}
	case o.Hopper:
		all[largeTile] = tile{rows: 128, columns: 128, warps: [2]int{8, 1}, strips: 5, groups: true, why: "products that are large, but for a few of the widest"}
		all = append(all, tile{rows: 128, columns: 256, warps: [2]int{8, 1}, strips: 4, groups: true, why: "large products: two warpgroups, each with as many sums as it has registers for, share what they read of the columns"})
	}
	return all
}

// boxedTiles are tiles of those sizes whose factors tensor maps describe, for which
// [Schedule.Boxed] exchanges them.
var boxedTiles = []tile{
	{rows: 128, columns: 128, warps: [2]int{8, 1}, strips: 6, groups: true, boxes: true, why: "no thread that multiplies computes an address"},
	{rows: 128, columns: 256, warps: [2]int{8, 1}, strips: 4, groups: true, boxes: true, why: "no thread that multiplies computes an address"},
}

// tileNames names the tiles, those of warpgroups with a star, with boxes with two.
func tileNames(all []tile) string {
	var names []string
	for _, t := range all {
		name := fmt.Sprintf("%dx%d", t.rows, t.columns)
		switch {
		case t.boxes:
			name += "**"
		case t.groups:
			name += "*"
		}
		names = append(names, name)
	}
	return strings.Join(names, ", ")
}

const (
	// sumPad is how many sums lie between rows in the block's memory: pairs of the
	// threads of half a warp then meet each bank once.
	sumPad = 8
	// group is how many rows of tiles are run through together, so that the blocks
	// that run at a time share what they read.
	group = 8
)

// strip is how many elements of K a strip has.
func strip(t types.DType) int { return asm.StripBytes / t.Size() }

func (t *tile) threads() int {
	if t.boxes {
		return t.multipliers() + asm.GroupThreads
	}
	return t.multipliers()
}

func (t *tile) stripsBytes() int { return (t.rows + t.columns) * asm.StripBytes }

// shared is the memory that a block takes, of the ring and later of the sums.
func (t *tile) shared() int {
	if t.boxes {
		return t.boxedShared()
	}
	return t.rowsAt() + t.rows*t.rowBytes()
}

// paired returns the tile with as many strips as let two blocks share a multiprocessor of
// so much memory. Where two strips are too many for that, a block has it alone, and of
// tensor cores' tiles twice the warps, so that each scheduler has two.
func (t tile) paired(memory int) tile {
	if t.groups {
		return t
	}
	most := t.strips
	pairs := func() bool { return t.shared() <= min(memory/2-reservedShared, asm.MostShared) }
	for t.strips > 2 && !pairs() {
		t.strips--
	}
	if pairs() {
		return t
	}
	for t.strips = most; t.shared() > asm.MostShared; {
		t.strips--
	}
	if t.own[0] == 0 {
		t.warps[1] *= 2
	}
	return t
}

// reservedShared is what of a multiprocessor's memory each block takes beside its own.
const reservedShared = 1 << 10

// rowsAt is where in it is said which rows a flat tile has: behind the ring and the sums.
func (t *tile) rowsAt() int {
	return max(t.strips*t.stripsBytes(), t.rows*(t.columns+sumPad)*4)
}

// tileFor returns the number of the tile for so many rows, columns and products, where
// so many tiles keep all multiprocessors busy.
func tileFor(all []tile, rows, columns, products, enough int64) int {
	tiles := func(t *tile) int64 {
		return asm.Ceil(rows, int64(t.rows)) * asm.Ceil(columns, int64(t.columns)) * products
	}
	switch {
	case rows <= int64(all[fewRows].rows):
		return fewRows
	case columns <= int64(all[fewColumns].columns):
		return fewColumns
	case min(rows, columns) <= int64(all[smallTile].rows):
		return smallTile
	case all[largeTile].groups && !inWords(rows, columns, products, asm.Ceil(rows, int64(all[largeTile].rows))*asm.Ceil(columns, int64(all[largeTile].columns))):
		return smallTile
	case len(all) > widestTile && columns > int64(all[largeTile].columns) && tiles(&all[widestTile]) >= enough:
		return widestTile
	case tiles(&all[largeTile]) >= enough:
		return largeTile
	}
	return smallTile
}

// inWords reports whether numbers are below 2^31, see [writer.narrows].
func inWords(all ...int64) bool {
	return !slices.ContainsFunc(all, func(n int64) bool { return n > math.MaxInt32 })
}

// elements returns the type of the factors of a contraction in strips, if it is for
// Tensor: sums are of f32, and both factors were f16 or bf16, whose products f32 has
// exactly, so that tensor cores multiply them; or they are of f32, of which tensor
// cores multiply tf32, which has fewer bits, where that is allowed.
func elements(k *kernel.Kernel, c *kernel.Contraction) (types.DType, bool) {
	if c.Type != types.F32 || len(c.M) == 0 || !sumAlone(k, c) {
		return 0, false
	}
	a, b := narrowest(k, &c.A), narrowest(k, &c.B)
	if a == b && (a == types.BF16 || a == types.F16) {
		return a, true
	}
	return types.F32, true
}

// narrowest returns the type of what a factor is converted from, or its own.
func narrowest(k *kernel.Kernel, f *kernel.Factor) types.DType {
	i := &k.Instrs[f.Value]
	if i.Op == kernel.Convert {
		if from := k.Instrs[i.Args[0]].Type; from == types.BF16 || from == types.F16 {
			return from
		}
	}
	return i.Type
}

// sumAlone reports whether the stages after the contraction's use nothing of it
// but the sum.
func sumAlone(k *kernel.Kernel, c *kernel.Contraction) bool {
	end := k.Stages[0].End
	before := func(id kernel.ID) bool { return id >= 0 && id < end && id != c.Sum }
	return !slices.ContainsFunc(k.Instrs[end:], func(i kernel.Instr) bool {
		return slices.ContainsFunc(i.Args, before) ||
			i.Mem != nil && slices.ContainsFunc(i.Mem.Index, func(x kernel.Index) bool { return before(x.Value) })
	})
}

func (s *Schedule) asTensor(c *kernel.Contraction, t types.DType) *Schedule {
	s.Form, s.product, s.element = Tensor, c, t
	all := tileTable(t, s.options)
	for _, t := range all {
		s.tiles = append(s.tiles, t.paired(s.options.shared()))
	}
	s.Threads = [2]int{s.tiles[largeTile].threads(), 1}
	s.X, s.Across = c.N[len(c.N)-1], c.M[len(c.M)-1]
	s.Outer = others(len(s.k.Axes), s.X, s.Across)
	s.Inner = c.K[len(c.K)-1]
	for _, f := range []*kernel.Factor{&c.A, &c.B} { // along which a factor is read in chunks
		if load := s.load(f); load != kernel.None && slices.Contains(c.K, body.Neighbours(s.k, load)) {
			s.Inner = body.Neighbours(s.k, load)
		}
	}
	axis := s.X // lanes lie as what is stored does
	if body.MostNeighbours(s.k, len(s.k.Stages)-1, 0, len(s.k.Axes)) == s.Across {
		axis = s.Across
	}
	// What follows a product often adds f32 to what is stored as bf16: two loads are one's.
	s.Lanes = body.NewLanes(s.k, axis, s.k.Stages[0].End, 2*body.VectorBytes)
	s.Lanes.Fill()
	s.plain = len(all)
	for _, t := range boxedTiles {
		if _, _, ok := s.boxes(&t); ok && all[largeTile].groups && roundUpTo(body.Parameters(s.k), mapWords/2)+2*mapWords <= asm.MostParameters {
			s.tiles = append(s.tiles, t)
		}
	}
	if s.flattens() {
		s.flat = len(s.tiles)
		for _, t := range all {
			t.flat = len(c.M)
			s.tiles = append(s.tiles, t.paired(s.options.shared()))
		}
	}
	return s
}

// tensor is where code that writes a Tensor is.
type tensor struct {
	*writer
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

// tensor writes Tensor for a tile. What is outside of a factor counts as 0.
func (w *writer) tensor(t *tile) {
	w.Threads, w.Narrows = [2]int{t.threads(), 1}, t.groups
	m := &tensor{writer: w, c: w.s.product, t: w.s.element, tile: t, p: w.Point(0)}
	m.nY, m.nX = w.Count(0, m.rowAxes()), w.Count(0, []int{w.s.X})
	m.depth = w.Size(w.K.Axis(0, w.s.Inner).Size)
	if w.Lanes.N > 1 {
		m.vectors = w.Aligned()
	}
	m.memory = w.Op(asm.Word, "mov.u32", asm.Shared)
	m.tid = w.Op(asm.Word, "mov.u32", "%tid.x")
	m.lane = m.And(m.tid, asm.WarpSlots-1)
	warp := m.Shr(m.tid, 5)
	m.warp[0] = m.Times(m.Op(asm.Word, "div.u32", warp, asm.Number(int64(t.warps[1]))), t.rows/t.warps[0])
	m.warp[1] = m.Times(m.Op(asm.Word, "rem.u32", warp, asm.Number(int64(t.warps[1]))), t.columns/t.warps[1])
	m.a = m.factor(&m.c.A, w.s.Across, t.rows, 0)
	m.b = m.factor(&m.c.B, w.s.X, t.columns, t.rows*asm.StripBytes)
	if t.boxes {
		m.boxes()
		return
	}
	m.tiles(m.run)
}

// locate finds tile n: columns of group rows each, one group after the other.
func (m *tensor) locate(n, rows, columns string) {
	all := m.Mul(columns, asm.Number(group))
	first := m.Mul(m.Quotient(n, all), asm.Number(group))
	in := m.Modulo(n, all)
	high := m.Op(asm.Long, "min.u64", m.Op(asm.Long, "sub.s64", rows, first), asm.Number(group))
	m.y = m.Mul(m.Add(first, m.Modulo(in, high)), asm.Number(int64(m.tile.rows)))
	m.x = m.Mul(m.Quotient(in, high), asm.Number(int64(m.tile.columns)))
}

// run computes the tile's sums, and what becomes of them.
func (m *tensor) run() {
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
func (m *tensor) outerK() []int {
	return slices.DeleteFunc(slices.Clone(m.c.K), func(axis int) bool { return axis == m.s.Inner })
}

// zero sets the sums of fragments to 0.
func (m *tensor) zero() {
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
func (m *tensor) along(outer []int, body func()) {
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
func (m *tensor) begin() (n, from string) {
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

// copyStrips copies a strip of both factors to a place, and goes on to the next one.
func (m *tensor) copyStrips(into, from string) {
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
func (m *tensor) carry(outer []int, moved func(*factor) string) {
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
func (m *tensor) reached(at, end string) string {
	p := m.Fresh(asm.Predicate)
	m.Line("setp.ge.s64 %s, %s, %s", p, at, end)
	return p
}

// ring runs through the strips along K. A strip is copied while
// those before it are multiplied: in turn n the block waits until strip n has
// arrived, and with that until all have multiplied strip n-1, whose place strip n +
// strips - 1 takes. The first turns only copy.
func (m *tensor) ring() {
	ahead := int64(m.tile.strips - 1)
	n, from := m.begin()
	copied := m.Add(n, asm.Number(-ahead)) // the turn before which all strips are
	turn := m.Variable(asm.Long, asm.Number(-ahead))
	into, out := m.Variable(asm.Word, m.memory), m.Variable(asm.Word, m.memory)
	begin := m.Label()
	m.Place(begin)
	m.Open()
	m.Line("cp.async.wait_group %d", ahead-1)
	m.Barrier()
	m.When(m.Op(asm.Predicate, "setp.lt.s64", turn, copied), func() { m.copyStrips(into, from) })
	m.Line("cp.async.commit_group")
	m.When(m.Op(asm.Predicate, "setp.ge.s64", turn, "0"), func() {
		if m.exact != nil {
			m.multiplyExact(out)
		} else {
			m.multiply(out)
		}
		m.next(out)
	})
	m.next(into)
	m.Line("add.s64 %s, %s, 1", turn, turn)
	m.Close()
	m.Line("@%s bra %s", m.Op(asm.Predicate, "setp.lt.s64", turn, n), begin)
	m.Line("cp.async.wait_all")
	m.Barrier()
}

// next moves a variable from a strip of the ring to the next one.
func (m *tensor) next(at string) {
	size := m.tile.stripsBytes()
	m.Line("add.u32 %s, %s, %d", at, at, size)
	end := m.Op(asm.Predicate, "setp.ge.u32", at, m.Plus(m.memory, m.tile.strips*size))
	m.Line("selp.b32 %s, %s, %s, %s", at, m.memory, at, end)
}
