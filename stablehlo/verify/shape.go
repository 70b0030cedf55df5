package verify

import (
	"math"
	"math/big"
	"slices"

	"ltc/internal/diag"
	"ltc/internal/lexeme"
	"ltc/ir/dims"
	"ltc/mlir"
)

// sameElem checks that the elements of in and out are the same.
func (v *verifier) sameElem(op *mlir.Op, label string, in, out *mlir.TensorType) {
	if !sameElement(in.Elem, out.Elem) {
		v.stop(op, label, "elements differ: %s and %s", in.Elem, out.Elem)
	}
}

func verifyBroadcastInDim(v *verifier, op *mlir.Op, ins, outs []*mlir.TensorType) {
	dims := v.ints(op, "broadcast_dimensions")
	v.oneBound(op, outs[0])
	v.broadcastDims(op, ins[0], outs[0], dims, outs[0].Shape)
	for i, d := range dims {
		if n := ins[0].Shape[i]; n != mlir.Dynamic && n != 1 && outs[0].Shape[d] == mlir.Dynamic {
			v.stop(op, "C5", "dimension %d of the result %s is dynamic, but that of the operand is %d", d, outs[0], n)
		}
	}
}

// oneBound checks that t is static but for at most one dimension, which then
// has a bound: more cannot be laid out without knowing their sizes. [InferShapes], which
// is asked for the sizes, does not check it.
func (v *verifier) oneBound(op *mlir.Op, t *mlir.TensorType) {
	open := slices.Index(t.Shape, mlir.Dynamic)
	if open < 0 || v.inferred != nil {
		return
	}
	if limits(t)[open] == mlir.Dynamic || slices.Contains(t.Shape[open+1:], mlir.Dynamic) {
		v.stop(op, "", "the result is %s, but should be static, or have one dynamic dimension with a bound", t)
	}
}

// broadcastDims checks the rules that broadcast_in_dim and its dynamic sibling
// share, with the same labels; sizes is what is known of the result's shape.
func (v *verifier) broadcastDims(op *mlir.Op, in, out *mlir.TensorType, dims, sizes []int64) {
	if !sameAside(in.Elem, out.Elem, false) {
		v.stop(op, "C1", "elements differ: %s and %s", in.Elem, out.Elem)
	}
	if len(dims) != len(in.Shape) {
		v.stop(op, "C2", "broadcast_dimensions has %s, but %s has %s", diag.Count(len(dims), "entry"), in, diag.Count(len(in.Shape), "dimension"))
	}
	v.within(op, "C3", "broadcast_dimensions", dims, len(out.Shape))
	v.unique(op, "C4", "broadcast_dimensions", dims...)
	for i, d := range dims {
		if in.Shape[i] != 1 && !v.sameDim(in.Shape[i], sizes[d]) {
			v.stop(op, "C5", "dimension %d of %s is neither 1 nor that of dimension %d of the result %s", i, in, d, shapeText(sizes))
		}
	}
	v.broadcastQuant(op, in, out, dims)
}

func (v *verifier) broadcastQuant(op *mlir.Op, in, out *mlir.TensorType, dims []int64) {
	p, q := quantOf(in.Elem), quantOf(out.Elem)
	if q == nil || q.Axis < 0 {
		return
	}
	if int64(q.Axis) != dims[p.Axis] {
		v.stop(op, "C6", "the quantization dimension of the result is %d, but that of the operand goes to %d", q.Axis, dims[p.Axis])
	}
	if in.Shape[p.Axis] != 1 {
		return
	}
	for i := range q.Scales {
		if q.Scales[i] != p.Scales[0] || q.ZeroPoints[i] != p.ZeroPoints[0] {
			v.stop(op, "C6", "scale and zero point %d of the result are not those of the operand's only slice", i)
		}
	}
}

func verifyBroadcast(v *verifier, op *mlir.Op, ins, outs []*mlir.TensorType) {
	sizes := v.ints(op, "broadcast_sizes")
	v.sameElem(op, "", ins[0], outs[0])
	for _, d := range sizes {
		if d < 0 {
			v.stop(op, "", "broadcast_sizes has %d, but sizes are not negative", d)
		}
	}
	v.result(op, "", outs[0], slices.Concat(sizes, ins[0].Shape), slices.Concat(unknown(len(sizes)), limits(ins[0]))...)
}

func verifyReshape(v *verifier, op *mlir.Op, ins, outs []*mlir.TensorType) {
	v.oneBound(op, outs[0])
	v.reshape(op, ins[0], outs[0])
}

// reshape checks the rules that reshape and its dynamic sibling share, with
// the same labels.
func (v *verifier) reshape(op *mlir.Op, in, out *mlir.TensorType) {
	if !sameAside(in.Elem, out.Elem, true) {
		v.stop(op, "C1", "elements differ: %s and %s", in.Elem, out.Elem)
	}
	if in.Static() {
		v.inferReshape(in, out)
	}
	if !in.Static() || !out.Static() {
		return
	}
	if !v.sameDim(in.Elements(), out.Elements()) {
		v.stop(op, "C2", "%s has %s but %s has %d", in, diag.Count(in.Elements(), "element"), out, out.Elements())
	}
	if p, q := quantOf(in.Elem), quantOf(out.Elem); p != nil && p.Axis >= 0 {
		a, b := in.Shape, out.Shape
		if !v.sameDim(v.product(a[:p.Axis]), v.product(b[:q.Axis])) || !v.sameDim(a[p.Axis], b[q.Axis]) || !v.sameDim(v.product(a[p.Axis+1:]), v.product(b[q.Axis+1:])) {
			v.fail(op, "C3", "the slices of dimension %d of %s are not those of dimension %d of %s", p.Axis, in, q.Axis, out)
		}
	}
}

// inferReshape finds the one size that out leaves open.
func (v *verifier) inferReshape(in, out *mlir.TensorType) {
	shape, open, known := slices.Clone(out.Shape), -1, int64(1)
	for i, d := range shape {
		switch {
		case d != mlir.Dynamic:
			known = dims.Mul(known, d)
		case open >= 0:
			return
		default:
			open = i
		}
	}
	if open >= 0 {
		if known == 0 || !v.multiple(in.Elements(), known) {
			return
		}
		shape[open] = dims.Div(in.Elements(), known)
	}
	v.infer(out, shape)
}

// product multiplies sizes. A product of more than an int64 counts is -1.
func (v *verifier) product(sizes []int64) int64 {
	if slices.Contains(sizes, 0) {
		return 0
	}
	if v.expr(sizes...) {
		return dims.Product(sizes...)
	}
	n := int64(1)
	for _, d := range sizes {
		if d > math.MaxInt64/n {
			return -1
		}
		n *= d
	}
	return n
}

func verifyTranspose(v *verifier, op *mlir.Op, ins, outs []*mlir.TensorType) {
	in := ins[0]
	perm := v.ints(op, "permutation")
	if !sameAside(in.Elem, outs[0].Elem, true) {
		v.stop(op, "C1", "elements differ: %s and %s", in.Elem, outs[0].Elem)
	}
	if !isPermutation(perm, len(in.Shape)) {
		v.stop(op, "C2", "permutation %s is not one of the %s of %s", shapeText(perm), diag.Count(len(in.Shape), "dimension"), in)
	}
	shape, bounds, limits := make([]int64, len(perm)), make([]int64, len(perm)), limits(in)
	for i, d := range perm {
		shape[i], bounds[i] = in.Shape[d], limits[d]
	}
	v.result(op, "C3", outs[0], shape, bounds...)
	if p, q := quantOf(in.Elem), quantOf(outs[0].Elem); q != nil && q.Axis >= 0 && int64(p.Axis) != perm[q.Axis] {
		v.fail(op, "C4", "the quantization dimension of the operand is %d, but that of the result comes from %d", p.Axis, perm[q.Axis])
	}
}

// isPermutation reports whether perm has each of 0 to n-1 once.
func isPermutation(perm []int64, n int) bool {
	for i, d := range slices.Sorted(slices.Values(perm)) {
		if d != int64(i) {
			return false
		}
	}
	return len(perm) == n
}

func verifyReverse(v *verifier, op *mlir.Op, ins, outs []*mlir.TensorType) {
	if !v.sameTensor(ins[0], outs[0]) {
		v.fail(op, "C1", "the operand is %s but the result is %s", ins[0], outs[0])
	}
	v.infer(outs[0], ins[0].Shape)
	dims := v.ints(op, "dimensions")
	v.unique(op, "C2", "dimensions", dims...)
	v.within(op, "C3", "dimensions", dims, len(ins[0].Shape))
}

func verifySlice(v *verifier, op *mlir.Op, ins, outs []*mlir.TensorType) {
	in := ins[0]
	from, to, step := v.ints(op, "start_indices"), v.ints(op, "limit_indices"), v.ints(op, "strides")
	v.sameElem(op, "C1", in, outs[0])
	if n := len(in.Shape); len(from) != n || len(to) != n || len(step) != n {
		v.stop(op, "C2", "has %s, %s and %s, but %s has %s", diag.Count(len(from), "start"), diag.Count(len(to), "limit"), diag.Count(len(step), "stride"), in, diag.Count(n, "dimension"))
	}
	shape := make([]int64, len(from))
	for i := range from {
		if !v.atLeast(from[i], 0) || !v.atLeast(to[i], from[i]) || !v.atMost(to[i], most(in, i)) {
			v.stop(op, "C3", "the range [%d:%d] is not in dimension %d of %s", from[i], to[i], i, in)
		}
		if !v.atLeast(step[i], 1) {
			v.stop(op, "C4", "the stride %d of dimension %d is not positive", step[i], i)
		}
		shape[i] = dims.CeilDiv(dims.Sub(to[i], from[i]), step[i])
	}
	v.result(op, "C5", outs[0], shape)
}

func verifyDynamicSlice(v *verifier, op *mlir.Op, ins, outs []*mlir.TensorType) {
	in := ins[0]
	sizes := v.ints(op, "slice_sizes")
	v.sameElem(op, "C1", in, outs[0])
	if n := len(in.Shape); len(sizes) != n || len(ins)-1 != n {
		v.stop(op, "C2", "has %s and %s, but %s has %s", diag.Count(len(ins)-1, "start index"), diag.Count(len(sizes), "size"), in, diag.Count(n, "dimension"))
	}
	v.scalarIndices(op, "C3", ins[1:])
	for i, s := range sizes {
		if !v.atLeast(s, 0) || !v.atMost(s, most(in, i)) {
			v.stop(op, "C4", "the size %d is not in dimension %d of %s", s, i, in)
		}
	}
	v.result(op, "C5", outs[0], sizes)
}

// scalarIndices checks that all are of one type.
func (v *verifier) scalarIndices(op *mlir.Op, label string, ts []*mlir.TensorType) {
	for _, t := range ts {
		if !mlir.SameType(t, ts[0]) {
			v.stop(op, label, "start indices should be of one type, not %s and %s", ts[0], t)
		}
	}
}

func verifyDynamicUpdateSlice(v *verifier, op *mlir.Op, ins, outs []*mlir.TensorType) {
	in, update := ins[0], ins[1]
	if !v.sameTensor(in, outs[0]) {
		v.fail(op, "C1", "the operand is %s but the result is %s", in, outs[0])
	}
	v.infer(outs[0], in.Shape)
	v.sameElem(op, "C2", in, update)
	if len(update.Shape) != len(in.Shape) {
		v.stop(op, "C3", "the update is %s but the operand is %s: ranks differ", update, in)
	}
	if len(ins)-2 != len(in.Shape) {
		v.stop(op, "C4", "has %s, but %s has %s", diag.Count(len(ins)-2, "start index"), in, diag.Count(len(in.Shape), "dimension"))
	}
	v.try(func() { v.scalarIndices(op, "C5", ins[2:]) })
	for i, d := range update.Shape {
		if d != mlir.Dynamic && !v.atMost(d, in.Shape[i]) {
			v.stop(op, "C6", "the update %s is larger than the operand %s", update, in)
		}
	}
}

func verifyConcatenate(v *verifier, op *mlir.Op) {
	if len(op.Operands) == 0 {
		v.stop(op, "C3", "has no operands")
	}
	ins, outs := v.takes(op, slots{many(kPerTensor)}, tensors(kPerTensor))
	d := v.dim(op, "C4", "dimension", ins[0])
	shape, bounds := slices.Clone(ins[0].Shape), limits(ins[0])
	bounds[d] = most(ins[0], int(d))
	for i, t := range ins {
		if !sameElement(t.Elem, ins[0].Elem) {
			v.stop(op, "C1", "operand %d is %s but operand 0 is %s: elements differ", i, t, ins[0])
		}
		if i == 0 {
			continue
		}
		rest := slices.Clone(t.Shape)
		if len(rest) == len(shape) {
			rest[d] = shape[d]
		}
		if !v.sameShape(rest, shape) || !inBounds(rest, without(limits(ins[0]), d)) || !inBounds(ins[0].Shape, without(limits(t), d)) {
			v.stop(op, "C2", "operand %d is %s but operand 0 is %s: they differ outside dimension %d", i, t, ins[0], d)
		}
		shape[d], bounds[d] = dims.Add(shape[d], t.Shape[d]), dims.Add(bounds[d], most(t, int(d)))
	}
	v.sameElem(op, "C5", ins[0], outs[0])
	v.result(op, "C6", outs[0], shape, bounds...)
}

// without makes the bound of dimension d unknown, in place.
func without(bounds []int64, d int64) []int64 {
	bounds[d] = mlir.Dynamic
	return bounds
}

func verifyPad(v *verifier, op *mlir.Op, ins, outs []*mlir.TensorType) {
	in := ins[0]
	v.sameElem(op, "C1", in, ins[1])
	v.sameElem(op, "C1", in, outs[0])
	low, high, inner := v.ints(op, "edge_padding_low"), v.ints(op, "edge_padding_high"), v.ints(op, "interior_padding")
	if n := len(in.Shape); len(low) != n || len(high) != n || len(inner) != n {
		v.stop(op, "C2", "has %d low, %d high and %s, but %s has %s", len(low), len(high), diag.Count(len(inner), "interior padding"), in, diag.Count(n, "dimension"))
	}
	v.padded(op, in, outs[0], low, high, inner)
}

// padded checks the result of padding, with the labels that pad and
// dynamic_pad share.
func (v *verifier) padded(op *mlir.Op, in, out *mlir.TensorType, low, high, inner []int64) {
	v.interior(op, inner)
	shape, bounds := unknown(len(low)), unknown(len(low))
	for i, d := range in.Shape {
		most := most(in, i)
		if most == mlir.Dynamic {
			continue
		}
		if v.expr(d, low[i], high[i], inner[i]) {
			shape[i] = dims.Add(dims.Add(d, dims.Mul(dims.Max(dims.Sub(d, 1), 0), inner[i])), dims.Add(low[i], high[i]))
			if !v.atLeast(shape[i], 0) {
				v.stop(op, "C4", "padding leaves %s of dimension %d of %s", lexeme.Size(shape[i]), i, in)
			}
			continue
		}
		n := paddedSize(most, low[i], high[i], inner[i])
		if n.Sign() < 0 || !n.IsInt64() {
			v.stop(op, "C4", "padding leaves %d of dimension %d of %s", n, i, in)
		}
		if d == mlir.Dynamic {
			bounds[i] = n.Int64()
		} else {
			shape[i] = n.Int64()
		}
	}
	v.result(op, "C4", out, shape, bounds...)
}

// interior checks the padding between elements.
func (v *verifier) interior(op *mlir.Op, inner []int64) {
	for i, n := range inner {
		if !v.atLeast(n, 0) {
			v.stop(op, "C3", "the interior padding %d of dimension %d is negative", n, i)
		}
	}
}

// paddedSize returns what becomes of a dimension of d, which need not fit 64 bits.
func paddedSize(d, low, high, inner int64) *big.Int {
	n := big.NewInt(max(d-1, 0))
	n.Mul(n, big.NewInt(inner))
	for _, x := range []int64{d, low, high} {
		n.Add(n, big.NewInt(x))
	}
	return n
}
