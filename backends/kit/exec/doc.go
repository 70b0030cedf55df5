// Package exec runs programs of package kit on targets: it has the rules that do not
// depend on the target. Its central type is [Run], which runs a [Plan] on a [Target].
// [Variants] are the code of one program for the layouts of its callers' views. Loops and
// branches are run by a [Driver].
//
// imports only ltc/backends, ltc/backends/kit, ltc/internal/turn, ltc/ir/types, ltc/soa and
// the standard library.
package exec
