// Package blockdot generates products of rows with quantized matrices as LLVM IR: steps that
// [kernel.BlockDot] describes. Its central type is [Unit].
//
// Rows of the matrix lie in the lanes of registers, 16 side by side. A sum then needs no other
// lane, and an element of x is a scalar. What belongs to a block is one run of memory: on a Zen 4 that
// reads at 30 GB/s, and scales, minima and codes apart at 18. There are two ways to sum a block:
//
// With dot products of bytes (AVX512_VNNI), x becomes three digits of 8 bits below a power of two
// that its block shares, most significant first. The sums of codes times digits are integers, and exact.
// Code computes the digits first. Where an x is not finite, it goes the other way.
//
// Else a code becomes an f32, and is multiplied by x.
//
// The package imports only ltc/backends/kit/kernel, ltc/backends/reference/llvm/gemm,
// ltc/backends/reference/llvm/vector and ltc/ir/types.
package blockdot
