package lower

import (
	"encoding/binary"
	"errors"
	"fmt"

	"ltc/ir/types"
	"ltc/mlir"
	"ltc/stablehlo"
)

func (o *opening) emit(code mlir.Code, t mlir.Type, operands []*mlir.Value, attrs ...mlir.NamedAttr) *mlir.Value {
	op := mlir.NewOp(code, operands, t)
	op.Attrs, op.Loc = attrs, o.loc
	o.ops = append(o.ops, op)
	return op.Results[0]
}

// list returns numbers as a tensor of i64, which is computed at the function's
// beginning.
func (o *opening) list(lines []types.Line) *mlir.Value {
	key := fmt.Sprint(lines)
	if v := o.lists[key]; v != nil {
		return v
	}
	outer := o.ops
	o.ops = nil
	v := o.numbers(lines)
	o.prelude, o.ops, o.lists[key] = append(o.prelude, o.ops...), outer, v
	return v
}

// numbers emits numbers as a tensor of i64.
func (o *opening) numbers(lines []types.Line) *mlir.Value {
	var pieces []*mlir.Value
	for i := 0; i < len(lines); {
		if lines[i].Slope != 0 {
			pieces = append(pieces, o.number(lines[i]))
			i++
			continue
		}
		var fixed []int64
		for ; i < len(lines) && lines[i].Slope == 0; i++ {
			fixed = append(fixed, lines[i].Base)
		}
		pieces = append(pieces, o.integers(fixed))
	}
	if len(pieces) == 1 {
		return pieces[0]
	}
	return o.emit(stablehlo.Concatenate, mlir.Tensor(mlir.I64, int64(len(lines))), pieces, attr("dimension", mlir.I64Attr(0)))
}

var oneI64 = mlir.Tensor(mlir.I64, 1)

// integers emits a constant.
func (o *opening) integers(v []int64) *mlir.Value {
	t := mlir.Tensor(mlir.I64, int64(len(v)))
	var data []byte
	for _, n := range v {
		data = binary.LittleEndian.AppendUint64(data, uint64(n))
	}
	return o.emit(stablehlo.Constant, t, nil, attr("value", mlir.Dense(t, data)))
}

// number emits slope·n + base.
func (o *opening) number(l types.Line) *mlir.Value {
	v := o.elements()
	times := l.Slope
	if times%o.per == 0 {
		times /= o.per
	} else {
		v = o.emit(stablehlo.Divide, oneI64, []*mlir.Value{v, o.integers([]int64{o.per})})
	}
	if times != 1 {
		v = o.emit(stablehlo.Multiply, oneI64, []*mlir.Value{v, o.integers([]int64{times})})
	}
	if l.Base != 0 {
		v = o.emit(stablehlo.Add, oneI64, []*mlir.Value{v, o.integers([]int64{l.Base})})
	}
	return v
}

// elements returns per·n, which an argument of the function tells.
func (o *opening) elements() *mlir.Value {
	if o.size != nil {
		return o.size
	}
	arg, dim, l := o.teller()
	if arg == nil {
		o.err = at(o.loc, errors.New("a size depends on that of the inputs, but no argument of the function has it"))
		o.per = 1
		return o.integers([]int64{0})
	}
	o.per = l.Slope
	outer := o.ops
	o.ops = nil
	v := o.emit(stablehlo.GetDimensionSize, mlir.Tensor(mlir.I32), []*mlir.Value{arg}, attr("dimension", mlir.I64Attr(int64(dim))))
	v = o.emit(stablehlo.Convert, mlir.Tensor(mlir.I64), []*mlir.Value{v})
	v = o.emit(stablehlo.Reshape, oneI64, []*mlir.Value{v})
	if l.Base != 0 {
		v = o.emit(stablehlo.Subtract, oneI64, []*mlir.Value{v, o.integers([]int64{l.Base})})
	}
	o.prelude, o.ops, o.size = append(o.prelude, o.ops...), outer, v
	return v
}

// teller returns the argument and the dimension of it that tell n best. A value
// with a size that depends on n has it from an argument.
func (o *opening) teller() (arg *mlir.Value, dim int, l types.Line) {
	for _, a := range o.args {
		for d, x := range o.lines[a] {
			if x.Slope != 0 && (arg == nil || x == types.Line{Slope: 1}) {
				arg, dim, l = a, d, x
			}
			if l == (types.Line{Slope: 1}) {
				return arg, dim, l
			}
		}
	}
	return arg, dim, l
}
