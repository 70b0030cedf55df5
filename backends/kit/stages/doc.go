// Package stages compiles programs with sizes that follow from data: how many elements of a mask
// hold, for instance. Such a program becomes a chain of programs, its stages. A stage ends where
// sizes become known: the host reads them, and the next stage has them as sizes of its arguments.
// So every stage is compiled once for all sizes. Its central function is [Compile].
//
// The package imports only ltc/backends, ltc/backends/kit, ltc/backends/kit/exec, ltc/internal/spare,
// ltc/ir/types, ltc/mlir, ltc/soa and ltc/stablehlo.
package stages
