// Package tiles runs kernels without a compiler, a tile of elements at a time: by the evaluator's
// loops, which are plain Go, or by faster ones ([Vectors]). Its central type is [Compiler].
//
// The package imports only ltc/backends/kit/kernel, ltc/backends/reference/internal/loops,
// ltc/mlir, ltc/ir/types, ltc/internal/footprint, ltc/internal/spare and ltc/internal/diag.
package tiles
