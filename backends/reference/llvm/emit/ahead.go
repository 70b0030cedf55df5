package emit

import (
	"slices"

	"github.com/llir/llvm/ir/enum"
	"github.com/llir/llvm/ir/value"

	"ltc/backends/kit/kernel"
	"ltc/backends/reference/llvm/vector"
)

// aheadBytes is how long a row is, at most, of which the next one is fetched while
// it is worked on, so that both, and what is computed of them, stay near.
const aheadBytes = 64 << 10

// ahead finds, of each operand whose rows several stages load, the load of the
// second one: the row is near by then, so that it can bring the next one.
func (p *planner) ahead(r *Schedule) {
	if len(r.Cut) == 0 {
		return
	}
	loads := make([]int, len(p.k.Params)) // stages
	for s := range p.k.Stages {
		st, t := &p.k.Stages[s], &r.Stages[s]
		seen := make([]bool, len(p.k.Params))
		for id := st.Begin; id < st.End; id++ {
			i := &p.k.Instrs[id]
			if !p.fetches(r, s, id) || seen[i.Mem.Param] {
				continue
			}
			seen[i.Mem.Param] = true
			if loads[i.Mem.Param]++; loads[i.Mem.Param] == 2 {
				t.Ahead = append(t.Ahead, id)
			}
		}
	}
	if len(p.k.Locals) == 0 || len(p.k.Stages) == 1 {
		return
	}
	// What the first stage alone loads, from many places, the others leave time to fetch.
	for id := range p.k.Stages[0].End {
		if p.fetches(r, 0, id) && loads[p.k.Instrs[id].Mem.Param] == 1 {
			r.Stages[0].Ahead = append(r.Stages[0].Ahead, id)
		}
	}
}

// fetches reports whether an instruction of stage s loads from a row of an operand, along
// vectors.
func (p *planner) fetches(r *Schedule, s int, id kernel.ID) bool {
	i, t := &p.k.Instrs[id], &r.Stages[s]
	return i.Op == kernel.Load && !i.Mem.Local && !i.Mem.Guard && t.Lanes > 1 && len(t.Loops) == 0 &&
		p.move(s, i.Mem, t.Vector) == unit && p.move(s, i.Mem, r.Cut[len(r.Cut)-1]) == strided &&
		!slices.ContainsFunc(i.Mem.Index, func(x kernel.Index) bool { return x.Value != kernel.None })
}

// rowsApart returns how far behind each row of what is fetched ahead the next one is:
// nothing if rows are long.
func (b *body) rowsApart() []value.Value {
	var all []value.Value
	for _, id := range b.Ahead {
		i := &b.k.Instrs[id]
		bytes := b.mul(b.size(b.k.Axis(b.number, b.Vector).Size), b.Index(int64(i.Type.Size())))
		short := b.Block.NewICmp(enum.IPredULE, bytes, b.Index(aheadBytes))
		all = append(all, b.choose(short, b.coefficient(i.Mem, b.s.Cut[len(b.s.Cut)-1]), b.Index(0)))
	}
	return all
}

// fetchNext brings near what the next row has where an iteration of this one loads. A
// processor does so by itself within a row, and not from one to the next, where
// another page begins; and not while it computes for long.
func (b *body) fetchNext(apart []value.Value, l vector.Lanes) {
	const line = 64
	for n, id := range b.Ahead {
		for v := range b.Unroll {
			if v*l.N*b.k.Instrs[id].Type.Size()%line == 0 {
				p, _, _, _ := b.address(id, v, b.Unroll, l)
				b.Prefetch(b.at(p, apart[n]))
			}
		}
	}
}
