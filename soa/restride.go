package soa

import (
	"fmt"

	"ltc/ir/types"
)

// Restride returns the elements of a dense view at offset + i*strides[0] + …
// for each index (i, …) of t's shape, where they lie. It reports an error when
// one lies outside the view or t's elements are of another dtype.
func (v View) Restride(t types.Type, offset int, strides []int) (View, error) {
	switch err := t.Check(); {
	case err != nil:
		return View{}, fmt.Errorf("restride of %v: %w", v.Type, err)
	case !v.IsDense():
		return View{}, fmt.Errorf("restride of %v: it is not dense", v.Type)
	case t.DType != v.Type.DType || len(strides) != t.Rank():
		return View{}, fmt.Errorf("restride of %v to %v with %d strides", v.Type, t, len(strides))
	case t.Elements() == 0:
		return View{Type: t, Strides: strides, base: v.base, hold: v.hold, bounds: v.bounds}, nil
	}
	left := v.Type.Elements() - 1 - offset
	out := offset < 0 || left < 0
	for i, d := range t.Shape {
		if out || d == 1 {
			continue
		}
		if out = strides[i] < 0 || strides[i] > left/(d-1); !out {
			left -= (d - 1) * strides[i]
		}
	}
	if out {
		return View{}, fmt.Errorf("restride of %v: %v with strides %v from %d leaves it", v.Type, t, strides, offset)
	}
	r := View{Type: t, Strides: strides, base: v.base, hold: v.hold, bounds: v.bounds}
	return r.offset(offset), nil
}
