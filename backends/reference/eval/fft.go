package eval

import (
	"fmt"
	"math/cmplx"
	"slices"
	"unsafe"

	"ltc/backends/reference/internal/loops"
	"ltc/backends/reference/internal/numeric"
	"ltc/soa"
	"ltc/stablehlo"
)

// fourier is an fft. It is computed in complex<f64> whatever the operand's
// type, in a copy of the operand.
type fourier struct {
	kind    string // FFT, IFFT, RFFT or IRFFT
	lengths []int  // of the last dimensions of the real or complex signal
	in, out tensor
	work    int // slot of the copy
	line    int // slots of a line of the signal, its transform and a scratch line
	roots   int // slot of the roots of unity of a length
}

func prepareFFT(b *builder, o *site) error {
	op := stablehlo.AsFFT(o.op)
	kind, lengths := op.FFTType(), toInts(op.FFTLength())
	x := &fourier{kind: kind, lengths: lengths, in: o.in[0].tensor, out: o.out[0]}
	// The verifier leaves it open for these two.
	if (kind == "FFT" || kind == "IFFT") && !slices.Equal(x.in.shape[len(x.in.shape)-len(lengths):], lengths) {
		return fmt.Errorf("fft_length %v for an operand of shape %v", lengths, x.in.shape)
	}
	if x.out.n == 0 {
		b.result(o, 0)
		return nil
	}
	longest := slices.Max(lengths)
	x.work = b.converted(o, o.in[0].slot, x.in.dt, loops.C128, x.in.n)
	if x.in.dt == loops.C128 {
		x.work = b.scratch(o, x.in.bytes())
		b.emit(copySlot(x.work, o.in[0].slot, x.in.bytes()))
	}
	x.line, x.roots = b.scratch(o, 3*16*longest), b.scratch(o, 16*longest)
	store := loops.Convert(loops.C128, x.out.dt)
	switch {
	case x.kind == "IRFFT": // store converts the real parts of a line
		size, line := x.out.dt.Size(), lengths[len(lengths)-1]
		r := b.result(o, 0)
		b.emit(func(f *frame) { x.realInverse(f, store, f.p[r], line, size) })
	case x.kind == "RFFT":
		shape := x.out.shape
		m := newMover(16, shape, soa.Dense(shape), soa.Dense(x.in.shape))
		kept := b.scratch(o, 16*x.out.n)
		r := b.result(o, 0)
		b.emit(func(f *frame) {
			x.transform(f, len(lengths))
			m.run(f, f.p[kept], f.p[x.work])
			storeComplex(f, f.p[r], f.p[kept], x.out, store)
		})
	default:
		r := b.result(o, 0)
		b.emit(func(f *frame) {
			x.transform(f, len(lengths))
			storeComplex(f, f.p[r], f.p[x.work], x.out, store)
		})
	}
	return nil
}

func storeComplex(f *frame, to, from unsafe.Pointer, t tensor, store loops.Loop1) {
	if t.dt == loops.C128 {
		f.copy(to, from, t.bytes())
	} else {
		f.convert(store, t.dt.Size(), loops.C128.Size(), to, from, t.n)
	}
}

// transform replaces the copy by its transform along the last n dimensions
// that lengths names, but for the ones it names after those.
func (x *fourier) transform(f *frame, n int) {
	shape := x.in.shape
	all := unsafe.Slice((*complex128)(f.p[x.work]), x.in.n)
	strides := soa.Dense(shape)
	first := len(shape) - len(x.lengths)
	for d := first + n - 1; d >= first; d-- {
		length, step := shape[d], strides[d]
		line, result, temp := x.lines(f, length)
		roots := x.unityRoots(f, length)
		for outer := 0; outer < len(all); outer += length * step {
			for start := outer; start < outer+step; start++ {
				if f.stretches(length, loops.Tank/4, func(first, n int) {
					for i := first; i < first+n; i++ {
						line[i] = all[start+i*step]
					}
				}) {
					return
				}
				if x.scaled(f, result, line, temp, roots); f.due(length) {
					return
				}
				for i, v := range result {
					all[start+i*step] = v
				}
			}
		}
	}
}

// realInverse writes the inverse transform of a signal whose result is real:
// element k of the last dimension stands for the conjugate of element n-k too.
func (x *fourier) realInverse(f *frame, store loops.Loop1, to unsafe.Pointer, n, size int) {
	x.transform(f, len(x.lengths)-1)
	half := n/2 + 1
	all := unsafe.Slice((*complex128)(f.p[x.work]), x.in.n)
	line, result, temp := x.lines(f, n)
	roots := x.unityRoots(f, n)
	parts := unsafe.Slice((*float64)(unsafe.Pointer(&line[0])), n)
	narrow := loops.Convert(loops.F64, x.out.dt)
	for i := 0; len(all) > 0; i++ {
		copy(line, all[:half])
		for k := half; k < n; k++ {
			line[k] = cmplx.Conj(line[n-k])
		}
		if x.scaled(f, result, line, temp, roots); f.due(n) {
			return
		}
		for k, v := range result {
			parts[k] = real(v)
		}
		narrow(unsafe.Add(to, i*n*size), unsafe.Pointer(&parts[0]), n)
		all = all[half:]
	}
}

func (x *fourier) lines(f *frame, n int) (line, result, temp []complex128) {
	all := at[complex128](f, x.line, 3*n)
	return all[:n], all[n : 2*n], all[2*n:]
}

// unityRoots returns exp(∓2πik/n) for k = 0…n-1: minus for the transform, plus
// for the inverse.
func (x *fourier) unityRoots(f *frame, n int) []complex128 {
	roots := at[complex128](f, x.roots, n)
	for k := range roots {
		if f.due(16) {
			break
		}
		roots[k] = numeric.UnityRoot(k, n)
		if !x.inverse() {
			roots[k] = cmplx.Conj(roots[k])
		}
	}
	return roots
}

func (x *fourier) inverse() bool { return x.kind == "IFFT" || x.kind == "IRFFT" }

// scaled is [numeric.DFT], divided by the length for an inverse.
func (x *fourier) scaled(f *frame, out, in, temp, roots []complex128) {
	numeric.DFT(&f.ws.Budget, out, in, 1, temp, roots)
	if x.inverse() {
		for i, v := range out {
			n := float64(len(out))
			out[i] = complex(real(v)/n, imag(v)/n)
		}
	}
}
