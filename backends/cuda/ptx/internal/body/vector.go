package body

import (
	"fmt"
	"slices"
	"strings"

	"ltc/backends/cuda/ptx/internal/asm"
	"ltc/backends/kit/kernel"
	"ltc/ir/types"
)

// Vector is elements beside each other as an instruction moves them: in registers
// of a class, each of which holds some, as a type of memory.
type Vector struct {
	regs  []string
	class asm.Class
	name  string
	each  int
	bits  int // of an element
}

// newVector returns n elements of a type, in registers that are yet to be named.
func newVector(t types.DType, n int) Vector {
	if t.Size() >= 4 {
		name, c := asm.MemoryType(t)
		return Vector{make([]string, n), c, name, 1, 8 * t.Size()}
	}
	return Vector{make([]string, n*t.Size()/4), asm.Word, "u32", 4 / t.Size(), 8 * t.Size()}
}

// place returns the register of element l, and from which bit on it is there.
func (v *Vector) place(l int) (reg *string, shift int) {
	return &v.regs[l/v.each], l % v.each * v.bits
}

// Operand returns an instruction's letters and operand.
func (v *Vector) operand() (opcode, operand string) {
	if len(v.regs) == 1 {
		return v.name, v.regs[0]
	}
	return fmt.Sprintf("v%d.%s", len(v.regs), v.name), "{" + strings.Join(v.regs, ", ") + "}"
}

// LoadVector reads the elements of all lanes, where a guard, if any, holds.
func (w *Writer) LoadVector(t types.DType, address, guard string) Vector {
	v := newVector(t, w.Lanes.N)
	for r := range v.regs {
		v.regs[r] = w.Fresh(v.class)
	}
	for i, part := range v.parts() {
		opcode, operand := part.operand()
		w.Line("%sld.global.%s %s, [%s]", asm.On(guard), opcode, operand, asm.PlusOffset(address, i*VectorBytes))
	}
	return v
}

// parts are what an instruction moves each.
func (v *Vector) parts() []Vector {
	var all []Vector
	for regs := range slices.Chunk(v.regs, VectorBytes*8/max(v.bits*v.each, 32)) {
		part := *v
		part.regs = regs
		all = append(all, part)
	}
	return all
}

// Element returns the value of element l of a vector.
func (w *Writer) Element(t types.DType, of *Vector, l int) string {
	reg, shift := of.place(l)
	v := *reg
	if t == types.BF16 { // half of an f32's bits, in the upper half
		if shift == 0 {
			return w.Upper(v)
		}
		return w.Op(asm.Single, "mov.b32", w.Op(asm.Word, "and.b32", v, "-65536"))
	}
	if of.each > 1 {
		if shift > 0 {
			v = w.Op(asm.Word, "shr.u32", v, asm.Number(int64(shift)))
		}
		v = w.Op(asm.Word, "and.b32", v, asm.Number(1<<of.bits-1))
	}
	if of.class == asm.Word {
		v = w.OfBits(t, v)
	}
	if t.IsInteger() {
		v = w.Rounded(t, v)
	}
	return v
}

// StoreLanes writes a store of all lanes, whose values are in vals, by ID.
func (w *Writer) StoreLanes(id kernel.ID, at Point, vals [][]string) {
	i := &w.K.Instrs[id]
	address, _ := w.Operand(i.Mem, at)
	lanes := newVector(i.Type, len(vals))
	for l := range vals {
		v := vals[l][i.Args[0]]
		reg, shift := lanes.place(l)
		switch {
		case i.Type == types.BF16 || i.Type == types.F16: // two at a time
			if shift > 0 {
				*reg = w.Pair(i.Type, w.Exactly(v), w.Exactly(vals[l-1][i.Args[0]]))
			}
			continue
		case lanes.class == asm.Word:
			v = w.UnsignedBits(i.Type, w.BitsOf(i.Type, v))
		}
		if shift > 0 {
			v = w.Op(asm.Word, "or.b32", *reg, w.Op(asm.Word, "shl.b32", v, asm.Number(int64(shift))))
		}
		*reg = v
	}
	for i, part := range lanes.parts() {
		opcode, operand := part.operand()
		w.Line("%sst.global.%s [%s], %s", asm.On(at.Stores), opcode, asm.PlusOffset(address, i*VectorBytes), operand)
	}
}
