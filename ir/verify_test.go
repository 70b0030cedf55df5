package ir_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/ir"
	"ltc/ir/types"
	"ltc/shapeinfer"
)

// Graphs that no text says: Verify refuses each, and panics at none.
func TestVerifyRefusesBrokenGraphs(t *testing.T) {
	fresh := func() *ir.Graph {
		m := newMaker(t)
		x, y := m.param(f32(2, 3)), m.param(f32(2, 3))
		sum := m.node(ir.OpSum, []ir.Attr{{Ints: []int{1}}}, m.op(ir.OpAdd, x, y))
		g := &ir.Graph{Name: "g"}
		m.b.Capture(g, nil, []*ir.Node{sum, y}, nil)
		return g
	}
	require.NoError(t, fresh().Verify(shapeinfer.Infer))
	stranger := newMaker(t).param(f32(2, 3))
	for name, c := range map[string]struct {
		change func(g *ir.Graph)
		want   string
	}{
		"nodes out of order":      {func(g *ir.Graph) { g.Nodes[0], g.Nodes[2] = g.Nodes[2], g.Nodes[0] }, "numbered"},
		"order of definitions":    {func(g *ir.Graph) { swapNodes(g, 1, 2) }, "does not come before it"},
		"node missing":            {func(g *ir.Graph) { g.Nodes = slices.Delete(g.Nodes, 1, 2) }, "numbered"},
		"wrong id":                {func(g *ir.Graph) { g.Nodes[2].ID = 7 }, "numbered"},
		"negative id":             {func(g *ir.Graph) { g.Nodes[2].ID = -1 }, "numbered"},
		"no node":                 {func(g *ir.Graph) { g.Nodes[2] = nil }, "no node"},
		"unknown op":              {func(g *ir.Graph) { g.Nodes[2].Op = ir.NumOps }, "no node"},
		"foreign operand":         {func(g *ir.Graph) { g.Nodes[2].In[1] = stranger }, "does not come before it"},
		"operand missing":         {func(g *ir.Graph) { g.Nodes[2].In = g.Nodes[2].In[:1] }, "the number of operands is 1, must be 2"},
		"no operand":              {func(g *ir.Graph) { g.Nodes[2].In[0] = nil }, "does not come before it"},
		"attribute missing":       {func(g *ir.Graph) { g.Nodes[3].Attrs = nil }, "want 1 attribute"},
		"attribute too many":      {func(g *ir.Graph) { g.Nodes[2].Attrs = []ir.Attr{{}} }, "want 0 attributes"},
		"attribute out of range":  {func(g *ir.Graph) { g.Nodes[3].Attrs = []ir.Attr{{Ints: []int{2}}} }, "sum_c2"},
		"wrong shape":             {func(g *ir.Graph) { g.Nodes[3].Type = f32(3) }, "type is f32[3], the rule gives f32[2]"},
		"wrong dtype":             {func(g *ir.Graph) { g.Nodes[3].Type = types.Of(types.F64, 2) }, "the rule gives f32[2]"},
		"operand's type":          {func(g *ir.Graph) { g.Nodes[0].Type = types.Of(types.Bool, 2, 3) }, "add_c1"},
		"parameter's type":        {func(g *ir.Graph) { g.Nodes[0].Type = f32(-2) }, "negative"},
		"parameter's dtype":       {func(g *ir.Graph) { g.Nodes[0].Type = types.Type{} }, "invalid dtype"},
		"parameter's index":       {func(g *ir.Graph) { g.Nodes[1].Attrs = []ir.Attr{{Int: 5}, {}} }, "index 5, want 1"},
		"parameters exchanged":    {func(g *ir.Graph) { slices.Reverse(g.Params) }, "index 0, want 0"},
		"parameter missing":       {func(g *ir.Graph) { g.Params = g.Params[:1] }, "index 1, want 1"},
		"parameter too many":      {func(g *ir.Graph) { g.Params = append(g.Params, stranger) }, "parameters or aliases"},
		"alias missing":           {func(g *ir.Graph) { g.Alias = g.Alias[:1] }, "parameters or aliases"},
		"alias of no parameter":   {func(g *ir.Graph) { g.Alias[0] = 2 }, "alias 2: the graph has 2 parameters"},
		"alias of another type":   {func(g *ir.Graph) { g.Alias[0] = 0 }, "has another type"},
		"foreign result":          {func(g *ir.Graph) { g.Results[0] = stranger }, "is not one of its nodes"},
		"no result":               {func(g *ir.Graph) { g.Results[0] = nil }, "is not one of its nodes"},
		"result with a wrong id":  {func(g *ir.Graph) { g.Results[0] = &ir.Node{ID: -3} }, "is not one of its nodes"},
		"body on an op":           {func(g *ir.Graph) { g.Nodes[2].Op, g.Nodes[2].Body = ir.OpComposite, nil }, "no body"},
		"body without graph":      {func(g *ir.Graph) { g.Nodes[2].Op, g.Nodes[2].Body = ir.OpComposite, &ir.Composite{} }, "has no graph"},
		"body that is not valid":  {func(g *ir.Graph) { g.Nodes[2].Op, g.Nodes[2].Body = ir.OpComposite, brokenBody(t) }, "the rule gives f32[2]"},
		"body of other operands":  {func(g *ir.Graph) { g.Nodes[2].Op, g.Nodes[2].Body = ir.OpComposite, wholeBody(t) }, "composite_c2"},
		"several results as one":  {func(g *ir.Graph) { g.Nodes[3].Op, g.Nodes[3].Attrs = ir.OpSort, []ir.Attr{{}, {}} }, "sort: type is f32[2], the rule gives (f32[2,3], i64[2,3])"},
		"several results given":   {sortedResult, "result 0 is a node with several results: take one of them with result"},
		"attribute of a wrong op": {func(g *ir.Graph) { g.Nodes[3].Op = ir.OpReshape }, "reshape_c3"},
	} {
		t.Run(name, func(t *testing.T) {
			g := fresh()
			c.change(g)
			require.ErrorContains(t, g.Verify(shapeinfer.Infer), c.want)
		})
	}
}

// swapNodes exchanges two nodes and their numbers.
func swapNodes(g *ir.Graph, i, j int) {
	g.Nodes[i], g.Nodes[j] = g.Nodes[j], g.Nodes[i]
	g.Nodes[i].ID, g.Nodes[j].ID = int32(i), int32(j)
}

func wholeBody(t *testing.T) *ir.Composite {
	m := newMaker(t)
	return &ir.Composite{Name: "ltc.x", Graph: m.graph("x", m.op(ir.OpNeg, m.param(f32(2))))}
}

func brokenBody(t *testing.T) *ir.Composite {
	c := wholeBody(t)
	c.Graph.Nodes[1].Type = f32(3)
	return c
}

// sortedResult has a node with several results be one of the graph's.
func sortedResult(g *ir.Graph) {
	s, err := ir.NewBuilder(shapeinfer.Infer).Node(ir.OpSort, g.Nodes[3].In, []ir.Attr{{}, {}}, nil)
	if err != nil {
		panic(err)
	}
	s.ID = 3
	g.Nodes[3], g.Results[0] = s, s
}
