package reference

import (
	"ltc/backends/kit/kernel"
	"ltc/backends/kit/plan"
	"ltc/ir/types"
)

// ordersOf finds the orders that a comparator is: places are in the first one that tells
// their elements apart. There is none for what compares otherwise than by less than,
// greater than and equal, or an element with one of another operand.
func ordersOf(s *plan.Sort) ([]sortOrder, bool) {
	k := comparator{s, s.Less}
	end := &k.Instrs[len(k.Instrs)-1]
	if end.Op != kernel.Store {
		return nil, false
	}
	return k.orders(end.Args[0])
}

// comparator is the kernel that a sort compares by.
type comparator struct {
	of *plan.Sort
	*kernel.Kernel
}

// orders finds the orders that a condition is: of one operand's elements, or of those
// and, where these are equal, by another condition.
func (k comparator) orders(id kernel.ID) ([]sortOrder, bool) {
	if o, ok := k.order(id); ok {
		return []sortOrder{o}, true
	}
	switch in := k.instr(id); in.Op {
	case kernel.Or: // x < y, or x = y and …; both are true where x ≤ y stands for x = y
		for i, a := range in.Args {
			and := k.instr(in.Args[1-i])
			if and.Op != kernel.And {
				continue
			}
			for j, equal := range and.Args {
				if all, ok := k.lexicographic(a, equal, and.Args[1-j], true); ok {
					return all, true
				}
			}
		}
	case kernel.Select: // x = y: …, else x < y
		less, rest := in.Args[2], in.Args[1]
		if k.instr(in.Args[0]).Op == kernel.CompareNE {
			less, rest = rest, less
		}
		return k.lexicographic(less, in.Args[0], rest, false)
	}
	return nil, false
}

// lexicographic finds the orders of the condition less and, where an element is equal to
// the other, rest. Equal may be a comparison by less or equal if that is said.
func (k comparator) lexicographic(less, equal, rest kernel.ID, orLess bool) ([]sortOrder, bool) {
	first, ok := k.order(less)
	if !ok || first.largest { // a NaN is not equal to another then
		return nil, false
	}
	in := k.instr(equal)
	o, second, ok := k.compared(in)
	o.descending = first.descending
	if !ok || o != first {
		return nil, false
	}
	switch in.Op {
	case kernel.CompareEQ:
	case kernel.CompareNE:
		if orLess { // an operand of and
			return nil, false
		}
	case kernel.CompareLE, kernel.CompareGE:
		if !orLess || first.descending != ((in.Op == kernel.CompareGE) != second) {
			return nil, false
		}
	default:
		return nil, false
	}
	others, ok := k.orders(rest)
	return append([]sortOrder{first}, others...), ok
}

// compared returns the order, but for its direction, in which an instruction compares two
// elements of one operand, and whether it has the second one first.
func (k comparator) compared(in *kernel.Instr) (o sortOrder, second, ok bool) {
	if len(in.Args) != 2 {
		return sortOrder{}, false, false
	}
	x, fx, ok := k.side(in.Args[0])
	y, fy, also := k.side(in.Args[1])
	return fx, x.Second, ok && also && fx == fy && x.Second != y.Second
}

// order finds the order of one operand's elements that a condition is.
func (k comparator) order(id kernel.ID) (sortOrder, bool) {
	less, apart := k.instr(id), kernel.ID(kernel.None)
	if less.Op == kernel.Or { // x < y, or y is a NaN and x is none; or x > y, or x is a NaN and y is none
		for i, a := range less.Args {
			if op := k.instr(a).Op; op == kernel.CompareLT || op == kernel.CompareGT {
				less, apart = k.instr(a), less.Args[1-i]
				break
			}
		}
	}
	if less.Op != kernel.CompareLT && less.Op != kernel.CompareGT {
		return sortOrder{}, false
	}
	o, second, ok := k.compared(less)
	if !ok {
		return sortOrder{}, false
	}
	o.descending = (less.Op == kernel.CompareGT) != second
	if apart != kernel.None {
		o.largest = true
		if o.total || !k.nanAmong(apart, o.operand, !o.descending) {
			return sortOrder{}, false
		}
	}
	return o, true
}

func (k comparator) instr(id kernel.ID) *kernel.Instr { return &k.Instrs[id] }

// side returns which element a side of a comparison is made of, and how.
func (k comparator) side(id kernel.ID) (plan.Compared, sortOrder, bool) {
	var o sortOrder
	id, o.total = k.totalOrder(id)
	if o.total {
		id, o.nan = k.oneNaN(id)
	}
	in := k.instr(id)
	if in.Op != kernel.Load {
		return plan.Compared{}, o, false
	}
	of := k.of.Of[in.Mem.Param]
	o.operand, o.t = of.Operand, in.Type
	_, _, float := floatBits(o.t)
	return of, o, (o.t.IsInteger() || o.t == types.Bool) && !o.total || float
}

// isConstant reports whether an instruction is a constant of these bits.
func (k comparator) isConstant(id kernel.ID, want uint64) bool {
	in := k.instr(id)
	return in.Op == kernel.Constant && uint64(in.Aux)&widthMask(in.Type) == want
}

// totalOrder finds the float whose place in the total order a number is: its bits, as
// those of a signed number, of which those of negative ones are inverted but for the
// sign.
func (k comparator) totalOrder(id kernel.ID) (kernel.ID, bool) {
	x := k.instr(id)
	if x.Op != kernel.Xor || !x.Type.IsInteger() || !x.Type.IsSigned() {
		return id, false
	}
	sign := uint64(1) << (8*x.Type.Size() - 1)
	b, and := k.instr(x.Args[0]), k.instr(x.Args[1])
	if b.Op != kernel.BitcastConvert || and.Op != kernel.And || !k.isConstant(and.Args[1], sign-1) {
		return id, false
	}
	shift := k.instr(and.Args[0])
	if shift.Op != kernel.ShiftRightArithmetic || shift.Args[0] != x.Args[0] || !k.isConstant(shift.Args[1], uint64(8*x.Type.Size()-1)) {
		return id, false
	}
	return b.Args[0], true
}

// oneNaN finds the float of which a number is the same, but 0 for -0 and one NaN for
// all.
func (k comparator) oneNaN(id kernel.ID) (kernel.ID, uint64) {
	choice := k.instr(id)
	if choice.Op != kernel.Select {
		return id, 0
	}
	isNaN, nan, number := k.instr(choice.Args[0]), k.instr(choice.Args[1]), choice.Args[2]
	positive := k.instr(number)
	if isNaN.Op != kernel.CompareNE || isNaN.Args[0] != isNaN.Args[1] || nan.Op != kernel.Constant || positive.Op != kernel.Select {
		return id, 0
	}
	x, isZero := positive.Args[2], k.instr(positive.Args[0])
	if isNaN.Args[0] != number && isNaN.Args[0] != x { // of both or neither: 0 is no NaN
		return id, 0
	}
	if isZero.Op != kernel.CompareEQ || isZero.Args[0] != x || !k.isConstant(isZero.Args[1], 0) || !k.isConstant(positive.Args[1], 0) {
		return id, 0
	}
	one := uint64(nan.Aux) & widthMask(nan.Type)
	if sign, infinity, float := floatBits(nan.Type); !float || one&^sign <= infinity {
		return id, 0 // NaNs are among the numbers then
	}
	return x, one
}

// nanAmong reports whether a condition is that one of two elements, at the first place
// or the second, is a NaN and the other is a number.
func (k comparator) nanAmong(id kernel.ID, operand int, second bool) bool {
	and := k.instr(id)
	if and.Op != kernel.And {
		return false
	}
	is := func(id kernel.ID, op kernel.Op, second bool) bool {
		in := k.instr(id)
		if in.Op != op || in.Args[0] != in.Args[1] || k.instr(in.Args[0]).Op != kernel.Load {
			return false
		}
		return k.of.Of[k.instr(in.Args[0]).Mem.Param] == plan.Compared{Operand: operand, Second: second}
	}
	a, b := and.Args[0], and.Args[1]
	return is(a, kernel.CompareEQ, !second) && is(b, kernel.CompareNE, second) || is(b, kernel.CompareEQ, !second) && is(a, kernel.CompareNE, second)
}
