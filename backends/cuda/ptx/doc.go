// Package ptx writes PTX, the text that an NVIDIA GPU's driver compiles, for kernels. Each
// has an entry that runs a whole launch, on GPUs of sm_80 and later. Entries of large
// products are for sm_90a if [Options] say so.
//
// A [Schedule], the central type, is what is decided about a kernel: which threads share a
// point, what is in a block's memory, and which operands are transposed there. It follows
// from the kernel's structure, never from run-time sizes. [Schedule.Launch] computes grid,
// block and memory of these. A product of matrices, which package gemm writes, has an entry
// for each of several tiles, of which a launch takes one.
//
// An entry's parameters are of 8 bytes each, as [kernel.Call] has them: the addresses of the
// operands' first elements, the run-time sizes, then the run-time strides. Behind them are
// tensor maps of 128 bytes, in launches that [Schedule.MapLaunch] and
// attention.Op.MapLaunch return. Memory of a block is given at launch.
//
// Attention and sorts are no kernels of the kit's but entries of their own, in packages
// attention and sorts. Package asm has the writer of instructions that all share, package
// body what stages of kernels do at a point, by whichever schedule.
//
// What is computed:
//
//   - Operations of IEEE 754 are rounded to nearest, each for itself: no
//     approximate instructions, nothing flushed to zero. Products are rounded with
//     sums only in products of matrices, by fma. The exponential and its like
//     are made of these; docs/math.md says how far off they are. Whoever runs the
//     same text computes the same bits.
//   - Products of matrices of f16 or bf16 with sums of f32 are left to tensor cores.
//     Their products are exact, and their sums of f32 lose bits in ways of their own.
//     Only there do devices and the interpreter differ, unless sums are exact. f32
//     is left to tensor cores where [Options] allows it.
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
// The package imports only ltc/backends/cuda/ptx/gemm, ltc/backends/cuda/ptx/internal/asm,
// ltc/backends/cuda/ptx/internal/body, ltc/backends/kit/kernel, ltc/ir/types and ltc/internal/diag.
package ptx
