package measure

import (
	"fmt"
	"math"

	"ltc/internal/samples"
	"ltc/ir/types"
	"ltc/soa"
)

// Want returns element i (row-major) of a program's result, computed in float64 from the
// operands, and the size of the intermediate values that are rounded. An f32 result may
// differ by some units in the last place of that size. Size 0 allows no difference.
type Want func(in [][]float32, i int) (value, size float64)

// Elementwise is the Want of a function of elements at the same place.
func Elementwise(f func(x ...float64) (value, size float64)) Want {
	return func(in [][]float32, i int) (float64, float64) {
		x := make([]float64, len(in))
		for k := range in {
			x[k] = float64(in[k][i])
		}
		return f(x...)
	}
}

// allowed is how far a result may be from w, in units of 2⁻²⁴ of its size: a few
// roundings, and functions that are 2.5 units off.
const allowed = 16

// sampled is how many elements of a result are checked, about.
const sampled = 500

// Verify compares elements all over a result with w: an error is a wrong
// result.
func (w Want) Verify(in [][]float32, got soa.View) error {
	dense, err := samples.Dense(got)
	if err != nil {
		return err
	}
	n := got.Type.Elements()
	step := max(1, n/sampled)
	if n > 1 && step%2 == 0 {
		step++ // so that every column of a matrix has its turn
	}
	for i := range (n + step - 1) / step {
		if err := w.at(in, dense, i*step); err != nil {
			return err
		}
	}
	return w.at(in, dense, n-1)
}

func (w Want) at(in [][]float32, got soa.View, i int) error {
	value, size := w(in, i)
	tolerance := allowed * size * 0x1p-24
	if got.Type.DType == types.BF16 { // rounded once more
		tolerance += math.Abs(value) * 0x1p-8
	}
	if x := samples.Float(got, i); !(math.Abs(x-value) <= tolerance) {
		return fmt.Errorf("wrong result: element %d of %v is %v, want %v within %.2g", i, got.Type, x, value, tolerance)
	}
	return nil
}
