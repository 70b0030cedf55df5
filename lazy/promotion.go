package lazy

import (
	"errors"

	"ltc/internal/callsite"
	"ltc/ir"
	"ltc/ir/ops"
	"ltc/ir/types"
	"ltc/shapeinfer"
)

// StrictTypes makes it an error that operands of an op have different dtypes, or are integers
// where floating point is asked for. Ops compute in the dtype of their operands: sums of i32 are
// i32, and [Tensor.Div] of integers rounds towards 0. Without it operands are converted, as
// PyTorch does: see [CommonDType].
func StrictTypes() Option { return func(d *Device) { d.strictTypes = true } }

// CommonDType returns the dtype to which tensors promote: the one in which elementwise ops on
// them compute, as result_type of PyTorch has it. That is the largest dtype of the tensors with
// axes; of the categories bool, integers, floating point and complex the last that there is counts. A
// scalar counts only if its category comes after those of all tensors with axes. f16 and bf16
// promote to f32, u8 and i8 to i16. It returns an invalid dtype if there is none: u16, u32 and
// u64 promote with floating point alone.
//
// Results of functions such as [Tensor.Exp] and [Tensor.Div] are f32 for bools and integers, and
// those of [Tensor.Sum] and its kin i64. Add, Mul, Maximum and Minimum of bools are bool. In-place
// ops compute in the common dtype, and convert to that of the receiver: an integer receiver takes no
// floating-point result. A number of Go, as in [Tensor.AddScalar], has the dtype of the tensor.
func CommonDType(xs ...*Tensor) types.DType {
	for _, x := range xs {
		if x == nil || x.err != nil || x.dev == nil {
			return types.Invalid
		}
	}
	return shapeinfer.CommonDType(len(xs), func(i int) types.Type { return xs[i].Type() })
}

// infer records an op on operands that are converted to the dtypes it computes in.
func (tr *Trace) infer(op ir.Op, in []*ir.Node, attrs []ir.Attr) (*ir.Node, error) {
	row := op.Info()
	if !row.Traits.Converts() || floatsAlike(in) || tr.exact || tr.dev.strictTypes || agree(row, len(in), func(i int) types.DType { return in[i].Type.DType }) {
		return shapeinfer.Record(tr.b, op, in, attrs, nil)
	}
	if row.Traits.Has(ops.Whole) && in[0].Type.DType.IsInteger() {
		return in[0], nil
	}
	var few [4]types.DType
	to := few[:]
	if len(in) > len(few) {
		to = make([]types.DType, len(in))
	}
	if !shapeinfer.Promote(row, len(in), func(i int) types.Type { return in[i].Type }, to) {
		return shapeinfer.Record(tr.b, op, in, attrs, nil)
	}
	converted := make([]*ir.Node, len(in))
	bools := row.Traits.Has(ops.Logic)
	for i, x := range in {
		bools = bools && x.Type.DType == types.Bool
		if converted[i] = x; x.Type.DType != to[i] {
			converted[i] = tr.node(ir.OpConvert, tr.b.Attrs(ir.Attr{Int: int64(to[i])}), x)
		}
	}
	n, err := shapeinfer.Record(tr.b, op, converted, attrs, nil)
	if err == nil && bools {
		return tr.node(ir.OpConvert, tr.b.Attrs(ir.Attr{Int: int64(types.Bool)}), n), nil
	}
	if broken, ok := errors.AsType[*shapeinfer.Error](err); ok {
		for i, x := range in {
			broken.Operands[i] = x.Type
		}
	}
	return n, err
}

// floatsAlike reports whether all operands have one floating-point dtype, which no row converts.
func floatsAlike(in []*ir.Node) bool {
	for _, x := range in {
		if d := x.Type.DType; d != in[0].Type.DType || !d.IsFloat() {
			return false
		}
	}
	return true
}

// agree reports whether operands that are like one another have one dtype, which needs no
// conversion. It is quick, and may be false where there is none.
func agree(row *ops.Op, n int, dtype func(i int) types.DType) bool {
	last := len(row.Operands) - 1
	for i := range n {
		d := dtype(i)
		if row.Traits&(ops.Floating|ops.Widening|ops.Whole) != 0 && !d.Continuous() || d == types.Bool && row.Traits.Has(ops.Logic) {
			return false
		}
		if i == 0 {
			continue
		}
		like, before := row.Operands[min(i, last)].Like, &row.Operands[min(i-1, last)]
		if like != "" && (d != dtype(i-1) || before.Name != like && before.Like != like) {
			return false
		}
	}
	return true
}

// convert converts operands of the composite to the dtypes that it computes in, in their place.
func (c *composite) convert(tr *Trace, xs []*Tensor) {
	of := func(i int) types.Type { return xs[i].Type() }
	if !c.row.Traits.Converts() || tr == nil || tr.dev.strictTypes || agree(c.row, len(xs), func(i int) types.DType { return of(i).DType }) {
		return
	}
	to := make([]types.DType, len(xs))
	if !shapeinfer.Promote(c.row, len(xs), of, to) {
		return
	}
	for i, x := range xs {
		if x.DType() != to[i] {
			xs[i] = tr.Read(x).Convert(to[i])
		}
	}
}

// fitted returns the node that an in-place op writes into t for its result n: converted to the
// dtype of t, if it may be.
func (tr *Trace) fitted(op string, site callsite.Site, t, x *Tensor, n *ir.Node) (*ir.Node, *OpError) {
	from, to := n.Type, t.Type()
	switch {
	case from.Equal(to):
		return n, nil
	case op == "assign" || tr.dev.strictTypes || !from.Shape.Equal(to.Shape):
		return nil, opError(site, op, ErrType, []*Tensor{t, x}, "%s is %v and cannot hold %v%s", t.kind(), to, from, t.otherSizes(from))
	case !shapeinfer.Castable(from.DType, to.DType):
		return nil, opError(site, op, ErrType, []*Tensor{t, x}, "the result is %v, which %s of %v cannot hold: convert the operand to %v, or assign the result of the op that is not in place", from, t.kind(), to, to.DType)
	}
	tr.b.SetLoc(site)
	return tr.node(ir.OpConvert, tr.b.Attrs(ir.Attr{Int: int64(to.DType)}), n), nil
}
