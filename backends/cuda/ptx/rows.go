package ptx

import (
	"ltc/backends/cuda/ptx/internal/asm"
	"ltc/backends/cuda/ptx/internal/body"
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
	tid := w.Special("%tid.x")
	first := w.Op(asm.Predicate, "setp.eq.s64", tid, "0")
	w.eachRow(func(row) {}, func(st *body.Stage) {
		if w.s.warpScans(st.Number) {
			warp := w.Op(asm.Predicate, "setp.lt.s64", tid, "32")
			w.When(warp, func() { w.ScanRow(st) })
		} else if w.s.InOrder[st.Number] {
			w.When(first, func() { w.share(st, "0", "1") })
		} else {
			w.share(st, tid, w.Special("%ntid.x"))
		}
	})
}

// inRow returns which of the threads that have a row the thread is, and how many these
// are: those of a block, or of a warp.
func (w *writer) inRow() (thread, of string) {
	if w.warps {
		return w.Op(asm.Long, "and.b64", w.Special("%tid.x"), "31"), "32"
	}
	return w.Special("%tid.x"), w.Special("%ntid.x")
}

// wait has the threads of a row wait for each other.
func (w *writer) wait() {
	if w.warps {
		w.Line("bar.warp.sync -1")
		return
	}
	w.Barrier()
}

// rowsOf returns the first of the rows that the thread has a part of, and how far apart
// they are.
func (w *writer) rowsOf() (first, step string) {
	first, step = w.Special("%ctaid.x"), w.Special("%nctaid.x")
	if w.warps {
		n := w.Op(asm.Long, "shr.u64", w.Special("%ntid.x"), "5")
		first, step = w.Mad(first, n, w.warp()), w.Mul(step, n)
	}
	return first, step
}

// warp returns which of the block's warps the thread is in.
func (w *writer) warp() string { return w.Op(asm.Long, "shr.u64", w.Special("%tid.x"), "5") }

// warpScans reports whether a warp scans a row's stage, a lane a point; else its
// points run one after the other.
func (s *Schedule) warpScans(stage int) bool {
	return s.Form == Rows && !s.InOrder[stage] && s.k.Stages[stage].Scanned() != kernel.FreeAxis
}

// row is a row of a block's, or of a warp's, how far the next one is, and how many all have.
type row struct{ number, step, rows string }

// eachRow writes the loop over the rows of a block, or of a warp: begin at the start of
// each, then the stages, of which run writes the bodies of those with axes.
func (w *writer) eachRow(begin func(row), run func(st *body.Stage)) {
	p := w.Point(0)
	thread, _ := w.inRow()
	first := w.Op(asm.Predicate, "setp.eq.s64", thread, "0")
	locals := w.localBases()
	h := hazards(w.K, w.s.Same)
	all := others(len(w.K.Axes))
	from, step := w.rowsOf()
	rows := w.Count(0, all)
	w.Loop(from, rows, step, func(n string) {
		begin(row{n, step, rows})
		w.Split(0, all, n, p.At)
		slot := 0
		for s := range w.K.Stages {
			st := &body.Stage{Number: s, Point: w.Extended(s, p), Locals: locals}
			if len(w.K.Stages[s].Axes) == 0 {
				st.Stores = first
				st.Before = func(id kernel.ID) {
					if h.before[id] {
						w.wait()
					}
				}
				w.Body(st)
				continue
			}
			if h.before[w.K.Stages[s].Begin] && w.K.Stages[s].Begin < w.K.Stages[s].End {
				w.wait()
			}
			w.Begin(st)
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
	if len(w.K.Locals) == 0 {
		return nil
	}
	at := w.Add(w.Op(asm.Long, "mov.u64", asm.Shared), asm.Number(int64(w.s.reductions*asm.WarpSlots*slotBytes)))
	if w.warps { // a warp's are all behind those of the warp before it
		bytes := "0"
		for l := range w.K.Locals {
			bytes = w.Add(bytes, w.localBytes(l))
		}
		at = w.Mad(w.warp(), bytes, at)
	}
	for l := range w.K.Locals {
		all = append(all, at)
		if l+1 < len(w.K.Locals) {
			at = w.Add(at, w.localBytes(l))
		}
	}
	return all
}

// localBytes returns how many bytes a local takes.
func (w *writer) localBytes(l int) string {
	n := asm.Number(int64(w.K.Locals[l].DType.Size()))
	for _, d := range w.K.Locals[l].Dims {
		n = w.Mul(n, w.Size(d))
	}
	if bytes, ok := asm.Literal(n); ok {
		return asm.Number(asm.RoundUp(bytes, 64))
	}
	return w.Op(asm.Long, "and.b64", w.Add(n, "63"), "-64")
}

// share runs a stage's body for the points of which the given is the first along one
// axis, and the others follow by step: as threads share out all.
func (w *writer) share(s *body.Stage, start, step string) {
	along := w.s.Along[s.Number]
	var serial func(a int)
	serial = func(a int) {
		switch {
		case a == len(s.At):
			w.Loop(start, w.Size(w.K.Axis(s.Number, along).Size), step, func(i string) {
				s.At[along] = w.Ordered(s.Number, along, i)
				w.Body(s)
			})
		case a == along:
			serial(a + 1)
		default:
			w.Loop("0", w.Size(w.K.Axis(s.Number, a).Size), "1", func(i string) {
				s.At[a] = i
				serial(a + 1)
			})
		}
	}
	serial(len(w.K.Axes))
}

// reduceBlock makes the totals of all threads one, which all have: within warps by
// shuffles, between them through the block's memory, from the given slot. It
// returns the next slot.
func (w *writer) reduceBlock(s *body.Stage, slot int) int {
	ids := w.Reductions(s.Number)
	if len(ids) == 0 {
		return slot
	}
	tid := w.Op(asm.Word, "mov.u32", "%tid.x")
	lane := w.Op(asm.Word, "and.b32", tid, "31")
	warp := w.AsLong(types.U32, w.Op(asm.Word, "shr.u32", tid, "5"))
	leads := w.Op(asm.Predicate, "setp.eq.u32", lane, "0")
	warps, most := w.Op(asm.Word, "shr.u32", w.Op(asm.Word, "mov.u32", "%ntid.x"), "5"), w.Threads[0]/32
	memory := w.Op(asm.Long, "mov.u64", asm.Shared)
	at := func(n int, i string) string {
		return w.Add(w.Mad(i, asm.Number(slotBytes), memory), asm.Number(int64((slot+n)*asm.WarpSlots*slotBytes)))
	}
	for n, id := range ids {
		i := &w.K.Instrs[id]
		v := w.reduceLanes(kernel.Op(i.Aux), i.Type, s.Totals[id], 32)
		w.Store("shared", asm.Held(i.Type), at(n, warp), v, leads)
	}
	w.Barrier()
	for n, id := range ids {
		i := &w.K.Instrs[id]
		of := w.Op(asm.Word, "and.b32", lane, asm.Number(int64(most-1)))
		some := w.Op(asm.Predicate, "setp.lt.u32", of, warps)
		v := w.Load("shared", asm.Held(i.Type), at(n, w.AsLong(types.U32, of)), some, w.Neutral(kernel.Op(i.Aux), i.Type))
		w.Vals[id] = w.Rounded(i.Type, w.reduceLanes(kernel.Op(i.Aux), i.Type, v, most))
	}
	return slot + len(ids)
}

// reduceRow makes the totals of a warp's lanes one, which all have.
func (w *writer) reduceRow(s *body.Stage) {
	ids := w.Reductions(s.Number)
	if len(ids) > 0 {
		w.wait() // what lanes have written is there for others, as behind a block's barrier
	}
	for _, id := range ids {
		i := &w.K.Instrs[id]
		w.Vals[id] = w.Rounded(i.Type, w.reduceLanes(kernel.Op(i.Aux), i.Type, s.Totals[id], 32))
	}
}

// reduceLanes makes a value of each of some lanes beside each other one, which all of
// them have; how many is a power of 2.
func (w *writer) reduceLanes(op kernel.Op, t types.DType, v string, lanes int) string {
	for distance := lanes / 2; distance > 0; distance /= 2 {
		v = w.Combined(op, t, v, w.Exchange(t, v, asm.Number(int64(distance))))
	}
	return v
}
