package plan

import (
	"slices"

	"ltc/ir/types"
	"ltc/mlir"
)

// Large is a value of a program that takes much memory.
type Large struct {
	Type types.Type
	Kind Kind
	// Op is the ordinal of the op of the text that makes it, which Loc is where; -1
	// if none does.
	Op  int
	Loc mlir.Location
}

// Largest returns up to n values, those that take most memory first.
func (p *Program) Largest(n int) []Large {
	var all []Large
	for i := range p.Values {
		v := &p.Values[i]
		l := Large{Type: v.Type, Kind: v.Kind, Op: -1}
		if v.First >= 0 {
			l.Op, l.Loc = p.Steps[v.First].Ordinal, p.Steps[v.First].Loc
		}
		all = append(all, l)
	}
	slices.SortStableFunc(all, func(a, b Large) int { return b.Type.Bytes() - a.Type.Bytes() })
	return all[:min(n, len(all))]
}
