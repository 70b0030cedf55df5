package stablehlo

import (
	"slices"

	"ltc/mlir"
)

// DotDims is the dimensions that a dot_general contracts and batches over.
type DotDims struct{ LHSBatch, RHSBatch, LHSContract, RHSContract []int64 }

// ParseDot reads a #stablehlo.dot<…>; fields that are missing are empty.
func ParseDot(a mlir.Attribute) (d DotDims, ok bool) {
	ok = fields(a, "stablehlo.dot", map[string]any{
		"lhs_batching_dimensions": &d.LHSBatch, "rhs_batching_dimensions": &d.RHSBatch,
		"lhs_contracting_dimensions": &d.LHSContract, "rhs_contracting_dimensions": &d.RHSContract,
	})
	return d, ok
}

// Attr returns the attribute, without the fields that are empty.
func (d DotDims) Attr() mlir.StructAttr {
	a := mlir.StructAttr{Name: "stablehlo.dot"}
	appendInts(&a.Fields, "lhs_batching_dimensions", d.LHSBatch)
	appendInts(&a.Fields, "rhs_batching_dimensions", d.RHSBatch)
	appendInts(&a.Fields, "lhs_contracting_dimensions", d.LHSContract)
	appendInts(&a.Fields, "rhs_contracting_dimensions", d.RHSContract)
	return a
}

// GatherDims is the dimension numbers of a gather.
type GatherDims struct {
	OffsetDims, CollapsedSliceDims                []int64
	OperandBatchingDims, StartIndicesBatchingDims []int64
	StartIndexMap                                 []int64
	IndexVectorDim                                int64
}

// ParseGather reads a #stablehlo.gather<…>; fields that are missing are empty.
func ParseGather(a mlir.Attribute) (g GatherDims, ok bool) {
	ok = fields(a, "stablehlo.gather", map[string]any{
		"offset_dims": &g.OffsetDims, "collapsed_slice_dims": &g.CollapsedSliceDims,
		"operand_batching_dims": &g.OperandBatchingDims, "start_indices_batching_dims": &g.StartIndicesBatchingDims,
		"start_index_map": &g.StartIndexMap, "index_vector_dim": &g.IndexVectorDim,
	})
	return g, ok
}

// Attr returns the attribute, without lists that are empty and a number that
// is 0.
func (g GatherDims) Attr() mlir.StructAttr {
	a := mlir.StructAttr{Name: "stablehlo.gather"}
	appendInts(&a.Fields, "offset_dims", g.OffsetDims)
	appendInts(&a.Fields, "collapsed_slice_dims", g.CollapsedSliceDims)
	appendInts(&a.Fields, "operand_batching_dims", g.OperandBatchingDims)
	appendInts(&a.Fields, "start_indices_batching_dims", g.StartIndicesBatchingDims)
	appendInts(&a.Fields, "start_index_map", g.StartIndexMap)
	appendInt(&a.Fields, "index_vector_dim", g.IndexVectorDim)
	return a
}

// ScatterDims is the dimension numbers of a scatter.
type ScatterDims struct {
	UpdateWindowDims, InsertedWindowDims          []int64
	InputBatchingDims, ScatterIndicesBatchingDims []int64
	ScatterDimsToOperandDims                      []int64
	IndexVectorDim                                int64
}

// ParseScatter reads a #stablehlo.scatter<…>; fields that are missing are empty.
func ParseScatter(a mlir.Attribute) (s ScatterDims, ok bool) {
	ok = fields(a, "stablehlo.scatter", map[string]any{
		"update_window_dims": &s.UpdateWindowDims, "inserted_window_dims": &s.InsertedWindowDims,
		"input_batching_dims": &s.InputBatchingDims, "scatter_indices_batching_dims": &s.ScatterIndicesBatchingDims,
		"scatter_dims_to_operand_dims": &s.ScatterDimsToOperandDims, "index_vector_dim": &s.IndexVectorDim,
	})
	return s, ok
}

// Attr returns the attribute, without lists that are empty and a number that
// is 0.
func (s ScatterDims) Attr() mlir.StructAttr {
	a := mlir.StructAttr{Name: "stablehlo.scatter"}
	appendInts(&a.Fields, "update_window_dims", s.UpdateWindowDims)
	appendInts(&a.Fields, "inserted_window_dims", s.InsertedWindowDims)
	appendInts(&a.Fields, "input_batching_dims", s.InputBatchingDims)
	appendInts(&a.Fields, "scatter_indices_batching_dims", s.ScatterIndicesBatchingDims)
	appendInts(&a.Fields, "scatter_dims_to_operand_dims", s.ScatterDimsToOperandDims)
	appendInt(&a.Fields, "index_vector_dim", s.IndexVectorDim)
	return a
}

func appendInts(d *mlir.Dict, name string, v []int64) {
	if len(v) == 0 {
		return
	}
	a := make(mlir.ArrayAttr, len(v))
	for i, x := range v {
		a[i] = mlir.IntegerAttr{Value: x}
	}
	*d = append(*d, mlir.NamedAttr{Name: name, Value: a})
}

func appendInt(d *mlir.Dict, name string, v int64) {
	if v == 0 {
		return // as the dialect prints it
	}
	*d = append(*d, mlir.NamedAttr{Name: name, Value: mlir.IntegerAttr{Value: v}})
}

// fields fills in what the names point to, and reports whether a is the struct
// called name with no other fields and no field of another kind.
func fields(a mlir.Attribute, name string, into map[string]any) bool {
	s, ok := a.(mlir.StructAttr)
	if !ok || s.Name != name {
		return false
	}
	for _, f := range s.Fields {
		var good bool
		switch p := into[f.Name].(type) {
		case *[]int64:
			*p, good = mlir.Ints(f.Value)
		case *int64:
			*p, good = mlir.Int(f.Value)
		}
		if !good {
			return false
		}
	}
	return true
}

// BroadcastDims returns, for each operand of a chlo.broadcast_… op, which dimensions of
// the result its own become. These are the last ones, or for the operand of lower rank
// those of the attribute broadcast_dimensions. why says what is wrong; "" if nothing.
func BroadcastDims(op *mlir.Op) (dims [][]int64, why string) {
	rank := 0
	for _, x := range op.Operands {
		t, ok := x.Type.(*mlir.TensorType)
		if !ok || t.Unranked {
			return nil, "the operands should be tensors of known rank"
		}
		rank = max(rank, len(t.Shape))
	}
	given, explicit := mlir.Ints(op.Attrs.Get("broadcast_dimensions"))
	for _, x := range op.Operands {
		n := len(x.Type.(*mlir.TensorType).Shape)
		if explicit && n < rank {
			if len(given) != n || !slices.IsSorted(given) || len(slices.Compact(slices.Clone(given))) != n {
				return nil, "broadcast_dimensions should be a rising list with an entry for each dimension of the operand of lower rank"
			}
			dims = append(dims, given)
			continue
		}
		d := make([]int64, n)
		for k := range d {
			d[k] = int64(rank - n + k)
		}
		dims = append(dims, d)
	}
	return dims, ""
}

// RaggedDims is the dimension numbers of a chlo.ragged_dot.
type RaggedDims struct {
	DotDims
	LHSRagged, RHSGroup []int64
}

// ParseRaggedDot reads a #chlo.ragged_dot<…>; fields that are missing are empty.
func ParseRaggedDot(a mlir.Attribute) (d RaggedDims, ok bool) {
	ok = fields(a, "chlo.ragged_dot", map[string]any{
		"lhs_batching_dimensions": &d.LHSBatch, "rhs_batching_dimensions": &d.RHSBatch,
		"lhs_contracting_dimensions": &d.LHSContract, "rhs_contracting_dimensions": &d.RHSContract,
		"lhs_ragged_dimensions": &d.LHSRagged, "rhs_group_dimensions": &d.RHSGroup,
	})
	return d, ok
}

// RaggedMode says which dimension of the left operand comes in groups.
type RaggedMode int

// The modes, by the kind of the ragged dimension.
const (
	RaggedRows        RaggedMode = 1 + iota // one of the left operand alone: [b,m,k] [g,b,k,n] -> [b,m,n]
	RaggedContracting                       // one that is summed over: [b,m,k] [b,k,n] -> [g,b,m,n]
	RaggedBatch                             // one of the batch: [b,m,k] [b,k,n] -> [b,m,n]
)

// Mode returns the op's mode; the one ragged dimension must be there.
func (d RaggedDims) Mode() RaggedMode {
	switch r := d.LHSRagged[0]; {
	case slices.Contains(d.LHSContract, r):
		return RaggedContracting
	case slices.Contains(d.LHSBatch, r):
		return RaggedBatch
	}
	return RaggedRows
}

// RaggedLead returns the left operand's dimensions that the first dimensions
// of the group sizes stand for, where there are any.
func RaggedLead(d RaggedDims, rank int) []int64 {
	r := d.LHSRagged[0]
	switch d.Mode() {
	case RaggedContracting:
		return slices.Concat(d.LHSBatch, before(d.LHSContract, r))
	case RaggedBatch:
		return before(d.LHSBatch, r)
	}
	return slices.Concat(d.LHSBatch, before(d.LHSFree(rank), r))
}

func before(list []int64, x int64) []int64 { return list[:max(slices.Index(list, x), 0)] }

// LHSFree returns the left operand's dimensions that the result keeps as rows.
func (d DotDims) LHSFree(rank int) []int64 {
	var free []int64
	for i := range int64(rank) {
		if !slices.Contains(d.LHSBatch, i) && !slices.Contains(d.LHSContract, i) {
			free = append(free, i)
		}
	}
	return free
}
