package optest

import (
	"slices"

	"ltc/ir/types"
)

func naiveSliceScatter(c Call, _ types.DType, args []*Tensor) (*Tensor, error) {
	x, update := clone(args[0]), args[1]
	starts, err := c.IntsAttr("starts")
	if err != nil {
		return nil, err
	}
	strides, err := c.IntsAttr("strides")
	each(update.Type.Shape, func(i []int) {
		at := 0
		for a, n := range x.Type.Shape {
			at = at*n + starts[a] + i[a]*strides[a]
		}
		x.Elems[at] = update.get(i...)
	})
	return x, err
}

// naivePlace returns the place of an index in a strided window.
func naivePlace(offset int, strides, i []int) int {
	for a, s := range strides {
		offset += i[a] * s
	}
	return offset
}

func naiveAsStrided(c Call, _ types.DType, args []*Tensor) (*Tensor, error) {
	sizes, err := c.IntsAttr("sizes")
	if err != nil {
		return nil, err
	}
	strides, err := c.IntsAttr("strides")
	if err != nil {
		return nil, err
	}
	offset, err := c.IntAttr("offset")
	return build(args[0].Type.DType, sizes, func(i []int) Elem { return args[0].Elems[naivePlace(offset, strides, i)] }), err
}

func naiveAsStridedScatter(c Call, _ types.DType, args []*Tensor) (*Tensor, error) {
	x, update := clone(args[0]), args[1]
	strides, err := c.IntsAttr("strides")
	if err != nil {
		return nil, err
	}
	offset, err := c.IntAttr("offset")
	each(update.Type.Shape, func(i []int) { x.Elems[naivePlace(offset, strides, i)] = update.get(i...) })
	return x, err
}

func naiveSelect(c Call, _ types.DType, args []*Tensor) (*Tensor, error) {
	x := args[0]
	axis, err := axisAttr(c, "axis", x.Type.Rank())
	if err != nil {
		return nil, err
	}
	index, err := c.IntAttr("index")
	d := x.Type.Shape[axis]
	return build(x.Type.DType, slices.Delete(slices.Clone(x.Type.Shape), axis, axis+1), func(i []int) Elem {
		return x.get(slices.Insert(slices.Clone(i), axis, (index+d)%d)...)
	}), err
}

func naiveNarrow(c Call, _ types.DType, args []*Tensor) (*Tensor, error) {
	x := args[0]
	axis, err := axisAttr(c, "axis", x.Type.Rank())
	if err != nil {
		return nil, err
	}
	start, err := c.IntAttr("start")
	if err != nil {
		return nil, err
	}
	shape := slices.Clone(x.Type.Shape)
	shape[axis], err = c.IntAttr("length")
	return build(x.Type.DType, shape, func(i []int) Elem {
		i = slices.Clone(i)
		i[axis] += start
		return x.get(i...)
	}), err
}

func naiveDiagonal(c Call, _ types.DType, args []*Tensor) (*Tensor, error) {
	x := args[0]
	offset, err := c.IntAttr("offset")
	if err != nil {
		return nil, err
	}
	a1, err := axisAttr(c, "axis1", x.Type.Rank())
	if err != nil {
		return nil, err
	}
	a2, err := axisAttr(c, "axis2", x.Type.Rank())
	var shape []int
	for a, d := range x.Type.Shape {
		if a != a1 && a != a2 {
			shape = append(shape, d)
		}
	}
	n := 0
	for i := range x.Type.Shape[a1] {
		if j := i + offset; j >= 0 && j < x.Type.Shape[a2] {
			n++
		}
	}
	return build(x.Type.DType, append(shape, n), func(i []int) Elem {
		last, rest := i[len(i)-1], i[:len(i)-1]
		at := make([]int, x.Type.Rank())
		at[a1], at[a2] = last+max(-offset, 0), last+max(offset, 0)
		k := 0
		for a := range at {
			if a != a1 && a != a2 {
				at[a] = rest[k]
				k++
			}
		}
		return x.get(at...)
	}), err
}
