// Package emit writes LLVM IR for kernels: for each a function that runs a part of a launch
// on one core. Its decisions about a kernel are a [Schedule], its central type: which axis
// vectors lie along, and what is unrolled, cut, kept in strips or stored past the caches. A
// schedule follows from the kernel's structure and the machine, never from run-time sizes.
// [Module] writes the code.
//
// What is computed:
//
//   - The order of a reduction depends on nothing but sizes: not on parts,
//     strides or alignment. Along vectors, each of Unroll vectors of lanes is
//     reduced for itself, what remains after them in one more; the vectors
//     combine as neighbours, their lanes as halves. Down the columns of strips,
//     and of axes that are written out, the order is that of the axes.
//   - A product of floats whose only use is an add, a subtract or a sum of the
//     same stage is rounded once with it where the machine can.
//   - What is divided along a row by a number that is the same for all of it is
//     multiplied with its inverse, where that is a normal number, in stages that do
//     little else: the result is off by at most 1.5 ulp.
//   - Operands may share memory if one that is stored to is elsewhere accessed
//     at the same places only, by the same points, before.
//
// Contractions are left to package gemm: [Product] says how, and has the epilogue.
//
// The package imports only ltc/backends/kit/kernel, ltc/backends/reference/llvm/gemm,
// ltc/backends/reference/llvm/vector, ltc/internal/spare, ltc/ir/types, ltc/internal/diag and llir.
package emit
