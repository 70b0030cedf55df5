package simplify

import (
	"slices"

	"ltc/backends/kit/simplify/program"
	"ltc/mlir"
	"ltc/stablehlo"
)

// complexes writes ops on complex numbers as ops on their real and imaginary parts: what
// follows sees ops on floats alone. An op that gives complex numbers becomes a complex of
// two values, and the ops that read it take these. Loops and branches carry both parts. A
// complex stays where an op without a rule reads it; such an op is read by real and imag.
//
// In the text this needs one rule an op and no stage after it: kernels, their fusion and
// each emitter would need a pair of values otherwise. The passes that follow simplify the
// parts, such as imaginary parts that are 0.
//
// A part of a product is a sum of two products of floats. Each of the three is rounded to
// the type of the parts, and can be infinite where the exact part is not.
func complexes(s *state) bool {
	some := false
	for _, b := range s.Functions() {
		program.Walk(b, func(op *mlir.Op) { some = some || slices.ContainsFunc(op.Results, isComplex) })
	}
	if !some {
		return false
	}
	changed := false
	for _, b := range s.Functions() {
		changed = complexParts.Apply(b) || changed
	}
	return s.rewriteBy(&editor{state: s, rules: func(r *opRow) rules { return r.complex }, program: true, enters: combinesParts}) || changed
}

// combinesParts reports whether the body of a reduction of windows of floats has complex numbers:
// those of one that mixed their parts.
func combinesParts(op *mlir.Op) bool {
	if op.Code != stablehlo.ReduceWindow || slices.ContainsFunc(op.Operands, isComplex) {
		return false
	}
	some := false
	for _, b := range program.Bodies(op) {
		program.Walk(b, func(inner *mlir.Op) { some = some || slices.ContainsFunc(inner.Results, isComplex) })
	}
	return some
}

// isComplex reports whether v is a plain tensor of complex numbers.
func isComplex(v *mlir.Value) bool {
	t := tensorOf(v)
	return t != nil && isComplexType(t)
}

func isComplexType(t *mlir.TensorType) bool {
	_, is := t.Elem.(mlir.ComplexType)
	return is
}

// partType is the type of each part of complex numbers, t itself for other types.
func partType(t mlir.Type) mlir.Type {
	if tt, ok := t.(*mlir.TensorType); ok {
		if c, is := tt.Elem.(mlir.ComplexType); is {
			return mlir.Tensor(c.Elem, tt.Shape...)
		}
	}
	return t
}

// partCodes are the ops that take complex numbers apart.
var partCodes = [2]mlir.Code{stablehlo.Real, stablehlo.Imag}

// complexParts says how complex numbers are carried.
var complexParts = program.Decomposition{Is: isComplex, Part: partType, Apart: partCodes[:], Whole: stablehlo.Complex, Joint: mixesParts}

// mixesParts reports whether a reduction of windows, which scans are, combines complex numbers so that
// a part of the result depends on both parts, as products do: it is one of pairs. A reduce of pairs
// has no kernel, and stays what it is.
func mixesParts(op *mlir.Op) bool {
	return op.Code == stablehlo.ReduceWindow && slices.ContainsFunc(op.Results, isComplex) && closed(op) && !onlySums(op)
}

// part returns a part of v, by the op of partCodes; what is not complex is its own real part.
func (e *editor) part(code mlir.Code, v *mlir.Value) *mlir.Value {
	if !isComplex(v) {
		return v
	}
	return e.emit(code, partType(v.Type), nil, v)
}

// parts returns both parts of v.
func (e *editor) parts(v *mlir.Value) (re, im *mlir.Value) {
	return e.part(stablehlo.Real, v), e.part(stablehlo.Imag, v)
}

// complex returns the complex numbers of some parts.
func (e *editor) complex(re, im *mlir.Value) *mlir.Value {
	t := tensorOf(re)
	return e.emit(stablehlo.Complex, mlir.Tensor(mlir.ComplexType{Elem: t.Elem}, t.Shape...), nil, re, im)
}

// eachPart is an op that does the same with the real and the imaginary parts.
func eachPart(e *editor, op *mlir.Op) *mlir.Value {
	if !isComplex(op.Results[0]) {
		return nil
	}
	return e.complex(e.ofParts(stablehlo.Real, op), e.ofParts(stablehlo.Imag, op))
}

// ofParts emits an op of one part of each complex operand.
func (e *editor) ofParts(code mlir.Code, op *mlir.Op) *mlir.Value {
	operands := make([]*mlir.Value, len(op.Operands))
	for i, v := range op.Operands {
		operands[i] = e.part(code, v)
	}
	x := copyOf(op, partType(op.Results[0].Type), operands...)
	for _, b := range program.Bodies(x) {
		retype(b)
	}
	return e.emitOp(x)
}

// retype has the complex numbers of a block be parts of such.
func retype(b *mlir.Block) {
	for _, a := range b.Args {
		a.Type = partType(a.Type)
	}
	for _, op := range b.Ops {
		for _, r := range op.Results {
			r.Type = partType(r.Type)
		}
	}
}

// eachPartOfSums is eachPart of an op whose body adds, or takes one of its arguments.
func eachPartOfSums(e *editor, op *mlir.Op) *mlir.Value {
	if !closed(op) || !onlySums(op) {
		return nil
	}
	return eachPart(e, op)
}

// onlySums reports whether the bodies of an op do nothing but add complex numbers.
func onlySums(op *mlir.Op) bool {
	for _, b := range program.Bodies(op) {
		for _, inner := range b.Ops {
			if inner.Code != stablehlo.Add && !inner.Code.Info().Traits.Has(mlir.Terminator) || slices.ContainsFunc(inner.Operands, func(v *mlir.Value) bool { return !isComplex(v) }) {
				return false
			}
		}
	}
	return true
}

// partOf: the parts of a complex number that was made of them.
func partOf(_ *editor, op *mlir.Op) *mlir.Value {
	if z := def(op.Operands[0], stablehlo.Complex); z != nil {
		re, im := sides(z)
		if op.Code == stablehlo.Real {
			return re
		}
		return im
	}
	return nil
}

// complexOfParts: the number that the parts are of.
func complexOfParts(_ *editor, op *mlir.Op) *mlir.Value {
	x, y := sides(op)
	re, im := def(x, stablehlo.Real), def(y, stablehlo.Imag)
	if re != nil && im != nil && re.Operands[0] == im.Operands[0] && mlir.SameType(re.Operands[0].Type, op.Results[0].Type) {
		return re.Operands[0]
	}
	return nil
}

// ofReal: the parts of what is no complex number.
func ofReal(e *editor, op *mlir.Op) *mlir.Value {
	x := op.Operands[0]
	switch {
	case isComplex(x):
		return nil
	case op.Code == stablehlo.Real:
		return x
	}
	return e.constant(tensorOf(x), 0)
}

// partsOfConstant makes a constant of two.
func partsOfConstant(e *editor, op *mlir.Op) *mlir.Value {
	z := op.Results[0]
	a := program.Literal(z)
	if !isComplex(z) || a == nil {
		return nil
	}
	data, splat, err := a.Decode()
	t := partType(z.Type).(*mlir.TensorType)
	size := mlir.ElementBytes(t.Elem)
	if err != nil || size <= 0 || len(data)%(2*size) != 0 {
		return nil
	}
	var parts [2][]byte
	for i := 0; i < len(data); i += size {
		at := &parts[i/size%2]
		*at = append(*at, data[i:i+size]...)
	}
	one := func(part []byte) *mlir.Value {
		value := mlir.Dense(t, part)
		if splat {
			value = splatAttr(t, part)
		} else if b := standardLiteral(value); b != nil {
			value = b
		}
		return e.emit(stablehlo.Constant, t, mlir.Dict{{Name: "value", Value: value}})
	}
	return e.complex(one(parts[0]), one(parts[1]))
}

// convertComplex converts the parts, drops the imaginary part, or makes it 0.
func convertComplex(e *editor, op *mlir.Op) *mlir.Value {
	x, to := op.Operands[0], op.Results[0]
	part := partType(to.Type).(*mlir.TensorType)
	switch {
	case !isComplex(x) && !isComplex(to):
		return nil
	case !isComplex(to):
		return e.converted(e.part(stablehlo.Real, x), part)
	case !isComplex(x):
		return e.complex(e.converted(x, part), e.constant(part, 0))
	}
	re, im := e.parts(x)
	return e.complex(e.converted(re, part), e.converted(im, part))
}

// converted returns x as elements of type t.
func (e *editor) converted(x *mlir.Value, t *mlir.TensorType) *mlir.Value {
	if mlir.SameType(x.Type, t) {
		return x
	}
	return e.emit(stablehlo.Convert, t, nil, x)
}

// iotaComplex counts in the real part.
func iotaComplex(e *editor, op *mlir.Op) *mlir.Value {
	if !isComplex(op.Results[0]) {
		return nil
	}
	re := e.ofParts(stablehlo.Real, op)
	return e.complex(re, e.constant(tensorOf(re), 0))
}

// compareComplex compares the real parts and, where they are equal, the imaginary ones.
func compareComplex(e *editor, op *mlir.Op) *mlir.Value {
	a, b := sides(op)
	if !isComplex(a) || stablehlo.AsCompare(op).CompareType() == "TOTALORDER" {
		return nil
	}
	return e.ordered(stablehlo.AsCompare(op).ComparisonDirection(), a, b)
}

// ordered compares complex numbers, by their imaginary parts where the real ones are equal.
func (e *editor) ordered(direction string, a, b *mlir.Value) *mlir.Value {
	x, y := e.parts(a)
	u, v := e.parts(b)
	return e.choice(e.compareFloats("EQ", x, u), e.compareFloats(direction, y, v), e.compareFloats(direction, x, u))
}

// compareFloats compares floats.
func (e *editor) compareFloats(direction string, a, b *mlir.Value) *mlir.Value {
	attrs := mlir.Dict{{Name: "comparison_direction", Value: comparisonDirection(direction)},
		{Name: "compare_type", Value: mlir.EnumAttr{Dialect: "stablehlo", Kind: "comparison_type", Value: "FLOAT"}}}
	return e.emit(stablehlo.Compare, mlir.Tensor(mlir.I1, tensorOf(a).Shape...), attrs, a, b)
}

func (e *editor) choice(p, a, b *mlir.Value) *mlir.Value {
	return e.emit(stablehlo.Select, a.Type, nil, p, a, b)
}

// binary emits an elementwise op of two floats.
func (e *editor) binary(code mlir.Code, a, b *mlir.Value) *mlir.Value {
	return e.emit(code, a.Type, nil, a, b)
}

// unary emits an elementwise op of a float.
func (e *editor) unary(code mlir.Code, a *mlir.Value) *mlir.Value {
	return e.emit(code, a.Type, nil, a)
}

// productComplex is (xu-yv, xv+yu).
func productComplex(e *editor, op *mlir.Op) *mlir.Value {
	if !isComplex(op.Results[0]) {
		return nil
	}
	a, b := sides(op)
	x, y := e.parts(a)
	u, v := e.parts(b)
	times := func(a, b *mlir.Value) *mlir.Value { return e.binary(stablehlo.Multiply, a, b) }
	return e.complex(
		e.binary(stablehlo.Subtract, times(x, u), times(y, v)),
		e.binary(stablehlo.Add, times(x, v), times(y, u)))
}

// extremeComplex is the operand that is before or behind the other, as [compareComplex] has
// it; but the first with a NaN in it.
func extremeComplex(e *editor, op *mlir.Op) *mlir.Value {
	a, b := sides(op)
	if !isComplex(a) {
		return nil
	}
	direction := "LE"
	if op.Code == stablehlo.Maximum {
		direction = "GE"
	}
	x, y := e.parts(a)
	u, v := e.parts(b)
	isNaN := func(re, im *mlir.Value) *mlir.Value {
		return e.binary(stablehlo.Or, e.compareFloats("NE", re, re), e.compareFloats("NE", im, im))
	}
	first := e.binary(stablehlo.Or, isNaN(x, y), e.binary(stablehlo.And, e.unary(stablehlo.Not, isNaN(u, v)), e.ordered(direction, a, b)))
	return e.complex(e.choice(first, x, u), e.choice(first, y, v))
}

// bilinearComplex is a sum of products: of four pairs of parts, or of two where one operand
// is of floats.
func bilinearComplex(e *editor, op *mlir.Op) *mlir.Value {
	if !isComplex(op.Results[0]) {
		return nil
	}
	a, b := sides(op)
	t := partType(op.Results[0].Type)
	times := func(of, by mlir.Code) *mlir.Value { return e.again(op, t, e.part(of, a), e.part(by, b)) }
	const re, im = stablehlo.Real, stablehlo.Imag
	switch {
	case !isComplex(a):
		return e.complex(times(re, re), times(re, im))
	case !isComplex(b):
		return e.complex(times(re, re), times(im, re))
	}
	return e.complex(
		e.binary(stablehlo.Subtract, times(re, re), times(im, im)),
		e.binary(stablehlo.Add, times(re, im), times(im, re)))
}
