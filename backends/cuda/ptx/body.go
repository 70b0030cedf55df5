package ptx

import (
	"ltc/backends/cuda/ptx/internal/asm"
	"ltc/backends/kit/kernel"
	"ltc/ir/types"
)

// stage is how the instructions of a stage are written.
type stage struct {
	number int
	at     point
	locals []string             // where each begins in the block's memory, or the register that it is
	totals map[kernel.ID]string // the registers that reductions and scans run in
	lanes  *lanesOfScan         // nil: its points come one after the other
	// tiled has the address, in the block's memory, of what loads of tiles load.
	tiled map[kernel.ID]string
	// before is called before each instruction.
	before func(id kernel.ID)
}

// body writes all instructions of a stage.
func (w *writer) body(s *stage) {
	st := &w.k.Stages[s.number]
	for id := st.Begin; id < st.End && w.Err == nil; id++ {
		w.instr(s, id)
	}
}

// instr writes an instruction, of which it notes the value.
func (w *writer) instr(s *stage, id kernel.ID) {
	if s.before != nil {
		s.before(id)
	}
	i := &w.k.Instrs[id]
	switch i.Op {
	case kernel.Constant:
		w.vals[id] = w.Constant(i.Type, uint64(i.Aux))
	case kernel.Iota:
		w.vals[id] = w.Convert(types.I64, i.Type, s.at.at[i.Aux])
	case kernel.SizeOf:
		w.vals[id] = w.size(kernel.Size(i.Aux))
	case kernel.Load:
		w.vals[id] = w.loaded(s, id, i)
	case kernel.Store:
		w.stored(s, i)
	case kernel.Reduce:
		t := s.totals[id]
		w.Open() // the total is another each time
		w.Set(asm.ClassOf(i.Type), t, w.Combined(kernel.Op(i.Aux), i.Type, t, w.vals[i.Args[0]]))
		w.Close()
	case kernel.Scan:
		w.vals[id] = w.scan(s, id)
	default:
		w.vals[id] = w.computed(id, i)
	}
}

func (w *writer) loaded(s *stage, id kernel.ID, i *kernel.Instr) string {
	if a, ok := s.tiled[id]; ok {
		return w.Load("shared", asm.Held(i.Type), a, "", "")
	}
	if !i.Mem.Local {
		address, inside := w.operand(i.Mem, s.at)
		outside := ""
		if i.Mem.Guard {
			outside = w.vals[i.Args[0]]
		}
		if s.lanes != nil { // what is not there is nobody's to load: another lane may store it
			if inside = w.Both(s.lanes.active, inside); outside == "" {
				outside = w.Neutral(kernel.Add, i.Type)
			}
		}
		return w.Load("global", i.Type, address, inside, outside)
	}
	if i.Mem.Guard {
		w.Fail(asm.Unsupported(w.k, "a guarded access of local %s", w.k.Locals[i.Mem.Param].Name))
		return ""
	}
	if w.s.Form == Columns {
		return w.Variable(asm.ClassOf(i.Type), s.locals[i.Mem.Param]) // what it is now
	}
	address := w.local(i.Mem, s.at, s.locals[i.Mem.Param])
	if s.lanes != nil {
		return w.Load("shared", i.Type, address, s.lanes.active, w.Neutral(kernel.Add, i.Type))
	}
	return w.Load("shared", i.Type, address, "", "")
}

func (w *writer) stored(s *stage, i *kernel.Instr) {
	v := w.vals[i.Args[0]]
	if !i.Mem.Local {
		address, inside := w.operand(i.Mem, s.at)
		guard := w.Both(s.at.stores, inside)
		if i.Mem.Combine != kernel.Invalid {
			w.combine(i, address, v, guard)
			return
		}
		w.Store("global", i.Type, address, v, guard)
		return
	}
	if i.Mem.Guard {
		w.Fail(asm.Unsupported(w.k, "a guarded access of local %s", w.k.Locals[i.Mem.Param].Name))
		return
	}
	if w.s.Form == Columns {
		w.Set(asm.ClassOf(i.Type), s.locals[i.Mem.Param], v)
		return
	}
	w.Store("shared", i.Type, w.local(i.Mem, s.at, s.locals[i.Mem.Param]), v, s.at.stores)
}

// reductions returns those of a stage.
func (w *writer) reductions(stage int) []kernel.ID {
	var all []kernel.ID
	for id := w.k.Stages[stage].Begin; id < w.k.Stages[stage].End; id++ {
		if w.k.Instrs[id].Op == kernel.Reduce {
			all = append(all, id)
		}
	}
	return all
}

// totals sets the registers that a stage's reductions and scans run in to what they
// begin with.
func (w *writer) totals(stage int) map[kernel.ID]string {
	all := map[kernel.ID]string{}
	for _, id := range w.reductions(stage) {
		i := &w.k.Instrs[id]
		all[id] = w.Variable(asm.ClassOf(i.Type), w.Neutral(kernel.Op(i.Aux), i.Type))
	}
	for id := w.k.Stages[stage].Begin; id < w.k.Stages[stage].End; id++ {
		if i := &w.k.Instrs[id]; i.Op == kernel.Scan {
			with, _ := kernel.AsScan(i.Aux)
			all[id] = w.Variable(asm.ClassOf(i.Type), w.Neutral(with, i.Type))
		}
	}
	return all
}

// split returns the indices along axes of point n of them, in row-major order.
func (w *writer) split(stage int, axes []int, n string, at []string) {
	for i := len(axes) - 1; i > 0; i-- {
		size := w.size(w.k.Axis(stage, axes[i]).Size)
		at[axes[i]] = w.Modulo(n, size)
		n = w.Quotient(n, size)
	}
	if len(axes) > 0 {
		at[axes[0]] = n
	}
}

// point returns one with a place for each axis of a stage.
func (w *writer) point(stage int) point {
	n := len(w.k.Axes) + len(w.k.Stages[stage].Axes)
	at := make([]string, n)
	for a := range at {
		at[a] = "0"
	}
	return point{at: at}
}

// extended returns a point of the kernel's axes as one of a stage.
func (w *writer) extended(stage int, of point) point {
	p := w.point(stage)
	copy(p.at, of.at[:len(w.k.Axes)])
	p.stores = of.stores
	return p
}

// outer runs body for the points of the outer axes, which blocks along z share
// out.
func (w *writer) outer(p point, body func()) {
	w.outerOf(w.s.Outer, p, body)
}

// outerOf is outer of given axes.
func (w *writer) outerOf(axes []int, p point, body func()) {
	if len(axes) == 0 {
		body()
		return
	}
	w.Loop(w.Special("%ctaid.z"), w.product(0, axes), w.Special("%nctaid.z"), func(n string) {
		w.split(0, axes, n, p.at)
		body()
	})
}
