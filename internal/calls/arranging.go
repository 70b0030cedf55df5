package calls

import "ltc/lazy"

// arranging has the methods that index and arrange elements, and have no row of their own.
var arranging = []Op{
	of((*lazy.Tensor).Index, "x indices", "returns the elements of x that the indices choose along its first axes."),
	of((*lazy.Tensor).IndexPut, "x values accumulate indices", "returns x with the elements that Index takes replaced by values; with accumulate values are added."),
	of((*lazy.Tensor).GatherAlong, "x indices axis", "returns, for each element of indices, the element of x that has this index along the axis."),
	of((*lazy.Tensor).TakeAlong, "x indices axis", "returns GatherAlong of x and indices that broadcast along the other axes, whose negative indices count from the end."),
	of((*lazy.Tensor).MaskedScatter, "x mask source", "returns x with the elements at which the mask is true replaced by those of source, in row-major order."),
	of((*lazy.Tensor).Take, "x indices", "returns the elements of x, in row-major order, that the indices choose."),
	of((*lazy.Tensor).Put, "x indices values accumulate", "returns x with the elements that Take takes replaced by values; with accumulate values are added."),
	of((*lazy.Tensor).IndexFill, "x indices axis v", "returns x with the number v at the indices of the axis."),
	of((*lazy.Tensor).SelectScatter, "x src axis index", "returns x with src at the index of the axis."),
	of((*lazy.Tensor).DiagonalScatter, "x src offset axis1 axis2", "returns x with src on the diagonal of two axes."),

	of((*lazy.Tensor).Split, "x axis size", "returns parts of x along the axis, of a size each."),
	of((*lazy.Tensor).SplitSizes, "x axis sizes", "returns parts of x along the axis, of the given sizes."),
	of((*lazy.Tensor).Chunk, "x axis n", "returns at most n parts of x along the axis, of one size but for the last."),
	of((*lazy.Tensor).TensorSplit, "x axis n", "returns n parts of x along the axis, whose sizes differ by at most 1."),
	of((*lazy.Tensor).Unbind, "x axis", "returns x at each index of the axis."),

	of((*lazy.Tensor).AtLeast1D, "x", "returns x, a scalar as one of an axis.").spelt("at_least_1d"),
	of((*lazy.Tensor).AtLeast2D, "x", "returns x with new first axes if it has fewer than two.").spelt("at_least_2d"),
	of((*lazy.Tensor).AtLeast3D, "x", "returns x with new axes if it has fewer than three.").spelt("at_least_3d"),
}
