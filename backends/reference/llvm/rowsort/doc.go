// Package rowsort writes sorts of rows of numbers as LLVM IR, for machines of AVX-512. Its central
// function is [Units].
//
// A sort is a quicksort of keys, unsigned integers in the order of elements. A partition compresses
// the elements of registers that are less than the pivot, and all others, and stores them at both
// ends of the row. Up to 512 keys of 32 bits are sorted in registers, by a network.
//
// Each function is i32 f(i64* args). The words are where the rows are, where their results are, the
// number of elements of a row and of rows, and the fields of Sorting of package tiles that follow.
//
// Pivots are medians of 32 or 64 elements. Rows for which these are chosen badly are left, so that
// no row takes more than a multiple of n·log n. No address depends on an element but through
// counts of those that are less than a pivot, which is in range whatever they are.
//
// The objects are in package prebuilt.
//
// The package imports only ltc/ir/types, ltc/backends/kit/kernel,
// ltc/backends/reference/llvm/vector, ltc/backends/reference/llvm/gemm and
// github.com/llir/llvm.
package rowsort
