package eval

import (
	"fmt"
	"slices"
	"unsafe"

	"ltc/backends/reference/internal/loops"
	"ltc/stablehlo"
)

func prepareSelect(b *builder, o *site) error {
	if err := o.arity(3, 1); err != nil {
		return err
	}
	p, t := o.in[0], o.out[0]
	if p.dt != loops.I1 || !p.scalar() && !slices.Equal(p.shape, t.shape) {
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
	k := loops.Choose(t.dt)
	sp, sx, sy, sr := b.stride(p), b.stride(o.in[1]), b.stride(o.in[2]), t.dt.Size()
	b.emitRange(n, func(f *frame, i, n int) {
		k(unsafe.Add(f.p[r], i*sr), unsafe.Add(f.p[p.slot], i*sp), unsafe.Add(f.p[x], i*sx), unsafe.Add(f.p[y], i*sy), n)
	})
	return nil
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
	lo, hi := loops.Binary(stablehlo.Maximum, t.dt), loops.Binary(stablehlo.Minimum, t.dt)
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
			k, to, from := loops.Fill(t.dt), bounds[i], in.slot
			b.emit(func(f *frame) { f.fill(k, t.dt.Size(), f.p[to], f.p[from], t.n) })
		default:
			return fmt.Errorf("operand %d has shape %v: want a scalar or %v", k, in.shape, t.shape)
		}
	}
	x := o.in[1].slot
	r, size := b.result(o, 0), t.dt.Size()
	b.emitRange(t.n, func(f *frame, i, n int) {
		to, i := unsafe.Add(f.p[r], i*size), i*size
		lo(to, unsafe.Add(f.p[bounds[0]], i), unsafe.Add(f.p[x], i), n)
		hi(to, to, unsafe.Add(f.p[bounds[1]], i), n)
	})
	return nil
}
