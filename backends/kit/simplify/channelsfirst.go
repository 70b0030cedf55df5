package simplify

import (
	"slices"

	"ltc/backends/kit/simplify/program"
	"ltc/ir/dims"
	"ltc/mlir"
	"ltc/stablehlo"
)

// channelsFirst computes a convolution with its features before the spatial dimensions
// (NCHW) where its image has them there and its result is to have them there, for targets
// that are as fast then ([Options.ChannelsFirst]). Both would be transposed otherwise. Its
// kernel is [output feature, input feature, spatial…] then. The image may be the result of
// another such convolution, and so on up to images that memory holds: all of them are computed
// so, or none. Other networks stay in normal form, in which nothing is transposed between their
// convolutions.
//
// Comes after all other passes, which bring transposes together that cancel. What it does
// depends on sizes.
func channelsFirst(s *state) bool {
	if !s.ChannelsFirst {
		return false
	}
	return s.rewrite(func(r *opRow) rules { return r.channelsFirst })
}

// channelsFirstResult: the transpose of a convolution's result, or of what elementwise ops
// compute of that.
func channelsFirstResult(e *editor, op *mlir.Op) *mlir.Value {
	x, perm := op.Operands[0], stablehlo.AsTranspose(op).Permutation()
	if !slices.Equal(perm, toChannelsFirst(len(perm))) {
		return nil
	}
	if ok, convolves := e.canBeChannelsFirst(x); !ok || !convolves {
		return nil
	}
	return e.buildChannelsFirst(x, perm)
}

// toChannelsFirst returns the permutation that brings a value in normal form to features
// before spatial dimensions.
func toChannelsFirst(rank int) []int64 {
	perm := []int64{0, int64(rank - 1)}
	for d := 1; d < rank-1; d++ {
		perm = append(perm, int64(d))
	}
	return perm
}

// canBeChannelsFirst reports whether a value can be computed with its features first without a
// transpose, and whether that includes a convolution.
func (e *editor) canBeChannelsFirst(v *mlir.Value) (ok, convolves bool) {
	if len(tensorOf(v).Shape) == 0 || program.Element(v) != nil || def(v, stablehlo.BroadcastInDim) != nil || e.storedChannelsFirst(v) {
		return true, false
	}
	op := v.Def
	switch {
	case op == nil || !plain(op) || e.uses()[v] > 1:
		return false, false
	case op.Code == stablehlo.Convolution:
		return e.fastChannelsFirst(op), true
	case !elementwise(op):
		return false, false
	}
	for _, x := range op.Operands {
		there, found := e.canBeChannelsFirst(x)
		if !there {
			return false, false
		}
		convolves = convolves || found
	}
	return true, convolves
}

// fastChannelsFirst reports whether a convolution in normal form is as fast with its features
// first, and its image can have them first. Targets fill up the last vector of the points of an
// image then. That takes longer than to transpose image and result where points are few and
// sums long. Rows of an image are read by vectors if windows are one or two elements apart.
func (e *editor) fastChannelsFirst(op *mlir.Op) bool {
	features, batches := groupsOf(op)
	w, out := tensorOf(op.Operands[1]).Shape, resultType(op).Shape
	stride := stablehlo.AsConvolution(op).WindowStrides()
	if len(stride) == 0 || stride[len(stride)-1] > 2 || features*batches > 1 || !forward(op) {
		return false
	}
	points, products := int64(1), int64(1)
	for _, n := range out[1 : len(out)-1] {
		points *= dims.Typical(n)
	}
	for _, n := range w[:len(w)-1] {
		products *= dims.Typical(n)
	}
	return 2*points >= products && e.imageChannelsFirst(op.Operands[0])
}

// imageChannelsFirst reports whether the image of a convolution in normal form can have its
// features first without a transpose: memory holds it so, or it comes of another convolution
// that is computed so.
func (e *editor) imageChannelsFirst(v *mlir.Value) bool {
	if e.storedChannelsFirst(v) {
		return true
	}
	if p := def(v, stablehlo.Pad); p != nil {
		if !plain(p) || e.uses()[v] > 1 {
			return false
		}
		v = p.Operands[0]
	}
	ok, convolves := e.canBeChannelsFirst(v)
	return ok && convolves
}

// storedChannelsFirst reports whether a value, or the operand of the pad that it is, is the
// transpose of a value that memory holds with its features first.
func (e *editor) storedChannelsFirst(v *mlir.Value) bool {
	if p := def(v, stablehlo.Pad); p != nil {
		v = p.Operands[0]
	}
	shape := tensorOf(v).Shape
	perm := toChannelsFirst(len(shape))
	if op := def(v, stablehlo.Transpose); op != nil {
		return inOrder(tensorOf(op.Operands[0]).Shape, pick(stablehlo.AsTranspose(op).Permutation(), perm))
	}
	return inOrder(shape, perm)
}

// buildChannelsFirst returns v with its features first. Requires that canBeChannelsFirst(v) or
// imageChannelsFirst(v).
func (e *editor) buildChannelsFirst(v *mlir.Value, perm []int64) *mlir.Value {
	t := tensorOf(v)
	if len(t.Shape) == 0 {
		return v
	}
	op := v.Def
	to := like(t, pick(t.Shape, perm))
	switch {
	case program.Element(v) != nil || def(v, stablehlo.BroadcastInDim) != nil:
		return e.transpose(v, perm)
	case op != nil && op.Code == stablehlo.Pad:
		a := stablehlo.AsPad(op)
		return e.pad(e.buildChannelsFirst(op.Operands[0], perm), op.Operands[1],
			pick(a.EdgePaddingLow(), perm), pick(a.EdgePaddingHigh(), perm), pick(a.InteriorPadding(), perm))
	case e.storedChannelsFirst(v):
		return e.transpose(v, perm)
	case op.Code == stablehlo.Convolution:
		n := len(t.Shape) - 2
		kernel := []int64{int64(n) + 1, int64(n)}
		for i := range n {
			kernel = append(kernel, int64(i))
		}
		first := copyOf(op, to, e.buildChannelsFirst(op.Operands[0], perm), e.transpose(op.Operands[1], kernel))
		first.Attrs.Set("dimension_numbers", stablehlo.ChannelsFirst(n).Attr())
		return e.emitOp(first)
	}
	operands := make([]*mlir.Value, len(op.Operands))
	for i, x := range op.Operands {
		operands[i] = e.buildChannelsFirst(x, perm)
	}
	return e.again(op, to, operands...)
}
