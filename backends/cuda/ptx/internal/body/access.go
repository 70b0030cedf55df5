package body

import (
	"fmt"

	"ltc/backends/cuda/ptx/internal/asm"
	"ltc/backends/kit/kernel"
	"ltc/ir/types"
)

// Index returns where an access is along a dimension.
func (w *Writer) Index(x *kernel.Index, at Point) string {
	v := asm.Number(x.Offset)
	for _, t := range x.Terms {
		v = w.Mad(at.At[t.Axis], asm.Number(t.Factor), v)
	}
	if x.Value != kernel.None {
		v = w.Add(w.AsLong(w.K.Instrs[x.Value].Type, w.Vals[x.Value]), v)
	}
	return v
}

// Operand returns the address of an element of an operand, and, of an access with
// a guard, the predicate that it is inside.
func (w *Writer) Operand(m *kernel.Access, at Point) (address, inside string) {
	p := &w.K.Params[m.Param]
	offset := "0"
	for d := range m.Index {
		i := w.Index(&m.Index[d], at)
		offset = w.Mad(i, w.Steps[m.Param][d], offset)
		if m.Guard {
			inside = w.Both(inside, w.Op(asm.Predicate, "setp.lt.u64", i, w.Size(p.Dims[d])))
		}
	}
	return w.Mad(offset, asm.Number(int64(p.DType.Size())), w.bases[m.Param]), inside
}

// local returns the address of an element of a local, which begins at base.
func (w *Writer) local(m *kernel.Access, at Point, base string) string {
	l := &w.K.Locals[m.Param]
	offset := "0"
	for d := range m.Index {
		offset = w.Mad(offset, w.Size(l.Dims[d]), w.Index(&m.Index[d], at))
	}
	return w.Mad(offset, asm.Number(int64(l.DType.Size())), base)
}

// combine writes a store that combines with what is there, atomically.
func (w *Writer) combine(i *kernel.Instr, address, v, guard string) {
	if opcode := atomic(i.Mem.Combine, i.Type); opcode != "" {
		w.Line("%sred.global.%s [%s], %s", asm.On(guard), opcode, address, v)
		return
	}
	name, c := "b"+fmt.Sprint(8*i.Type.Size()), asm.Half
	switch i.Type.Size() {
	case 1:
		w.Fail(asm.Unsupported(w.K, "a store that combines %v with %v: there is no atomic instruction on a byte", i.Type, i.Mem.Combine))
		return
	case 4:
		c = asm.Word
	case 8:
		c = asm.Long
	}
	// Compare what was there with what is there and, if it is the same, swap; until
	// nobody was in between.
	w.When(guard, func() {
		moved := func(bits string) string { // to and from registers of the width
			if c == asm.Half {
				return w.Op(asm.Word, "cvt.u32.u16", bits)
			}
			return bits
		}
		cas := func(old, v string) string {
			r := w.Fresh(c)
			w.Line("atom.global.cas.%s %s, [%s], %s, %s", name, r, address, old, v)
			return r
		}
		old := w.Variable(c, cas("0", "0")) // what is there
		again := w.Label()
		w.Place(again)
		w.Open()
		there := w.OfBits(i.Type, moved(old))
		if i.Type.IsInteger() {
			there = w.Rounded(i.Type, there)
		}
		bits := w.BitsOf(i.Type, w.Rounded(i.Type, w.Combined(i.Mem.Combine, i.Type, there, v)))
		if c == asm.Half {
			bits = w.Op(asm.Half, "cvt.u16.u32", bits)
		}
		found := cas(old, bits)
		same := w.Op(asm.Predicate, "setp.eq."+name, found, old)
		w.Set(c, old, found)
		w.Line("@!%s bra %s", same, again)
		w.Close()
	})
}

// atomic returns the letters of the instruction that combines in memory; none if
// there is none.
func atomic(op kernel.Op, t types.DType) string {
	switch t {
	case types.F32, types.F64:
		if op == kernel.Add {
			return "add." + asm.KindOf(t)
		}
		return ""
	case types.U32, types.U64, types.I32, types.I64:
	default:
		return ""
	}
	switch op {
	case kernel.Add:
		return "add.u" + asm.Untyped(t)[1:]
	case kernel.Maximum:
		return "max." + asm.KindOf(t)
	case kernel.Minimum:
		return "min." + asm.KindOf(t)
	case kernel.And:
		return "and." + asm.Untyped(t)
	case kernel.Or:
		return "or." + asm.Untyped(t)
	case kernel.Xor:
		return "xor." + asm.Untyped(t)
	}
	return ""
}
