package simplify

import (
	"slices"

	"ltc/backends/kit/simplify/program"
	"ltc/ir/dims"
	"ltc/mlir"
	"ltc/stablehlo"
)

// quantized writes ops on quantized elements as ops on the integers that store them and on
// floats, and likewise those on floats of 8 bits (float8.go): what follows sees plain numbers alone. A quantized value becomes a bitcast_convert
// of its integers, and the ops that read it take these. Loops and branches carry integers;
// arguments and results of main keep their types. A quantized value stays where an op without
// a rule reads it or gives it: ops with bodies other than extremes, and several results.
//
// An op that moves elements moves integers. Any other is what the specification says:
// dequantize, compute in the expressed type, quantize. Products of two quantized operands
// sum integers: see quantizedProduct. Results are the evaluator's to the bit where those of
// the ops on floats are.
func quantized(s *state) bool {
	some := false
	for _, b := range s.Functions() {
		program.Walk(b, func(op *mlir.Op) { some = some || slices.ContainsFunc(op.Results, s.isQuantized) })
		some = some || slices.ContainsFunc(b.Args, s.isQuantized)
	}
	if !some {
		return false
	}
	how := program.Decomposition{Is: s.isQuantized, Part: s.storedType, Apart: []mlir.Code{stablehlo.BitcastConvert}, Whole: stablehlo.BitcastConvert}
	changed := false
	for _, b := range s.Functions() {
		changed = how.Apply(b) || changed
	}
	return s.rewriteBy(&editor{state: s, rules: func(r *opRow) rules { return r.quantized }, all: onFloats, program: true, takes: s.takesQuantized}) || changed
}

// quantOf returns the element type of a plain tensor of quantized elements whose integers and
// floats kernels have; nil for other types.
func (s *state) quantOf(t mlir.Type) *mlir.QuantType {
	tt, ok := t.(*mlir.TensorType)
	if !ok || tt.Encoding != nil || !tt.Static() {
		return nil
	}
	d, ok := tt.Elem.(mlir.DialectType)
	if !ok {
		return nil
	}
	q, known := s.quants[d.Text]
	if !known {
		q, _ = mlir.QuantOf(d)
		if q != nil && (q.Storage.Width < 8 || !slices.Contains([]mlir.FloatType{mlir.F16, mlir.BF16, mlir.F32, mlir.F64}, q.Expressed)) {
			q = nil
		}
		s.quants[d.Text] = q
	}
	return q
}

// isQuantized reports whether the pass writes ops on v as ops on what stores it: of quantized
// numbers and of floats of 8 bits.
func (s *state) isQuantized(v *mlir.Value) bool { return s.quantOf(v.Type) != nil || isFloat8(v.Type) }

// storedType is the type of the integers of quantized elements, t itself for other types.
func (s *state) storedType(t mlir.Type) mlir.Type {
	if q := s.quantOf(t); q != nil {
		return mlir.Tensor(q.Storage, t.(*mlir.TensorType).Shape...)
	}
	if isFloat8(t) {
		return mlir.Tensor(mlir.UI8, t.(*mlir.TensorType).Shape...)
	}
	return t
}

// floatType is the type that quantized elements stand for, t itself for other types.
func (s *state) floatType(t mlir.Type) mlir.Type {
	if q := s.quantOf(t); q != nil {
		return mlir.Tensor(q.Expressed, t.(*mlir.TensorType).Shape...)
	}
	if isFloat8(t) {
		return mlir.Tensor(mlir.F32, t.(*mlir.TensorType).Shape...)
	}
	return t
}

// takesQuantized reports whether an op has to do with quantized elements, and otherwise with
// plain tensors.
func (s *state) takesQuantized(op *mlir.Op) bool {
	some := false
	for _, v := range slices.Concat(op.Operands, op.Results) {
		if s.isQuantized(v) {
			some = true
		} else if tensorOf(v) == nil {
			return false
		}
	}
	return some
}

// stored returns the integers of a quantized value; another value is itself.
func (e *editor) stored(v *mlir.Value) *mlir.Value {
	if !e.isQuantized(v) {
		return v
	}
	t := e.storedType(v.Type)
	if op := v.Def; op != nil && op.Code == stablehlo.BitcastConvert && mlir.SameType(op.Operands[0].Type, t) {
		return op.Operands[0]
	}
	return e.emit(stablehlo.BitcastConvert, t, nil, v)
}

// ofStored returns the quantized value of type t that integers are.
func (e *editor) ofStored(v *mlir.Value, t mlir.Type) *mlir.Value {
	return e.emit(stablehlo.BitcastConvert, t, nil, v)
}

// onStored is an op that moves elements.
func onStored(e *editor, op *mlir.Op) *mlir.Value {
	r := op.Results[0]
	return e.ofStored(e.again(op, e.storedType(r.Type), e.eachOf(op.Operands, (*editor).stored)...), r.Type)
}

func (e *editor) eachOf(values []*mlir.Value, f func(*editor, *mlir.Value) *mlir.Value) []*mlir.Value {
	out := make([]*mlir.Value, len(values))
	for i, v := range values {
		out[i] = f(e, v)
	}
	return out
}

// onFloats is an op on what quantized elements stand for.
func onFloats(e *editor, op *mlir.Op) *mlir.Value {
	r := op.Results[0]
	if op.Code == stablehlo.BitcastConvert {
		return nil
	}
	floats := (*editor).dequantized
	if op.Code == stablehlo.Add || op.Code == stablehlo.Subtract {
		floats = (*editor).rounded
	}
	y := e.again(op, e.floatType(r.Type), e.eachOf(op.Operands, floats)...)
	if !e.isQuantized(r) {
		return y
	}
	return e.quantize(y, r.Type)
}

// onEither is an op that gives one of its operands' elements, by their order or otherwise.
// It is one on integers where floats in the place of these are in the same order and become
// the same integers again.
func onEither(e *editor, op *mlir.Op) *mlir.Value {
	r := op.Results[0]
	if isFloat8(r.Type) && op.Code == stablehlo.Select {
		return onStored(e, op)
	}
	q := e.quantOf(r.Type)
	same := q != nil && faithful(q)
	for _, v := range op.Operands {
		same = same && (!e.isQuantized(v) || mlir.SameType(v.Type.(*mlir.TensorType).Elem, r.Type.(*mlir.TensorType).Elem))
	}
	if !same {
		return onFloats(e, op)
	}
	return onStored(e, op)
}

// faithful reports whether integers of one scale are what comes of them when they are
// dequantized and quantized, and whether what they stand for is in the order of the integers.
// Differences to the zero point are exact then. Products with the scale and quotients by it
// are off by one part in 2²³ at most, together with the sum by less than a half.
func faithful(q *mlir.QuantType) bool {
	whole := mlir.QuantType{Storage: q.Storage}
	low, high := whole.Limits()
	return q.Axis < 0 && q.Blocks == nil && q.Storage.Width <= 16 && q.Min == low && q.Max == high &&
		(q.Expressed == mlir.F32 || q.Expressed == mlir.F64) && q.Scales[0] > 1e-30 && q.Scales[0] < 1e30
}

// extremesOfStored is a reduction to an extreme, of integers where those are in the order of
// what they stand for.
func extremesOfStored(e *editor, op *mlir.Op) *mlir.Value {
	q := e.quantOf(op.Results[0].Type)
	all := program.Bodies(op)
	if q == nil || !faithful(q) || len(all) != 1 || len(op.Operands) != 2 || len(all[0].Ops) != 2 {
		return nil
	}
	elem := op.Results[0].Type.(*mlir.TensorType).Elem
	by := all[0].Ops[0]
	for _, v := range slices.Concat(op.Operands, all[0].Args, by.Operands, by.Results) {
		if t, ok := v.Type.(*mlir.TensorType); !ok || !mlir.SameType(t.Elem, elem) {
			return nil
		}
	}
	if by.Code != stablehlo.Maximum && by.Code != stablehlo.Minimum {
		return nil
	}
	x := copyOf(op, e.storedType(op.Results[0].Type), e.eachOf(op.Operands, (*editor).stored)...)
	body := program.Bodies(x)[0]
	for _, v := range slices.Concat(body.Args, body.Ops[0].Results) {
		v.Type = e.storedType(v.Type)
	}
	return e.ofStored(e.emitOp(x), op.Results[0].Type)
}

// bitcastStored: what a quantized value is stored as is its bits.
func bitcastStored(e *editor, op *mlir.Op) *mlir.Value {
	x, r := op.Operands[0], op.Results[0]
	from, to := e.storedType(x.Type), e.storedType(r.Type)
	switch {
	case e.isQuantized(x) && e.isQuantized(r) && mlir.SameType(x.Type, r.Type):
		return x
	case e.isQuantized(x) && mlir.SameType(from, r.Type):
		if op := x.Def; op == nil || op.Code != stablehlo.BitcastConvert || !mlir.SameType(op.Operands[0].Type, from) {
			return nil // the argument or the result of an op that has no rule
		}
		return e.stored(x)
	case e.isQuantized(r) && mlir.SameType(x.Type, to):
		return nil
	}
	v := e.stored(x)
	if !mlir.SameType(from, to) {
		v = e.emit(op.Code, to, nil, v)
	}
	if !e.isQuantized(r) {
		return v
	}
	return e.ofStored(v, r.Type)
}

// storedConstant is a constant of integers.
func storedConstant(e *editor, op *mlir.Op) *mlir.Value {
	r := op.Results[0]
	a := program.Literal(r)
	if a == nil {
		return nil
	}
	data, splat, err := a.Decode()
	if err != nil {
		return nil
	}
	t := e.storedType(r.Type).(*mlir.TensorType)
	value := mlir.Dense(t, data)
	if splat {
		value = splatAttr(t, data)
	}
	if value == nil {
		return nil
	}
	if b := standardLiteral(value); b != nil {
		value = b
	}
	return e.ofStored(e.emit(stablehlo.Constant, t, mlir.Dict{{Name: "value", Value: value}}), r.Type)
}

// dequantizeStored: the floats of integers.
func dequantizeStored(e *editor, op *mlir.Op) *mlir.Value { return e.dequantized(op.Operands[0]) }

// quantizeStored: the integers of floats, or of what other quantized elements stand for.
func quantizeStored(e *editor, op *mlir.Op) *mlir.Value {
	return e.quantize(e.dequantized(op.Operands[0]), op.Results[0].Type)
}

// dequantized returns what quantized elements stand for, (i - zero point)·scale, each step
// rounded to the expressed type; another value is itself.
func (e *editor) dequantized(v *mlir.Value) *mlir.Value {
	q := e.quantOf(v.Type)
	switch {
	case isFloat8(v.Type):
		return e.ofFloat8(v)
	case q == nil:
		return v
	}
	floats, wide := e.floatType(v.Type).(*mlir.TensorType), mlir.Type(mlir.I32)
	if q.Storage.Width > 16 {
		wide = mlir.I64
	}
	return e.binary(stablehlo.Multiply, e.converted(e.difference(v, wide), floats), e.scales(q, floats))
}

// rounded is dequantized for an op that a target could compute together with the product, and
// round once: the product is taken by its bits, which keeps them.
func (e *editor) rounded(v *mlir.Value) *mlir.Value {
	q := e.quantOf(v.Type)
	if v = e.dequantized(v); q == nil {
		return v
	}
	bits := mlir.Tensor(mlir.IntegerType{Width: 8 * mlir.ElementBytes(q.Expressed)}, tensorOf(v).Shape...)
	return e.emit(stablehlo.BitcastConvert, v.Type, nil, e.emit(stablehlo.BitcastConvert, bits, nil, v))
}

// difference returns the integers of a quantized value less their zero points, in elements
// of type elem, which hold that; as they are stored if all zero points are 0.
func (e *editor) difference(v *mlir.Value, elem mlir.Type) *mlir.Value {
	q, x := e.quantOf(v.Type), e.stored(v)
	if !shifts(q) {
		return x
	}
	t := mlir.Tensor(elem, tensorOf(x).Shape...)
	return e.binary(stablehlo.Subtract, e.converted(x, t), e.zeroPoints(q, t))
}

// shifts reports whether there are zero points other than 0.
func shifts(q *mlir.QuantType) bool {
	return slices.ContainsFunc(q.ZeroPoints, func(z int64) bool { return z != 0 })
}

// quantize returns the quantized elements of floats: x/scale + zero point, each step rounded
// to the expressed type, within the bounds and rounded to an even integer. A conversion keeps
// to the bounds of the storage, and makes 0 of NaN.
func (e *editor) quantize(x *mlir.Value, to mlir.Type) *mlir.Value {
	if isFloat8(to) {
		return e.toFloat8(x, to)
	}
	q, t := e.quantOf(to), tensorOf(x)
	x = e.binary(stablehlo.Divide, x, e.scales(q, t))
	if shifts(q) {
		x = e.binary(stablehlo.Add, x, e.zeroPoints(q, t))
	}
	whole := mlir.QuantType{Storage: q.Storage}
	low, high := whole.Limits()
	if q.Min != low || q.Max != high {
		x = e.binary(stablehlo.Maximum, x, e.constant(t, q.Round(float64(q.Min))))
		x = e.binary(stablehlo.Minimum, x, e.constant(t, q.Round(float64(q.Max))))
	}
	x = e.unary(stablehlo.RoundNearestEven, x)
	stored := e.storedType(to).(*mlir.TensorType)
	return e.ofStored(e.converted(x, stored), to)
}

// scales returns the scale of each element of a tensor of type t.
func (e *editor) scales(q *mlir.QuantType, t *mlir.TensorType) *mlir.Value {
	all := make([]float64, len(q.Scales))
	for i, s := range q.Scales {
		all[i] = q.Round(s)
	}
	return e.perScale(q, t, all)
}

// zeroPoints returns the zero point of each element of a tensor of type t.
func (e *editor) zeroPoints(q *mlir.QuantType, t *mlir.TensorType) *mlir.Value {
	all := make([]float64, len(q.ZeroPoints))
	_, floats := t.Elem.(mlir.FloatType)
	for i, z := range q.ZeroPoints {
		if all[i] = float64(z); floats {
			all[i] = q.Round(all[i])
		}
	}
	return e.perScale(q, t, all)
}

// perScale returns a tensor of type t of numbers that t's elements can be, of which there is
// one for each scale.
func (e *editor) perScale(q *mlir.QuantType, t *mlir.TensorType, all []float64) *mlir.Value {
	switch {
	case !slices.ContainsFunc(all, func(x float64) bool { return x != all[0] }):
		return e.constant(t, all[0])
	case q.Blocks == nil:
		return e.along(t, q.Axis, all)
	}
	// Each dimension is one of blocks and one within them.
	var grid, split, to []int64
	for d, n := range q.Grid {
		grid = append(grid, n)
		to = append(to, int64(len(split)))
		split = append(split, n, dims.Div(t.Shape[d], max(n, 1)))
	}
	return e.reshape(e.broadcast(e.numbers(mlir.Tensor(t.Elem, grid...), all), split, to), t.Shape)
}

// along returns a tensor of type t that has the given numbers along a dimension.
func (e *editor) along(t *mlir.TensorType, axis int, all []float64) *mlir.Value {
	return e.broadcast(e.numbers(mlir.Tensor(t.Elem, int64(len(all))), all), t.Shape, []int64{int64(axis)})
}

// numbers returns a constant of numbers that t's elements can be.
func (e *editor) numbers(t *mlir.TensorType, all []float64) *mlir.Value {
	var data []byte
	for _, x := range all {
		b, ok := bytesOf(t.Elem, x)
		if !ok {
			panic(nonsense("elements of " + t.String() + " cannot be a parameter of a quantized type"))
		}
		data = append(data, b...)
	}
	value := mlir.Dense(t, data)
	if b := standardLiteral(value); b != nil {
		value = b
	}
	return e.emit(stablehlo.Constant, t, mlir.Dict{{Name: "value", Value: value}})
}
