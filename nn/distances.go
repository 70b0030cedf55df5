package nn

import (
	"fmt"

	"ltc/internal/functions"
	"ltc/lazy"
)

func checkCosineSimilarity(x, y *lazy.Tensor, axis int, _ float64) (demand, reason string) {
	if functions.CheckBroadcast(x, y) != "" {
		return cosineSimilarityShapes, "x and y must have shapes that broadcast"
	}
	if n := max(x.Rank(), y.Rank(), 1); axis < -n || axis >= n {
		return cosineSimilarityAxis, fmt.Sprintf("axis is %d, must be from %d to %d", axis, -n, n-1)
	}
	return "", ""
}

func computeCosineSimilarity(x, y *lazy.Tensor, axis int, epsilon float64) *lazy.Tensor {
	return functions.Wide(func(xs ...*lazy.Tensor) *lazy.Tensor {
		x, y := xs[0], xs[1]
		rank := max(x.Rank(), y.Rank(), 1)
		x, y = ofRank(x, rank), ofRank(y, rank)
		axis := (axis + rank) % rank
		if n := x.OpenDim(axis); n != y.OpenDim(axis) { // norms are of what is repeated
			if n == 1 {
				n = y.OpenDim(axis)
			}
			x, y = repeated(x, axis, n), repeated(y, axis, n)
		}
		unit := func(x *lazy.Tensor) *lazy.Tensor { return x.Div(atLeast(norm(x, 2, axis), epsilon)) }
		return unit(x).Mul(unit(y)).Sum(axis)
	}, x, y)
}

// ofRank returns x with new first axes, as many as the rank has more.
func ofRank(x *lazy.Tensor, rank int) *lazy.Tensor {
	for x.Rank() < rank {
		x = x.Unsqueeze(0)
	}
	return x
}

// repeated returns x with dimension n for the axis.
func repeated(x *lazy.Tensor, axis, n int) *lazy.Tensor {
	s := append([]int(nil), x.OpenShape()...)
	s[axis] = n
	return x.BroadcastTo(s...)
}

func checkPairwiseDistance(x, y *lazy.Tensor, p, _ float64, _ bool) (demand, reason string) {
	if x.Rank() == 0 || functions.CheckBroadcast(x, y) != "" {
		return pairwiseDistanceShapes, "x must have an axis, and a shape that broadcasts with that of y"
	}
	return "", ""
}

func computePairwiseDistance(x, y *lazy.Tensor, p, epsilon float64, keep bool) *lazy.Tensor {
	return functions.Wide(func(x ...*lazy.Tensor) *lazy.Tensor {
		d := norm(x[0].Sub(x[1]).AddScalar(epsilon), p, -1)
		if keep {
			return d
		}
		return d.Squeeze(-1)
	}, x, y)
}

func checkCDist(x, y *lazy.Tensor, p float64) (demand, reason string) {
	if x.Rank() < 2 || y.Rank() < 2 || x.OpenDim(-1) != y.OpenDim(-1) {
		return cDistShapes, "x and y must have at least rank 2, and as many features"
	}
	if _, ok := functions.Batches(2, x, y); !ok {
		return cDistShapes, "the axes of x and y before the last two must broadcast"
	}
	if p < 0 {
		return cDistPower, fmt.Sprintf("p is %v, must not be negative", p)
	}
	return "", ""
}

func computeCDist(x, y *lazy.Tensor, p float64) *lazy.Tensor {
	return functions.Wide(func(x ...*lazy.Tensor) *lazy.Tensor {
		return norm(x[0].Unsqueeze(-2).Sub(x[1].Unsqueeze(-3)), p, -1).Squeeze(-1)
	}, x, y)
}

func checkPDist(x *lazy.Tensor, p float64) (demand, reason string) {
	if x.Rank() != 2 {
		return pDistRank, fmt.Sprintf("x has rank %d, must be [n, features]", x.Rank())
	}
	if p < 0 {
		return pDistPower, fmt.Sprintf("p is %v, must not be negative", p)
	}
	return "", ""
}

func computePDist(x *lazy.Tensor, p float64) *lazy.Tensor {
	var first, second []int32
	for i := range x.Dim(0) {
		for j := i + 1; j < x.Dim(0); j++ {
			first, second = append(first, int32(i)), append(second, int32(j))
		}
	}
	return functions.Wide(func(xs ...*lazy.Tensor) *lazy.Tensor {
		x := xs[0]
		a, b := x.Gather(lazy.From(x.Trace(), first, len(first))), x.Gather(lazy.From(x.Trace(), second, len(second)))
		return norm(a.Sub(b), p, 1).Squeeze(1)
	}, x)
}
