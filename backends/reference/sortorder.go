package reference

import (
	"unsafe"

	"ltc/backends/kit/kernel"
	"ltc/backends/kit/plan"
	"ltc/ir/types"
)

// sortOrder is an order of the elements of one operand that keys, which are unsigned
// integers, have as well.
type sortOrder struct {
	operand    int
	t          types.DType
	descending bool
	// total: floats are in the order of their bits, -NaN first and NaN last. Otherwise -0
	// and 0 are equal, and all NaNs are: they are larger than every number if largest is
	// set, else unordered.
	total, largest bool
	// nan is the NaN that every NaN stands for before the total order is asked, 0 for
	// itself; -0 is 0 then.
	nan uint64
}

// orderOf finds the order that a comparator is. There is none for what it compares
// otherwise than by one operand, and less than or greater than.
func orderOf(s *plan.Sort) (sortOrder, bool) {
	k := comparator{s, s.Less}
	end := &k.Instrs[len(k.Instrs)-1]
	if end.Op != kernel.Store {
		return sortOrder{}, false
	}
	less, apart := k.instr(end.Args[0]), kernel.ID(kernel.None)
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
	x, fx, ok := k.side(less.Args[0])
	y, fy, also := k.side(less.Args[1])
	if !ok || !also || fx != fy || x.Operand != y.Operand || x.Second == y.Second {
		return sortOrder{}, false
	}
	fx.descending = (less.Op == kernel.CompareGT) != x.Second
	if apart != kernel.None {
		fx.largest = true
		if fx.total || !k.nanAmong(apart, x.Operand, !fx.descending) {
			return sortOrder{}, false
		}
	}
	return fx, true
}

// comparator is the kernel that a sort compares by.
type comparator struct {
	of *plan.Sort
	*kernel.Kernel
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
	return of, o, o.t.IsInteger() && !o.total || float
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

// floatBits returns the sign of a float and the bits of its infinity.
func floatBits(t types.DType) (sign, infinity uint64, ok bool) {
	switch t {
	case types.F16:
		return 1 << 15, 0x7C00, true
	case types.BF16:
		return 1 << 15, 0x7F80, true
	case types.F32:
		return 1 << 31, 0x7F800000, true
	case types.F64:
		return 1 << 63, 0x7FF << 52, true
	}
	return 0, 0, false
}

func widthMask(t types.DType) uint64 { return 1<<(8*t.Size()) - 1 }

// keysOf makes the keys of elements that are apart elements from each other. It reports
// whether some are in no order: NaNs, which then all have the key none.
func (o *sortOrder) keysOf(to []uint64, first unsafe.Pointer, apart int) (unordered bool) {
	if len(to) == 0 {
		return false
	}
	switch n := (len(to)-1)*apart + 1; o.t.Size() {
	case 1:
		return keysOf(o, to, unsafe.Slice((*uint8)(first), n), apart)
	case 2:
		return keysOf(o, to, unsafe.Slice((*uint16)(first), n), apart)
	case 4:
		return keysOf(o, to, unsafe.Slice((*uint32)(first), n), apart)
	default:
		return keysOf(o, to, unsafe.Slice((*uint64)(first), n), apart)
	}
}

func keysOf[T uint8 | uint16 | uint32 | uint64](o *sortOrder, to []uint64, from []T, apart int) (unordered bool) {
	s, inf, float := floatBits(o.t)
	last := 8*o.t.Size() - 1 // the number of the sign's bit
	if !float && o.t.IsSigned() {
		s = 1 << last
	}
	sign, infinity, nan, down, none := T(s), T(inf), T(o.nan), T(0), ^T(0)
	if o.descending {
		down = none
	}
	largest := none // the key of NaNs that are not in the total order
	if o.largest {
		largest ^= down
	}
	switch {
	case !float:
		for i := range to {
			to[i] = uint64(from[i*apart] ^ sign ^ down)
		}
		return false
	case o.total && nan == 0: // each float is where its bits say
		for i := range to {
			b := from[i*apart]
			to[i] = uint64(b ^ (-(b >> last) | sign) ^ down)
		}
		return false
	}
	for i := range to {
		b := from[i*apart]
		switch {
		case b&^sign > infinity && !o.total:
			to[i] = uint64(largest)
			unordered = unordered || !o.largest
			continue
		case b&^sign > infinity:
			b = nan
		case b == sign:
			b = 0
		}
		to[i] = uint64(b ^ (-(b >> last) | sign) ^ down)
	}
	return unordered
}

// skip passes by elements of a row of n, from one on, that are behind the one at limit as
// numbers are. It returns where to go on and how many elements are left there at most; of
// elements that it does not know all are left.
func (o *sortOrder) skip(row unsafe.Pointer, from, n, apart int, limit uint64) (at, left int) {
	const few = 8 // those behind the first that is not passed by are probably behind, too
	switch {
	case apart == 1 && o.t == types.F32:
		at = from + skip(unsafe.Slice((*float32)(row), n)[from:], *(*float32)(unsafe.Add(row, 4*limit)), o.descending)
		return at, min(few, n-at)
	case apart == 1 && o.t == types.F64:
		at = from + skip(unsafe.Slice((*float64)(row), n)[from:], *(*float64)(unsafe.Add(row, 8*limit)), o.descending)
		return at, min(few, n-at)
	}
	return from, n - from
}

// skip returns the number of the first element that is not less than the limit, or not
// greater if elements ascend. A NaN is neither.
func skip[T float32 | float64](x []T, limit T, descending bool) int {
	if descending {
		for i, v := range x {
			if !(v < limit) {
				return i
			}
		}
		return len(x)
	}
	for i, v := range x {
		if !(v > limit) {
			return i
		}
	}
	return len(x)
}
