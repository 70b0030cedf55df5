// Package gemm generates matrix products as LLVM IR and runs them. Its central
// type is [Plan]: which kernels compute a [Problem] on a [Machine], and how the
// work is cut into blocks that fit caches of 1 and 8 MiB.
//
//	plan, err := gemm.New(gemm.Dense(types.F32, types.F32, types.F32, types.F32, 1, m, n, k), machine)
//	for _, u := range plan.Units() {
//		// compile u.Text(), unless a unit of that name has been compiled
//	}
//	product, err := plan.Bind(find)                 // find returns a unit's code
//	work := aligned(64, plan.PartBytes(1))          // an unsafe.Pointer to as many bytes
//	product.RunIn(0, 1, operands, work, nil)
//
// Kernels take sizes and strides as arguments: products of other shapes need no
// others. What is fused into a product is in units of its own, which the
// macro-kernel calls by address, so that a new epilogue compiles an epilogue and
// no product.
//
// The macro-kernel works on a block of B, packed into panels of some vectors of columns,
// and on chunks of rows of A. For each panel it goes through the chunk in strips of a few
// rows. An innermost kernel for each number of rows keeps the strip's sums of one panel in
// registers. It reads a row of A along k, with one pointer for five rows. So A is packed by
// mere copying, or not at all, and remainders of rows need no layout of their own.
// Remainders of columns are computed in scratch memory from a padded panel, by kernels of as
// many vectors and half vectors as they take. Nothing outside of the operands is touched, by
// any kernel.
//
// Few rows meet a B whose elements of k are neighbours as it lies: packing takes as long as some 20
// rows. A kernel of its own has vectors along k, one for each sum, whose lanes it adds last. Such a
// B is not packed once either, so that the bits are the same. So do a few rows whose sums are long.
// Few columns become rows where that leaves the larger operand unpacked.
//
// A B that is packed once, for all runs, keeps elements of 8 and 16 bits that are multiplied
// as larger ones. Kernels of their own convert them as they load them, and apply B's
// prologue. For many rows each block is converted to other panels first.
//
// A gathered B whose columns are runs at least as long as a vector, the windows of an image, is
// not packed: rows of windows overlap, and packing would write each element several times. What a
// block reads of the image is copied, and the kernel loads vectors from the copy, at an offset
// for each element of k.
//
// A sum is formed in one order, from k = 0 on, in blocks whose size depends on K
// alone. Threads get blocks of rows, columns and matrices, never of k: the bits of
// a result do not depend on how many there are.
//
// The package imports only ltc/backends/reference/llvm/vector and ltc/ir/types.
package gemm
