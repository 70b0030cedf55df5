package eval

import (
	"fmt"
	"slices"
	"unsafe"

	"ltc/backends/reference/internal/loops"
	"ltc/backends/reference/internal/scalarmath"
	"ltc/mlir"
	"ltc/stablehlo"
)

func prepareConvert(b *builder, o *site) error {
	if o.in[0].dt == o.out[0].dt {
		b.alias(o, 0, o.in[0].slot)
		return nil
	}
	k := loops.Convert(o.in[0].dt, o.out[0].dt)
	b.emit1(o, k)
	return nil
}

// prepareBitcast reinterprets memory; as the lowest bits come first in it,
// that is so between types of different width too.
func prepareBitcast(b *builder, o *site) error {
	in, out := o.in[0], o.out[0]
	wide, narrow := in.tensor, out
	if wide.dt.Bits() < narrow.dt.Bits() {
		wide, narrow = narrow, wide
	}
	want := slices.Clone(wide.shape)
	if ratio := wide.dt.Bits() / narrow.dt.Bits(); ratio > 1 {
		want = append(want, ratio)
	}
	if !slices.Equal(narrow.shape, want) || wide.dt.Bits()%narrow.dt.Bits() != 0 {
		return fmt.Errorf("%v%v and %v%v do not hold the same bits", in.dt, in.shape, out.dt, out.shape)
	}
	if in.dt.Bits() < 8*in.dt.Size() || out.dt.Bits() < 8*out.dt.Size() {
		r := b.result(o, 0)
		b.emit(func(f *frame) { repack(f, f.p[r], f.p[in.slot], out, in.tensor) })
		return nil
	}
	if sl := &b.code.slots[in.slot]; sl.splat && in.dt.Size() != out.dt.Size() { // equal elements, but not of the new size
		b.alias(o, 0, b.newSlot(slot{kind: constant, constant: sl.constant}))
		return nil
	}
	b.alias(o, 0, in.slot)
	return nil
}

// prepareIsFinite reports which elements are neither infinite nor NaN.
func prepareIsFinite(b *builder, o *site) error {
	b.emit1(o, loops.Finite(o.in[0].dt))
	return nil
}

// repack moves the bits of the elements of src, the lowest first, to those of
// dst, whose values may have another width.
func repack(f *frame, dst, src unsafe.Pointer, out, in tensor) {
	from, to := unsafe.Slice((*byte)(src), in.bytes()), unsafe.Slice((*byte)(dst), out.bytes())
	if f.clear(dst, len(to)) {
		return
	}
	place := func(t tensor, i int) (int, int) { // byte and bit of the i-th bit of the values
		e, k := i/t.dt.Bits(), i%t.dt.Bits()
		return e*t.dt.Size() + k/8, k % 8
	}
	ended := f.stretches(in.n*in.dt.Bits(), loops.Tank, func(first, n int) {
		for i := first; i < first+n; i++ {
			a, x := place(in, i)
			b, y := place(out, i)
			to[b] |= from[a] >> x & 1 << y
		}
	})
	if !ended && out.dt.IsSmallInt() {
		wrap := loops.WrapInts(out.dt)
		f.stretches(out.n, loops.Tank, func(i, n int) { wrap(unsafe.Add(dst, i), n) })
	}
}

// prepareReducePrecision rounds to a format of fewer bits and back.
func prepareReducePrecision(b *builder, o *site) error {
	op := stablehlo.AsReducePrecision(o.op)
	b.emit1(o, loops.ReducePrecision(o.out[0].dt, int(op.ExponentBits()), int(op.MantissaBits())))
	return nil
}

// Ops whose result has the type of a complex operand's parts, or the reverse.
// On real operands, real and abs are themselves and imag is 0.

// prepareParts prepares real, imag and the abs of complex numbers.
func prepareParts(b *builder, o *site) error {
	in, out := o.in[0], o.out[0]
	op := o.op.Code
	if !in.dt.IsComplex() {
		switch {
		case op == stablehlo.Abs:
			return prepareUnary(b, o)
		case op == stablehlo.Real:
			b.alias(o, 0, in.slot)
			return nil
		}
		r := b.result(o, 0)
		b.emit(func(f *frame) { f.clear(f.p[r], out.bytes()) })
		return nil
	}
	if op == stablehlo.Abs && in.dt == loops.C64 {
		b.emit1(o, loops.Erase1(func(o []float32, a []complex64) {
			for i, z := range a {
				o[i] = scalarmath.AbsComplex64(z)
			}
		}))
		return nil
	}
	f := map[mlir.Code]func(complex128) float64{
		stablehlo.Real: func(z complex128) float64 { return real(z) },
		stablehlo.Imag: func(z complex128) float64 { return imag(z) },
		stablehlo.Abs:  scalarmath.AbsComplex,
	}[op]
	if in.dt == loops.C64 {
		b.emit1(o, loops.Erase1(partOf[complex64, float32](f)))
	} else {
		b.emit1(o, loops.Erase1(partOf[complex128, float64](f)))
	}
	return nil
}

func partOf[C loops.ComplexNumber, F loops.Float](f func(complex128) float64) func(o []F, a []C) {
	return func(o []F, a []C) {
		for i, z := range a {
			o[i] = F(f(complex128(z)))
		}
	}
}

// prepareComplex makes complex numbers of two tensors of parts.
func prepareComplex(b *builder, o *site) error {
	if o.out[0].dt == loops.C64 {
		b.emit2(o, loops.Erase2(func(o []complex64, re, im []float32) {
			for i := range o {
				o[i] = complex(re[i], im[i])
			}
		}))
		return nil
	}
	b.emit2(o, loops.Erase2(func(o []complex128, re, im []float64) {
		for i := range o {
			o[i] = complex(re[i], im[i])
		}
	}))
	return nil
}
