package reference

import (
	"unsafe"

	"ltc/backends/kit/kernel"
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
	return len(to) > 0 && loopsBySize[o.t.Size()].keys(o, to, first, apart)
}

func keysOf[T word](o *sortOrder, to []uint64, first unsafe.Pointer, apart int) (unordered bool) {
	k, from := keyingOf[T](o), unsafe.Slice((*T)(first), (len(to)-1)*apart+1)
	if !k.numbers {
		for i := range to {
			to[i] = uint64(k.plain(from[i*apart]))
		}
		return false
	}
	for i := range to {
		b := from[i*apart]
		if k.none && b&^k.sign > k.infinity {
			to[i], unordered = uint64(^T(0)), true
			continue
		}
		to[i] = uint64(k.key(b))
	}
	return unordered
}

// keying is how keys are made of the bits of elements.
type keying[T word] struct {
	float bool
	// numbers: -0 is 0, and NaNs are other than by their bits: nan if that is not 0, else
	// with a key of their own.
	numbers             bool
	none                bool // NaNs are in no order
	sign, infinity, nan T    // of floats
	own                 T    // the key of NaNs
	top                 T    // the highest bit of a key
	flip                T    // what elements that are not negative floats differ in from keys
	negative            T    // what negative ones differ in beyond that
}

func keyingOf[T word](o *sortOrder) (k keying[T]) {
	sign, infinity, float := floatBits(o.t)
	_, k.none = o.none()
	k.float, k.numbers = float, float && (!o.total || o.nan != 0)
	k.sign, k.infinity, k.nan, k.top = T(sign), T(infinity), T(o.nan), T(1)<<(8*o.t.Size()-1)
	if float || o.t.IsSigned() {
		k.flip = k.top
	}
	if float {
		k.negative = k.top - 1
	}
	if o.descending {
		k.flip ^= T(widthMask(o.t))
	}
	if o.largest && !o.descending {
		k.own = T(widthMask(o.t))
	}
	return k
}

// plain returns the key of an element that is where its bits say. T is as wide as the element.
func (k *keying[T]) plain(b T) T {
	return b ^ (-(b >> (8*unsafe.Sizeof(b) - 1)) & k.negative) ^ k.flip
}

// element returns the element that [keying.plain] makes a key of.
func (k *keying[T]) element(key T) T {
	b := key ^ k.flip
	return b ^ (-(b >> (8*unsafe.Sizeof(b) - 1)) & k.negative)
}

// key returns the key of an element, before all others that of a NaN in no order.
func (k *keying[T]) key(b T) T {
	switch {
	case !k.numbers:
	case b&^k.sign > k.infinity:
		if k.nan == 0 {
			return k.own
		}
		b = k.nan
	case b == k.sign:
		b = 0
	}
	return k.plain(b)
}

// least returns the least key of n elements, a multiple of four, that are apart elements
// from each other.
func (k *keying[T]) least(x []T, apart, n int) T {
	least := ^T(0)
	switch {
	case k.numbers:
		for i := range n {
			least = min(least, k.key(x[i*apart]))
		}
	case apart == 1:
		k, a, b, c := *k, least, least, least
		for x := x[:n]; len(x) >= 4; x = x[4:] {
			least, a = min(least, k.plain(x[0])), min(a, k.plain(x[1]))
			b, c = min(b, k.plain(x[2])), min(c, k.plain(x[3]))
		}
		least = min(least, a, b, c)
	default:
		for i := range n {
			least = min(least, k.plain(x[i*apart]))
		}
	}
	return least
}

// asSigned is the signed integer that an element, or its key, is to a kernel.
func (o *sortOrder) asSigned() types.DType {
	return map[int]types.DType{1: types.I8, 2: types.I16, 4: types.I32, 8: types.I64}[o.t.Size()]
}

// signedKey adds to a kernel what [keying.key] computes, of the bits of an element as a signed
// integer. The highest bit of the key is inverted: signed integers are in the order of keys.
func (o *sortOrder) signedKey(b *kernel.Builder, v kernel.ID) kernel.ID {
	k, t := keyingOf[uint64](o), o.asSigned()
	number := func(bits uint64) kernel.ID { return b.Int(t, int64(bits)) }
	nan := kernel.ID(kernel.None)
	if k.numbers {
		nan = b.Op(kernel.CompareGT, types.Bool, b.Op(kernel.And, t, v, number(^k.sign)), number(k.infinity))
		zero := b.Op(kernel.CompareEQ, types.Bool, v, number(k.sign))
		v = b.Op(kernel.Select, t, zero, number(0), v)
	}
	if k.numbers && o.total {
		v = b.Op(kernel.Select, t, nan, number(k.nan), v)
	}
	if k.float {
		negative := b.Op(kernel.ShiftRightArithmetic, t, v, number(uint64(8*t.Size()-1)))
		v = b.Op(kernel.Xor, t, v, b.Op(kernel.And, t, negative, number(k.negative)))
	}
	if flip := k.flip ^ k.top; flip != 0 {
		v = b.Op(kernel.Xor, t, v, number(flip))
	}
	if k.numbers && !o.total {
		v = b.Op(kernel.Select, t, nan, number(k.own^k.top), v)
	}
	return v
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
