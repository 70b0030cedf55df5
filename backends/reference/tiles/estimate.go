package tiles

import (
	"math"

	"ltc/backends/kit/kernel"
	"ltc/ir/types"
)

// What running a tiling takes, in nanoseconds, as measured with elements of f32 on one thread of an
// AMD EPYC.
const (
	stepTime  = 10.0 // of a step, besides what it does with elements
	apartTime = 1.5  // more, of an element that is no neighbour of the one before
	packTime  = 1.0  // of an element that is packed
)

// times are what elements take.
type times struct {
	element  float64 // in a step
	function float64 // in a step that computes what is costly, more
	product  float64 // of a multiplication and an addition of a contraction
}

var (
	plainTimes  = times{0.5, 12, 0.2}
	vectorTimes = times{0.1, 0.4, 0.015}
)

// times returns those of the fastest loops there are.
func (v vectored) times() times {
	if v.Vectors == nil {
		return plainTimes
	}
	return vectorTimes
}

// weigh adds what the elements of an op take, in the body of a stage, beside what those of
// any step do.
func (b *builder) weigh(op kernel.Op, from, to types.DType) {
	if !op.Costly() {
		return
	}
	if b.fast(op, from, to) {
		b.st.functions += b.vectored.times().function
	} else {
		b.st.functions += plainTimes.function
	}
}

// estimate returns about how long the launch takes in this tiling; less than 0 if
// the tiling is none for these sizes.
func (w *tiling) estimate(r *run) float64 {
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
		time += float64(len(st.body))*(tiles*stepTime+all*w.times.element) + all*st.functions
		for _, a := range w.accesses {
			if a.stage == st.number && a.apart(r, w) {
				time += all * apartTime
			}
		}
	}
	return time
}

// apart reports whether the elements of a tile are no neighbours in memory.
func (a *access) apart(r *run, w *tiling) bool {
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
func (w *tiling) blocking(r *run) int {
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

var _ kernel.Code = (*code)(nil)

// Estimate returns a function that says about how many nanoseconds a launch of a kernel by c
// takes on one thread, for sizes and strides as in a [kernel.Call].
func (c Compiler) Estimate(k *kernel.Kernel) func(sizes, strides []int64) float64 {
	code := newCode(k, vectored{Vectors: c.Vectors})
	r := newRun(code)
	return func(sizes, strides []int64) float64 {
		if countPoints(k.Axes, sizes) == 0 {
			return 0
		}
		r.begin(&kernel.Call{Sizes: sizes, Strides: strides})
		if code.gemm.fits(sizes) {
			return code.gemm.estimate(r)
		}
		return code.estimate(r)
	}
}

// estimate returns about how long a launch takes that is run as a contraction.
func (g *gemm) estimate(r *run) float64 {
	sizes, each := r.call.Sizes, plainTimes.product
	if g.fast != nil {
		each = vectorTimes.product
	}
	rows, columns, depth := float64(g.rows(sizes)), float64(g.extent(g.N, sizes)), float64(g.extent(g.K, sizes))
	time := rows*columns*depth*each + g.epilogue.estimate(r)
	// Elements of A are packed for each block of columns, those of B for each block of rows.
	packed := [2]float64{rows * math.Ceil(columns/gemmColumns), columns * rows / min(float64(g.extent(g.M, sizes)), gemmRows)}
	inPlace := g.fast != nil && len(g.K) == 1
	for _, f := range g.factors() {
		inPlace = inPlace && f.convert == nil && f.way == nil
	}
	for i, f := range g.factors() {
		switch {
		case f.way != nil:
			st := &f.way.stages[0]
			steps := float64(len(st.shared) + len(st.body))
			length := float64(min(g.extent(g.K, sizes), gemmDepth))
			if i == 1 {
				length = float64(r.extent(0, g.N[len(g.N)-1]))
			}
			time += packed[i] * depth * (steps*(f.way.times.element+stepTime/max(length, 1)) + st.functions + packTime)
		case !inPlace:
			time += packed[i] * depth * packTime
		}
	}
	return time
}

// estimate returns about how long a launch takes in the best tiling.
func (c *code) estimate(r *run) float64 {
	least := -1.0
	for _, w := range c.ways {
		if t := w.estimate(r); t >= 0 && (least < 0 || t < least) {
			least = t
		}
	}
	return max(least, 0)
}
