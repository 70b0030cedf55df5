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
// imports only ltc/mlir, ltc/internal/diag and ltc/internal/lexeme.
package stablehlo

//go:generate go run ./gen

import (
	"context"
	"slices"

	"ltc/mlir"
)

// The vocabulary of rows and of pretty forms; parts.go has the rest.
type (
	opDef    = mlir.OpDef
	syntax   = mlir.Syntax
	part     = mlir.Part
	plain    = mlir.Plain
	operands = mlir.Operands
	attrDict = mlir.AttrDict
	typeList = mlir.TypeList
)

func init() {
	mlir.Register(mlir.Dialects{
		Ops:       slices.Concat(opList, chloOps, checkOps, arithOps),
		Complete:  []string{"stablehlo", "chlo", "check", "interpreter"},
		Fields:    structFields,
		Canonical: canonical,
		Type:      canonicalType,
		Problem:   attrProblem,
		Default:   isDefault,
	})
}

// Parse is [mlir.Parse] of a text with ops of StableHLO. That package knows these ops in
// every program that imports this one; who parses by this function has imported it.
func Parse(file, text string) (*mlir.Module, error) { return mlir.Parse(file, text) }

// ParseContext is [Parse] that ends when ctx is done, with an error that wraps its
// cause.
func ParseContext(ctx context.Context, file, text string) (*mlir.Module, error) {
	return mlir.ParseContext(ctx, file, text)
}
