// Package batching makes of a program for one example the program for many: each of its nodes
// becomes nodes that compute the value for all examples at once, along a new first axis. Its central
// function is [Vectorize]; the rule of each op is the function batch<Op>.
//
// The package imports only ltc/ir, ltc/shapeinfer and the packages below them.
package batching

import (
	"slices"

	"ltc/internal/callsite"
	"ltc/ir"
	"ltc/ir/dims"
	"ltc/ir/types"
	"ltc/shapeinfer"
)

// Value is a value of the vectorised program. If it is batched, axis 0 is that of the examples;
// otherwise it is the same for all of them.
type Value struct {
	Node    *ir.Node
	Batched bool
}

// Composites says what stands for composites for all examples at once. Others are written out.
type Composites struct {
	// Same returns the composite of n's name on in, whose axes are one further; nil if there is
	// none. It stands for n if it has the same ops.
	Same func(n *ir.Node, in []Value) *ir.Composite
	// Kept returns a composite without a body, whose body for n is that for all examples, with all
	// results batched; nil if n is to be written out.
	Kept func(n *ir.Node, in []Value) *ir.Composite
}

// Options says for what [Vectorize] records a program.
type Options struct {
	Size int // the number of examples, which may be an expression of package dims
	// Open says that the program is to be the same for any number of examples, as it is where Size
	// is an expression.
	Open bool
	// Want says which results are to be batched in any case. Without it all are.
	Want       []bool
	Composites Composites
}

// Vectorize records in b what g computes for all examples at once, and returns its results. args
// are g's parameters. The nodes carry the locations of those of g, or else that of b. An error says
// which op stands in the way.
func Vectorize(b *ir.Builder, g *ir.Graph, args []Value, o Options) (results []Value, err error) {
	v := &vectorizer{b: b, size: o.Size, open: o.Open || dims.IsExpr(o.Size), composites: o.Composites, given: nodesOf(args)}
	defer b.SetLoc(v.loc())
	defer catch(&err)
	want := o.Want
	if want == nil {
		want = slices.Repeat([]bool{true}, len(g.Results))
	}
	return v.wanted(g, args, want), nil
}

// vectorizer records the program of all examples.
type vectorizer struct {
	b          *ir.Builder
	size       int // the number of examples
	open       bool
	composites Composites
	// given are nodes that the caller may take gradients by: what is recorded uses them, and not
	// what they were made of.
	given []*ir.Node
	// mask has, for each example, whether it takes the branch or the iteration that is recorded, which
	// others compute for nothing: bool [size]. It is nil if all take it.
	mask *ir.Node
}

// rule records the node n for all examples, on operands of which one or more are batched, and
// returns its results. Of an op that has no form for all examples at once it is (*vectorizer).loop.
type rule func(v *vectorizer, n *ir.Node, in []Value) []Value

// graph records the nodes of g on args in place of its parameters.
func (v *vectorizer) graph(g *ir.Graph, args []Value) []Value {
	values := make([][]Value, len(g.Nodes))
	for i, n := range g.Nodes {
		switch n.Op {
		case ir.OpParameter:
			values[i] = []Value{args[n.Attrs[ir.ParameterIndex].Int]}
			continue
		case ir.OpSizeOf: // a constant, unless it is an expression
			values[i] = []Value{{v.number(n.Type.DType, int(n.Attrs[ir.SizeOfSize].Int)), false}}
			continue
		case ir.OpResult:
			values[i] = []Value{values[n.In[0].ID][n.Attrs[ir.ResultIndex].Int]}
			continue
		}
		in := make([]Value, len(n.In))
		for k, x := range n.In {
			in[k] = values[x.ID][0]
		}
		if n.Loc != 0 { // bodies of composites have none
			v.b.SetLoc(n.Loc)
		}
		if v.mask != nil {
			in = v.maskIndices(n, in)
		}
		if slices.ContainsFunc(in, isBatched) {
			values[i] = rules[n.Op](v, n, in)
		} else {
			values[i] = v.results(v.copy(n, in), false)
		}
		if y := values[i][0].Node; y.Op == n.Op {
			y.Note(n)
		}
	}
	results := make([]Value, len(g.Results))
	for i, r := range g.Results {
		results[i] = values[r.ID][0]
	}
	return results
}

// wanted is graph with the results batched that are wanted so.
func (v *vectorizer) wanted(g *ir.Graph, args []Value, want []bool) []Value {
	loc := v.loc()
	results := v.graph(g, args)
	v.b.SetLoc(loc)
	for i := range results {
		if want[i] {
			results[i] = Value{v.all(results[i]), true}
		}
	}
	return results
}

// loc is the location that nodes carry now.
func (v *vectorizer) loc() callsite.Site {
	loc := v.b.SetLoc(0)
	v.b.SetLoc(loc)
	return loc
}

func isBatched(x Value) bool { return x.Batched }

// copy records n on other operands of the same types.
func (v *vectorizer) copy(n *ir.Node, in []Value) *ir.Node {
	return v.record(n.Op, nodesOf(in), n.Attrs, n.Body)
}

// nodesOf are the nodes of values.
func nodesOf(in []Value) []*ir.Node {
	nodes := make([]*ir.Node, len(in))
	for i, x := range in {
		nodes[i] = x.Node
	}
	return nodes
}

// results are those of a recorded node: one, or as many as it has.
func (v *vectorizer) results(n *ir.Node, batched bool) []Value {
	if n.Results() == nil {
		return []Value{{n, batched}}
	}
	all := make([]Value, len(n.Results()))
	for i := range all {
		all[i] = Value{v.node(ir.OpResult, []*ir.Node{n}, []ir.Attr{ir.ResultIndex: {Int: int64(i)}}), batched}
	}
	return all
}

// batched is the one result of a rule, with the axis of the examples.
func batched(n *ir.Node) []Value { return []Value{{n, true}} }

// failure is the panic that a vectorizer's error travels in; catch alone recovers it.
type failure struct{ err error }

func catch(err *error) {
	switch r := recover().(type) {
	case nil:
	case failure:
		*err = r.err
	default:
		panic(r)
	}
}

// record records an op, whose operands and attributes are as the type rule wants them.
func (v *vectorizer) record(op ir.Op, in []*ir.Node, attrs []ir.Attr, body *ir.Composite) *ir.Node {
	n, err := v.b.Node(op, in, attrs, body)
	if err != nil {
		panic(failure{err})
	}
	return n
}

// node records an op with attributes, which stand at the generated constants. Elementwise ops
// broadcast their operands.
func (v *vectorizer) node(op ir.Op, in []*ir.Node, attrs []ir.Attr) *ir.Node {
	n, err := shapeinfer.Record(v.b, op, in, attrs, nil)
	if err != nil {
		panic(failure{err})
	}
	return n
}

// op is node for an op without attributes.
func (v *vectorizer) op(op ir.Op, in ...*ir.Node) *ir.Node { return v.node(op, in, nil) }

// scalar is the number x of a dtype.
func (v *vectorizer) scalar(d types.DType, x float64) *ir.Node {
	return v.constant(d, ir.LiteralBits(d, x))
}

// constant is the scalar of a dtype that has the given bits.
func (v *vectorizer) constant(d types.DType, bits uint64) *ir.Node {
	return v.node(ir.OpConstant, nil, []ir.Attr{ir.ConstantDType: {Int: int64(d)}, ir.ConstantValue: {Int: int64(bits)}})
}

// number is a size, which may be an expression, of a dtype.
func (v *vectorizer) number(d types.DType, n int) *ir.Node {
	if !dims.IsExpr(n) {
		return v.constant(d, ir.IntLiteralBits(d, int64(n)))
	}
	return v.node(ir.OpSizeOf, nil, []ir.Attr{ir.SizeOfDType: {Int: int64(d)}, ir.SizeOfSize: {Int: int64(n)}})
}

// zeros has the type of an example's value, for all of them.
func (v *vectorizer) zeros(t types.Type) *ir.Node {
	return v.broadcast(v.scalar(t.DType, 0), v.shape(t.Shape), nil)
}

// iota counts along an axis of a shape.
func (v *vectorizer) iota(d types.DType, shape []int, axis int) *ir.Node {
	return v.node(ir.OpIota, nil, []ir.Attr{ir.IotaDType: {Int: int64(d)}, ir.IotaShape: {Ints: shape}, ir.IotaAxis: {Int: int64(axis)}})
}

func (v *vectorizer) compare(direction string, x, y *ir.Node) *ir.Node {
	return v.node(ir.OpCompare, []*ir.Node{x, y}, []ir.Attr{ir.CompareDirection: {Str: direction}})
}

func (v *vectorizer) convert(x *ir.Node, d types.DType) *ir.Node {
	if x.Type.DType == d {
		return x
	}
	return v.node(ir.OpConvert, []*ir.Node{x}, []ir.Attr{ir.ConvertDType: {Int: int64(d)}})
}

// shape is that of all examples, for one's.
func (v *vectorizer) shape(one types.Shape) types.Shape { return prefixed(v.size, one) }

// prefixed is a list with an entry before the others.
func prefixed[S ~[]int](first int, rest S) S { return slices.Insert(slices.Clone(rest), 0, first) }

// shifted are axes of an example's value as those of all examples' value.
func shifted(axes []int) []int {
	all := make([]int, len(axes))
	for i, a := range axes {
		all[i] = a + 1
	}
	return all
}

// withExamples are the axis of the examples and then the axes of an example's value.
func withExamples(axes []int) []int { return prefixed(0, shifted(axes)) }

// all returns x for all examples, which repeats it if it is one for all of them.
func (v *vectorizer) all(x Value) *ir.Node {
	if x.Batched {
		return x.Node
	}
	n := x.Node
	if v.made(n, ir.OpBroadcast) { // as if the shape had been that of all examples at once
		return v.broadcast(n.In[0], v.shape(n.Type.Shape), shifted(n.Attrs[ir.BroadcastAxes].Ints))
	}
	return v.broadcast(n, v.shape(n.Type.Shape), shifted(types.Axes(n.Type.Rank())))
}

// made reports whether x is of an op, and not given by the caller.
func (v *vectorizer) made(x *ir.Node, op ir.Op) bool {
	return x.Op == op && !slices.Contains(v.given, x)
}

// broadcast repeats x, whose axis i becomes axis axes[i] of the shape.
func (v *vectorizer) broadcast(x *ir.Node, shape types.Shape, axes []int) *ir.Node {
	if len(axes) == len(shape) && x.Type.Shape.Equal(shape) {
		return x
	}
	return v.node(ir.OpBroadcast, []*ir.Node{x}, []ir.Attr{ir.BroadcastShape: {Ints: shape}, ir.BroadcastAxes: {Ints: axes}})
}

// reshape is x with other dimensions. Of a reshape it reshapes what that was made of.
func (v *vectorizer) reshape(x *ir.Node, shape []int) *ir.Node {
	if v.made(x, ir.OpReshape) {
		x = x.In[0]
	}
	if x.Type.Shape.Equal(shape) {
		return x
	}
	return v.node(ir.OpReshape, []*ir.Node{x}, []ir.Attr{ir.ReshapeDims: {Ints: shape}})
}

func (v *vectorizer) transpose(x *ir.Node, perm []int) *ir.Node {
	if slices.Equal(perm, types.Axes(len(perm))) {
		return x
	}
	return v.node(ir.OpTranspose, []*ir.Node{x}, []ir.Attr{ir.TransposePerm: {Ints: perm}})
}

// move makes axis from of x axis to of the result; the others keep their order.
func (v *vectorizer) move(x *ir.Node, from, to int) *ir.Node {
	return v.transpose(x, Moved(x.Type.Rank(), from, to))
}

// Moved is the order of axes in which axis from has moved to the place to, and the others keep
// their order.
func Moved(rank, from, to int) []int {
	return slices.Insert(slices.Delete(types.Axes(rank), from, from+1), to, from)
}

// swap transposes the last two axes.
func (v *vectorizer) swap(x *ir.Node) *ir.Node {
	return v.move(x, x.Type.Rank()-1, x.Type.Rank()-2)
}
