package eval

import (
	"fmt"
	"slices"
	"unsafe"

	"ltc/soa"
)

// starts reads the scalar start indices of a window of the given size in a
// tensor, moved so far that the window lies inside.
type starts struct {
	slots         []int
	read          []indexFunc
	last, strides []int // largest start; bytes
}

func newStarts(in []operand, t tensor, window []int) (starts, error) {
	s := starts{strides: soa.Dense(t.shape)}
	if len(in) != len(t.shape) || len(window) != len(t.shape) {
		return s, fmt.Errorf("%d start indices and a window of rank %d for a tensor of rank %d", len(in), len(window), len(t.shape))
	}
	for i, x := range in {
		if window[i] < 0 || window[i] > t.shape[i] {
			return s, fmt.Errorf("a window of %d in dimension %d, which has %d", window[i], i, t.shape[i])
		}
		r := indexReader(x.dt)
		if r == nil || x.n != 1 {
			return s, fmt.Errorf("start index %d is %v, want an integer", i, x.tensor)
		}
		s.slots, s.read = append(s.slots, x.slot), append(s.read, r)
		s.last = append(s.last, t.shape[i]-window[i])
		s.strides[i] *= t.dt.Size()
	}
	return s, nil
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
	if len(o.in) == 0 || len(o.out) != 1 {
		return fmt.Errorf("%d operands and %d results", len(o.in), len(o.out))
	}
	in, out := o.in[0], o.out[0]
	sizes, err := ints(o.op.Attrs, "slice_sizes")
	if err := firstError(err, o.likeResult(0)); err != nil {
		return err
	}
	if !slices.Equal(sizes, out.shape) {
		return fmt.Errorf("slice_sizes %v, the result has shape %v", sizes, out.shape)
	}
	at, err := newStarts(o.in[1:], in.tensor, sizes)
	if err != nil {
		return err
	}
	m, r := newMover(in.dt.Size(), out.shape, soa.Dense(out.shape), soa.Dense(in.shape)), b.result(o, 0)
	if out.n > 0 {
		b.emit(func(f *frame) { m.run(f, f.p[r], unsafe.Add(f.p[in.slot], at.offset(f))) })
	}
	return nil
}

func prepareDynamicUpdateSlice(b *builder, o *site) error {
	if len(o.in) < 2 || len(o.out) != 1 {
		return fmt.Errorf("%d operands and %d results", len(o.in), len(o.out))
	}
	in, update, out := o.in[0], o.in[1], o.out[0]
	if !in.equal(out) || update.dt != out.dt {
		return fmt.Errorf("operand %v and update %v do not fit the result %v", in.tensor, update.tensor, out)
	}
	at, err := newStarts(o.in[2:], out, update.shape)
	if err != nil {
		return err
	}
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
