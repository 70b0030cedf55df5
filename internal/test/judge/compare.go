package main

import (
	"fmt"
	"math"

	"ltc/internal/diag"
	"ltc/internal/samples"
	"ltc/ir/types"
	"ltc/soa"
)

const (
	tolerance = 1e-5 // of f32 and f64
	ulps      = 2    // of f16 and bf16
)

// compare reports the first of the elements in which ours and theirs differ,
// and how many do.
func compare(ours, theirs soa.View) error {
	if !ours.Type.Equal(theirs.Type) {
		return fmt.Errorf("%v, XLA's is %v", ours.Type, theirs.Type)
	}
	ours, err := samples.Dense(ours)
	if err != nil {
		return err
	}
	if theirs, err = samples.Dense(theirs); err != nil {
		return err
	}
	first, bad := -1, 0
	n := ours.Type.Elements()
	for i := range n {
		if !same(ours, theirs, i) {
			if bad++; first < 0 {
				first = i
			}
		}
	}
	if bad == 0 {
		return nil
	}
	return fmt.Errorf("%d of %s of %v differ; element %d is %s, XLA's is %s",
		bad, diag.Count(n, "element"), ours.Type, first, show(ours, first), show(theirs, first))
}

// same reports whether element i of a and b is close enough.
func same(a, b soa.View, i int) bool {
	x, y := samples.Bits(a, i), samples.Bits(b, i)
	d := a.Type.DType
	if x == y || !d.IsFloat() {
		return x == y
	}
	f, g := samples.Float(a, i), samples.Float(b, i)
	switch {
	case math.IsNaN(f) || math.IsNaN(g):
		return math.IsNaN(f) && math.IsNaN(g)
	case math.IsInf(f, 0) || math.IsInf(g, 0):
		return f == g
	case d == types.F16 || d == types.BF16:
		distance := ordered(x) - ordered(y)
		return -ulps <= distance && distance <= ulps
	}
	return math.Abs(f-g) <= tolerance*max(1, math.Abs(g))
}

// ordered maps the bits of 16-bit floats to integers that count the values
// from 0 up and down.
func ordered(bits uint64) int {
	if magnitude := int(bits & 0x7fff); bits&0x8000 != 0 {
		return -magnitude
	} else {
		return magnitude
	}
}

func show(v soa.View, i int) string {
	bits := samples.Bits(v, i)
	switch d := v.Type.DType; {
	case d.IsFloat():
		return fmt.Sprintf("%.9g (%#x)", samples.Float(v, i), bits)
	case d == types.I32:
		return fmt.Sprint(int32(bits))
	case d == types.I64:
		return fmt.Sprint(int64(bits))
	}
	return fmt.Sprint(bits)
}
