package lazy

import (
	"errors"
	"fmt"
	"slices"

	"ltc/ir"
	"ltc/ir/dims"
	"ltc/ir/types"
)

// assumption is what an op needs of open sizes that they need not be: two are to be equal, or one a
// multiple of a number.
type assumption struct {
	now  map[int]int // by symbol, the size in its place
	text string      // the line, the op and the rule
	of   *OpError    // of the op without it
}

// kept reports whether an op at the assumption's line is in the graph, so that runs of other sizes fail there.
func (a assumption) kept(g *ir.Graph) bool {
	for _, n := range g.Nodes {
		if file, line := n.Loc.Position(); file == a.of.File && line == a.of.Line && n.Op.String() == a.of.Op {
			return true
		}
		for _, body := range n.Body.Graphs() {
			if a.kept(body) {
				return true
			}
		}
	}
	return false
}

// assume returns the assumption under which an op that failed would not; false if there is none.
func assume(failed error) (a assumption, ok bool) {
	e, ok := errors.AsType[*OpError](failed)
	if !ok || e.guard == nil {
		return a, false
	}
	g := *e.guard
	for _, find := range []func(dims.Guard) map[int]int{assumeEqual, assumeMultiple} {
		if a.now = find(g); a.now != nil {
			a.of, a.text = e, fmt.Sprintf("%s:%d: %s: %v", e.File, e.Line, e.Op, g)
			return a, true
		}
	}
	return a, false
}

// assumeEqual has a symbol be another, or a number times it, whose bounds are those of both.
func assumeEqual(g dims.Guard) map[int]int {
	if g.Rule != dims.Equal {
		return nil
	}
	for _, sides := range [...][2]int64{{g.A, g.B}, {g.B, g.A}} {
		by, s, ok := dims.Scaled(sides[0])
		if !ok || !dims.Divides(sides[1], by) {
			continue
		}
		times, t, ok := dims.Scaled(dims.Div(sides[1], by))
		if !ok || s == t {
			continue
		}
		_, least, most, _ := dims.SymbolOf(s)
		name, lo, hi, _ := dims.SymbolOf(t)
		if lo, hi = max(lo, dims.CeilDiv(least, times)), min(hi, dims.Div(most, times)); lo >= hi {
			continue
		}
		both := dims.Symbol(name, lo, hi)
		return map[int]int{int(s): int(dims.Mul(times, both)), int(t): int(both)}
	}
	return nil
}

// assumeMultiple has a symbol be a number times another.
func assumeMultiple(g dims.Guard) map[int]int {
	s, now, ok := g.Multiple(func(int64) bool { return true })
	if !ok {
		return nil
	}
	return map[int]int{int(s): int(now)}
}

// types returns types with the sizes that are assumed.
func (a assumption) types(given []types.Type) []types.Type {
	all := slices.Clone(given)
	for i := range all {
		all[i].Shape = slices.Clone(all[i].Shape)
		for axis, d := range all[i].Shape {
			all[i].Shape[axis] = dims.Replace(d, func(s int) int {
				if now, ok := a.now[s]; ok {
					return now
				}
				return s
			})
		}
	}
	return all
}
