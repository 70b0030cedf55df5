package simplify

import "ltc/mlir"

// plain reports whether all operands and results of op are tensors of known
// shape whose elements are numbers: rules are for these alone.
func plain(op *mlir.Op) bool {
	for _, v := range op.Operands {
		if tensorOf(v) == nil {
			return false
		}
	}
	for _, v := range op.Results {
		if tensorOf(v) == nil {
			return false
		}
	}
	return true
}

// tensorOf returns v's type if it is a plain tensor, else nil.
func tensorOf(v *mlir.Value) *mlir.TensorType {
	t, ok := v.Type.(*mlir.TensorType)
	if !ok || t.Encoding != nil || !t.Static() {
		return nil
	}
	switch t.Elem.(type) {
	case mlir.IntegerType, mlir.FloatType, mlir.ComplexType:
		return t
	}
	return nil
}
