package optest

import (
	"fmt"
	"slices"
	"strings"

	"ltc/internal/diag"
	"ltc/ir/types"
)

// naive computes a call from its arguments; d is the run's dtype. Nothing is
// what it does not know.
type naive func(c Call, d types.DType, args []*Tensor) (*Tensor, error)

// Naive computes a call in the most obvious way: floating-point arithmetic in
// float64, rounded at the end, integers without limit, wrapped at the end. ok
// is false for an op that it does not know, and for complex numbers: those results are written
// by hand.
func Naive(c Call, d types.DType, args []*Tensor) (t *Tensor, ok bool, err error) {
	f := naiveOps[c.Op]
	if e, elementwise := naiveElementwise[c.Op]; elementwise {
		f = e.broadcast
	}
	if f == nil || d.IsComplex() || slices.ContainsFunc(args, func(t *Tensor) bool { return t.Type.DType.IsComplex() }) {
		return nil, false, nil
	}
	t, err = f(c, d, args)
	if t == nil || err != nil {
		return nil, err != nil, err
	}
	for i := range t.Elems {
		t.Elems[i] = Round(t.Type.DType, t.Elems[i])
	}
	if len(t.Elems) != t.Type.Elements() {
		return nil, true, fmt.Errorf("naive %s gives %s for %v", c.Op, diag.Count(len(t.Elems), "element"), t.Type)
	}
	return t, true, nil
}

// elementwise computes one element of a result of dtype out, the last
// argument's if nil.
type elementwise struct {
	f   func(c Call, d types.DType, x []Elem) Elem
	out func(c Call, d types.DType) types.DType
}

// broadcast applies e after NumPy's rule: shapes are aligned at the last axis
// and dimensions of 1 are repeated.
func (e elementwise) broadcast(c Call, d types.DType, args []*Tensor) (*Tensor, error) {
	var shape types.Shape
	for _, a := range args {
		for len(shape) < a.Type.Rank() {
			shape = append(types.Shape{1}, shape...)
		}
	}
	for _, a := range args {
		for i, n := range a.Type.Shape {
			if n != 1 {
				shape[len(shape)-a.Type.Rank()+i] = n
			}
		}
	}
	t := &Tensor{Type: types.Type{DType: args[len(args)-1].Type.DType, Shape: shape}}
	if e.out != nil {
		t.Type.DType = e.out(c, d)
	}
	each(shape, func(index []int) {
		x := make([]Elem, len(args))
		for i, a := range args {
			own := index[len(index)-a.Type.Rank():]
			x[i] = a.at(func(axis int) int { return min(own[axis], a.Type.Shape[axis]-1) })
		}
		t.Elems = append(t.Elems, e.f(c, args[len(args)-1].Type.DType, x))
	})
	return t, nil
}

// each calls f for every index of the shape, in row-major order.
func each(shape []int, f func(index []int)) {
	index := make([]int, len(shape))
	var rec func(axis int)
	rec = func(axis int) {
		if axis == len(shape) {
			f(index)
			return
		}
		for index[axis] = 0; index[axis] < shape[axis]; index[axis]++ {
			rec(axis + 1)
		}
	}
	rec(0)
}

// at returns the element whose index on each axis is what index says.
func (t *Tensor) at(index func(axis int) int) Elem {
	at := 0
	for axis, n := range t.Type.Shape {
		at = at*n + index(axis)
	}
	return t.Elems[at]
}

// get returns the element at an index.
func (t *Tensor) get(index ...int) Elem { return t.at(func(axis int) int { return index[axis] }) }

// build makes a tensor element by element.
func build(d types.DType, shape []int, f func(index []int) Elem) *Tensor {
	t := &Tensor{Type: types.Type{DType: d, Shape: shape}}
	each(shape, func(index []int) { t.Elems = append(t.Elems, f(index)) })
	return t
}

// axesAttr returns the named axes counted from the front, all when none is
// named.
func axesAttr(c Call, name string, rank int) (map[int]bool, error) {
	list, err := c.IntsAttr(name)
	if err != nil {
		return nil, err
	}
	set := map[int]bool{}
	for _, a := range list {
		set[(a+rank)%max(rank, 1)] = rank > 0
	}
	if len(list) == 0 {
		for a := range rank {
			set[a] = true
		}
	}
	return set, nil
}

func axisAttr(c Call, name string, rank int) (int, error) {
	a, err := c.IntAttr(name)
	return (a + rank) % max(rank, 1), err
}

func word(c Call, name string) string { return strings.Trim(c.Attr(name, 0), `"`) }

// reduce folds the elements along axes, in order, from the first on.
func reduce(x *Tensor, axes map[int]bool, f func(all []Elem) Elem) *Tensor {
	var kept []int
	for a, n := range x.Type.Shape {
		if !axes[a] {
			kept = append(kept, n)
		}
	}
	return build(x.Type.DType, kept, func(index []int) Elem {
		var all []Elem
		each(x.Type.Shape, func(from []int) {
			k := 0
			for a := range x.Type.Shape {
				if axes[a] {
					continue
				}
				if from[a] != index[k] {
					return
				}
				k++
			}
			all = append(all, x.get(from...))
		})
		return f(all)
	})
}
