package lazy

import (
	"math/bits"

	"ltc/ir"
	"ltc/ir/dims"
	"ltc/ir/types"
)

func checkKthValue(x *Tensor, k, axis int) *breach {
	if d := x.OpenDim(axis); k < 1 && !dims.IsExpr(k) || dims.Less(d, k) {
		return breaks(kthValueK, "k is %s, axis %d has %s", dims.String(k), axis, countOf(d, "element"))
	}
	return nil
}

func computeKthValue(x *Tensor, k, axis int) (values, indices *Tensor) {
	values, indices = x.Sort(axis, false)
	return values.Select(axis, dims.Sub(k, 1)), indices.Select(axis, dims.Sub(k, 1))
}

func gradKthValue(x *Tensor, y, ct []*Tensor, _, axis int) []*Tensor {
	return chosenAlong(x, y[1], ct[0], axis)
}

func checkMedian(x *Tensor, axis int) *breach { return hasElements(x, axis, medianElements) }

func computeMedian(x *Tensor, axis int) (values, indices *Tensor) {
	sorted, from := x.Sort(axis, false)
	last := dims.Sub(x.OpenDim(axis), 1)
	middle := dims.Div(last, 2)
	values, indices = sorted.Select(axis, middle), from.Select(axis, middle)
	if x.DType().IsFloat() { // NaNs come last
		largest := sorted.Select(axis, last)
		nan := largest.NotEqual(largest)
		values, indices = nan.Where(largest, values), nan.Where(x.ArgMax(axis), indices)
	}
	return values, indices
}

func gradMedian(x *Tensor, y, ct []*Tensor, axis int) []*Tensor {
	return chosenAlong(x, y[1], ct[0], axis)
}

func checkMode(x *Tensor, axis int) *breach { return hasElements(x, axis, modeElements) }

// computeMode takes the last element of the first longest run of equal sorted elements.
func computeMode(x *Tensor, axis int) (values, indices *Tensor) {
	sorted, from := x.Sort(axis, false)
	at := Iota(x.tr, types.I64, axis, x.OpenShape()...)
	begins := at.Equal(at.like(0)).Or(sorted.NotEqual(moveOn(sorted, axis, 1)))
	length := at.Sub(begins.Where(at, at.like(0)).scanned(ir.OpMaxPool, axis))
	end := length.ArgMax(axis)
	chosen := at.Equal(end.Unsqueeze(axis)) // one along the axis
	indices = chosen.Where(from, at.like(0)).Sum(axis)
	return chosen.Where(sorted, sorted.like(0)).Sum(axis), indices
}

func gradMode(x *Tensor, y, ct []*Tensor, axis int) []*Tensor {
	return chosenAlong(x, y[1], ct[0], axis)
}

func checkSearchSorted(x, values *Tensor, _ bool) *breach {
	switch {
	case x.Rank() == 0:
		return breaks(searchSortedRank, "x is a scalar")
	case x.Rank() > 1 && (values.Rank() != x.Rank() || !values.OpenShape()[:x.Rank()-1].Equal(x.OpenShape()[:x.Rank()-1])):
		return breaks(searchSortedBatch, "x has the shape %v and values %v", x.OpenShape(), values.OpenShape())
	}
	return nil
}

func computeSearchSorted(x, values *Tensor, right bool) *Tensor {
	n, last := x.OpenDim(-1), x.Rank()-1
	before := func(row, value *Tensor) *Tensor {
		y := row.Less(value)
		if right {
			y = row.LessEqual(value)
		}
		if x.DType().IsFloat() {
			y = y.Or(value.NotEqual(value))
		}
		return y
	}
	if dims.IsExpr(n) || n < 16 {
		row := x
		if last > 0 {
			row = x.Unsqueeze(-2)
		}
		return before(row, values.Unsqueeze(-1)).Convert(types.I64).Sum(-1)
	}
	// A binary search: the rows before low are all before the value.
	low := Zeros(x.tr, types.I64, values.OpenShape()...)
	for step := 1 << (bits.Len(uint(n)) - 1); step > 0; step /= 2 {
		next := low.Add(low.like(float64(step)))
		row := next.Sub(next.like(1)).Minimum(next.like(float64(n - 1)))
		element := record2(ir.OpGather, x, row, ir.Attr{Int: int64(last)})
		low = next.LessEqual(next.like(float64(n))).And(before(element, values)).Where(next, low)
	}
	return low
}

func checkBucketize(_, boundaries *Tensor, _ bool) *breach {
	if boundaries.Rank() != 1 {
		return breaks(bucketizeRank, "boundaries are %v", boundaries.Type())
	}
	return nil
}

func computeBucketize(x, boundaries *Tensor, right bool) *Tensor {
	return computeSearchSorted(boundaries, x, right)
}
