package kit

import (
	"slices"

	"ltc/backends/kit/fourier"
	"ltc/backends/kit/kernel"
	"ltc/ir/types"
	"ltc/mlir"
	"ltc/stablehlo"
)

// longestFFT is the longest transform that is compiled: its constants take some tens of
// megabytes.
const longestFFT = 1 << 20

// fft adds the nodes of a discrete Fourier transform: at least one for each dimension that it
// runs along.
func (t *translator) fft(op *mlir.Op) error {
	a := stablehlo.AsFFT(op)
	kind, lengths := a.FFTType(), a.FFTLength()
	in := t.graph.Type(t.values[op.Operands[0]])
	out, err := typeOf(op.Results[0])
	if err != nil {
		return leave("%v", err)
	}
	f := &fourierNodes{t: t, op: op, dtype: out.DType, inverse: kind == "IFFT" || kind == "IRFFT"}
	x, shape := f.operand(op.Operands[0]), in.Shape
	if kind != "RFFT" {
		shape = shape[1:]
	}
	first := len(shape) - len(lengths)
	last := len(shape) - 1
	for i, n := range lengths {
		whole := int64(shape[first+i]) == n || kind == "IRFFT" && i == len(lengths)-1
		if n < 1 || n > longestFFT || slices.Contains(in.Shape, 0) || !whole {
			return leave("a transform of length %v", n)
		}
	}
	n := int(lengths[len(lengths)-1])
	along := func(d int) {
		x = f.along(shape, d, f.source(x), shape[d])
	}
	switch kind {
	case "RFFT":
		x = f.realTransform(x, shape, n)
		shape = out.Shape[1:]
		for d := last - 1; d >= first; d-- {
			along(d)
		}
	case "IRFFT":
		for d := first; d < last; d++ {
			along(d)
		}
		x = f.realInverse(x, shape, n)
	default:
		for d := last; d >= first; d-- {
			along(d)
		}
	}
	t.values[op.Results[0]] = x.re
	return nil
}

// along adds the nodes of a complex transform along dimension d of a shape. Its result has
// count elements along that, the first ones.
func (f *fourierNodes) along(shape types.Shape, d int, from source, count int) signal {
	to := slices.Clone(shape)
	to[d] = count
	y := f.signal(to, true)
	n := shape[d]
	into := f.sink(y)
	if f.inverse {
		into = scaled(into, 1/float64(n))
	}
	f.transform(f.inverse, n, shape, d, from, into, count)
	return y
}

// realTransform adds the nodes of a transform of n real elements along the last dimension. Its
// result has the first half of the elements, and the one behind these.
func (f *fourierNodes) realTransform(x signal, shape types.Shape, n int) signal {
	d := len(shape) - 1
	half := n / 2
	if n%2 > 0 {
		return f.along(shape, d, f.source(x), half+1)
	}
	shape = slices.Clone(shape)
	shape[d] = half + 1
	y := f.signal(shape, true)
	shape[d] = half
	roots := make([]float64, 2*(half+1)) // -i·exp(-2πik/n)/2
	for i := range half + 1 {
		re, im := fourier.Root(i, n)
		roots[i], roots[half+1+i] = -im/2, -re/2
	}
	// With z the transform of the pairs, a = z[k] and b the conjugate of z[half-k], element k is
	// (a+b)/2 - i·exp(-2πik/n)·(a-b)/2. The element of z behind the last one is the first one.
	unfold := func(k *fourierNode, w int, at kernel.Index, z loader, store storer) {
		a, b := z(at), k.Conjugate(z(mirrored(at, half)))
		turned := k.Times(k.Sub(a, b), k.factor(w, inside, at))
		store(at, k.Add(k.Scale(k.Add(a, b), 0.5), turned))
	}
	k := f.node("rfft")
	if f.fits(half, 1) {
		at := k.outer(shape, d)
		z, p := k.locals(half), k.passes(half, false)
		p.Load, p.Store = f.pairSource(x)(k, at, 0), z.store
		p.Write(k.Builder)
		w, store := k.table([]int{2, half + 1}, roots), f.sink(y)(k, at, 0)
		if half > 1 {
			k.Stage(kernel.Axis{Name: kernel.StageAxisName(0), Size: kernel.Size(half - 1)})
			unfold(k, w, kernel.Along(k.ParallelAxes()).Plus(1), z.load, store)
		}
		k.Stage()
		first := z.load(kernel.At(0))
		store(kernel.At(0), k.Whole(fourier.Complex{Re: k.Op(kernel.Add, k.DType, first.Re, first.Im), Im: kernel.None}))
		store(kernel.At(int64(half)), k.Whole(fourier.Complex{Re: k.Op(kernel.Subtract, k.DType, first.Re, first.Im), Im: kernel.None}))
		k.done()
		return y
	}
	z := f.signal(shape, true)
	f.transform(false, half, shape, d, f.pairSource(x), f.sink(z), 0)
	index := k.Axes(slices.Concat(shape[:d], types.Shape{half + 1}))
	at := func(at kernel.Index) []kernel.Index { return slices.Concat(index[:d], []kernel.Index{at}) }
	load, w, store := f.source(z)(k, at, 0), k.table([]int{2, half + 1}, roots), f.sink(y)(k, at, 0)
	k.Stage()
	unfold(k, w, index[d], func(at kernel.Index) fourier.Complex {
		first, v := load(kernel.At(0)), load(at)
		k.Kernel().Instrs[v.Re].Mem.Guard, k.Kernel().Instrs[v.Im].Mem.Guard = true, true
		return k.otherwise(v, first)
	}, store)
	k.done()
	return y
}

// pairSource is of a real signal as a complex one of half the length: even elements are the real
// parts, and odd ones the imaginary parts.
func (f *fourierNodes) pairSource(x signal) source {
	return func(k *fourierNode, p place, limit int) loader {
		from := k.value(x.re, false)
		return func(at kernel.Index) fourier.Complex {
			r, first := k.within(at, limit), scaledBy(at, 2)
			if r == outside {
				return fourier.Complex{Re: kernel.None, Im: kernel.None}
			}
			return fourier.Complex{Re: k.load(from, r, p(first)), Im: k.load(from, r, p(first.Plus(1)))}
		}
	}
}

// pairSink is to a real signal, as pairSource is of one.
func (f *fourierNodes) pairSink(y signal) sink {
	return func(k *fourierNode, p place, limit int) storer {
		to := k.value(y.re, true)
		return func(at kernel.Index, v fourier.Complex) {
			if r, first := k.within(at, limit), scaledBy(at, 2); r != outside {
				k.store(to, v.Re, r, p(first))
				k.store(to, v.Im, r, p(first.Plus(1)))
			}
		}
	}
}

// realInverse adds the nodes of an inverse transform along the last dimension whose result is n
// real elements.
func (f *fourierNodes) realInverse(x signal, shape types.Shape, n int) signal {
	d := len(shape) - 1
	shape = slices.Clone(shape)
	shape[d] = n
	y := f.signal(shape, false)
	if n%2 > 0 {
		f.transform(true, n, shape, d, f.halfSource(x, n), scaled(f.sink(y), 1/float64(n)), 0)
		return y
	}
	shape[d] = n / 2
	f.transform(true, n/2, shape, d, f.foldedSource(x, n), f.pairSink(y), 0)
	return y
}

// foldedSource is of the transform, over n, of the complex elements that pairs of n real ones
// are. The signal x is the first half of the transform of the real elements. Element k is
// (a+b) + i·exp(2πik/n)·(a-b) with a = x[k] and b the conjugate of x[n/2-k].
func (f *fourierNodes) foldedSource(x signal, n int) source {
	half := n / 2
	roots := make([]float64, 2*half)
	for i := range half {
		re, im := fourier.Root(i, n)
		roots[i], roots[half+i] = -im/float64(n), re/float64(n)
	}
	return func(k *fourierNode, p place, limit int) loader {
		w, most := k.table([]int{2, half}, roots), 0
		if limit > 0 {
			most = half + 1
		}
		load := f.source(x)(k, p, most)
		return func(at kernel.Index) fourier.Complex {
			r := k.within(at, limit)
			if r == outside {
				return fourier.Complex{Re: kernel.None, Im: kernel.None}
			}
			a, b := load(at), k.Conjugate(load(mirrored(at, half)))
			if at.Offset == 0 { // the first element and the one behind the last are real
				first := k.Op(kernel.CompareEQ, types.Bool, k.Number(at), k.Int(types.I64, 0))
				zero := k.Bits(k.DType, 0)
				for _, part := range []*kernel.ID{&a.Im, &b.Im} {
					if *part != kernel.None {
						*part = k.Op(kernel.Select, k.DType, first, zero, *part)
					}
				}
			}
			turned := k.Times(k.Sub(a, b), k.factor(w, r, at))
			return k.Add(k.Scale(k.Add(a, b), 1/float64(n)), turned)
		}
	}
}
