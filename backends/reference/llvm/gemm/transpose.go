package gemm

import "github.com/llir/llvm/ir/value"

// transpose turns n vectors of n lanes, n a power of two, so that lane i of vector j
// becomes lane j of vector i. Blocks of n/2 change places, then blocks of n/4 in each, and
// so on.
func (f *fn) transpose(v []value.Value) []value.Value {
	n := len(v)
	for s := n / 2; s > 0; s /= 2 {
		low, high := make([]int, n), make([]int, n)
		for l := range n {
			if l&s == 0 {
				low[l], high[l] = l, l+s
			} else {
				low[l], high[l] = n+l-s, n+l
			}
		}
		next := make([]value.Value, n)
		for i := range n {
			if i&s == 0 {
				next[i] = f.shuffle(v[i], v[i+s], low)
				next[i+s] = f.shuffle(v[i], v[i+s], high)
			}
		}
		v = next
	}
	return v
}
