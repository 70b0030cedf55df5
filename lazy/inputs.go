package lazy

import (
	"errors"
	"fmt"
	"iter"
	"slices"

	"ltc/ir"
	"ltc/ir/dims"
	"ltc/ir/types"
	"ltc/lazy/internal/sched"
	"ltc/shapeinfer"
)

// mostAssumed is how many assumptions about the sizes of a function are made.
const mostAssumed = 8

// record returns the graph of open sizes that the function records for the inputs. Where an op needs two of
// the sizes to be equal, or one to be a multiple of a number, the graph is for such sizes.
func (in *inputs) record(f *Function) (*shapeinfer.Open, error) {
	given := typesOf(in.all)
	var why error
	for range mostAssumed {
		o, refused, err := f.openGraph(given)
		if err == nil {
			in.given = given
			return o, nil
		}
		why = err
		a, ok := assume(refused)
		if !ok {
			break
		}
		given = a.types(given)
	}
	return nil, why
}

// openGraph returns the graph of open sizes that the function records for arguments of the types. It is what
// graphs for some numbers in place of the symbols have in common, else the graph that is recorded for the
// symbols. Refused is why that cannot be recorded, if it was tried.
func (f *Function) openGraph(given []types.Type) (o *shapeinfer.Open, refused, err error) {
	symbols := symbolsOf(given)
	var samples []*ir.Graph
	taken := map[int]bool{} // the types' own numbers: a graph has one constant for sizes that are equal
	for _, t := range given {
		for _, d := range t.Shape {
			taken[d] = !dims.IsExpr(d)
		}
	}
	for _, from := range []iter.Seq[int]{many, few, some} {
		v := numbersFor(symbols, from, taken)
		g, failed := f.graphOf(v.ofTypes(given), false)
		if failed == nil {
			samples = append(samples, g)
		} else {
			err = fmt.Errorf("%w (with %s)", failed, v.say(symbols)) // a program may need more elements than a few
		}
		for _, n := range v {
			taken[n] = true
		}
	}
	if len(samples) > 1 {
		if o, err = shapeinfer.Generalize(samples, given...); err == nil {
			return o, nil, nil
		}
	}
	if o, refused = f.symbolic(given, samples); o != nil {
		return o, nil, nil
	}
	if errors.Is(err, shapeinfer.ErrNoExpression) {
		err = fmt.Errorf("%w; there, compute a size from x.Dim(i) by SizeAdd, SizeSub, SizeMul, SizeDiv, SizeMin and SizeMax instead of operators of Go, and a number from x.Size(i)", err)
	}
	return nil, refused, err
}

// symbolic returns the graph that the function records for the types, whose sizes are symbols. There is
// none without samples, or if one of these is no instance of it: the function took a name for a number.
func (f *Function) symbolic(given []types.Type, samples []*ir.Graph) (*shapeinfer.Open, error) {
	g, err := f.graphOf(given, true)
	if err == nil {
		err = onlyOpen(g)
	}
	if err != nil {
		return nil, err
	}
	o, err := shapeinfer.OpenGraph(g)
	if err != nil {
		return nil, err
	}
	if len(samples) == 0 || slices.ContainsFunc(samples, func(s *ir.Graph) bool { return !o.Fits(s) }) {
		return nil, errors.New("func: for a number the function records another program than for a size that is open")
	}
	return o, nil
}

// graphOf returns the graph that the function records for arguments of the types, whose sizes may be
// expressions if open is set. A panic at these is an error: Go code cannot know what they are.
func (f *Function) graphOf(given []types.Type, open bool) (g *ir.Graph, err error) {
	t := &traced{owner: sched.Goroutine(), types: given, open: open, ready: make(chan struct{})}
	if open {
		defer func() {
			if r := recover(); r != nil {
				err = fmt.Errorf("func: the function panics for sizes that are open: %v", r)
			}
		}()
	}
	err = f.record(t, f.names(len(given)), func(recorded *ir.Graph) error {
		g = recorded.Clone()
		return nil
	})
	return g, err
}

// typesOf returns the types of inputs.
func typesOf(inputs []Input) []types.Type {
	all := make([]types.Type, len(inputs))
	for i, in := range inputs {
		all[i] = in.Type
	}
	return all
}

// symbolsOf returns the symbols of sizes, of which some may be there several times.
func symbolsOf(all []types.Type) (symbols []int) {
	for _, t := range all {
		symbols = append(symbols, dims.Symbols(t.Shape...)...)
	}
	return symbols
}

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
