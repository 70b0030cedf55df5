package eval

import (
	"fmt"

	"ltc/backends/reference/internal/loops"
	"ltc/mlir"
)

// ints returns a list of integers, however the text wrote it. A missing
// attribute is an empty list.
func ints(d mlir.Dict, name string) ([]int, error) {
	a := d.Get(name)
	if a == nil {
		return nil, nil
	}
	list, ok := mlir.Ints(a)
	if !ok {
		return nil, fmt.Errorf("attribute %s: want a list of integers, got %v", name, a)
	}
	return toInts(list), nil
}

func toInts(list []int64) []int {
	v := make([]int, len(list))
	for i, x := range list {
		v[i] = int(x)
	}
	return v
}

// bools returns a list of truth values, however the text wrote it. A missing
// attribute is an empty list.
func bools(d mlir.Dict, name string) ([]bool, error) {
	var bits []bool
	switch a := d.Get(name).(type) {
	case nil:
	case mlir.DenseArrayAttr:
		for _, x := range a.Ints {
			bits = append(bits, x != 0)
		}
	case *mlir.DenseAttr:
		t, reason := parseTensor(a.Type)
		if reason != "" || t.dt != loops.I1 {
			return nil, fmt.Errorf("attribute %s: want a list of i1, got %v", name, a.Type)
		}
		data, err := denseBytes(a, t)
		if err != nil {
			return nil, err
		}
		for _, x := range data {
			bits = append(bits, x != 0)
		}
	default:
		return nil, fmt.Errorf("attribute %s: want a list of i1, got %v", name, a)
	}
	return bits, nil
}

// axes is ints for a list of dimensions of a tensor of the given rank.
func axes(d mlir.Dict, name string, rank int) ([]int, error) {
	v, err := ints(d, name)
	if err != nil {
		return nil, err
	}
	for _, x := range v {
		if x < 0 || x >= rank {
			return nil, fmt.Errorf("attribute %s: %d is not a dimension of a tensor of rank %d", name, x, rank)
		}
	}
	return v, nil
}

// intAttr returns an integer attribute, or otherwise if it is missing.
func intAttr(d mlir.Dict, name string, otherwise int) (int, error) {
	switch a := d.Get(name).(type) {
	case nil:
		return otherwise, nil
	case mlir.IntegerAttr:
		return int(a.Value), nil
	default:
		return 0, fmt.Errorf("attribute %s: want an integer, got %v", name, a)
	}
}

// boolAttr returns a truth value, or otherwise if it is missing.
func boolAttr(d mlir.Dict, name string, otherwise bool) (bool, error) {
	switch a := d.Get(name).(type) {
	case nil:
		return otherwise, nil
	case mlir.BoolAttr:
		return bool(a), nil
	default:
		return false, fmt.Errorf("attribute %s: want true or false, got %v", name, a)
	}
}

func stringAttr(a mlir.Attribute) string {
	s, _ := a.(mlir.StringAttr)
	return string(s)
}

// fields returns the fields of a structured attribute; empty if missing.
func fields(d mlir.Dict, name string) (mlir.Dict, error) {
	switch a := d.Get(name).(type) {
	case nil:
		return nil, nil
	case mlir.StructAttr:
		return a.Fields, nil
	default:
		return nil, fmt.Errorf("attribute %s: want a structure, got %v", name, a)
	}
}

// denseBytes returns the elements of a list of numbers, a splat written out.
func denseBytes(a *mlir.DenseAttr, t tensor) ([]byte, error) {
	data, splat, err := a.Decode()
	if err != nil {
		return nil, err
	}
	size := t.dt.Size()
	if splat && len(data) == size {
		all := make([]byte, t.bytes())
		for i := 0; i < len(all); i += size {
			copy(all[i:], data)
		}
		return all, nil
	}
	if len(data) != t.bytes() {
		return nil, fmt.Errorf("literal of %d bytes for %d elements of %v", len(data), t.n, t.dt)
	}
	return data, nil
}
