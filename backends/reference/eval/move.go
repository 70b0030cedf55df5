package eval

import (
	"slices"
	"unsafe"

	"ltc/soa"
)

// mover is a soa.Move which, when it is of many elements, goes in parts along
// one dimension, between which the run can be cancelled.
type mover struct {
	whole      *soa.Move
	part, rest *soa.Move // nil where whole is one part
	parts      int       // before the rest
	dst, src   int       // bytes from part to part
	elements   int       // of a part
}

// partElements is the most that a move copies at a time, if a dimension is long
// enough.
const partElements = 1 << 20

func newMover(size int, shape, dst, src []int) *mover {
	m := &mover{whole: soa.NewMove(size, shape, dst, src)}
	n := volume(shape)
	if n <= partElements {
		return m
	}
	// The outermost dimension that can be cut into enough parts, else the longest.
	need, cut := (n+partElements-1)/partElements, 0
	for i, x := range shape {
		if x >= need {
			cut = i
			break
		}
		if x > shape[cut] {
			cut = i
		}
	}
	rows := max(1, shape[cut]/need)
	m.parts, m.elements = shape[cut]/rows, n/shape[cut]*rows
	m.dst, m.src = rows*dst[cut]*size, rows*src[cut]*size
	m.part = soa.NewMove(size, with(shape, cut, rows), dst, src)
	m.rest = soa.NewMove(size, with(shape, cut, shape[cut]%rows), dst, src)
	return m
}

func (m *mover) run(f *frame, dst, src unsafe.Pointer) {
	if m.part == nil {
		m.whole.Run(dst, src)
		return
	}
	for range m.parts {
		if m.part.Run(dst, src); f.due(m.elements) {
			return
		}
		dst, src = unsafe.Add(dst, m.dst), unsafe.Add(src, m.src)
	}
	m.rest.Run(dst, src)
}

// place copies a block of elements between tensors of one element type: of
// the given shape, from src at one index of a dimension to dst at another.
func place(dst unsafe.Pointer, to tensor, toDim, toAt int, src unsafe.Pointer, from tensor, fromDim, fromAt int, shape []int) {
	if slices.Contains(shape, 0) {
		return
	}
	size, ds, ss := to.dt.Size(), soa.Dense(to.shape), soa.Dense(from.shape)
	soa.NewMove(size, shape, ds, ss).Run(unsafe.Add(dst, toAt*ds[toDim]*size), unsafe.Add(src, fromAt*ss[fromDim]*size))
}

// with returns the shape with one dimension changed.
func with(shape []int, dim, n int) []int {
	shape = slices.Clone(shape)
	shape[dim] = n
	return shape
}

func first(b []byte) unsafe.Pointer { return unsafe.Pointer(unsafe.SliceData(b)) }
