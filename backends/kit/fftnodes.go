package kit

import (
	"cmp"
	"slices"

	"ltc/backends/kit/fourier"
	"ltc/backends/kit/fuse"
	"ltc/backends/kit/kernel"
	"ltc/ir/types"
	"ltc/mlir"
)

// fourierNodes adds the nodes of a Fourier transform.
type fourierNodes struct {
	t       *translator
	op      *mlir.Op
	dtype   types.DType // of the parts
	inverse bool
}

// transform adds the nodes of a transform of n elements along dimension d of a shape, without a
// factor. Of a limit that is not 0, the elements of the result from there on are left out.
func (f *fourierNodes) transform(inverse bool, n int, shape types.Shape, d int, from source, into sink, limit int) {
	switch {
	case f.fits(n, 0):
		k := f.node("fft")
		place := k.outer(shape, d)
		p := k.passes(n, inverse)
		p.Load, p.Store = from(k, place, 0), into(k, place, limit)
		p.Write(k.Builder)
		k.done()
	case fourier.Smooth(n):
		f.fourSteps(inverse, n, shape, d, from, into, limit)
	default:
		f.chirp(inverse, n, shape, d, from, into, limit)
	}
}

// fits reports whether a transform is one kernel, which keeps so many signals of n elements
// besides: it has radices, and its locals take no more memory than a core keeps near.
func (f *fourierNodes) fits(n, signals int) bool {
	most := cmp.Or(f.t.o.Fuse.LocalBytes, nearBytes)
	return fourier.Smooth(n) && fourier.LeastLocalBytes(n, f.dtype) <= most &&
		fourier.LocalBytes(f.radices(n), n, signals, f.dtype) <= most
}

// nearBytes is the most memory of a transform's locals where the target does not say. With their
// padding, powers of two take somewhat more than that of other kernels, [fuse.LocalBytes].
const nearBytes = fuse.LocalBytes + 32<<10

// lanes is how many elements the widest vectors have.
func (f *fourierNodes) lanes() int { return 64 / f.dtype.Size() }

func (f *fourierNodes) radices(n int) []int { return fourier.Radices(n, f.lanes()) }

// fourSteps divides a transform of n = n1·n2 elements into ones of length n1, of every n2-th
// element, and ones of length n2 (Bailey, "FFTs in external or hierarchical memory", 1990).
func (f *fourierNodes) fourSteps(inverse bool, n int, shape types.Shape, d int, from source, into sink, limit int) {
	n1, n2 := fourier.Halves(n)
	inner := slices.Replace(slices.Clone(shape), d, d+1, n1, n2)
	mid, rows := f.signal(inner, true), f.signal(inner, true)
	// Of element at·n2 + j, a place has at, and an axis j.
	whole := func(p place) (j kernel.Index, of place) {
		index := p(kernel.At(0))
		return index[d+1], func(at kernel.Index) []kernel.Index {
			return slices.Concat(index[:d], []kernel.Index{at}, index[d+2:])
		}
	}
	columns := func(k *fourierNode, p place, _ int) loader {
		j, of := whole(p)
		load := from(k, of, 0)
		return func(at kernel.Index) fourier.Complex { return load(sum(scaledBy(at, n2), j)) }
	}
	turned := func(k *fourierNode, p place, _ int) storer {
		w, store := k.table([]int{2, n1, n2}, fourier.Roots(n1, n2, inverse)), f.sink(mid)(k, p, 0)
		j, _ := whole(p)
		return func(at kernel.Index, v fourier.Complex) { store(at, k.Times(v, k.factor(w, inside, at, j))) }
	}
	f.transform(inverse, n1, inner, d, columns, turned, 0)
	f.transform(inverse, n2, inner, d+1, f.source(mid), f.sink(rows), 0)
	// Element k1 + n1·k2 of the result is element k2 of row k1.
	k := f.node("fft_transpose")
	index := k.Axes(slices.Replace(slices.Clone(shape), d, d+1, n2, n1))
	k.Stage()
	load := f.source(rows)(k, func(kernel.Index) []kernel.Index {
		all := slices.Clone(index)
		all[d], all[d+1] = index[d+1], index[d]
		return all
	}, 0)
	store := into(k, func(at kernel.Index) []kernel.Index {
		return slices.Concat(index[:d], []kernel.Index{at}, index[d+2:])
	}, limit)
	store(sum(scaledBy(index[d], n1), index[d+1]), load(kernel.At(0)))
	k.done()
}

// chirp makes a convolution of a transform of any length (Bluestein, "A linear filtering
// approach to the computation of discrete Fourier transform", 1970), which transforms of a length
// that has radices make.
func (f *fourierNodes) chirp(inverse bool, n int, shape types.Shape, d int, from source, into sink, limit int) {
	m := fourier.Padded(n, f.lanes())
	wide := slices.Clone(shape)
	wide[d] = m
	factors, filter := fourier.Chirp(n, m, inverse)
	padded := func(k *fourierNode, p place, _ int) loader {
		w, load := k.table([]int{2, m}, factors), from(k, p, n)
		return func(at kernel.Index) fourier.Complex {
			if k.within(at, n) == outside {
				return fourier.Complex{Re: kernel.None, Im: kernel.None}
			}
			return k.Times(load(at), k.factor(w, inside, at))
		}
	}
	back := multiplied(into, factors)
	limit = cmp.Or(limit, n)
	if !f.fits(m, 1) {
		mid := f.signal(wide, true)
		f.transform(false, m, wide, d, padded, multiplied(f.sink(mid), filter), 0)
		f.transform(true, m, wide, d, f.source(mid), back, limit)
		return
	}
	k := f.node("fft")
	at := k.outer(shape, d)
	there, again := k.passes(m, false), k.passes(m, true)
	mid := k.locals(m)
	w := k.table([]int{2, m}, filter)
	there.Load = padded(k, at, 0)
	there.Store = func(at kernel.Index, v fourier.Complex) { mid.store(at, k.Times(v, k.factor(w, inside, at))) }
	again.Load, again.Store = mid.load, back(k, at, limit)
	there.Write(k.Builder)
	again.Locals = there.Locals
	again.Write(k.Builder)
	k.done()
}

// multiplied is a sink of elements times factors.
func multiplied(into sink, factors []float64) sink {
	return func(k *fourierNode, p place, limit int) storer {
		w, store := k.table([]int{2, len(factors) / 2}, factors), into(k, p, limit)
		return func(at kernel.Index, v fourier.Complex) { store(at, k.Times(v, k.factor(w, inside, at))) }
	}
}
