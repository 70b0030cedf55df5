// Package blockdot generates products of rows with quantized matrices as LLVM IR: steps that
// [kernel.BlockDot] describes. Its central type is [Unit].
//
// The lanes of registers are rows of the matrix, 16 of which are interleaved. A sum then needs no other lane, and an element
// of x is a scalar. The scales, minima and codes of a block are contiguous, so that a group is read as one stream: three
// streams take longer. There are two ways to sum a block:
//
// With dot products of bytes (AVX512_VNNI), x becomes three digits of 8 bits below a power of two
// that its block shares, most significant first. The sums of codes times digits are integers, and exact.
// Code computes the digits first. If an x of a call is not finite, all its rows go the other way.
//
// Else a code becomes an f32, and is multiplied by x.
//
// The package imports only ltc/backends/kit/kernel, ltc/backends/reference/llvm/gemm,
// ltc/backends/reference/llvm/vector and ltc/ir/types.
package blockdot
