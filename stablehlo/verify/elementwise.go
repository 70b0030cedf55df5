package verify

import (
	"slices"

	"ltc/internal/diag"
	"ltc/mlir"
	"ltc/stablehlo"
)

func isFloat(t mlir.Type) bool   { _, ok := t.(mlir.FloatType); return ok }
func isComplex(t mlir.Type) bool { _, ok := t.(mlir.ComplexType); return ok }

// verifySame checks ops of n operands whose types and the result's are the same
// but for scales and zero points (add_c1 and its like).
func verifySame(n int, k kinds) func(*verifier, *mlir.Op) {
	in, out := make([]slot, n), tensors(k)
	for i := range in {
		in[i] = of(k)
	}
	return func(v *verifier, op *mlir.Op) {
		ins, outs := v.takes(op, in, out)
		for i, t := range ins {
			if !v.likeTensor(t, outs[0]) || i > 0 && !v.likeTensor(t, ins[0]) {
				v.stop(op, "C1", "operand %d is %s but the result is %s", i, t, outs[0])
			}
		}
		v.infer(outs[0], ins[0].Shape)
		v.accuracy(op)
	}
}

// accuracy checks result_accuracy, which some elementwise ops have.
func (v *verifier) accuracy(op *mlir.Op) {
	if a, ok := op.Attrs.Get("result_accuracy").(mlir.StructAttr); ok {
		if why := stablehlo.AccuracyProblem(a); why != "" {
			v.fail(op, "", "%s", why)
		}
	}
}

// verifyAdd checks add, the one elementwise op that takes elements quantized
// per axis.
func verifyAdd(v *verifier, op *mlir.Op, ins, outs []*mlir.TensorType) {
	lhs, rhs, out := ins[0], ins[1], outs[0]
	if !v.compatible(lhs, rhs) || !v.compatible(lhs, out) || !v.compatible(rhs, out) {
		v.stop(op, "C1", "operands are %s and %s but the result is %s: shapes differ", lhs, rhs, out)
	}
	v.infer(out, lhs.Shape)
	p, q, r := quantOf(lhs.Elem), quantOf(rhs.Elem), quantOf(out.Elem)
	switch {
	case p == nil && q == nil && r == nil:
		if !mlir.SameType(lhs.Elem, rhs.Elem) || !mlir.SameType(lhs.Elem, out.Elem) {
			v.fail(op, "C1", "operands are %s and %s but the result is %s", lhs, rhs, out)
		}
	case p == nil || q == nil || r == nil:
		v.fail(op, "C2", "operands are %s and %s but the result is %s: all or none should be quantized", lhs, rhs, out)
	case !sameStorage(p, q) || !sameStorage(p, r):
		v.fail(op, "C3", "storage types differ: %s, %s and %s", lhs, rhs, out)
	case p.Expressed != q.Expressed || p.Expressed != r.Expressed:
		v.fail(op, "C4", "expressed types differ: %s, %s and %s", p.Expressed, q.Expressed, r.Expressed)
	case (p.Axis >= 0 || q.Axis >= 0) != (r.Axis >= 0):
		v.fail(op, "C5", "the result %s should be quantized per axis if an operand is", out)
	case p.Axis >= 0 && p.Axis != r.Axis:
		v.fail(op, "C6", "quantization dimensions differ: %d and the result's %d", p.Axis, r.Axis)
	case q.Axis >= 0 && q.Axis != r.Axis:
		v.fail(op, "C7", "quantization dimensions differ: %d and the result's %d", q.Axis, r.Axis)
	}
}

// count checks the number of operands against the op's syntax.
func (v *verifier) count(op *mlir.Op) {
	if n := op.Code.Operands(); n >= 0 && n != len(op.Operands) {
		v.stop(op, "", "has %s, but takes %d", diag.Count(len(op.Operands), "operand"), n)
	}
}

func verifyAbs(v *verifier, op *mlir.Op, ins, outs []*mlir.TensorType) {
	in, out := ins[0], outs[0]
	if !v.compatible(in, out) {
		v.stop(op, "C1", "the operand is %s but the result is %s", in, out)
	}
	v.infer(out, in.Shape)
	if want := complexPart(in.Elem); !sameBaseline(want, out.Elem) {
		v.fail(op, "C2", "elements of the result are %s, but should be %s", out.Elem, want)
	}
}

// verifySizes checks convert and is_finite, whose result's elements can be any of their kinds.
func verifySizes(v *verifier, op *mlir.Op, ins, outs []*mlir.TensorType) {
	v.sameSizes(op, ins[0], outs[0])
}

// sameSizes checks that the result has the operand's shape.
func (v *verifier) sameSizes(op *mlir.Op, in, out *mlir.TensorType) {
	if !v.compatible(in, out) {
		v.stop(op, "C1", "the operand is %s but the result is %s: shapes differ", in, out)
	}
	v.infer(out, in.Shape)
}

// verifyPart checks real and imag.
func verifyPart(v *verifier, op *mlir.Op, ins, outs []*mlir.TensorType) {
	v.sameSizes(op, ins[0], outs[0])
	if want := complexPart(ins[0].Elem); !mlir.SameType(want, outs[0].Elem) {
		v.fail(op, "C2", "elements of the result are %s, but should be %s", outs[0].Elem, want)
	}
}

func verifyComplex(v *verifier, op *mlir.Op, ins, outs []*mlir.TensorType) {
	for i, t := range ins {
		if t.Elem != mlir.Type(mlir.F32) && t.Elem != mlir.Type(mlir.F64) {
			v.stop(op, []string{"I1", "I2"}[i], "operand %d is %s, but should have elements f32 or f64", i, t)
		}
	}
	switch {
	case !v.sameTensor(ins[0], ins[1]):
		v.fail(op, "C1", "operands differ: %s and %s", ins[0], ins[1])
	case !v.compatible(ins[0], outs[0]):
		v.fail(op, "C2", "operands are %s but the result is %s: shapes differ", ins[0], outs[0])
	case !mlir.SameType(complexPart(outs[0].Elem), ins[0].Elem):
		v.fail(op, "C3", "the result is %s, but its parts should be %s", outs[0], ins[0].Elem)
	}
	v.infer(outs[0], ins[0].Shape)
}

func verifyCompare(v *verifier, op *mlir.Op, ins, outs []*mlir.TensorType) {
	if !sameBaseline(ins[0].Elem, ins[1].Elem) {
		v.stop(op, "C1", "elements differ: %s and %s", ins[0].Elem, ins[1].Elem)
	}
	if !v.compatible(ins[0], ins[1]) || !v.compatible(ins[0], outs[0]) || !v.compatible(ins[1], outs[0]) {
		v.fail(op, "C2", "operands are %s and %s but the result is %s: shapes differ", ins[0], ins[1], outs[0])
	}
	v.infer(outs[0], ins[0].Shape)
	v.try(func() { v.oneOf(op, "I3", "comparison_direction", "EQ", "NE", "GE", "GT", "LE", "LT") })
	if a := op.Attrs.Get("compare_type"); a != nil && !compareTypeFits(mlir.Enum(a), ins[0].Elem) {
		v.fail(op, "C3", "compare_type %s does not fit elements of type %s", mlir.Enum(a), ins[0].Elem)
	}
}

func compareTypeFits(kind string, t mlir.Type) bool {
	i, integral := t.(mlir.IntegerType)
	switch kind {
	case "NOTYPE":
		return true
	case "FLOAT":
		return kindOf(t)&(kFloat|kComplex|kQuant) != 0
	case "TOTALORDER": // means nothing else for integers, which the dialect's own texts compare so
		return !isComplex(t)
	case "SIGNED":
		return integral && i != mlir.I1 && i.Sign != mlir.Unsigned
	case "UNSIGNED":
		return integral && (i == mlir.I1 || i.Sign == mlir.Unsigned)
	}
	return false
}

func verifySelect(v *verifier, op *mlir.Op, ins, outs []*mlir.TensorType) {
	if len(ins[0].Shape) > 0 && !v.compatible(ins[0], ins[1]) {
		v.fail(op, "C1", "the predicate is %s but the branches are %s: it should be a scalar or of their shape", ins[0], ins[1])
	}
	if !v.likeTensor(ins[1], ins[2]) || !v.likeTensor(ins[1], outs[0]) || !v.likeTensor(ins[2], outs[0]) {
		v.fail(op, "C2", "branches and result differ: %s, %s and %s", ins[1], ins[2], outs[0])
	}
	v.infer(outs[0], ins[1].Shape)
}

func verifyClamp(v *verifier, op *mlir.Op, ins, outs []*mlir.TensorType) {
	for i, label := range []string{"C1", "", "C2"} {
		if label != "" && len(ins[i].Shape) > 0 && !v.compatible(ins[i], ins[1]) {
			v.fail(op, label, "operand %d is %s, but should be a scalar or of the shape of %s", i, ins[i], ins[1])
		}
	}
	if !sameBaseline(ins[0].Elem, ins[1].Elem) || !sameBaseline(ins[1].Elem, ins[2].Elem) {
		v.fail(op, "C3", "elements differ: %s, %s and %s", ins[0].Elem, ins[1].Elem, ins[2].Elem)
	}
	if !v.likeTensor(ins[1], outs[0]) {
		v.fail(op, "C4", "the operand is %s but the result is %s", ins[1], outs[0])
	}
	v.infer(outs[0], ins[1].Shape)
}

func verifyBitcast(v *verifier, op *mlir.Op, ins, outs []*mlir.TensorType) {
	in, out := ins[0], outs[0]
	if isComplex(in.Elem) != isComplex(out.Elem) {
		v.stop(op, "C2", "complex and other elements cannot be cast to each other: %s and %s", in, out)
	}
	a, b := bitWidth(in.Elem), bitWidth(out.Elem)
	if a == 0 || b == 0 {
		return
	}
	long, short, ratio := in.Shape, out.Shape, b/a
	if a > b {
		long, short, ratio = out.Shape, in.Shape, a/b
	}
	good, shape := v.compatible(in, out), in.Shape
	if a != b {
		n := len(long) - 1
		good = max(a, b)%min(a, b) == 0 && n >= 0 && v.sameDim(long[n], int64(ratio)) && v.sameShape(long[:n], short)
		if a > b {
			shape = append(slices.Clone(shape), int64(ratio))
		} else if len(shape) > 0 {
			shape = shape[:len(shape)-1]
		}
	}
	v.infer(out, shape)
	if !good {
		v.fail(op, "C1", "%s cannot be cast to %s: the bits of their elements do not match", in, out)
	}
}

// static checks that the result's dimensions are known.
func (v *verifier) static(op *mlir.Op, out *mlir.TensorType) {
	if !out.Static() {
		v.stop(op, "", "the result is %s, but should have known dimensions", out)
	}
}

func verifyConstant(v *verifier, op *mlir.Op, _, outs []*mlir.TensorType) {
	d := attr[*mlir.DenseAttr](v, op, "value", "dense<…>")
	v.static(op, outs[0])
	want := outs[0]
	if q := quantOf(want.Elem); q != nil { // the value has what is stored
		want = &mlir.TensorType{Shape: want.Shape, Elem: q.Stored()}
	}
	if !v.sameShape(d.Type.Shape, want.Shape) || !mlir.SameType(d.Type.Elem, want.Elem) {
		v.stop(op, "C1", "the value is %s but the result is %s", d.Type, outs[0])
	}
	if err := d.Check(); err != nil {
		v.fail(op, "C1", "%s", err.Msg)
	}
}

func verifyIota(v *verifier, op *mlir.Op, _, outs []*mlir.TensorType) {
	v.static(op, outs[0])
	v.dim(op, "C1", "iota_dimension", outs[0])
}
