package eval

import (
	"fmt"
	"slices"
	"unsafe"

	"ltc/backends/reference/internal/loops"
)

// prepareMap runs the region on each element of the operands.
func prepareMap(b *builder, o *site) error {
	if len(o.in) == 0 || len(o.out) != 1 {
		return fmt.Errorf("%d operands and %d results, want some and 1", len(o.in), len(o.out))
	}
	if err := o.alike(); err != nil {
		return err
	}
	dims, err := ints(o.op.Attrs, "dimensions")
	if err != nil {
		return err
	}
	for i, d := range dims {
		if d != i || len(dims) != len(o.out[0].shape) {
			return fmt.Errorf("dimensions %v, want all %d in order", dims, len(o.out[0].shape))
		}
	}
	out, r := o.out[0], b.result(o, 0)
	args, scalars := make([]int, len(o.in)), make([]tensor, len(o.in))
	for i, in := range o.in {
		args[i], scalars[i] = b.pointer(o), in.element()
	}
	body, err := b.region(o, 0, args, scalars)
	if err != nil {
		return err
	}
	if !slices.EqualFunc(body.types, []tensor{out.element()}, tensor.equal) {
		return fmt.Errorf("the region must return one %v", out.element())
	}
	b.emitBlocks(out.n, func(f *frame) error {
		for i := range out.n {
			for k, in := range o.in {
				f.p[args[k]] = unsafe.Add(f.p[in.slot], i*in.dt.Size())
			}
			if err := f.exec(body.steps); err != nil {
				return err
			}
			loops.CopyBytes(unsafe.Add(f.p[r], i*out.dt.Size()), f.p[body.results[0]], out.dt.Size())
		}
		return nil
	}, body)
	return nil
}
