package simplify

import (
	"slices"

	"ltc/backends/kit/simplify/program"
	"ltc/ir/dims"
	"ltc/mlir"
	"ltc/stablehlo"
)

// parts takes a part of what was put together, repeated or taken from elsewhere
// from where it came, and puts together what was apart as it was. What starts
// at constants is a slice, and what takes or adds nothing is left out.
func parts(s *state) bool {
	return s.rewrite(func(r *opRow) rules { return r.parts })
}

// ranges is the start, limit and stride of a slice by dimension.
type ranges struct{ start, limit, stride []int64 }

func rangesOf(op *mlir.Op) ranges {
	s := stablehlo.AsSlice(op)
	return ranges{s.StartIndices(), s.LimitIndices(), s.Strides()}
}

// full is the whole of a shape.
func full(shape []int64) ranges {
	return ranges{make([]int64, len(shape)), slices.Clone(shape), slices.Repeat([]int64{1}, len(shape))}
}

func (r ranges) clone() ranges {
	return ranges{slices.Clone(r.start), slices.Clone(r.limit), slices.Clone(r.stride)}
}

// size is how many elements the range of a dimension has. A stride may be as large as an
// int64 can be.
func (r ranges) size(d int) int64 {
	n := dims.GoSub(r.limit[d], r.start[d])
	if dims.GoAtMost(n, 0) {
		return 0
	}
	return dims.GoSteps(n, r.stride[d])
}

// lastOf returns the limit of n elements from start on that stand so far apart.
func lastOf(start, n, apart int64) int64 {
	return dims.GoAdd(dims.GoAdd(start, dims.GoMul(dims.GoSub(n, 1), apart)), 1)
}

// tight lowers limits to behind the last element that is taken.
func (r ranges) tight() ranges {
	for d := range r.start {
		if n := r.size(d); !dims.GoAtMost(n, 0) {
			r.limit[d] = lastOf(r.start[d], n, r.stride[d])
		} else {
			r.limit[d] = r.start[d]
		}
		if dims.GoAtMost(r.size(d), 1) {
			r.stride[d] = 1
		}
	}
	return r
}

// slice returns a part of v.
func (e *editor) slice(v *mlir.Value, r ranges) *mlir.Value {
	t := tensorOf(v)
	shape := make([]int64, len(t.Shape))
	for d := range shape {
		shape[d] = r.size(d)
	}
	if slices.Equal(shape, t.Shape) {
		return v
	}
	if x := program.Element(v); x != nil {
		return e.splat(like(t, shape), x)
	}
	return e.emit(stablehlo.Slice, like(t, shape), mlir.Dict{
		{Name: "start_indices", Value: mlir.I64Array(r.start)},
		{Name: "limit_indices", Value: mlir.I64Array(r.limit)},
		{Name: "strides", Value: mlir.I64Array(r.stride)},
	}, v)
}

// wholeSlice takes all, or of a splat some.
func wholeSlice(e *editor, op *mlir.Op) *mlir.Value {
	x := op.Operands[0]
	if slices.Equal(tensorOf(x).Shape, resultType(op).Shape) || program.Element(x) != nil {
		return e.slice(x, rangesOf(op))
	}
	return nil
}

// sliceSlice is a part of a part.
func sliceSlice(e *editor, op *mlir.Op) *mlir.Value {
	inner := def(op.Operands[0], op.Code)
	if inner == nil {
		return nil
	}
	r, in := rangesOf(op).clone().tight(), rangesOf(inner)
	for d := range r.start {
		r.start[d] = dims.GoAdd(in.start[d], dims.GoMul(r.start[d], in.stride[d]))
		r.limit[d] = lastOf(in.start[d], r.limit[d], in.stride[d])
		r.stride[d] = dims.GoMul(r.stride[d], in.stride[d])
	}
	return e.slice(inner.Operands[0], r.tight())
}

// sliceRepeated repeats a part.
func sliceRepeated(e *editor, op *mlir.Op) *mlir.Value {
	b := def(op.Operands[0], stablehlo.BroadcastInDim)
	if b == nil {
		return nil
	}
	x, to, r := b.Operands[0], stablehlo.AsBroadcastInDim(b).BroadcastDimensions(), rangesOf(op)
	if hasUnits(tensorOf(x).Shape) {
		return nil
	}
	return e.broadcast(e.slice(x, r.pick(to)), resultType(op).Shape, to)
}

// slicePiece takes a part of only some of what was concatenated.
func slicePiece(e *editor, op *mlir.Op) *mlir.Value {
	c := def(op.Operands[0], stablehlo.Concatenate)
	if c == nil {
		return nil
	}
	d := stablehlo.AsConcatenate(c).Dimension()
	r := rangesOf(op).clone().tight()
	var pieces []*mlir.Value
	at, from := int64(0), int64(0)
	for _, v := range c.Operands {
		n := tensorOf(v).Shape[d]
		if !dims.GoAtMost(dims.GoAdd(at, n), r.start[d]) && !dims.GoAtMost(r.limit[d], at) {
			if len(pieces) == 0 {
				from = at
			}
			pieces = append(pieces, v)
		}
		at = dims.GoAdd(at, n)
	}
	if len(pieces) == 0 || len(pieces) == len(c.Operands) {
		return nil
	}
	r.start[d], r.limit[d] = dims.GoSub(r.start[d], from), dims.GoSub(r.limit[d], from)
	return e.slice(e.concatenate(pieces, d), r)
}

// slicePadded takes a part of what was padded, within it.
func slicePadded(e *editor, op *mlir.Op) *mlir.Value {
	p := def(op.Operands[0], stablehlo.Pad)
	if p == nil || padsBetween(p) {
		return nil
	}
	r, low := rangesOf(op).clone().tight(), stablehlo.AsPad(p).EdgePaddingLow()
	for d, n := range tensorOf(p.Operands[0]).Shape {
		r.start[d], r.limit[d] = dims.GoSub(r.start[d], low[d]), dims.GoSub(r.limit[d], low[d])
		if !dims.GoAtMost(0, r.start[d]) || !dims.GoAtMost(r.limit[d], n) {
			return nil
		}
	}
	return e.slice(p.Operands[0], r)
}

// fixedSlice starts at constants, which are moved so that the part is within.
func fixedSlice(e *editor, op *mlir.Op) *mlir.Value {
	x, size := op.Operands[0], resultType(op).Shape
	shape := tensorOf(x).Shape
	r := full(shape)
	for d, v := range op.Operands[1:] {
		n, ok := program.NumberOf(v)
		switch {
		case size[d] == shape[d]: // wherever it starts
		case !ok:
			return nil
		default:
			r.start[d] = clampStart(v, n, dims.GoSub(shape[d], size[d]))
		}
		r.limit[d] = dims.GoAdd(r.start[d], size[d])
	}
	return e.slice(x, r)
}

// clampStart is n, which v has, within 0 and most.
func clampStart(v *mlir.Value, n program.Number, most int64) int64 {
	if t, _ := tensorOf(v).Elem.(mlir.IntegerType); t.Sign == mlir.Unsigned && n.Int < 0 {
		return most // beyond the signed numbers
	}
	return dims.Min(min(max(n.Int, 0), dims.Largest), most)
}

// wholeUpdate replaces all, or nothing; a part of a splat at constants is a pad.
func wholeUpdate(e *editor, op *mlir.Op) *mlir.Value {
	x, update := op.Operands[0], op.Operands[1]
	shape, part := tensorOf(x).Shape, tensorOf(update).Shape
	switch {
	case slices.Equal(shape, part):
		return update
	case tensorOf(update).Elements() == 0:
		return x
	case program.Element(x) == nil:
		return nil
	}
	low, high := make([]int64, len(shape)), make([]int64, len(shape))
	for d, v := range op.Operands[2:] {
		n, ok := program.NumberOf(v)
		if !ok {
			return nil
		}
		low[d] = clampStart(v, n, dims.GoSub(shape[d], part[d]))
		high[d] = dims.GoSub(dims.GoSub(shape[d], part[d]), low[d])
	}
	return e.pad(update, e.splat(like(tensorOf(x), nil), program.Element(x)), low, high, make([]int64, len(shape)))
}

// gatherOne gathers one part from a constant place.
func gatherOne(e *editor, op *mlir.Op) *mlir.Value {
	g := stablehlo.AsGather(op).DimensionNumbers()
	x, start := op.Operands[0], program.Literal(op.Operands[1])
	size := stablehlo.AsGather(op).SliceSizes()
	if start == nil || len(g.OperandBatchingDims) > 0 || resultType(op).Elements() != like(tensorOf(x), size).Elements() {
		return nil
	}
	at, ok := mlir.Ints(start)
	if !ok || len(at) != len(g.StartIndexMap) {
		return nil
	}
	shape := tensorOf(x).Shape
	r := full(shape)
	for i, d := range g.StartIndexMap {
		r.start[d] = clampStart(op.Operands[1], program.Number{Int: at[i]}, dims.GoSub(shape[d], size[d]))
	}
	for d := range shape {
		r.limit[d] = dims.GoAdd(r.start[d], size[d])
	}
	return e.reshape(e.slice(x, r), resultType(op).Shape)
}
