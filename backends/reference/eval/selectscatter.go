package eval

import (
	"fmt"
	"slices"
	"unsafe"

	"ltc/backends/reference/internal/loops"
	"ltc/soa"
)

// prepareSelectAndScatter finds in every window over the operand the element
// that the first region prefers, and combines the window's value of the source
// into the result there, in the order of the source. A window that lies in the
// padding altogether has no such element; its value is left out.
func prepareSelectAndScatter(b *builder, o *site) error {
	if err := o.arity(3, 1); err != nil {
		return err
	}
	in, source, init, out := o.in[0], o.in[1], o.in[2], o.out[0]
	if !slices.Equal(in.shape, out.shape) || !init.scalar() {
		return fmt.Errorf("operand %v, init %v and result %v", in.tensor, init.tensor, out)
	}
	size, err := ints(o.op.Attrs, "window_dimensions")
	if err != nil {
		return err
	}
	if len(size) == 0 {
		size = slices.Repeat([]int{1}, len(in.shape))
	}
	if slices.ContainsFunc(size, func(x int) bool { return x < 1 }) {
		return fmt.Errorf("window_dimensions %v, want at least 1 each", size)
	}
	ws, err := newWindows(o, windowAttrs{stride: "window_strides"}, in.shape, source.shape, size, in.dt)
	if err != nil {
		return err
	}
	from := b.converted(o, source.slot, source.dt, out.dt, source.n)
	first := b.converted(o, init.slot, init.dt, out.dt, 1)
	r := b.result(o, 0)
	pair := []int{b.pointer(o), b.pointer(o)}
	prefers, err := b.region(o, 0, pair, []tensor{in.element(), in.element()})
	if err != nil {
		return err
	}
	if len(prefers.types) != 1 || prefers.types[0].dt != loops.I1 || prefers.types[0].n != 1 {
		return fmt.Errorf("region 0 must return one i1")
	}
	sum := []int{b.pointer(o), b.pointer(o)}
	combine, err := b.region(o, 1, sum, []tensor{out.element(), out.element()})
	if err != nil {
		return err
	}
	store, err := b.storing(o, combine, o.out)
	if err != nil {
		return err
	}
	strides, fill := soa.Dense(in.shape), loops.Fill(out.dt)
	b.emitBlocks(loops.Times(source.n, volume(size)), func(f *frame) error {
		if f.fill(fill, out.dt.Size(), f.p[r], f.p[first], out.n) {
			return errStopped
		}
		return eachIndex(source.shape, func(i int, at []int) error {
			chosen := -1
			err := eachIndex(size, func(_ int, w []int) error {
				if err := f.stop(1); err != nil {
					return err
				}
				x, inside := inputOffset(ws, strides, at, w)
				switch {
				case !inside:
					return nil
				case chosen < 0:
					chosen = x
					return nil
				}
				f.p[pair[0]] = unsafe.Add(f.p[in.slot], chosen*in.dt.Size())
				f.p[pair[1]] = unsafe.Add(f.p[in.slot], x*in.dt.Size())
				if err := f.exec(prefers.steps); err != nil {
					return err
				}
				if *(*uint8)(f.p[prefers.results[0]]) == 0 {
					chosen = x
				}
				return nil
			})
			if err != nil || chosen < 0 {
				return err
			}
			f.p[sum[0]] = unsafe.Add(f.p[r], chosen*out.dt.Size())
			f.p[sum[1]] = unsafe.Add(f.p[from], i*out.dt.Size())
			if err := f.exec(combine.steps); err != nil {
				return err
			}
			store(f, sum)
			return nil
		})
	}, prefers, combine)
	return nil
}
