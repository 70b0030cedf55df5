package cudafake

import (
	"unsafe"

	"ltc/backends/cuda/cudnn"
	"ltc/backends/cuda/driver"
)

// ofConvolutions are the elements of cuDNN's types, by NVIDIA's numbers: cuBLASLt has
// others.
var ofConvolutions = map[int32]element{0: elements[0], 2: elements[2], 9: elements[14]}

// reach is how many elements there are from a tensor's first to behind its last.
func (t *tensor) reach() int64 {
	n := int64(1)
	for i := range t.n {
		n += int64(t.dims[i]-1) * int64(t.strides[i])
	}
	return n
}

// overlaps reports whether two indices may be of one element: dimensions lie within each
// other where they do not.
func (t *tensor) overlaps() bool {
	for i := range t.n {
		inside := int64(1)
		for j := range t.n {
			if j != i && (t.strides[j] < t.strides[i] || t.strides[j] == t.strides[i] && j > i) {
				inside += int64(t.dims[j]-1) * int64(t.strides[j])
			}
		}
		if t.dims[i] > 1 && int64(t.strides[i]) < inside {
			return true
		}
	}
	return false
}

// check checks that descriptors fit each other, and that the fake computes what they say.
func (c *convolution) check(f *Fake, call string) cudnn.Status {
	n := c.window.n
	if n == 0 || c.x.n != n+2 || c.y.n != n+2 || c.w.n != n+2 {
		return misused(f, cudnn.BadParam, "%s: images of %d and %d dimensions, windows of %d, kernels of %d", call, c.x.n, c.y.n, n, c.w.n)
	}
	g := c.window.groups
	switch {
	case c.x.dims[0] != c.y.dims[0]:
		return misused(f, cudnn.BadParam, "%s: %d images, and %d results", call, c.x.dims[0], c.y.dims[0])
	case c.x.dims[1] != c.w.dims[1]*g || c.y.dims[1] != c.w.dims[0] || c.y.dims[1]%g != 0:
		return misused(f, cudnn.BadParam, "%s: kernels of %d features to %d in %d groups, for %d to %d", call, c.w.dims[1], c.w.dims[0], g, c.x.dims[1], c.y.dims[1])
	case c.x.overlaps() || c.y.overlaps():
		return misused(f, cudnn.BadParam, "%s: places %v of images lie %v apart, and of results %v %v", call, c.x.dims[:n+2], c.x.strides[:n+2], c.y.dims[:n+2], c.y.strides[:n+2])
	}
	for d := range n {
		left := int64(c.x.dims[2+d]) + 2*int64(c.window.pad[d]) - int64(c.w.dims[2+d]-1)*int64(c.window.dilation[d]) - 1
		if left < 0 {
			return misused(f, cudnn.BadParam, "%s: the window is longer than dimension %d with what is around it", call, d)
		}
		if results := left/int64(c.window.stride[d]) + 1; results != int64(c.y.dims[2+d]) {
			return misused(f, cudnn.BadParam, "%s: dimension %d has %d results, not %d", call, d, results, c.y.dims[2+d])
		}
	}
	_, known := ofConvolutions[c.x.t]
	switch {
	case !known || c.w.t != c.x.t || c.y.t != c.x.t || c.window.compute != 0:
		return cudnn.NotSupported
	case c.w.format != 1 || c.x.strides[1] != 1 || c.y.strides[1] != 1: // features beside each other
		return cudnn.NotSupported
	case c.window.mode != 1 || c.window.math != 1 && (c.window.math != 3 || c.x.t != 0):
		return cudnn.NotSupported
	}
	return cudnn.Success
}

// convolve computes a convolution when its turn comes.
func (f *Fake) convolve(d *device, c *convolution, when *moment) driver.Code {
	besides, code := f.bytes(d, c.workspace, c.n, true, when)
	if code != 0 {
		return code
	}
	fill(besides)
	e := ofConvolutions[c.x.t]
	kernels := uint64(1)
	for _, n := range c.w.dims[:c.w.n] {
		kernels *= uint64(n)
	}
	x, code := f.vector(d, c.at[0], uint64(c.x.reach()), e, when)
	if code != 0 {
		return code
	}
	w, code := f.vector(d, c.at[1], kernels, e, when)
	if code != 0 {
		return code
	}
	if c.x.t == 0 && c.window.math == 1 {
		for _, all := range [][]float64{x, w} {
			for i, v := range all {
				all[i] = float64(tf32(float32(v)))
			}
		}
	}
	to, code := f.bytes(d, c.at[2], uint64(c.y.reach())*uint64(e.size), true, when)
	if code != 0 {
		return code
	}
	var at [mostDims]int32
	for next := true; next; next = advance(at[:c.y.n], c.y.dims[:]) {
		place := int64(0)
		for i, n := range at[:c.y.n] {
			place += int64(n) * int64(c.y.strides[i])
		}
		e.set(unsafe.Pointer(&to[place*int64(e.size)]), float64(float32(c.sum(x, w, at))))
	}
	all := f.at(c.at[2])
	f.copied(all, int64(c.at[2]-all.address), nil, 0, int64(len(to)), when)
	return driver.Success
}

// advance goes to the next index, and reports whether there is one.
func advance(at []int32, dims []int32) bool {
	for i := len(at) - 1; i >= 0; i-- {
		if at[i]++; at[i] < dims[i] {
			return true
		}
		at[i] = 0
	}
	return false
}

// sum is a result.
func (c *convolution) sum(x, w []float64, at [mostDims]int32) float64 {
	n := c.window.n
	features := c.w.dims[1]
	group := at[1] / (c.w.dims[0] / c.window.groups)
	sum := 0.0
	var j [mostDims]int32 // in the window
	for next := true; next; next = advance(j[:n], c.w.dims[2:]) {
		from, inside := int64(at[0])*int64(c.x.strides[0])+int64(group*features)*int64(c.x.strides[1]), true
		kernel := int64(at[1])
		for d := range n {
			i := at[2+d]*c.window.stride[d] + j[d]*c.window.dilation[d] - c.window.pad[d]
			inside = inside && i >= 0 && i < c.x.dims[2+d]
			from += int64(i) * int64(c.x.strides[2+d])
			kernel = kernel*int64(c.w.dims[2+d]) + int64(j[d])
		}
		for i := range int64(features) {
			if inside {
				sum += x[from+i*int64(c.x.strides[1])] * w[kernel*int64(features)+i]
			}
		}
	}
	return sum
}
