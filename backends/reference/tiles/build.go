package tiles

import (
	"slices"
	"unsafe"

	"ltc/backends/kit/kernel"
	"ltc/backends/reference/internal/loops"
	"ltc/ir/types"
)

// builder makes a tiling.
type builder struct {
	*tiling
	vectored
	deps    []kernel.AxisSet
	lastUse []kernel.ID // of a value in its own stage; itself if none
	later   []bool      // a later stage uses it
	folded  []bool      // products that are rounded with what uses them
	same    []kernel.ID // the value whose elements it has, without a step
	derived map[derivation]int
	free    []int // slots
	dying   []dyingSlot
	st      *stage
	shared  kernel.AxisSet // the kernel's axes
	level   []level        // by instruction
	written []bool         // stores that the step before does
	factor  int            // the value of a factor that is computed
}

// dyingSlot is a slot in use until after an instruction.
type dyingSlot struct {
	slot int
	last kernel.ID
}

// level is how often a value is computed.
type level uint8

const (
	inBody level = iota
	inShared
	inOnce
)

// derivation is another form of a value that a stage needs: one element as a
// tile of them, or as an i64.
type derivation struct {
	stage int
	value int
	wide  bool // else as an i64
}

// newTiling prepares a tiling; the stages before the given one are not run, and
// the last reduction among them is what the caller provides.
func newTiling(k *kernel.Kernel, v vectored, vector, from int) *tiling {
	b := newBuilder(k, v, vector)
	o := &kernelOrder{v.order, k}
	if vector != ownAxes && slices.ContainsFunc(k.Stages[from:], func(s kernel.Stage) bool { return len(s.Axes) > 0 }) {
		b.most = longTile
	}
	if from > 0 {
		b.external = k.Stages[from-1].End - 1
	}
	for s := from; s < len(k.Stages); s++ {
		own := vector
		if vector == ownAxes {
			own = ownVector(k, s)
			if v.order != nil {
				if axis, ok := o.alongOf(s); ok {
					own = axis
				}
			}
		}
		b.stage(s, own, nil)
	}
	return b.tiling
}

// newFactorWay prepares a tiling that computes a factor of a contraction, in tiles along an axis, as
// the first stage numbers it. It returns the number of the factor's value, too.
func newFactorWay(k *kernel.Kernel, v vectored, axis int, f kernel.Factor) (*tiling, int) {
	vector := axis
	if axis >= len(k.Axes) {
		vector = ownAxes
	}
	b := newBuilder(k, v, vector)
	b.stage(0, axis, &f)
	return b.tiling, b.factor
}

func newBuilder(k *kernel.Kernel, v vectored, vector int) *builder {
	n := len(k.Instrs)
	b := &builder{
		tiling:   &tiling{k: k, vector: vector, times: v.times(), external: kernel.None, values: n, places: make([]valuePlace, n), fixed: make([]unsafe.Pointer, n)},
		vectored: v,
		deps:     k.Dependence(),
		lastUse:  make([]kernel.ID, n),
		later:    make([]bool, n),
		folded:   make([]bool, n),
		same:     make([]kernel.ID, n),
		level:    make([]level, n),
		written:  make([]bool, n),
		derived:  map[derivation]int{},
		shared:   kernel.AxisRange(0, len(k.Axes)),
	}
	for v := range b.places {
		b.places[v] = valuePlace{-1, -1}
	}
	for a := range k.Axes {
		if k.Separable(a) {
			b.separable |= 1 << a
		}
	}
	b.uses()
	b.most = tileElements
	return b
}

// uses finds the last use of each value, and those that need no step.
func (b *builder) uses() {
	use := func(id, v kernel.ID) {
		for {
			if b.k.StageOf(v) != b.k.StageOf(id) {
				b.later[v] = true
			} else {
				b.lastUse[v] = id
			}
			if b.same[v] == v {
				return
			}
			v = b.same[v]
		}
	}
	for i := range b.k.Instrs {
		id := kernel.ID(i)
		b.same[id], b.lastUse[id] = id, id
		if p := b.fusedProduct(id); p != kernel.None {
			b.folded[p] = true
		}
	}
	for i := range b.k.Instrs {
		in, id := &b.k.Instrs[i], kernel.ID(i)
		if b.folded[id] {
			continue
		}
		if in.Op == kernel.BitcastConvert || in.Op == kernel.Convert && b.k.Instrs[in.Args[0]].Type == in.Type {
			b.same[id] = in.Args[0]
		}
		for _, a := range b.operandsOf(id) {
			use(id, a)
		}
		if in.Mem != nil {
			for _, x := range in.Mem.Index {
				if x.Value != kernel.None {
					use(id, x.Value)
				}
			}
		}
	}
}

// root returns the value that has the elements of id.
func (b *builder) root(id kernel.ID) kernel.ID {
	for b.same[id] != id {
		id = b.same[id]
	}
	return id
}

// stage adds the steps of a stage, whose tiles lie along an axis; of one that only computes a
// factor, if that is not nil.
func (b *builder) stage(s, vector int, only *kernel.Factor) {
	b.stages = append(b.stages, stage{number: s, vector: vector, reverse: b.k.Stages[s].Scanned() == kernel.ReverseAxis})
	b.st = &b.stages[len(b.stages)-1]
	own := len(b.k.Stages[s].Axes)
	for a := range own {
		if axis := len(b.k.Axes) + a; axis != b.st.vector {
			b.st.loops = append(b.st.loops, axis)
		}
	}
	for id := b.k.Stages[s].Begin; id < b.k.Stages[s].End; id++ {
		if only != nil && !slices.Contains(only.Body, id) {
			continue
		}
		b.level[id] = b.levelOf(id)
		if b.same[id] == id && !b.folded[id] {
			b.instr(id)
		}
		b.release(id)
	}
	if only != nil {
		b.factor = b.operand(only.Value, true)
	}
	for _, d := range b.dying {
		b.free = append(b.free, d.slot)
	}
	b.dying = b.dying[:0]
}

// ownVector chooses the axis of a stage that tiles run along: the axis with the most
// neighbours in memory. It is -1 if tiles can run along none, for instance where a
// point needs a value that the previous point has stored.
func ownVector(k *kernel.Kernel, s int) int {
	if k.Carries(s) {
		return -1
	}
	best, most := -1, -1
	for a := len(k.Stages[s].Axes) - 1; a >= 0; a-- {
		axis := len(k.Axes) + a
		if n := unitAccesses(k, s, axis); n > most && storesInOrder(k, s, axis) {
			best, most = axis, n
		}
	}
	return best
}

func unitAccesses(k *kernel.Kernel, s, axis int) int {
	n := 0
	for id := k.Stages[s].Begin; id < k.Stages[s].End; id++ {
		m := k.Instrs[id].Mem
		if m == nil {
			continue
		}
		for d, x := range m.Index {
			unit := m.Local && d == len(m.Index)-1 || !m.Local && k.Params[m.Param].Strides[d] == kernel.UnitStride
			if unit && factorOf(x, axis) == 1 {
				n++
			}
		}
	}
	return n
}

// storesInOrder reports whether running a stage instruction by instruction along
// an axis, and its other axes around that, leaves in memory what running it
// point by point does.
func storesInOrder(k *kernel.Kernel, s, axis int) bool {
	innermost := axis == len(k.Axes)+len(k.Stages[s].Axes)-1
	var seen []*kernel.Access
	for id := k.Stages[s].Begin; id < k.Stages[s].End; id++ {
		m := k.Instrs[id].Mem
		if m == nil || k.Instrs[id].Op != kernel.Store {
			continue
		}
		apart := slices.ContainsFunc(m.Index, func(x kernel.Index) bool {
			return len(x.Terms) == 1 && x.Terms[0].Axis == axis && x.Value == kernel.None
		})
		again := slices.ContainsFunc(seen, func(o *kernel.Access) bool { return o.Param == m.Param && o.Local == m.Local })
		if again || !apart && !innermost {
			return false
		}
		seen = append(seen, m)
	}
	return true
}

// levelOf returns how often an instruction runs.
func (b *builder) levelOf(id kernel.ID) level {
	in := &b.k.Instrs[id]
	if in.Op == kernel.Store || in.Op == kernel.Reduce || in.Op == kernel.Scan || b.deps[id]&^b.shared != 0 {
		return inBody
	}
	once := b.deps[id] == 0
	for _, a := range in.Args {
		once = once && a >= b.k.Stages[b.st.number].Begin && b.level[a] == inOnce
	}
	if m := in.Mem; m != nil {
		once = once && !m.Local && !m.Guard && !b.k.Params[m.Param].Out &&
			!slices.ContainsFunc(m.Index, func(x kernel.Index) bool { return x.Value != kernel.None })
	}
	if once {
		return inOnce
	}
	return inShared
}

// emit adds a step that runs as often as a level says.
func (b *builder) emit(l level, s step) {
	switch l {
	case inOnce:
		b.st.once = append(b.st.once, s)
	case inShared:
		b.st.shared = append(b.st.shared, s)
	default:
		b.st.body = append(b.st.body, s)
	}
}

// varies reports whether a value has an element for each of a tile, in the stage
// that is being made.
func (b *builder) varies(id kernel.ID) bool {
	set := b.deps[id]
	if b.k.StageOf(id) != b.st.number {
		set &= b.shared
	}
	return b.st.vector >= 0 && set.Has(b.st.vector)
}

// levelHere is the level of a value in the stage that is being made.
func (b *builder) levelHere(id kernel.ID) level {
	if id < b.k.Stages[b.st.number].Begin {
		return inShared
	}
	return b.level[id]
}

// operand returns the number of a value, as a tile of elements if wide is set.
func (b *builder) operand(id kernel.ID, wide bool) int {
	id = b.root(id)
	if !wide || b.varies(id) {
		return int(id)
	}
	key := derivation{b.st.number, int(id), true}
	if v, ok := b.derived[key]; ok {
		return v
	}
	t := loops.Of(b.k.Instrs[id].Type)
	if b.k.Instrs[id].Op == kernel.Constant {
		v := b.constant(t, uint64(b.k.Instrs[id].Aux), b.most)
		b.derived[key] = v
		return v
	}
	level := b.levelHere(id)
	v := b.newValue()
	b.derived[key] = v
	b.keepIn(v, level, b.lastUse[id])
	k, from := b.fill(b.k.Instrs[id].Type), int(id)
	b.emit(level, func(r *run, n int) { k(r.p[v], r.p[from], n) })
	return v
}

// asI64 returns the number of an integer value as i64s.
func (b *builder) asI64(id kernel.ID) int {
	id = b.root(id)
	t := b.k.Instrs[id].Type
	if t.Size() == 8 {
		return int(id)
	}
	key := derivation{b.st.number, int(id), false}
	if v, ok := b.derived[key]; ok {
		return v
	}
	level := b.levelHere(id)
	v := b.newValue()
	b.derived[key] = v
	k, from := b.convert(t, types.I64), int(id)
	if b.varies(id) {
		b.keepIn(v, level, b.lastUse[id])
		b.emit(level, func(r *run, n int) { k(r.p[v], r.p[from], n) })
		return v
	}
	b.places[v].cell = int32(v)
	b.emit(level, func(r *run, n int) { k(r.p[v], r.p[from], 1) })
	return v
}

// constant returns the number of n elements of the same bits.
func (b *builder) constant(t loops.DType, bits uint64, n int) int {
	v := b.newValue()
	mem := make([]uint64, (n*t.Size()+7)/8)
	loops.Fill(t)(unsafe.Pointer(&mem[0]), unsafe.Pointer(&bits), n)
	b.keep = append(b.keep, mem)
	b.fixed[v] = unsafe.Pointer(&mem[0])
	return v
}

func (b *builder) newValue() int {
	b.values++
	b.places, b.fixed = append(b.places, valuePlace{-1, -1}), append(b.fixed, nil)
	return b.values - 1
}

// keepIn gives a tile of elements a slot: for good, if it is not of the body,
// else until its last use.
func (b *builder) keepIn(v int, l level, last kernel.ID) {
	if l == inBody && len(b.free) > 0 {
		b.places[v].slot = int32(b.free[len(b.free)-1])
		b.free = b.free[:len(b.free)-1]
	} else {
		b.places[v].slot = int32(b.slots)
		b.slots++
	}
	if l == inBody {
		b.dying = append(b.dying, dyingSlot{int(b.places[v].slot), last})
	}
}

// release frees the slots whose last use an instruction was.
func (b *builder) release(id kernel.ID) {
	b.dying = slices.DeleteFunc(b.dying, func(d dyingSlot) bool {
		if d.last <= id {
			b.free = append(b.free, d.slot)
		}
		return d.last <= id
	})
}

// place gives the value of an instruction memory: a cell, or a slot.
func (b *builder) place(id kernel.ID) {
	switch {
	case !b.varies(id):
		b.places[id].cell = int32(id)
	case b.later[id]:
		b.keepIn(int(id), inShared, 0)
	default:
		b.keepIn(int(id), b.level[id], b.lastUse[id])
	}
}
