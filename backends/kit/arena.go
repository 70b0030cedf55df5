package kit

import "slices"

// aligned is what temporaries begin at multiples of, in bytes.
const aligned = 64

// block is a part of the arena that a value has until step last.
type block struct{ offset, size, last int }

// placeTemporaries gives values that are not alive at the same time the same
// memory, in the order in which they are made. A value that is computed element
// by element from one that dies there is written over it; others go to the
// smallest gap that holds them.
func placeTemporaries(p *Program) {
	var live []block // by offset
	order := make([]ValueID, 0, len(p.Values))
	for v := range p.Values {
		if p.Values[v].Kind == Temporary && p.Values[v].First >= 0 {
			order = append(order, ValueID(v))
		}
	}
	slices.SortStableFunc(order, func(a, b ValueID) int { return p.Values[a].First - p.Values[b].First })
	for _, v := range order {
		val := &p.Values[v]
		size := arenaSize(val)
		live = slices.DeleteFunc(live, func(b block) bool { return b.last < val.First })
		if i := p.heirloom(v, live); i >= 0 {
			val.Offset, live[i].last = live[i].offset, val.Last
			continue
		}
		best, bestGap, end := -1, 0, 0
		for _, b := range live {
			if gap := b.offset - end; gap >= size && (best < 0 || gap < bestGap) {
				best, bestGap = end, gap
			}
			end = max(end, b.offset+b.size)
		}
		if best < 0 {
			best = end
		}
		val.Offset = best
		p.Arena = max(p.Arena, best+size)
		i, _ := slices.BinarySearchFunc(live, best, func(b block, at int) int { return b.offset - at })
		live = slices.Insert(live, i, block{best, size, val.Last})
	}
}

// arenaSize is how many bytes of the arena a value takes.
func arenaSize(v *Value) int { return (max(v.Type.Bytes(), 1) + aligned - 1) / aligned * aligned }

// heirloom returns which block value v can be written over: that of an operand
// of the step that makes it, which nobody needs after that and which the step
// reads element by element before it writes. It is -1 if there is none.
func (p *Program) heirloom(v ValueID, live []block) int {
	first := p.Values[v].First
	s := &p.Steps[first]
	for _, o := range s.Operands {
		old, now := &p.Values[o.Value], &p.Values[v]
		if old.Kind != Temporary || old.Last != first || old.First == first ||
			old.Type.DType.Size() != now.Type.DType.Size() || old.Type.Bytes() != now.Type.Bytes() {
			continue
		}
		i, found := slices.BinarySearchFunc(live, old.Offset, func(b block, at int) int { return b.offset - at })
		if found && live[i].last == first && p.overwrites(s, o.Value, v) {
			return i
		}
	}
	return -1
}
