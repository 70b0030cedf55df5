// Package triangular generates factors of Cholesky and solutions of triangular systems as
// LLVM IR. Its central type is [Unit]: a function that factors one matrix of any size, or
// solves one system for some of its right sides.
//
// A factor is computed in its upper form, U of A = Uᵀ·U, with the rows of U along vector
// registers: a panel of rows at a time. The panel's rows are sums of multiples of the
// rows above it, which stay in registers, strip by strip of columns. The first strip has the
// panel's diagonal. The next ones are divided by it as systems are. A lower factor is
// transposed on its way in and out.
//
// The right sides of a system lie along registers, a strip of them at a time. The solution is
// computed in panels of rows in the same way. Right sides that are rows of B are transposed
// on their way in and out.
//
// Matrices are copied to scratch memory whose rows are whole registers, with rows to spare:
// there, remainders of rows and columns are computed like all others, and nobody reads them.
// No address depends on an element.
//
// The package imports only ltc/backends/kit/kernel, ltc/backends/reference/llvm/vector and
// ltc/ir/types.
package triangular
