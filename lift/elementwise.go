package lift

import (
	"math"
	"sync"

	"ltc/ir"
	"ltc/ir/ops"
	"ltc/ir/types"
	"ltc/lower"
	"ltc/mlir"
	"ltc/shapeinfer"
	"ltc/stablehlo"
	"ltc/stablehlo/chlo"
)

// elementwise returns the op of the IR for each op of a text that an elementwise row lowers
// to by itself. They are found by lowering each row.
var elementwise = sync.OnceValue(func() map[mlir.Code]ir.Op {
	all := map[mlir.Code]ir.Op{}
	for i := range ops.Table {
		row := &ops.Table[i]
		if !row.Traits.Has(ops.Elementwise) || len(row.Attrs) > 0 {
			continue
		}
		b := ir.NewBuilder(shapeinfer.Infer)
		var in []*ir.Node
		for _, o := range row.Operands {
			in = append(in, b.Parameter(types.Of(example(o.Is), 2), "", nil))
		}
		n, err := b.Node(ir.Op(i), in, nil, nil)
		if err != nil {
			continue
		}
		g := &ir.Graph{Name: "row"}
		b.Capture(g, in, []*ir.Node{n}, nil)
		body := lower.Module(g).Func("main").Body().Ops
		if len(body) == 2 && len(body[0].Operands) == len(in) { // and the return
			all[body[0].Code] = ir.Op(i)
		}
	}
	return all
})

// example is a dtype that a constraint allows.
func example(c ops.Constraint) types.DType {
	for _, d := range []types.DType{types.F32, types.I32, types.Bool} {
		if c.Allows(d) {
			return d
		}
	}
	return types.Invalid
}

// elementwise records an elementwise op. A scalar beside operands with axes is repeated, which
// the texts of select and clamp leave out.
func (r *recorder) elementwise(op ir.Op, in []*ir.Node) *ir.Node {
	var shape types.Shape
	for _, n := range in {
		if n.Type.Rank() > len(shape) {
			shape = n.Type.Shape
		}
	}
	for i, n := range in {
		in[i] = r.spread(n, shape)
	}
	if logical, ok := ofBool[op]; ok && in[0].Type.DType == types.Bool {
		op = logical
	}
	return r.node(op, nil, in...)
}

// ofBool is what ops on numbers are for bool.
var ofBool = map[ir.Op]ir.Op{ir.OpAdd: ir.OpOr, ir.OpMaximum: ir.OpOr, ir.OpMul: ir.OpAnd, ir.OpMinimum: ir.OpAnd}

// spread repeats a scalar; it returns anything else as it is.
func (r *recorder) spread(n *ir.Node, shape types.Shape) *ir.Node {
	if n.Type.Rank() > 0 || len(shape) == 0 {
		return n
	}
	return r.node(ir.OpBroadcast, []ir.Attr{{Ints: shape}, {}}, n)
}

// scalar records a number.
func (r *recorder) scalar(d types.DType, x float64) *ir.Node {
	return r.bits(d, ir.LiteralBits(d, x))
}

func (r *recorder) bits(d types.DType, bits uint64) *ir.Node {
	return r.node(ir.OpConstant, []ir.Attr{{Int: int64(d)}, {Int: int64(bits)}})
}

// filled records a tensor of one value.
func (r *recorder) filled(d types.DType, x float64, shape types.Shape) *ir.Node {
	return r.spread(r.scalar(d, x), shape)
}

// to converts to a dtype.
func (r *recorder) to(d types.DType, n *ir.Node) *ir.Node {
	if n.Type.DType == d {
		return n
	}
	return r.node(ir.OpConvert, []ir.Attr{{Int: int64(d)}}, n)
}

func (r *recorder) compare(direction string, x, y *ir.Node) *ir.Node {
	return r.node(ir.OpCompare, []ir.Attr{{Str: direction}}, x, y)
}

func convert(r *recorder, _ *mlir.Op, in []*ir.Node) []*ir.Node {
	return one(r.to(r.result(0).DType, in[0]))
}

func bitCast(r *recorder, _ *mlir.Op, in []*ir.Node) []*ir.Node {
	if from, to := in[0].Type.DType, r.result(0).DType; from.Size() != to.Size() {
		r.fail("the bits of %v are those of several elements or a part of one of %v, which those of lazy tensors are not", from, to)
	}
	return one(r.node(ir.OpBitCast, []ir.Attr{{Int: int64(r.result(0).DType)}}, in[0]))
}

func compare(r *recorder, op *mlir.Op, in []*ir.Node) []*ir.Node {
	o := stablehlo.AsCompare(op)
	if o.CompareType() == "TOTALORDER" && in[0].Type.DType.IsFloat() {
		r.fail("the order of comparison TOTALORDER tells zeros and NaNs apart, which that of lazy tensors does not")
	}
	return one(r.compare(o.ComparisonDirection(), in[0], in[1]))
}

// clamp is minimum(maximum(x, lowest), highest).
func clamp(r *recorder, _ *mlir.Op, in []*ir.Node) []*ir.Node {
	shape := in[1].Type.Shape
	return one(r.node(ir.OpMinimum, nil, r.node(ir.OpMaximum, nil, in[1], r.spread(in[0], shape)), r.spread(in[2], shape)))
}

// isFinite is |x| < ∞.
func isFinite(r *recorder, _ *mlir.Op, in []*ir.Node) []*ir.Node {
	x := in[0]
	return one(r.compare("LT", r.node(ir.OpAbs, nil, x), r.filled(x.Type.DType, math.Inf(1), x.Type.Shape)))
}

// digamma is NaN at 0, where the op of the IR is infinite.
func digamma(r *recorder, _ *mlir.Op, in []*ir.Node) []*ir.Node {
	x := in[0]
	filled := func(v float64) *ir.Node { return r.filled(x.Type.DType, v, x.Type.Shape) }
	return one(r.node(ir.OpWhere, nil, r.compare("EQ", x, filled(0)), filled(math.NaN()), r.node(ir.OpDigamma, nil, x)))
}

// errorFunction is a composite, whose gradient lazy tensors know by its name. Its body is
// what package chlo makes of it.
func errorFunction(r *recorder, op *mlir.Op, in []*ir.Node) []*ir.Node {
	t := op.Results[0].Type
	f := mlir.NewFunc("main", "", []mlir.Type{t}, []mlir.Type{t})
	erf := mlir.NewOp(stablehlo.CHLOErf, f.Body().Args, t)
	f.Body().Ops = []*mlir.Op{erf, mlir.NewOp(mlir.OpReturn, erf.Results)}
	chlo.Lower(&mlir.Module{Ops: []*mlir.Op{f}}, nil)
	g := r.region()
	formal := g.parameters(in)
	return r.results(ir.OpComposite, in, nil, &ir.Composite{Name: "ltc.erf", Graph: g.capture("ltc.erf", formal, g.inline(f, formal))})
}
