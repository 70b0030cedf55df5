package mlir

import "slices"

func init() {
	Register(Dialects{
		Ops:       slices.Concat(opList, chloOps, checkOps, arithOps),
		Complete:  []string{"stablehlo", "chlo", "check", "interpreter"},
		Fields:    structFields,
		Canonical: canonical,
		Type:      canonicalOwnType,
		Problem:   attrProblem,
		Default:   isDefault,
	})
}
