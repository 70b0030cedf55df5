package ptx

import (
	"strings"

	"ltc/backends/kit/kernel"
	"ltc/ir/types"
)

// rows writes Rows.
func (w *writer) rows(variant int) {
	strips, warp := w.s.stripsOf(variant)
	w.warps = warp
	if strips > 0 {
		w.inStrips(strips)
		return
	}
	tid := w.special("%tid.x")
	first := w.op(predicate, "setp.eq.s64", tid, "0")
	w.eachRow(func() {}, func(st *stage) {
		if w.s.warpScans(st.number) {
			warp := w.op(predicate, "setp.lt.s64", tid, "32")
			w.when(warp, func() { w.scanRow(st) })
		} else if w.s.InOrder[st.number] {
			w.when(first, func() { w.share(st, "0", "1") })
		} else {
			w.share(st, tid, w.special("%ntid.x"))
		}
	})
}

// inRow returns which of the threads that have a row the thread is, and how many these
// are: those of a block, or of a warp.
func (w *writer) inRow() (thread, of string) {
	if w.warps {
		return w.op(long, "and.b64", w.special("%tid.x"), "31"), "32"
	}
	return w.special("%tid.x"), w.special("%ntid.x")
}

// wait has the threads of a row wait for each other.
func (w *writer) wait() {
	if w.warps {
		w.line("bar.warp.sync -1")
		return
	}
	w.barrier()
}

// rowsOf returns the first of the rows that the thread has a part of, and how far apart
// they are.
func (w *writer) rowsOf() (first, step string) {
	first, step = w.special("%ctaid.x"), w.special("%nctaid.x")
	if w.warps {
		n := w.op(long, "shr.u64", w.special("%ntid.x"), "5")
		first, step = w.mad(first, n, w.warp()), w.mul(step, n)
	}
	return first, step
}

// warp returns which of the block's warps the thread is in.
func (w *writer) warp() string { return w.op(long, "shr.u64", w.special("%tid.x"), "5") }

// eachRow writes the loop over the rows of a block, or of a warp: begin at the start of
// each, then the stages, of which run writes the bodies of those with axes.
func (w *writer) eachRow(begin func(), run func(st *stage)) {
	p := w.point(0)
	thread, _ := w.inRow()
	first := w.op(predicate, "setp.eq.s64", thread, "0")
	locals := w.localBases()
	h := hazards(w.k, w.s.Same)
	all := others(len(w.k.Axes))
	row, step := w.rowsOf()
	w.loop(row, w.product(0, all), step, func(n string) {
		begin()
		w.split(0, all, n, p.at)
		slot := 0
		for s := range w.k.Stages {
			st := &stage{number: s, at: w.extended(s, p), locals: locals}
			if len(w.k.Stages[s].Axes) == 0 {
				st.at.stores = first
				st.before = func(id kernel.ID) {
					if h.before[id] {
						w.wait()
					}
				}
				w.body(st)
				continue
			}
			if h.before[w.k.Stages[s].Begin] && w.k.Stages[s].Begin < w.k.Stages[s].End {
				w.wait()
			}
			st.totals = w.totals(s)
			w.inverses(s)
			run(st)
			if w.warps {
				w.reduceRow(st)
			} else {
				slot = w.reduceBlock(st, slot)
			}
		}
		if h.loop {
			w.wait()
		}
	})
}

// localBases returns where each local begins in the block's memory: behind what
// reductions have, aligned to 64 bytes as [kernel.LocalBytes] counts.
func (w *writer) localBases() []string {
	var all []string
	if len(w.k.Locals) == 0 {
		return nil
	}
	at := w.add(w.op(long, "mov.u64", shared), number(int64(w.s.reductions*warpSlots*slotBytes)))
	if w.warps { // a warp's are all behind those of the warp before it
		bytes := "0"
		for l := range w.k.Locals {
			bytes = w.add(bytes, w.localBytes(l))
		}
		at = w.mad(w.warp(), bytes, at)
	}
	for l := range w.k.Locals {
		all = append(all, at)
		if l+1 < len(w.k.Locals) {
			at = w.add(at, w.localBytes(l))
		}
	}
	return all
}

// localBytes returns how many bytes a local takes.
func (w *writer) localBytes(l int) string {
	n := number(int64(w.k.Locals[l].DType.Size()))
	for _, d := range w.k.Locals[l].Dims {
		n = w.mul(n, w.size(d))
	}
	if bytes, ok := literal(n); ok {
		return number(roundUp(bytes, 64))
	}
	return w.op(long, "and.b64", w.add(n, "63"), "-64")
}

// share runs a stage's body for the points of which the given is the first along one
// axis, and the others follow by step: as threads share out all.
func (w *writer) share(s *stage, start, step string) {
	along := w.s.Along[s.number]
	var serial func(a int)
	serial = func(a int) {
		switch {
		case a == len(s.at.at):
			w.loop(start, w.size(w.k.Axis(s.number, along).Size), step, func(i string) {
				s.at.at[along] = w.ordered(s.number, along, i)
				w.body(s)
			})
		case a == along:
			serial(a + 1)
		default:
			w.loop("0", w.size(w.k.Axis(s.number, a).Size), "1", func(i string) {
				s.at.at[a] = i
				serial(a + 1)
			})
		}
	}
	serial(len(w.k.Axes))
}

// reduceBlock makes the totals of all threads one, which all have: within warps by
// shuffles, between them through the block's memory, from the given slot. It
// returns the next slot.
func (w *writer) reduceBlock(s *stage, slot int) int {
	ids := w.reductions(s.number)
	if len(ids) == 0 {
		return slot
	}
	tid := w.op(word, "mov.u32", "%tid.x")
	lane := w.op(word, "and.b32", tid, "31")
	warp := w.asLong(types.U32, w.op(word, "shr.u32", tid, "5"))
	leads := w.op(predicate, "setp.eq.u32", lane, "0")
	warps, most := w.op(word, "shr.u32", w.op(word, "mov.u32", "%ntid.x"), "5"), w.threads[0]/32
	memory := w.op(long, "mov.u64", shared)
	at := func(n int, i string) string {
		return w.add(w.mad(i, number(slotBytes), memory), number(int64((slot+n)*warpSlots*slotBytes)))
	}
	for n, id := range ids {
		i := &w.k.Instrs[id]
		v := w.reduceLanes(kernel.Op(i.Aux), i.Type, s.totals[id], 32)
		w.store("shared", held(i.Type), at(n, warp), v, leads)
	}
	w.barrier()
	for n, id := range ids {
		i := &w.k.Instrs[id]
		of := w.op(word, "and.b32", lane, number(int64(most-1)))
		some := w.op(predicate, "setp.lt.u32", of, warps)
		v := w.load("shared", held(i.Type), at(n, w.asLong(types.U32, of)), some, w.neutral(kernel.Op(i.Aux), i.Type))
		w.vals[id] = w.rounded(i.Type, w.reduceLanes(kernel.Op(i.Aux), i.Type, v, most))
	}
	return slot + len(ids)
}

// reduceRow makes the totals of a warp's lanes one, which all have.
func (w *writer) reduceRow(s *stage) {
	ids := w.reductions(s.number)
	if len(ids) > 0 {
		w.wait() // what lanes have written is there for others, as behind a block's barrier
	}
	for _, id := range ids {
		i := &w.k.Instrs[id]
		w.vals[id] = w.rounded(i.Type, w.reduceLanes(kernel.Op(i.Aux), i.Type, s.totals[id], 32))
	}
}

// reduceLanes makes a value of each of some lanes beside each other one, which all of
// them have; how many is a power of 2.
func (w *writer) reduceLanes(op kernel.Op, t types.DType, v string, lanes int) string {
	for distance := lanes / 2; distance > 0; distance /= 2 {
		v = w.combined(op, t, v, w.exchange(t, v, number(int64(distance))))
	}
	return v
}

// exchange returns the value of the lane whose number differs in one bit.
func (w *writer) exchange(t types.DType, v, distance string) string {
	shuffle := func(c class, v string) string {
		r := w.fresh(c)
		w.line("shfl.sync.bfly.b32 %s, %s, %s, 31, -1", r, v, distance)
		return r
	}
	switch c := classOf(t); c {
	case predicate:
		return w.ofBits(t, shuffle(word, w.bitsOf(t, v)))
	case long, double:
		low, high := w.fresh(word), w.fresh(word)
		w.line("mov.b64 {%s, %s}, %s", low, high, v)
		r := w.fresh(c)
		w.line("mov.b64 %s, {%s}", r, strings.Join([]string{shuffle(word, low), shuffle(word, high)}, ", "))
		return r
	default:
		return shuffle(c, v)
	}
}
