package stablehlo

import (
	"slices"

	"ltc/mlir"
)

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
