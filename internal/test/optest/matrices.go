package optest

import (
	"math"

	"ltc/ir/types"
)

// naiveCholesky computes rows of L one after the other, from the triangle that is read.
func naiveCholesky(c Call, d types.DType, args []*Tensor) (*Tensor, error) {
	x, upper := args[0], c.Attr("upper", d) == "true"
	place := func(batch []int, i, j int) []int {
		if upper {
			i, j = j, i
		}
		return append(append([]int{}, batch...), i, j)
	}
	var l func(batch []int, i, j int) float64
	l = func(batch []int, i, j int) float64 {
		s := x.get(place(batch, i, j)...).F
		for k := range j {
			s -= l(batch, i, k) * l(batch, j, k)
		}
		if i == j {
			return math.Sqrt(s)
		}
		return s / l(batch, j, j)
	}
	return build(x.Type.DType, x.Type.Shape, func(at []int) Elem {
		batch, i, j := at[:len(at)-2], at[len(at)-2], at[len(at)-1]
		if upper {
			i, j = j, i
		}
		if i < j {
			return Float(0)
		}
		return Float(l(batch, i, j))
	}), nil
}

// naiveTriangularSolve is substitution, each unknown from those that it depends on.
func naiveTriangularSolve(c Call, d types.DType, args []*Tensor) (*Tensor, error) {
	x, b := args[0], args[1]
	flag := func(name string) bool { return c.Attr(name, d) == "true" }
	right, upper, transpose, unit := flag("right"), flag("upper"), flag("transpose"), flag("unit")
	n := x.Type.Shape[x.Type.Rank()-1]
	// For y·x = b the system is xᵀ·yᵀ = bᵀ.
	turned := transpose != right
	if turned {
		upper = !upper
	}
	entry := func(batch []int, i, j int) float64 {
		if turned {
			i, j = j, i
		}
		return x.get(append(append([]int{}, batch...), i, j)...).F
	}
	var unknown func(batch []int, i, side int) float64
	unknown = func(batch []int, i, side int) float64 {
		at := append(append([]int{}, batch...), i, side)
		if right {
			at[len(batch)], at[len(batch)+1] = side, i
		}
		s := b.get(at...).F
		for j := range n {
			if j > i && upper || j < i && !upper {
				s -= entry(batch, i, j) * unknown(batch, j, side)
			}
		}
		if unit {
			return s
		}
		return s / entry(batch, i, i)
	}
	return build(b.Type.DType, b.Type.Shape, func(at []int) Elem {
		batch, i, side := at[:len(at)-2], at[len(at)-2], at[len(at)-1]
		if right {
			i, side = side, i
		}
		return Float(unknown(batch, i, side))
	}), nil
}
