package gemm

import (
	"github.com/llir/llvm/ir"
	"github.com/llir/llvm/ir/constant"
	"github.com/llir/llvm/ir/enum"
	ll "github.com/llir/llvm/ir/types"
	"github.com/llir/llvm/ir/value"
)

// macro emits the kernel that multiplies a block of B, which stays in the L2
// cache, by rows of A, a strip at a time, each of which stays in the L1 cache.
// The last panel has columns in so many half vectors as edge says, or in any if that is 0.
func (m *module) macro(c *core, name string, edge int) {
	k := &macro{core: c, kernels: map[int]*ir.Func{}}
	for _, h := range c.heights {
		k.kernels[h] = m.strip(c, h, false)
	}
	k.edges, k.edge = k.kernels, c
	if edge > 0 {
		last := *c
		last.vecs, last.halfLast = ceil(edge, 2), edge%2 == 1
		k.edge = &last
	}
	if c.prologue != nil || edge > 0 {
		k.edges = map[int]*ir.Func{}
		for _, h := range c.heights {
			k.edges[h] = m.strip(k.edge, h, true)
		}
	}
	k.heights = m.heights(c)
	k.fn, k.args = m.kernel(name)
	for i := range k.words {
		if i < wordBatch {
			k.words[i] = k.pointer(k.args, i)
		} else {
			k.words[i] = k.word(k.args, i)
		}
	}
	k.panels = k.Block.NewUDiv(k.words[wordN], i64(c.columns()))
	k.rest = k.Block.NewURem(k.words[wordN], i64(c.columns()))
	k.matrices()
	k.end()
}

type macro struct {
	*fn
	core         *core
	kernels      map[int]*ir.Func // by height
	edges        map[int]*ir.Func // the same for a panel that lacks columns
	edge         *core            // whose vectors that panel has
	heights      *ir.Global
	args         value.Value
	words        [words]value.Value
	panels, rest value.Value // full panels, columns behind them
	next         value.Value // the next matrix of B
}

// heights is a table of how many rows to take when so many are left.
func (m *module) heights(c *core) *ir.Global {
	list := make([]constant.Constant, 2*c.rows)
	list[0] = constant.NewInt(ll.I8, 0)
	for i := 1; i < len(list); i++ {
		list[i] = constant.NewInt(ll.I8, int64(c.split(i)))
	}
	g := m.IR.NewGlobalDef("heights", constant.NewArray(ll.NewArray(uint64(len(list)), ll.I8), list...))
	g.Immutable = true
	g.Linkage = enum.LinkageInternal
	return g
}

// matrices is the loop over the batch.
func (k *macro) matrices() {
	w := &k.words
	start := []value.Value{w[wordA], w[wordB], w[wordEdge], w[wordC]}
	k.count(w[wordBatch], i64(1), start, func(b value.Value, at []value.Value) []value.Value {
		k.next = k.off(at[1], w[wordBBatch])
		k.chunks(k.add(b, w[wordFirstB]), at[0], at[1], at[2], at[3])
		return []value.Value{k.off(at[0], w[wordABatch]), k.off(at[1], w[wordBBatch]),
			k.off(at[2], w[wordEdgeBatch]), k.off(at[3], w[wordCBatch])}
	})
}

// some is what is at hand of a matrix: rows, from row m on.
type some struct {
	b, m, rows value.Value
	a, aRow    value.Value // rows of A, and the bytes between them
	c          value.Value
	soon       value.Value // rows of A that are asked for meanwhile, wordARow apart
}

// chunks is the loop over what is packed of A at a time.
func (k *macro) chunks(b, a, panels, edge, c value.Value) {
	w := &k.words
	packs := k.some(w[wordPackA])
	row := k.Block.NewSelect(packs, w[wordRowsRow], w[wordARow])
	next := k.mul(w[wordARow], k.Block.NewSelect(packs, w[wordChunk], i64(k.core.rows)))
	k.count(w[wordM], w[wordChunk], []value.Value{a, c}, func(i value.Value, at []value.Value) []value.Value {
		x := some{b: b, m: k.add(i, w[wordFirstM]), rows: k.min(w[wordChunk], k.sub(w[wordM], i)), aRow: row, c: at[1],
			soon: k.off(at[0], next)}
		k.when(packs, func() { k.callPack(w, at[0], x.rows, b, x.m) })
		x.a = k.Block.NewSelect(packs, w[wordRows], at[0])
		k.groups(x, panels, edge)
		return []value.Value{k.off(at[0], k.mul(w[wordChunk], w[wordARow])), k.off(at[1], k.mul(w[wordChunk], w[wordCStrip]))}
	})
}

// groups is the loop over panels of B: as many as stay in the L1 and L2 caches
// while all strips of a chunk meet them.
func (k *macro) groups(x some, panels, edge value.Value) {
	w := &k.words
	wide := k.mul(w[wordGroup], w[wordBPanel])
	bytes := k.mul(w[wordGroup], w[wordCPanel])
	lines := k.mul(k.mul(w[wordGroup], w[wordAhead]), i64(line))
	k.count(k.panels, w[wordGroup], []value.Value{panels, x.c, x.soon}, func(j value.Value, at []value.Value) []value.Value {
		n := k.min(w[wordGroup], k.sub(k.panels, j))
		x := x
		x.c, x.soon = at[1], at[2]
		k.strips(x, func(h value.Value, x some) {
			steps := k.mul(n, k.Call("llvm.smax.i64", ll.I64, w[wordSteps], i64(1)))
			drip := k.Block.NewUDiv(k.mul(h, w[wordDrip]), steps)
			k.dispatch(k.kernels, h, x.b, j, w[wordSteps], x.a, x.aRow, at[0], w[wordBStep], w[wordBPanel], x.c, w[wordCRow], n, w[wordMore],
				x.soon, w[wordARow], w[wordAhead], drip, k.off(k.next, k.mul(k.sub(x.m, w[wordFirstM]), w[wordNextRow])), w[wordNext], w[wordFar])
			k.epilogue(x, w[wordCRow], k.mul(j, i64(k.core.columns())), h, k.mul(n, i64(k.core.columns())))
		})
		return []value.Value{k.off(at[0], wide), k.off(at[1], bytes), k.off(at[2], lines)}
	})
	k.when(k.some(k.rest), func() {
		x := x
		x.c = k.off(x.c, k.mul(k.panels, w[wordCPanel]))
		k.strips(x, func(h value.Value, x some) { k.lastPanel(h, x, edge) })
	})
}

// strips is the loop over strips of rows.
func (k *macro) strips(x some, strip func(h value.Value, x some)) {
	before, head, body, after := k.Block, k.Func.NewBlock(""), k.Func.NewBlock(""), k.Func.NewBlock("")
	before.NewBr(head)
	k.Block = head
	phis, at := k.phis([]value.Value{x.rows, x.m, x.a, x.c, x.soon}, before)
	head.NewCondBr(k.less(i64(0), at[0]), body, after)
	k.Block = body
	left := k.min(at[0], i64(2*k.core.rows-1))
	entry := k.Block.NewGetElementPtr(k.heights.ContentType, k.heights, i64(0), left)
	short := k.Block.NewZExt(k.Block.NewLoad(ll.I8, entry), ll.I64)
	full := k.less(at[0], i64(2*k.core.rows))
	h := k.Block.NewSelect(full, short, i64(k.core.rows))
	y := x
	y.rows, y.m, y.a, y.c, y.soon = at[0], at[1], at[2], at[3], at[4]
	strip(h, y)
	w := &k.words
	k.join(phis, []value.Value{k.sub(y.rows, h), k.add(y.m, h), k.off(y.a, k.mul(h, x.aRow)),
		k.off(y.c, k.mul(h, w[wordCStrip])), k.off(y.soon, k.mul(h, w[wordARow]))})
	k.Block.NewBr(head)
	k.Block = after
}

// dispatch calls the kernel for h rows, of panels from the j-th at hand on.
func (k *macro) dispatch(kernels map[int]*ir.Func, h, b, j value.Value, args ...value.Value) {
	switch w := &k.words; {
	case k.core.prologue != nil:
		n := k.mul(j, i64(k.core.columns()))
		args = append(args, w[wordPrologueB], b, k.add(w[wordFirstN], n), k.sub(w[wordN], n), w[wordFirstK])
	case k.core.image:
		args = append(args, w[wordPrologueB])
	}
	before, after := k.Block, k.Func.NewBlock("")
	var cases []*ir.Case
	var first *ir.Block
	for _, n := range k.core.heights {
		k.Block = k.Func.NewBlock("")
		k.call(kernels[n], args...)
		k.Block.NewBr(after)
		if first == nil {
			first = k.Block
		} else {
			cases = append(cases, ir.NewCase(constant.NewInt(ll.I64, int64(n)), k.Block))
		}
	}
	before.NewSwitch(h, first, cases...)
	k.Block = after
}

// epilogue hands finished sums to the function that has been given for them.
func (k *macro) epilogue(x some, row, n, rows, columns value.Value) {
	w := &k.words
	k.when(k.some(w[wordEpilogue]), func() { k.callEpilogue(w, x.c, row, x.b, x.m, n, rows, columns) })
}

// callEpilogue gives finished sums to the epilogue.
func (f *fn) callEpilogue(w *[words]value.Value, sums, row, b, m, n, rows, columns value.Value) {
	to := f.Block.NewBitCast(w[wordEpilogue], ll.NewPointer(epilogueType))
	f.call(to, w[wordOperands], sums, row, b, m, f.add(n, w[wordFirstN]), rows, columns)
}

// callPack packs rows of A from a on.
func (f *fn) callPack(w *[words]value.Value, a, rows, b, m value.Value) {
	to := f.Block.NewBitCast(w[wordPackA], ll.NewPointer(packType))
	f.call(to, w[wordPrologue], a, w[wordARow], w[wordAK], rows, w[wordK], w[wordRows], w[wordRowsRow], b, m, w[wordFirstK])
}

// lastPanel multiplies a strip by the padded panel, in scratch memory, of which only
// the columns that there are go to C.
func (k *macro) lastPanel(h value.Value, x some, panel value.Value) {
	w, core := &k.words, k.core
	row := i64(core.rowBytes())
	var masks []value.Value
	for j := range k.edge.vecs {
		masks = append(masks, k.mask(core.lanes, k.sub(k.rest, i64(j*core.lanes))))
	}
	k.when(k.some(w[wordMore]), func() { k.copy(h, masks, x.c, w[wordCRow], w[wordTile], row, true) })
	k.dispatch(k.edges, h, x.b, k.panels, w[wordSteps], x.a, x.aRow, panel, w[wordEdgeStep], i64(0), w[wordTile], row, i64(1), w[wordMore],
		x.soon, i64(0), i64(0), i64(0), k.next, i64(0), i64(0))
	k.either(k.some(w[wordEpilogue]), func() {
		k.callEpilogue(w, w[wordTile], row, x.b, x.m, k.mul(k.panels, i64(core.columns())), h, k.rest)
	}, func() { k.copy(h, masks, w[wordTile], row, x.c, w[wordCRow], false) })
}

// copy moves the columns of masks from one block to another.
func (k *macro) copy(rows value.Value, masks []value.Value, from, fromRow, to, toRow value.Value, in bool) {
	core := k.core
	vt := vec(core.lanes, core.lane)
	k.count(rows, i64(1), []value.Value{from, to}, func(_ value.Value, at []value.Value) []value.Value {
		for j, mask := range masks {
			byte := i64(j * core.lanes * core.laneSize())
			if in {
				k.store(k.maskedLoad(vt, k.off(at[0], byte), core.laneSize(), mask), k.off(at[1], byte), core.laneSize())
			} else {
				k.maskedStore(k.load(vt, k.off(at[0], byte), core.laneSize()), k.off(at[1], byte), core.laneSize(), mask)
			}
		}
		return []value.Value{k.off(at[0], fromRow), k.off(at[1], toRow)}
	})
}
