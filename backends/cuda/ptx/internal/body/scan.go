package body

import (
	"ltc/backends/cuda/ptx/internal/asm"
	"ltc/backends/kit/kernel"
)

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
