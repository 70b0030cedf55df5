// Package program has what simplification does to the structure of a program: its functions, the
// regions of its ops, and the uses of values. Its passes inline calls, merge equal ops, leave out
// dead ones, and replace branches and loops whose predicate is known by the region that runs. None of
// them depends on what an op computes; the passes of package simplify do. Its central type is
// [Program].
//
// The package imports only ltc/internal/halt, ltc/internal/minifloat, ltc/mlir and ltc/stablehlo.
package program
