package kit

import (
	"slices"

	"ltc/backends"
	"ltc/internal/minifloat"
	"ltc/ir/types"
	"ltc/mlir"
	"ltc/stablehlo"
)

// Some types have elements that kernels do not have. Between
// steps such elements are stored as elements of a type that kernels have. Each op on them
// is a step of the evaluator, whose text converts its operands from the stored type and
// its results back. Of complex numbers few ops are left: the pass complex of package
// simplify writes ops on the parts for the others, and kernels put parts together and take
// them apart ([complexOf], [partAt]).

// carrier is how elements of a type lie between steps.
type carrier struct {
	elem  mlir.Type
	op    mlir.Code // that turns one into the other, both ways; 0 for complex numbers
	parts bool      // a first dimension has the real, then the imaginary parts
}

// carrierOf returns how elements of type elem are carried: as they are, with an
// op of "", where kernels have them; false if they cannot be.
//
//   - complex numbers: their parts;
//   - floats of 8 bits: those bits, so that each NaN is itself;
//   - narrower floats and tf32: f32, which holds their values;
//   - integers of less than 8 bits: ones of 8;
//   - quantized numbers: what stores them.
func carrierOf(elem mlir.Type) (carrier, bool) {
	if mlir.DTypeOf(elem).IsReal() {
		return carrier{elem: elem}, true
	}
	switch e := elem.(type) {
	case mlir.ComplexType:
		return carrier{elem: e.Elem, parts: true}, mlir.DTypeOf(e.Elem).Valid()
	case mlir.IntegerType:
		to := mlir.I8
		if e.Sign == mlir.Unsigned {
			to = mlir.UI8
		}
		return carrier{elem: to, op: stablehlo.Convert}, e.Width < 8 && e.Sign != mlir.Signed
	case mlir.FloatType:
		switch _, bits, ok := minifloat.Of(e.Name); {
		case ok && bits == 8:
			return carrier{elem: mlir.UI8, op: stablehlo.BitcastConvert}, true
		case ok:
			return carrier{elem: mlir.F32, op: stablehlo.Convert}, true
		}
	case mlir.DialectType:
		q, err := mlir.QuantOf(e)
		if err == nil && q != nil {
			return carrier{elem: q.Storage, op: stablehlo.BitcastConvert}, mlir.DTypeOf(q.Storage).Valid()
		}
	}
	return carrier{}, false
}

// carriedType is the type of t between steps: t itself, where kernels have its
// elements or nothing carries them.
func carriedType(t mlir.Type) mlir.Type {
	tt, ok := t.(*mlir.TensorType)
	if !ok || tt.Encoding != nil || !tt.Static() {
		return t
	}
	c, ok := carrierOf(tt.Elem)
	switch {
	case !ok || c.elem == tt.Elem:
		return t
	case c.parts:
		return mlir.Tensor(c.elem, append([]int64{2}, tt.Shape...)...)
	}
	return mlir.Tensor(c.elem, tt.Shape...)
}

func carriedTypes(values []*mlir.Value) []mlir.Type {
	all := make([]mlir.Type, len(values))
	for i, v := range values {
		all[i] = carriedType(v.Type)
	}
	return all
}

// isCarried reports whether v lies between steps as another type than its own.
func isCarried(v *mlir.Value) bool { return carriedType(v.Type) != v.Type }

// typeOf is [backends.TypeOf] of what v is between steps.
func typeOf(v *mlir.Value) (types.Type, error) { return backends.TypeOf(carriedType(v.Type)) }

// carries reports whether an op, or what its regions use from outside, has to do
// with elements that kernels do not have.
func carries(op *mlir.Op) bool {
	return slices.ContainsFunc(inputs(op), isCarried) || slices.ContainsFunc(op.Results, isCarried)
}

// sameBits reports whether one value is carried as the bits of another, those
// that a bitcast_convert gives.
func sameBits(op *mlir.Op) bool {
	if op.Code != stablehlo.BitcastConvert || len(op.Operands) != 1 || !carries(op) {
		return false
	}
	var as [2]types.Type
	for i, v := range []*mlir.Value{op.Operands[0], op.Results[0]} {
		if isCarried(v) {
			if c, _ := carrierOf(v.Type.(*mlir.TensorType).Elem); c.op != op.Code {
				return false
			}
		}
		var err error
		if as[i], err = typeOf(v); err != nil {
			return false
		}
	}
	return as[0].Equal(as[1])
}

// carry collects the ops that turn values into what they are between steps, and
// back.
type carry struct{ ops []*mlir.Op }

func (c *carry) op(code mlir.Code, to *mlir.TensorType, from ...*mlir.Value) *mlir.Op {
	op := mlir.NewOp(code, from, to)
	c.ops = append(c.ops, op)
	return op
}

// from returns the value of type t that v carries.
func (c *carry) from(v *mlir.Value, t mlir.Type) *mlir.Value {
	tt, ok := t.(*mlir.TensorType)
	if !ok || carriedType(t) == t {
		return v
	}
	how, _ := carrierOf(tt.Elem)
	if !how.parts {
		return c.op(how.op, tt, v).Results[0]
	}
	part, one := mlir.Tensor(how.elem, tt.Shape...), mlir.Tensor(how.elem, append([]int64{1}, tt.Shape...)...)
	zero := c.op(stablehlo.Constant, mlir.Tensor(how.elem))
	zero.Attrs = mlir.Dict{{Name: "value", Value: mlir.Dense(mlir.Tensor(how.elem), make([]byte, mlir.DTypeOf(how.elem).Size()))}}
	var parts [2]*mlir.Value
	for i := range parts { // a pad by less than nothing is a slice whose limits need not be known
		low, high, none := make([]int64, len(one.Shape)), make([]int64, len(one.Shape)), make([]int64, len(one.Shape))
		low[0], high[0] = -int64(i), int64(i)-1
		p := c.op(stablehlo.Pad, one, v, zero.Results[0])
		p.Attrs = mlir.Dict{{Name: "edge_padding_low", Value: mlir.I64Array(low)}, {Name: "edge_padding_high", Value: mlir.I64Array(high)},
			{Name: "interior_padding", Value: mlir.I64Array(none)}}
		parts[i] = c.op(stablehlo.Reshape, part, p.Results[0]).Results[0]
	}
	return c.op(stablehlo.Complex, tt, parts[:]...).Results[0]
}

// to returns what carries v.
func (c *carry) to(v *mlir.Value) *mlir.Value {
	if !isCarried(v) {
		return v
	}
	tt, as := v.Type.(*mlir.TensorType), carriedType(v.Type).(*mlir.TensorType)
	how, _ := carrierOf(tt.Elem)
	if !how.parts {
		return c.op(how.op, as, v).Results[0]
	}
	var parts []*mlir.Value
	for _, part := range []mlir.Code{stablehlo.Real, stablehlo.Imag} {
		p := c.op(part, mlir.Tensor(how.elem, tt.Shape...), v).Results[0]
		parts = append(parts, c.op(stablehlo.Reshape, mlir.Tensor(how.elem, append([]int64{1}, tt.Shape...)...), p).Results[0])
	}
	whole := c.op(stablehlo.Concatenate, as, parts...)
	whole.Attrs = mlir.Dict{{Name: "dimension", Value: mlir.I64Attr(0)}}
	return whole.Results[0]
}
