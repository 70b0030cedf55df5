package emit

import (
	"slices"

	"ltc/backends/kit/kernel"
)

// stream finds the operands that can be stored to past the caches. One store fills whole
// vectors, and nothing loads from the operand. No value says the store's place but one of a
// table, in which vectors do not differ. Such stores are put off to the end of an iteration of
// the loop. As two operands can be of one memory, nothing that comes later in the iteration may
// access another one in any other way. Of strips it is the operands of stages that scan:
// they store all rows of the result, one after the other.
func (p *planner) stream(r *Schedule) {
	last := make([]kernel.ID, len(p.k.Params)) // where they are stored to
	for o := range p.k.Params {
		a := &p.k.Params[o]
		if !a.Out {
			continue
		}
		ok, stores, at := true, 0, kernel.None
		for s := range p.k.Stages {
			for id := p.k.Stages[s].Begin; id < p.k.Stages[s].End; id++ {
				i := &p.k.Instrs[id]
				if i.Mem == nil || i.Mem.Local || i.Mem.Param != o {
					continue
				}
				t := r.Stages[0]
				if r.Form == Rows || r.Form == Strips {
					t = r.Stages[s]
				}
				stores, at = stores+1, id
				ok = ok && i.Op == kernel.Store && p.readsColumns(s, i.Mem, t.Vector) && !i.Mem.Guard && i.Mem.Combine == kernel.Invalid &&
					t.Lanes > 1 && t.Lanes*a.DType.Size() >= 16 && (p.move(s, i.Mem, t.Vector) == unit || r.isRecord(id)) &&
					!(r.Form == Rows && p.reduces(s)) && !(r.Form == Strips && p.k.Stages[s].Scanned() == kernel.FreeAxis)
			}
		}
		if ok && stores == 1 {
			r.Stream = append(r.Stream, o)
			last[o] = at
		}
	}
	all := slices.Clone(r.Stream)
	r.Stream = slices.DeleteFunc(r.Stream, func(o int) bool {
		end := kernel.ID(len(p.k.Instrs))
		if r.Form == Rows || r.Form == Strips {
			end = p.k.Stages[p.k.StageOf(last[o])].End
		}
		return slices.ContainsFunc(p.k.Instrs[last[o]+1:end], func(i kernel.Instr) bool {
			return i.Mem != nil && !i.Mem.Local && p.k.Params[i.Mem.Param].Out && i.Type == p.k.Params[o].DType && !slices.Contains(all, i.Mem.Param)
		})
	})
}

// readsColumns reports whether values say no more of an access than which column of a
// table it is in, the same all along an axis.
func (p *planner) readsColumns(s int, m *kernel.Access, axis int) bool {
	for d, x := range m.Index {
		if x.Value != kernel.None && (p.k.Params[m.Param].Strides[d] != kernel.TableStride || axis < 0 || p.depends(s, x.Value).Has(axis)) {
			return false
		}
	}
	return true
}
