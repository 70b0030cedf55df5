package ptx

import (
	"ltc/backends/cuda/ptx/internal/asm"
	"ltc/backends/cuda/ptx/internal/body"
	"ltc/backends/kit/kernel"
	"ltc/ir/types"
)

// columns writes Columns.
func (w *writer) columns() {
	p := w.Point(0)
	tx, ty := w.Special("%tid.x"), "0"
	sliced := w.s.Threads[1] > 1
	stores := ""
	if sliced {
		ty = w.Special("%tid.y")
		stores = w.Op(asm.Predicate, "setp.eq.s64", ty, "0")
	}
	size := w.Size(w.K.Axis(0, w.s.X).Size)
	h := hazards(w.K, w.s.Same)
	waits := func(id kernel.ID) bool { return sliced && h.before[id] }
	var locals []string
	for l := range w.K.Locals {
		t := w.K.Locals[l].DType
		locals = append(locals, w.Variable(asm.ClassOf(t), w.Neutral(kernel.Add, t)))
	}
	w.Outer(w.s.Outer, p, func() {
		base := w.Mul(w.Special("%ctaid.x"), asm.Number(columns))
		step := w.Mul(w.Special("%nctaid.x"), asm.Number(columns))
		w.Loop(base, size, step, func(from string) {
			p.At[w.s.X] = w.Add(from, tx)
			active := w.Op(asm.Predicate, "setp.lt.s64", p.At[w.s.X], size)
			slot := 0
			for s := range w.K.Stages {
				st := &body.Stage{Number: s, Point: w.Extended(s, p), Locals: locals, InRegisters: true}
				if len(w.K.Stages[s].Axes) == 0 {
					st.Stores = stores
					w.pieces(st, active, waits)
					continue
				}
				if begin := w.K.Stages[s].Begin; begin < w.K.Stages[s].End && waits(begin) {
					w.Barrier()
				}
				w.Begin(st)
				w.When(active, func() { w.slice(st, len(w.K.Axes), ty) })
				slot = w.reduceSlices(st, slot, sliced)
			}
			if sliced {
				w.Barrier()
			}
		})
	})
}

// pieces writes a stage without axes, in pieces between which threads wait.
func (w *writer) pieces(s *body.Stage, active string, waits func(id kernel.ID) bool) {
	st := &w.K.Stages[s.Number]
	for from := st.Begin; from < st.End && w.Err == nil; {
		if waits(from) {
			w.Barrier()
		}
		w.When(active, func() {
			first := from
			for ; from < st.End && (from == first || !waits(from)); from++ {
				w.Instr(s, from)
			}
		})
	}
}

// slice runs a stage's body for its points, of which slices of threads share out
// the first axis.
func (w *writer) slice(s *body.Stage, a int, ty string) {
	if a == len(s.At) {
		w.Body(s)
		return
	}
	start, step := "0", "1"
	if a == len(w.K.Axes) {
		start, step = ty, asm.Number(int64(w.s.Threads[1]))
	}
	times := 1
	if a == len(s.At)-1 {
		times = w.s.bodies(s.Number)
	}
	w.Unrolled(times, start, w.Size(w.K.Axis(s.Number, a).Size), step, func(i string) {
		s.At[a] = w.Ordered(s.Number, a, i)
		w.slice(s, a+1, ty)
	})
}

// bodies returns how many bodies of a stage follow each other in the text of Columns.
func (s *Schedule) bodies(stage int) int {
	n, costly := 4, 0
	for id := s.k.Stages[stage].Begin; id < s.k.Stages[stage].End; id++ {
		if s.k.Instrs[id].Op.Costly() {
			costly++
		}
	}
	for n*costly > body.MostCostly {
		n /= 2
	}
	return max(n, 1)
}

// reduceSlices makes the totals of the slices of a column one, one after the
// other. It returns the next slot.
func (w *writer) reduceSlices(s *body.Stage, slot int, sliced bool) int {
	ids := w.Reductions(s.Number)
	if !sliced || len(ids) == 0 {
		for _, id := range ids {
			w.Vals[id] = w.Rounded(w.K.Instrs[id].Type, s.Totals[id])
		}
		return slot
	}
	tx, ty := w.Op(asm.Word, "mov.u32", "%tid.x"), w.Op(asm.Word, "mov.u32", "%tid.y")
	own := w.AsLong(types.U32, w.Op(asm.Word, "mad.lo.u32", ty, asm.Number(columns), tx))
	memory := w.Op(asm.Long, "mov.u64", asm.Shared)
	const row = columns * slotBytes
	at := func(n int, i string) string {
		return w.Add(w.Mad(i, asm.Number(slotBytes), memory), asm.Number(int64((slot+n)*sliceCount*row)))
	}
	for n, id := range ids {
		i := &w.K.Instrs[id]
		w.Store("shared", asm.Held(i.Type), at(n, own), s.Totals[id], "")
	}
	w.Barrier()
	for n, id := range ids {
		i := &w.K.Instrs[id]
		column := at(n, w.AsLong(types.U32, tx))
		v := w.Load("shared", asm.Held(i.Type), column, "", "")
		for y := 1; y < sliceCount; y++ {
			v = w.Combined(kernel.Op(i.Aux), i.Type, v, w.Load("shared", asm.Held(i.Type), w.Add(column, asm.Number(int64(y*row))), "", ""))
		}
		w.Vals[id] = w.Rounded(i.Type, v)
	}
	return slot + len(ids)
}
