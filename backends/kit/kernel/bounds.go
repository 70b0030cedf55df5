package kernel

import (
	"fmt"

	"ltc/internal/diag"
	"ltc/ir/types"
)

// Bounds proves, for the given run-time sizes, that every access without a guard is inside its
// operand or local at all points. The proof holds for any contents of memory. The kernel must
// have passed [Verify]. The ranges of indices come from the sizes of axes, and from values
// computed from constants, sizes, axes and clamps. Of a loaded value, Bounds knows only the
// type. It trusts the entries of tables ([TableStride]). Bounds returns an error for an index
// that it cannot prove to be in range. A guard or a clamp of the index then makes the proof
// possible.
func Bounds(k *Kernel, sizes []int64) error {
	if len(sizes) != k.Sizes {
		return fmt.Errorf("kernel %s: %s, want %d", k.Name, diag.Count(len(sizes), "size"), k.Sizes)
	}
	for i, n := range sizes {
		if n < 0 {
			return fmt.Errorf("kernel %s: %v is %d", k.Name, Sym(i), n)
		}
	}
	if _, ok := LocalBytes(k, sizes); !ok {
		return fmt.Errorf("kernel %s: its locals have more elements than there is memory for", k.Name)
	}
	if empty(k.Axes, sizes) {
		return nil
	}
	b := bounder{k: k, sizes: sizes, values: make([]interval, len(k.Instrs))}
	for s := range k.Stages {
		if err := b.stage(s); err != nil {
			return err
		}
	}
	return nil
}

// empty reports whether the axes have no points.
func empty(axes []Axis, sizes []int64) bool {
	for _, a := range axes {
		if a.Size.Of(sizes) == 0 {
			return true
		}
	}
	return false
}

type bounder struct {
	k      *Kernel
	sizes  []int64
	values []interval // of integers and bools; whole for others
}

func (b *bounder) stage(s int) error {
	none := empty(b.k.Stages[s].Axes, b.sizes)
	for id := b.k.Stages[s].Begin; id < b.k.Stages[s].End; id++ {
		i := &b.k.Instrs[id]
		if none { // no point runs: a reduction has its identity
			b.values[id] = rangeOf(i.Type)
			continue
		}
		if i.Mem != nil && !i.Mem.Guard {
			if err := b.access(s, id, i.Mem); err != nil {
				return err
			}
		}
		b.values[id] = b.value(s, i)
	}
	return nil
}

// along returns the interval of an axis, which has at least one point.
func (b *bounder) along(s, axis int) interval {
	return interval{0, b.k.Axis(s, axis).Size.Of(b.sizes) - 1}
}

func (b *bounder) access(s int, id ID, m *Access) error {
	name, dims := "", []Size(nil)
	if m.Local {
		name, dims = b.k.Locals[m.Param].Name, b.k.Locals[m.Param].Dims
	} else {
		name, dims = b.k.Params[m.Param].Name, b.k.Params[m.Param].Dims
	}
	for d := range m.Index {
		if !m.Local && b.k.Params[m.Param].Strides[d] == TableStride {
			continue
		}
		at, fits := b.index(s, &m.Index[d])
		if n := dims[d].Of(b.sizes); !fits || at.lo < 0 || at.hi >= n {
			where := fmt.Sprintf("from %d to %d", at.lo, at.hi)
			if !fits {
				where = "anywhere"
			}
			return fmt.Errorf("kernel %s: %%%d %v: index %d of %s may lie %s, outside of its %s",
				b.k.Name, id, b.k.Instrs[id].Op, d, name, where, diag.Count(n, "element"))
		}
	}
	return nil
}

// index returns the interval of an index, and whether its products and sums fit an i64.
func (b *bounder) index(s int, x *Index) (interval, bool) {
	at, ok := exactly(x.Offset), true
	if x.Value != None {
		at, ok = at.add(b.values[x.Value])
	}
	for _, t := range x.Terms {
		part, fits1 := b.along(s, t.Axis).mul(exactly(t.Factor))
		var fits2 bool
		at, fits2 = at.add(part)
		ok = ok && fits1 && fits2
	}
	return at, ok
}

// value returns the interval of an instruction's value.
func (b *bounder) value(s int, i *Instr) interval {
	switch i.Op {
	case Constant:
		return constantInterval(i.Type, i.Aux)
	case SizeOf:
		return exactly(Size(i.Aux).Of(b.sizes))
	case Iota:
		return b.along(s, int(i.Aux)).as(i.Type, i.Type.IsInteger())
	case Scan:
		return rangeOf(i.Type)
	case Reduce:
		if with := Op(i.Aux); with == Maximum || with == Minimum {
			return b.values[i.Args[0]]
		}
		return rangeOf(i.Type)
	case Select:
		return b.values[i.Args[1]].union(b.values[i.Args[2]])
	case Load, Store:
		return rangeOf(i.Type)
	}
	if !i.Type.IsInteger() {
		return rangeOf(i.Type)
	}
	x := b.values[i.Args[0]]
	if from := b.k.Instrs[i.Args[0]].Type; from.IsFloat() || unknown(from, x) {
		return b.ofUnknown(i)
	}
	for _, a := range i.Args[1:] {
		if unknown(i.Type, b.values[a]) {
			return b.ofUnknown(i)
		}
	}
	switch len(i.Args) {
	case 1:
		return unaryInterval(i.Op, i.Type, x)
	case 2:
		return binaryInterval(i.Op, i.Type, x, b.values[i.Args[1]])
	}
	return x.max(b.values[i.Args[1]]).min(b.values[i.Args[2]]) // clamp
}

// unknown reports whether nothing is known of a value of type t: it is a u64 that may be
// 1<<63 or more.
func unknown(t types.DType, x interval) bool { return t == types.U64 && x.lo < 0 }

// ofUnknown is value for an instruction with an argument that is a float or an unknown
// u64. Only an upper bound among the other arguments, of a minimum or a clamp, then says
// more than the type.
func (b *bounder) ofUnknown(i *Instr) interval {
	r := rangeOf(i.Type)
	if i.Type != types.U64 || i.Op != Minimum && i.Op != Clamp {
		return r
	}
	bound := i.Args[len(i.Args)-1]
	if i.Op == Minimum && unknown(i.Type, b.values[bound]) {
		bound = i.Args[0]
	}
	if x := b.values[bound]; !unknown(i.Type, x) {
		return interval{0, x.hi}
	}
	return r
}

func unaryInterval(op Op, t types.DType, x interval) interval {
	switch op {
	case Convert:
		return x.as(t, true)
	case Negate:
		r, ok := exactly(0).sub(x)
		return r.as(t, ok)
	}
	return rangeOf(t)
}

func binaryInterval(op Op, t types.DType, x, y interval) interval {
	switch op {
	case Add:
		r, ok := x.add(y)
		return r.as(t, ok)
	case Subtract:
		r, ok := x.sub(y)
		return r.as(t, ok)
	case Multiply:
		r, ok := x.mul(y)
		return r.as(t, ok)
	case Maximum:
		return x.max(y)
	case Minimum:
		return x.min(y)
	case Divide:
		if y.lo >= 1 {
			return x.div(y)
		}
	case Remainder:
		if y.lo >= 1 {
			return x.rem(y)
		}
	}
	return rangeOf(t)
}

// constantInterval returns the interval of a constant, given its bits.
func constantInterval(t types.DType, bits int64) interval {
	switch {
	case t.IsFloat() || t == types.U64 && bits < 0:
		return whole
	case t.IsSigned():
		unused := 64 - 8*t.Size()
		return exactly(bits << unused >> unused)
	}
	return exactly(bits)
}
