// Package exec runs the programs of package plan on targets. A target runs the kernels of a
// program: see [Target]. Package exec has the part of a run that is the same on all targets. Its
// central type is [Run], which runs a [Plan] on a Target. The kernels of most
// targets access the host's memory. A [Device] is a target whose kernels access memory of the
// device's own.
//
// [Executable] and [Sized] are what backends return from Compile: Executable for programs with
// fixed sizes, Sized for programs that leave sizes open. Both types have [Variants]: code for
// calls whose views are not dense. A [Driver] runs loops and branches.
//
// The package imports only ltc/backends, ltc/backends/kit/kernel, ltc/backends/kit/plan,
// ltc/backends/reference/eval, ltc/backends/reference/tiles, ltc/internal/ctxmutex,
// ltc/internal/sharing, ltc/internal/spare, ltc/ir/types, ltc/soa and the standard library.
package exec
