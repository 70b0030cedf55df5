package plan

import (
	"slices"

	"ltc/backends"
)

// Memory returns what is in memory at each step, and each value with memory of its own. Regions
// take their temporaries besides those of the program around them.
func (p *Program) Memory() backends.MemoryPlan {
	var m memory
	outside := int64(0)
	for i := range p.Values {
		if v := &p.Values[i]; p.atCaller(ValueID(i)) {
			outside += int64(v.Type.Bytes())
		}
	}
	m.add(p, 0, outside, nil)
	slices.SortStableFunc(m.plan.Values, func(a, b backends.ValueMemory) int { return b.Type.Bytes() - a.Type.Bytes() })
	return m.plan
}

// atCaller reports whether a value has memory of the caller's that no other value has.
func (p *Program) atCaller(id ValueID) bool {
	v := &p.Values[id]
	return v.Kind == Argument || v.Kind == Result && p.Signature.Results[v.Index].Alias < 0
}

// memory is a plan of memory that is being made.
type memory struct{ plan backends.MemoryPlan }

// add adds a program, or a region of depth, while so many bytes besides are alive.
func (m *memory) add(p *Program, depth int, besides int64, ops Ordinals) {
	first := len(m.plan.Steps)
	numbers := p.stepNumbers(first)
	end := first + p.steps() - 1
	ends := p.ends()
	live := p.live(ends)
	for i := range p.Steps {
		s := &p.Steps[i]
		now := besides + live[i]
		m.plan.Steps = append(m.plan.Steps, backends.StepMemory{
			Op: ops.of(s.Ordinal), What: p.Profile(i).What, Line: backends.LineOf(s.Loc), Depth: depth, Live: now,
		})
		inner := s.RegionOps()
		for r, region := range s.Regions() {
			m.add(region, depth+1, now, inner[r].in(ops))
		}
	}
	for i := range p.Values {
		v := &p.Values[i]
		own := p.atCaller(ValueID(i)) && depth == 0 || v.Kind == Temporary && v.First >= 0 && v.Over == None
		if !own {
			continue
		}
		x := backends.ValueMemory{Type: v.Type, Index: -1, Op: -1, First: first, Last: end}
		switch v.Kind {
		case Argument:
			x.Kind, x.Index, x.Name = backends.ArgumentValue, v.Index, p.Signature.Args[v.Index].Name
		case Result:
			x.Kind, x.Index, x.Name = backends.ResultValue, v.Index, p.Signature.Results[v.Index].Name
		default:
			x.Kind, x.First, x.Last = backends.TemporaryValue, numbers[p.begins(v.First)], numbers[p.lasts(ends[i])]
		}
		if v.First >= 0 && v.Kind != Argument {
			s := &p.Steps[v.First]
			x.Op, x.Line = ops.of(s.Ordinal), backends.LineOf(s.Loc)
		}
		m.plan.Values = append(m.plan.Values, x)
	}
}

// steps returns the number of steps, those of regions included.
func (p *Program) steps() (n int) {
	p.Each(func(*Step) { n++ })
	return n
}

// live returns the bytes of the temporaries that are in memory at each step.
func (p *Program) live(ends []int) []int64 {
	all := make([]int64, len(p.Steps))
	for i := range p.Values {
		if v := &p.Values[i]; v.Kind == Temporary && v.First >= 0 && v.Over == None {
			for s := p.begins(v.First); s <= p.lasts(ends[i]); s++ {
				all[s] += int64(arenaSize(v))
			}
		}
	}
	return all
}

// ends returns, for each temporary that takes no other's place, the last step that needs its
// memory: values may be written over it one after another.
func (p *Program) ends() []int {
	all := make([]int, len(p.Values))
	for i := range p.Values {
		v := &p.Values[i]
		if v.Kind != Temporary || v.First < 0 {
			continue
		}
		place := i
		for p.Values[place].Over != None {
			place = int(p.Values[place].Over)
		}
		all[place] = max(all[place], v.Last)
	}
	return all
}
