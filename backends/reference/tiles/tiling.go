package tiles

import (
	"unsafe"

	"ltc/backends/kit/kernel"
)

// ownAxes is the vector of a tiling whose tiles lie along the stages' own axes.
const ownAxes = -1

// tiling is one way to run a kernel: tiles along one axis of the kernel, for all
// of whose points a stage runs before the next, or along an axis of each stage.
type tiling struct {
	k      *kernel.Kernel
	vector int // an axis of the kernel, or ownAxes
	// separable are the kernel's axes that may run in any order.
	separable kernel.AxisSet
	stages    []stage
	accesses  []*access
	values    int              // numbers of values
	most      int              // elements of a tile, at most
	slots     int              // tiles of memory
	places    []valuePlace     // by value
	fixed     []unsafe.Pointer // by value: of constants
	keep      [][]uint64       // what fixed points to
	times     times
	inexact   bool      // its bits may differ from those of its order
	external  kernel.ID // a value that the caller of runStages provides; else None
}

// valuePlace says where a value is kept: in a slot, or in a cell of 8 bytes if
// it is one element.
type valuePlace struct {
	slot int32 // -1: in a cell, if any
	cell int32 // -1: nowhere, it is a view or fixed
}

// stage is a stage of a tiling.
type stage struct {
	number int
	vector int   // the axis along which its tiles lie, as it numbers them; -1: tiles are of one element
	loops  []int // its other own axes, outermost first
	// reverse says that it runs from the last point of its only axis on.
	reverse bool
	once    []step
	begin   []step // for each tile of the kernel's points: reductions begin
	shared  []step // what does not differ along the stage's axes, if it has points
	body    []step
	end     []step // for each tile of the kernel's points: sums end
	// functions is what the functions of the body take for an element, in nanoseconds.
	functions float64
}

// step computes n elements.
type step func(r *run, n int)

// mostTiledLocals is how many bytes of locals, all points of a tile together,
// tiles along an axis of the kernel may take.
const mostTiledLocals = 4 << 20

// tile returns how many points of the kernel a tile has: fewer the larger the
// locals are; 0 if the tiling is none for these.
func (w *tiling) tile(sizes []int64) int64 {
	n, ok := kernel.LocalBytes(w.k, sizes)
	if w.vector == ownAxes || !ok || n == 0 {
		return int64(w.most)
	}
	if n = mostTiledLocals / n; n < 64 {
		return 0
	}
	return min(n, int64(w.most))
}

// slotBytes is the memory of a tile of the largest elements, and some more, so
// that the same elements of tiles do not lie a multiple of pages apart.
func (w *tiling) slotBytes() int { return 8*w.most + 320 }

// scratch returns how many bytes a part needs.
func (w *tiling) scratch(sizes []int64) int {
	locals, _ := kernel.LocalBytes(w.k, sizes)
	if w.vector != ownAxes {
		locals *= w.tile(sizes)
	}
	return w.slots*w.slotBytes() + 8*w.values + 64 + int(locals)
}

// setup makes r ready to run the tiling, in scratch memory.
func (w *tiling) setup(r *run, mem unsafe.Pointer) {
	scratch := align64(mem)
	cells := unsafe.Add(scratch, w.slots*w.slotBytes())
	for v, at := range w.places {
		switch {
		case w.fixed[v] != nil:
			r.p[v] = w.fixed[v]
		case at.slot >= 0:
			r.p[v] = unsafe.Add(scratch, int(at.slot)*w.slotBytes())
		case at.cell >= 0:
			r.p[v] = unsafe.Add(cells, 8*int(at.cell))
		}
	}
	r.tile = max(w.tile(r.call.Sizes), 1)
	w.locate(r, align64(unsafe.Add(cells, 8*w.values)))
}

func align64(p unsafe.Pointer) unsafe.Pointer {
	return unsafe.Add(p, -uintptr(p)&63)
}

// run runs the part of the launch.
func (w *tiling) run(r *run) {
	w.setup(r, r.call.Scratch)
	for s := range w.stages {
		if st := &w.stages[s]; countPoints(w.k.Stages[st.number].Axes, r.call.Sizes) > 0 {
			steps(r, st.once, w.most)
		}
	}
	if w.vector == ownAxes {
		w.points(r)
		return
	}
	w.tiles(r)
}

// bounds returns where an axis of the kernel begins and ends in this part.
func (r *run) bounds(axis int) (int64, int64) {
	if axis == r.cut {
		return r.from, r.to
	}
	return 0, r.extent(0, axis)
}

// points runs the stages for each point of the kernel's axes in turn.
func (w *tiling) points(r *run) {
	axes := len(w.k.Axes)
	for a := range axes {
		from, to := r.bounds(a)
		if r.at[a] = from; from >= to {
			return
		}
	}
	for {
		w.runStages(r, 0, 1)
		a := axes - 1
		for ; a >= 0; a-- {
			from, to := r.bounds(a)
			if r.at[a]++; r.at[a] < to {
				break
			}
			r.at[a] = from
		}
		if a < 0 || r.stopped {
			return
		}
	}
}

// tiles runs the stages for each tile of the kernel's points. Where the tiles'
// elements lie apart in memory, an axis along which they are neighbours runs
// within a tile, so that what one line of cache holds is used at once.
func (w *tiling) tiles(r *run) {
	inner, tile := w.blocking(r), r.tile
	if inner >= 0 {
		tile = min(tile, 128)
	}
	axes := len(w.k.Axes)
	for a := range axes {
		from, to := r.bounds(a)
		if r.at[a] = from; from >= to {
			return
		}
	}
	_, end := r.bounds(w.vector)
	for {
		w.runStages(r, 0, int(min(tile, end-r.at[w.vector])))
		if r.stopped {
			return
		}
		// The inner axis counts fastest, the tiles next, then the others, the
		// last first.
		if inner >= 0 && r.count(inner, 1) || r.count(w.vector, tile) {
			continue
		}
		a := axes - 1
		for ; a >= 0; a-- {
			if a != inner && a != w.vector && r.count(a, 1) {
				break
			}
		}
		if a < 0 {
			return
		}
	}
}

// count moves on along an axis; at the end it goes back and returns false.
func (r *run) count(axis int, by int64) bool {
	from, to := r.bounds(axis)
	if r.at[axis] += by; r.at[axis] < to {
		return true
	}
	r.at[axis] = from
	return false
}

func steps(r *run, all []step, n int) {
	for _, s := range all {
		s(r, n)
	}
}

// runStages runs the stages from one on for n points from r.at on along the
// tiling's vector; for one point, if it has none.
func (w *tiling) runStages(r *run, from, n int) {
	for s := from; s < len(w.stages); s++ {
		st := &w.stages[s]
		steps(r, st.begin, n)
		if countPoints(w.k.Stages[st.number].Axes, r.call.Sizes) > 0 {
			st.run(r, w, n)
		}
		steps(r, st.end, n)
		if r.stopped {
			return
		}
	}
}

// run runs a stage that has points.
func (st *stage) run(r *run, w *tiling, n int) {
	length, wide := int64(1), n
	along := st.vector >= len(w.k.Axes) // its own axis
	if along {
		length = r.extent(st.number, st.vector)
		wide = int(min(length, int64(w.most)))
	}
	steps(r, st.shared, wide)
	if len(st.body) == 0 {
		return
	}
	for _, a := range st.loops {
		if r.at[a] = 0; st.reverse {
			r.at[a] = r.extent(st.number, a) - 1
		}
	}
	for {
		if !along {
			steps(r, st.body, n)
			r.due(n * len(st.body))
		} else {
			for i := int64(0); i < length && !r.stopped; i += int64(w.most) {
				r.at[st.vector] = i
				m := int(min(length-i, int64(w.most)))
				if st.reverse {
					r.at[st.vector] = length - i - int64(m)
				}
				steps(r, st.body, m)
				r.due(m * len(st.body))
			}
		}
		l := len(st.loops) - 1
		for ; l >= 0; l-- {
			a := st.loops[l]
			if st.reverse {
				if r.at[a]--; r.at[a] >= 0 {
					break
				}
				continue
			}
			if r.at[a]++; r.at[a] < r.extent(st.number, a) {
				break
			}
			r.at[a] = 0
		}
		if l < 0 || r.stopped {
			return
		}
	}
}
