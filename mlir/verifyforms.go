package mlir

import "strings"

// properties checks the form of op's properties, and that none is missing.
func (v *verifier) properties(op *Op) bool {
	if !strings.HasPrefix(op.Name(), "stablehlo.") {
		return true
	}
	for _, name := range op.Code.Props() {
		form, known := formOf(op.Name(), name)
		a := op.Attrs.Get(name)
		if !known || a == nil && form&optionalForm != 0 {
			continue
		}
		form &^= optionalForm
		if !form.has(a) {
			v.missing(op, name, attrFormNames[form], a)
			return false
		}
	}
	return true
}
