package verify

import (
	"slices"

	"ltc/internal/diag"
	"ltc/mlir"
	"ltc/stablehlo"
)

func verifyScatter(v *verifier, op *mlir.Op) {
	n := len(op.Results)
	if n == 0 || len(op.Operands) != 2*n+1 {
		v.stop(op, "C5", "has %s and %s, but takes inputs, indices and as many updates, and gives as many results", diag.Count(len(op.Operands), "operand"), diag.Count(n, "result"))
	}
	ins, outs := v.takes(op, slots{many(kPerTensor)}, slots{many(kPerTensor)})
	if kindOf(ins[n].Elem)&(kInt|kIndex) == 0 {
		v.stop(op, "I2", "the indices are %s, but should be integers", ins[n])
	}
	s, ok := stablehlo.ParseScatter(op.Attrs.Get("scatter_dimension_numbers"))
	if !ok {
		v.missing(op, "scatter_dimension_numbers", "#stablehlo.scatter<…>", op.Attrs.Get("scatter_dimension_numbers"))
	}
	inputs, updates := ins[:n], ins[n+1:]
	for i, t := range inputs {
		if !sameBaseline(t.Elem, updates[i].Elem) {
			v.stop(op, "C6", "input %d is %s but its update is %s", i, t, updates[i])
		}
	}
	c := scatterCheck{v, op, s, inputs[0], ins[n], updates[0]}
	v.sameShapes(op, "C1", inputs)
	v.sameShapes(op, "C3", updates)
	c.ranks()
	c.dims()
	v.batched(op, "C16", "C18", "scatter_indices_batching_dims", s.IndexVectorDim, s.ScatterIndicesBatchingDims, s.InputBatchingDims, ins[n], inputs[0])
	c.update()
	elems := v.reducer(op, reduction{op.Regions[0], "C23", inputs, scalars(inputs), nil})
	for i, out := range outs {
		v.result(op, "C24", out, inputs[i].Shape, limits(inputs[i])...)
		v.bodyElem(op, "C25", i, out, elems[i])
	}
}

// scatterCheck is one scatter being checked, in the specification's terms.
type scatterCheck struct {
	*verifier
	op                   *mlir.Op
	s                    stablehlo.ScatterDims
	in, indices, update0 *mlir.TensorType
}

func (c scatterCheck) ranks() {
	op, s := c.op, c.s
	rank, irank := len(c.in.Shape), len(c.indices.Shape)
	if s.IndexVectorDim < 0 || s.IndexVectorDim > int64(irank) {
		c.stop(op, "C22", "index_vector_dim %d is not in [0, %d]", s.IndexVectorDim, irank)
	}
	if n := len(s.UpdateWindowDims) + len(s.InsertedWindowDims) + len(s.InputBatchingDims); n != rank {
		c.stop(op, "C2", "window, inserted and batching dimensions are %d, but the input %s has %d", n, c.in, rank)
	}
	if len(s.InputBatchingDims) != len(s.ScatterIndicesBatchingDims) {
		c.stop(op, "C17", "inputs and indices batch over %d and %s", len(s.InputBatchingDims), diag.Count(len(s.ScatterIndicesBatchingDims), "dimension"))
	}
	size := int64(1)
	if s.IndexVectorDim < int64(irank) {
		size = c.indices.Shape[s.IndexVectorDim]
	}
	if !c.sameDim(size, int64(len(s.ScatterDimsToOperandDims))) {
		c.stop(op, "C19", "scatter_dims_to_operand_dims has %s, but an index has %d", diag.Count(len(s.ScatterDimsToOperandDims), "entry"), size)
	}
}

func (c scatterCheck) dims() {
	op, s := c.op, c.s
	rank, irank := len(c.in.Shape), len(c.indices.Shape)
	c.unique(op, "C7", "update_window_dims", s.UpdateWindowDims...)
	c.sorted(op, "C7", "update_window_dims", s.UpdateWindowDims)
	c.within(op, "C8", "update_window_dims", s.UpdateWindowDims, len(c.update0.Shape))
	c.unique(op, "C9", "inserted_window_dims with input_batching_dims", slices.Concat(s.InsertedWindowDims, s.InputBatchingDims)...)
	c.sorted(op, "C10", "inserted_window_dims", s.InsertedWindowDims)
	c.within(op, "C11", "inserted_window_dims", s.InsertedWindowDims, rank)
	c.sorted(op, "C12", "input_batching_dims", s.InputBatchingDims)
	c.within(op, "C13", "input_batching_dims", s.InputBatchingDims, rank)
	c.unique(op, "C14", "scatter_indices_batching_dims", s.ScatterIndicesBatchingDims...)
	c.within(op, "C15", "scatter_indices_batching_dims", s.ScatterIndicesBatchingDims, irank)
	c.unique(op, "C20", "scatter_dims_to_operand_dims with input_batching_dims", slices.Concat(s.ScatterDimsToOperandDims, s.InputBatchingDims)...)
	c.within(op, "C21", "scatter_dims_to_operand_dims", s.ScatterDimsToOperandDims, rank)
}

// update checks the shape of the updates: windows of the input at the window
// dimensions, and the indices' dimensions elsewhere.
func (c scatterCheck) update() {
	windows := rest(c.in.Shape, c.s.InsertedWindowDims, c.s.InputBatchingDims)
	batch := rest(c.indices.Shape, []int64{c.s.IndexVectorDim})
	shape := c.update0.Shape
	if len(shape) != len(windows)+len(batch) {
		c.stop(c.op, "C4", "the update is %s, but should have %s", c.update0, diag.Count(len(windows)+len(batch), "dimension"))
	}
	for i, d := range shape {
		if slices.Contains(c.s.UpdateWindowDims, int64(i)) {
			if d != mlir.Dynamic && !c.atMost(d, windows[0]) {
				c.stop(c.op, "C4", "dimension %d of the update is %d, more than the input's %d", i, d, windows[0])
			}
			windows = windows[1:]
			continue
		}
		if !c.sameDim(d, batch[0]) {
			c.stop(c.op, "C4", "dimension %d of the update is %d, but that of the indices is %d", i, d, batch[0])
		}
		batch = batch[1:]
	}
}
