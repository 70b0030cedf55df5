package kernel

// Bytes returns how many bytes a local takes for one point of the kernel's axes, and whether
// that number fits an i64.
func (l *Local) Bytes(sizes []int64) (n int64, ok bool) {
	n, ok = int64(l.DType.Size()), true
	for _, d := range l.Dims {
		var fits bool
		n, fits = times(n, d.Of(sizes))
		ok = ok && fits
	}
	return n, ok
}

// LocalBytes returns how many bytes all locals of one point take together, each rounded up by
// [Aligned], and whether that number fits an i64. In memory the locals follow one another in
// their order.
func LocalBytes(k *Kernel, sizes []int64) (int64, bool) {
	n, ok := int64(0), true
	for i := range k.Locals {
		size, fits := k.Locals[i].Bytes(sizes)
		_, fits1 := sum(size, alignment-1)
		var fits2 bool
		n, fits2 = sum(n, Aligned(size))
		ok = ok && fits && fits1 && fits2
	}
	return n, ok
}

// alignment is the alignment in bytes of [Call].Scratch and of each block within it: a
// cache line, and the widest vector.
const alignment = 64

// Aligned returns n rounded up to a multiple of 64 bytes, the alignment of scratch memory.
func Aligned(n int64) int64 { return (n + alignment - 1) &^ (alignment - 1) }
