package simplify

import (
	"math"
	"slices"

	"ltc/ir/dims"
	"ltc/mlir"
	"ltc/stablehlo"
)

// quantizedProduct is a dot_general or a convolution. With both operands quantized, what they
// stand for is (a - zero point)·scale, so that a sum of their products is a sum of products of
// integers, times both scales. The sum is exact: it is one of i32 where none can be too large,
// else of i64. It is rounded to f32, or to f64 for such floats, multiplied by the product of
// the scales, rounded to the expressed type, and quantized.
//
// Sums are of floats where an operand is not quantized or has more than 16 bits, and where a
// product of scales is not a normal number.
func quantizedProduct(e *editor, op *mlir.Op) *mlir.Value {
	a, b, r := op.Operands[0], op.Operands[1], op.Results[0]
	p, q := e.quantOf(a.Type), e.quantOf(b.Type)
	if !e.isQuantized(r) {
		return onFloats(e, op)
	}
	if p == nil || q == nil || p.Axis >= 0 || p.Blocks != nil || q.Blocks != nil || p.Storage.Width > 16 || q.Storage.Width > 16 {
		return onFloats(e, op)
	}
	acc := mlir.F32
	if q.Expressed == mlir.F64 {
		acc = mlir.F64
	}
	scales := productScales(p, q, acc)
	if scales == nil {
		return onFloats(e, op)
	}
	out := r.Type.(*mlir.TensorType)
	sums := e.integerSums(op, p, q, out.Shape)
	t := mlir.Tensor(acc, out.Shape...)
	x := e.converted(sums, t)
	if q.Axis < 0 {
		x = e.binary(stablehlo.Multiply, x, e.constant(t, scales[0]))
	} else {
		x = e.binary(stablehlo.Multiply, x, e.along(t, int(resultDims(op)[q.Axis]), scales))
	}
	return e.quantize(e.converted(x, e.floatType(r.Type).(*mlir.TensorType)), r.Type)
}

// productScales returns the products of the scales of a product's operands, rounded to acc;
// nil if one is no normal number.
func productScales(p, q *mlir.QuantType, acc mlir.FloatType) []float64 {
	least, most := 0x1p-1022, math.MaxFloat64
	if acc == mlir.F32 {
		least, most = 0x1p-126, math.MaxFloat32
	}
	all := make([]float64, len(q.Scales))
	for i, s := range q.Scales {
		c := p.Round(p.Scales[0]) * q.Round(s)
		if acc == mlir.F32 {
			c = float64(float32(c))
		}
		if !(c >= least && c <= most) {
			return nil
		}
		all[i] = c
	}
	return all
}

// resultDims returns which dimension of a product's result each dimension of its right operand
// is, -1 for those that are summed over.
func resultDims(op *mlir.Op) []int64 {
	shape := op.Operands[1].Type.(*mlir.TensorType).Shape
	dims := slices.Repeat([]int64{-1}, len(shape))
	if op.Code == stablehlo.Convolution {
		d := stablehlo.AsConvolution(op).DimensionNumbers()
		dims[d.KernelOutFeature] = d.OutputFeature
		return dims
	}
	d := stablehlo.AsDotGeneral(op).DotDimensionNumbers()
	next := int64(len(op.Operands[0].Type.(*mlir.TensorType).Shape) - len(d.LHSContract))
	for k := range dims {
		if i := slices.Index(d.RHSBatch, int64(k)); i >= 0 {
			dims[k] = int64(i)
		} else if !slices.Contains(d.RHSContract, int64(k)) {
			dims[k] = next
			next++
		}
	}
	return dims
}

// integerSums returns the sums of the products of differences to the zero points.
func (e *editor) integerSums(op *mlir.Op, p, q *mlir.QuantType, shape []int64) *mlir.Value {
	t := mlir.Tensor(mlir.I32, shape...)
	if most := widest(p) * widest(q); !dims.AtMost(summands(op), math.MaxInt32/most) {
		t = mlir.Tensor(mlir.I64, shape...)
	}
	if max(p.Storage.Width, q.Storage.Width) > 8 || shifts(q) || t.Elem == mlir.Type(mlir.I64) {
		elem := t.Elem
		if max(p.Storage.Width, q.Storage.Width) == 8 && elem == mlir.Type(mlir.I32) {
			elem = mlir.I16 // of two of which products are faster
		}
		wide := func(e *editor, v *mlir.Value) *mlir.Value {
			return e.converted(e.difference(v, elem), mlir.Tensor(elem, v.Type.(*mlir.TensorType).Shape...))
		}
		return e.again(op, t, e.eachOf(op.Operands, wide)...)
	}
	b := e.stored(op.Operands[1])
	x := copyOf(op, t, e.stored(op.Operands[0]), b)
	if !shifts(p) {
		return e.emitOp(x)
	}
	// Products of bytes are fast: the zero point's share is taken from their sum.
	if op.Code == stablehlo.Convolution {
		e.padStored(x, p.ZeroPoints[0])
	}
	share := e.sumOver(b, resultDims(op))
	share = e.binary(stablehlo.Multiply, share, e.constant(tensorOf(share), float64(p.ZeroPoints[0])))
	to := slices.DeleteFunc(resultDims(op), func(d int64) bool { return d < 0 })
	return e.binary(stablehlo.Subtract, e.emitOp(x), e.broadcast(share, shape, to))
}

// widest is the largest size of a difference of an integer to the zero point.
func widest(q *mlir.QuantType) int64 {
	low, high := q.Limits()
	most := int64(1)
	for _, z := range q.ZeroPoints {
		most = max(most, high-z, z-low)
	}
	return most
}

// summands is how many products an element of a product's result sums up.
func summands(op *mlir.Op) int64 {
	shape, n := op.Operands[1].Type.(*mlir.TensorType).Shape, int64(1)
	for k, to := range resultDims(op) {
		if to < 0 {
			n = dims.Mul(n, dims.Max(shape[k], 1))
		}
	}
	return n
}

// sumOver returns the sums of integers in i32, over the dimensions that kept gives -1 for.
func (e *editor) sumOver(v *mlir.Value, kept []int64) *mlir.Value {
	shape := tensorOf(v).Shape
	var over, left []int64
	for k, to := range kept {
		if to < 0 {
			over = append(over, int64(k))
		} else {
			left = append(left, shape[k])
		}
	}
	t, scalar := mlir.Tensor(mlir.I32, left...), mlir.Tensor(mlir.I32)
	x := mlir.NewOp(stablehlo.Reduce, []*mlir.Value{e.converted(v, mlir.Tensor(mlir.I32, shape...)), e.constant(scalar, 0)}, t)
	x.Attrs = dimsAttr("dimensions", over)
	x.Regions = []*mlir.Region{combining(stablehlo.Add, scalar)}
	return e.emitOp(x)
}

// combining returns a region that combines two values of type t.
func combining(by mlir.Code, t mlir.Type) *mlir.Region {
	body := &mlir.Block{}
	for i := range 2 {
		body.Args = append(body.Args, &mlir.Value{Type: t, Block: body, Index: i})
	}
	op := mlir.NewOp(by, slices.Clone(body.Args), t)
	body.Ops = []*mlir.Op{op, mlir.NewOp(stablehlo.Return, slices.Clone(op.Results))}
	return &mlir.Region{Blocks: []*mlir.Block{body}}
}

// padStored puts zero points around the image of a convolution and between its elements, in
// the place of zeros.
func (e *editor) padStored(op *mlir.Op, zero int64) {
	d := stablehlo.AsConvolution(op).DimensionNumbers()
	at := windowOf(op, len(d.InputSpatial))
	if !at.pads() {
		return
	}
	x := op.Operands[0]
	t := tensorOf(x)
	low, high, between := make([]int64, len(t.Shape)), make([]int64, len(t.Shape)), make([]int64, len(t.Shape))
	for i, k := range d.InputSpatial {
		low[k], high[k], between[k] = at.low[i], at.high[i], at.between[i]
	}
	op.Operands[0] = e.pad(x, e.constant(like(t, nil), float64(zero)), low, high, between)
	op.Attrs = slices.DeleteFunc(op.Attrs, func(a mlir.NamedAttr) bool { return a.Name == "padding" || a.Name == "lhs_dilation" })
}
