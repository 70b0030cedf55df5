package chlo

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"ltc/mlir"
	"ltc/stablehlo"
)

// emitter appends ops to a block.
type emitter struct {
	*lowering
	ops []*mlir.Op
	at  *mlir.Op // the op that is being replaced
}

// op appends an op with the given results.
func (e *emitter) op(code mlir.Code, operands []*mlir.Value, attrs mlir.Dict, results ...mlir.Type) *mlir.Op {
	op := mlir.NewOp(code, operands, results...)
	op.Attrs = attrs
	op.Pos, op.Ordinal, op.Loc = e.at.Pos, e.at.Ordinal, e.at.Loc
	e.ops = append(e.ops, op)
	return op
}

func (e *emitter) one(code mlir.Code, attrs mlir.Dict, result mlir.Type, operands ...*mlir.Value) val {
	return e.val(e.op(code, operands, attrs, result).Results[0])
}

// block makes a block whose arguments have the given types; fill writes its
// ops and returns what it hands on.
func (e *emitter) block(args []mlir.Type, fill func(e *emitter, args []val) []*mlir.Value) *mlir.Region {
	b := mlir.NewBlock(args...)
	inner := &emitter{lowering: e.lowering, at: e.at}
	vals := make([]val, len(args))
	for i, a := range b.Args {
		vals[i] = inner.val(a)
	}
	inner.op(stablehlo.Return, fill(inner, vals), nil)
	b.Ops = inner.ops
	return &mlir.Region{Blocks: []*mlir.Block{b}}
}

// val is a tensor and the block where its methods write their ops: in the block
// of a region, a tensor from outside is first made one of the region's emitter.
type val struct {
	e *emitter
	v *mlir.Value
}

func (e *emitter) val(v *mlir.Value) val { return val{e, v} }

func (a val) typ() *mlir.TensorType { return a.v.Type.(*mlir.TensorType) }
func (a val) elem() mlir.Type       { return a.typ().Elem }
func (a val) shape() []int64        { return a.typ().Shape }

// like is a's type with other elements.
func (a val) like(elem mlir.Type) *mlir.TensorType {
	t := a.typ()
	return &mlir.TensorType{Shape: t.Shape, Elem: elem, Encoding: t.Encoding}
}

// do applies an op whose result has a's type.
func (a val) do(code mlir.Code, more ...val) val {
	operands := []*mlir.Value{a.v}
	for _, b := range more {
		operands = append(operands, b.v)
	}
	return a.e.one(code, nil, a.typ(), operands...)
}

func (a val) abs() val        { return a.do(stablehlo.Abs) }
func (a val) neg() val        { return a.do(stablehlo.Negate) }
func (a val) sign() val       { return a.do(stablehlo.Sign) }
func (a val) floor() val      { return a.do(stablehlo.Floor) }
func (a val) sqrt() val       { return a.do(stablehlo.Sqrt) }
func (a val) exp() val        { return a.do(stablehlo.Exponential) }
func (a val) expm1() val      { return a.do(stablehlo.ExponentialMinusOne) }
func (a val) log() val        { return a.do(stablehlo.Log) }
func (a val) log1p() val      { return a.do(stablehlo.LogPlusOne) }
func (a val) sin() val        { return a.do(stablehlo.Sine) }
func (a val) cos() val        { return a.do(stablehlo.Cosine) }
func (a val) tan() val        { return a.do(stablehlo.Tan) }
func (a val) add(b val) val   { return a.do(stablehlo.Add, b) }
func (a val) sub(b val) val   { return a.do(stablehlo.Subtract, b) }
func (a val) mul(b val) val   { return a.do(stablehlo.Multiply, b) }
func (a val) div(b val) val   { return a.do(stablehlo.Divide, b) }
func (a val) rem(b val) val   { return a.do(stablehlo.Remainder, b) }
func (a val) pow(b val) val   { return a.do(stablehlo.Power, b) }
func (a val) max(b val) val   { return a.do(stablehlo.Maximum, b) }
func (a val) min(b val) val   { return a.do(stablehlo.Minimum, b) }
func (a val) atan2(b val) val { return a.do(stablehlo.Atan2, b) }
func (a val) and(b val) val   { return a.do(stablehlo.And, b) }
func (a val) or(b val) val    { return a.do(stablehlo.Or, b) }

// The same with a number for the second operand.
func (a val) addNum(x float64) val { return a.add(a.num(x)) }
func (a val) subNum(x float64) val { return a.sub(a.num(x)) }
func (a val) mulNum(x float64) val { return a.mul(a.num(x)) }
func (a val) divNum(x float64) val { return a.div(a.num(x)) }

func (a val) complex(b val) val {
	return a.e.one(stablehlo.Complex, nil, a.like(mlir.ComplexType{Elem: a.elem()}), a.v, b.v)
}
func (a val) real() val { return a.part(stablehlo.Real) }
func (a val) imag() val { return a.part(stablehlo.Imag) }
func (a val) part(code mlir.Code) val {
	return a.e.one(code, nil, a.like(a.elem().(mlir.ComplexType).Elem), a.v)
}

// convert does nothing where the elements are right already.
func (a val) convert(elem mlir.Type) val {
	if mlir.SameType(a.elem(), elem) {
		return a
	}
	return a.e.one(stablehlo.Convert, nil, a.like(elem), a.v)
}

func (a val) bitcast(elem mlir.Type) val {
	return a.e.one(stablehlo.BitcastConvert, nil, a.like(elem), a.v)
}

// cmp compares as the specification does by default: floats with NaN unequal
// to everything.
func (a val) cmp(direction string, b val) val { return a.e.compare(a, b, direction, "") }

func (e *emitter) compare(a, b val, direction, kind string) val {
	attrs := mlir.Dict{{Name: "comparison_direction", Value: mlir.EnumAttr{Dialect: "stablehlo", Kind: "comparison_direction", Value: direction}}}
	if kind != "" {
		attrs.Set("compare_type", mlir.EnumAttr{Dialect: "stablehlo", Kind: "comparison_type", Value: kind})
	}
	return e.one(stablehlo.Compare, attrs, a.like(mlir.I1), a.v, b.v)
}

// lt, ge and eq compare with a number.
func (a val) lt(x float64) val { return a.cmp("LT", a.num(x)) }
func (a val) le(x float64) val { return a.cmp("LE", a.num(x)) }
func (a val) gt(x float64) val { return a.cmp("GT", a.num(x)) }
func (a val) ge(x float64) val { return a.cmp("GE", a.num(x)) }
func (a val) eq(x float64) val { return a.cmp("EQ", a.num(x)) }

// pick takes the elements of a where p holds, and of b elsewhere.
func (p val) pick(a, b val) val {
	return p.e.one(stablehlo.Select, nil, a.typ(), p.v, a.v, b.v)
}

// num is a tensor of a's type that holds x everywhere.
func (a val) num(x float64) val { return a.fill(number(x, a.elem())) }

func (a val) inf() val { return a.num(math.Inf(1)) }
func (a val) nan() val { return a.num(math.NaN()) }

// fill is a tensor of a's type with every element as the literal says.
func (a val) fill(literal string) val {
	return a.e.spread(a.e.scalar(literal, a.elem()), nil, a.typ(), a.sizes)
}

func (e *emitter) scalar(literal string, elem mlir.Type) val {
	return e.constant(literal, mlir.Tensor(elem))
}

// constant makes a constant of t, its literal as the printer writes it.
func (e *emitter) constant(literal string, t *mlir.TensorType) val {
	value := &mlir.DenseAttr{Literal: literal, Type: t}
	if data, splat, err := value.Decode(); err == nil && !splat {
		if printed := mlir.Dense(t, data); printed != nil {
			value = printed
		}
	}
	return e.one(stablehlo.Constant, mlir.Dict{{Name: "value", Value: value}}, t)
}

// spread broadcasts a to type t, whose dimensions dims are a's. Where t has
// unknown dimensions, sizes gives all of them as a vector of i64.
func (e *emitter) spread(a val, dims []int64, t *mlir.TensorType, sizes func() val) val {
	if mlir.SameType(a.typ(), t) && t.Static() {
		return a
	}
	attrs := mlir.Dict{{Name: "broadcast_dimensions", Value: mlir.I64Array(dims)}}
	if t.Static() {
		return e.one(stablehlo.BroadcastInDim, attrs, t, a.v)
	}
	return e.one(stablehlo.DynamicBroadcastInDim, attrs, t, a.v, sizes().v)
}

// sizes is a's dimensions as a vector of i64.
func (a val) sizes() val {
	parts := make([]val, len(a.shape()))
	for d := range parts {
		parts[d] = a.size(d)
	}
	return a.e.vector(parts)
}

// size is a's dimension d as an i64 scalar.
func (a val) size(d int) val {
	if n := a.shape()[d]; n != mlir.Dynamic {
		return a.e.scalar(strconv.FormatInt(n, 10), mlir.I64)
	}
	attrs := mlir.Dict{{Name: "dimension", Value: mlir.I64Attr(int64(d))}}
	return a.e.one(stablehlo.GetDimensionSize, attrs, mlir.Tensor(mlir.I32), a.v).convert(mlir.I64)
}

// vector joins scalars.
func (e *emitter) vector(parts []val) val {
	operands := make([]*mlir.Value, len(parts))
	for i, p := range parts {
		operands[i] = p.reshape(1).v
	}
	attrs := mlir.Dict{{Name: "dimension", Value: mlir.I64Attr(0)}}
	return e.one(stablehlo.Concatenate, attrs, mlir.Tensor(mlir.I64, int64(len(parts))), operands...)
}

func (a val) reshape(shape ...int64) val {
	return a.e.one(stablehlo.Reshape, nil, mlir.Tensor(a.elem(), shape...), a.v)
}

// iota counts along dimension d of a shape.
func (e *emitter) iota(elem mlir.Type, d int, shape ...int64) val {
	attrs := mlir.Dict{{Name: "iota_dimension", Value: mlir.I64Attr(int64(d))}}
	return e.one(stablehlo.Iota, attrs, mlir.Tensor(elem, shape...))
}

// positions counts along dimension d of a's shape.
func (a val) positions(d int) val {
	t := a.like(mlir.I32)
	if t.Static() {
		return a.e.iota(mlir.I32, d, t.Shape...)
	}
	attrs := mlir.Dict{{Name: "iota_dimension", Value: mlir.I64Attr(int64(d))}}
	return a.e.one(stablehlo.DynamicIota, attrs, t, a.sizes().v)
}

// number is x as the literal of an element.
func number(x float64, elem mlir.Type) string {
	t, float := elem.(mlir.FloatType)
	switch {
	case !float:
		return strconv.FormatInt(int64(x), 10)
	case x != x || math.IsInf(x, 0):
		return special(x, t)
	}
	s := strconv.FormatFloat(x, 'e', -1, 64)
	if mantissa, exponent, _ := strings.Cut(s, "e"); !strings.Contains(mantissa, ".") {
		s = mantissa + ".0e" + exponent
	}
	return s
}

// special is an infinity or NaN of f32 or f64 as bits; the text form has no
// word for them.
func special(x float64, t mlir.FloatType) string {
	if t != mlir.F64 {
		return fmt.Sprintf("0x%08X", math.Float32bits(float32(x)))
	}
	return fmt.Sprintf("0x%016X", math.Float64bits(x))
}
