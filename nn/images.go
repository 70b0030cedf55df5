package nn

import (
	"fmt"
	"slices"

	"ltc/lazy"
)

// Unfold returns the windows over x[batch, channels, places…] as columns [batch, channels·window,
// windows]: im2col. The batch can be left out. Ceil and the fields of [AvgPool] are not used.
func Unfold(x *lazy.Tensor, window []int, o PoolOptions) *lazy.Tensor {
	if o.Stride == nil {
		o.Stride = []int{1}
	}
	return recordUnfold(x, window, o.Stride, o.Padding, o.Dilation)
}

// Fold returns the sums of columns [batch, channels·window, windows] at their places in [batch,
// channels, sizes…]: col2im. The batch can be left out. Ceil and the fields of [AvgPool] are not used.
func Fold(x *lazy.Tensor, sizes, window []int, o PoolOptions) *lazy.Tensor {
	if o.Stride == nil {
		o.Stride = []int{1}
	}
	return recordFold(x, sizes, window, o.Stride, o.Padding, o.Dilation)
}

func checkUnfold(x *lazy.Tensor, window, stride, padding, dilation []int) (demand, reason string) {
	if why := badRank(x, len(window)); why != "" {
		return unfoldRank, why
	}
	_, demand, reason = windowsOver(spatial(x, len(window)), window, stride, padding, dilation, false, unfoldLists, unfoldFits)
	return demand, reason
}

func computeUnfold(x *lazy.Tensor, window, stride, padding, dilation []int) *lazy.Tensor {
	sizes := spatial(x, len(window))
	w, _, _ := windowsOver(sizes, window, stride, padding, dilation, false, "", "")
	return pooled(x, len(window), func(x *lazy.Tensor) *lazy.Tensor {
		place, there := flat(w.places(x.Trace(), sizes), sizes)
		columns := taken(x, place, there, 0).Transpose(0, 1, 3, 2)
		return columns.Reshape(x.OpenDim(0), lazy.SizeMul(x.OpenDim(1), place.Dim(1)), place.Dim(0))
	})
}

func checkFold(x *lazy.Tensor, sizes, window, stride, padding, dilation []int) (demand, reason string) {
	if r := x.Rank(); r != 2 && r != 3 {
		return foldRank, fmt.Sprintf("x has rank %d, must have 2 or 3", r)
	}
	w, demand, reason := windowsOver(sizes, window, stride, padding, dilation, false, foldLists, foldFits)
	if demand != "" {
		return demand, reason
	}
	if n, k := product(w.out), product(w.window); x.Dim(-1) != n || x.Dim(-2)%k != 0 {
		return foldColumns, fmt.Sprintf("x has dimensions %d and %d, must have a multiple of %d and %d", x.Dim(-2), x.Dim(-1), k, n)
	}
	return "", ""
}

func product(list []int) int {
	n := 1
	for _, v := range list {
		n *= v
	}
	return n
}

func computeFold(x *lazy.Tensor, sizes, window, stride, padding, dilation []int) *lazy.Tensor {
	w, _, _ := windowsOver(sizes, window, stride, padding, dilation, false, "", "")
	return pooled(x, 1, func(x *lazy.Tensor) *lazy.Tensor {
		place, there := flat(w.places(x.Trace(), sizes), sizes)
		n, k := place.Dim(0), place.Dim(1)
		b, c := x.OpenDim(0), lazy.SizeDiv(x.OpenDim(1), k)
		columns := there.Transpose().WhereScalar(x.Reshape(b, c, k, n), 0).Reshape(b, c, k*n)
		y := lazy.Zeros(x.Trace(), x.DType(), b, c, product(sizes)).IndexAdd(place.Transpose().Reshape(n*k), columns, 2)
		return y.Reshape(append([]int{b, c}, sizes...)...)
	})
}

func checkPixelShuffle(x *lazy.Tensor, factor int) (demand, reason string) {
	if x.Rank() < 3 {
		return pixelShuffleRank, fewAxes(x, 3)
	}
	if factor < 1 || x.Dim(-3)%(factor*factor) != 0 {
		return pixelShuffleFactor, fmt.Sprintf("factor is %d, its square must divide the dimension %d of channels", factor, x.Dim(-3))
	}
	return "", ""
}

func computePixelShuffle(x *lazy.Tensor, factor int) *lazy.Tensor {
	b, s := x.Rank()-3, x.OpenShape()
	batch, c, h, w := s[:b], lazy.SizeDiv(s[b], factor*factor), s[b+1], s[b+2]
	perm := append(axesUpTo(b), b, b+3, b+1, b+4, b+2)
	return x.Reshape(slices.Concat(batch, []int{c, factor, factor, h, w})...).Transpose(perm...).
		Reshape(slices.Concat(batch, []int{c, lazy.SizeMul(h, factor), lazy.SizeMul(w, factor)})...)
}

func axesUpTo(n int) (axes []int) {
	for a := range n {
		axes = append(axes, a)
	}
	return axes
}

func checkPixelUnshuffle(x *lazy.Tensor, factor int) (demand, reason string) {
	if x.Rank() < 3 {
		return pixelUnshuffleRank, fewAxes(x, 3)
	}
	if factor < 1 || x.Dim(-1)%factor != 0 || x.Dim(-2)%factor != 0 {
		return pixelUnshuffleFactor, fmt.Sprintf("factor is %d, must divide the dimensions %d and %d", factor, x.Dim(-2), x.Dim(-1))
	}
	return "", ""
}

func computePixelUnshuffle(x *lazy.Tensor, factor int) *lazy.Tensor {
	b, s := x.Rank()-3, x.OpenShape()
	batch, c, h, w := s[:b], s[b], lazy.SizeDiv(s[b+1], factor), lazy.SizeDiv(s[b+2], factor)
	perm := append(axesUpTo(b), b, b+2, b+4, b+1, b+3)
	return x.Reshape(slices.Concat(batch, []int{c, h, factor, w, factor})...).Transpose(perm...).
		Reshape(slices.Concat(batch, []int{lazy.SizeMul(c, factor*factor), h, w})...)
}

func checkChannelShuffle(x *lazy.Tensor, groups int) (demand, reason string) {
	if x.Rank() < 2 {
		return channelShuffleRank, fewAxes(x, 2)
	}
	if groups < 1 || x.Dim(1)%groups != 0 {
		return channelShuffleGroups, fmt.Sprintf("groups is %d, must divide the dimension %d of channels", groups, x.Dim(1))
	}
	return "", ""
}

func computeChannelShuffle(x *lazy.Tensor, groups int) *lazy.Tensor {
	s := x.OpenShape()
	rest := 1
	for _, n := range s[2:] {
		rest = lazy.SizeMul(rest, n)
	}
	return x.Reshape(s[0], groups, lazy.SizeDiv(s[1], groups), rest).Transpose(0, 2, 1, 3).Reshape(s...)
}

// The modes of [Pad].
const (
	PadConstant  = iota // zeros
	PadReflect          // 3 2 | 1 2 3 4 | 3 2: as in a mirror at the first and the last element
	PadReplicate        // 1 1 | 1 2 3 4 | 4 4: the first and the last element
	PadCircular         // 3 4 | 1 2 3 4 | 1 2: what is at the other end
)

func checkPad(x *lazy.Tensor, padding []int, mode int) (demand, reason string) {
	if len(padding)%2 != 0 || len(padding) > 2*x.Rank() {
		return padPairs, fmt.Sprintf("padding is %v for rank %d", padding, x.Rank())
	}
	if mode < PadConstant || mode > PadCircular {
		return padMode, fmt.Sprintf("mode is %d", mode)
	}
	for i := 0; i < len(padding); i += 2 {
		d := x.OpenDim(-1 - i/2)
		left, most := kept(d, padding[i], padding[i+1]), max(padding[i], padding[i+1])
		fits := surely(left, 0)
		switch {
		case most <= 0:
		case mode == PadReflect:
			fits = fits && surely(left, most+1)
		case mode == PadReplicate:
			fits = surely(left, 1) || cutAway(d, padding[i], padding[i+1]) && surely(lazy.SizeAdd(d, padding[i]+padding[i+1]), 0)
		case mode == PadCircular:
			fits = fits && surely(left, most)
		}
		if !fits {
			return padRange, fmt.Sprintf("padding %d and %d does not go with axis %d of %v in mode %d", padding[i], padding[i+1], x.Rank()-1-i/2, x.OpenShape(), mode)
		}
	}
	return "", ""
}

// kept returns how many of d elements negative padding leaves.
func kept(d, low, high int) int { return lazy.SizeAdd(d, min(low, 0)+min(high, 0)) }

// cutAway reports whether negative padding at one end leaves none of d elements. Of the end that is cut, replicas of
// the last element at the other edge stay, as in PyTorch.
func cutAway(d, low, high int) bool {
	return surely(d, 1) && low*high < 0 && lazy.SizeMax(kept(d, low, high), 0) == 0
}

// surely reports whether a size, which may be open, has no value below n.
func surely(size, n int) bool { return lazy.SizeMin(size, n) == n }

func computePad(x *lazy.Tensor, padding []int, mode int) *lazy.Tensor {
	if mode == PadConstant {
		return computePadValue(x, padding, 0)
	}
	for i := 0; i < len(padding); i += 2 {
		axis, low, high := x.Rank()-1-i/2, padding[i], padding[i+1]
		if d := x.OpenDim(axis); mode == PadReplicate && cutAway(d, low, high) {
			shape := slices.Clone([]int(x.OpenShape()))
			shape[axis] = lazy.SizeAdd(d, low+high)
			edge := 0
			if low < 0 {
				edge = lazy.SizeSub(d, 1)
			}
			x = x.Narrow(axis, edge, 1).BroadcastTo(shape...)
			continue
		}
		if n := kept(x.OpenDim(axis), low, high); low < 0 || high < 0 {
			x = x.Narrow(axis, max(-low, 0), n)
		}
		if low, high = max(low, 0), max(high, 0); low+high > 0 {
			before, after := sides(x, axis, low, high, mode)
			x = lazy.Concatenate(axis, before, x, after)
		}
	}
	return x
}

func checkPadValue(x *lazy.Tensor, padding []int, _ float64) (demand, reason string) {
	return checkPad(x, padding, PadConstant) // the names are those of Pad
}

func computePadValue(x *lazy.Tensor, padding []int, value float64) *lazy.Tensor {
	low, high := make([]int, x.Rank()), make([]int, x.Rank())
	for i, p := range padding {
		if at := x.Rank() - 1 - i/2; i%2 == 0 {
			low[at] = p
		} else {
			high[at] = p
		}
	}
	return x.Pad(number(x, value), low, high, make([]int, x.Rank()))
}

// sides returns the elements before and after those of x along the axis.
func sides(x *lazy.Tensor, axis, low, high, mode int) (before, after *lazy.Tensor) {
	d := x.OpenDim(axis)
	switch mode {
	case PadReflect:
		return x.Narrow(axis, 1, low).Reverse(axis), x.Narrow(axis, lazy.SizeSub(d, high+1), high).Reverse(axis)
	case PadReplicate:
		shape := slices.Clone([]int(x.OpenShape()))
		shape[axis] = low
		before = x.Narrow(axis, 0, 1).BroadcastTo(shape...)
		shape[axis] = high
		return before, x.Narrow(axis, lazy.SizeSub(d, 1), 1).BroadcastTo(shape...)
	}
	return x.Narrow(axis, lazy.SizeSub(d, low), low), x.Narrow(axis, 0, high)
}
