package plan

import (
	"slices"

	"ltc/ir/dims"
)

// Plan says when each value is written and read, and where temporaries are.
func (p *Program) Plan() {
	for v := range p.Values {
		p.Values[v].First = -1
		p.Values[v].Last = -1
	}
	for s := range p.Steps {
		reads, writes := p.Access(s)
		for _, v := range writes {
			if p.Values[v].First < 0 {
				p.Values[v].First = s
			}
			p.Values[v].Last = s
		}
		for _, v := range reads {
			p.Values[v].Last = s
		}
	}
	placeTemporaries(p)
}

// Access returns the values that a step reads and those that it writes.
func (p *Program) Access(s int) (reads, writes []ValueID) {
	return p.Steps[s].Work.Access(p)
}

// aligned is what temporaries begin at multiples of, in bytes.
const aligned = 64

// block is a part of the arena that a value has until step last.
type block struct{ offset, size, last int }

// placeTemporaries gives values that are not alive at the same time the same
// memory, in the order in which they are made. A value that is computed element
// by element from one that dies there is written over it; others go to the
// smallest gap that holds them.
func placeTemporaries(p *Program) {
	for v := range p.Values {
		p.Values[v].Over = None
	}
	var a placer
	a.place(p)
}

// placer places the temporaries of one program, for some sizes after others. It
// keeps what it works with.
type placer struct {
	live  []block   // by offset
	order []ValueID // as they are made
	again bool      // Value.Over is known
}

func (a *placer) place(p *Program) {
	if a.order == nil {
		for v := range p.Values {
			if p.Values[v].Kind == Temporary && p.Values[v].First >= 0 {
				a.order = append(a.order, ValueID(v))
			}
		}
		slices.SortStableFunc(a.order, func(v, w ValueID) int { return p.Values[v].First - p.Values[w].First })
	}
	live := a.live[:0]
	p.Arena = 0
	for _, v := range a.order {
		val := &p.Values[v]
		size := arenaSize(val)
		live = slices.DeleteFunc(live, func(b block) bool { return b.last < val.First })
		if !a.again {
			val.Over = p.heirloom(v, live)
		}
		if val.Over != None {
			val.Offset = p.Values[val.Over].Offset
			i, _ := slices.BinarySearchFunc(live, val.Offset, byOffset)
			live[i].last = val.Last
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
		i, _ := slices.BinarySearchFunc(live, best, byOffset)
		live = slices.Insert(live, i, block{best, size, val.Last})
	}
	a.live, a.again = live, true
}

func byOffset(b block, at int) int { return b.offset - at }

// arenaSize is how many bytes of the arena a value takes,
// typically if that is an expression.
func arenaSize(v *Value) int {
	return (max(dims.Typical(v.Type.Bytes()), 1) + aligned - 1) / aligned * aligned
}

// heirloom returns the value over which v can be written: an operand of the step that
// makes v. No later step needs that operand, and the step reads each of its elements
// before it writes there. [None] if there is no such operand.
func (p *Program) heirloom(v ValueID, live []block) ValueID {
	first := p.Values[v].First
	s := &p.Steps[first]
	reads, _ := p.Access(first)
	for _, id := range reads {
		old, now := &p.Values[id], &p.Values[v]
		if old.Kind != Temporary || old.Last != first || old.First == first ||
			old.Type.DType.Size() != now.Type.DType.Size() || old.Type.Bytes() != now.Type.Bytes() {
			continue
		}
		i, found := slices.BinarySearchFunc(live, old.Offset, byOffset)
		if found && live[i].last == first && s.Work.overwrites(p, id, v) {
			return id
		}
	}
	return None
}
