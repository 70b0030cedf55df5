package eval

import (
	"unsafe"

	"ltc/backends/reference/internal/loops"
)

// depthwise reports whether each feature is convolved with a kernel of its own.
func (c *convolution) depthwise() bool {
	return !c.batchGroups && c.groups == c.features && c.cin == 1 && c.cout == 1
}

// depthwiseKernel computes a depthwise convolution for all features of a
// position at a time, summing in the same order as convolution does.
func depthwiseKernel(d loops.DType) func(f *frame, c *convolution) {
	switch d {
	case loops.F32:
		return depthwise[float32]
	case loops.F64:
		return depthwise[float64]
	}
	return nil
}

func depthwise[T loops.Float](f *frame, c *convolution) {
	n := c.features
	image := n
	for _, w := range c.windows {
		image *= w.in
	}
	taps := volume(c.kernel)
	left := unsafe.Slice((*T)(f.p[c.left]), c.images*image)
	right := unsafe.Slice((*T)(f.p[c.right]), n*taps) // [feature, tap]
	sums := unsafe.Slice((*T)(f.p[c.sums]), n*c.images*c.positions)
	byTap := make([]T, n*taps)
	for i := range n {
		for k := range taps {
			byTap[k*n+i] = right[i*taps+k]
		}
	}
	row, padding := make([]T, n), make([]T, n)
	for i := range c.images {
		if err := eachIndex(c.spatial, func(p int, at []int) error {
			if err := f.stop(n * taps); err != nil {
				return err
			}
			clear(row)
			_ = eachIndex(c.kernel, func(k int, w []int) error {
				from := padding
				if x, inside := inputOffset(c.windows, c.strides, at, w); inside {
					from = left[i*image+x:][:n]
				}
				multiplyAdd(row, from, byTap[k*n:][:n])
				return nil
			})
			for g, s := range row {
				sums[(g*c.images+i)*c.positions+p] = s
			}
			return nil
		}); err != nil {
			return
		}
	}
}

func multiplyAdd[T loops.Float](sum, a, b []T) {
	a, b = a[:len(sum)], b[:len(sum)]
	for i := range sum {
		sum[i] += T(a[i] * b[i])
	}
}
