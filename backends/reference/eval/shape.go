package eval

import (
	"fmt"
	"slices"
	"unsafe"

	"ltc/backends/reference/internal/loops"
	"ltc/internal/diag"
	"ltc/soa"
	"ltc/stablehlo"
)

func prepareReshape(b *builder, o *site) error {
	b.alias(o, 0, o.in[0].slot)
	return nil
}

// emitMove fills the result with elements of operand 0 at the given strides
// and offset, or shares its memory where that is the same order or all elements
// are equal.
func (b *builder) emitMove(o *site, strides []int, offset int) {
	in, out := o.in[0], o.out[0]
	m := newMover(out.dt.Size(), out.shape, soa.Dense(out.shape), strides)
	sl := &b.code.slots[in.slot]
	if offset == 0 && in.n == out.n && m.whole.Contiguous() || sl.splat {
		b.alias(o, 0, in.slot)
		return
	}
	if sl.kind == constant && in.n == 1 && b.held < mostSplats {
		if s, err := b.splat(sl.constant[:in.bytes()], out.n); err == nil {
			b.alias(o, 0, s)
			return
		}
	}
	r, offset := b.result(o, 0), offset*in.dt.Size()
	if out.n == 0 {
		return
	}
	b.emit(func(f *frame) { m.run(f, f.p[r], unsafe.Add(f.p[in.slot], offset)) })
}

func prepareBroadcast(b *builder, o *site) error {
	in, out := o.in[0], o.out[0]
	dims := stablehlo.AsBroadcastInDim(o.op).BroadcastDimensions()
	strides := make([]int, len(out.shape))
	for i, s := range soa.Dense(in.shape) {
		if in.shape[i] == out.shape[dims[i]] {
			strides[dims[i]] = s
		}
	}
	b.emitMove(o, strides, 0)
	return nil
}

func prepareTranspose(b *builder, o *site) error {
	b.emitMove(o, pick(soa.Dense(o.in[0].shape), toInts(stablehlo.AsTranspose(o.op).Permutation())), 0)
	return nil
}

func prepareSlice(b *builder, o *site) error {
	in, out := o.in[0], o.out[0]
	start, limit, step := o.ints("start_indices"), o.ints("limit_indices"), o.ints("strides")
	rank := len(in.shape)
	if len(start) != rank || len(limit) != rank || len(step) != rank || len(out.shape) != rank {
		return fmt.Errorf("start_indices, limit_indices and strides must have %s", diag.Count(rank, "entry"))
	}
	strides, offset := soa.Dense(in.shape), 0
	for i := range strides {
		s, l, d := start[i], limit[i], step[i]
		if d < 1 || s < 0 || l < s || l > in.shape[i] || out.shape[i] != quotientUp(l-s, d) {
			return fmt.Errorf("[%d:%d:%d] of dimension %d, which has %d, does not give %d", s, l, d, i, in.shape[i], out.shape[i])
		}
		offset += s * strides[i]
		strides[i] *= d
	}
	b.emitMove(o, strides, offset)
	return nil
}

// quotientUp returns n/d rounded up, for n that is not negative and any d from 1.
func quotientUp(n, d int) int {
	q := n / d
	if n%d != 0 {
		q++
	}
	return q
}

func prepareReverse(b *builder, o *site) error {
	in := o.in[0]
	strides, offset := soa.Dense(in.shape), 0
	for _, d := range stablehlo.AsReverse(o.op).Dimensions() {
		offset += (in.shape[d] - 1) * strides[d]
		strides[d] = -strides[d]
	}
	b.emitMove(o, strides, offset)
	return nil
}

func prepareConcatenate(b *builder, o *site) error {
	out, dim := o.out[0], stablehlo.AsConcatenate(o.op).Dimension()
	r, dense, at, size := b.result(o, 0), soa.Dense(out.shape), 0, out.dt.Size()
	for _, in := range o.in {
		m, offset := newMover(size, in.shape, dense, soa.Dense(in.shape)), at*dense[dim]*size
		at += in.shape[dim]
		if in.n > 0 {
			b.emit(func(f *frame) { m.run(f, unsafe.Add(f.p[r], offset), f.p[in.slot]) })
		}
	}
	return nil
}

func preparePad(b *builder, o *site) error {
	in, value, out := o.in[0], o.in[1], o.out[0]
	low, high, interior := o.ints("edge_padding_low"), o.ints("edge_padding_high"), o.ints("interior_padding")
	rank := len(in.shape)
	if len(low) != rank || len(high) != rank || len(interior) != rank || len(out.shape) != rank || !value.scalar() {
		return fmt.Errorf("padding of rank %d needs %s of each kind and a scalar", rank, diag.Count(rank, "entry"))
	}
	// The part of the operand that is not cut off by negative padding.
	src, dst := soa.Dense(in.shape), soa.Dense(out.shape)
	shape, from, to := make([]int, rank), 0, 0
	for i, n := range in.shape {
		if interior[i] < 0 {
			return fmt.Errorf("interior_padding of dimension %d is negative", i)
		}
		const most = 1 << 60 // so that no sum below overflows
		if spread := loops.Product(max(n-1, 0), interior[i]); spread < 0 || max(spread, interior[i], low[i], high[i]) > most || min(low[i], high[i]) < -most {
			return fmt.Errorf("padding [%d, %d, %d] of dimension %d is more than the evaluator takes", low[i], high[i], interior[i], i)
		}
		step := interior[i] + 1
		if want := low[i] + high[i] + n + max(n-1, 0)*interior[i]; want != out.shape[i] {
			return fmt.Errorf("dimension %d becomes %d, the result has %d", i, want, out.shape[i])
		}
		first, end := 0, n
		if low[i] < 0 {
			first = (-low[i] + step - 1) / step
		}
		if room := out.shape[i] - low[i]; room <= 0 {
			end = 0
		} else {
			end = min(end, (room-1)/step+1)
		}
		shape[i] = max(end-first, 0)
		from += first * src[i]
		to += (low[i] + first*step) * dst[i]
		dst[i] *= step
	}
	size, r := out.dt.Size(), b.result(o, 0)
	fill := loops.Fill(out.dt)
	m := newMover(size, shape, dst, src)
	empty := slices.Contains(shape, 0)
	b.emit(func(f *frame) {
		if !f.fill(fill, size, f.p[r], f.p[value.slot], out.n) && !empty {
			m.run(f, unsafe.Add(f.p[r], to*size), unsafe.Add(f.p[in.slot], from*size))
		}
	})
	return nil
}

// prepareIota fills the result with the index of one dimension.
func prepareIota(b *builder, o *site) error {
	out := o.out[0]
	dim := stablehlo.AsIota(o.op).IotaDimension()
	numbers, err := b.numbers(o, out.dt, out.shape[dim], out.n)
	if err != nil {
		return err
	}
	if out.n == out.shape[dim] {
		b.alias(o, 0, numbers)
		return nil
	}
	strides := make([]int, len(out.shape))
	strides[dim] = 1
	m, r := newMover(out.dt.Size(), out.shape, soa.Dense(out.shape), strides), b.result(o, 0)
	b.emit(func(f *frame) { m.run(f, f.p[r], f.p[numbers]) })
	return nil
}

// numbers returns a slot with the first count integers. Few are made once, many
// in each run: they take memory only while they are in use then.
func (b *builder) numbers(o *site, d loops.DType, count, n int) (int, error) {
	convert := loops.Convert(loops.I64, d)
	if n == 0 {
		count = 0 // the dimension may be larger than any memory
	}
	size := d.Size()
	if count <= blockElements {
		index, row := make([]int64, count), make([]byte, count*size)
		for i := range index {
			index[i] = int64(i)
		}
		row = aligned(row)
		convert(unsafe.Pointer(unsafe.SliceData(row)), unsafe.Pointer(unsafe.SliceData(index)), count)
		return b.constant(row)
	}
	r, block := b.scratch(o, count*size), b.scratch(o, 8*blockElements)
	b.emitRange(count, func(f *frame, i, n int) {
		index := at[int64](f, block, n)
		for k := range index {
			index[k] = int64(i + k)
		}
		convert(unsafe.Add(f.p[r], i*size), f.p[block], n)
	})
	return r, nil
}

// aligned returns b in memory aligned for any element.
func aligned(b []byte) []byte {
	mem := soa.New(len(b) + 1).Bytes()[:len(b)]
	copy(mem, b)
	return mem
}
