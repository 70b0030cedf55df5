package simplify

import (
	"ltc/mlir"
	"ltc/stablehlo"
)

// typedFFI is the api_version of calls whose backend_config is a dictionary.
const typedFFI = 4

// hosted makes composites that a function of the host runs calls of the function. Inlining
// leaves out their bodies then.
func hosted(s *state) bool {
	if s.Hosted == nil {
		return false
	}
	changed := false
	s.Walk(func(op *mlir.Op) bool {
		if op.Code != stablehlo.Composite || s.kept(op) {
			return true
		}
		if function := s.Hosted(op); function != "" {
			call(op, function)
			changed = true
		}
		return true
	})
	return changed
}

// call makes a composite the call of a function.
func call(composite *mlir.Op, function string) {
	attrs := mlir.Dict{{Name: "call_target_name", Value: mlir.StringAttr(function)}}
	if config, ok := composite.Attrs.Get("composite_attributes").(mlir.DictAttr); ok {
		attrs = append(attrs, mlir.NamedAttr{Name: "api_version", Value: mlir.IntegerAttr{Value: typedFFI, Type: mlir.I32}}, mlir.NamedAttr{Name: "backend_config", Value: config})
	}
	composite.Code, composite.Attrs = stablehlo.CustomCall, attrs
}
