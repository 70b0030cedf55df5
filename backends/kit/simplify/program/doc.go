// Package program has what simplification does to the structure of a program: its functions, the
// regions of its ops, and who uses which value. Its passes inline calls, merge equal ops, leave out
// dead ones, and take branches and loops whose outcome is known apart. None of them depends on what
// an op computes; the passes of package simplify do. Its central type is [Program].
//
// The package imports only ltc/internal/halt, ltc/internal/minifloat, ltc/mlir and ltc/stablehlo.
package program
