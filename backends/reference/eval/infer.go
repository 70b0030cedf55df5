package eval

import (
	"fmt"
	"slices"

	"ltc/mlir"
	"ltc/stablehlo/verify"
)

// inferShapes checks an op by its rule, for operands of types in. The results' types may
// leave sizes open. It returns the results' shapes. A shape is nil if the operands do not
// tell it, if it is that of a function's or a region's result, or if its sizes are values.
func inferShapes(m *mlir.Module, op *mlir.Op, in []tensor, results []mlir.Type) ([][]int, error) {
	out := make([][]int, len(op.Results))
	why := opTable[op.Code].unshaped
	if why == isOfRegion || why == isValue || len(in) != len(op.Operands) { // a tuple is several
		return out, nil
	}
	x := *op
	x.Results = nil
	for i, r := range op.Results {
		v := *r
		v.Type = results[i]
		x.Results = append(x.Results, &v)
	}
	operands := make([][]int64, len(in))
	for i, t := range in {
		operands[i] = make([]int64, len(t.shape))
		for d, n := range t.shape {
			operands[i][d] = int64(n)
		}
	}
	shapes, err := verify.InferShapes(m, &x, operands)
	if err != nil {
		return nil, err
	}
	for i, shape := range shapes {
		if shape != nil && !slices.Contains(shape, mlir.Dynamic) {
			out[i] = toInts(shape)
		}
	}
	return out, nil
}

// untold is the error of an op that leaves the shape of result i open.
func untold(op *mlir.Op, i int) error {
	of, why := "the result", opTable[op.Code].unshaped
	if len(op.Results) > 1 {
		of = fmt.Sprintf("result %d", i)
	}
	if why != "" {
		why = ", since " + why
	}
	return fmt.Errorf("the operands do not tell the shape of %s%s: give its type without ?", of, why)
}

// dimension reads an attribute that names a dimension of t.
func dimension(op *mlir.Op, name string, t tensor) (int, error) {
	d, err := intAttr(op.Attrs, name, -1)
	if err == nil && (d < 0 || d >= len(t.shape)) {
		err = fmt.Errorf("%s = %d of %v", name, d, t)
	}
	return d, err
}
