package tiles

import (
	"unsafe"

	"ltc/backends/kit/kernel"
	"ltc/backends/reference/internal/loops"
	"ltc/ir/types"
)

// Vectors are loops that are faster than those in plain Go. A method returns nil where there is
// none. Results may be where an operand is. Functions may have other bits than those in Go, within
// the bounds of docs/math.md; all else, sums included, has the same.
type Vectors interface {
	// Unary computes an op of each of n elements of a dtype, with results of the dtype to.
	Unary(op kernel.Op, from, to types.DType) func(o, a unsafe.Pointer, n int)
	// Binary computes an op of pairs of elements.
	Binary(op kernel.Op, from, to types.DType) func(o, a, b unsafe.Pointer, n int)
	// Fold combines acc with n elements.
	Fold(op kernel.Op, t types.DType) func(acc, a unsafe.Pointer, n int)
	// Fused computes x*y+z of triples of floats, rounded once: for Subtract x*y-z, for Negate z-x*y.
	Fused(op kernel.Op, t types.DType) func(o, x, y, z unsafe.Pointer, n int)
	// Choose takes elements of yes, which have so many bytes, where the bool is set, else of no.
	Choose(size int) func(o, c, yes, no unsafe.Pointer, n int)
	// Fill repeats the element that a points to.
	Fill(size int) func(o, a unsafe.Pointer, n int)
	// Products multiplies matrices of a dtype.
	Products(t types.DType) Products
	// Sort sorts rows of elements of so many bytes. It returns 0, or why it stopped and at which
	// row: those before it are sorted.
	Sort(size int) func(s Sorting) (why Stop, row int)
}

// Sorting is a sort of contiguous rows. The order is that of keys: unsigned
// integers, which differ from the bits of an element in Flip, and in Negative where the highest bit
// of the element is set. It is not stable, so elements of one key have the same bits.
type Sorting struct {
	From, To       unsafe.Pointer // of the elements and of the results, which do not overlap
	N, Rows        int            // the elements of a row, and the rows
	Negative, Flip uint64

	// With Checks, the sort stops at a row that has an element of the bits of Sign, or one that is
	// greater than Infinity but for these bits.
	Checks         bool
	Sign, Infinity uint64
}

// Stop says why a sort of rows stopped.
type Stop uint8

const (
	// Special: the row has an element that the sort checks for.
	Special Stop = 1 + iota
	// Unsorted: the row takes too long. There is anything in its result.
	Unsorted
)

// Products multiply matrices. Sums have the bits of the order that the code has. Any number of
// goroutines may use them.
type Products interface {
	// Scratch returns how many bytes Multiply takes for so many rows, columns and elements of a
	// sum, whatever the strides are.
	Scratch(rows, columns, depth int) int
	// Multiply writes the products of rows of a and columns of b to c, row by row and dense. A
	// has strides, in elements, of a row and of an element of a sum; b of that and of a column.
	// It returns false, with nothing done, where there is no code for these, or where they take
	// more than the given bytes of scratch memory. It ends early when done is closed.
	Multiply(c, a, b unsafe.Pointer, rows, columns, depth int, stridesA, stridesB [2]int, scratch unsafe.Pointer, bytes int, done <-chan struct{}) bool
	// MultiplyBlock is Multiply for a block of a larger product: sums have the order of a product
	// of so few rows, or of a matrix if few is 0. Rows or columns of a, and of b, are contiguous. It
	// allocates where scratch has too few bytes.
	MultiplyBlock(c, a, b unsafe.Pointer, rows, columns, depth int, stridesA, stridesB [2]int, few int, scratch unsafe.Pointer, bytes int, done <-chan struct{})
}

// vectored has the fastest loops there are: those of its Vectors, else of package loops.
type vectored struct {
	Vectors
	order *kernel.Order // the order of rounding and sums that code must have; nil: any
}

func (v vectored) unary(op kernel.Op, from, to types.DType) loops.Loop1 {
	if v.Vectors != nil {
		if k := v.Unary(op, from, to); k != nil {
			return k
		}
	}
	return scalarOp{op, from, to}.kernel1()
}

func (v vectored) binary(op kernel.Op, from, to types.DType) loops.Loop2 {
	if v.Vectors != nil {
		if k := v.Binary(op, from, to); k != nil {
			return k
		}
	}
	return scalarOp{op, from, to}.kernel2()
}

// fast reports whether there is a loop on vectors of an op that computes.
func (v vectored) fast(op kernel.Op, from, to types.DType) bool {
	switch {
	case v.Vectors == nil:
		return false
	case op.Arity() == 1:
		return v.Unary(op, from, to) != nil
	}
	return v.Binary(op, from, to) != nil
}

func (v vectored) convert(from, to types.DType) loops.Loop1 { return v.unary(kernel.Convert, from, to) }

// fold returns nil if there is no loop that folds.
func (v vectored) fold(op kernel.Op, t types.DType) func(acc, a unsafe.Pointer, n int) {
	if v.Vectors != nil {
		if k := v.Fold(op, t); k != nil {
			return k
		}
	}
	k := loops.Fold(codes[op], loops.Of(t))
	if k == nil {
		return nil
	}
	return func(acc, a unsafe.Pointer, n int) { k(&unwatched, acc, a, n) }
}

func (v vectored) choose(t types.DType) func(o, c, yes, no unsafe.Pointer, n int) {
	if v.Vectors != nil {
		if k := v.Choose(t.Size()); k != nil {
			return k
		}
	}
	return loops.Choose(loops.Of(t))
}

func (v vectored) fill(t types.DType) loops.Loop1 {
	if v.Vectors != nil {
		if k := v.Fill(t.Size()); k != nil {
			return k
		}
	}
	return loops.Fill(loops.Of(t))
}

// products returns nil if there are none.
func (v vectored) products(t types.DType) Products {
	if v.Vectors == nil {
		return nil
	}
	return v.Products(t)
}

// unwatched is the budget of a run that cannot be cancelled.
var unwatched loops.Budget
