package verify

import (
	"strings"

	"ltc/mlir"
	"ltc/stablehlo"
)

// properties checks the form of op's properties, and that none is missing.
func (v *verifier) properties(op *mlir.Op) bool {
	if !strings.HasPrefix(op.Name(), "stablehlo.") {
		return true
	}
	for _, name := range op.Code.Props() {
		if form := stablehlo.FormProblem(op, name); form != "" {
			v.missing(op, name, form, op.Attrs.Get(name))
			return false
		}
	}
	return true
}
