package shapeinfer

import (
	"fmt"
	"slices"

	"ltc/ir"
	"ltc/ir/dims"
)

// OpenGraph returns the Open of g, whose sizes are expressions of symbols. Each symbol is a dimension
// of a parameter, or a number times it is, or it follows from data. The error wraps [dims.ErrTooLarge]: an expression has too many terms.
func OpenGraph(g *ir.Graph) (*Open, error) {
	var given []int
	var shapes [][]int
	for _, p := range g.Params {
		given, shapes = append(given, p.Type.Shape...), append(shapes, p.Type.Shape)
	}
	symbols := dims.Symbols(given...)
	o := &Open{Graph: g, symbols: symbols, at: map[int]int{}, counts: map[int]int{}}
	for _, s := range symbols {
		t := dims.BindingOf(s, shapes)
		if t.By == 0 {
			return nil, fmt.Errorf("shapeinfer: no dimension of a parameter is %s, or a number times it", dims.String(s))
		}
		o.bindings = append(o.bindings, t)
	}
	for i, n := range g.Nodes {
		if n.Op == ir.OpCounted {
			o.counts[int(n.Attrs[ir.CountedSize].Int)] = i
		}
	}
	var all, names []int64
	ir.EachSize(g, func(d int) {
		if _, ok := o.at[d]; !ok && dims.IsExpr(d) && !o.counted(d) {
			o.at[d] = len(all)
			all = append(all, int64(d))
		}
	})
	for _, s := range symbols {
		names = append(names, int64(s))
	}
	var err error
	o.sizes, err = dims.NewEvaluator(names, all)
	return o, err
}

// counted reports whether a size depends on one that follows from data.
func (o *Open) counted(d int) bool {
	return len(o.counts) > 0 && slices.ContainsFunc(dims.Symbols(d), func(s int) bool {
		_, is := o.counts[s]
		return is
	})
}

// countsOf returns, by size of the graph that follows from data, that of g; false if g has not
// these.
func (o *Open) countsOf(g *ir.Graph) (map[int]int, bool) {
	if len(o.counts) == 0 {
		return nil, true
	}
	all := map[int]int{}
	for s, i := range o.counts {
		if i >= len(g.Nodes) || g.Nodes[i].Op != ir.OpCounted {
			return nil, false
		}
		d := int(g.Nodes[i].Attrs[ir.CountedSize].Int)
		lo, hi := dims.Bounds(s)
		least, most := dims.Bounds(d)
		if least < lo || most > hi {
			return nil, false
		}
		all[s] = d
	}
	return all, true
}

// substitution is the memory of a comparison of an Open with a graph.
type substitution struct {
	values, registers []int64         // of the symbols and of the evaluator
	size              func(d int) int // the number of an expression; others unchanged
}

func (o *Open) newSubstitution() *substitution {
	x := &substitution{values: make([]int64, len(o.symbols)), registers: o.sizes.Registers()}
	x.size = func(d int) int {
		if i, ok := o.at[d]; ok {
			return int(o.sizes.Of(x.registers, i))
		}
		return d
	}
	return x
}

// Fits reports whether g is the graph for some numbers in place of its symbols, within their
// bounds. These are what the sizes of g's parameters are. It allocates nothing where neither graph
// has a body, or a size that follows from data.
func (o *Open) Fits(g *ir.Graph) bool { return o.Matches(g) || o.Reduces(g) }

// Matches reports whether g fits op by op, or has been found to reduce to an instance.
func (o *Open) Matches(g *ir.Graph) bool {
	x := o.substitution()
	defer o.spare.Put(x)
	return o.fits(g, x)
}

// Reduces reports whether g fits where fewer ops are recorded than for other sizes. A size of 1 leaves out
// ops that return their operand as it is. A size that is also another number of the graph is one constant
// with it. Reduces takes longer than Matches.
func (o *Open) Reduces(g *ir.Graph) bool {
	x := o.substitution()
	defer o.spare.Put(x)
	return len(o.counts) == 0 && o.evaluate(x, g) && o.mayReduce(g, x) && o.normal(g, x.size)
}

// mayReduce reports whether g can have fewer ops than the graph for the same function.
func (o *Open) mayReduce(g *ir.Graph, x *substitution) bool {
	return slices.Contains(x.values, 1) || g.NodeCount() < o.Graph.NodeCount()
}

func (o *Open) substitution() *substitution {
	if x, _ := o.spare.Get().(*substitution); x != nil {
		return x
	}
	return o.newSubstitution()
}

// Takes reports whether the parameters of g have sizes that those of the graph may have.
func (o *Open) Takes(g *ir.Graph) bool {
	values := make([]int64, len(o.symbols))
	return o.bind(values, g) && slices.EqualFunc(o.Graph.Params, g.Params, func(x, y *ir.Node) bool {
		return x.Type.DType == y.Type.DType && slices.EqualFunc(x.Type.Shape, y.Type.Shape, func(d, n int) bool { return d == n || dims.IsExpr(d) })
	})
}

func (o *Open) fits(g *ir.Graph, x *substitution) bool {
	if !o.evaluate(x, g) {
		return false
	}
	counts, ok := o.countsOf(g)
	if !ok {
		return false
	}
	return ir.IsInstance(o.Graph, g, o.sizeOf(x, counts)) || len(counts) == 0 && o.mayReduce(g, x) && o.reduced(g)
}

// evaluate sets the numbers of all sizes to those that the parameters of g bind; false if there are none.
func (o *Open) evaluate(x *substitution, g *ir.Graph) bool {
	return o.bind(x.values, g) && o.sizes.Eval(x.registers, x.values) == nil
}

// sizeOf returns what a size is for the numbers of x, and for the given sizes in place of those that follow
// from data.
func (o *Open) sizeOf(x *substitution, counts map[int]int) func(d int) int {
	if len(o.counts) == 0 {
		return x.size
	}
	known := map[int]int{} // of sizes that follow from data
	return func(d int) int {
		if _, ok := o.at[d]; ok || !dims.IsExpr(d) {
			return x.size(d)
		}
		n, ok := known[d]
		if !ok {
			n = dims.Replace(d, func(symbol int) int {
				if c, ok := counts[symbol]; ok {
					return c
				}
				return x.size(symbol)
			})
			known[d] = n
		}
		return n
	}
}

// Resized returns the graph that g, some of whose sizes are open, is for the sizes of the parameters of
// another one; nil if no size is open, or g is not for these sizes.
func Resized(g, other *ir.Graph) *ir.Graph {
	o, err := OpenGraph(g)
	if err != nil || len(o.symbols) == 0 {
		return nil
	}
	x := o.newSubstitution()
	if !o.evaluate(x, other) {
		return nil
	}
	counts, _ := o.countsOf(other) // sizes that follow from data are those of the other graph, if it has them
	of, err := Instantiate(g, o.sizeOf(x, counts))
	if err != nil {
		return nil // the sizes break a rule of g
	}
	return of
}

// mostNormal is how many graphs are remembered that are instances by their normal forms.
const mostNormal = 64

// reduced reports whether g is remembered as one that reduces to an instance.
func (o *Open) reduced(g *ir.Graph) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return slices.ContainsFunc(o.normals, func(x *ir.Graph) bool { return ir.Equal(x, g) })
}

// normal reports whether the graph for the sizes and g have one normal form. The latest graphs that
// have are remembered.
func (o *Open) normal(g *ir.Graph, size func(d int) int) bool {
	a, err := normalForm(o.Graph, size)
	if err != nil {
		return false
	}
	b, err := normalForm(g, func(d int) int { return d })
	if err != nil || !slices.EqualFunc(a.Params, b.Params, func(x, y *ir.Node) bool { return x.Type.Equal(y.Type) }) || !ir.Equal(a, b) {
		return false
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.normals = append(o.normals, g.Clone())
	o.normals = o.normals[max(0, len(o.normals)-mostNormal):]
	return true
}

// bind sets values to the numbers of the symbols, each from one dimension. IsInstance compares the
// others with it. It returns false if one is not within its bounds, or more than [MostOpen], or if parameters
// have other ranks.
func (o *Open) bind(values []int64, g *ir.Graph) bool {
	if !slices.EqualFunc(o.Graph.Params, g.Params, func(x, y *ir.Node) bool { return x.Type.Rank() == y.Type.Rank() }) {
		return false
	}
	for k, t := range o.bindings {
		d := g.Params[t.Of].Type.Shape[t.Axis]
		n := (d - t.Plus) / t.By
		if lo, hi := dims.Bounds(o.symbols[k]); n < lo || n > hi || d > MostOpen {
			return false
		}
		values[k] = int64(n)
	}
	return true
}

// Symbols yields the symbols, each with the dimension of a parameter that it gets its value from.
func (o *Open) Symbols(yield func(symbol int, at dims.Binding[int]) bool) {
	for k, s := range o.symbols {
		if !yield(s, o.bindings[k]) {
			return
		}
	}
}
