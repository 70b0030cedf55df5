package body

import (
	"ltc/backends/cuda/ptx/internal/asm"
	"ltc/backends/kit/kernel"
	"ltc/ir/types"
)

// Stage is how the instructions of a stage are written, at a point.
type Stage struct {
	Number int
	Point
	Locals []string // where each begins in the block's memory
	// InRegisters says that locals, of one element each, are the registers that Locals names.
	InRegisters bool
	Totals      map[kernel.ID]string // the registers that reductions and scans run in
	lanes       *lanesOfScan         // nil: its points come one after the other
	// Tiled has the address, in the block's memory, of what loads of tiles load.
	Tiled map[kernel.ID]string
	// Before is called before each instruction.
	Before func(id kernel.ID)
}

// Body writes all instructions of a stage.
func (w *Writer) Body(s *Stage) {
	st := &w.K.Stages[s.Number]
	for id := st.Begin; id < st.End && w.Err == nil; id++ {
		w.Instr(s, id)
	}
}

// Instr writes an instruction, of which it notes the value.
func (w *Writer) Instr(s *Stage, id kernel.ID) {
	if s.Before != nil {
		s.Before(id)
	}
	i := &w.K.Instrs[id]
	switch i.Op {
	case kernel.Constant:
		w.Vals[id] = w.Constant(i.Type, uint64(i.Aux))
	case kernel.Iota:
		w.Vals[id] = w.Convert(types.I64, i.Type, s.At[i.Aux])
	case kernel.SizeOf:
		w.Vals[id] = w.Size(kernel.Size(i.Aux))
	case kernel.Load:
		w.Vals[id] = w.loaded(s, id, i)
	case kernel.Store:
		w.stored(s, i)
	case kernel.Reduce:
		t := s.Totals[id]
		w.Open() // the total is another each time
		w.Set(asm.ClassOf(i.Type), t, w.Combined(kernel.Op(i.Aux), i.Type, t, w.Vals[i.Args[0]]))
		w.Close()
	case kernel.Scan:
		w.Vals[id] = w.scan(s, id)
	default:
		w.Vals[id] = w.computed(id, i)
	}
}

func (w *Writer) loaded(s *Stage, id kernel.ID, i *kernel.Instr) string {
	if a, ok := s.Tiled[id]; ok {
		return w.Load("shared", asm.Held(i.Type), a, "", "")
	}
	if !i.Mem.Local {
		address, inside := w.Operand(i.Mem, s.Point)
		outside := ""
		if i.Mem.Guard {
			outside = w.Vals[i.Args[0]]
		}
		if s.lanes != nil { // what is not there is nobody's to load: another lane may store it
			if inside = w.Both(s.lanes.active, inside); outside == "" {
				outside = w.Neutral(kernel.Add, i.Type)
			}
		}
		return w.Load("global", i.Type, address, inside, outside)
	}
	if i.Mem.Guard {
		w.Fail(asm.Unsupported(w.K, "a guarded access of local %s", w.K.Locals[i.Mem.Param].Name))
		return ""
	}
	if s.InRegisters {
		return w.Variable(asm.ClassOf(i.Type), s.Locals[i.Mem.Param]) // what it is now
	}
	address := w.local(i.Mem, s.Point, s.Locals[i.Mem.Param])
	if s.lanes != nil {
		return w.Load("shared", i.Type, address, s.lanes.active, w.Neutral(kernel.Add, i.Type))
	}
	return w.Load("shared", i.Type, address, "", "")
}

func (w *Writer) stored(s *Stage, i *kernel.Instr) {
	v := w.Vals[i.Args[0]]
	if !i.Mem.Local {
		address, inside := w.Operand(i.Mem, s.Point)
		guard := w.Both(s.Stores, inside)
		if i.Mem.Combine != kernel.Invalid {
			w.combine(i, address, v, guard)
			return
		}
		w.Store("global", i.Type, address, v, guard)
		return
	}
	if i.Mem.Guard {
		w.Fail(asm.Unsupported(w.K, "a guarded access of local %s", w.K.Locals[i.Mem.Param].Name))
		return
	}
	if s.InRegisters {
		w.Set(asm.ClassOf(i.Type), s.Locals[i.Mem.Param], v)
		return
	}
	w.Store("shared", i.Type, w.local(i.Mem, s.Point, s.Locals[i.Mem.Param]), v, s.Stores)
}

// Reductions returns those of a stage.
func (w *Writer) Reductions(stage int) []kernel.ID {
	var all []kernel.ID
	for id := w.K.Stages[stage].Begin; id < w.K.Stages[stage].End; id++ {
		if w.K.Instrs[id].Op == kernel.Reduce {
			all = append(all, id)
		}
	}
	return all
}

// Begin writes what comes before all points of a stage: reductions and scans begin with
// their neutral elements, and divisors are inverted.
func (w *Writer) Begin(s *Stage) {
	s.Totals = map[kernel.ID]string{}
	for _, id := range w.Reductions(s.Number) {
		i := &w.K.Instrs[id]
		s.Totals[id] = w.Variable(asm.ClassOf(i.Type), w.Neutral(kernel.Op(i.Aux), i.Type))
	}
	for id := w.K.Stages[s.Number].Begin; id < w.K.Stages[s.Number].End; id++ {
		if i := &w.K.Instrs[id]; i.Op == kernel.Scan {
			with, _ := kernel.AsScan(i.Aux)
			s.Totals[id] = w.Variable(asm.ClassOf(i.Type), w.Neutral(with, i.Type))
		}
	}
	w.inverses(s.Number)
}

// lanesOfScan is how a warp scans along a row: a lane has a point, of 32 beside each
// other.
type lanesOfScan struct {
	active string    // a predicate: the lane's point is there
	above  [5]string // predicates: the bits of the lane's number, from the lowest
}

// ScanRow runs a stage that scans, in the first warp of the block.
func (w *Writer) ScanRow(s *Stage) {
	axis := len(w.K.Axes)
	n := w.Size(w.K.Axis(s.Number, axis).Size)
	lane := w.Op(asm.Long, "and.b64", w.Special("%tid.x"), "31")
	s.lanes = &lanesOfScan{}
	for bit := range s.lanes.above {
		s.lanes.above[bit] = w.Op(asm.Predicate, "setp.ne.s64", w.Op(asm.Long, "and.b64", lane, asm.Number(1<<bit)), "0")
	}
	w.Loop("0", n, "32", func(from string) {
		at := w.Add(from, lane)
		s.lanes.active = w.Op(asm.Predicate, "setp.lt.s64", at, n)
		s.Stores = s.lanes.active
		s.At[axis] = w.Ordered(s.Number, axis, w.Op(asm.Long, "min.s64", at, w.Add(n, "-1")))
		w.Body(s)
	})
}

// Ordered returns the point of an axis that comes as the i-th.
func (w *Writer) Ordered(stage, axis int, i string) string {
	a := w.K.Axis(stage, axis)
	if a.Kind != kernel.ReverseAxis {
		return i
	}
	return w.Op(asm.Long, "sub.s64", w.Add(w.Size(a.Size), "-1"), i)
}

// scan writes a scan at the stage's point, or at those of a warp.
func (w *Writer) scan(s *Stage, id kernel.ID) string {
	i := &w.K.Instrs[id]
	with, exclusive := kernel.AsScan(i.Aux)
	c, total, x := asm.ClassOf(i.Type), s.Totals[id], w.Vals[i.Args[0]]
	w.Open() // the total is another each time
	defer w.Close()
	before := w.Variable(c, total)
	if s.lanes == nil {
		w.Set(c, total, w.Combined(with, i.Type, total, x))
		if exclusive {
			return w.Rounded(i.Type, before)
		}
		return w.Rounded(i.Type, w.Variable(c, total))
	}
	x = w.Choose(i.Type, s.lanes.active, x, w.Neutral(with, i.Type))
	// all is what lanes whose numbers differ in some bits combine to, lower what those
	// of them before this one do.
	lower, all := w.Neutral(with, i.Type), x
	for bit, above := range s.lanes.above {
		other := w.Exchange(i.Type, all, asm.Number(1<<bit))
		lower = w.Choose(i.Type, above, w.Combined(with, i.Type, other, lower), lower)
		all = w.Combined(with, i.Type, all, other)
	}
	r := w.Combined(with, i.Type, before, lower)
	if w.Set(c, total, w.Combined(with, i.Type, before, all)); !exclusive {
		r = w.Combined(with, i.Type, r, x)
	}
	return w.Rounded(i.Type, r)
}
