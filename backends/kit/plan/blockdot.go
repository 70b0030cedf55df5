package plan

import (
	"math"
	"slices"

	"ltc/backends/kit/kernel"
	"ltc/ir/types"
	"ltc/mlir"
)

// BlockDotOf returns what a composite is, if it is a product with a quantized matrix whose operands are dense. All
// else is what its body says.
func BlockDotOf(c *Composite) (d kernel.BlockDot, ok bool) {
	if c.Name != kernel.BlockDotName || len(c.Attrs) != 1 || len(c.Args) != 2 || len(c.Outs) != 1 {
		return d, false
	}
	offset, ok := mlir.Int(c.Attrs.Get("offset"))
	x, blocks := c.Args[0].Type, c.Args[1].Type
	if !ok || offset < math.MinInt8 || offset > math.MaxInt8 || x.Rank() != 3 || blocks.Rank() != 3 {
		return d, false
	}
	for _, bits := range []int{4, 8} {
		for _, minima := range []bool{false, true} {
			d = kernel.BlockDot{Rows: x.Shape[0], Groups: blocks.Shape[0], Blocks: x.Shape[1], Bits: bits, Offset: int(offset), Minima: minima}
			if d.Size() == blocks.Shape[2] {
				return d, isBlockDot(c, d)
			}
		}
	}
	return d, false
}

// isBlockDot reports whether values are dense and of the types that d says.
func isBlockDot(c *Composite, d kernel.BlockDot) bool {
	want := []types.Type{
		types.Of(types.F32, d.Rows, d.Blocks, kernel.BlockDotCodes),
		types.Of(types.U32, d.Groups, d.Blocks, d.Size()),
		types.Of(types.F32, d.Rows, d.Groups, kernel.BlockDotLanes),
	}
	for i, v := range slices.Concat(c.Args, c.Outs) {
		if !v.Type.Equal(want[i]) || !slices.Equal(v.Strides, RowMajor(v.Type.Shape)) {
			return false
		}
	}
	return true
}
