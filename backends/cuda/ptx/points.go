package ptx

import "ltc/backends/cuda/ptx/internal/asm"

// points writes Points: a loop of all threads of the grid along x, in vectors as far
// as they go.
func (w *writer) points() {
	p := w.point(0)
	w.outer(p, func() {
		if w.s.X < 0 {
			w.When(w.Op(asm.Predicate, "setp.eq.u32", w.Op(asm.Word, "mov.u32", "%tid.x"), "0"), func() { w.stages(p) })
			return
		}
		from := "0"
		if w.s.Lanes > 1 {
			from = w.vectors(p)
		}
		block, threads := w.Special("%ctaid.x"), w.Special("%ntid.x")
		start := w.Mad(block, threads, w.Special("%tid.x"))
		step := w.Mul(w.Special("%nctaid.x"), threads)
		w.Loop(w.Add(from, start), w.size(w.k.Axis(0, w.s.X).Size), step, func(i string) {
			p.at[w.s.X] = i
			w.stages(p)
		})
	})
}

// stages writes the stages at a point of all axes.
func (w *writer) stages(p point) {
	for s := range w.k.Stages {
		w.body(&stage{number: s, at: p})
	}
}
