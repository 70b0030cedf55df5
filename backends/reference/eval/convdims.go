package eval

import (
	"fmt"
	"slices"

	"ltc/mlir"
	"ltc/stablehlo"
)

// convDims says which dimensions of a convolution's operands and result are
// what: of lhs batch, feature and the spatial ones, of rhs input feature,
// output feature and the spatial ones, of the result as of lhs.
type convDims [3]struct {
	first, second int
	spatial       []int
}

// parseConvDims reads the dimension numbers of tensors of the given rank, each
// dimension of which must be there once.
func parseConvDims(a mlir.Attribute, rank int) (c convDims, err error) {
	d, err := stablehlo.ParseConv(a)
	if err != nil {
		return c, err
	}
	c[0].first, c[0].second, c[0].spatial = int(d.InputBatch), int(d.InputFeature), toInts(d.InputSpatial)
	c[1].first, c[1].second, c[1].spatial = int(d.KernelInputFeature), int(d.KernelOutFeature), toInts(d.KernelSpatial)
	c[2].first, c[2].second, c[2].spatial = int(d.OutputBatch), int(d.OutputFeature), toInts(d.OutputSpatial)
	for i, side := range []string{"lhs", "rhs", "the result"} {
		all := append(slices.Clone(c[i].spatial), c[i].first, c[i].second)
		slices.Sort(all)
		for k, n := range all {
			if n != k || len(all) != rank {
				return c, fmt.Errorf("dimension numbers: %v of %s are not the dimensions of a tensor of rank %d", all, side, rank)
			}
		}
	}
	return c, nil
}
