package reference

import (
	"unsafe"

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

// none returns the key of a NaN, if that is in no order.
func (o *sortOrder) none() (key uint64, some bool) {
	_, _, float := floatBits(o.t)
	return widthMask(o.t), float && !o.total && !o.largest
}

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
