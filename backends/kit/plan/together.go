package plan

import "slices"

// BringTogether plans a program, as [Program.Plan] does. It puts steps beside each other that
// depend on none of each other and that a target runs on one thread each: loops, or other work. The
// target can then run them at the same time. Alone reports whether work is such. A step is moved if
// the program takes no more memory, or hardly more: a sixty-fourth, or 1 MiB. That is enough for
// what small loops carry and read.
//
// The result is the order of the steps, by their numbers before; nil if it is as it was.
func (p *Program) BringTogether(alone func(Work) bool) (order []int) {
	p.Plan()
	t := neighbours{Program: p, alone: alone, most: p.mostArena()}
	if t.next(0) < 0 || t.next(t.next(0)+1) < 0 {
		return nil
	}
	for i := range p.Steps {
		t.order = append(t.order, i)
	}
	moved := false
	first, tries := t.next(0), 0
	for first >= 0 && tries < mostTries {
		end := first + 1
		for ; tries < mostTries; tries++ {
			next := t.next(end)
			if next < 0 {
				break
			}
			at, ok := t.join(first, end, next)
			if !ok {
				break
			}
			moved = moved || next != end
			first, end = at, at+end-first+1
		}
		first = t.next(end)
		tries++
	}
	if !moved {
		return nil
	}
	return t.order
}

// mostTries is how many places of steps are tried in a program: each plans its memory anew.
const mostTries = 32

// neighbours is a program whose steps are brought together.
type neighbours struct {
	*Program
	alone func(Work) bool
	most  int   // bytes of the arena
	order []int // by step, its number before
}

// mostArena returns the bytes of the arena that a program may have if its steps are moved.
func (p *Program) mostArena() int {
	all := p.Arena
	for i := range p.Values {
		if v := &p.Values[i]; v.Kind != Temporary {
			all += arenaSize(v)
		}
	}
	const least = 1 << 20
	return p.Arena + max(all/64, least)
}

// next returns the first step from i on that the target runs on one thread; -1 if there is none.
func (t *neighbours) next(i int) int {
	for ; i < len(t.Steps); i++ {
		if t.alone(t.Steps[i].Work) {
			return i
		}
	}
	return -1
}

// join puts the steps from first to end before step next, with no step in between, and returns
// where they are then. It reports false, and leaves all as it is, if next depends on them, if an op
// in between can fail, or if that takes too much memory.
func (t *neighbours) join(first, end, next int) (at int, ok bool) {
	_, loop := t.Steps[first].Work.(*Loop)
	if _, other := t.Steps[next].Work.(*Loop); loop != other {
		return 0, false
	}
	before := make([]int, 0, next-first)
	var after []int // what depends on the steps that are moved
	group := make([]int, 0, next-first+1)
	for i := first; i < end; i++ {
		group = append(group, i)
	}
	depends := func(i int) bool {
		meets := func(k int) bool { return t.meet(k, i) }
		return slices.ContainsFunc(group, meets) || slices.ContainsFunc(after, meets)
	}
	for i := end; i < next; i++ {
		switch {
		case t.Steps[i].Work.Fallible():
			return 0, false
		case depends(i):
			after = append(after, i)
		default:
			before = append(before, i)
		}
	}
	if depends(next) {
		return 0, false
	}
	steps, order := slices.Clone(t.Steps), slices.Clone(t.order)
	for k, i := range slices.Concat(before, group, []int{next}, after) {
		t.Steps[first+k], t.order[first+k] = steps[i], order[i]
	}
	at = first + len(before)
	t.Steps[at+len(group)].Together = true
	if t.Plan(); t.Arena > t.most {
		copy(t.Steps, steps)
		copy(t.order, order)
		t.Plan()
		return 0, false
	}
	return at, true
}

// meet reports whether one of two steps writes a value that the other reads or writes, or the
// result that takes over an argument of the other.
func (p *Program) meet(i, k int) bool {
	reads, writes := p.Access(i)
	others, written := p.Access(k)
	share := func(list, other []ValueID) bool {
		for _, v := range list {
			for _, w := range other {
				if v == w || p.takesOver(v, w) || p.takesOver(w, v) {
					return true
				}
			}
		}
		return false
	}
	return share(writes, others) || share(writes, written) || share(reads, written)
}

// takesOver reports whether v is the result that takes over argument w.
func (p *Program) takesOver(v, w ValueID) bool {
	x, y := &p.Values[v], &p.Values[w]
	return x.Kind == Result && y.Kind == Argument && p.Signature.Results[x.Index].Alias == y.Index
}

// begins returns the first of the steps that may run at the same time as step i; lasts returns the
// last.
func (p *Program) begins(i int) int {
	for i > 0 && p.Steps[i].Together {
		i--
	}
	return i
}

func (p *Program) lasts(i int) int {
	for i >= 0 && i+1 < len(p.Steps) && p.Steps[i+1].Together {
		i++
	}
	return i
}
