package shapeinfer

import (
	"slices"

	"ltc/internal/diag"
	"ltc/ir"
	"ltc/ir/dims"
	"ltc/ir/types"
)

func inferSliceScatter(in []*ir.Node, attrs []ir.Attr, _ *ir.Composite) (types.Type, *broken) {
	x, update := in[0].Type, in[1].Type
	starts, strides := attrs[ir.SliceScatterStarts].Ints, attrs[ir.SliceScatterStrides].Ints
	if update.Rank() != x.Rank() {
		return breaks(sliceScatterRank, "update has rank %d, x has %d", update.Rank(), x.Rank())
	}
	if len(starts) != x.Rank() || len(strides) != x.Rank() {
		return breaks(sliceScatterLengths, "got %s and %s for rank %d", diag.Count(len(starts), "start"), diag.Count(len(strides), "stride"), x.Rank())
	}
	for i, d := range x.Shape {
		n := update.Shape[i]
		if strides[i] <= 0 {
			return breaks(sliceScatterStrides, "axis %d: stride %d is not positive: the elements of update go forwards, each to a place of its own", i, strides[i])
		}
		// start + (n-1)*stride < d without wrapping around
		if dims.HasExpr(d, n, starts[i]) {
			if last := dims.Add(starts[i], ir.Spread(n, strides[i])); dims.Less(starts[i], 0) || dims.Less(d, last) {
				return breaks(sliceScatterBounds, "axis %d: no room for %s from %s in steps of %d in dimension %s", i, elements(n), dims.String(starts[i]), strides[i], dims.String(d))
			}
			continue
		}
		if starts[i] < 0 || n == 0 && starts[i] > d || n > 0 && (starts[i] >= d || (n-1) > (d-1-starts[i])/strides[i]) {
			return breaks(sliceScatterBounds, "axis %d: no room for %s from %d in steps of %d in dimension %d", i, diag.Count(n, "element"), starts[i], strides[i], d)
		}
	}
	return x, nil
}

func inferAsStrided(in []*ir.Node, attrs []ir.Attr, _ *ir.Composite) (types.Type, *broken) {
	x := in[0].Type
	t := types.Type{DType: x.DType, Shape: attrs[ir.AsStridedSizes].Ints}
	if err := t.CheckSizes(); err != nil {
		return breaks(asStridedSizes, "%v", err)
	}
	return t, places(x, t.Shape, attrs[ir.AsStridedStrides].Ints, int(attrs[ir.AsStridedOffset].Int), asStridedStrides, asStridedBounds)
}

func inferAsStridedScatter(in []*ir.Node, attrs []ir.Attr, _ *ir.Composite) (types.Type, *broken) {
	x, update := in[0].Type, in[1].Type
	strides := attrs[ir.AsStridedScatterStrides].Ints
	if b := places(x, update.Shape, strides, int(attrs[ir.AsStridedScatterOffset].Int), asStridedScatterStrides, asStridedScatterBounds); b != nil {
		return types.Type{}, b
	}
	if types.Overlaps(update.Shape, strides, -1) {
		return breaks(asStridedScatterDistinct, "with strides %v some of the elements of %v have one place", strides, update.Shape)
	}
	return x, nil
}

// places checks that all places of a strided window lie within x; counts and
// bounds are what the op demands of the strides and of the places.
func places(x types.Type, sizes types.Shape, strides []int, offset int, counts, bounds demand) *broken {
	if len(strides) != len(sizes) {
		_, b := breaks(counts, "%s for %s", diag.Count(len(strides), "stride"), diag.Count(len(sizes), "dimension"))
		return b
	}
	if i := slices.IndexFunc(strides, func(s int) bool { return s < 0 }); i >= 0 {
		_, b := breaks(counts, "stride %d is negative: windows do not run backwards; Gather puts rows into another order first", strides[i])
		return b
	}
	if dims.HasExpr(x.Shape...) || dims.HasExpr(sizes...) || dims.HasExpr(strides...) || dims.IsExpr(offset) {
		_, b := breaks(bounds, "%v with strides %v of %v: sizes that are open have no strides; Slice, Gather and Reshape take them", sizes, strides, x.Shape)
		return b
	}
	left := x.Elements() - 1 - offset
	out := offset < 0 || left < 0
	for i, d := range sizes {
		switch {
		case d == 0:
			if offset < 0 || offset > x.Elements() {
				break
			}
			return nil
		case out:
		case d > 1 && strides[i] > left/(d-1):
			out = true
		case d > 1:
			left -= (d - 1) * strides[i]
		}
	}
	if out {
		_, b := breaks(bounds, "%v with strides %v from %d leaves the %s of x", sizes, strides, offset, diag.Count(x.Elements(), "element"))
		return b
	}
	return nil
}
