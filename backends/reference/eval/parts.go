package eval

import (
	"fmt"

	"ltc/backends/reference/internal/loops"
	"ltc/backends/reference/internal/scalarmath"
	"ltc/mlir"
	"ltc/stablehlo"
)

// Ops whose result has the type of a complex operand's parts, or the reverse.
// On real operands, real and abs are themselves and imag is 0.

// prepareParts prepares real, imag and the abs of complex numbers.
func prepareParts(b *builder, o *site) error {
	if err := o.arity(1, 1); err != nil {
		return err
	}
	if err := o.alike(); err != nil {
		return err
	}
	in, out := o.in[0], o.out[0]
	op := o.op.Code
	if !in.dt.IsComplex() {
		switch {
		case op == stablehlo.Abs:
			return prepareUnary(b, o)
		case !in.equal(out) || !in.dt.IsFloat():
			return unsupportedf("%v to %v", in.tensor, out)
		case op == stablehlo.Real:
			b.alias(o, 0, in.slot)
			return nil
		}
		r := b.result(o, 0)
		b.emit(func(f *frame) { f.clear(f.p[r], out.bytes()) })
		return nil
	}
	if out.dt != in.dt.Part() {
		return fmt.Errorf("the operand is %v, the result %v: want elements of %v", in.tensor, out, in.dt.Part())
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
	if err := o.arity(2, 1); err != nil {
		return err
	}
	if err := o.alike(); err != nil {
		return err
	}
	out := o.out[0]
	if !out.dt.IsComplex() || o.in[0].dt != out.dt.Part() || o.in[1].dt != out.dt.Part() {
		return fmt.Errorf("parts of %v and %v make no %v", o.in[0].dt, o.in[1].dt, out.dt)
	}
	if out.dt == loops.C64 {
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
