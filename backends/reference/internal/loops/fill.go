package loops

import "unsafe"

// BySize picks the instance of a function for elements of d's size, where only
// their bits matter.
func BySize[F any](d DType, f1, f2, f4, f8, f16 F) F {
	switch d.Size() {
	case 1:
		return f1
	case 2:
		return f2
	case 4:
		return f4
	case 8:
		return f8
	}
	return f16
}

// Fill returns what fills n elements of type d with one.
func Fill(d DType) Loop1 {
	return BySize(d, fill[uint8], fill[uint16], fill[uint32], fill[uint64], fill[[2]uint64])
}

// Choose returns what takes elements of type d from yes where the predicate is not 0, and
// else from no.
func Choose(d DType) func(out, pred, yes, no unsafe.Pointer, n int) {
	return BySize(d, choose[uint8], choose[uint16], choose[uint32], choose[uint64], choose[[2]uint64])
}

func choose[T any](out, pred, yes, no unsafe.Pointer, n int) {
	o, p := unsafe.Slice((*T)(out), n), unsafe.Slice((*uint8)(pred), n)
	a, b := unsafe.Slice((*T)(yes), n), unsafe.Slice((*T)(no), n)
	for i := range o {
		v := b[i]
		if p[i] != 0 {
			v = a[i]
		}
		o[i] = v
	}
}

func fill[T any](out, value unsafe.Pointer, n int) {
	o, v := unsafe.Slice((*T)(out), n), *(*T)(value)
	for i := range o {
		o[i] = v
	}
}
