package eval

import (
	"math"
	"slices"
	"strings"
	"unsafe"

	"ltc/backends/reference/internal/loops"
	"ltc/mlir"
	"ltc/stablehlo"
)

// A quantized tensor lies in memory as its integers. Ops that only move
// elements, and those that leave the arithmetic to a region, work on these;
// for all others the specification says: dequantize, compute in the expressed
// type, quantize. Products of two quantized operands sum integers: see exactSums.

// quant is a quantized element type.
type quant struct {
	*mlir.QuantType
	text string
}

func (q *quant) equal(o *quant) bool {
	return q == o || q != nil && o != nil && q.text == o.text
}

// quantOf reads a quantized element type and the type of its integers; nil if
// t is none, and the reason if it is none of the evaluator's.
func quantOf(t mlir.Type) (*quant, loops.DType, string) {
	q, err := mlir.QuantOf(t)
	switch {
	case err != nil:
		return nil, loops.NoType, err.Error()
	case q == nil:
		return nil, loops.NoType, ""
	}
	d := loops.OfElement(q.Storage)
	if d == loops.NoType || loops.OfElement(q.Expressed) == loops.NoType {
		return nil, loops.NoType, "elements of type " + t.String()
	}
	return &quant{q, t.String()}, d, ""
}

// expressed is the type that a quantized tensor stands for.
func (t tensor) expressed() tensor { return tensorOf(loops.OfElement(t.q.Expressed), t.shape...) }

// quantForm says how an op takes quantized tensors.
type quantForm uint8

const (
	onFloats  quantForm = iota // dequantized
	onStorage                  // as the integers they are
	withBody                   // so too, but its body may compute in another quantized type than that of the operands
)

// requantize brings operands to the types of the results, of which each has
// one operand among the first and one among the last.
func (b *builder) requantize(o *site) {
	for i, in := range o.in {
		to := i
		if i >= len(o.out) {
			to = max(i-len(o.in)+len(o.out), 0) // the source of select_and_scatter is between
		}
		if in.q == nil || o.out[to].q == nil || in.q.equal(o.out[to].q) {
			continue
		}
		floats, t := in.expressed(), tensorOf(o.out[to].dt, in.shape...)
		t.q = o.out[to].q
		wide := b.scratch(o, floats.bytes())
		b.emitQuant(wide, in.slot, dequantizeKernel(in.tensor))
		o.in[i] = operand{t, b.scratch(o, t.bytes())}
		b.emitQuant(o.in[i].slot, wide, quantizeKernel(t))
	}
}

// quantized returns how the op is prepared, for quantized operands or results too.
func (o *site) quantized(prepare prepareFunc) prepareFunc {
	has := slices.ContainsFunc(o.in, func(x operand) bool { return x.q != nil }) ||
		slices.ContainsFunc(o.out, func(t tensor) bool { return t.q != nil })
	dialect, _, _ := strings.Cut(o.op.Name(), ".")
	switch {
	case !has || dialect == "check" || dialect == "interpreter":
		return prepare
	case opTable[o.op.Code].quantized == withBody:
		return func(b *builder, o *site) error {
			b.requantize(o)
			return prepare(b, o)
		}
	case opTable[o.op.Code].quantized == onStorage:
		return prepare
	case o.op.Code == stablehlo.CustomCall:
		return func(*builder, *site) error { return unsupportedf("a host function cannot take quantized elements") }
	}
	return func(b *builder, o *site) error {
		switch sums, ok, err := o.exactSums(); {
		case err != nil:
			return err
		case ok:
			return b.exactProduct(o, prepare, sums)
		}
		return b.dequantizeOpQuantize(o, prepare)
	}
}

// dequantizeOpQuantize prepares the op on the expressed types.
func (b *builder) dequantizeOpQuantize(o *site, prepare prepareFunc) error {
	out := slices.Clone(o.out)
	for i, in := range o.in {
		if in.q != nil {
			to := in.expressed()
			o.in[i] = operand{to, b.scratch(o, to.bytes())}
			b.emitQuant(o.in[i].slot, in.slot, dequantizeKernel(in.tensor))
		}
	}
	for i, t := range o.out {
		if t.q != nil {
			o.out[i] = t.expressed()
		}
	}
	if err := prepare(b, o); err != nil {
		return err
	}
	o.out = out
	for i, t := range out {
		if t.q != nil {
			from := o.res[i]
			b.emitQuant(b.result(o, i), from, quantizeKernel(t))
		}
	}
	return nil
}

func (b *builder) emitQuant(to, from int, k func(f *frame, o, a unsafe.Pointer)) {
	b.emit(func(f *frame) { k(f, f.p[to], f.p[from]) })
}

func prepareUniformDequantize(b *builder, o *site) error {
	in := o.in[0]
	b.emitQuant(b.result(o, 0), in.slot, dequantizeKernel(in.tensor))
	return nil
}

// prepareUniformQuantize takes floats or the elements of another quantized type.
func prepareUniformQuantize(b *builder, o *site) error {
	in, out := o.in[0], o.out[0]
	from, floats := in.slot, in.tensor
	if in.q != nil {
		floats = in.expressed()
		from = b.scratch(o, floats.bytes())
		b.emitQuant(from, in.slot, dequantizeKernel(in.tensor))
	}
	b.emitQuant(b.result(o, 0), from, quantizeKernel(out))
	return nil
}

// slice returns how many elements in a row share a scale.
func (t tensor) slice() int {
	n := 1
	switch {
	case t.q.Blocks != nil:
		return t.blocks()[len(t.shape)-1]
	case t.q.Axis < 0:
		return max(t.n, 1)
	}
	for _, d := range t.shape[t.q.Axis+1:] {
		n *= d
	}
	return max(n, 1)
}

// blocks returns the sizes of the blocks that share a scale, by dimension.
func (t tensor) blocks() []int {
	sizes := make([]int, len(t.shape))
	for i, n := range t.shape {
		sizes[i] = max(n, 1)
	}
	for _, b := range t.q.Blocks {
		sizes[b.Axis] = int(b.Size)
	}
	return sizes
}

// scales returns which scale the element at a place in memory has.
func (t tensor) scales(row int) func(at int) int {
	if t.q.Blocks == nil {
		return func(at int) int { return at / row % len(t.q.Scales) }
	}
	sizes := t.blocks()
	return func(at int) int {
		k, stride := 0, 1
		for i := len(sizes) - 1; i >= 0; i-- {
			k += at % t.shape[i] / sizes[i] * stride
			at /= t.shape[i]
			stride *= int(t.q.Grid[i])
		}
		return k
	}
}

// dequantizeKernel computes (i-zero point)*scale, each step rounded to the
// expressed type.
func dequantizeKernel(t tensor) func(f *frame, o, a unsafe.Pointer) {
	d, row := loops.OfElement(t.q.Expressed), t.slice()
	load, store := loops.Convert(t.dt, loops.F64), loops.Convert(loops.F64, d)
	return func(f *frame, o, a unsafe.Pointer) {
		wide := make([]float64, min(row, loops.Chunk))
		buf := unsafe.Pointer(unsafe.SliceData(wide))
		t.eachSlice(f, row, func(at, n, k int) {
			load(buf, unsafe.Add(a, at*t.dt.Size()), n)
			zero, scale := float64(t.q.ZeroPoints[k]), t.q.Round(t.q.Scales[k])
			for i, x := range wide[:n] {
				wide[i] = t.q.Round(x-zero) * scale
			}
			store(unsafe.Add(o, at*d.Size()), buf, n)
		})
	}
}

// quantizeKernel computes x/scale+zero point, each step rounded to the
// expressed type, brings it into the bounds and rounds to an even integer.
func quantizeKernel(t tensor) func(f *frame, o, a unsafe.Pointer) {
	d, row := loops.OfElement(t.q.Expressed), t.slice()
	load, store := loops.Convert(d, loops.F64), loops.Convert(loops.F64, t.dt)
	low, high := t.q.Round(float64(t.q.Min)), t.q.Round(float64(t.q.Max))
	return func(f *frame, o, a unsafe.Pointer) {
		wide := make([]float64, min(row, loops.Chunk))
		buf := unsafe.Pointer(unsafe.SliceData(wide))
		t.eachSlice(f, row, func(at, n, k int) {
			load(buf, unsafe.Add(a, at*d.Size()), n)
			zero, scale := t.q.Round(float64(t.q.ZeroPoints[k])), t.q.Round(t.q.Scales[k])
			for i, x := range wide[:n] {
				x = t.q.Round(t.q.Round(x/scale) + zero)
				wide[i] = math.RoundToEven(min(max(x, low), high))
			}
			store(unsafe.Add(o, at*t.dt.Size()), buf, n)
		})
	}
}

// eachSlice calls visit with the first element, the number of elements, at most
// chunk, and the index of the scale of each run of elements that share one. It ends
// early when the run is cancelled.
func (t tensor) eachSlice(f *frame, row int, visit func(at, n, k int)) {
	scale := t.scales(row)
	for at := 0; at < t.n; {
		n := min(row-at%row, loops.Chunk, t.n-at)
		visit(at, n, scale(at))
		if at += n; f.due(8 * n) {
			return
		}
	}
}
