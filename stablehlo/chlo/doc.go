// Package chlo writes StableHLO ops in the place of those of the CHLO dialect,
// so that a backend need know only StableHLO. Its central function is [Lower].
//
// What a function computes is what the dialect's documentation says of it; how,
// and from where the constants are, stands at each. Elements of 16 and fewer
// bits are computed in f32 and rounded once; f32 is computed in f32 and f64 in
// f64. Numbers stand as scalar constants that are broadcast where they are
// used, so that the memory of a lowered op is bounded by a few times that of
// its operand.
//
// The package imports only ltc/mlir and ltc/stablehlo.
package chlo
