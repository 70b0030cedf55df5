package calls

import "ltc/lazy"

// making has the functions of package lazy that make tensors of numbers, and of other tensors.
var making = []Op{
	of(lazy.Iota, "dtype axis dims", "counts 0, 1, 2, … along an axis."),
	of(lazy.Full, "dtype x dims", "returns a tensor whose elements are all x."),
	of(lazy.Zeros, "dtype dims", "returns a tensor of zeros."),
	of(lazy.Ones, "dtype dims", "returns a tensor of ones."),
	of(lazy.ARange, "dtype start end step", "returns the numbers from start on, each step apart, up to and without end.").spelt("arange"),
	of(lazy.LinSpace, "dtype start end n", "returns n numbers from start to end, both included, equally far apart.").spelt("linspace"),
	of(lazy.LogSpace, "dtype start end n base", "returns the powers of the base by n numbers from start to end.").spelt("logspace"),
	of(lazy.Eye, "dtype rows columns", "returns a matrix with ones on the main diagonal and zeros elsewhere."),
	of(lazy.HannWindow, "dtype n periodic", "returns the Hann window of n elements; one that is periodic goes on as if it had one more."),
	of(lazy.HammingWindow, "dtype n periodic", "returns the Hamming window of n elements, as HannWindow does."),
	of(lazy.BlackmanWindow, "dtype n periodic", "returns the Blackman window of n elements, as HannWindow does."),
	of(lazy.BartlettWindow, "dtype n periodic", "returns the Bartlett window of n elements, as HannWindow does."),
	of(lazy.KaiserWindow, "dtype n periodic beta", "returns the Kaiser window of n elements, as HannWindow does."),

	of(lazy.Complex, "re im", "returns the complex numbers with the given parts."),
	of(lazy.Concatenate, "axis x,more", "joins tensors along an axis."),
	of(lazy.Stack, "axis x,more", "joins tensors of one shape along a new axis."),
	of(lazy.HStack, "x,more", "joins tensors along the second axis, those of one axis along it.").spelt("hstack"),
	of(lazy.VStack, "x,more", "joins tensors, which get two axes if they have fewer, along the first axis.").spelt("vstack"),
	of(lazy.DStack, "x,more", "joins tensors, which get three axes if they have fewer, along the third axis.").spelt("dstack"),
	of(lazy.ColumnStack, "x,more", "joins tensors along the second axis, those of one axis as columns."),
	of(lazy.BlockDiag, "x,more", "returns a matrix with the matrices on its diagonal, and zeros elsewhere."),
	of(lazy.Meshgrid, "x,more", "returns a tensor for each of the tensors, which runs through it along an axis of its own."),
	of(lazy.BroadcastTensors, "x,more", "returns the tensors with the shape that they have in common."),
}
