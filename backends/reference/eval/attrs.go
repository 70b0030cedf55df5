package eval

import (
	"ltc/mlir"
)

// ints returns an attribute of the op that is a list of integers; empty if it is missing.
func (o *site) ints(name string) []int {
	list, _ := mlir.Ints(o.op.Attrs.Get(name))
	return toInts(list)
}

func toInts(list []int64) []int {
	v := make([]int, len(list))
	for i, x := range list {
		v[i] = int(x)
	}
	return v
}

func stringAttr(a mlir.Attribute) string {
	s, _ := a.(mlir.StringAttr)
	return string(s)
}
