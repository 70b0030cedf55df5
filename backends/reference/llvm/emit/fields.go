package emit

import (
	"slices"

	"ltc/backends/kit/kernel"
	"ltc/backends/reference/llvm/vector"
)

// Fields is loads of one operand that differ in their place along a dimension alone,
// along which elements lie side by side, as the fields of a record do.
type Fields struct {
	IDs      []kernel.ID // in their order
	Dim      int
	From, To int64 // all places are from the one on and before the other
}

// fields finds them: each list is of places of which there are not many more between
// them.
func (p *planner) fields(r *Schedule) {
	done := make([]bool, len(p.k.Instrs))
	for id := range p.k.Instrs {
		d := p.field(r, kernel.ID(id))
		if d < 0 || done[id] {
			continue
		}
		first := p.k.Instrs[id].Mem
		f := Fields{Dim: d, From: first.Index[d].Offset, To: first.Index[d].Offset + 1}
		for other := id; other < len(p.k.Instrs); other++ {
			m := p.k.Instrs[other].Mem
			if p.field(r, kernel.ID(other)) != d || !beside(first, m, d) {
				continue
			}
			from, to := min(f.From, m.Index[d].Offset), max(f.To, m.Index[d].Offset+1)
			if to-from <= mostWritten {
				f.IDs, f.From, f.To, done[other] = append(f.IDs, kernel.ID(other)), from, to, true
			}
		}
		if len(f.IDs) > 1 && f.To-f.From <= 2*int64(len(f.IDs)) {
			r.Fields = append(r.Fields, f)
		}
	}
}

// field returns the dimension along which an instruction loads from one place of
// elements that lie side by side, and far apart along the vectors; -1 if it is no
// such load.
func (p *planner) field(r *Schedule, id kernel.ID) int {
	i := &p.k.Instrs[id]
	if i.Op != kernel.Load || i.Mem.Local || i.Mem.Guard || i.Type.Size() == 1 || p.k.Params[i.Mem.Param].Out || p.move(p.k.StageOf(id), i.Mem, r.Vector) != strided {
		return -1
	}
	at := -1
	for d, x := range i.Mem.Index {
		if x.Value != kernel.None {
			return -1
		}
		if len(x.Terms) == 0 && p.k.Params[i.Mem.Param].Strides[d] == kernel.UnitStride {
			at = d
		}
	}
	return at
}

// beside reports whether two accesses are to one operand and differ in their places
// along dimension d alone.
func beside(a, b *kernel.Access, d int) bool {
	if a.Param != b.Param {
		return false
	}
	for e := range a.Index {
		if e != d && (a.Index[e].Offset != b.Index[e].Offset || !slices.Equal(a.Index[e].Terms, b.Index[e].Terms)) {
			return false
		}
	}
	return true
}

// fieldsOf returns the fields that a load is one of; nil if there are none.
func (s *Schedule) fieldsOf(id kernel.ID) *Fields {
	at := slices.IndexFunc(s.Fields, func(f Fields) bool { return slices.Contains(f.IDs, id) })
	if at < 0 {
		return nil
	}
	return &s.Fields[at]
}

// loadFields writes all loads of fields in the place of the first of them.
func (b *body) loadFields(f *Fields, id kernel.ID, l vector.Lanes) {
	if id != f.IDs[0] {
		return
	}
	vars := b.vars[b.last()]
	place := func(id kernel.ID) int64 { return b.k.Instrs[id].Mem.Index[f.Dim].Offset }
	for _, id := range f.IDs {
		b.vals[id] = make([]vector.Value, vars)
	}
	for v := range vars {
		p, _, stride, _ := b.address(id, v, vars, l)
		columns := b.loadRows(b.at(p, b.Index(f.From-place(id))), stride, int(f.To-f.From), l)
		for _, id := range f.IDs {
			b.vals[id][v] = columns[place(id)-f.From]
		}
	}
}
