package fuse

import (
	"ltc/backends/kit/kernel"
	"ltc/backends/kit/plan"
)

// Options are what a target says of the kernels that it runs well.
type Options struct {
	// LocalBytes is the most that stages of a kernel hand on to later ones within
	// it, for one point of its parallel axes; kernels for which that would be more
	// are not merged. It is what one core, or one block of threads, keeps at hand.
	// 0: as many as the cache of one core of a CPU holds.
	LocalBytes int

	// Packs returns how often a contraction computes each element of its factors A and
	// B, with sizes and strides, as the target runs it. The number is 1 if the target
	// packs an element once for all products that it is in. It is 0 if the target
	// computes the element again for each product. The producer of such a factor
	// becomes part of the contraction where that pays. nil: the target computes no
	// factors as it packs them.
	Packs func(k *kernel.Kernel, sizes, strides []int64) (a, b int)

	// Parts returns how many parts the target wants a reduction split into, to keep all
	// of the target busy. The reduction is the kernel, of length elements for each of
	// so many points; a separate kernel reduces the results of the parts. The number
	// must depend on the arguments alone, or results would depend on other things;
	// strides are not known yet, operands are dense. nil: for fewer than 16 points,
	// reductions of at least 65,536 elements are split into parts of at most 16,384.
	Parts func(k *kernel.Kernel, points, length int64) int64

	// ProductParts returns how many parts the target wants the sums of a product split
	// into, to keep all of the target busy (split-K). The product is the kernel. The
	// sums are split along the first axis that they sum over, and the number of parts
	// divides its size. The results of the parts are added in their order, together
	// with the epilogue of the product. The number must depend on the kernel alone,
	// whose sizes are literals; strides are not known yet, operands are dense. The sums
	// are not split if ProductParts is nil, or if the number is less than two or does
	// not divide.
	ProductParts func(k *kernel.Kernel) int64

	// Cut returns the stages of a kernel that are to begin a kernel of their own, in
	// order. It is asked about kernels whose stages only store parts of one value.
	// Sizes are literals, and operands dense. nil: no stage begins one.
	Cut func(k *kernel.Kernel) []int

	// Hoist says that a stage of sums over blocks is split where it computes something for each
	// block: see [hoist]. False: it is computed where it is used.
	Hoist bool

	// Pitch returns, for each operand of a product, a number of elements: the length of
	// the operand's rows, its last dimension, is to be padded to a multiple of that
	// number. 0, or no number: the row length stays. The product is the kernel, and
	// operands for which copied is set must be copied for the padding. The result must
	// depend on copied and the kernel alone, whose sizes are literals; operands are
	// dense. nil: all rows stay.
	Pitch func(k *kernel.Kernel, copied []bool) []int64

	// Borders says that the target's contractions, where they read what is around an
	// operand as 0, do so as fast as they read the operand: padding it becomes part of
	// them. False: it is written out, padded.
	Borders bool

	// WindowBorders is Borders for kernels that sum windows of each feature by itself, as
	// depthwise convolutions do. A padded image becomes part of them if most of it is the image.
	WindowBorders bool

	// Alone reports whether the target runs a step on one thread, and for long, so that it can run
	// others at the same time. Such steps are brought beside each other where that takes hardly more
	// memory: see [plan.Program.BringTogether]. nil: steps stay in their order.
	Alone func(w plan.Work) bool

	// Columns returns how many columns a product may have for the target to run it row
	// by row. Such a product is one kernel with the nodes before and after it, with
	// vectors along the rows. 0: no product runs row by row. Columns is asked when
	// there is such a product. nil: the target runs each product by itself.
	Columns func() int
}

// LocalBytes is what [Options.LocalBytes] is when it is 0.
const LocalBytes = 256 << 10
