package fuse

import "ltc/backends/kit/kernel"

// Options are what a target says of the kernels that it runs well.
type Options struct {
	// LocalBytes is the most that stages of a kernel hand on to later ones within
	// it, for one point of its parallel axes; kernels for which that would be more
	// are not merged. It is what one core, or one block of threads, keeps at hand.
	// 0: as many as the cache of one core of a CPU holds.
	LocalBytes int

	// Packs returns how often a contraction, computed where the target runs it,
	// computes each element of its factors A and B, with sizes and strides: once
	// where it packs them for all that they meet, 0 if it does so each time that an
	// element is multiplied. What makes such a factor becomes part of the
	// contraction where that pays. nil: no target does.
	Packs func(k *kernel.Kernel, sizes, strides []int64) (a, b int)

	// Parts returns into how many parts the target wants a reduction cut, that a
	// kernel is, of so many elements for each of so many points, so that all of it is
	// busy; what they give is reduced by a kernel of its own. It must depend on nothing
	// else, so that results do not; strides are not known yet, operands are dense. nil:
	// fewer than 16 of at least 65,536 are cut into parts of at most 16,384.
	Parts func(k *kernel.Kernel, points, length int64) int64

	// ProductParts returns into how many parts the target wants the sums of a product
	// cut, that a kernel is: along the first of the axes that it sums over, which they
	// divide, so that all of the target is busy. What they give is added, in their order,
	// with what follows the product. It must depend on nothing but the kernel, whose sizes
	// are literal; strides are not known yet, operands are dense. nil, fewer than two or a
	// number that does not divide: they are not cut.
	ProductParts func(k *kernel.Kernel) int64

	// Cut returns which stages of a kernel are to begin one of their own, in order, of
	// those whose stages only store parts of one value; sizes are literals, and operands
	// dense. nil: none are.
	Cut func(k *kernel.Kernel) []int

	// Pitch returns, by operand of a product that a kernel is, of how many elements the
	// length of its rows, its last dimension, is to be a multiple; 0, or nothing: it stays.
	// Operands for which copied is set must be copied for that. It must depend on nothing
	// but the kernel, whose sizes are literal, and copied; operands are dense. nil: rows
	// stay as they are.
	Pitch func(k *kernel.Kernel, copied []bool) []int64

	// Borders says that the target's contractions, where they read what is around an
	// operand as 0, do so as fast as they read the operand: padding it becomes part of
	// them. False: it is written out, padded.
	Borders bool

	// Columns returns how many columns a product may have for the target to run it
	// row by row, with vectors along the rows, in one kernel with what it follows and
	// what follows it; 0: none. It is asked when there is such a product. nil: the
	// target runs each product by itself.
	Columns func() int
}

// localBytes is what [Options.LocalBytes] is when it is 0.
const localBytes = 256 << 10
