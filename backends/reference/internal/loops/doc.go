// Package loops has what the evaluator and tiles do to elements: one loop in plain Go for
// each op and element type, over elements that lie side by side. Its central types are
// [DType], [Loop1] and [Loop2].
//
// The package imports only ltc/backends/reference/internal/scalarmath, ltc/internal/minifloat,
// ltc/mlir, ltc/ir/types and ltc/stablehlo.
package loops
