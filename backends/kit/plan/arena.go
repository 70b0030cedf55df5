package plan

import (
	"slices"
	"unsafe"

	"ltc/ir/dims"
	"ltc/ir/types"
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
	var live []block // by offset
	p.Arena = 0
	for _, v := range p.temporaries() {
		val := &p.Values[v]
		live = slices.DeleteFunc(live, func(b block) bool { return b.last < p.begins(val.First) })
		if val.Over = p.heirloom(v, live); val.Over != None {
			val.Offset = p.Values[val.Over].Offset
			i, _ := slices.BinarySearchFunc(live, val.Offset, byOffset)
			live[i].last = p.lasts(val.Last)
			continue
		}
		b := block{size: arenaSize(val), last: p.lasts(val.Last)}
		live, b.offset = insert(live, b, p.begins(val.First))
		val.Offset = b.offset
		p.Arena = max(p.Arena, b.offset+b.size)
	}
}

// temporaries returns the values that take memory of the arena, as they are made.
func (p *Program) temporaries() (all []ValueID) {
	for v := range p.Values {
		if p.Values[v].Kind == Temporary && p.Values[v].First >= 0 {
			all = append(all, ValueID(v))
		}
	}
	slices.SortStableFunc(all, func(v, w ValueID) int { return p.Values[v].First - p.Values[w].First })
	return all
}

// insert adds a block that is alive from step first on to those that are alive then, at the
// offset that it returns. Blocks are in the order of their offsets.
func insert(live []block, b block, first int) ([]block, int) {
	n, at, best, end := 0, -1, 0, 0
	for _, x := range live {
		if x.last < first {
			continue
		}
		if gap := x.offset - end; gap >= b.size && (at < 0 || gap < best) {
			at, best, b.offset = n, gap, end
		}
		end = max(end, x.offset+x.size)
		live[n] = x
		n++
	}
	if live = live[:n]; at < 0 {
		b.offset = end
		return append(live, b), end
	}
	live = append(live, b)
	copy(live[at+1:], live[at:n])
	live[at] = b
	return live, b.offset
}

// placement places the temporaries of a program anew for each size. Values that are written over
// others stay so.
type placement struct {
	blocks []lifetime // in the order in which they are made
	over   []ValueID  // values that are written over others, after these
	types  []ValueID  // a value of each class
	sizes  []int      // of the arena, by class
	live   []block
}

// lifetime is a part of the arena, from the first step that writes it to the last that reads it.
// Lifetimes of one class have one size.
type lifetime struct {
	value              ValueID
	first, last, class int32
}

// newPlacement returns the placement of a program. Equal lists of its dimensions are the same list.
func newPlacement(p *Program) placement {
	type sized struct {
		dtype types.DType
		shape *int
	}
	var a placement
	class, ends := map[sized]int32{}, p.ends()
	for _, v := range p.temporaries() {
		val := &p.Values[v]
		if val.Over != None {
			a.over = append(a.over, v)
			continue
		}
		of := sized{val.Type.DType, unsafe.SliceData(val.Type.Shape)}
		c, known := class[of]
		if !known {
			c = int32(len(a.types))
			class[of], a.types = c, append(a.types, v)
		}
		a.blocks = append(a.blocks, lifetime{v, int32(p.begins(val.First)), int32(p.lasts(ends[v])), c})
	}
	a.sizes = make([]int, len(a.types))
	return a
}

// place places the temporaries of p for the sizes that it has now.
func (a *placement) place(p *Program) {
	changed := false
	for c, v := range a.types {
		if n := arenaSize(&p.Values[v]); n != a.sizes[c] {
			a.sizes[c], changed = n, true
		}
	}
	if !changed {
		return
	}
	live := a.live[:0]
	p.Arena = 0
	for _, t := range a.blocks {
		b := block{size: a.sizes[t.class], last: int(t.last)}
		live, b.offset = insert(live, b, int(t.first))
		p.Values[t.value].Offset = b.offset
		p.Arena = max(p.Arena, b.offset+b.size)
	}
	a.live = live
	for _, v := range a.over {
		p.Values[v].Offset = p.Values[p.Values[v].Over].Offset
	}
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
		if found && live[i].last == p.lasts(first) && s.Work.overwrites(p, id, v) && !p.othersRead(first, id) {
			return id
		}
	}
	return None
}

// othersRead reports whether a step that may run at the same time as step i reads a value.
func (p *Program) othersRead(i int, v ValueID) bool {
	for k := p.begins(i); k <= p.lasts(i); k++ {
		if reads, _ := p.Access(k); k != i && slices.Contains(reads, v) {
			return true
		}
	}
	return false
}
