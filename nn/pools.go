package nn

import (
	"fmt"
	"math"
	"slices"

	"ltc/internal/functions"
	"ltc/lazy"
)

var lowest = math.Inf(-1)

// MaxPool returns the largest elements of windows over the places of x[batch, channels, places…], and
// their i64 indices among the places in row-major order; of equal ones the first. The batch can be
// left out. Where indices are not needed, [MaxPoolValues] is faster.
func MaxPool(x *lazy.Tensor, window []int, o PoolOptions) (values, indices *lazy.Tensor) {
	return maxOf("nn.max_pool", x, len(window), func() *lazy.Tensor {
		return recordMaxPoolIndices(x, window, o.Stride, o.Padding, o.Dilation, o.Ceil)
	})
}

// MaxPoolValues returns the values of [MaxPool]. Where [lazy.Tensor.MaxPool] has the options it computes no indices.
func MaxPoolValues(x *lazy.Tensor, window []int, o PoolOptions) *lazy.Tensor {
	n := len(window)
	if w, wrong := listsOver(n, window, o.Stride, o.Padding, o.Dilation); !o.Ceil && n > 0 && x.Rank() == n+2 && wrong == "" && w.overpadded() == "" {
		return x.MaxPool(w.window, w.options())
	}
	y, _ := MaxPool(x, window, o)
	return y
}

// maxOf records the call op of a pool over n axes: the elements of x at its indices, and these.
func maxOf(op string, x *lazy.Tensor, n int, record func() *lazy.Tensor) (values, indices *lazy.Tensor) {
	ys := lazy.RecordAs(op, func() []*lazy.Tensor {
		indices := record()
		return []*lazy.Tensor{at(x, indices, n), indices}
	}, x)
	return ys[0], ys[1]
}

// at returns the elements of x at indices of its last n axes.
func at(x, indices *lazy.Tensor, n int) *lazy.Tensor {
	if indices.Err() != nil {
		return indices
	}
	if x.Rank() == n+1 {
		return gathered(x.Unsqueeze(0), indices.Unsqueeze(0)).Squeeze(0)
	}
	return gathered(x, indices)
}

// AdaptiveMaxPool returns the largest elements of the windows of [AdaptiveAvgPool], and their indices
// as [MaxPool] does.
func AdaptiveMaxPool(x *lazy.Tensor, sizes ...int) (values, indices *lazy.Tensor) {
	return maxOf("nn.adaptive_max_pool", x, len(sizes), func() *lazy.Tensor { return recordAdaptiveMaxPoolIndices(x, sizes...) })
}

// AvgPool returns the means of windows over the places of x[batch, channels, places…]. The batch can be
// left out.
func AvgPool(x *lazy.Tensor, window []int, o PoolOptions) *lazy.Tensor {
	return recordAvgPool(x, window, o.Stride, o.Padding, o.Dilation, o.Ceil, o.ExcludePad, o.Divisor)
}

// LPPool returns (Σ xᵖ)^(1/p) of windows over the places of x[batch, channels, places…]. The batch can
// be left out.
func LPPool(x *lazy.Tensor, p float64, window []int, o PoolOptions) *lazy.Tensor {
	return recordLPPool(x, p, window, o.Stride, o.Padding, o.Dilation, o.Ceil)
}

// pool returns how windows move over x, or the demand that is not met.
func pool(x *lazy.Tensor, window, stride, padding, dilation []int, ceil bool, rank, lists, fits string) (w windows, demand, reason string) {
	if why := badRank(x, len(window)); why != "" {
		return w, rank, why
	}
	w, demand, reason = windowsOver(spatial(x, len(window)), window, stride, padding, dilation, ceil, lists, fits)
	if demand != "" {
		return w, demand, reason
	}
	if why := w.overpadded(); why != "" {
		return w, fits, why
	}
	return w, "", ""
}

// overpadded returns why windows of pools do not take their padding.
func (w windows) overpadded() (reason string) {
	for i, p := range w.padding {
		if 2*p > w.window[i] {
			return fmt.Sprintf("padding %d is more than half of the window %d", p, w.window[i])
		}
	}
	return ""
}

func checkMaxPoolIndices(x *lazy.Tensor, window, stride, padding, dilation []int, ceil bool) (demand, reason string) {
	_, demand, reason = pool(x, window, stride, padding, dilation, ceil, maxPoolIndicesRank, maxPoolIndicesLists, maxPoolIndicesFits)
	return demand, reason
}

func computeMaxPoolIndices(x *lazy.Tensor, window, stride, padding, dilation []int, ceil bool) *lazy.Tensor {
	sizes := spatial(x, len(window))
	w, _, _ := windowsOver(sizes, window, stride, padding, dilation, ceil, "", "")
	return pooled(x, len(window), func(x *lazy.Tensor) *lazy.Tensor {
		return largest(x, w.places(x.Trace(), sizes), sizes, w.out)
	})
}

func checkAvgPool(x *lazy.Tensor, window, stride, padding, dilation []int, ceil, _ bool, divisor int) (demand, reason string) {
	w, demand, reason := pool(x, window, stride, padding, dilation, ceil, avgPoolRank, avgPoolLists, avgPoolFits)
	switch {
	case demand != "":
		return demand, reason
	case slices.Max(w.dilation) > 1:
		return avgPoolDilation, fmt.Sprintf("dilation is %v, must be 1", dilation)
	}
	return "", ""
}

func computeAvgPool(x *lazy.Tensor, window, stride, padding, dilation []int, ceil, exclude bool, divisor int) *lazy.Tensor {
	sizes := spatial(x, len(window))
	w, _, _ := windowsOver(sizes, window, stride, padding, dilation, ceil, "", "")
	return pooled(x, len(window), func(x *lazy.Tensor) *lazy.Tensor {
		return functions.Wide(func(xs ...*lazy.Tensor) *lazy.Tensor {
			if divisor != 0 {
				return w.sums(xs[0], sizes, 0).DivScalar(float64(divisor))
			}
			if !ceil && !exclude {
				return xs[0].AvgPool(w.window, w.options())
			}
			return w.means(xs[0], sizes, exclude)
		}, x)
	})
}

// options returns what package lazy calls the movement of windows.
func (w windows) options() lazy.PoolOptions {
	both := make([][2]int, len(w.padding))
	for i, p := range w.padding {
		both[i] = [2]int{p, p}
	}
	return lazy.PoolOptions{Strides: w.stride, Padding: both, Dilation: w.dilation}
}

// means returns the means of windows over x[batch, channels, sizes…]; exclude has the padding count
// as no elements.
func (w windows) means(x *lazy.Tensor, sizes []int, exclude bool) *lazy.Tensor {
	padded := slices.Clone(sizes)
	within := 0
	if !exclude {
		for i := range padded {
			padded[i] += 2 * w.padding[i]
		}
		within = 1
	}
	ones := lazy.Ones(x.Trace(), x.DType(), append([]int{1, 1}, padded...)...)
	return w.sums(x, sizes, 0).Div(w.sums(ones, sizes, within))
}

// sums returns the sums of windows over x[batch, channels, sizes…]; over x with its padding if padded
// is 1.
func (w windows) sums(x *lazy.Tensor, sizes []int, padded int) *lazy.Tensor {
	sides := make([][2]int, len(sizes))
	for i, d := range sizes {
		end := (w.out[i]-1)*w.stride[i] + w.window[i] - d - w.padding[i] // beyond x
		sides[i] = [2]int{w.padding[i] * (1 - padded), end - w.padding[i]*padded}
	}
	return x.SumPool(w.window, lazy.PoolOptions{Strides: w.stride, Padding: sides})
}

func checkLPPool(x *lazy.Tensor, p float64, window, stride, padding, dilation []int, ceil bool) (demand, reason string) {
	w, demand, reason := pool(x, window, stride, padding, dilation, ceil, lPPoolRank, lPPoolLists, lPPoolFits)
	switch {
	case demand != "":
		return demand, reason
	case p <= 0:
		return lPPoolPower, fmt.Sprintf("p is %v, must be positive", p)
	case slices.Max(w.dilation) > 1 || slices.Max(w.padding) > 0:
		return lPPoolDilation, fmt.Sprintf("dilation is %v and padding %v, must be 1 and 0", w.dilation, w.padding)
	}
	return "", ""
}

func computeLPPool(x *lazy.Tensor, p float64, window, stride, padding, dilation []int, ceil bool) *lazy.Tensor {
	sizes := spatial(x, len(window))
	w, _, _ := windowsOver(sizes, window, stride, padding, dilation, ceil, "", "")
	return pooled(x, len(window), func(x *lazy.Tensor) *lazy.Tensor {
		return functions.Wide(func(xs ...*lazy.Tensor) *lazy.Tensor {
			// As PyTorch has it: windows that end beyond x are extrapolated. sign(sum)·relu(|sum|)
			// is the sum, with the gradient 0 where it is 0.
			sum := w.means(xs[0].PowScalar(p), sizes, false).MulScalar(float64(product(w.window)))
			return sum.Sign().Mul(sum.Abs().ReLU()).PowScalar(1 / p)
		}, x)
	})
}

func checkAdaptiveMaxPoolIndices(x *lazy.Tensor, sizes []int) (demand, reason string) {
	return adaptive(x, sizes, adaptiveMaxPoolIndicesRank, adaptiveMaxPoolIndicesSizes)
}

func adaptive(x *lazy.Tensor, sizes []int, rank, positive string) (demand, reason string) {
	if why := badRank(x, len(sizes)); why != "" {
		return rank, why
	}
	if slices.Min(sizes) < 1 {
		return positive, fmt.Sprintf("sizes are %v, must be positive", sizes)
	}
	return "", ""
}

// adaptivePlaces returns the places of out windows that divide axes of the given sizes.
func adaptivePlaces(tr *lazy.Trace, sizes, out []int) []along {
	all := make([]along, len(sizes))
	for i, d := range sizes {
		n, most := out[i], longest(d, out[i])
		first, end := adaptiveBounds(tr, d, n, most)
		p := first.Add(count(tr, 1, n, most))
		all[i] = along{p, p.Less(end)}
	}
	return all
}

// longest returns the size of the largest of n windows that divide an axis of d elements: the most of
// ⌈(i+1)·d/n⌉ - ⌊i·d/n⌋. With g, the greatest common divisor, i·d leaves a remainder of up to n-g.
func longest(d, n int) int {
	g, rest := d, n
	for rest > 0 {
		g, rest = rest, g%rest
	}
	if g == d { // also of an axis without elements
		return min(d, 1)
	}
	return 2 + (d-g-1)/n
}

// adaptiveBounds returns where each of n windows that divide an axis of d elements begins and ends, of
// the shape [n, columns]: ⌊i·d/n⌋ and ⌈(i+1)·d/n⌉.
func adaptiveBounds(tr *lazy.Trace, d, n, columns int) (first, end *lazy.Tensor) {
	i := count(tr, 0, n, columns)
	first = i.MulScalar(float64(d)).TruncDivide(number(i, float64(n)))
	return first, i.AddScalar(1).MulScalar(float64(d)).AddScalar(float64(n - 1)).TruncDivide(number(i, float64(n)))
}

func computeAdaptiveMaxPoolIndices(x *lazy.Tensor, out []int) *lazy.Tensor {
	sizes := spatial(x, len(out))
	return pooled(x, len(out), func(x *lazy.Tensor) *lazy.Tensor {
		return largest(x, adaptivePlaces(x.Trace(), sizes, out), sizes, out)
	})
}

func checkAdaptiveAvgPool(x *lazy.Tensor, sizes []int) (demand, reason string) {
	return adaptive(x, sizes, adaptiveAvgPoolRank, adaptiveAvgPoolSizes)
}

func computeAdaptiveAvgPool(x *lazy.Tensor, out []int) *lazy.Tensor {
	sizes := spatial(x, len(out))
	return functions.Wide(func(xs ...*lazy.Tensor) *lazy.Tensor {
		x := xs[0]
		for i, d := range sizes { // the mean over a box is that of means along its axes
			axis := x.Rank() - len(sizes) + i
			if out[i] == d {
				continue
			}
			first, end := adaptiveBounds(x.Trace(), d, out[i], d)
			in := count(x.Trace(), 1, out[i], d)
			within := in.GreaterEqual(first).And(in.Less(end))
			rows := within.WhereScalar(x.MoveAxis(axis, -1).Unsqueeze(-2), 0).Sum(-1)
			x = rows.Div(within.Convert(x.DType()).Sum(1)).MoveAxis(-1, axis)
		}
		return x
	}, x)
}

func checkMaxUnpool(x, indices *lazy.Tensor, sizes []int) (demand, reason string) {
	if !indices.OpenShape().Equal(x.OpenShape()) {
		return maxUnpoolIndices, "indices must have the shape of x"
	}
	return adaptive(x, sizes, maxUnpoolRank, maxUnpoolSizes)
}

func computeMaxUnpool(x, indices *lazy.Tensor, sizes []int) *lazy.Tensor {
	n := 1
	for _, d := range sizes {
		n *= d
	}
	if x.Rank() == len(sizes)+1 {
		indices = indices.Unsqueeze(0)
	}
	return pooled(x, len(sizes), func(x *lazy.Tensor) *lazy.Tensor {
		b, c := x.OpenDim(0), x.OpenDim(1)
		from, at := flattened(x), flattened(indices)
		y := lazy.Zeros(x.Trace(), x.DType(), b, c, n).ScatterAlong(at, from.Stop(), 2)
		return recordUnpooled(y, from, at).Reshape(append([]int{b, c}, sizes...)...)
	})
}

func computeUnpooled(y, _, _ *lazy.Tensor) *lazy.Tensor { return y.Stop() }

// gradUnpooled is that of PyTorch: the elements of all windows that have one place get its gradient.
func gradUnpooled(_, _, indices, _, ct *lazy.Tensor) []*lazy.Tensor {
	return []*lazy.Tensor{nil, ct.GatherAlong(indices, 2), nil}
}
