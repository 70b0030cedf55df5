package lower

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"ltc/ir/types"
	"ltc/mlir"
	"ltc/stablehlo"
)

// constant appends a constant, or one element of it spread over an open type. One
// whose elements are all one number that depends on the size, such as what a mean
// divides by, is computed from it.
func (o *opening) constant(same []*mlir.Op, lines []types.Line) error {
	op := same[0]
	first, _ := op.Attrs.Get("value").(*mlir.DenseAttr)
	if first == nil {
		return fmt.Errorf("it has no value")
	}
	differ := false
	for i := range same {
		a, _ := same[i].Attrs.Get("value").(*mlir.DenseAttr)
		differ = differ || a == nil || a.Literal != first.Literal
	}
	if lines == nil && !differ {
		o.ops = append(o.ops, op)
		return nil
	}
	var scalar *mlir.Value
	if differ {
		l, err := o.numberIn(same)
		if err != nil {
			return err
		}
		scalar = o.emit(stablehlo.Reshape, mlir.Tensor(mlir.I64), []*mlir.Value{o.list([]types.Line{l})})
		if first.Type.Elem.String() != mlir.I64.String() {
			scalar = o.emit(stablehlo.Convert, mlir.Tensor(first.Type.Elem), []*mlir.Value{scalar})
		}
	} else {
		data, splat, err := first.Decode()
		if err != nil || !splat {
			return fmt.Errorf("a literal of %v elements for an open size", first.Type)
		}
		t := mlir.Tensor(first.Type.Elem)
		scalar = o.emit(stablehlo.Constant, t, nil, attr("value", mlir.Dense(t, data)))
	}
	o.spread(op, scalar, lines)
	return nil
}

// spread appends what has a scalar everywhere in the place of the constant op, whose
// dimensions are lines if some depend on the size.
func (o *opening) spread(op *mlir.Op, scalar *mlir.Value, lines []types.Line) {
	if t, ok := op.Results[0].Type.(*mlir.TensorType); ok && len(t.Shape) == 0 {
		scalar.Def.Results, op.Results[0].Def = op.Results, scalar.Def
		return
	}
	spread := mlir.NewOp(stablehlo.BroadcastInDim, []*mlir.Value{scalar})
	if lines != nil {
		spread = mlir.NewOp(stablehlo.DynamicBroadcastInDim, []*mlir.Value{scalar, o.list(lines)})
	}
	spread.Attrs, spread.Loc, spread.Results = mlir.Dict{ints("broadcast_dimensions", nil)}, op.Loc, op.Results
	op.Results[0].Def = spread
	o.ops = append(o.ops, spread)
}

// numberIn returns the number that constants have in all elements.
func (o *opening) numberIn(same []*mlir.Op) (types.Line, error) {
	const unknown = "its value depends on the size in a way that is not known for others: compute it from a tensor of that size instead (a number of elements is a sum of ones)"
	numbers := make([]int64, len(same))
	for i, op := range same {
		a, _ := op.Attrs.Get("value").(*mlir.DenseAttr)
		if a == nil {
			return types.Line{}, errors.New("it has no value")
		}
		data, splat, err := a.Decode()
		if err != nil || !splat && a.Type.Elements() != 1 {
			return types.Line{}, errors.New(unknown)
		}
		n, ok := wholeNumber(mlir.DTypeOf(a.Type.Elem), data)
		if !ok {
			return types.Line{}, errors.New(unknown)
		}
		numbers[i] = n
	}
	l, ok := types.Through(o.at, numbers)
	if !ok {
		return l, errors.New(unknown)
	}
	return l, nil
}

// wholeNumber returns the integer that an element is, if it is one of a type that
// holds the sizes that programs have.
func wholeNumber(d types.DType, data []byte) (int64, bool) {
	switch d {
	case types.I32:
		return int64(int32(binary.LittleEndian.Uint32(data))), true
	case types.I64:
		return int64(binary.LittleEndian.Uint64(data)), true
	case types.F32:
		f := math.Float32frombits(binary.LittleEndian.Uint32(data))
		return int64(f), float32(int64(f)) == f
	case types.F64:
		f := math.Float64frombits(binary.LittleEndian.Uint64(data))
		return int64(f), float64(int64(f)) == f
	}
	return 0, false
}
