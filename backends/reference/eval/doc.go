// Package eval runs StableHLO modules on the CPU in plain Go, op by op. It is the
// evaluator that every other backend is measured against. Other backends also use it to
// fold constants and to run ops without a kernel. It is registered as eval. Its central
// type is [Backend].
//
// A module is parsed, verified and turned once into a list of prepared steps
// over dense row-major memory. What a step computes is StableHLO's
// specification, with these choices where it leaves one:
//   - f16, bf16, tf32 and floats of 8, 6 and 4 bits are computed in f32 and
//     rounded after each op. Sums and products of many elements (reduce with a
//     body of one op, dot_general, convolution) are accumulated in f32 and
//     rounded once; those of reduce_window are rounded after each op.
//     What is too large for a format becomes infinite, NaN where it has no
//     infinity, the largest number where it has neither.
//   - Functions of complex numbers are rounded once, from about 106 bits, but
//     add, subtract and multiply as their formulas say; complex numbers are
//     ordered by real, then by imaginary part.
//   - A quantized operand is dequantized, its difference to the zero point
//     taken without wrapping; NaN becomes the integer 0. Ops with bodies, and
//     those that only move elements, work on the integers. A dot_general or
//     convolution of two quantized operands sums the products of differences
//     exactly, and multiplies the sum by the product of the scales. With more than
//     16 bits, or where that product is no normal number, it sums floats.
//   - Integers, of 2 and 4 bits as well, wrap. Division by zero gives all bits
//     set, the remainder then is the dividend; the lowest integer divided by -1
//     is itself.
//   - A sort is always stable. Decompositions, Fourier transforms and batch
//     normalization are computed in f64 and rounded once. A window of
//     select_and_scatter that lies in the padding scatters nothing.
//   - A scatter applies its updates in the row-major order of the indices' batch
//     dimensions.
//   - rng_bit_generator gives the bits that XLA gives, DEFAULT those of PHILOX;
//     rng draws the same numbers in each run.
//   - A shift by the width or more gives 0, or the sign for an arithmetic one.
//   - A conversion to an integer truncates and saturates; NaN becomes 0.
//   - The order of a reduction is fixed: see reduce.go and loops.Gemm. No result
//     depends on the number of threads.
//
// A function whose text leaves sizes open runs op by op, each prepared for the
// types that come: see open.go. What processes exchange is not run: see [Extend].
//
// The package imports only ltc/backends, ltc/backends/reference/internal/dense,
// ltc/backends/reference/internal/freelist, ltc/backends/reference/internal/loops,
// ltc/backends/reference/internal/numeric, ltc/backends/reference/internal/scalarmath,
// ltc/mlir, ltc/soa, ltc/ir/dims, ltc/ir/types, ltc/internal/footprint, ltc/internal/sharing,
// ltc/internal/stridedcopy, ltc/stablehlo, ltc/stablehlo/chlo, ltc/stablehlo/verify and
// ltc/internal/diag.
package eval
