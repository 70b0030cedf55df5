package verify

import (
	"slices"
	"strconv"

	"ltc/internal/diag"
	"ltc/mlir"
)

func verifyCholesky(v *verifier, op *mlir.Op, ins, outs []*mlir.TensorType) {
	a := ins[0]
	switch n := len(a.Shape); {
	case n < 2:
		v.fail(op, "C2", "the operand is %s, but should have at least 2 dimensions", a)
	case !v.sameDim(a.Shape[n-2], a.Shape[n-1]):
		v.fail(op, "C3", "the last two dimensions of %s differ", a)
	case !v.likeTensor(a, outs[0]):
		v.fail(op, "C1", "the operand is %s but the result is %s", a, outs[0])
	}
	v.infer(outs[0], a.Shape)
}

func verifyTriangularSolve(v *verifier, op *mlir.Op) {
	k := kFloat | kComplex | kQuant
	ins, outs := v.takes(op, tensors(k, k), tensors(k))
	a, b, n := ins[0], ins[1], len(ins[0].Shape)
	if !sameBaseline(a.Elem, b.Elem) {
		v.stop(op, "C1", "elements differ: %s and %s", a, b)
	}
	if n < 2 || len(b.Shape) != n {
		v.stop(op, "C2", "operands are %s and %s, but should have the same number of dimensions, at least 2", a, b)
	}
	shared := b.Shape[n-1]
	if mlir.Flag(op.Attrs.Get("left_side")) {
		shared = b.Shape[n-2]
	}
	if !v.sameDim(a.Shape[n-2], a.Shape[n-1]) || !v.sameDim(a.Shape[n-1], shared) || !v.sameShape(a.Shape[:n-2], b.Shape[:n-2]) {
		v.stop(op, "C3", "%s cannot be solved for %s: a should be square, fit b, and have its batch dimensions", a, b)
	}
	v.oneOf(op, "I6", "transpose_a", "NO_TRANSPOSE", "TRANSPOSE", "ADJOINT")
	if !v.likeTensor(b, outs[0]) {
		v.fail(op, "C4", "b is %s but the result is %s", b, outs[0])
	}
	v.infer(outs[0], b.Shape)
}

func verifyFft(v *verifier, op *mlir.Op, ins, outs []*mlir.TensorType) {
	v.oneOf(op, "I2", "fft_type", "FFT", "IFFT", "RFFT", "IRFFT")
	length := v.ints(op, "fft_length")
	in, out, n := ins[0], outs[0], len(length)
	if n > len(in.Shape) {
		v.stop(op, "C1", "fft_length has %s, but %s has %s", diag.Count(n, "entry"), in, diag.Count(len(in.Shape), "dimension"))
	}
	if n < 1 || n > 3 {
		v.stop(op, "C3", "fft_length has %s, but should have 1 to 3", diag.Count(n, "entry"))
	}
	kind := mlir.Enum(op.Attrs.Get("fft_type"))
	v.fftElements(op, kind, in, out)
	shape, last := slices.Clone(in.Shape), len(in.Shape)-1
	switch kind {
	case "RFFT":
		if !v.sameShape(in.Shape[last+1-n:], length) {
			v.stop(op, "C4", "the last dimensions of %s should be fft_length, %s", in, shapeText(length))
		}
		shape[last] = halved(length[n-1])
	case "IRFFT":
		inner := slices.Clone(length)
		inner[n-1] = halved(length[n-1])
		if !v.sameShape(in.Shape[last+1-n:], inner) {
			v.stop(op, "C5", "the last dimensions of %s should be %s for fft_length %s", in, shapeText(inner), shapeText(length))
		}
		shape[last] = length[n-1]
	}
	bounds := limits(in)
	if kind == "RFFT" || kind == "IRFFT" {
		bounds[last] = mlir.Dynamic
	}
	v.result(op, "C5", out, shape, bounds...)
}

func halved(n int64) int64 {
	if n == 0 {
		return 0
	}
	return n/2 + 1
}

func (v *verifier) fftElements(op *mlir.Op, kind string, in, out *mlir.TensorType) {
	realIn, realOut := kind == "RFFT", kind == "IRFFT"
	part := complexPart(in.Elem)
	fits := isComplex(in.Elem) == !realIn && isComplex(out.Elem) == !realOut &&
		mlir.SameType(part, complexPart(out.Elem)) && (part == mlir.Type(mlir.F32) || part == mlir.Type(mlir.F64))
	if !fits {
		v.stop(op, "C2", "%s cannot make %s of %s: the real side of RFFT and IRFFT has elements f32 or f64, all others complex ones of the same", kind, out, in)
	}
}

func verifyReducePrecision(v *verifier, op *mlir.Op, ins, outs []*mlir.TensorType) {
	if !v.likeTensor(ins[0], outs[0]) {
		v.stop(op, "C1", "the operand is %s but the result is %s", ins[0], outs[0])
	}
	v.infer(outs[0], ins[0].Shape)
	v.try(func() { v.int(op, "C2", "exponent_bits", 1) })
	v.int(op, "C3", "mantissa_bits", 0)
}

func verifyRng(v *verifier, op *mlir.Op) {
	k := kBool | kInt | kFloat
	ins, outs := v.takes(op, slots{scalar(k), scalar(k), ranked(1, kInt|kIndex)}, tensors(k))
	v.oneOf(op, "I4", "rng_distribution", "UNIFORM", "NORMAL")
	if !mlir.SameType(ins[0].Elem, ins[1].Elem) || !mlir.SameType(ins[0].Elem, outs[0].Elem) {
		v.stop(op, "C1", "elements differ: %s, %s and %s", ins[0], ins[1], outs[0])
	}
	if mlir.Enum(op.Attrs.Get("rng_distribution")) == "NORMAL" && !isFloat(ins[0].Elem) {
		v.stop(op, "C2", "normal numbers are floats, not %s", ins[0].Elem)
	}
	v.shapeOperand(op, "C3", 2, ins[2], outs[0])
}

// verifyRngBitGenerator takes a state of any integers or floats, of which the
// specification wants a list of ui64: the dialect's own texts have others.
func verifyRngBitGenerator(v *verifier, op *mlir.Op, ins, outs []*mlir.TensorType) {
	v.generator(op, ins[0], outs[0])
}

// generator checks the algorithm, and the states before and after.
func (v *verifier) generator(op *mlir.Op, state, after *mlir.TensorType) {
	v.oneOf(op, "I1", "rng_algorithm", "DEFAULT", "THREE_FRY", "PHILOX")
	if !v.sameTensor(state, after) {
		v.stop(op, "C1", "the state is %s but the new state is %s", state, after)
	}
	v.infer(after, state.Shape)
	if !state.Static() {
		return
	}
	n := state.Elements()
	switch mlir.Enum(op.Attrs.Get("rng_algorithm")) {
	case "THREE_FRY":
		if n != 2 {
			v.stop(op, "C2", "the state is %s, but THREE_FRY takes 2 numbers", state)
		}
	case "PHILOX":
		if n != 2 && n != 3 {
			v.stop(op, "C2", "the state is %s, but PHILOX takes 2 or 3 numbers", state)
		}
	}
}

// verifyBatchNorm checks the three batch_norm ops. vectors is how many operands
// after the first have an element for each feature; the results are one like
// the first operand and outs vectors. labels are those of feature_index, of
// elements, of the vectors' sizes in order of operands and then results, and of
// the tensors' shapes.
func verifyBatchNorm(vectors, outs int, grad bool, index, elems string, sizes []string, shape string) func(*verifier, *mlir.Op) {
	full, vector := of(kFloat|kQuant), ranked(1, kFloat|kQuant)
	in, out := slots{full}, slots{full}
	for range vectors {
		in = append(in, vector)
	}
	if grad {
		in = append(in, full)
	}
	for range outs {
		out = append(out, vector)
	}
	return func(v *verifier, op *mlir.Op) {
		ins, res := v.takes(op, in, out)
		f := v.dim(op, index, "feature_index", ins[0])
		for i, t := range res {
			v.infer(t, ins[min(i, 1)].Shape) // ins[1] has a number for each feature
		}
		n, known := 0, ins[0].Shape[f]
		for i, t := range slices.Concat(ins, res) {
			what := "operand " + strconv.Itoa(i)
			if i >= len(ins) {
				what = "result " + strconv.Itoa(i-len(ins))
			}
			if !sameBaseline(t.Elem, ins[0].Elem) {
				v.stop(op, elems, "%s is %s but operand 0 is %s: elements differ", what, t, ins[0])
			}
			if i >= 1 && i <= vectors || i > len(ins) {
				if !v.sameDim(t.Shape[0], known) || i >= len(ins) && !inBounds(t.Shape, []int64{most(ins[0], int(f))}) {
					v.stop(op, sizes[n], "%s is %s, but dimension %d of %s are the features", what, t, f, ins[0])
				}
				if known == mlir.Dynamic {
					known = t.Shape[0]
				}
				n++
			} else if !v.compatible(t, ins[0]) {
				v.fail(op, shape, "%s is %s but operand 0 is %s: shapes differ", what, t, ins[0])
				return
			}
		}
	}
}

func verifyUniformQuantize(v *verifier, op *mlir.Op, ins, outs []*mlir.TensorType) {
	v.sameSizes(op, ins[0], outs[0])
	want := ins[0].Elem
	if q := quantOf(want); q != nil {
		want = q.Expressed
	}
	if q := quantOf(outs[0].Elem); want != mlir.Type(q.Expressed) {
		v.fail(op, "C2", "the result stands for %s, but the operand is %s", q.Expressed, want)
	}
}

func verifyUniformDequantize(v *verifier, op *mlir.Op, ins, outs []*mlir.TensorType) {
	v.sameSizes(op, ins[0], outs[0])
	if q := quantOf(ins[0].Elem); outs[0].Elem != mlir.Type(q.Expressed) {
		v.fail(op, "C2", "the operand stands for %s, but the result is %s", q.Expressed, outs[0])
	}
}
