package shapeinfer

import (
	"ltc/ir/ops"
	"ltc/ir/types"
)

// floatDType is the dtype of the results of floating-point functions of integers.
const floatDType = types.F32

// CommonDType returns the dtype to which n operands promote, as result_type of PyTorch has it.
// That is the one of the operands with axes. A scalar counts only if its category is higher: bool,
// integers, floating point, complex. It returns Invalid if there is none: u16, u32 and u64 have one with
// floating point alone, and a scalar that is complex counts for them.
func CommonDType(n int, of func(i int) types.Type) types.DType {
	var arrays, scalars types.DType
	for i := range n {
		t, to := of(i), &scalars
		if t.Rank() > 0 {
			to = &arrays
		}
		if *to == types.Invalid {
			*to = t.DType
		} else if *to = promote(*to, t.DType); *to == types.Invalid {
			return types.Invalid
		}
	}
	switch {
	case arrays == types.Invalid:
		return scalars
	case category(scalars) <= category(arrays):
		return arrays
	case scalars.IsComplex() && arrays.IsFloat8():
		return types.Invalid
	case scalars.IsComplex() && arrays.IsFloat(): // the precision is that of the operands with axes
		return complexOf(arrays)
	case scalars.IsComplex():
		return scalars
	}
	return promote(arrays, scalars)
}

// promote returns the smallest dtype that PyTorch lets stand for two; Invalid if there is none.
func promote(a, b types.DType) types.DType {
	if category(a) > category(b) {
		a, b = b, a
	}
	switch {
	case a == b:
		return a
	case a.IsFloat8() || b.IsFloat8():
		return types.Invalid
	case b.IsComplex() && a.Continuous():
		return larger(complexOf(a), b)
	case b.IsComplex() && wideUnsigned(a):
		return types.Invalid
	case b.Continuous() && category(a) < category(b):
		return b
	case b.IsFloat() && a.Size() == b.Size(): // f16 and bf16
		return types.F32
	case b.IsFloat():
		return larger(a, b)
	case wideUnsigned(a) || wideUnsigned(b):
		return types.Invalid
	case a == types.Bool:
		return b
	case a.Size() == b.Size(): // u8 and i8
		return types.I16
	}
	return larger(a, b)
}

// wideUnsigned reports whether d is one of the unsigned integers that PyTorch promotes to
// floating point alone.
func wideUnsigned(d types.DType) bool { return d.IsInteger() && !d.IsSigned() && d != types.U8 }

// complexOf returns the complex dtype for parts of d; of 16 bits it is c64, where PyTorch has
// complex32.
func complexOf(d types.DType) types.DType {
	if c := d.Complex(); c.Valid() {
		return c
	}
	return types.C64
}

func larger(a, b types.DType) types.DType {
	if a.Size() > b.Size() {
		return a
	}
	return b
}

// category is the rank of a dtype's kind.
func category(d types.DType) int {
	switch {
	case d.IsComplex():
		return 4
	case d.IsFloat() || d.IsFloat8():
		return 3
	case d.IsInteger():
		return 2
	case d == types.Bool:
		return 1
	}
	return 0
}

// Promote puts into to the dtypes that the first n operands of a row are converted to, and
// reports whether one of them changes. Operands that are Like one another get one dtype, as
// the row's traits have it. They stay what they are if there is none, or none that the row takes.
func Promote(row *ops.Op, n int, of func(i int) types.Type, to []types.DType) (changes bool) {
	for i := range n {
		to[i] = of(i).DType
	}
	for k := range row.Operands {
		var members [8]types.Type
		group := members[:0]
		for i := range n {
			if leader(row, i) == k {
				group = append(group, of(i))
			}
		}
		if len(group) == 0 {
			continue
		}
		d := group[0].DType
		if row.Traits.Has(ops.Promotes) {
			d = CommonDType(len(group), func(i int) types.Type { return group[i] })
		}
		if is := row.Operands[k].Is; is.Allows(floatDType) && !is.Allows(types.Bool) && (d.IsInteger() || d == types.Bool) {
			switch {
			case row.Traits.Has(ops.Floating):
				d = floatDType
			case row.Traits.Has(ops.Widening):
				d = types.I64
			case row.Traits.Has(ops.Logic) && d == types.Bool:
				d = types.U8
			}
		}
		if !row.Operands[k].Is.Allows(d) {
			continue
		}
		for i := range n {
			if leader(row, i) == k && to[i] != d {
				to[i], changes = d, true
			}
		}
	}
	return changes
}

// leader returns the operand of the row that operand i of a call is like: its own if it is free.
func leader(row *ops.Op, i int) int {
	k := min(i, len(row.Operands)-1)
	if like := row.Operands[k].Like; like != "" {
		return operandIndex(row, like)
	}
	return k
}

// Castable reports whether results of dtype d may be written over elements of dtype to, as
// PyTorch has it: not where the kind of number would be lost.
func Castable(d, to types.DType) bool { return category(d) <= category(to) }
