package cudafake

import (
	"slices"
	"unsafe"

	"ltc/backends/cuda/driver"
	"ltc/internal/diag"
	"ltc/internal/test/ptxsim"
)

// elementBytes are the sizes of the types of tensor maps, by NVIDIA's numbers.
var elementBytes = []int{1, 2, 4, 4, 8, 8, 2, 4, 8, 2}

// tensorMap is cuTensorMapEncodeTiled: it checks what NVIDIA's documentation asks of
// a map, and writes the interpreter's. Of the ways to mix rows it has those that the
// interpreter has.
func (f *Fake) tensorMap(to *[16]uint64, kind int32, rank uint32, address uint64, sizes, strides *uint64, box, steps *uint32, interleave, swizzle, promotion, fill int32) driver.Code {
	const call = "cuTensorMapEncodeTiled"
	if _, code := f.context(call); code != 0 {
		return code
	}
	if f.o.Major < 9 { // of no use to its kernels
		return driver.NotSupported
	}
	mixed := map[driver.TensorSwizzle]int{driver.NoSwizzle: 0, driver.Swizzle128: 128}
	span, known := mixed[driver.TensorSwizzle(swizzle)]
	switch {
	case uintptr(unsafe.Pointer(to))%64 != 0:
		return f.bad(driver.InvalidValue, BadArgument, "%s to %p, which is no multiple of 64", call, to)
	case rank < 1 || rank > 5:
		return f.bad(driver.InvalidValue, BadArgument, "%s of %s", call, diag.Count(rank, "dimension"))
	case kind < 0 || int(kind) >= len(elementBytes):
		return f.bad(driver.InvalidValue, BadArgument, "%s of elements of type %d", call, kind)
	case !known || interleave != 0 || promotion < 0 || promotion > 3 || fill != 0:
		return f.bad(driver.InvalidValue, BadArgument, "%s with interleave %d, swizzle %d, promotion %d and fill %d, of which the interpreter knows no more than swizzles of 0 and 128 bytes", call, interleave, swizzle, promotion, fill)
	}
	for _, n := range unsafe.Slice(steps, rank) {
		if n != 1 {
			return f.bad(driver.InvalidValue, BadArgument, "%s of every %s", call, diag.Count(n, "element"))
		}
	}
	m := &ptxsim.TensorMap{
		Address: address, Element: elementBytes[kind], Swizzle: span,
		Sizes: slices.Clone(unsafe.Slice(sizes, rank)), Strides: slices.Clone(unsafe.Slice(strides, rank-1)), Box: slices.Clone(unsafe.Slice(box, rank)),
	}
	if err := m.Check(); err != nil {
		return f.bad(driver.InvalidValue, BadArgument, "%s: %v", call, err)
	}
	*to = m.Words()
	return driver.Success
}
