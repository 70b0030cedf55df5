package lazy

import "slices"

// store is the memory of the eager library.
type store struct {
	data []float32
	// of the lazy library's rules about what can be used
	variable int  // its number, -1 if none
	computed bool // a computed tensor: stale after the step unless a root
	step     int  // that computed it
	kept     bool // it was a root, or read: it does not go stale
	release  bool
	donated  int // 0 no, 1 offered, 2 used
	other    bool
}

// eager is a tensor of the eager library: a window on memory.
type eager struct {
	mem     *store
	offset  int
	shape   []int
	strides []int
}

func denseStrides(shape []int) []int {
	s, n := make([]int, len(shape)), 1
	for i := len(shape) - 1; i >= 0; i-- {
		s[i] = n
		n *= shape[i]
	}
	return s
}

func newEager(data []float32, shape []int) *eager {
	return &eager{mem: &store{data: data, variable: -1}, shape: shape, strides: denseStrides(shape)}
}

// places lists where the elements lie, in row-major order.
func (e *eager) places() []int {
	at := []int{e.offset}
	for i, d := range e.shape {
		var next []int
		for _, p := range at {
			for k := range d {
				next = append(next, p+k*e.strides[i])
			}
		}
		at = next
	}
	return at
}

func (e *eager) values() []float32 {
	var out []float32
	for _, p := range e.places() {
		out = append(out, e.mem.data[p])
	}
	return out
}

func (e *eager) overlaps() bool {
	seen := map[int]bool{}
	for _, p := range e.places() {
		if seen[p] {
			return true
		}
		seen[p] = true
	}
	return false
}

func (e *eager) write(values []float32) {
	for i, p := range e.places() {
		e.mem.data[p] = values[i]
	}
}

func size(shape []int) int {
	n := 1
	for _, d := range shape {
		n *= d
	}
	return n
}

// expand repeats e to a shape, if it broadcasts to it.
func (e *eager) expand(shape []int) (*eager, bool) {
	if len(shape) < len(e.shape) {
		return nil, false
	}
	out := &eager{mem: e.mem, offset: e.offset, shape: shape, strides: make([]int, len(shape))}
	for i := range e.shape {
		k := len(shape) - len(e.shape) + i
		switch e.shape[i] {
		case shape[k]:
			out.strides[k] = e.strides[i]
		case 1:
		default:
			return nil, false
		}
	}
	return out, true
}

// fitStrides looks for strides with which e's elements lie in another shape, by
// trying: each axis's stride is the distance to its second element.
func fitStrides(e *eager, shape []int) ([]int, bool) {
	places := e.places()
	if len(places) == 0 {
		return denseStrides(shape), true
	}
	dense := denseStrides(shape)
	strides := make([]int, len(shape))
	for i, d := range shape {
		strides[i] = 1
		if d > 1 {
			strides[i] = places[dense[i]] - places[0]
		}
	}
	w := &eager{mem: e.mem, offset: e.offset, shape: shape, strides: strides}
	return strides, slices.Equal(w.places(), places)
}
