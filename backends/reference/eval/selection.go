package eval

import (
	"unsafe"

	"ltc/backends/reference/internal/loops"
	"ltc/stablehlo"
)

func prepareSelect(b *builder, o *site) error {
	p, t := o.in[0], o.out[0]
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
	t := o.out[0]
	lo, hi := loops.Binary(stablehlo.Maximum, t.dt), loops.Binary(stablehlo.Minimum, t.dt)
	var bounds [2]int
	for i, k := range []int{0, 2} {
		in := o.in[k]
		if bounds[i] = in.slot; in.scalar() && !t.scalar() {
			bounds[i] = b.scratch(o, t.bytes())
			k, to, from := loops.Fill(t.dt), bounds[i], in.slot
			b.emit(func(f *frame) { f.fill(k, t.dt.Size(), f.p[to], f.p[from], t.n) })
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
