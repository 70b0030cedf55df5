// Package stablehlo is the table of the dialect: a code for each op of StableHLO and
// of CHLO, and for the ops of the dialects that StableHLO's own tests are written in.
// A code is what every stage below the tracer compares, switches on and indexes by;
// no stage compares the names of ops as strings.
//
// Its central type is [mlir.Code], which [mlir.Op.Code] holds.
//
// imports only ltc/mlir.
package stablehlo
