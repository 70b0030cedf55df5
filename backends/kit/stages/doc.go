// Package stages compiles programs with sizes that follow from data: how many elements of a mask
// hold, for instance. Such a program becomes a chain of programs, its stages. A stage ends where
// sizes become known: the host reads them, and the next stage has them as sizes of its arguments.
// So every stage is compiled once for all sizes. Its central function is [Compile].
//
// These words are used throughout. A root is a value of integers that the host reads, because sizes of
// later stages follow from them. A shape argument has no memory: its sizes are the integers of a root,
// and a stage asks for them where the module has the root. A slot is the place of a value that
// outlives its stage, in the list that a run has of them: arguments of the module first, then
// results of stages. Cutting a module deals its ops to stages, and assembling a stage writes its text.
//
// The package imports only ltc/backends, ltc/backends/kit, ltc/backends/kit/exec, ltc/internal/spare,
// ltc/ir/types, ltc/mlir, ltc/soa and ltc/stablehlo.
package stages
