package lift

import (
	"slices"

	"ltc/ir"
	"ltc/ir/types"
	"ltc/mlir"
	"ltc/stablehlo"
)

func dotGeneral(r *recorder, op *mlir.Op, in []*ir.Node) []*ir.Node {
	d := stablehlo.AsDotGeneral(op).DotDimensionNumbers()
	return one(r.contract(in[0], in[1], narrow(d.LHSBatch), narrow(d.RHSBatch), narrow(d.LHSContract), narrow(d.RHSContract)))
}

// dot contracts the last axis of x with the first of y.
func dot(r *recorder, _ *mlir.Op, in []*ir.Node) []*ir.Node {
	return one(r.contract(in[0], in[1], nil, nil, []int{in[0].Type.Rank() - 1}, []int{0}))
}

// contract is MatMul of x as [batch…, m, k] and y as [batch…, k, n], where m, k and n are the
// products of the free and the contracted dimensions.
func (r *recorder) contract(x, y *ir.Node, xBatch, yBatch, xContract, yContract []int) *ir.Node {
	t := r.result(0)
	d := wide(t.DType, x, y)
	x, y = r.to(d, x), r.to(d, y)
	xFree, yFree := without(x.Type.Rank(), xBatch, xContract), without(y.Type.Rank(), yBatch, yContract)
	batch := at(x.Type.Shape, xBatch)
	k := product(at(x.Type.Shape, xContract))
	m, n := product(at(x.Type.Shape, xFree)), product(at(y.Type.Shape, yFree))
	x = r.reshape(r.transpose(x, slices.Concat(xBatch, xFree, xContract)), append(slices.Clone(batch), m, k))
	y = r.reshape(r.transpose(y, slices.Concat(yBatch, yContract, yFree)), append(slices.Clone(batch), k, n))
	return r.to(t.DType, r.reshape(r.node(ir.OpMatMul, nil, x, y), t.Shape))
}

// wide is the dtype in which products are summed: that of the result, in which products of
// operands of fewer bits are exact, or of operands of more bits. A sum is converted once.
func wide(d types.DType, operands ...*ir.Node) types.DType {
	for _, n := range operands {
		switch e := n.Type.DType; {
		case e == d || e.IsFloat() != d.IsFloat() || e.Size() < d.Size():
		case e.Size() > d.Size():
			d = e
		case d.IsFloat():
			d = types.F32 // f16 and bf16
		}
	}
	return d
}

func convolution(r *recorder, op *mlir.Op, in []*ir.Node) []*ir.Node {
	o, t := stablehlo.AsConvolution(op), r.result(0)
	d := o.DimensionNumbers()
	sum := wide(t.DType, in...)
	x, kernel := r.to(sum, in[0]), r.to(sum, in[1])
	var turned []int
	for i, back := range o.WindowReversal() {
		if back != 0 {
			turned = append(turned, int(d.KernelSpatial[i]))
		}
	}
	kernel = r.reverse(kernel, turned)
	low, high := sides(o.Padding())
	axes := func(first, second int64, spatial []int64) []int {
		return append([]int{int(first), int(second)}, narrow(spatial)...)
	}
	return one(r.to(t.DType, r.node(ir.OpConv, []ir.Attr{
		{Ints: narrow(o.WindowStrides())}, {Ints: low}, {Ints: high}, {Ints: narrow(o.LHSDilation())}, {Ints: narrow(o.RHSDilation())},
		{Ints: axes(d.InputBatch, d.InputFeature, d.InputSpatial)}, {Ints: axes(d.KernelOutFeature, d.KernelInputFeature, d.KernelSpatial)}, {Ints: axes(d.OutputBatch, d.OutputFeature, d.OutputSpatial)},
		{Int: o.FeatureGroupCount()}, {Int: o.BatchGroupCount()},
	}, x, kernel)))
}

// cholesky has zeros in the triangle in which StableHLO may have anything.
func cholesky(r *recorder, op *mlir.Op, in []*ir.Node) []*ir.Node {
	return one(r.node(ir.OpCholesky, []ir.Attr{ir.CholeskyUpper: {Int: int64(truth(!stablehlo.AsCholesky(op).Lower()))}}, in[0]))
}

// triangularSolve takes an adjoint for a transpose, which it is of real matrices.
func triangularSolve(r *recorder, op *mlir.Op, in []*ir.Node) []*ir.Node {
	o := stablehlo.AsTriangularSolve(op)
	flag := func(v bool) ir.Attr { return ir.Attr{Int: int64(truth(v))} }
	return one(r.node(ir.OpTriangularSolve, []ir.Attr{
		ir.TriangularSolveRight: flag(!o.LeftSide()), ir.TriangularSolveUpper: flag(!o.Lower()),
		ir.TriangularSolveTranspose: flag(o.TransposeA() == "TRANSPOSE" || o.TransposeA() == "ADJOINT"), ir.TriangularSolveUnit: flag(o.UnitDiagonal()),
	}, in...))
}

// sides takes the pairs of a padding apart.
func sides(padding []int64) (low, high []int) {
	for i := 0; i < len(padding); i += 2 {
		low, high = append(low, int(padding[i])), append(high, int(padding[i+1]))
	}
	return low, high
}
