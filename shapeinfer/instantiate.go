package shapeinfer

import (
	"slices"

	"ltc/ir"
	"ltc/ir/dims"
	"ltc/ir/types"
)

// Instantiate returns the graph that g is where sizes that are expressions of package dims are
// the numbers that size says. Those of them that are ops ([ir.OpSizeOf]) become constants. The error is that of a rule that the numbers break.
func Instantiate(g *ir.Graph, size func(d int) int) (*ir.Graph, error) {
	return (&instance{size: size}).graph(g)
}

// normalForm returns what Instantiate does, without ops that return their operand as it is, but for
// axes of dimension 1. The normal forms of two recordings of one function are equal where one has such
// ops and the other has not: a size of 1, say, needs no broadcast.
func normalForm(g *ir.Graph, size func(d int) int) (*ir.Graph, error) {
	return (&instance{size: size, normal: true}).graph(g)
}

func (of instance) graph(g *ir.Graph) (*ir.Graph, error) {
	x := &of
	x.b, x.nodes = ir.NewBuilder(Infer), map[*ir.Node]*ir.Node{}
	var params, results []*ir.Node
	for i, n := range g.Nodes {
		if n.Op == ir.OpParameter { // those that lead were given, others come as they are met
			p := x.b.Detached(x.typ(n.Type), n.ParamName(), n.Value)
			x.nodes[n] = p
			if len(params) == i || x.normal {
				params = append(params, p)
			}
			continue
		}
		made, err := x.node(n)
		if err != nil {
			return nil, err
		}
		x.nodes[n] = made
	}
	for _, r := range g.Results {
		results = append(results, x.nodes[r])
	}
	alias := make([]*ir.Node, len(g.Alias))
	for i, p := range g.Alias {
		if p >= 0 { // its memory is written: nothing need read it
			alias[i] = x.nodes[g.Params[p]]
		}
	}
	y := &ir.Graph{Name: g.Name}
	x.b.Capture(y, params, results, alias)
	return y, nil
}

// instance is the work of Instantiate.
type instance struct {
	size   func(d int) int
	normal bool // without ops that return their operand
	b      *ir.Builder
	nodes  map[*ir.Node]*ir.Node
}

func (x *instance) typ(t types.Type) types.Type {
	return types.Type{DType: t.DType, Shape: x.sizes(t.Shape)}
}

func (x *instance) sizes(s []int) []int {
	if !dims.HasExpr(s...) {
		return s
	}
	s = slices.Clone(s)
	for i := range s {
		s[i] = x.size(s[i])
	}
	return s
}

func (x *instance) node(n *ir.Node) (*ir.Node, error) {
	x.b.SetLoc(n.Loc)
	if n.Op == ir.OpSizeOf {
		return x.constant(n)
	}
	attrs := slices.Clone(n.Attrs)
	for i := range attrs {
		attrs[i].Ints = x.sizes(attrs[i].Ints)
		if dims.IsExpr(attrs[i].Int) && n.Op != ir.OpConstant {
			attrs[i].Int = int64(x.size(int(attrs[i].Int)))
		}
	}
	in := make([]*ir.Node, len(n.In))
	for i, o := range n.In {
		in[i] = x.nodes[o]
	}
	body, err := x.body(n.Body)
	if err != nil {
		return nil, err
	}
	made, err := x.b.Node(n.Op, in, attrs, body)
	if err != nil || !x.normal || !reshapes(made) {
		return made, err
	}
	from := made.In[0]
	if from.Op == ir.OpReshape {
		from = from.In[0]
	}
	if from.Type.Equal(made.Type) {
		return from, nil
	}
	return x.b.Node(ir.OpReshape, []*ir.Node{from}, []ir.Attr{ir.ReshapeDims: {Ints: made.Type.Shape}}, nil)
}

// reshapes reports whether a node is its operand, maybe with other axes of dimension 1: a sum over
// such axes, say. That a sum starts from 0, which is not -0, does not count.
func reshapes(n *ir.Node) bool {
	switch n.Op {
	case ir.OpReshape:
		return true
	case ir.OpConvert:
		return n.Type.Equal(n.In[0].Type)
	case ir.OpTranspose:
		var order []int
		for _, axis := range n.Attrs[ir.TransposePerm].Ints {
			if n.In[0].Type.Shape[axis] != 1 {
				order = append(order, axis)
			}
		}
		return slices.IsSorted(order)
	case ir.OpSlice:
		if slices.ContainsFunc(n.Attrs[ir.SliceStrides].Ints, func(s int) bool { return s != 1 }) {
			return false
		}
	case ir.OpBroadcast, ir.OpSum, ir.OpMax, ir.OpMin:
	default:
		return false
	}
	return n.Type.Elements() == n.In[0].Type.Elements() && n.Type.Elements() > 0
}

// constant is a size as a number; one that stays open is left as it is.
func (x *instance) constant(size *ir.Node) (*ir.Node, error) {
	d := size.Type.DType
	n := x.size(int(size.Attrs[ir.SizeOfSize].Int))
	if dims.IsExpr(n) {
		return x.b.Node(ir.OpSizeOf, nil, []ir.Attr{ir.SizeOfDType: {Int: int64(d)}, ir.SizeOfSize: {Int: int64(n)}}, nil)
	}
	bits := ir.LiteralBits(d, float64(n))
	if !d.IsFloat() {
		bits = ir.IntLiteralBits(d, int64(n))
	}
	return x.b.Node(ir.OpConstant, nil, []ir.Attr{ir.ConstantDType: {Int: int64(d)}, ir.ConstantValue: {Int: int64(bits)}}, nil)
}

// body is what a composite or a node of control flow has.
func (x *instance) body(c *ir.Composite) (*ir.Composite, error) {
	if c == nil {
		return nil, nil
	}
	of := &ir.Composite{Name: c.Name, Params: slices.Clone(c.Params)}
	for i := range of.Params {
		of.Params[i].Int = x.size(of.Params[i].Int)
	}
	for k, g := range c.Graphs() {
		inner, err := x.graph(g)
		if err != nil {
			return nil, err
		}
		if k == 0 {
			of.Graph = inner
		} else {
			of.More = append(of.More, inner)
		}
	}
	return of, nil
}
