// Package simplify turns a module into one that computes the same with less:
// calls and compositions inlined, constants folded, equal values computed once,
// arithmetic that does nothing left out, products of which one slice is used
// narrowed to it, and what moves elements brought into few forms. What comes out is
// StableHLO still, so every stage can be printed, read again, verified and run. Its
// central function is [Run].
//
// What a pass does is exact to the bit, but that NaNs are one value, unless the
// comment of its file says how far results can be off.
//
// imports only ltc/backends, ltc/internal/halt, ltc/mlir, ltc/soa, ltc/stablehlo,
// ltc/stablehlo/chlo and ltc/stablehlo/verify.
package simplify
