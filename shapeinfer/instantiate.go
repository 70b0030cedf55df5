package shapeinfer

import (
	"slices"

	"ltc/ir"
	"ltc/ir/dims"
	"ltc/ir/types"
)

// Instantiate returns the graph that g is where sizes that are expressions of package dims are
// the numbers that size says. Sizes as numbers ([ir.OpSizeOf]) become constants. The error is that of a rule that the numbers break.
func Instantiate(g *ir.Graph, size func(d int) int) (*ir.Graph, error) {
	x := &instance{size: size, b: ir.NewBuilder(Infer), nodes: map[*ir.Node]*ir.Node{}}
	var params, results []*ir.Node
	for i, n := range g.Nodes {
		if n.Op == ir.OpParameter { // those that lead were given, others come as they are met
			p := x.b.Detached(x.typ(n.Type), n.ParamName(), n.Value)
			x.nodes[n] = p
			if len(params) == i {
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
	of := &ir.Graph{Name: g.Name}
	x.b.Capture(of, params, results, nil)
	of.Alias = slices.Clone(g.Alias)
	return of, nil
}

// instance is the work of Instantiate.
type instance struct {
	size  func(d int) int
	b     *ir.Builder
	nodes map[*ir.Node]*ir.Node
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
	return x.b.Node(n.Op, in, attrs, body)
}

// constant is a size as a number.
func (x *instance) constant(size *ir.Node) (*ir.Node, error) {
	d := size.Type.DType
	n := x.size(int(size.Attrs[ir.SizeOfSize].Int))
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
		inner, err := Instantiate(g, x.size)
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
