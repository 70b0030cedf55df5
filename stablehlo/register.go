package stablehlo

import (
	"slices"

	"ltc/mlir"
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
