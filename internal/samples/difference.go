package samples

import (
	"fmt"
	"math"

	"ltc/soa"
)

// Difference is where a tensor differs most from another, and by how much.
type Difference struct {
	// Size is |got-want| / (1+|want|), so that a tolerance for it is one for the
	// absolute and the relative difference at once. It is 0 where both are NaN
	// or the same infinity, and +Inf where one is, and for elements without a
	// floating point that are not the same. Of complex numbers it is that of the part that
	// differs more.
	Size      float64
	At        []int  // the first element that differs so much; nil where none differs
	Got, Want string // that element
	Count     int    // elements that differ at all
}

// Differ compares two tensors; an error when they have not the same type.
func Differ(got, want soa.View) (Difference, error) {
	if !got.Type.Equal(want.Type) {
		return Difference{}, fmt.Errorf("is %v, want %v", got.Type, want.Type)
	}
	got, err := Dense(got)
	if err != nil {
		return Difference{}, err
	}
	if want, err = Dense(want); err != nil {
		return Difference{}, err
	}
	d, most := Difference{}, -1
	for i := range want.Type.Elements() {
		size := distance(got, want, i)
		if size == 0 {
			continue
		}
		if d.Count++; size > d.Size {
			d.Size, most = size, i
		}
	}
	if most >= 0 {
		d.Got, d.Want = (&formatter{v: got}).element(most), (&formatter{v: want}).element(most)
		d.At = place(most, want.Type.Shape)
	}
	return d, nil
}

// distance is the Size of the difference in element i.
func distance(got, want soa.View, i int) float64 {
	if want.Type.DType.IsComplex() {
		a, b := got.Parts(), want.Parts()
		return max(distance(a, b, 2*i), distance(a, b, 2*i+1))
	}
	if !want.Type.DType.IsFloat() {
		if Bits(got, i) == Bits(want, i) {
			return 0
		}
		return math.Inf(1)
	}
	a, b := Float(got, i), Float(want, i)
	switch {
	case a == b || math.IsNaN(a) && math.IsNaN(b):
		return 0
	case math.IsNaN(a) || math.IsNaN(b) || math.IsInf(a, 0) || math.IsInf(b, 0):
		return math.Inf(1)
	}
	// Halves, since the difference of two f64 may be beyond them.
	return math.Abs(a/2-b/2) / (0.5 + math.Abs(b/2))
}

// place is the index of element i (row-major) of a shape.
func place(i int, shape []int) []int {
	at := make([]int, len(shape))
	for k := len(shape) - 1; k >= 0; k-- {
		at[k], i = i%shape[k], i/shape[k]
	}
	return at
}
