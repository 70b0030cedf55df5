package simplify

import (
	"ltc/backends/kit/simplify/program"
	"ltc/mlir"
	"ltc/stablehlo"
)

// literals writes constants in one form, that in which they print, so that
// equal ones look equal, and those whose elements are equal can be told by their
// text: it is one number. That is not a change. Constants that passes make are
// written so.
func literals(s *state) bool {
	for _, f := range s.Functions() {
		program.Walk(f, func(op *mlir.Op) {
			if op.Code != stablehlo.Constant || !plain(op) {
				return
			}
			if a := program.Literal(op.Results[0]); a != nil && a.Resource == "" && a.Literal != "" {
				if b := standardLiteral(a); b != nil {
					op.Attrs.Set("value", b)
				}
			}
		})
	}
	return false
}

// standardLiteral returns a in the form in which it prints; nil if its values
// are not known.
func standardLiteral(a *mlir.DenseAttr) *mlir.DenseAttr {
	data, splat, err := a.Decode()
	switch {
	case err != nil:
		return nil
	case len(data) == 0:
		return &mlir.DenseAttr{Type: a.Type}
	case splat:
		return splatAttr(a.Type, data)
	}
	size := len(data) / int(a.Type.Elements())
	if string(data[size:]) == string(data[:len(data)-size]) {
		return splatAttr(a.Type, data[:size])
	}
	return mlir.Dense(a.Type, data)
}
