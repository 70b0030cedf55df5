package ptx

import (
	"slices"

	"ltc/backends/cuda/ptx/internal/asm"
	"ltc/backends/cuda/ptx/internal/body"
	"ltc/backends/kit/kernel"
)

// points writes Points: a loop of all threads of the grid along x, in vectors as far
// as they go.
func (w *writer) points() {
	p := w.Point(0)
	w.Outer(w.s.Outer, p, func() {
		if w.s.X < 0 {
			w.When(w.Op(asm.Predicate, "setp.eq.u32", w.Op(asm.Word, "mov.u32", "%tid.x"), "0"), func() { w.stages(p) })
			return
		}
		from := "0"
		if w.Lanes.N > 1 {
			from = w.vectors(p)
		}
		block, threads := w.Special("%ctaid.x"), w.Special("%ntid.x")
		start := w.Mad(block, threads, w.Special("%tid.x"))
		step := w.Mul(w.Special("%nctaid.x"), threads)
		w.Loop(w.Add(from, start), w.Size(w.K.Axis(0, w.s.X).Size), step, func(i string) {
			p.At[w.s.X] = i
			w.stages(p)
		})
	})
}

// stages writes the stages at a point of all axes.
func (w *writer) stages(p body.Point) {
	for s := range w.K.Stages {
		w.Body(&body.Stage{Number: s, Point: p})
	}
}

// vectors writes the loop over points in vectors, and returns where those along x
// begin that are left.
func (w *writer) vectors(p body.Point) (rest string) {
	n := w.Lanes.N
	size := w.Size(w.K.Axis(0, w.s.X).Size)
	end := w.Op(asm.Long, "selp.b64", w.Op(asm.Long, "and.b64", size, asm.Number(int64(-n))), "0", w.Aligned())
	block, threads := w.Special("%ctaid.x"), w.Special("%ntid.x")
	start := w.Mul(w.Mad(block, threads, w.Special("%tid.x")), asm.Number(int64(n)))
	step := w.Mul(w.Mul(w.Special("%nctaid.x"), threads), asm.Number(int64(n)))
	w.Loop(start, end, step, func(i string) {
		first := body.Point{At: slices.Clone(p.At), Stores: p.Stores}
		first.At[w.s.X] = i
		w.InLanes(0, first, nil, kernel.None)
	})
	return end
}
