// Package plan is what package kit makes of a module, and package exec runs: kernels,
// steps in their order, and values with their places in memory. Its central type is
// [Program].
//
// A [Step] has a kind of [Work]: a [Launch] of a kernel, a [Loop] or a [Branch] of
// programs, a [Composite] or a [Sort] of the target's, or a [Host] op that an evaluator
// runs. [Program.Plan] finds when each value is needed and gives temporaries their places
// (arena.go), [Program.InPlace] which results are written over donated arguments
// (inplace.go). [Program.Check] stands between a mistake of a pass and a fault in
// generated code.
//
// A [Layout] is how a caller's memory lies; [Program.Variant] is the program for such. A
// [Family] is one program for all sizes that its text leaves open: its numbers are expressions.
//
// The package imports only ltc/backends, ltc/backends/kit/kernel, ltc/ir/dims, ltc/ir/types, ltc/mlir,
// ltc/soa, ltc/stablehlo, ltc/internal/diag and ltc/internal/footprint.
package plan
