package shapeinfer

import (
	"fmt"
	"slices"
	"sync"

	"ltc/ir"
	"ltc/ir/dims"
	"ltc/ir/types"
)

// MostSamples is how many graphs [Generalize] takes at most.
const MostSamples = 4

// mostSymbols is how many sizes of parameters may be open. Graphs in which more differ have
// little in common.
const mostSymbols = 8

// MostOpen is the most that an open size can be in a run: get_dimension_size gives texts an i32.
const MostOpen = 1<<31 - 1

// Open is a graph whose sizes may be expressions. [Open.Fits] compares graphs of numbers with it. It
// is immutable but for what it remembers, and any number of goroutines share it.
type Open struct {
	Graph    *ir.Graph
	symbols  []int
	bindings []dims.Binding[int] // by symbol
	at       map[int]int         // by expression, its index in sizes
	sizes    *dims.Evaluator
	counts   map[int]int // by size that follows from data, the node that tells it

	spare sync.Pool // of *substitution

	mu      sync.Mutex
	normals []*ir.Graph // that have the normal form of an instance
}

// Generalize returns a graph of which all samples, from 2 to [MostSamples], are instances: it is each
// of them for some numbers in place of symbols. A size of a parameter that differs between samples
// becomes a symbol, and sizes that are equal in each sample become the same symbol. Other sizes
// that differ become expressions of these. The first parameters have the given types, if there are any.
// The error names the op, and its line, whose size has no expression.
//
// The expressions are guesses from the samples. [Open.Fits] decides whether a further graph is an
// instance.
func Generalize(samples []*ir.Graph, given ...types.Type) (*Open, error) {
	if len(samples) < 2 || len(samples) > MostSamples {
		return nil, fmt.Errorf("shapeinfer: the number of samples is %d, and must be from 2 to %d", len(samples), MostSamples)
	}
	var err error
	for _, related := range []bool{false, true} {
		g := &general{
			related: related, given: given, named: map[string]bool{},
			known: map[sample]int{}, places: map[int]string{}, bodies: map[[MostSamples]*ir.Composite]*ir.Composite{},
		}
		for _, t := range given {
			for _, symbol := range dims.Symbols(t.Shape...) {
				name, _, _, _ := dims.SymbolOf(symbol)
				g.named[name] = true
			}
		}
		var open *ir.Graph
		if err = g.count(samples); err != nil {
			return nil, err
		}
		if open, err = g.graph(samples, true); err != nil {
			continue
		}
		var o *Open
		if o, err = OpenGraph(open); err != nil {
			return nil, err
		}
		for _, s := range samples {
			if !o.Fits(s) {
				return nil, fmt.Errorf("shapeinfer: the graph of open sizes is not what was recorded")
			}
		}
		return o, nil
	}
	return nil, err
}

// sample is what a size is in each sample; zeros follow.
type sample [MostSamples]int

// general is the work of Generalize.
type general struct {
	b       *ir.Builder     // of the graph at hand
	related bool            // sizes of parameters may be expressions of others
	given   []types.Type    // of the first parameters
	symbols int             // how many have been made
	named   map[string]bool // of given, and those made
	known   map[sample]int  // the first expression that has these values
	places  map[int]string  // by symbol made, the dimension of an argument that it is
	order   []sample        // of known
	bodies  map[[MostSamples]*ir.Composite]*ir.Composite
	counts  [MostSamples]map[int]int // by sample and size that follows from data, the size of the graph
}

// count finds the sizes of the samples that follow from data. Those that the samples have in common
// stay. Others, whose bounds differ, become sizes without bounds: the slices that have them say what
// they can be.
func (g *general) count(samples []*ir.Graph) error {
	for k := range samples {
		g.counts[k] = map[int]int{}
	}
	for i, n := range samples[0].Nodes {
		if n.Op != ir.OpCounted {
			continue
		}
		var v sample
		for k, s := range samples {
			if i >= len(s.Nodes) || s.Nodes[i].Op != ir.OpCounted {
				return otherOps(samples[0], s)
			}
			v[k] = int(s.Nodes[i].Attrs[ir.CountedSize].Int)
		}
		d := v[0]
		if !constant(v, len(samples)) {
			name, _, _, ok := dims.SymbolOf(d)
			if !ok {
				return fmt.Errorf("%v: %v: a size that follows from data is a number in one sample", n.Loc, n.Op)
			}
			d = int(dims.Symbol(name, 0, MostOpen))
		}
		for k := range samples {
			g.counts[k][v[k]] = d
		}
	}
	return nil
}

// common returns a size of a sample with the sizes of the graph in place of those of the sample that
// follow from data.
func (g *general) common(k, d int) int {
	if len(g.counts[k]) == 0 || !dims.IsExpr(d) {
		return d
	}
	return dims.Replace(d, func(symbol int) int {
		if c, ok := g.counts[k][symbol]; ok {
			return c
		}
		return symbol
	})
}

// graph generalizes graphs, or bodies of their ops.
func (g *general) graph(samples []*ir.Graph, top bool) (*ir.Graph, error) {
	outer := g.b
	g.b = ir.NewBuilder(Infer) // nodes of several graphs would be numbered anew with each
	defer func() { g.b = outer }()
	first := samples[0]
	for _, s := range samples[1:] {
		if !sameOutline(first, s) {
			return nil, otherOps(first, s)
		}
	}
	nodes := make([]*ir.Node, len(first.Nodes))
	at := make([]*ir.Node, len(samples))
	// The sizes of parameters are known first: ops recorded before them may have them.
	for _, parameters := range []bool{true, false} {
		for i, n := range first.Nodes {
			if parameters != (n.Op == ir.OpParameter) {
				continue
			}
			for k, s := range samples {
				at[k] = s.Nodes[i]
			}
			var err error
			if parameters {
				err = g.parameter(nodes, at, top)
			} else {
				err = g.node(nodes, at)
			}
			if err != nil {
				return nil, inOp(n, err)
			}
		}
	}
	of := func(list []*ir.Node) []*ir.Node {
		all := make([]*ir.Node, len(list))
		for i, n := range list {
			all[i] = nodes[n.ID]
		}
		return all
	}
	alias := make([]*ir.Node, len(first.Results))
	for i, p := range first.Alias {
		if p >= 0 {
			alias[i] = nodes[first.Params[p].ID]
		}
	}
	open := &ir.Graph{Name: first.Name}
	// The parameters that lead come first, whether or not anything reads them.
	lead := 0
	for lead < len(first.Params) && first.Nodes[lead] == first.Params[lead] {
		lead++
	}
	g.b.Capture(open, of(first.Params[:lead]), of(first.Results), alias)
	return open, nil
}

// sameOutline reports whether graphs have the same ops on the same operands, and results.
func sameOutline(a, b *ir.Graph) bool {
	return slices.EqualFunc(a.Nodes, b.Nodes, sameOp) && slices.EqualFunc(a.Results, b.Results, sameID) && slices.Equal(a.Alias, b.Alias)
}

// inOp says which op has the error: a composite by its name. Ops within one have no line.
func inOp(n *ir.Node, err error) error {
	what := n.Op.String()
	if n.Op == ir.OpComposite && n.Body != nil {
		what = n.Body.Name
	}
	if n.Loc == 0 {
		return fmt.Errorf("%s: %w", what, err)
	}
	return fmt.Errorf("%v: %s: %w", n.Loc, what, err)
}

func sameID(x, y *ir.Node) bool { return x.ID == y.ID }

// sameOp reports whether nodes may differ in sizes alone.
func sameOp(x, y *ir.Node) bool {
	return x.Op == y.Op && slices.EqualFunc(x.In, y.In, sameID) && len(x.Attrs) == len(y.Attrs) &&
		x.Type.DType == y.Type.DType && x.Type.Rank() == y.Type.Rank() && len(x.Results()) == len(y.Results())
}

// otherOps is the error of graphs whose outlines differ. It names the first op that differs.
func otherOps(a, b *ir.Graph) error {
	const what = "other ops are recorded for other sizes: "
	if len(a.Nodes) > len(b.Nodes) {
		a, b = b, a
	}
	for i, x := range a.Nodes {
		if y := b.Nodes[i]; !sameOp(x, y) {
			return fmt.Errorf(what+"%s, and %s", located(x), located(y))
		}
	}
	if n := len(a.Nodes); n < len(b.Nodes) {
		return fmt.Errorf(what+"%d, and %d, the first of which beyond these is %s", n, len(b.Nodes), located(b.Nodes[n]))
	}
	return fmt.Errorf(what + "the results are of other ops")
}

// located is an op with its line, if it has one: ops within a composite have none.
func located(n *ir.Node) string {
	if n.Loc == 0 {
		return n.Op.String()
	}
	return fmt.Sprintf("%v at %v", n.Op, n.Loc)
}

// parameter makes the parameter that stands for those of the samples; symbols may be made for
// those of a program, at the top.
func (g *general) parameter(nodes, at []*ir.Node, top bool) error {
	shape := slices.Clone(at[0].Type.Shape)
	if i := at[0].Attrs[ir.ParameterIndex].Int; top && i < int64(len(g.given)) {
		shape = g.given[i].Shape
	} else {
		for axis := range shape {
			v := g.valuesOf(at, func(n *ir.Node) int { return n.Type.Shape[axis] })
			made := g.symbols
			d, err := g.parameterSize(v, len(at), top)
			if err != nil {
				return err
			}
			if g.symbols > made {
				g.places[d] = fmt.Sprintf("axis %d of argument %d", axis, at[0].Attrs[ir.ParameterIndex].Int)
			}
			shape[axis] = d
		}
	}
	g.b.SetLoc(at[0].Loc)
	n := g.b.Detached(types.Type{DType: at[0].Type.DType, Shape: shape}, at[0].ParamName(), nil)
	nodes[at[0].ID] = n
	g.note(shape, at, func(n *ir.Node) types.Type { return n.Type })
	return nil
}

// parameterSize returns the size of a parameter that has these values in n samples. At the top it may
// be a new symbol.
func (g *general) parameterSize(v sample, n int, top bool) (int, error) {
	if constant(v, n) {
		return v[0], nil
	}
	if d, ok := g.known[v]; ok {
		return d, nil
	}
	if !top || g.related {
		find := g.expression
		if top {
			find = g.simple // sizes of arguments are equal or multiples, or have nothing to do with each other
		}
		if d, ok := find(v, n); ok {
			return d, nil
		}
		if !top {
			return 0, g.unknown(v, n)
		}
	}
	for _, x := range v[:n] {
		if x < 1 || x > MostOpen {
			return 0, fmt.Errorf("a dimension of size %d cannot be open: an open size is from 1 to %d", x, MostOpen)
		}
	}
	if g.symbols == mostSymbols {
		return 0, fmt.Errorf("more sizes of arguments differ than may be open (limit %d)", mostSymbols)
	}
	d := int(dims.Symbol(g.name(), 1, MostOpen))
	g.symbols++
	g.learn(v, d)
	return d, nil
}

// name returns the name of a new symbol. Sizes of given have other names: a text tells its symbols
// apart by them.
func (g *general) name() string {
	for i := 0; ; i++ {
		name := "n"
		if i > 0 {
			name = fmt.Sprint("n", i)
		}
		if !g.named[name] {
			g.named[name] = true
			return name
		}
	}
}

// valuesOf returns what of is in each sample.
func (g *general) valuesOf(at []*ir.Node, of func(n *ir.Node) int) (v sample) {
	for k, n := range at {
		v[k] = g.common(k, of(n))
	}
	return v
}

// constant reports whether the first n values are one.
func constant(v sample, n int) bool {
	for _, x := range v[1:n] {
		if x != v[0] {
			return false
		}
	}
	return true
}

// learn notes that d is the size that has these values, unless one is known.
func (g *general) learn(v sample, d int) {
	if _, ok := g.known[v]; !ok {
		g.known[v] = d
		g.order = append(g.order, v)
	}
}

// note learns the expressions of a shape of the graph: of returns the type in each sample.
func (g *general) note(shape []int, at []*ir.Node, of func(n *ir.Node) types.Type) {
	for axis, d := range shape {
		if dims.IsExpr(d) {
			g.learn(g.valuesOf(at, func(n *ir.Node) int { return of(n).Shape[axis] }), d)
		}
	}
}

// size returns the size that has these values in the samples: a number if they are equal, else an
// expression. Sizes of in, the operands of the op that has it, come first.
func (g *general) size(v sample, at, in []*ir.Node) (int, error) {
	if constant(v, len(at)) {
		return v[0], nil
	}
	for k, x := range in {
		for axis, d := range x.Type.Shape {
			if dims.IsExpr(d) && v == g.valuesOf(at, func(n *ir.Node) int { return n.In[k].Type.Shape[axis] }) {
				return d, nil
			}
		}
	}
	if d, ok := g.known[v]; ok {
		return d, nil
	}
	if d, ok := g.expression(v, len(at)); ok {
		g.learn(v, d)
		return d, nil
	}
	return 0, g.unknown(v, len(at))
}

// node makes the op that stands for those of the samples.
func (g *general) node(nodes, at []*ir.Node) error {
	first := at[0]
	in := make([]*ir.Node, len(first.In))
	for i, o := range first.In {
		in[i] = nodes[o.ID]
	}
	g.b.SetLoc(first.Loc)
	n, err := g.sized(at)
	if n == nil && err == nil {
		n, err = g.op(at, in)
	}
	if err != nil {
		return err
	}
	nodes[first.ID] = n
	g.note(n.Type.Shape, at, func(n *ir.Node) types.Type { return n.Type })
	for k, t := range n.Results() {
		g.note(t.Shape, at, func(n *ir.Node) types.Type { return n.Results()[k] })
	}
	return nil
}

// sized returns a SizeOf in place of constants that differ, and are sizes; nil for other ops.
func (g *general) sized(at []*ir.Node) (*ir.Node, error) {
	bits := func(n *ir.Node) int { return int(n.Attrs[ir.ConstantValue].Int) }
	if at[0].Op != ir.OpConstant || constant(g.valuesOf(at, bits), len(at)) {
		return nil, nil
	}
	t := at[0].Type.DType
	var v sample
	for k, n := range at {
		x, whole := ir.WholeNumber(t, uint64(bits(n)))
		if !whole {
			return nil, fmt.Errorf("a number that differs from size to size is no integer; compute it from Tensor.Size")
		}
		v[k] = x
	}
	d, err := g.size(v, at, nil)
	if err != nil {
		return nil, err
	}
	return g.b.Node(ir.OpSizeOf, nil, []ir.Attr{ir.SizeOfDType: {Int: int64(t)}, ir.SizeOfSize: {Int: int64(d)}}, nil)
}

// op makes the op that stands for those of the samples on other operands.
func (g *general) op(at, in []*ir.Node) (*ir.Node, error) {
	first := at[0]
	attrs := slices.Clone(first.Attrs)
	for i := range attrs {
		of := first.Op.Info().Attrs[i]
		for _, n := range at[1:] {
			x, y := n.Attrs[i], attrs[i]
			if x.Str != y.Str || len(x.Ints) != len(y.Ints) || !of.Kind.Sized() && (x.Int != y.Int || !slices.Equal(x.Ints, y.Ints)) {
				if first.Op == ir.OpHostCall {
					return nil, fmt.Errorf("the sizes of what a function of the host takes and gives must be numbers, and these are open")
				}
				return nil, fmt.Errorf("attribute %s differs", of.Name)
			}
		}
		if !of.Kind.Sized() {
			continue
		}
		d, err := g.size(g.valuesOf(at, func(n *ir.Node) int { return int(n.Attrs[i].Int) }), at, in)
		if err != nil {
			return nil, err
		}
		attrs[i].Int = int64(d)
		attrs[i].Ints = slices.Clone(attrs[i].Ints)
		for k := range attrs[i].Ints {
			if attrs[i].Ints[k], err = g.size(g.valuesOf(at, func(n *ir.Node) int { return n.Attrs[i].Ints[k] }), at, in); err != nil {
				return nil, err
			}
		}
	}
	body, err := g.body(at)
	if err != nil {
		return nil, err
	}
	return g.b.Node(first.Op, in, attrs, body)
}

// body generalizes what ops of the samples call or run.
func (g *general) body(at []*ir.Node) (*ir.Composite, error) {
	first := at[0].Body
	var key [MostSamples]*ir.Composite
	for k, n := range at {
		if (n.Body == nil) != (first == nil) {
			return nil, fmt.Errorf("bodies differ")
		}
		key[k] = n.Body
	}
	if first == nil {
		return nil, nil
	}
	if c := g.bodies[key]; c != nil {
		return c, nil
	}
	c := &ir.Composite{Name: first.Name, Params: slices.Clone(first.Params)}
	for _, n := range at[1:] {
		if n.Body.Name != first.Name || len(n.Body.Params) != len(first.Params) || len(n.Body.More) != len(first.More) {
			return nil, fmt.Errorf("bodies differ")
		}
		for i, p := range n.Body.Params {
			if q := first.Params[i]; p.Name != q.Name || p.Float != q.Float || p.IsFloat != q.IsFloat {
				return nil, fmt.Errorf("attribute %s of a body differs", q.Name)
			}
		}
	}
	for i := range c.Params {
		d, err := g.size(g.valuesOf(at, func(n *ir.Node) int { return n.Body.Params[i].Int }), at, nil)
		if err != nil {
			return nil, err
		}
		c.Params[i].Int = d
	}
	lists := make([][]*ir.Graph, len(at))
	for k, n := range at {
		for _, x := range n.Body.Graphs() {
			lists[k] = append(lists[k], x)
		}
	}
	for j := range lists[0] {
		samples := make([]*ir.Graph, len(at))
		for k := range at {
			samples[k] = lists[k][j]
		}
		x, err := g.graph(samples, false)
		if err != nil {
			return nil, err
		}
		if j == 0 {
			c.Graph = x
		} else {
			c.More = append(c.More, x)
		}
	}
	g.bodies[key] = c
	return c, nil
}
