package asm

import (
	"ltc/backends/kit/expand"
	"ltc/backends/kit/kernel"
	"ltc/ir/types"
)

// operation is an instruction that computes: its type, that of its first
// argument, and its arguments.
type operation struct {
	t, from types.DType
	args    []string
	use     expand.Use // what is known of the value, of a function
}

// code writes an operation and returns its value, which is not yet rounded.
type code func(w *Writer, o operation) string

// row has the code of an op for the dtypes of each class, nil where the op has no
// such operands.
type row struct{ bools, ints, floats code }

// of returns the code for a dtype.
func (r row) of(t types.DType) code {
	switch {
	case t == types.Bool:
		return r.bools
	case t.IsFloat():
		return r.floats
	}
	return r.ints
}

type (
	unaryOpsTable  [kernel.NumOps]row
	binaryOpsTable [kernel.NumOps]row
	otherOpsTable  [kernel.NumOps]code
)

// The code of each op, by its form. That of otherOps rounds where that is needed.
var (
	unaryOps  unaryOpsTable
	binaryOps binaryOpsTable
	otherOps  otherOpsTable
)

// Compute writes an op of a kernel that depends on its arguments alone, of which vals has
// the values.
func (w *Writer) Compute(k *kernel.Kernel, i *kernel.Instr, vals []string, use expand.Use) string {
	args := make([]string, len(i.Args))
	for n, a := range i.Args {
		args[n] = vals[a]
	}
	return w.operation(i.Op, operation{i.Type, k.Instrs[i.Args[0]].Type, args, use})
}

// operation writes an op by its row, or by its expansion.
func (w *Writer) operation(op kernel.Op, o operation) string {
	if f := otherOps[op]; f != nil {
		return f(w, o)
	}
	if op.Expands(o.from) {
		if v := w.function(op, o); !op.Exact() {
			return w.Rounded(o.t, v)
		} else {
			return v
		}
	}
	f := unaryOps[op]
	if len(o.args) == 2 {
		f = binaryOps[op]
	}
	v := f.of(o.t)(w, o)
	if o.t.IsInteger() && stays[op] {
		return v
	}
	return w.Rounded(o.t, v)
}

// stays has ops that make no integer of 8 or 16 bits from such that has more.
var stays = [kernel.NumOps]bool{kernel.Maximum: true, kernel.Minimum: true, kernel.And: true, kernel.Or: true, kernel.Xor: true}

// function writes an op that has an expansion: by code of its own, if that is better.
func (w *Writer) function(op kernel.Op, o operation) string {
	if own, there := overrides[op]; there {
		if v := own.code(w, o); v != "" {
			return v
		}
	}
	return w.code(expand.Of(op, Held(o.from), Target, o.use), o.args)
}

// override is code of an op that has an expansion too, with the same bits.
type override struct {
	gains string // beside the expansion
	code  code   // none where the expansion is as good
}

var overrides = map[kernel.Op]override{
	kernel.Ceil:              {"one instruction for three", toWhole("rpi")},
	kernel.RoundNearestEven:  {"one instruction for five", toWhole("rni")},
	kernel.CountLeadingZeros: {"one instruction for some twenty", leadingZeros},
	kernel.Popcnt:            {"one instruction for twelve", popcount},
	kernel.Not:               {"one instruction for two of a predicate: all of its bits are no literal", bitwise("not")},
	kernel.Remainder:         {"of integers: it falls out of the division's last step, without a product and a difference", integerRemainder},
}

// Combined returns a and b combined, not yet rounded.
func (w *Writer) Combined(op kernel.Op, t types.DType, a, b string) string {
	return binaryOps[op].of(t)(w, operation{t, t, []string{a, b}, expand.Use{}})
}

// instruction is the code of an op that is one instruction, named for the type.
func instruction(opcode string) code {
	return func(w *Writer, o operation) string {
		return w.Op(ClassOf(o.t), opcode+"."+KindOf(o.t), o.args...)
	}
}

// bitwise is the code of an op that is one instruction on bits.
func bitwise(opcode string) code {
	return func(w *Writer, o operation) string {
		return w.Op(ClassOf(o.t), opcode+"."+Untyped(o.t), o.args...)
	}
}

// Sums of bools are or, products and.
var (
	boolAdd, boolMaximum, boolOr       = bitwise("or"), bitwise("or"), bitwise("or")
	boolMultiply, boolMinimum, boolAnd = bitwise("and"), bitwise("and"), bitwise("and")
	boolXor                            = bitwise("xor")
)

func opConvert(w *Writer, o operation) string { return w.Convert(o.from, o.t, o.args[0]) }

func opBitcastConvert(w *Writer, o operation) string {
	v := w.OfBits(o.t, w.BitsOf(o.from, o.args[0]))
	if o.t.IsInteger() {
		return w.Rounded(o.t, v)
	}
	return v
}

func opSelect(w *Writer, o operation) string {
	return w.Choose(o.t, o.args[0], o.args[1], o.args[2])
}

// The comparisons. NaN is not equal to anything.
var (
	opCompareEQ = comparison("eq", "eq")
	opCompareNE = comparison("ne", "neu")
	opCompareLT = comparison("lt", "lt")
	opCompareLE = comparison("le", "le")
	opCompareGT = comparison("gt", "gt")
	opCompareGE = comparison("ge", "ge")
)

// comparison is the code of one: how it is named for integers, and for floats.
func comparison(ints, floats string) code {
	return func(w *Writer, o operation) string {
		t, a, b, name := o.from, o.args[0], o.args[1], ints
		switch {
		case t == types.Bool:
			a, b, t = w.BitsOf(t, a), w.BitsOf(t, b), types.U32
		case t.IsFloat():
			name = floats
		}
		return w.Op(Predicate, "setp."+name+"."+KindOf(t), a, b)
	}
}

// Choose returns a where p holds, else b.
func (w *Writer) Choose(t types.DType, p, a, b string) string {
	if t == types.Bool {
		return w.Op(Predicate, "or.pred", w.Op(Predicate, "and.pred", p, a), w.Op(Predicate, "and.pred", w.Op(Predicate, "not.pred", p), b))
	}
	name := Untyped(t)
	if t.IsFloat() {
		name = KindOf(t)
	}
	return w.Op(ClassOf(t), "selp."+name, a, b, p)
}
