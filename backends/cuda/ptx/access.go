package ptx

import (
	"fmt"

	"ltc/backends/kit/kernel"
	"ltc/ir/types"
)

// point is where code runs: the index along each axis of the stage, as it numbers
// them, and the predicate of what is stored, if any.
type point struct {
	at     []string
	stores string
}

// index returns where an access is along a dimension.
func (w *writer) index(x *kernel.Index, at point) string {
	v := number(x.Offset)
	for _, t := range x.Terms {
		v = w.mad(at.at[t.Axis], number(t.Factor), v)
	}
	if x.Value != kernel.None {
		v = w.add(w.asLong(w.k.Instrs[x.Value].Type, w.vals[x.Value]), v)
	}
	return v
}

// asLong returns an integer as an i64.
func (w *writer) asLong(t types.DType, v string) string {
	switch {
	case t == types.I64 || t == types.U64:
		return v
	case t.IsSigned():
		return w.op(long, "cvt.s64.s32", v)
	}
	return w.op(long, "cvt.u64.u32", v)
}

// operand returns the address of an element of an operand, and, of an access with
// a guard, the predicate that it is inside.
func (w *writer) operand(m *kernel.Access, at point) (address, inside string) {
	p := &w.k.Params[m.Param]
	offset := "0"
	for d := range m.Index {
		i := w.index(&m.Index[d], at)
		offset = w.mad(i, w.steps[m.Param][d], offset)
		if m.Guard {
			inside = w.both(inside, w.op(predicate, "setp.lt.u64", i, w.size(p.Dims[d])))
		}
	}
	return w.mad(offset, number(int64(p.DType.Size())), w.bases[m.Param]), inside
}

// both returns the predicate that two hold; none always does.
func (w *writer) both(a, b string) string {
	switch {
	case a == "":
		return b
	case b == "":
		return a
	}
	return w.op(predicate, "and.pred", a, b)
}

// local returns the address of an element of a local, which begins at base.
func (w *writer) local(m *kernel.Access, at point, base string) string {
	l := &w.k.Locals[m.Param]
	offset := "0"
	for d := range m.Index {
		offset = w.mad(offset, w.size(l.Dims[d]), w.index(&m.Index[d], at))
	}
	return w.mad(offset, number(int64(l.DType.Size())), base)
}

// combine writes a store that combines with what is there, atomically.
func (w *writer) combine(i *kernel.Instr, address, v, guard string) {
	if opcode := atomic(i.Mem.Combine, i.Type); opcode != "" {
		w.line("%sred.global.%s [%s], %s", on(guard), opcode, address, v)
		return
	}
	name, c := "b"+fmt.Sprint(8*i.Type.Size()), half
	switch i.Type.Size() {
	case 1:
		w.fail(unsupported(w.k, "a store that combines %v with %v: there is no atomic instruction on a byte", i.Type, i.Mem.Combine))
		return
	case 4:
		c = word
	case 8:
		c = long
	}
	// Compare what was there with what is there and, if it is the same, swap; until
	// nobody was in between.
	w.when(guard, func() {
		moved := func(bits string) string { // to and from registers of the width
			if c == half {
				return w.op(word, "cvt.u32.u16", bits)
			}
			return bits
		}
		cas := func(old, v string) string {
			r := w.fresh(c)
			w.line("atom.global.cas.%s %s, [%s], %s, %s", name, r, address, old, v)
			return r
		}
		old := w.variable(c, cas("0", "0")) // what is there
		again := w.label()
		w.place(again)
		w.open()
		there := w.ofBits(i.Type, moved(old))
		if i.Type.IsInteger() {
			there = w.rounded(i.Type, there)
		}
		bits := w.bitsOf(i.Type, w.rounded(i.Type, w.combined(i.Mem.Combine, i.Type, there, v)))
		if c == half {
			bits = w.op(half, "cvt.u16.u32", bits)
		}
		found := cas(old, bits)
		same := w.op(predicate, "setp.eq."+name, found, old)
		w.set(c, old, found)
		w.line("@!%s bra %s", same, again)
		w.close()
	})
}

// atomic returns the letters of the instruction that combines in memory; none if
// there is none.
func atomic(op kernel.Op, t types.DType) string {
	switch t {
	case types.F32, types.F64:
		if op == kernel.Add {
			return "add." + kindOf(t)
		}
		return ""
	case types.U32, types.U64, types.I32, types.I64:
	default:
		return ""
	}
	switch op {
	case kernel.Add:
		return "add.u" + untyped(t)[1:]
	case kernel.Maximum:
		return "max." + kindOf(t)
	case kernel.Minimum:
		return "min." + kindOf(t)
	case kernel.And:
		return "and." + untyped(t)
	case kernel.Or:
		return "or." + untyped(t)
	case kernel.Xor:
		return "xor." + untyped(t)
	}
	return ""
}
