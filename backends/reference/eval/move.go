package eval

import (
	"slices"
	"unsafe"

	"ltc/internal/stridedcopy"
	"ltc/soa"
)

// mover is a [stridedcopy.Move] which, when it is of many elements, goes in parts along
// one dimension, between which the run can be cancelled.
type mover struct {
	whole      *stridedcopy.Move
	part, rest *stridedcopy.Move // nil where whole is one part
	parts      int               // before the rest
	dst, src   int               // bytes from part to part
	elements   int               // of a part
}

// partElements is the most that a move copies at a time, if a dimension is long
// enough.
const partElements = 1 << 20

func newMover(size int, shape, dst, src []int) *mover {
	m := &mover{whole: stridedcopy.NewMove(size, shape, dst, src)}
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
	m.part = stridedcopy.NewMove(size, with(shape, cut, rows), dst, src)
	m.rest = stridedcopy.NewMove(size, with(shape, cut, shape[cut]%rows), dst, src)
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

// with returns the shape with one dimension changed.
func with(shape []int, dim, n int) []int {
	shape = slices.Clone(shape)
	shape[dim] = n
	return shape
}

func first(b []byte) unsafe.Pointer { return unsafe.Pointer(unsafe.SliceData(b)) }

// starts reads the scalar start indices of a window of the given size in a
// tensor, moved so far that the window lies inside.
type starts struct {
	slots         []int
	read          []indexFunc
	last, strides []int // largest start; bytes
}

func newStarts(in []operand, t tensor, window []int) starts {
	s := starts{strides: soa.Dense(t.shape)}
	for i, x := range in {
		s.slots, s.read = append(s.slots, x.slot), append(s.read, indexReader(x.dt))
		s.last = append(s.last, t.shape[i]-window[i])
		s.strides[i] *= t.dt.Size()
	}
	return s
}

// offset returns the window's first byte.
func (s *starts) offset(f *frame) int {
	at := 0
	for i, x := range s.slots {
		at += min(max(s.read[i](f.p[x]), 0), s.last[i]) * s.strides[i]
	}
	return at
}

func prepareDynamicSlice(b *builder, o *site) error {
	in, out := o.in[0], o.out[0]
	at := newStarts(o.in[1:], in.tensor, out.shape)
	m, r := newMover(in.dt.Size(), out.shape, soa.Dense(out.shape), soa.Dense(in.shape)), b.result(o, 0)
	if out.n > 0 {
		b.emit(func(f *frame) { m.run(f, f.p[r], unsafe.Add(f.p[in.slot], at.offset(f))) })
	}
	return nil
}

func prepareDynamicUpdateSlice(b *builder, o *site) error {
	in, update, out := o.in[0], o.in[1], o.out[0]
	at := newStarts(o.in[2:], out, update.shape)
	m := newMover(out.dt.Size(), update.shape, soa.Dense(out.shape), soa.Dense(update.shape))
	r, bytes := b.resultOver(o, 0, 0), out.bytes()
	if o.in[1].slot == in.slot { // updated with itself
		b.code.slots[r].reuse = nil
	}
	b.emit(func(f *frame) {
		if f.p[r] != f.p[in.slot] {
			f.copy(f.p[r], f.p[in.slot], bytes)
		}
		if update.n > 0 {
			m.run(f, unsafe.Add(f.p[r], at.offset(f)), f.p[update.slot])
		}
	})
	return nil
}
