// Package ptx writes PTX, the text that an NVIDIA GPU's driver compiles, for
// kernels: for each an entry that runs a whole launch on GPUs of sm_80 and later
// (of large products, if [Options] say so, on those of sm_90a).
// What it decides about a kernel, which threads share a point, what lies in a
// block's memory, what is transposed or tiled there, is a [Schedule], its
// central type; it follows from the kernel's structure, never from run-time
// sizes, from which [Schedule.Launch] computes grid, block and memory, and of
// products of matrices, which package gemm writes, the tile: each has an entry.
//
// An entry's parameters are of 8 bytes each: the addresses of the operands'
// first elements, the run-time sizes, then the run-time strides, as
// [kernel.Call] has them; behind them, of launches that [Schedule.MapLaunch] and
// attention.Op.MapLaunch return, tensor maps of 128 bytes. Memory of a block is given at launch.
//
// Attention and sorts are no kernels of the kit's but entries of their own, in packages
// attention and sorts. Package asm has the writer of instructions that all share, package
// body what stages of kernels do at a point, by whichever schedule.
//
// What is computed:
//
//   - Operations of IEEE 754 are rounded to nearest, each for itself: no
//     approximate instructions, nothing flushed to zero, and products are rounded
//     with sums only in products of matrices, by fma. The exponential and its like
//     are made of these, see docs/math.md for how far off they are: whoever runs the
//     same text computes the same bits.
//   - Products of matrices of f16 or bf16 with sums of f32 are left to tensor cores,
//     whose products are exact and whose sums of f32 lose bits in ways of their own:
//     only there do devices and the interpreter differ, unless sums are exact. f32
//     is left to them where [Options] allows it.
//   - f16 and bf16 are computed in f32, each op rounded, sums at their end.
//   - The order of a reduction depends on nothing but sizes. The one exception is
//     stores that combine: they are atomic, in whichever order threads come, unless
//     [Options.Ordered] asks for the points' order, and those that add to f32 flush
//     subnormal numbers. Stores that replace each other always have it.
//   - Operands may share memory if one that is stored to is elsewhere accessed at
//     the same places only, by the same points, before.
//
// What there is no text for is an error that wraps [errors.ErrUnsupported].
//
// imports only ltc/backends/cuda/ptx/gemm, ltc/backends/cuda/ptx/internal/asm,
// ltc/backends/cuda/ptx/internal/body, ltc/backends/kit/kernel and ltc/ir/types.
package ptx
