package reference

import (
	"fmt"

	"ltc/mlir"
)

// inferShapes returns the shapes of an op's results.
func inferShapes(m *mlir.Module, op *mlir.Op, in []tensor) ([][]int, error) {
	if why := opTable[op.Code].unshaped; why != "" {
		return nil, fmt.Errorf("the operands do not tell the shape of the result, since %s: give its type without ?", why)
	}
	operands := make([][]int64, len(in))
	for i, t := range in {
		operands[i] = make([]int64, len(t.shape))
		for d, n := range t.shape {
			operands[i][d] = int64(n)
		}
	}
	shapes, err := mlir.InferShapes(m, op, operands)
	if err != nil {
		return nil, err
	}
	out := make([][]int, len(shapes))
	for i, shape := range shapes {
		if shape == nil {
			return nil, fmt.Errorf("the operands do not tell the shape of result %d: give its type without ?", i)
		}
		out[i] = toInts(shape)
	}
	return out, nil
}

// dimension reads an attribute that names a dimension of t.
func dimension(op *mlir.Op, name string, t tensor) (int, error) {
	d, err := intAttr(op.Attrs, name, -1)
	if err == nil && (d < 0 || d >= len(t.shape)) {
		err = fmt.Errorf("%s = %d of %v", name, d, t)
	}
	return d, err
}
