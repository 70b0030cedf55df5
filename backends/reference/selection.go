package reference

import (
	"fmt"
	"slices"
	"unsafe"

	"ltc/stablehlo"
)

// bySize picks the instance of a function for elements of d's size, where only
// their bits matter.
func bySize[F any](d dtype, f1, f2, f4, f8, f16 F) F {
	switch d.size() {
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

// fillKernel returns what fills n elements of type d with one.
func fillKernel(d dtype) kernel1 {
	return bySize(d, fill[uint8], fill[uint16], fill[uint32], fill[uint64], fill[[2]uint64])
}

func chooseKernel(d dtype) func(out, pred, yes, no unsafe.Pointer, n int) {
	return bySize(d, choose[uint8], choose[uint16], choose[uint32], choose[uint64], choose[[2]uint64])
}

func prepareSelect(b *builder, o *site) error {
	if err := o.arity(3, 1); err != nil {
		return err
	}
	p, t := o.in[0], o.out[0]
	if p.dt != i1 || !p.scalar() && !slices.Equal(p.shape, t.shape) {
		return fmt.Errorf("the predicate is %v%v: want i1, a scalar or of shape %v", p.dt, p.shape, t.shape)
	}
	for i := 1; i < 3; i++ {
		if o.in[i].dt != t.dt || !slices.Equal(o.in[i].shape, t.shape) {
			return fmt.Errorf("operand %d is %v%v, the result %v%v", i, o.in[i].dt, o.in[i].shape, t.dt, t.shape)
		}
	}
	if p.scalar() {
		b.dense(o)
	}
	x, y, n := o.in[1].slot, o.in[2].slot, t.n
	r := b.resultOver(o, 0, 1, 2)
	if p.scalar() {
		bytes := t.bytes()
		b.emit(func(f *frame) {
			from := f.p[y]
			if *(*uint8)(f.p[p.slot]) != 0 {
				from = f.p[x]
			}
			f.copy(f.p[r], from, bytes)
		})
		return nil
	}
	k := chooseKernel(t.dt)
	sp, sx, sy, sr := b.stride(p), b.stride(o.in[1]), b.stride(o.in[2]), t.dt.size()
	b.emitRange(n, func(f *frame, i, n int) {
		k(unsafe.Add(f.p[r], i*sr), unsafe.Add(f.p[p.slot], i*sp), unsafe.Add(f.p[x], i*sx), unsafe.Add(f.p[y], i*sy), n)
	})
	return nil
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

// prepareClamp computes min(max(low, x), high), with bounds that are scalars
// or as large as x.
func prepareClamp(b *builder, o *site) error {
	if err := o.arity(3, 1); err != nil {
		return err
	}
	t := o.out[0]
	if !slices.Equal(o.in[1].shape, t.shape) {
		return fmt.Errorf("the operand has shape %v, the result %v", o.in[1].shape, t.shape)
	}
	lo, hi := binaryKernel(stablehlo.Maximum, t.dt), binaryKernel(stablehlo.Minimum, t.dt)
	if lo == nil || hi == nil {
		return unsupportedf("elements of type %v", t.dt)
	}
	var bounds [2]int
	for i, k := range []int{0, 2} {
		in := o.in[k]
		if err := o.likeResult(k); err != nil {
			return err
		}
		switch {
		case slices.Equal(in.shape, t.shape):
			bounds[i] = in.slot
		case in.scalar():
			bounds[i] = b.scratch(o, t.bytes())
			k, to, from := fillKernel(t.dt), bounds[i], in.slot
			b.emit(func(f *frame) { f.fill(k, t.dt.size(), f.p[to], f.p[from], t.n) })
		default:
			return fmt.Errorf("operand %d has shape %v: want a scalar or %v", k, in.shape, t.shape)
		}
	}
	x := o.in[1].slot
	r, size := b.result(o, 0), t.dt.size()
	b.emitRange(t.n, func(f *frame, i, n int) {
		to, i := unsafe.Add(f.p[r], i*size), i*size
		lo(to, unsafe.Add(f.p[bounds[0]], i), unsafe.Add(f.p[x], i), n)
		hi(to, to, unsafe.Add(f.p[bounds[1]], i), n)
	})
	return nil
}

func fill[T any](out, value unsafe.Pointer, n int) {
	o, v := unsafe.Slice((*T)(out), n), *(*T)(value)
	for i := range o {
		o[i] = v
	}
}
