// Package verify holds what must be true of a module: the structure of its ops, and for
// each op of StableHLO and CHLO a rule, which checks types and attributes. Its central
// function is [Module]. [InferShapes] returns the shapes that the rules give.
//
// The rules are a [stablehlo.Stage]: an op without a rule does not build.
//
// imports only ltc/mlir and ltc/stablehlo.
package verify
