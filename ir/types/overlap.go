package types

import "slices"

// Overlaps reports whether two indices of a window, which has a stride for each axis,
// have one place. An axis can be left out, which then is of one index; -1 is none. A
// window whose axes reach into one another counts as overlapping if it has very many
// places.
func Overlaps(sizes Shape, strides []int, but int) bool {
	if sizes.Elements() <= 1 {
		return false
	}
	var few [8]int
	axes := few[:0]
	for i, d := range sizes {
		if d > 1 && i != but {
			axes = append(axes, i)
		}
	}
	slices.SortFunc(axes, func(a, b int) int { return magnitude(strides[a]) - magnitude(strides[b]) })
	reach := 0 // of the axes with smaller strides
	for _, a := range axes {
		stride := magnitude(strides[a])
		if stride <= reach {
			return collides(sizes, strides, axes)
		}
		reach += (sizes[a] - 1) * stride
	}
	return false
}

func magnitude(stride int) int { return max(stride, -stride) }

// collides looks at every place of a window whose axes reach into one another.
func collides(sizes Shape, strides, axes []int) bool {
	if strides[axes[0]] == 0 || sizes.Elements() > 1<<20 {
		return true
	}
	seen := map[int]bool{0: true}
	at := []int{0}
	for _, a := range axes {
		for _, p := range slices.Clone(at) {
			for i := 1; i < sizes[a]; i++ {
				q := p + i*strides[a]
				if seen[q] {
					return true
				}
				seen[q] = true
				at = append(at, q)
			}
		}
	}
	return false
}
