package cuda

import (
	"slices"

	"ltc/backends/cuda/cudnn"
	"ltc/backends/kit/kernel"
)

// windowed is a contraction that may be a convolution: its image and its kernels.
type windowed struct {
	*contracted
	image, kernels *kernel.Access
	places         []track // of the result: images, then their dimensions
	windows        []track // places in windows, those farthest apart first
	features       track   // of a group, in the image
	groups         track
	outputs        track // features of a group in the result: y, and w
}

// track is an axis of so many points, with how many elements apart neighbours along it are
// in the image, the kernels and the result.
type track struct {
	axis    int // -1 of what is not one axis of the kernel's
	n       int64
	x, w, y int64
}

// mostStride is how many places windows are apart at most.
const mostStride = 16

// find returns the convolution; nil if it is none.
func (w *windowed) find() *convolution {
	if !w.read() {
		return nil
	}
	for _, pixel := range w.pixels() {
		for _, images := range []int{1, 0} {
			v := &view{windowed: w, pixel: pixel, images: images, windows: w.windows, channels: w.features.n}
			if v.found() {
				return v.convolution()
			}
		}
	}
	return nil
}

// track follows some axes, which must lie as one wherever they are.
func (w *windowed) track(axes []int, all ...*kernel.Access) (t track, ok bool) {
	t.axis = -1
	steps := [3]int64{}
	for i, m := range all {
		if t.n, steps[i], ok = w.flat(axes, m); !ok {
			return t, false
		}
	}
	t.x, t.w, t.y = steps[0], steps[1], steps[2]
	return t, true
}

// read finds out what is along which axis.
func (w *windowed) read() (ok bool) {
	c := w.c
	if w.outputs, ok = w.track(c.N, w.image, w.kernels, w.end.to); !ok || w.outputs.y != 1 {
		return false
	}
	if w.groups, ok = w.track(c.Batch, w.image, w.kernels, w.end.to); !ok {
		return false
	}
	w.features = track{axis: -1, n: 1, x: 1}
	for _, axis := range slices.Concat(c.M, c.K) {
		t, _ := w.track([]int{axis}, w.image, w.kernels, w.end.to)
		t.axis = axis
		switch {
		case t.n == 1:
		case t.x < 1 || t.n < 1:
			return false
		case slices.Contains(c.M, axis):
			w.places = append(w.places, t)
		case t.x == 1 && w.features.axis < 0:
			w.features = t
		default:
			w.windows = append(w.windows, t)
		}
	}
	slices.SortStableFunc(w.windows, func(a, b track) int { return int(min(max(b.x-a.x, -1), 1)) })
	g := &w.groups
	if g.n > 1 && (g.x != w.features.n || g.y != w.outputs.n) {
		return false
	}
	return len(w.places) > 0 && (!w.image.Guard || w.guarded())
}

// guarded reports whether an image that is read where it may not be is so around its
// dimensions only.
func (w *windowed) guarded() bool {
	var along []int // by dimension with something around it, the places' axis
	for d, x := range w.image.Index {
		n := w.k.Params[w.image.Param].Dims[d].Of(w.sizes)
		switch {
		case w.around(d):
			if x.Offset > 0 || len(x.Terms) == 0 || len(x.Terms) > 2 {
				return false
			}
			axis := x.Terms[0].Axis
			if slices.Contains(along, axis) || !slices.ContainsFunc(w.places, func(t track) bool { return t.axis == axis }) {
				return false
			}
			along = append(along, axis)
		default: // within
			last := int64(0)
			for _, t := range x.Terms {
				last += t.Factor * (w.k.Axis(0, t.Axis).Size.Of(w.sizes) - 1)
			}
			if last >= n {
				return false
			}
		}
	}
	return true
}

// around reports whether a dimension is one with something around it.
func (w *windowed) around(d int) bool {
	return w.image.Guard && (w.image.Index[d].Offset != 0 || len(w.image.Index[d].Terms) > 1)
}

// dimension returns the dimension of the image, with something around it, that places or
// windows are along; -1: none.
func (w *windowed) dimension(t *track) int {
	for d, x := range w.image.Index {
		if w.around(d) && slices.ContainsFunc(x.Terms, func(x kernel.Term) bool { return x.Axis == t.axis }) {
			return d
		}
	}
	return -1
}

// pixels are how many features a place of the image may have, of all groups.
func (w *windowed) pixels() []int64 {
	last := &w.places[len(w.places)-1]
	all := w.features.n * w.groups.n
	if w.groups.n > 1 {
		return []int64{all}
	}
	var some []int64
	for by := int64(1); by <= mostStride; by++ {
		// Where a window's places lie beside each other, they and their features are one
		// axis.
		if n := last.x / by; last.x%by == 0 && all%n == 0 {
			some = append(some, n)
		}
	}
	return some
}

// extent is a dimension of an image as a view has it.
type extent struct {
	place                 track
	window                track // n 1: none
	step                  int64 // elements from one place to the next
	size, known           int64 // known of a dimension with something around it, else 0
	pad, stride, dilation int64
}

// used is how many places windows reach over, with those around the image.
func (e *extent) used() int64 { return (e.place.n-1)*e.stride + (e.window.n-1)*e.dilation + 1 }

// results is how many windows a size has.
func (e *extent) results(size int64) int64 {
	return (size+2*e.pad-(e.window.n-1)*e.dilation-1)/e.stride + 1
}

// view is one way in which axes may be dimensions of images.
type view struct {
	*windowed
	pixel    int64 // features of a place
	images   int   // axes of places that are images: 0 or 1
	channels int64 // of a group
	windows  []track
	extents  []extent // the outermost first
}

// found finds the dimensions, from the innermost.
func (v *view) found() bool {
	n := len(v.places) - v.images
	if n < 1 || n > cudnn.Spatial || v.images > 0 && v.dimension(&v.places[0]) >= 0 {
		return false
	}
	if v.groups.n == 1 && v.channels != v.pixel {
		one := track{axis: -1, n: v.channels / v.pixel, x: v.pixel, w: v.features.w * v.pixel}
		v.windows, v.channels = append(slices.Clone(v.windows), one), v.pixel
	}
	v.extents = make([]extent, n)
	return v.solve(n-1, len(v.windows))
}

// solve finds dimension d and those outside of it, of which the first so many windows
// are.
func (v *view) solve(d, windows int) bool {
	if d < 0 {
		return windows == 0 && v.outermost()
	}
	e := &v.extents[d]
	place := v.places[v.images+d]
	around := v.dimension(&place)
	for by := int64(1); by <= mostStride; by++ {
		*e = extent{place: place, step: place.x / by, stride: by, dilation: 1, window: track{n: 1}}
		if place.x%by != 0 || d == len(v.extents)-1 && e.step != v.pixel {
			continue
		}
		if around >= 0 {
			if x := &v.image.Index[around]; x.Terms[0].Factor != by || v.strides[v.image.Param][around] != e.step {
				continue
			}
			e.pad = -v.image.Index[around].Offset
			e.known = v.k.Params[v.image.Param].Dims[around].Of(v.sizes)
		}
		if windows > 0 && v.dimension(&v.windows[windows-1]) == around && v.with(d, &v.windows[windows-1]) && v.solve(d-1, windows-1) {
			return true
		}
		e.window, e.dilation = track{n: 1}, 1
		if (around < 0 || len(v.image.Index[around].Terms) == 1) && v.inside(d) && v.solve(d-1, windows) {
			return true
		}
	}
	return false
}

// with gives a dimension a window, if it can be one.
func (v *view) with(d int, t *track) bool {
	e := &v.extents[d]
	if t.x%e.step != 0 {
		return false
	}
	e.window, e.dilation = *t, t.x/e.step
	return v.inside(d)
}

// inside finds out the size of the dimension inside of one, and reports whether it has as
// many results as there are.
func (v *view) inside(d int) bool {
	if d == len(v.extents)-1 {
		return true
	}
	in, step := &v.extents[d+1], v.extents[d].step
	if step%in.step != 0 {
		return false
	}
	return in.fits(step/in.step, false)
}

// fits reports whether the dimension can have a size; where any may be left out, that is
// the most.
func (e *extent) fits(size int64, any bool) bool {
	if e.size = e.known; e.known > 0 {
		return (e.size == size || any && e.size < size) && e.results(e.size) == e.place.n
	}
	e.size = size
	if any && e.results(size) != e.place.n {
		e.size = min(size, e.used())
	}
	return e.used() <= e.size && e.results(e.size) == e.place.n
}

// outermost finds out the size of the outermost dimension.
func (v *view) outermost() bool {
	e := &v.extents[0]
	size := max(e.used(), e.known)
	if v.images > 0 {
		size = v.places[0].x / e.step
	}
	return e.fits(size, true)
}

// convolution makes one of the view; nil if its result lies in another way, or there is
// no window.
func (v *view) convolution() *convolution {
	c := &convolution{
		x: place{operand: v.image.Param}, w: v.place(v.kernels), y: v.place(v.end.to),
		work: v.outputs.n * v.groups.n * v.channels,
	}
	if !v.image.Guard {
		c.x = v.place(v.image)
	}
	p := &c.problem
	p.Groups, p.X.Images, p.Y.Images = int32(v.groups.n), 1, 1
	p.X.Features, p.Y.Features = int32(v.pixel), int32(v.outputs.n*v.groups.n)
	c.kernels.along(v.groups.n, v.groups.w)
	c.kernels.along(v.outputs.n, v.outputs.w)
	p.Dimensions = max(len(v.extents), 2)
	p.Window, p.Stride, p.Dilation = ones, ones, ones
	p.X.Size, p.Y.Size = ones, ones
	lead := p.Dimensions - len(v.extents) // one dimension is two, the first of size 1
	windows := int64(1)
	for i := range v.extents {
		e, d := &v.extents[i], lead+i
		p.X.Size[d], p.Y.Size[d], p.X.Stride[d] = int32(e.size), int32(e.place.n), int32(e.step)
		p.Window[d], p.Pad[d], p.Stride[d], p.Dilation[d] = int32(e.window.n), int32(e.pad), int32(e.stride), int32(e.dilation)
		c.kernels.along(e.window.n, e.window.w)
		windows *= e.window.n
		c.work *= e.window.n * e.place.n
	}
	c.kernels.along(v.channels, v.features.w)
	if windows == 1 || !v.results(c, lead) {
		return nil
	}
	return c
}

var ones = [cudnn.Spatial]int32{1, 1, 1}

// results finds out how results lie, which must be dense, and images that are as large
// as their dimensions say; false, too, if a number of the problem is more than the
// library counts.
func (v *view) results(c *convolution, lead int) bool {
	p := &c.problem
	step := int64(p.Y.Features)
	for i := len(v.extents) - 1; i >= 0; i-- {
		e := &v.extents[i]
		if e.place.y != step || e.size+2*e.pad > cudnn.Most { // within which windows are, dilated or not
			return false
		}
		p.Y.Stride[lead+i] = int32(step)
		step *= e.place.n
	}
	first := &v.extents[0]
	x, y := first.step*first.size, step
	p.X.Apart, p.Y.Apart = int32(first.step*first.size), int32(step)
	if lead > 0 {
		p.X.Stride[0], p.Y.Stride[0] = p.X.Apart, p.Y.Apart
	}
	if v.images > 0 {
		images := &v.places[0]
		if images.y != step {
			return false
		}
		p.X.Images, p.Y.Images = int32(images.n), int32(images.n)
		p.X.Apart = int32(images.x)
		c.work *= images.n
		x, y = images.x*images.n, images.y*images.n
	}
	return max(x, y, c.kernels.elements()) <= cudnn.Most // which nothing else of the problem is above
}
