package tiles

import "ltc/backends/kit/kernel"

// What running a way takes, in nanoseconds; only ratios matter.
const (
	stepTime    = 10.0 // of a step, besides what it does with elements
	elementTime = 0.5  // of an element in a step
	apartTime   = 1.5  // more, of an element that is no neighbour of the one before
	productTime = 0.2  // of a multiplication and an addition of a contraction
)

// estimate returns about how long the launch takes in this way; less than 0 if
// the way is none for these sizes.
func (w *tileWay) estimate(r *tileRun) float64 {
	sizes := r.call.Sizes
	if w.tile(sizes) == 0 {
		return -1
	}
	points, time := float64(countPoints(w.k.Axes, sizes)), 0.0
	for s := range w.stages {
		st := &w.stages[s]
		all := points * float64(countPoints(w.k.Stages[st.number].Axes, sizes))
		length := int64(1)
		if st.vector >= 0 {
			length = max(r.extent(st.number, st.vector), 1)
		}
		tiles := all / float64(length) * float64((length+int64(w.most)-1)/int64(w.most))
		time += float64(len(st.body)) * (tiles*stepTime + all*elementTime)
		for _, a := range w.accesses {
			if a.stage == st.number && a.apart(r, w) {
				time += all * apartTime
			}
		}
	}
	return time
}

// apart reports whether the elements of a tile are no neighbours in memory.
func (a *tileAccess) apart(r *tileRun, w *tileWay) bool {
	if a.vector < 0 {
		return false
	}
	if a.Local {
		for d, x := range a.Index {
			if f := factorOf(x, a.vector); f != 0 && (f != 1 || w.vector != ownAxes || d < len(a.Index)-1) {
				return true
			}
		}
		return false
	}
	n := a.StrideAlong(a.vector, r.strides[a.Param])
	return n != 0 && n != 1
}

// blocking returns an axis of the kernel along which elements are neighbours
// that are none along the tiles: a transpose has one. -1 if there is none, or if
// the order of points matters.
func (w *tileWay) blocking(r *tileRun) int {
	if !w.separable.Has(w.vector) {
		return -1
	}
	for _, a := range w.accesses {
		if a.Local || !a.apart(r, w) {
			continue
		}
		for axis := range w.k.Axes {
			if axis != w.vector && a.StrideAlong(axis, r.strides[a.Param]) == 1 && w.separable.Has(axis) {
				return axis
			}
		}
	}
	return -1
}

var _ kernel.Code = (*tileCode)(nil)

// Estimate returns about how many nanoseconds a launch of a kernel by [Compiler] takes on one
// thread, for sizes and strides as in a [kernel.Call].
func Estimate(k *kernel.Kernel, sizes, strides []int64) float64 {
	c := newTileCode(k)
	if countPoints(c.k.Axes, sizes) == 0 {
		return 0
	}
	if c.gemm.fits(sizes) {
		products := float64(c.gemm.rows(sizes)) * float64(c.gemm.extent(c.gemm.N, sizes)) * float64(c.gemm.extent(c.gemm.K, sizes))
		return products * productTime
	}
	r := newTileRun(c)
	r.begin(&kernel.Call{Sizes: sizes, Strides: strides})
	least := -1.0
	for _, w := range c.ways {
		if t := w.estimate(r); t >= 0 && (least < 0 || t < least) {
			least = t
		}
	}
	return max(least, 0)
}
