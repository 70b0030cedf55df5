package mlir

// elemRule says which element types an op takes.
type elemRule func(Type) bool

func isFloat(t Type) bool   { _, ok := t.(FloatType); return ok }
func isComplex(t Type) bool { _, ok := t.(ComplexType); return ok }

// isInteger is an integer that is not the boolean i1.
func isInteger(t Type) bool { i, ok := t.(IntegerType); return ok && i != I1 }

// isIntegral is an integer or a boolean.
func isIntegral(t Type) bool { _, ok := t.(IntegerType); return ok }

func isNumber(t Type) bool       { return isInteger(t) || isFloat(t) || isComplex(t) }
func floatOrComplex(t Type) bool { return isFloat(t) || isComplex(t) }

// isAny is every element type but quantized ones, whose rules differ.
func isAny(t Type) bool {
	_, index := t.(IndexType)
	return isIntegral(t) || isFloat(t) || isComplex(t) || index
}

// verifySame checks ops whose operands and result have one type (add_c1 and
// its like).
func verifySame(elem elemRule) func(*verifier, *Op) {
	return func(v *verifier, op *Op) {
		ins, outs, ok := v.tensors(op, len(op.Operands), 1)
		if !ok || !v.count(op) {
			return
		}
		for i, t := range ins {
			if !sameTensor(t, outs[0]) {
				v.fail(op, "C1", "operand %d is %s but the result is %s", i, t, outs[0])
				return
			}
		}
		if !elem(outs[0].Elem) {
			v.fail(op, "I1", "cannot work on elements of type %s", outs[0].Elem)
		}
	}
}

// count checks the number of operands against the op's syntax.
func (v *verifier) count(op *Op) bool {
	for _, p := range opDefs[op.Name].syntax {
		if n, ok := p.(operands); ok && n.n >= 0 && n.n != len(op.Operands) {
			v.fail(op, "", "has %d operands, but takes %d", len(op.Operands), n.n)
			return false
		}
	}
	return true
}

func verifyAbs(v *verifier, op *Op) {
	ins, outs, ok := v.tensors(op, 1, 1)
	if !ok {
		return
	}
	in, out := ins[0], outs[0]
	if !sameShape(in.Shape, out.Shape) {
		v.fail(op, "C1", "the operand is %s but the result is %s", in, out)
		return
	}
	want := in.Elem
	if c, ok := want.(ComplexType); ok {
		want = c.Elem
	}
	if !SameType(want, out.Elem) {
		v.fail(op, "C2", "elements of the result are %s, but should be %s", out.Elem, want)
	}
	if i, ok := want.(IntegerType); ok && (i == I1 || i.Sign == Unsigned) {
		v.fail(op, "I1", "cannot work on elements of type %s", want)
	}
}

func verifyConvert(v *verifier, op *Op) {
	if ins, outs, ok := v.tensors(op, 1, 1); ok && !sameShape(ins[0].Shape, outs[0].Shape) {
		v.fail(op, "C1", "the operand is %s but the result is %s: shapes differ", ins[0], outs[0])
	}
}

func verifyIsFinite(v *verifier, op *Op) {
	ins, outs, ok := v.tensors(op, 1, 1)
	if !ok {
		return
	}
	if !isFloat(ins[0].Elem) {
		v.fail(op, "I1", "cannot work on elements of type %s", ins[0].Elem)
	}
	if !sameShape(ins[0].Shape, outs[0].Shape) || outs[0].Elem != Type(I1) {
		v.fail(op, "C1", "the operand is %s but the result is %s: it should be i1 of the same shape", ins[0], outs[0])
	}
}

func verifyCompare(v *verifier, op *Op) {
	ins, outs, ok := v.tensors(op, 2, 1)
	if !ok {
		return
	}
	if !SameType(ins[0].Elem, ins[1].Elem) {
		v.fail(op, "C1", "elements differ: %s and %s", ins[0].Elem, ins[1].Elem)
		return
	}
	if !sameShape(ins[0].Shape, ins[1].Shape) || !sameShape(ins[0].Shape, outs[0].Shape) || outs[0].Elem != Type(I1) {
		v.fail(op, "C2", "operands are %s and %s but the result is %s: it should be i1 of their shape", ins[0], ins[1], outs[0])
	}
	switch dir := Enum(op.Attrs.Get("comparison_direction")); dir {
	case "EQ", "NE", "GE", "GT", "LE", "LT":
	default:
		v.fail(op, "I3", "comparison_direction is '%s', but should be one of EQ, NE, GE, GT, LE, LT", dir)
	}
	if a := op.Attrs.Get("compare_type"); a != nil && !compareTypeFits(Enum(a), ins[0].Elem) {
		v.fail(op, "C3", "compare_type %s does not fit elements of type %s", Enum(a), ins[0].Elem)
	}
}

func compareTypeFits(kind string, t Type) bool {
	i, integral := t.(IntegerType)
	switch kind {
	case "NOTYPE":
		return true
	case "FLOAT":
		return isFloat(t) || isComplex(t)
	case "TOTALORDER":
		return isFloat(t)
	case "SIGNED":
		return integral && i != I1 && i.Sign != Unsigned
	case "UNSIGNED":
		return integral && (i == I1 || i.Sign == Unsigned)
	}
	return false
}

func verifySelect(v *verifier, op *Op) {
	ins, outs, ok := v.tensors(op, 3, 1)
	if !ok {
		return
	}
	if ins[0].Elem != Type(I1) {
		v.fail(op, "I1", "the predicate is %s, but should be a tensor of i1", ins[0])
	}
	if len(ins[0].Shape) > 0 && !sameShape(ins[0].Shape, ins[1].Shape) {
		v.fail(op, "C1", "the predicate is %s but the branches are %s: it should be a scalar or of their shape", ins[0], ins[1])
	}
	if !sameTensor(ins[1], ins[2]) || !sameTensor(ins[1], outs[0]) {
		v.fail(op, "C2", "branches and result differ: %s, %s and %s", ins[1], ins[2], outs[0])
	}
}

func verifyClamp(v *verifier, op *Op) {
	ins, outs, ok := v.tensors(op, 3, 1)
	if !ok {
		return
	}
	for i, label := range []string{"C1", "", "C2"} {
		if label != "" && len(ins[i].Shape) > 0 && !sameShape(ins[i].Shape, ins[1].Shape) {
			v.fail(op, label, "operand %d is %s, but should be a scalar or of the shape of %s", i, ins[i], ins[1])
		}
	}
	if !SameType(ins[0].Elem, ins[1].Elem) || !SameType(ins[1].Elem, ins[2].Elem) {
		v.fail(op, "C3", "elements differ: %s, %s and %s", ins[0].Elem, ins[1].Elem, ins[2].Elem)
	}
	if !sameTensor(ins[1], outs[0]) {
		v.fail(op, "C4", "the operand is %s but the result is %s", ins[1], outs[0])
	}
}

func verifyBitcast(v *verifier, op *Op) {
	ins, outs, ok := v.tensors(op, 1, 1)
	if !ok {
		return
	}
	in, out := ins[0], outs[0]
	if isComplex(in.Elem) != isComplex(out.Elem) {
		v.fail(op, "C2", "complex and other elements cannot be cast to each other: %s and %s", in, out)
		return
	}
	a, b := bitWidth(in.Elem), bitWidth(out.Elem)
	if a == 0 || b == 0 {
		return
	}
	long, short, ratio := in.Shape, out.Shape, b/a
	if a > b {
		long, short, ratio = out.Shape, in.Shape, a/b
	}
	good := sameShape(in.Shape, out.Shape)
	if a != b {
		n := len(long) - 1
		good = max(a, b)%min(a, b) == 0 && n >= 0 && sameDim(long[n], int64(ratio)) && sameShape(long[:n], short)
	}
	if !good {
		v.fail(op, "C1", "%s cannot be cast to %s: the bits of their elements do not match", in, out)
	}
}

// bitWidth is the number of bits of an element; 0 if unknown.
func bitWidth(t Type) int {
	switch t := t.(type) {
	case IntegerType:
		return t.Width
	case FloatType:
		if m, ok := miniFloats[t.Name]; ok {
			return m.width
		}
		return 8 * elementSize(t)
	case ComplexType:
		return 2 * bitWidth(t.Elem)
	}
	return 0
}

func verifyConstant(v *verifier, op *Op) {
	_, outs, ok := v.tensors(op, 0, 1)
	if !ok {
		return
	}
	d, isDense := op.Attrs.Get("value").(*DenseAttr)
	if !isDense {
		v.missing(op, "value", "dense<…>", op.Attrs.Get("value"))
		return
	}
	if !SameType(d.Type, outs[0]) {
		v.fail(op, "C1", "the value is %s but the result is %s", d.Type, outs[0])
		return
	}
	if d.checked {
		return
	}
	if err := d.check(); err != nil {
		v.fail(op, "C1", "%s", err.Msg)
	}
}

func verifyIota(v *verifier, op *Op) {
	_, outs, ok := v.tensors(op, 0, 1)
	if !ok {
		return
	}
	d, ok := Int(op.Attrs.Get("iota_dimension"))
	if !ok {
		v.missing(op, "iota_dimension", "an integer", op.Attrs.Get("iota_dimension"))
		return
	}
	v.within(op, "C1", "iota_dimension", []int64{d}, len(outs[0].Shape))
	if !isNumber(outs[0].Elem) {
		v.fail(op, "", "cannot make elements of type %s", outs[0].Elem)
	}
}
