// Package exec runs programs of package plan on targets: it has the rules that do not
// depend on the target. Its central type is [Run], which runs a [Plan] on a [Target]: one
// that reaches the host's memory, or a [Device], which has its own.
//
// An [Executable] is a program as its callers have it, a [Sized] one for all sizes of a
// dimension. Both have [Variants], which are code for the layouts of the callers' views.
// Loops and branches are run by a [Driver].
//
// imports only ltc/backends, ltc/backends/kit/kernel, ltc/backends/kit/plan,
// ltc/backends/reference/eval, ltc/backends/reference/tiles, ltc/internal/turn,
// ltc/ir/types, ltc/soa, ltc/internal/diag and the standard library.
package exec
