package ir

import "ltc/ir/dims"

// ConvDims names the axes of a convolution's operands and result: batch and
// features first, of the kernel output and input features, then the spatial
// axes in one order for all three.
type ConvDims struct{ Input, Kernel, Output []int }

// ConvDimsOf returns those of the attributes of OpConv.
func ConvDimsOf(attrs []Attr) ConvDims {
	return ConvDims{attrs[ConvInput].Ints, attrs[ConvKernel].Ints, attrs[ConvOutput].Ints}
}

// Spread returns the length of n elements each by places after the one before:
// (n-1)*by + 1, or 0 without elements.
func Spread(n, by int) int {
	if dims.IsExpr(n) {
		return dims.Max(dims.Add(dims.Mul(dims.Sub(n, 1), by), 1), 0)
	}
	if n == 0 {
		return 0
	}
	return (n-1)*by + 1
}
