// Package simplify turns a module into one that computes the same with less. It
// folds constants and drops arithmetic that does nothing; package program inlines calls and
// merges equal values. Products of which one slice is used are narrowed to it,
// and ops that move elements are brought into few forms. Ops on complex numbers become ops
// on their parts. The result is StableHLO still, so every stage can be printed, read
// again, verified and run. Its central function is [Run].
//
// What a pass does is exact to the bit, but that NaNs are one value, unless the
// comment of its file says how far results can be off.
//
// The package imports only ltc/backends, ltc/backends/kit/simplify/mincut,
// ltc/backends/kit/simplify/program, ltc/internal/minifloat, ltc/ir/dims, ltc/mlir, ltc/soa,
// ltc/stablehlo, ltc/stablehlo/chlo and ltc/stablehlo/verify.
package simplify
