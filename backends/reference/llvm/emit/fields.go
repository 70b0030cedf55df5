package emit

import (
	"slices"

	"github.com/llir/llvm/ir/value"

	"ltc/backends/kit/kernel"
	"ltc/backends/reference/llvm/vector"
)

// Fields is loads of one operand, or stores to it, that differ in their place along a dimension
// alone, along which elements lie side by side, as the fields of a record do. Stores are to all
// places between the first and the last one.
type Fields struct {
	IDs      []kernel.ID // in their order
	Dim      int
	From, To int64 // all places are from the one on and before the other
}

// fields finds those of instructions when vectors lie along an axis of stage s. Each list of
// loads is of places of which there are not many more between them.
func (p *planner) fields(s int, begin, end kernel.ID, axis int) []Fields {
	var all []Fields
	done := make([]bool, end-begin)
	for id := begin; id < end; id++ {
		if done[id-begin] {
			continue
		}
		d := p.field(s, id, axis)
		if d < 0 {
			continue
		}
		first := p.k.Instrs[id].Mem
		most := int64(mostWritten)
		for _, t := range first.Index[d].Terms {
			if t.Axis == axis { // the next record
				most = min(most, abs(t.Factor))
			}
		}
		f := Fields{Dim: d, From: first.Index[d].Offset, To: first.Index[d].Offset + 1}
		for other := id; other < end; other++ {
			m := p.k.Instrs[other].Mem
			if done[other-begin] || m == nil || p.k.Instrs[other].Op != p.k.Instrs[id].Op || !beside(first, m, d) || p.field(s, other, axis) != d {
				continue
			}
			from, to := min(f.From, m.Index[d].Offset), max(f.To, m.Index[d].Offset+1)
			if to-from <= most {
				f.IDs, f.From, f.To, done[other-begin] = append(f.IDs, other), from, to, true
			}
		}
		places := int64(len(f.IDs))
		if p.k.Instrs[id].Op == kernel.Store && p.twice(f) {
			continue
		}
		if places > 1 && (f.To-f.From == places || p.k.Instrs[id].Op == kernel.Load && f.To-f.From <= 2*places) {
			all = append(all, f)
		}
	}
	return all
}

// twice reports whether two instructions access one place: the order of two stores counts.
func (p *planner) twice(f Fields) bool {
	seen := map[int64]bool{}
	for _, id := range f.IDs {
		at := p.k.Instrs[id].Mem.Index[f.Dim].Offset
		if seen[at] {
			return true
		}
		seen[at] = true
	}
	return false
}

// field returns the dimension along which an instruction of stage s accesses one place of
// elements that lie side by side, and far apart along the vectors. It is -1 for other
// instructions.
func (p *planner) field(s int, id kernel.ID, axis int) int {
	i := &p.k.Instrs[id]
	switch {
	case i.Mem == nil, i.Mem.Guard, i.Mem.Combine != kernel.Invalid, i.Type.Size() == 1, p.move(s, i.Mem, axis) != strided,
		i.Op == kernel.Load && !i.Mem.Local && p.k.Params[i.Mem.Param].Out:
		return -1
	}
	at := -1
	for d, x := range i.Mem.Index {
		if x.Value != kernel.None {
			return -1
		}
		if i.Mem.Local && d == len(i.Mem.Index)-1 || !i.Mem.Local && p.k.Params[i.Mem.Param].Strides[d] == kernel.UnitStride {
			at = d
		}
	}
	return at
}

// rowFields finds the fields of stage s when vectors lie along an axis of its own. A stage
// that scans has none.
func (p *planner) rowFields(s, axis int) []Fields {
	st := &p.k.Stages[s]
	if axis < len(p.k.Axes) || st.Scanned() != kernel.FreeAxis {
		return nil
	}
	return p.fields(s, st.Begin, st.End, axis)
}

// beside reports whether two accesses are to one operand and differ in their places
// along dimension d by a constant alone.
func beside(a, b *kernel.Access, d int) bool {
	if a.Param != b.Param || a.Local != b.Local {
		return false
	}
	for e := range a.Index {
		if e != d && a.Index[e].Offset != b.Index[e].Offset || !slices.Equal(a.Index[e].Terms, b.Index[e].Terms) {
			return false
		}
	}
	return true
}

// fieldsOf returns the fields that a load is one of; nil if there are none.
func (s *Schedule) fieldsOf(id kernel.ID) *Fields { return fieldsOf(s.Fields, id) }

func fieldsOf(all []Fields, id kernel.ID) *Fields {
	at := slices.IndexFunc(all, func(f Fields) bool { return slices.Contains(f.IDs, id) })
	if at < 0 {
		return nil
	}
	return &all[at]
}

// loadFields writes all loads of fields in the place of the first of them. Lanes that are masked
// load what the last lane before them does.
func (b *body) loadFields(f *Fields, id kernel.ID, l vector.Lanes) {
	if id != f.IDs[0] {
		return
	}
	vars := b.vars[b.last()]
	for _, id := range f.IDs {
		b.vals[id] = make([]vector.Value, vars)
	}
	n := int(f.To - f.From)
	for v := range vars {
		p, _, stride, _ := b.address(id, v, vars, l)
		p = b.at(p, b.Index(f.From-b.fieldOf(f, id)))
		var columns []vector.Value
		if b.denseFields(stride, n) {
			rows := make([]vector.Value, n)
			for m, some := range b.denseLanes(v, n, l) {
				rows[m] = b.LoadLanes(b.at(p, b.Index(int64(m*l.N))), some)
			}
			columns = b.deinterleaved(rows)
		} else {
			columns = b.loadRows(p, stride, n, l, b.sub(b.leftAt(v), b.Index(1)))
		}
		for _, id := range f.IDs {
			b.vals[id][v] = columns[b.fieldOf(f, id)-f.From]
		}
	}
}

// storeFields writes all stores of fields in the place of the last of them.
func (b *body) storeFields(f *Fields, id kernel.ID, l vector.Lanes) {
	if id != f.IDs[len(f.IDs)-1] {
		return
	}
	vars := b.vars[b.last()]
	n := len(f.IDs)
	for v := range vars {
		columns := make([]vector.Value, n)
		for _, id := range f.IDs {
			columns[b.fieldOf(f, id)-f.From] = b.arg(b.k.Instrs[id].Args[0], v, vars, l)
		}
		p, _, stride, _ := b.address(id, v, vars, l)
		p = b.at(p, b.Index(f.From-b.fieldOf(f, id)))
		switch {
		case b.denseFields(stride, n):
			rows := b.interleaved(columns)
			for m, some := range b.denseLanes(v, n, l) {
				b.StoreLanes(b.at(p, b.Index(int64(m*l.N))), rows[m], some)
			}
		case l.Mask == nil:
			b.storeRows(p, stride, columns, l)
		default:
			for _, id := range f.IDs {
				b.store(id, v, vars, l)
			}
		}
	}
}

// fieldOf returns where a field is along the dimension of fields.
func (b *body) fieldOf(f *Fields, id kernel.ID) int64 { return b.k.Instrs[id].Mem.Index[f.Dim].Offset }

// denseFields reports whether n fields are all that is of a record, and few enough that whole
// vectors of them are taken apart at once.
func (b *body) denseFields(stride value.Value, n int) bool {
	apart, known := number(stride)
	return known && apart == int64(n) && (n == 2 || n == 4)
}

// leftAt returns how many points there are along the vectors from a variant on.
func (b *body) leftAt(v int) value.Value {
	return b.sub(b.size(b.k.Axis(b.number, b.Vector).Size), b.position(b.place[b.Vector][b.column(v)]))
}

// denseLanes returns the lanes of the n vectors that records of n elements fill.
func (b *body) denseLanes(v, n int, l vector.Lanes) []vector.Lanes {
	all := make([]vector.Lanes, n)
	for m := range all {
		all[m] = vector.Lanes{N: l.N}
		if l.Mask != nil {
			left := b.sub(b.mul(b.leftAt(v), b.Index(int64(n))), b.Index(int64(m*l.N)))
			all[m].Mask = b.Mask(l.N, b.max(b.min(left, b.Index(int64(l.N))), b.Index(0)))
		}
	}
	return all
}

// deinterleaved is the inverse of interleaved, for a power of two of vectors.
func (f *function) deinterleaved(rows []vector.Value) []vector.Value {
	count, n := len(rows), rows[0].Lanes()
	if count == 1 {
		return rows
	}
	even, odd := make([]int, n), make([]int, n)
	for l := range n {
		even[l], odd[l] = 2*l, 2*l+1
	}
	var half [2][]vector.Value
	for m := 0; m < count; m += 2 {
		half[0] = append(half[0], f.shuffle(rows[m], rows[m+1], even))
		half[1] = append(half[1], f.shuffle(rows[m], rows[m+1], odd))
	}
	out := make([]vector.Value, count)
	for i, list := range half {
		for j, x := range f.deinterleaved(list) {
			out[2*j+i] = x
		}
	}
	return out
}
