// Package tiles runs kernels in plain Go, a tile of elements at a time by the
// evaluator's loops. Its central type is [Compiler].
//
// The package imports only ltc/backends/kit/kernel, ltc/backends/reference/internal/loops,
// ltc/mlir, ltc/ir/types, ltc/internal/footprint, ltc/internal/spare, ltc/stablehlo and
// ltc/internal/diag.
package tiles
