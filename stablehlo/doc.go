// Package stablehlo is the table of the dialect: a row for each op of StableHLO and of
// CHLO, and for the ops of the dialects that StableHLO's own tests are written in. A row
// has the op's name, its pretty form, its properties and its traits. Importing the package
// tells package mlir of the rows and of its text form; [Parse] reads texts with these ops.
//
// Each row has a code, which is what every stage below the tracer compares, switches on
// and indexes by; no stage compares the names of ops as strings. A stage is a type with a
// method for each op, a [Stage], of which [Table] makes a table by code: a stage that lacks
// an op does not build. Types such as [SliceOp] read the attributes of an op by name and Go
// type.
//
// Its central type is [mlir.Code], which [mlir.Op.Code] holds.
//
// The package imports only ltc/mlir, ltc/internal/diag, ltc/internal/lexeme and
// ltc/internal/mlirtext.
package stablehlo

//go:generate go run ./gen

import (
	"context"
	"slices"

	"ltc/internal/mlirtext"
	"ltc/mlir"
)

// The vocabulary of rows and of pretty forms; parts.go has the rest.
type (
	opDef    = mlirtext.OpDef
	syntax   = mlirtext.Syntax
	part     = mlirtext.Part
	plain    = mlirtext.Plain
	operands = mlirtext.Operands
	attrDict = mlirtext.AttrDict
	typeList = mlirtext.TypeList
)

func init() {
	mlirtext.Register(mlirtext.Dialects{
		Ops:       slices.Concat(opList, chloOps, checkOps, arithOps),
		Complete:  []string{"stablehlo", "chlo", "check", "interpreter"},
		Fields:    structFields,
		Canonical: canonical,
		Type:      canonicalType,
		Problem:   attrProblem,
		Default:   isDefault,
	})
}

// Parse reads a module of StableHLO. A text of bare top-level ops is the body of one
// without name. The error is an [*mlir.Error], or [mlir.Errors] in the order of the text;
// file is only what they name. The module keeps text alive.
func Parse(file, text string) (*mlir.Module, error) { return mlirtext.Parse(file, text) }

// ParseContext is [Parse] that ends when ctx is done, with an error that wraps its
// cause.
func ParseContext(ctx context.Context, file, text string) (*mlir.Module, error) {
	return mlirtext.ParseContext(ctx, file, text)
}
