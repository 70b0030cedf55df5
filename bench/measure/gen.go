package measure

import "math"

// Gen returns the data that all peers use: numbers of [-1, 1) in row-major
// order, a hash of the flat index by Knuth's multiplier 2654435761.
func Gen(seed int, dims ...int) []float32 {
	n := 1
	for _, d := range dims {
		n *= d
	}
	v := make([]float32, n)
	for i := range v {
		h := (uint64(i) + 1 + uint64(seed)*7919) * 2654435761 & math.MaxUint32
		v[i] = float32(float64(h)/(1<<32)*2 - 1)
	}
	return v
}
