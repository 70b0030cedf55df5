package simplify

import (
	"math"
	"slices"
	"strconv"

	"ltc/ir/dims"
	"ltc/mlir"
	"ltc/stablehlo"
)

// Batch normalization is written as the elementwise ops and sums of its definition, f16 and
// bf16 in f32. Not to the bit: the evaluator computes in f64.

// batchNorm is what the three ops share.
type batchNorm struct {
	*editor
	feature int64
	shape   []int64
	part    mlir.Type     // of elements that are computed with
	elem    mlir.Type     // of operands and results
	values  []*mlir.Value // of the operands, of type part
	epsilon float64
}

// batchNormOf reads an op; nil if kernels cannot compute with its elements, or if it is
// wrong in a way that the evaluator reports.
func (e *editor) batchNormOf(op *mlir.Op, feature int64) *batchNorm {
	t := tensorOf(op.Operands[0])
	attr, _ := op.Attrs.Get("epsilon").(mlir.FloatAttr)
	epsilon, err := strconv.ParseFloat(attr.Text, 32)
	part, ok := sumElem(t.Elem)
	if _, float := t.Elem.(mlir.FloatType); err != nil || !ok || !float {
		return nil
	}
	n := &batchNorm{editor: e, feature: feature, shape: t.Shape, part: part, elem: t.Elem, epsilon: epsilon}
	for _, v := range op.Operands {
		n.values = append(n.values, n.as(part, v))
	}
	return n
}

func (n *batchNorm) as(elem mlir.Type, v *mlir.Value) *mlir.Value {
	return n.converted(v, mlir.Tensor(elem, tensorOf(v).Shape...))
}

// each repeats a number of each feature for its elements.
func (n *batchNorm) each(v *mlir.Value) *mlir.Value {
	return n.broadcast(v, n.shape, []int64{n.feature})
}

// total adds up the elements of each feature.
func (n *batchNorm) total(v *mlir.Value) *mlir.Value {
	return n.sum(v, others(len(n.shape), []int64{n.feature}))
}

// mean divides a number of each feature by how many elements it has. Where that is an expression,
// which is no number in the program, ones are added up.
func (n *batchNorm) mean(v *mlir.Value) *mlir.Value {
	each := pick(n.shape, others(len(n.shape), []int64{n.feature}))
	if count := dims.Product(each...); !dims.IsExpr(count) {
		return n.over(v, n.number(v, float64(count)))
	}
	count := n.sum(n.bits(mlir.Tensor(mlir.I64, each...), 1), others(len(each), nil))
	return n.over(v, n.broadcast(n.as(n.part, count), tensorOf(v).Shape, []int64{}))
}

// number is a splat like v of the number nearest to x.
func (n *batchNorm) number(v *mlir.Value, x float64) *mlir.Value {
	if n.part == mlir.Type(mlir.F64) {
		return n.bits(tensorOf(v), math.Float64bits(x))
	}
	return n.bits(tensorOf(v), uint64(math.Float32bits(float32(x))))
}

func (n *batchNorm) plus(a, b *mlir.Value) *mlir.Value  { return n.binary(stablehlo.Add, a, b) }
func (n *batchNorm) minus(a, b *mlir.Value) *mlir.Value { return n.binary(stablehlo.Subtract, a, b) }
func (n *batchNorm) times(a, b *mlir.Value) *mlir.Value { return n.binary(stablehlo.Multiply, a, b) }
func (n *batchNorm) over(a, b *mlir.Value) *mlir.Value  { return n.binary(stablehlo.Divide, a, b) }

// inverse is 1 over the deviation of each feature.
func (n *batchNorm) inverse(variance *mlir.Value) *mlir.Value {
	return n.unary(stablehlo.Rsqrt, n.plus(variance, n.number(variance, n.epsilon)))
}

// scaled has differences from the mean in units of the deviation, times a scale plus an
// offset.
func (n *batchNorm) scaled(differences, variance, scale, offset *mlir.Value) *mlir.Value {
	units := n.times(differences, n.each(n.inverse(variance)))
	return n.plus(n.times(units, n.each(scale)), n.each(offset))
}

// results converts what stands for the results of an op.
func (n *batchNorm) results(values ...*mlir.Value) []*mlir.Value {
	values = slices.Clone(values)
	for i, v := range values {
		values[i] = n.as(n.elem, v)
	}
	return values
}

func normInference(e *editor, op *mlir.Op) *mlir.Value {
	n := e.batchNormOf(op, stablehlo.AsBatchNormInference(op).FeatureIndex())
	if n == nil {
		return nil
	}
	x, scale, offset, mean, variance := n.values[0], n.values[1], n.values[2], n.values[3], n.values[4]
	return n.results(n.scaled(n.minus(x, n.each(mean)), variance, scale, offset))[0]
}

// normTraining goes through the elements twice: for the mean, and for differences from it
// and their squares. Sums of the elements' squares alone would lose the variance of numbers
// that are large for their differences. What the differences add up to corrects both: see Chan,
// Golub and LeVeque, Algorithms for computing the sample variance, 1983.
func normTraining(e *editor, op *mlir.Op) []*mlir.Value {
	n := e.batchNormOf(op, stablehlo.AsBatchNormTraining(op).FeatureIndex())
	if n == nil {
		return nil
	}
	x, scale, offset := n.values[0], n.values[1], n.values[2]
	first := n.mean(n.total(x))
	d := n.minus(x, n.each(first))
	rest := n.mean(n.total(d))
	variance := n.minus(n.mean(n.total(n.times(d, d))), n.times(rest, rest))
	variance = n.binary(stablehlo.Maximum, variance, n.number(variance, 0))
	finite := n.emit(stablehlo.IsFinite, mlir.Tensor(mlir.I1, tensorOf(first).Shape...), nil, first)
	mean := n.choice(finite, n.plus(first, rest), first)
	return n.results(n.scaled(n.minus(d, n.each(rest)), variance, scale, offset), mean, variance)
}

func normGrad(e *editor, op *mlir.Op) []*mlir.Value {
	n := e.batchNormOf(op, stablehlo.AsBatchNormGrad(op).FeatureIndex())
	if n == nil {
		return nil
	}
	x, scale, mean, variance, grad := n.values[0], n.values[1], n.values[2], n.values[3], n.values[4]
	inverse := n.inverse(variance)
	d := n.minus(x, n.each(mean))
	ofOffset := n.total(grad)
	ofScale := n.times(n.total(n.times(grad, d)), inverse)
	rest := n.minus(grad, n.each(n.mean(ofOffset)))
	rest = n.minus(rest, n.times(n.times(d, n.each(inverse)), n.each(n.mean(ofScale))))
	return n.results(n.times(n.each(n.times(scale, inverse)), rest), ofScale, ofOffset)
}
