package nn

import (
	"fmt"
	"math"
	"slices"

	"ltc/ir/types"
	"ltc/lazy"
)

// PoolOptions say how a window moves over a tensor. Lists have an entry for each spatial axis, or one
// for all; nil stands for what is said of each. The zero value is what PyTorch does by default.
type PoolOptions struct {
	Stride   []int // places from one window to the next: the window's size
	Padding  []int // places on both sides: none
	Dilation []int // places from one element of a window to the next: 1
	Ceil     bool  // windows that begin within x or its padding count though they end beyond

	ExcludePad bool // of [AvgPool]: the divisor counts elements of x alone
	Divisor    int  // of [AvgPool]: what sums are divided by; 0: the number of places
}

// windows says how a window moves along the spatial axes.
type windows struct{ window, stride, padding, dilation, out []int }

// each returns a list with n entries: that of one entry stands for all, none for fallback.
func each(list []int, n int, fallback []int) []int {
	switch len(list) {
	case 0:
		return fallback
	case 1:
		return slices.Repeat(list, n)
	}
	return list
}

// entries are those of a list of options, and the least that each may be.
type entries struct {
	name  string
	list  []int
	least int
}

// wrong returns why the list is not one of n entries of at least the least.
func (e entries) wrong(n int) (reason string) {
	if len(e.list) != n || n > 0 && slices.Min(e.list) < e.least {
		return fmt.Sprintf("%s is %v, must have one entry or %d, of at least %d", e.name, e.list, n, e.least)
	}
	return ""
}

// listsOver returns windows over n spatial axes as lists say, or why these are wrong.
func listsOver(n int, window, stride, padding, dilation []int) (w windows, reason string) {
	ones, zeros := slices.Repeat([]int{1}, n), make([]int, n)
	window = each(window, n, nil)
	w = windows{window, each(stride, n, window), each(padding, n, zeros), each(dilation, n, ones), make([]int, n)}
	for _, l := range []entries{{"window", w.window, 1}, {"stride", w.stride, 1}, {"padding", w.padding, 0}, {"dilation", w.dilation, 1}} {
		if why := l.wrong(n); why != "" {
			return w, why
		}
	}
	return w, ""
}

// windowsOver returns how windows move over spatial axes of the given sizes, or the demand that lists
// do not meet.
func windowsOver(sizes, window, stride, padding, dilation []int, ceil bool, lists, fits string) (w windows, demand, reason string) {
	w, reason = listsOver(len(sizes), window, stride, padding, dilation)
	if reason != "" {
		return w, lists, reason
	}
	for i, d := range sizes {
		span, s := w.dilation[i]*(w.window[i]-1)+1, w.stride[i]
		rest := d + 2*w.padding[i] - span
		if rest < 0 {
			return w, fits, fmt.Sprintf("spatial axis %d: a window of %d, %d with its dilation, has no place in a dimension of %d, %d with padding: make the window smaller, or the padding larger", i, w.window[i], span, d, d+2*w.padding[i])
		}
		w.out[i] = rest/s + 1
		if ceil {
			w.out[i] = (rest+s-1)/s + 1
			if (w.out[i]-1)*s >= d+w.padding[i] {
				w.out[i]--
			}
		}
	}
	return w, "", ""
}

// spatial returns the sizes of the last n axes.
func spatial(x *lazy.Tensor, n int) []int {
	var sizes []int
	for a := x.Rank() - n; a < x.Rank(); a++ {
		sizes = append(sizes, x.Dim(a))
	}
	return sizes
}

// badRank returns why x is neither [batch, channels, places…] nor [channels, places…] with n axes of
// places.
func badRank(x *lazy.Tensor, n int) (reason string) {
	if r := x.Rank(); n == 0 || r != n+1 && r != n+2 {
		return fmt.Sprintf("x has rank %d, must have %d or %d", r, n+1, n+2)
	}
	return ""
}

// pooled calls f with x, which has a batch then.
func pooled(x *lazy.Tensor, n int, f func(x *lazy.Tensor) *lazy.Tensor) *lazy.Tensor {
	if x.Rank() == n+1 {
		return f(x.Unsqueeze(0)).Squeeze(0)
	}
	return f(x)
}

// along says which places of an axis each window has: [windows, places], and which of them are there.
type along struct{ place, there *lazy.Tensor }

// places returns the places of the windows along each axis of the given sizes.
func (w windows) places(tr *lazy.Trace, sizes []int) []along {
	all := make([]along, len(sizes))
	for i, d := range sizes {
		of, in := count(tr, 0, w.out[i], w.window[i]), count(tr, 1, w.out[i], w.window[i])
		p := of.MulScalar(float64(w.stride[i])).Add(in.MulScalar(float64(w.dilation[i]))).SubScalar(float64(w.padding[i]))
		all[i] = along{p, p.GreaterEqualScalar(0).And(p.LessScalar(float64(d)))}
	}
	return all
}

// count is an Iota of i64.
func count(tr *lazy.Trace, axis int, dims ...int) *lazy.Tensor {
	return lazy.Iota(tr, lazy.I64, axis, dims...)
}

// flat returns the places of windows over several axes as indices of their elements in row-major
// order, [windows, places], 0 where there is no place, and which are there.
func flat(all []along, sizes []int) (place, there *lazy.Tensor) {
	n, windows, places := len(all), 1, 1
	for i, a := range all {
		dims := slices.Repeat([]int{1}, 2*n)
		dims[i], dims[n+i] = a.place.Dim(0), a.place.Dim(1)
		windows, places = windows*dims[i], places*dims[n+i]
		p, t := a.place.Reshape(dims...), a.there.Reshape(dims...)
		if place == nil {
			place, there = p, t
		} else {
			place, there = place.MulScalar(float64(sizes[i])).Add(p), there.And(t)
		}
	}
	return there.WhereScalar(place, 0).Reshape(windows, places), there.Reshape(windows, places)
}

// largest returns the indices of the largest elements of windows over x[batch, channels, sizes…]. Padding
// has the index of a window's first element, which is right where no element exceeds it.
func largest(x *lazy.Tensor, all []along, sizes, out []int) *lazy.Tensor {
	place, there := flat(all, sizes)
	place = there.Where(place, place.GatherAlong(there.Convert(lazy.I32).ArgMax(1).Unsqueeze(1), 1))
	v := taken(x, place, there, least(x.DType()))
	n := place.Dim(1)
	is := v.ArgMax(3).Unsqueeze(3).Equal(count(x.Trace(), 0, n))
	return is.Where(place, lazy.Zeros(x.Trace(), lazy.I64)).Sum(3).Reshape(append([]int{x.OpenDim(0), x.OpenDim(1)}, out...)...)
}

// least returns the smallest number of a real dtype.
func least(d types.DType) float64 {
	switch {
	case d.IsFloat():
		return lowest
	case d.IsSigned():
		return -math.Ldexp(1, 8*d.Size()-1)
	}
	return 0
}

// taken returns the elements of x[batch, channels, sizes…] at flat places[windows, places], as [batch,
// channels, windows, places], and other where they are not there.
func taken(x, place, there *lazy.Tensor, other float64) *lazy.Tensor {
	n, k := place.Dim(0), place.Dim(1)
	v := flattened(x).IndexSelect(place.Reshape(n*k), 2).Reshape(x.OpenDim(0), x.OpenDim(1), n, k)
	return there.WhereScalar(v, other)
}

// flattened returns x[batch, channels, sizes…] as [batch, channels, places]. The number of places
// is computed: it cannot be what is left of no elements.
func flattened(x *lazy.Tensor) *lazy.Tensor {
	n := 1
	for i := 2; i < x.Rank(); i++ {
		n = lazy.SizeMul(n, x.OpenDim(i))
	}
	return x.Reshape(x.OpenDim(0), x.OpenDim(1), n)
}

// gathered returns the elements of x[batch, channels, sizes…] at the indices.
func gathered(x, indices *lazy.Tensor) *lazy.Tensor {
	return flattened(x).GatherAlong(flattened(indices), 2).Reshape(indices.OpenShape()...)
}
