// Package stablehlo is the table of the dialect: a row for each op of StableHLO and of
// CHLO, and for the ops of the dialects that StableHLO's own tests are written in. A row
// has the op's name, its pretty form, its properties and its traits. Importing the package
// tells package mlir of the rows; [Parse] reads texts with these ops.
//
// Each row has a code, which is what every stage below the tracer compares, switches on
// and indexes by; no stage compares the names of ops as strings. A stage is a type with a
// method for each op, a [Stage], of which [Table] makes a table by code: a stage that lacks
// an op does not build. Types such as [SliceOp] read the attributes of an op by name and Go
// type.
//
// Its central type is [mlir.Code], which [mlir.Op.Code] holds.
//
// imports only ltc/mlir.
package stablehlo
