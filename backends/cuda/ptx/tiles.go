package ptx

import (
	"ltc/backends/cuda/ptx/internal/asm"
	"ltc/backends/cuda/ptx/internal/body"
	"ltc/backends/kit/kernel"
)

// tiles writes Tiles. A block copies squares of the tiled operands into its memory, threads
// along x beside each other along Across. Then it computes the points of the square,
// threads along x beside each other along X. Rows of the squares are one element longer, so
// that neither meets the same bank twice.
func (w *writer) tiles() {
	p := w.Point(0)
	tx, ty := w.Special("%tid.x"), w.Special("%tid.y")
	nx, ny := w.Size(w.K.Axis(0, w.s.X).Size), w.Size(w.K.Axis(0, w.s.Across).Size)
	grid := func(name string) (base, step string) {
		return w.Mul(w.Special("%ctaid."+name), asm.Number(columns)), w.Mul(w.Special("%nctaid."+name), asm.Number(columns))
	}
	memory := w.Op(asm.Long, "mov.u64", asm.Shared)
	place := func(n int, row, column string) string {
		at := w.Add(memory, asm.Number(int64(n*columns*tileStride*slotBytes)))
		return w.Mad(w.Mad(row, asm.Number(tileStride), column), asm.Number(int64(asm.Held(w.K.Instrs[w.s.Tiled[n]].Type).Size())), at)
	}
	w.Outer(w.s.Outer, p, func() {
		baseX, stepX := grid("x")
		baseY, stepY := grid("y")
		w.Loop(baseY, ny, stepY, func(y string) {
			w.Loop(baseX, nx, stepX, func(x string) {
				across := w.Add(y, tx)
				w.Loop(ty, asm.Number(columns), asm.Number(tileRows), func(row string) {
					at := w.Add(x, row)
					inside := w.Both(w.Op(asm.Predicate, "setp.lt.s64", across, ny), w.Op(asm.Predicate, "setp.lt.s64", at, nx))
					w.When(inside, func() {
						p.At[w.s.X], p.At[w.s.Across] = at, across
						for n, id := range w.s.Tiled {
							i := &w.K.Instrs[id]
							address, _ := w.Operand(i.Mem, p)
							w.Store("shared", asm.Held(i.Type), place(n, row, tx), w.Load("global", i.Type, address, "", ""), "")
						}
					})
				})
				w.Barrier()
				at := w.Add(x, tx)
				w.Loop(ty, asm.Number(columns), asm.Number(tileRows), func(row string) {
					across := w.Add(y, row)
					inside := w.Both(w.Op(asm.Predicate, "setp.lt.s64", across, ny), w.Op(asm.Predicate, "setp.lt.s64", at, nx))
					w.When(inside, func() {
						p.At[w.s.X], p.At[w.s.Across] = at, across
						tiled := map[kernel.ID]string{}
						for n, id := range w.s.Tiled {
							tiled[id] = place(n, tx, row)
						}
						for s := range w.K.Stages {
							w.Body(&body.Stage{Number: s, Point: p, Tiled: tiled})
						}
					})
				})
				w.Barrier()
			})
		})
	})
}
