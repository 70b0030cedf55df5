package mlir

import "slices"

func verifyGather(v *verifier, op *Op) {
	ins, outs, ok := v.tensors(op, 2, 1)
	if !ok {
		return
	}
	g, ok := ParseGather(op.Attrs.Get("dimension_numbers"))
	if !ok {
		v.missing(op, "dimension_numbers", "#stablehlo.gather<…>", op.Attrs.Get("dimension_numbers"))
		return
	}
	sizes, ok := v.ints(op, "slice_sizes")
	if !ok {
		return
	}
	c := gatherCheck{v, op, g, sizes, ins[0], ins[1], outs[0]}
	if c.ranks() && c.dims() && c.sliceSizes() {
		c.result()
	}
}

// gatherCheck is one gather being checked, in the specification's terms.
type gatherCheck struct {
	*verifier
	op               *Op
	g                GatherDims
	sizes            []int64
	in, indices, out *TensorType
}

func (c gatherCheck) ranks() bool {
	op, g := c.op, c.g
	rank, irank := len(c.in.Shape), len(c.indices.Shape)
	if !isInteger(c.indices.Elem) {
		c.fail(op, "I2", "start indices are %s, but should be integers", c.indices)
		return false
	}
	if n := len(g.OffsetDims) + len(g.CollapsedSliceDims) + len(g.OperandBatchingDims); n != rank {
		c.fail(op, "C1", "offset, collapsed and batching dimensions are %d, but the operand %s has %d", n, c.in, rank)
		return false
	}
	if g.IndexVectorDim < 0 || g.IndexVectorDim > int64(irank) {
		c.fail(op, "C2", "index_vector_dim %d is not in [0, %d]", g.IndexVectorDim, irank)
		return false
	}
	size := int64(1)
	if g.IndexVectorDim < int64(irank) {
		size = c.indices.Shape[g.IndexVectorDim]
	}
	if !sameDim(size, int64(len(g.StartIndexMap))) {
		c.fail(op, "C3", "start_index_map has %d entries, but an index has %d", len(g.StartIndexMap), size)
		return false
	}
	if len(g.OperandBatchingDims) != len(g.StartIndicesBatchingDims) {
		c.fail(op, "C16", "operand and start indices batch over %d and %d dimensions", len(g.OperandBatchingDims), len(g.StartIndicesBatchingDims))
		return false
	}
	if len(c.sizes) != rank {
		c.fail(op, "C20", "slice_sizes has %d entries, but the operand %s has %d dimensions", len(c.sizes), c.in, rank)
		return false
	}
	return true
}

func (c gatherCheck) dims() bool {
	op, g := c.op, c.g
	rank, irank := len(c.in.Shape), len(c.indices.Shape)
	return c.unique(op, "C4", "offset_dims", g.OffsetDims...) && c.sorted("C4", "offset_dims", g.OffsetDims) &&
		c.within(op, "C5", "offset_dims", g.OffsetDims, len(c.out.Shape)) &&
		c.unique(op, "C6", "collapsed_slice_dims with operand_batching_dims", slices.Concat(g.CollapsedSliceDims, g.OperandBatchingDims)...) &&
		c.sorted("C7", "collapsed_slice_dims", g.CollapsedSliceDims) &&
		c.within(op, "C8", "collapsed_slice_dims", g.CollapsedSliceDims, rank) &&
		c.sorted("C10", "operand_batching_dims", g.OperandBatchingDims) &&
		c.within(op, "C11", "operand_batching_dims", g.OperandBatchingDims, rank) &&
		c.unique(op, "C13", "start_indices_batching_dims", g.StartIndicesBatchingDims...) &&
		c.within(op, "C14", "start_indices_batching_dims", g.StartIndicesBatchingDims, irank) &&
		c.apart() &&
		c.unique(op, "C18", "start_index_map with operand_batching_dims", slices.Concat(g.StartIndexMap, g.OperandBatchingDims)...) &&
		c.within(op, "C19", "start_index_map", g.StartIndexMap, rank)
}

func (c gatherCheck) sorted(label, what string, dims []int64) bool {
	if !slices.IsSorted(dims) {
		c.fail(c.op, label, "%s is not sorted: %s", what, shapeText(dims))
		return false
	}
	return true
}

// apart checks that batching dimensions are not those of the index vector, and
// agree.
func (c gatherCheck) apart() bool {
	for i, d := range c.g.StartIndicesBatchingDims {
		if d == c.g.IndexVectorDim {
			c.fail(c.op, "C15", "index_vector_dim %d is in start_indices_batching_dims", d)
			return false
		}
		o := c.g.OperandBatchingDims[i]
		if x, y := c.in.Shape[o], c.indices.Shape[d]; !sameDim(x, y) {
			c.fail(c.op, "C17", "batching dimensions differ: %d and %d (%s, %s)", x, y, c.in, c.indices)
			return false
		}
	}
	return true
}

func (c gatherCheck) sliceSizes() bool {
	for i, s := range c.sizes {
		if s < 0 || c.in.Shape[i] != Dynamic && s > c.in.Shape[i] {
			c.fail(c.op, "C21", "the slice size %d is not in dimension %d of %s", s, i, c.in)
			return false
		}
	}
	return c.dropped("C9", c.g.CollapsedSliceDims) && c.dropped("C12", c.g.OperandBatchingDims)
}

// dropped checks that dimensions which the result does not have are sliced to
// one element at most.
func (c gatherCheck) dropped(label string, dims []int64) bool {
	for _, d := range dims {
		if c.sizes[d] > 1 {
			c.fail(c.op, label, "the slice size of dimension %d is %d, but that dimension is left out of the result", d, c.sizes[d])
			return false
		}
	}
	return true
}

// result checks that batch sizes stand at the result's dimensions that are not
// offsets, and slice sizes at the offsets.
func (c gatherCheck) result() {
	batch := rest(c.indices.Shape, []int64{c.g.IndexVectorDim})
	offset := rest(c.sizes, c.g.CollapsedSliceDims, c.g.OperandBatchingDims)
	shape := make([]int64, 0, len(batch)+len(offset))
	for i := range int64(len(batch) + len(offset)) {
		if slices.Contains(c.g.OffsetDims, i) && len(offset) > 0 {
			shape, offset = append(shape, offset[0]), offset[1:]
		} else if len(batch) > 0 {
			shape, batch = append(shape, batch[0]), batch[1:]
		}
	}
	if c.verifier.result(c.op, "C22", c.out, shape) {
		c.sameElem(c.op, "C23", c.in, c.out)
	}
}
