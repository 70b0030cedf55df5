package emit

import (
	"slices"

	"github.com/llir/llvm/ir/value"

	"ltc/backends/kit/kernel"
	"ltc/backends/reference/llvm/vector"
)

// body writes the instructions of a stage, of all stages for Points. Each is
// written in the outermost loop that has what it depends on: at level 0 outside
// of the stage's loops, at level l in the l-th of them, at the last along the
// vectors.
type body struct {
	*function
	number     int // the stage
	begin, end kernel.ID
	iteration  kernel.ID // from which on values are of the same iteration
	Stage
	levels  []int                      // by instruction from begin on
	offset  [][][]value.Value          // by level and instruction: of accesses, as far as the axes so far say; a value for each variant
	place   [][]place                  // of the stage's axes, a value for each variant
	reduce  []kernel.ID                // the reductions
	carried map[kernel.ID]vector.Value // by scan of Rows: what all vectors before combine to, in all lanes
	vars    []int                      // how many variants there are at each level

	inverse map[kernel.ID]vector.Value // of divisors, by quotient, that it is multiplied with

	splats  map[splatKey]vector.Value // in the block that is being written
	pending []pending                 // stores that may go past the caches
	defers  bool
	// result is a store that is not written: taken is what it would store.
	result kernel.ID
	taken  vector.Value
	wanted []bool         // by instruction: those that are written; nil for all
	past   value.Value    // an i1: they do, in the loop that is being written
	strip  []vector.Lanes // the vectors of the strip, in code for so many; nil: any number
	// all says that the iteration of the stage has all stages behind it: nothing that they use is kept.
	all bool
	// unguarded says that all loads are inside of their operands.
	unguarded bool
	ready     value.Value // an i1: the stage has points, which loads outside of its loops ask; nil: they need not
}

// place is a position along an axis.
type place struct {
	at   value.Value
	plus int64
}

type splatKey struct {
	id      kernel.ID
	variant int
}

// pending is a store that is put off: past the caches, or to them.
type pending struct{ past, near func() }

// newBody prepares the stages from the given one to before the other.
func (f *function) newBody(from, to int) *body { return f.bodyOf(f.s.Stages[from], from, to) }

// bodyOf prepares stages that run as the given one says.
func (f *function) bodyOf(stage Stage, from, to int) *body {
	b := &body{function: f, number: from, begin: f.k.Stages[from].Begin, end: f.k.Stages[to-1].End, Stage: stage, result: kernel.None, carried: map[kernel.ID]vector.Value{}}
	b.iteration = f.k.Stages[f.s.iterationOf(from)].Begin
	last := len(b.Loops)
	if b.Vector >= 0 {
		last++
	}
	b.vars = make([]int, last+1)
	for l := range b.vars {
		b.vars[l] = 1
	}
	b.place = make([][]place, len(f.k.Axes)+len(f.k.Stages[from].Axes))
	for id := b.begin; id < b.end; id++ {
		i := &f.k.Instrs[id]
		level := 0
		if on := f.on[id]; b.Vector >= 0 && on.Has(b.Vector) {
			level = last
		} else {
			for l, a := range b.Loops {
				if on.Has(a) {
					level = l + 1
				}
			}
		}
		if i.Op == kernel.Store || i.Op == kernel.Reduce || i.Op == kernel.Scan {
			level = last
		}
		if i.Op == kernel.Reduce {
			b.reduce = append(b.reduce, id)
		}
		b.levels = append(b.levels, level)
	}
	b.offset = make([][][]value.Value, len(b.Loops)+1)
	return b
}

func (b *body) last() int { return len(b.vars) - 1 }

// hoists reports whether memory is loaded from outside of the innermost loop,
// which is not to be if there are no points.
func (b *body) hoists() bool {
	for n, level := range b.levels {
		if i := &b.k.Instrs[int(b.begin)+n]; i.Op == kernel.Load && !i.Mem.Guard && level < b.last() {
			return true
		}
	}
	return false
}

// enter begins a level, whose axis is at the given places, one for each
// variant; nil at level 0.
func (b *body) enter(level int, at []place) {
	axis := -1
	if level > 0 {
		axis = b.Vector
		if level <= len(b.Loops) {
			axis = b.Loops[level-1]
		}
		b.place[axis] = at
		b.vars[level] = len(at) * b.vars[level-1]
	}
	b.splats = map[splatKey]vector.Value{}
	if level == b.last() && b.Vector >= 0 {
		return
	}
	b.offset[level] = make([][]value.Value, len(b.levels))
	for n := range b.levels {
		i := &b.k.Instrs[int(b.begin)+n]
		if i.Mem == nil || b.levels[n] < level || !b.wants(b.begin+kernel.ID(n)) {
			continue
		}
		if level == 0 {
			b.offset[0][n] = []value.Value{b.start(i.Mem)}
			continue
		}
		c, before := b.coefficient(i.Mem, axis), b.offset[level-1][n]
		if known, ok := number(c); ok && known == 0 {
			b.offset[level][n] = before
			continue
		}
		for outer := range b.vars[level-1] {
			old := before[outer*len(before)/b.vars[level-1]]
			for v := range at {
				offset := b.add(old, b.mul(at[v].at, c))
				b.offset[level][n] = append(b.offset[level][n], b.add(offset, b.mul(b.Index(at[v].plus), c)))
			}
		}
	}
}

// here returns where a variant of vars is along an axis other than that of the
// vectors.
func (b *body) here(axis, v, vars int) place {
	all := b.place[axis]
	if len(all) == 0 {
		return place{at: b.axis[axis]}
	}
	return all[v/b.inner(vars, axis)%len(all)]
}

// position returns a place as an i64.
func (b *body) position(p place) value.Value {
	if p.plus == 0 {
		return p.at
	}
	return b.add(p.at, b.Index(p.plus))
}

// start returns the part of an access's offset that the kernel's axes and
// constants make, besides the axis along the vectors.
func (b *body) start(m *kernel.Access) value.Value {
	sum := value.Value(b.Index(0))
	for d, x := range m.Index {
		at := value.Value(b.Index(x.Offset))
		for _, t := range x.Terms {
			if t.Axis < len(b.k.Axes) && t.Axis != b.Vector && !slices.Contains(b.Loops, t.Axis) {
				at = b.add(at, b.mul(b.axis[t.Axis], b.Index(t.Factor)))
			}
		}
		sum = b.add(sum, b.mul(at, b.stride(m, d)))
	}
	return sum
}

// stride returns that of a dimension.
func (b *body) stride(m *kernel.Access, d int) value.Value {
	if m.Local {
		return b.dims[m.Param][d]
	}
	return b.strides[m.Param][d]
}

// coefficient returns how far apart the elements are that neighbours along an
// axis access.
func (b *body) coefficient(m *kernel.Access, axis int) value.Value {
	c := value.Value(b.Index(0))
	if m.Local && b.stripAxis >= 0 && axis == b.stripAxis {
		c = b.Index(1)
	}
	for d, x := range m.Index {
		for _, t := range x.Terms {
			if t.Axis == axis {
				c = b.add(c, b.mul(b.stride(m, d), b.Index(t.Factor)))
			}
		}
	}
	return c
}

// memory returns the address of what is accessed at offset 0; in strips, of
// locals and what is kept, at the axis' point 0.
func (b *body) memory(m *kernel.Access) vector.Pointer {
	if m.Local {
		return b.locals[m.Param]
	}
	return b.mem[m.Param]
}

// emit writes the instructions of a level, for each of its variants.
func (b *body) emit(level int, l vector.Lanes) {
	for n := range b.levels {
		id := b.begin + kernel.ID(n)
		if b.levels[n] != level || b.folded[id] || b.k.Instrs[id].Op == kernel.Constant || !b.wants(id) {
			continue
		}
		vars := b.vars[level]
		if _, n := b.recordOf(id); n > 0 && l.N > 1 && l.Mask == nil {
			b.records(id, l)
			continue
		}
		if f := b.s.fieldsOf(id); f != nil && l.N > 1 && (l.Mask == nil || b.s.Form == Rows) {
			if b.k.Instrs[id].Op == kernel.Load {
				b.loadFields(f, id, l)
			} else {
				b.storeFields(f, id, l)
			}
			continue
		}
		out := make([]vector.Value, vars)
		for v := 0; v < vars; {
			n := b.joined(id, vars-v, l)
			if n > 1 {
				b.jointly(id, out[v:v+n], v, l)
			} else {
				out[v] = b.instr(id, v, vars, l)
			}
			v += n
		}
		b.vals[id] = out
	}
}

// interleavesFunctions reports whether functions of some vectors are interleaved, an
// instruction of each after the other, on a machine with so many registers.
// Functions are chains of tens of instructions, each of which waits for the one
// before; and the loads of constants are shared: with AVX2 1.2 (e^x) to 1.4 times
// (erf, tanh) as many a second. What comes of that with 32 registers has not been
// measured.
func interleavesFunctions(registers int) bool { return registers <= 16 }

// joined returns how many of so many variants are computed by one run of the code
// of an op, their lanes one behind the other, which LLVM cuts to registers: 4, 2
// or 1.
func (b *body) joined(id kernel.ID, left int, l vector.Lanes) int {
	i := &b.k.Instrs[id]
	switch {
	case !i.Op.Costly() || i.Op.Arity() != 1 || !i.Type.IsFloat() || l.N == 1 || b.level(id) < b.last() || !interleavesFunctions(b.Machine.Registers()):
		return 1
	case left >= 4:
		return 4
	}
	return max(left&2, 1)
}

// jointly computes variants of an op with one operand, from v on.
func (b *body) jointly(id kernel.ID, out []vector.Value, v int, l vector.Lanes) {
	i := &b.k.Instrs[id]
	vars := b.vars[b.last()]
	all := make([]vector.Value, len(out))
	for n := range all {
		all[n] = b.arg(i.Args[0], v+n, vars, l)
	}
	for len(all) > 1 {
		for n := range len(all) / 2 {
			all[n] = b.Concat(all[2*n], all[2*n+1])
		}
		all = all[:len(all)/2]
	}
	r := b.computed(id, all[0])
	for n := range out {
		out[n] = b.Slice(r, n*l.N, l.N)
	}
}

// wants reports whether an instruction is one of those that are written.
func (b *body) wants(id kernel.ID) bool { return b.wanted == nil || b.wanted[id] }

// arg returns a value for a variant of vars, in all lanes.
func (b *body) arg(id kernel.ID, v, vars int, l vector.Lanes) vector.Value {
	i := &b.k.Instrs[id]
	if i.Op == kernel.Constant {
		return b.ConstBits(i.Type, l.N, uint64(i.Aux))
	}
	if p, kept := b.kept[id]; kept && id < b.iteration && b.on[id].Has(b.stripAxis) {
		column := b.column(v)
		key := splatKey{id, -1 - column}
		r, ok := b.splats[key]
		if !ok {
			at := b.place[b.Vector][column]
			r = b.LoadLanes(b.at(b.at(p, at.at), b.Index(at.plus)), l)
			b.splats[key] = r
		}
		return r
	}
	if b.folded[id] && id >= b.begin {
		x, y := b.arg(i.Args[0], v, vars, l), b.arg(i.Args[1], v, vars, l)
		return b.binary(kernel.Multiply, x, y)
	}
	all := b.vals[id]
	v = v * len(all) / vars
	if all[v].Lanes() == l.N {
		return all[v]
	}
	key := splatKey{id, v}
	r, ok := b.splats[key]
	if !ok || r.Lanes() != l.N {
		r = b.Splat(all[v], l.N)
		b.splats[key] = r
	}
	return r
}
