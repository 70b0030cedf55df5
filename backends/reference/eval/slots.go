package eval

import (
	"cmp"
	"fmt"
	"slices"
	"unsafe"

	"ltc/backends/reference/internal/freelist"
	"ltc/backends/reference/internal/loops"
	"ltc/mlir"
)

func (b *builder) newSlot(s slot) int {
	s.def, s.last = b.pos, b.pos
	b.code.slots = append(b.code.slots, s)
	return len(b.code.slots) - 1
}

// use notes that the current op reads slot s.
func (b *builder) use(s int) {
	b.touch(s, b.pos)
	for _, sc := range b.scopes {
		if b.code.slots[s].def <= sc.start {
			sc.captured = append(sc.captured, s)
		}
	}
}

func (b *builder) touch(s, pos int) {
	b.code.slots[s].last = max(b.code.slots[s].last, pos)
}

// result makes a slot for result i of the op.
func (b *builder) result(o *site, i int) int {
	s := b.newSlot(slot{bytes: o.out[i].bytes()})
	o.own = append(o.own, s)
	o.res[i] = s
	return s
}

// resultOver is result for an op that reads element i of the given operands
// before it writes element i: it may write over one that dies here.
func (b *builder) resultOver(o *site, i int, operands ...int) int {
	s := b.result(o, i)
	for _, k := range operands {
		in := &o.in[k]
		if in.bytes() == o.out[i].bytes() {
			b.code.slots[s].reuse = append(b.code.slots[s].reuse, in.slot)
		}
	}
	return s
}

// alias makes result i share the memory of slot s.
func (b *builder) alias(o *site, i, s int) { o.res[i] = s }

// scratch makes a slot that lives as long as the op.
func (b *builder) scratch(o *site, bytes int) int {
	s := b.newSlot(slot{bytes: bytes})
	o.own = append(o.own, s)
	return s
}

// pointer makes a slot whose pointer the op's step sets itself.
func (b *builder) pointer(o *site) int {
	s := b.newSlot(slot{kind: external})
	o.own = append(o.own, s)
	return s
}

// emit adds a step that looks at each element of the op's operands and results
// about once.
func (b *builder) emit(do func(*frame)) { b.emitWork(b.site.elements(), do) }

// emitWork adds a step of another amount of work; see frame.go.
func (b *builder) emitWork(work int, do func(*frame)) {
	b.steps = append(b.steps, step{do: do, op: b.site.op, work: loops.Added(work, stepWork), pos: b.pos})
}

// emitTry adds a step that can fail. After it, a run always looks whether it
// is cancelled.
func (b *builder) emitTry(try func(*frame) error) {
	b.steps = append(b.steps, step{try: try, op: b.site.op, work: loops.Tank, pos: b.pos})
	b.code.lastFallible = b.pos
}

// emitBlocks emits a step that runs blocks, each so many times, which can fail
// if any of theirs can.
func (b *builder) emitBlocks(turns int, run func(*frame) error, blocks ...*block) {
	work := b.site.elements()
	for _, bl := range blocks {
		work = loops.Added(work, loops.Times(turns, loops.Added(workOf(bl.steps), stepWork)))
	}
	for _, bl := range blocks {
		if bl.fallible() {
			b.emitTry(run)
			return
		}
	}
	b.emitWork(work, func(f *frame) { _ = run(f) }) // its error is that of a cancelled run
}

// region prepares region r of the op. Its block's arguments get the given
// slots and must have the given types.
func (b *builder) region(o *site, r int, args []int, want []tensor) (*block, error) {
	if r >= len(o.op.Regions) || len(o.op.Regions[r].Blocks) != 1 {
		return nil, fmt.Errorf("region %d must have one block", r)
	}
	bl := o.op.Regions[r].Blocks[0]
	if err := b.regionArgs(bl, r, args, want); err != nil {
		return nil, err
	}
	out := &block{args: args}
	outer := b.steps
	b.steps = nil
	sc := &scope{start: o.pos}
	b.scopes = append(b.scopes, sc)
	results, err := b.ops(bl)
	b.scopes = b.scopes[:len(b.scopes)-1]
	out.steps, b.steps = b.steps, outer
	if err != nil {
		return nil, err
	}
	b.pos++
	o.own = append(o.own, sc.captured...) // past regions to come: they run in turns
	for _, r := range results {
		b.touch(r.slot, b.pos)
		out.results, out.types = append(out.results, r.slot), append(out.types, r.tensor)
	}
	return out, nil
}

// simpleBody returns the region's only op, if that takes
// the region's two arguments and the region returns its result; mirrored says
// that it takes them in the other order.
func simpleBody(r *mlir.Region) (code mlir.Code, mirrored bool) {
	if len(r.Blocks) != 1 || len(r.Blocks[0].Ops) != 2 || len(r.Blocks[0].Args) != 2 {
		return 0, false
	}
	bl := r.Blocks[0]
	if t, ok := bl.Args[0].Type.(*mlir.TensorType); ok {
		if _, quantized := t.Elem.(mlir.DialectType); quantized {
			return 0, false // the op is not one on the integers
		}
	}
	op, ret := bl.Ops[0], bl.Ops[1]
	if len(op.Operands) != 2 || len(op.Results) != 1 || len(ret.Operands) != 1 || ret.Operands[0] != op.Results[0] {
		return 0, false
	}
	switch {
	case op.Operands[0] == bl.Args[0] && op.Operands[1] == bl.Args[1]:
		return op.Code, false
	case op.Operands[0] == bl.Args[1] && op.Operands[1] == bl.Args[0]:
		return op.Code, true
	}
	return 0, false
}

func copySlot(to, from, bytes int) func(*frame) {
	return func(f *frame) { f.copy(f.p[to], f.p[from], bytes) }
}

// code is a function made ready to run. It is immutable and shared by all of
// its callers and by all runs.
type code struct {
	name    string
	types   []tensor // of args, then of results
	slots   []slot
	args    []int // slots of the arguments; their memory is the caller's
	results []int // slots of the results, all different, none an argument or constant
	steps   []step

	// What one run takes: of this function, and with all that it calls.
	arena, arenaAll int
	slotsAll, depth int
	tables          int // bytes that steps hold, of the function that a program begins with
	lastFallible    int // position of the last op that can fail; -1 if none
}

func (c *code) fallible() bool { return c.lastFallible >= 0 }

// firstStep returns the index of the first step at or after a position.
func (c *code) firstStep(pos int) int {
	i, _ := slices.BinarySearchFunc(c.steps, pos, func(s step, pos int) int { return s.pos - pos })
	return i
}

// slot is the home of one or several values that share memory. At run time it
// is an index into frame.p.
type slot struct {
	bytes     int
	kind      slotKind
	result    bool   // of the function
	def, last int    // positions between which the memory is in use
	reuse     []int  // slots whose memory the defining step may write over
	offset    int    // in the frame's arena
	constant  []byte // of a constant
	splat     bool   // a constant that repeats one element; see splat.go
}

type slotKind uint8

const (
	planned  slotKind = iota // memory in the arena
	external                 // whoever runs the code sets the pointer
	constant
)

// step is a prepared op or a part of one. Exactly one of do and try is set.
type step struct {
	do   func(*frame)
	try  func(*frame) error
	op   *mlir.Op // in the text
	work int      // about how many elements it computes; see frame.go
	pos  int      // in the function; see builder.pos
}

// block is a region of one block, run in the frame of the code it stands in.
type block struct {
	steps   []step
	args    []int
	results []int
	types   []tensor // of results
}

func (b *block) fallible() bool {
	return slices.ContainsFunc(b.steps, func(s step) bool { return s.try != nil })
}

// include accounts for callee, which runs while c's own frame is alive.
func (c *code) include(callee *code) {
	// Until layout adds c's own share, the All fields hold the largest callee's.
	c.arenaAll = max(c.arenaAll, callee.arenaAll)
	c.slotsAll = max(c.slotsAll, callee.slotsAll)
	c.depth = max(c.depth, callee.depth)
}

// bind sets the pointers of the slots that do not change from run to run.
func (c *code) bind(f *frame) {
	for i := range c.slots {
		switch s := &c.slots[i]; s.kind {
		case planned:
			f.p[i] = unsafe.Add(f.arena, s.offset)
		case constant:
			f.p[i] = unsafe.Pointer(unsafe.SliceData(s.constant))
		}
	}
}

// layout gives every planned slot its place in the arena: first fit among what
// is in use at the same time. It takes n·log n steps, however many slots are.
func (c *code) layout() {
	var free freelist.List
	var byEnd []int // planned slots by the end of their use
	for s := range c.slots {
		if c.slots[s].kind == planned && c.slots[s].bytes > 0 {
			byEnd = append(byEnd, s)
		}
	}
	slices.SortStableFunc(byEnd, func(a, b int) int { return cmp.Compare(c.slots[a].last, c.slots[b].last) })
	taken := make([]bool, len(c.slots)) // slots whose memory is another's now
	for s := range c.slots {            // in the order of their definition
		sl := &c.slots[s]
		if sl.kind != planned || sl.bytes == 0 {
			continue
		}
		for ; c.slots[byEnd[0]].last < sl.def; byEnd = byEnd[1:] {
			if old := byEnd[0]; !taken[old] {
				free.Give(c.slots[old].offset, align(c.slots[old].bytes))
			}
		}
		if old := c.reusable(sl, taken); old >= 0 {
			sl.offset, taken[old] = c.slots[old].offset, true
		} else {
			sl.offset = free.Take(align(sl.bytes))
		}
		c.arena = max(c.arena, align(sl.offset+sl.bytes))
	}
	c.arenaAll += c.arena
	c.slotsAll += len(c.slots)
	c.depth++
}

// reusable returns the first slot in memory that dies where sl is defined and
// that it may write over; -1 if there is none.
func (c *code) reusable(sl *slot, taken []bool) int {
	best := -1
	for _, s := range sl.reuse {
		o := &c.slots[s]
		if o.kind == planned && o.last == sl.def && !taken[s] && (best < 0 || o.offset < c.slots[best].offset) {
			best = s
		}
	}
	return best
}

func align(n int) int { return (n + 63) &^ 63 }
