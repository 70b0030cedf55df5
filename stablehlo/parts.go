package stablehlo

import "ltc/mlir"

// The vocabulary of rows and of pretty forms.
type (
	opDef    = mlir.OpDef
	syntax   = mlir.Syntax
	part     = mlir.Part
	plain    = mlir.Plain
	word     = mlir.Word
	operands = mlir.Operands
	attrDict = mlir.AttrDict
	funcType = mlir.FuncTypes
	oneType  = mlir.OneType
	typeList = mlir.TypeList
	attr     = mlir.AttrValue
	group    = mlir.Group
)
