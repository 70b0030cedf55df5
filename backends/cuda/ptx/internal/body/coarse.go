package body

import (
	"math"

	"ltc/backends/cuda/ptx/internal/asm"
	"ltc/backends/kit/expand"
	"ltc/backends/kit/kernel"
	"ltc/ir/types"
)

// An f32 that the text rounds to bf16 or f16 in the end, such as an exponential of a
// softmax, need not be exact to 24 bits. Some 17 make no difference but where the result
// is next to the middle between two numbers. The exponential is then half as many
// instructions, and a quotient by a value that a row has once two instead of nine. Memory
// would else wait for them.

// exactness is how exact a value is to be, in ascending order.
type exactness uint8

const (
	unused exactness = iota // nothing is made of it
	toBF16                  // what is made of it is rounded to bf16
	toF16                   // or to f16
	fully
)

// exactnessOf is how exact what is rounded to a type is to be.
func exactnessOf(t types.DType) exactness {
	switch t {
	case types.BF16:
		return toBF16
	case types.F16:
		return toF16
	}
	return fully
}

// wanted returns how exact the value of each instruction is to be: as exact as the results
// that it is used for. That is right where a relative error of a value is no larger in the
// result: in products and quotients, and in sums of numbers that are not negative.
func wanted(k *kernel.Kernel) []exactness {
	all, locals := make([]exactness, len(k.Instrs)), make([]exactness, len(k.Locals))
	for l, carried := range k.Carried() {
		if carried { // of one sum much is made
			locals[l] = fully
		}
	}
	positive := notNegative(k)
	for id := len(k.Instrs) - 1; id >= 0; id-- {
		i := &k.Instrs[id]
		if i.Op == kernel.Load && i.Mem.Local {
			locals[i.Mem.Param] = max(locals[i.Mem.Param], all[id])
		}
		as := fully
		switch i.Op {
		case kernel.Convert:
			as = exactnessOf(i.Type)
		case kernel.Multiply, kernel.Divide, kernel.Negate, kernel.Abs, kernel.Select:
			as = all[id]
		case kernel.Add:
			if positive[i.Args[0]] && positive[i.Args[1]] {
				as = all[id]
			}
		case kernel.Reduce:
			if kernel.Op(i.Aux) == kernel.Add && positive[i.Args[0]] {
				as = all[id]
			}
		case kernel.Store:
			if i.Mem.Local && i.Mem.Combine == kernel.Invalid {
				as = locals[i.Mem.Param]
			}
		}
		for _, a := range i.Args {
			all[a] = max(all[a], as)
		}
		if i.Type != types.F32 { // it is rounded at once
			all[id] = exactnessOf(i.Type)
		}
	}
	return all
}

// notNegative reports, for each instruction, whether its value is a float that is
// surely not negative, or NaN.
func notNegative(k *kernel.Kernel) []bool {
	all, locals := make([]bool, len(k.Instrs)), make([]bool, len(k.Locals))
	stored := make([]bool, len(k.Locals))
	carried := k.Carried()
	for id := range k.Instrs {
		i := &k.Instrs[id]
		both := func() bool { return all[i.Args[0]] && all[i.Args[1]] }
		switch i.Op {
		case kernel.Exponential, kernel.Logistic:
			all[id] = true
		case kernel.Constant:
			all[id] = i.Type == types.F32 && math.Float32frombits(uint32(i.Aux)) >= 0
		case kernel.Convert:
			all[id] = all[i.Args[0]] && i.Type.IsFloat()
		case kernel.Add, kernel.Multiply, kernel.Divide, kernel.Maximum:
			all[id] = both()
		case kernel.Reduce:
			op := kernel.Op(i.Aux)
			all[id] = all[i.Args[0]] && (op == kernel.Add || op == kernel.Multiply)
		case kernel.Load:
			all[id] = i.Mem.Local && locals[i.Mem.Param] && (carried == nil || !carried[i.Mem.Param])
		case kernel.Store:
			if l := i.Mem.Param; i.Mem.Local {
				locals[l] = all[i.Args[0]] && (locals[l] || !stored[l]) && i.Mem.Combine == kernel.Invalid
				stored[l] = true
			}
		}
	}
	return all
}

// use returns what is known of the value of an instruction: how exact it is to be.
func (w *Writer) use(id kernel.ID) (u expand.Use) {
	i := &w.K.Instrs[id]
	if i.Op != kernel.Exponential || i.Type == types.F64 {
		return u
	}
	u.To = [...]types.DType{toBF16: types.BF16, toF16: types.F16, fully: types.Invalid}[w.wanted[id]]
	return u
}

// byRow reports whether a quotient may be less exact and is by a value of an earlier
// stage, which is one for all points of its own.
func (w *Writer) byRow(id kernel.ID) bool {
	i := &w.K.Instrs[id]
	if i.Op != kernel.Divide || i.Type != types.F32 || w.wanted[id] == fully {
		return false
	}
	return i.Args[1] < w.K.Stages[w.K.StageOf(id)].Begin
}

// inverses has what quotients of a stage multiply by computed before its points are.
func (w *Writer) inverses(stage int) {
	for id := w.K.Stages[stage].Begin; id < w.K.Stages[stage].End; id++ {
		if w.byRow(id) {
			w.inverse(w.Vals[w.K.Instrs[id].Args[1]])
		}
	}
}

// inverse returns s and 1/(s·y): s is 1, but for a y so small that 1/y would be
// infinite.
func (w *Writer) inverse(y string) (s, inverse string) {
	small := w.Op(asm.Predicate, "setp.lt.f32", w.Op(asm.Single, "abs.f32", y), asm.Bits32(0x1p-126))
	s = w.Choose(types.F32, small, asm.Bits32(0x1p64), asm.Bits32(1))
	return s, w.Op(asm.Single, "rcp.rn.f32", w.Op(asm.Single, "mul.rn.f32", y, s))
}

// shortQuotient returns x/y, rounded three times instead of once.
func (w *Writer) shortQuotient(x, y string) string {
	s, inverse := w.inverse(y)
	return w.Op(asm.Single, "mul.rn.f32", w.Op(asm.Single, "mul.rn.f32", x, s), inverse)
}

// computed writes an op of the kernel that depends on its arguments alone.
func (w *Writer) computed(id kernel.ID, i *kernel.Instr) string {
	if w.byRow(id) {
		return w.shortQuotient(w.Vals[i.Args[0]], w.Vals[i.Args[1]])
	}
	return w.Compute(w.K, i, w.Vals, w.use(id))
}
