package verify

import (
	"slices"

	"ltc/internal/diag"
	"ltc/mlir"
	"ltc/stablehlo"
)

func verifyGather(v *verifier, op *mlir.Op, ins, outs []*mlir.TensorType) {
	sizes := v.ints(op, "slice_sizes")
	v.gather(op, ins, outs[0], sizes, gatherLabels)
}

// verifyDynamicGather checks a gather whose slice sizes are an operand: they
// are known if that is a constant.
func verifyDynamicGather(v *verifier, op *mlir.Op, ins, outs []*mlir.TensorType) {
	sizes, known := constantInts(op.Operands[2])
	if !known {
		if !ins[2].Static() {
			v.stop(op, "I3", "operand 2 is %s, but its length should be known", ins[2])
		}
		sizes = unknown(int(min(ins[2].Shape[0], maxRank)))
	}
	v.gather(op, ins, outs[0], sizes, dynamicGatherLabels)
}

// maxRank bounds how many dimensions are made from a number in a text.
const maxRank = 1 << 10

// unknown is a shape of n unknown dimensions.
func unknown(n int) []int64 { return slices.Repeat([]int64{mlir.Dynamic}, n) }

// constantInts returns the integers of a value that a constant gives.
func constantInts(x *mlir.Value) ([]int64, bool) {
	if x.Def == nil || x.Def.Code != stablehlo.Constant {
		return nil, false
	}
	d, ok := x.Def.Attrs.Get("value").(*mlir.DenseAttr)
	if !ok || !mlir.SameType(d.Type, x.Type) { // the constant is refused itself
		return nil, false
	}
	return mlir.Ints(d)
}

// gatherLabels and dynamicGatherLabels are the labels of the rules that the
// two ops share, by what they say.
var (
	gatherLabels = map[string]string{
		"rank": "C1", "vector": "C2", "map size": "C3", "offset": "C4", "offset range": "C5", "collapsed unique": "C6",
		"collapsed": "C7", "collapsed range": "C8", "collapsed size": "C9", "batching": "C10", "batching range": "C11",
		"batching size": "C12", "indices batching": "C13", "indices batching range": "C14", "apart": "C15", "batches": "C16",
		"batch": "C17", "map unique": "C18", "map range": "C19", "sizes": "C20", "size": "C21", "result": "C22", "elements": "C23",
	}
	// The specification's dynamic_gather does not know batching dimensions.
	dynamicGatherLabels = map[string]string{
		"rank": "C1", "vector": "C2", "map size": "C3", "offset": "C4", "offset range": "C5", "collapsed unique": "C6",
		"collapsed": "C6", "collapsed range": "C7", "collapsed size": "C8", "map unique": "C9", "map range": "C10",
		"sizes": "C11", "size": "C12", "result": "C13", "elements": "C14",
	}
)

func (v *verifier) gather(op *mlir.Op, ins []*mlir.TensorType, out *mlir.TensorType, sizes []int64, labels map[string]string) {
	g, ok := stablehlo.ParseGather(op.Attrs.Get("dimension_numbers"))
	if !ok {
		v.missing(op, "dimension_numbers", "#stablehlo.gather<…>", op.Attrs.Get("dimension_numbers"))
	}
	c := gatherCheck{v, op, g, labels, sizes, ins[0], ins[1], out}
	c.ranks()
	c.dims()
	c.sliceSizes()
	c.result()
}

// gatherCheck is one gather being checked, in the specification's terms.
type gatherCheck struct {
	*verifier
	op               *mlir.Op
	g                stablehlo.GatherDims
	label            map[string]string
	sizes            []int64
	in, indices, out *mlir.TensorType
}

func (c gatherCheck) ranks() {
	op, g := c.op, c.g
	rank, irank := len(c.in.Shape), len(c.indices.Shape)
	if n := len(g.OffsetDims) + len(g.CollapsedSliceDims) + len(g.OperandBatchingDims); n != rank {
		c.stop(op, c.label["rank"], "offset, collapsed and batching dimensions are %d, but the operand %s has %d", n, c.in, rank)
	}
	if g.IndexVectorDim < 0 || g.IndexVectorDim > int64(irank) {
		c.stop(op, c.label["vector"], "index_vector_dim %d is not in [0, %d]", g.IndexVectorDim, irank)
	}
	size := int64(1)
	if g.IndexVectorDim < int64(irank) {
		size = c.indices.Shape[g.IndexVectorDim]
	}
	if !c.sameDim(size, int64(len(g.StartIndexMap))) {
		c.stop(op, c.label["map size"], "start_index_map has %s, but an index has %d", diag.Count(len(g.StartIndexMap), "entry"), size)
	}
	if len(g.OperandBatchingDims) != len(g.StartIndicesBatchingDims) {
		c.stop(op, c.label["batches"], "operand and start indices batch over %d and %s", len(g.OperandBatchingDims), diag.Count(len(g.StartIndicesBatchingDims), "dimension"))
	}
	if len(c.sizes) != rank {
		c.stop(op, c.label["sizes"], "slice_sizes has %s, but the operand %s has %s", diag.Count(len(c.sizes), "entry"), c.in, diag.Count(rank, "dimension"))
	}
}

func (c gatherCheck) dims() {
	op, g := c.op, c.g
	rank, irank := len(c.in.Shape), len(c.indices.Shape)
	c.unique(op, c.label["offset"], "offset_dims", g.OffsetDims...)
	c.sorted(op, c.label["offset"], "offset_dims", g.OffsetDims)
	c.within(op, c.label["offset range"], "offset_dims", g.OffsetDims, len(c.out.Shape))
	c.unique(op, c.label["collapsed unique"], "collapsed_slice_dims with operand_batching_dims", slices.Concat(g.CollapsedSliceDims, g.OperandBatchingDims)...)
	c.sorted(op, c.label["collapsed"], "collapsed_slice_dims", g.CollapsedSliceDims)
	c.within(op, c.label["collapsed range"], "collapsed_slice_dims", g.CollapsedSliceDims, rank)
	c.sorted(op, c.label["batching"], "operand_batching_dims", g.OperandBatchingDims)
	c.within(op, c.label["batching range"], "operand_batching_dims", g.OperandBatchingDims, rank)
	c.unique(op, c.label["indices batching"], "start_indices_batching_dims", g.StartIndicesBatchingDims...)
	c.within(op, c.label["indices batching range"], "start_indices_batching_dims", g.StartIndicesBatchingDims, irank)
	c.batched(op, c.label["apart"], c.label["batch"], "start_indices_batching_dims", g.IndexVectorDim, g.StartIndicesBatchingDims, g.OperandBatchingDims, c.indices, c.in)
	c.unique(op, c.label["map unique"], "start_index_map with operand_batching_dims", slices.Concat(g.StartIndexMap, g.OperandBatchingDims)...)
	c.within(op, c.label["map range"], "start_index_map", g.StartIndexMap, rank)
}

// batched checks that dims, the batching dimensions of the indices, which the attribute
// name lists, are not that of the index vector, and agree with inDims, those of in.
func (v *verifier) batched(op *mlir.Op, apart, agree, name string, vector int64, dims, inDims []int64, indices, in *mlir.TensorType) {
	for i, d := range dims {
		if d == vector {
			v.stop(op, apart, "index_vector_dim %d is in %s", d, name)
		}
		if x, y := in.Shape[inDims[i]], indices.Shape[d]; !v.sameDim(x, y) {
			v.stop(op, agree, "batching dimensions differ: %d and %d (%s, %s)", x, y, in, indices)
		}
	}
}

func (c gatherCheck) sliceSizes() {
	for i, s := range c.sizes {
		if s == mlir.Dynamic {
			continue
		}
		if !c.atLeast(s, 0) || !c.atMost(s, c.in.Shape[i]) {
			c.stop(c.op, c.label["size"], "the slice size %d is not in dimension %d of %s", s, i, c.in)
		}
	}
	c.dropped(c.label["collapsed size"], c.g.CollapsedSliceDims)
	c.dropped(c.label["batching size"], c.g.OperandBatchingDims)
}

// dropped checks that dimensions which the result does not have are sliced to
// one element at most.
func (c gatherCheck) dropped(label string, dims []int64) {
	for _, d := range dims {
		if c.sizes[d] != mlir.Dynamic && !c.atMost(c.sizes[d], 1) {
			c.stop(c.op, label, "the slice size of dimension %d is %d, but that dimension is left out of the result", d, c.sizes[d])
		}
	}
}

// result checks that batch sizes stand at the result's dimensions that are not
// offsets, and slice sizes at the offsets.
func (c gatherCheck) result() {
	shape := c.shape(c.indices.Shape, c.sizes)
	c.verifier.result(c.op, c.label["result"], c.out, shape, c.shape(limits(c.indices), unknown(len(c.sizes)))...)
	c.sameElem(c.op, c.label["elements"], c.in, c.out)
}

func (c gatherCheck) shape(indices, sizes []int64) []int64 {
	batch := rest(indices, []int64{c.g.IndexVectorDim})
	offset := rest(sizes, c.g.CollapsedSliceDims, c.g.OperandBatchingDims)
	shape := make([]int64, 0, len(batch)+len(offset))
	for i := range int64(len(batch) + len(offset)) {
		if slices.Contains(c.g.OffsetDims, i) && len(offset) > 0 {
			shape, offset = append(shape, offset[0]), offset[1:]
		} else if len(batch) > 0 {
			shape, batch = append(shape, batch[0]), batch[1:]
		}
	}
	return shape
}
