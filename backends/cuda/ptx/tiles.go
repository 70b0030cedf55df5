package ptx

import "ltc/backends/kit/kernel"

// tiles writes Tiles: a block copies squares of the tiled operands into its
// memory, threads along x beside each other along Across, and then computes the
// points of the square, threads along x beside each other along X. Rows of the
// squares are one element longer, so that neither meets the same bank twice.
func (w *writer) tiles() {
	p := w.point(0)
	tx, ty := w.special("%tid.x"), w.special("%tid.y")
	nx, ny := w.size(w.k.Axis(0, w.s.X).Size), w.size(w.k.Axis(0, w.s.Across).Size)
	grid := func(name string) (base, step string) {
		return w.mul(w.special("%ctaid."+name), number(columns)), w.mul(w.special("%nctaid."+name), number(columns))
	}
	memory := w.op(long, "mov.u64", shared)
	place := func(n int, row, column string) string {
		at := w.add(memory, number(int64(n*columns*tileStride*slotBytes)))
		return w.mad(w.mad(row, number(tileStride), column), number(int64(held(w.k.Instrs[w.s.Tiled[n]].Type).Size())), at)
	}
	w.outer(p, func() {
		baseX, stepX := grid("x")
		baseY, stepY := grid("y")
		w.loop(baseY, ny, stepY, func(y string) {
			w.loop(baseX, nx, stepX, func(x string) {
				across := w.add(y, tx)
				w.loop(ty, number(columns), number(tileRows), func(row string) {
					at := w.add(x, row)
					inside := w.both(w.op(predicate, "setp.lt.s64", across, ny), w.op(predicate, "setp.lt.s64", at, nx))
					w.when(inside, func() {
						p.at[w.s.X], p.at[w.s.Across] = at, across
						for n, id := range w.s.Tiled {
							i := &w.k.Instrs[id]
							address, _ := w.operand(i.Mem, p)
							w.store("shared", held(i.Type), place(n, row, tx), w.load("global", i.Type, address, "", ""), "")
						}
					})
				})
				w.barrier()
				at := w.add(x, tx)
				w.loop(ty, number(columns), number(tileRows), func(row string) {
					across := w.add(y, row)
					inside := w.both(w.op(predicate, "setp.lt.s64", across, ny), w.op(predicate, "setp.lt.s64", at, nx))
					w.when(inside, func() {
						p.at[w.s.X], p.at[w.s.Across] = at, across
						tiled := map[kernel.ID]string{}
						for n, id := range w.s.Tiled {
							tiled[id] = place(n, tx, row)
						}
						for s := range w.k.Stages {
							w.body(&stage{number: s, at: p, tiled: tiled})
						}
					})
				})
				w.barrier()
			})
		})
	})
}
