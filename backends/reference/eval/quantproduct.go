package eval

import (
	"math"
	"unsafe"

	"ltc/backends/reference/internal/loops"
	"ltc/mlir"
	"ltc/stablehlo"
)

// A product of two quantized operands sums integers: the specification leaves the order of
// floats' sums open, and integers have one sum. What quantized operands stand for is
// (a - zero point)·scale, so that a sum of products is the sum of products of differences,
// times the product of both scales. That sum is exact. It is rounded to the accumulating
// type of the expressed one, multiplied by the product of the scales, which is rounded to
// that type too, and rounded to the expressed type.

// exactSums is a product whose sums are of integers.
type exactSums struct {
	acc    loops.DType
	scaled *quant // has the products of both scales along a dimension of the result
}

// exactSums returns how the op's sums are formed; false if they are of what its operands
// stand for. They are that where an operand or the result is not quantized, and where an
// operand has more than 16 bits. They are also that where a product of scales is not a normal
// number of the accumulating type.
func (o *site) exactSums() (s exactSums, ok bool, err error) {
	if o.op.Code != stablehlo.DotGeneral && o.op.Code != stablehlo.Convolution {
		return s, false, nil
	}
	l, r := o.in[0], o.in[1]
	if l.q == nil || r.q == nil || o.out[0].q == nil || l.q.Axis >= 0 || l.dt.Size() > 2 || r.dt.Size() > 2 {
		return s, false, nil
	}
	s.acc = loops.OfElement(l.q.Expressed).Accum()
	of := mlir.QuantType{Axis: -1}
	least, most, round := 0x1p-1022, math.MaxFloat64, func(x float64) float64 { return x }
	if s.acc == loops.F32 {
		least, most, round = 0x1p-126, math.MaxFloat32, func(x float64) float64 { return float64(float32(x)) }
	}
	for _, scale := range r.q.Scales {
		c := round(l.q.Round(l.q.Scales[0]) * r.q.Round(scale))
		if !(c >= least && c <= most) {
			return s, false, nil
		}
		of.Scales = append(of.Scales, c)
	}
	if r.q.Axis >= 0 {
		if of.Axis, err = o.resultAxis(r.q.Axis); err != nil {
			return s, false, err
		}
	}
	s.scaled = &quant{QuantType: &of}
	return s, true, nil
}

// resultAxis returns which dimension of a product's result is a dimension of its right
// operand that is not summed over.
func (o *site) resultAxis(axis int) (int, error) {
	if o.op.Code == stablehlo.Convolution {
		dims, err := parseConvDims(o.op.Attrs.Get("dimension_numbers"), len(o.in[0].shape))
		return dims[2].second, err
	}
	c := contractionOf(o)
	for i, d := range c.batch[1] {
		if d == axis {
			return i, nil
		}
	}
	at := len(c.batch[0]) + len(c.free[0])
	for i, d := range c.free[1] {
		if d == axis {
			at += i
		}
	}
	return at, nil
}

// exactProduct prepares a product on the differences to the zero points.
func (b *builder) exactProduct(o *site, prepare prepareFunc, s exactSums) error {
	out := o.out[0]
	for i, in := range o.in {
		to := tensorOf(loops.I64, in.shape...)
		o.in[i] = operand{to, b.scratch(o, to.bytes())}
		b.emitQuant(o.in[i].slot, in.slot, differenceKernel(in.tensor))
	}
	o.out[0] = tensorOf(loops.I64, out.shape...)
	if err := prepare(b, o); err != nil {
		return err
	}
	sums, from := o.out[0], o.res[0]
	sums.q = s.scaled
	o.out[0] = out
	floats := b.scratch(o, out.expressed().bytes())
	b.emitQuant(floats, from, scaleKernel(sums, s.acc, out.expressed().dt))
	b.emitQuant(b.result(o, 0), floats, quantizeKernel(out))
	return nil
}

// differenceKernel computes the differences to the zero points, as i64.
func differenceKernel(t tensor) func(f *frame, o, a unsafe.Pointer) {
	row, load := t.slice(), loops.Convert(t.dt, loops.I64)
	return func(f *frame, o, a unsafe.Pointer) {
		t.eachSlice(f, row, func(at, n, k int) {
			to := unsafe.Add(o, at*8)
			load(to, unsafe.Add(a, at*t.dt.Size()), n)
			for i := range unsafe.Slice((*int64)(to), n) {
				*(*int64)(unsafe.Add(to, i*8)) -= t.q.ZeroPoints[k]
			}
		})
	}
}

// scaleKernel rounds sums, of type i64, to acc, multiplies them by scales and rounds the
// products to acc and then to type to.
func scaleKernel(sums tensor, acc, to loops.DType) func(f *frame, o, a unsafe.Pointer) {
	row := sums.slice()
	narrow, load, store := loops.Convert(loops.I64, acc), loops.Convert(acc, loops.F64), loops.Convert(loops.F64, acc)
	last := loops.Convert(acc, to)
	return func(f *frame, o, a unsafe.Pointer) {
		rounded, wide := make([]float64, min(row, loops.Chunk)), make([]float64, min(row, loops.Chunk))
		x, y := unsafe.Pointer(unsafe.SliceData(rounded)), unsafe.Pointer(unsafe.SliceData(wide))
		sums.eachSlice(f, row, func(at, n, k int) {
			narrow(x, unsafe.Add(a, at*8), n)
			load(y, x, n)
			for i := range wide[:n] {
				wide[i] *= sums.q.Scales[k]
			}
			store(x, y, n)
			if acc == to {
				copy(unsafe.Slice((*byte)(unsafe.Add(o, at*to.Size())), n*to.Size()), unsafe.Slice((*byte)(x), n*to.Size()))
				return
			}
			last(unsafe.Add(o, at*to.Size()), x, n)
		})
	}
}
