package ir

import (
	"math"
	"slices"

	"ltc/internal/callsite"
	"ltc/ir/dims"
	"ltc/ir/types"
)

// Check says that a call of the host looks at the values of a node.
type Check struct {
	Of      *Node
	Host    string // the function: it takes the least and the largest element, and returns 0 of their dtype
	Numbers []int  // its other arguments; sizes may be expressions
	Loc     callsite.Site
}

// Checks are those of a graph, and of the graphs that its nodes call or run, by node.
type Checks struct {
	Own []Check
	In  map[*Node][]Checks // for each graph of the node's body
	// Instead has, of scans, another node on the same operands whose results begin with those of the
	// scan: see [Node.Widens].
	Instead map[*Node]*Node
}

// Within adds the checks of the graphs that n calls or runs.
func (c *Checks) Within(n *Node, of []Checks) {
	if !slices.ContainsFunc(of, func(c Checks) bool { return c.Any() }) {
		return
	}
	if c.In == nil {
		c.In = map[*Node][]Checks{}
	}
	c.In[n] = of
}

// Any reports whether there are checks.
func (c *Checks) Any() bool { return len(c.Own)+len(c.In) > 0 }

// Widens reports whether n is a scan on the operands of scan whose results begin with those of scan, and
// are more: a gradient's, that saves what it needs. Where both are needed one does for both.
func (n *Node) Widens(scan *Node) bool {
	return n.Op == OpScan && scan.Op == OpScan && len(n.Body.Graph.Results) > len(scan.Body.Graph.Results) && slices.Equal(n.In, scan.In) &&
		slices.EqualFunc(n.Attrs, scan.Attrs, Attr.Equal) && Extends(n.Body.Graph, scan.Body.Graph)
}

// Checked returns g with calls of the host behind nodes of integers. Other nodes use what the calls
// return; results stay. A branch or a loop has no calls: it gives the least and the largest element of
// all its iterations as further results, and a call follows it. The graph shares nothing with g but
// types, attributes and bodies.
func (g *Graph) Checked(checks *Checks) *Graph {
	c := newChecker(g, checks)
	for i, n := range g.Nodes {
		c.node(n)
		for k := range checks.Own {
			if check := &checks.Own[k]; check.Of == n {
				c.last[i] = c.behind(c.last[i], check)
			}
		}
	}
	c.end()
	return c.out
}

// watched returns g, which a node of a branch or a loop calls or runs, without calls of the host. They
// are to follow where the elements in found are.
func (g *Graph) watched(checks *Checks) (body *Graph, found []extremes) {
	c := newChecker(g, checks)
	c.inside = true
	for i, n := range g.Nodes {
		c.node(n)
		for k := range checks.Own {
			if check := &checks.Own[k]; check.Of == n {
				c.loc = check.Loc
				c.found = append(c.found, extremes{check, [2]*Node{c.reduced(0, c.last[i]), c.reduced(1, c.last[i])}})
			}
		}
	}
	c.end()
	return c.out, c.found
}

// extremes are the least and the largest element that a check is for.
type extremes struct {
	of *Check
	at [2]*Node
}

// checker makes a graph with checks of another one.
type checker struct {
	*Checks
	out     *Graph
	nodes   []*Node         // clones of the other graph's, by their ids there
	last    []*Node         // what stands for them
	numbers map[int64]*Node // constants of i64: an equal number is the same node
	inside  bool            // of a branch or a loop
	found   []extremes      // if inside
	loc     callsite.Site
	zeros   map[*Node][]*Node // of a node with several results: what calls behind it return
	instead map[*Node]*Node   // of clones that are results of the graph
}

func newChecker(g *Graph, checks *Checks) *checker {
	c := &checker{Checks: checks, out: g.Clone(), last: make([]*Node, len(g.Nodes)), numbers: map[int64]*Node{},
		zeros: map[*Node][]*Node{}, instead: map[*Node]*Node{}}
	c.nodes = c.out.Nodes
	c.out.Nodes = make([]*Node, 0, len(c.nodes)+8)
	return c
}

func (c *checker) end() {
	for i, r := range c.out.Results {
		if to := c.instead[r]; to != nil {
			c.out.Results[i] = to
		}
	}
	c.out.rehash()
}

func (c *checker) add(n *Node) *Node {
	n.ID = int32(len(c.out.Nodes))
	c.out.Nodes = append(c.out.Nodes, n)
	return n
}

func (c *checker) op(op Op, t types.Type, attrs []Attr, in ...*Node) *Node {
	return c.add(&Node{Op: op, Type: t, In: in, Attrs: attrs, Loc: c.loc})
}

// number returns the constant x.
func (c *checker) number(x int64) *Node {
	if c.numbers[x] == nil {
		c.numbers[x] = c.add(constantOf(types.I64, uint64(x), c.loc))
	}
	return c.numbers[x]
}

func constantOf(d types.DType, bits uint64, loc callsite.Site) *Node {
	return &Node{Op: OpConstant, Type: types.Of(d), Attrs: []Attr{ConstantDType: {Int: int64(d)}, ConstantValue: {Int: int64(bits)}}, Loc: loc}
}

// neutral returns what a minimum, or with most a maximum, of no integers is.
func neutral(d types.DType, which int, loc callsite.Site) *Node {
	bits := 8 * d.Size()
	low, high := uint64(1)<<(bits-1), uint64(1)<<(bits-1)-1
	if !d.IsSigned() {
		low, high = 0, math.MaxUint64>>(64-bits)
	}
	return constantOf(d, [2]uint64{high, low}[which], loc)
}

// node adds the clone of was.
func (c *checker) node(was *Node) {
	if c.last[was.ID] != nil { // it was added instead of another one
		return
	}
	n := c.nodes[was.ID]
	if n.Op == OpConstant && n.Type.DType == types.I64 {
		x := n.Attrs[ConstantValue].Int
		if c.numbers[x] != nil && !slices.Contains(c.out.Results, n) {
			c.last[was.ID] = c.numbers[x]
			return
		}
		c.numbers[x] = n
	}
	if wider := c.Instead[was]; wider != nil {
		c.node(wider)
		c.last[was.ID] = c.last[wider.ID]
		if was.several == nil {
			c.last[was.ID] = c.first(n, c.last[wider.ID])
		}
		return
	}
	for k, x := range was.In {
		n.In[k] = c.last[x.ID]
	}
	switch inner := c.In[was]; {
	case inner == nil:
		c.last[was.ID] = c.add(n)
	case was.Op == OpComposite && !c.inside:
		body := *n.Body
		body.Graph = body.Graph.Checked(&inner[0])
		n.Body = &body
		c.last[was.ID] = c.add(n)
	default:
		c.runs(n, inner)
		if c.last[was.ID] = n; was.several == nil {
			c.last[was.ID] = c.first(n, n)
		}
	}
	if n.Op == OpResult && len(c.zeros[n.In[0]]) > 0 {
		c.last[was.ID] = c.after(n, n, c.zeros[n.In[0]])
	}
}

// first returns what stands for was, which was a node with one result: the first result of n.
func (c *checker) first(was, n *Node) *Node {
	y := c.result(n, 0)
	c.instead[was] = y
	if zeros := c.zeros[n]; len(zeros) > 0 {
		return c.after(was, y, zeros)
	}
	return y
}

// after returns y, which comes once the calls of the host have returned zeros: also as a result of the
// graph in the place of was.
func (c *checker) after(was, y *Node, zeros []*Node) *Node {
	y = c.op(OpBarrier, y.Type, nil, append([]*Node{y}, zeros...)...)
	c.instead[was] = y
	return y
}

// behind adds what looks at n, and returns what stands for it: n and the 0 that the call returns.
func (c *checker) behind(n *Node, k *Check) *Node {
	c.loc = k.Loc
	zero := c.call(extremes{k, [2]*Node{c.reduced(0, n), c.reduced(1, n)}})
	if n.Type.Rank() > 0 {
		zero = c.op(OpBroadcast, n.Type, []Attr{BroadcastShape: {Ints: n.Type.Shape}, BroadcastAxes: {}}, zero)
	}
	return c.op(OpAdd, n.Type, nil, n, zero)
}

// reduced returns the least, or the largest, element of n, which has the same type for all sizes.
func (c *checker) reduced(which int, n *Node) *Node {
	if n.Type.Rank() == 0 {
		return n
	}
	axes := make([]int, n.Type.Rank())
	for i := range axes {
		axes[i] = i
	}
	return c.op([2]Op{OpMin, OpMax}[which], types.Of(n.Type.DType), []Attr{{Ints: axes}}, n)
}

// call adds the call of the host.
func (c *checker) call(e extremes) *Node {
	c.loc = e.of.Loc
	in := []*Node{e.at[0], e.at[1]}
	for _, number := range e.of.Numbers {
		if dims.IsExpr(number) {
			in = append(in, c.op(OpSizeOf, types.Of(types.I64), []Attr{SizeOfDType: {Int: int64(types.I64)}, SizeOfSize: {Int: int64(number)}}))
			continue
		}
		in = append(in, c.number(int64(number)))
	}
	t := e.at[0].Type
	return c.op(OpHostCall, t, []Attr{HostCallName: {Str: e.of.Host}, HostCallResults: {Str: HostResultsText([]types.Type{t})}, HostCallEffect: {Int: 1}}, in...)
}

// runs adds n with further results, for the checks of the graphs that it calls or runs. Unless it is
// within another one, calls of the host follow.
func (c *checker) runs(n *Node, inner []Checks) {
	body := *n.Body
	body.More = slices.Clone(body.More)
	n.Body = &body
	var found []extremes
	switch n.Op {
	case OpCase:
		found = c.branches(n, inner)
	case OpWhile:
		found = c.loop(n, inner)
	default:
		found = c.rows(n, &inner[0])
	}
	if c.inside {
		c.found = append(c.found, found...)
		return
	}
	for _, e := range found {
		c.zeros[n] = append(c.zeros[n], c.call(e))
	}
}

// gives has n, whose graph g has its results, give a further one, of type t.
func gives(n *Node, t types.Type) (index int) {
	all := slices.Clone(n.Results())
	if all == nil {
		all = []types.Type{n.Type}
	}
	n.setType(types.Type{}, append(all, t))
	return len(all)
}

func (c *checker) result(n *Node, i int) *Node {
	return c.op(OpResult, n.Results()[i], []Attr{ResultIndex: {Int: int64(i)}}, n)
}

func (g *Graph) addResult(n *Node) {
	g.Results, g.Alias = append(g.Results, n), append(g.Alias, -1)
}

func (g *Graph) addNode(n *Node) *Node {
	n.ID = int32(len(g.Nodes))
	g.Nodes = append(g.Nodes, n)
	return n
}

// branches has the branch that runs give what its checks are for, and neutral elements for those of others.
func (c *checker) branches(n *Node, inner []Checks) (found []extremes) {
	graphs := slices.Concat([]*Graph{n.Body.Graph}, n.Body.More)
	each := make([][]extremes, len(graphs))
	for k, g := range graphs {
		graphs[k], each[k] = g.watched(&inner[k])
	}
	c.add(n)
	for _, all := range each {
		for _, e := range all {
			at := e
			for which, x := range e.at {
				for _, g := range graphs {
					if int(x.ID) < len(g.Nodes) && g.Nodes[x.ID] == x {
						g.addResult(x)
					} else {
						g.addResult(g.addNode(neutral(x.Type.DType, which, e.of.Loc)))
					}
				}
				c.loc = e.of.Loc
				at.at[which] = x
				gives(n, x.Type)
			}
			found = append(found, at)
		}
	}
	n.Body.Graph, n.Body.More = graphs[0], graphs[1:]
	return c.ended(n, found, graphs)
}

// ended has found be of the last results of n.
func (c *checker) ended(n *Node, found []extremes, graphs []*Graph) []extremes {
	for _, g := range graphs {
		g.rehash()
	}
	at := len(n.Results()) - 2*len(found)
	for i := range found {
		c.loc = found[i].of.Loc
		for which := range 2 {
			found[i].at[which] = c.reduced(which, c.result(n, at+2*i+which))
		}
	}
	return found
}

// rows has a composite give what the checks of its body are for; a scan gives that of each iteration.
func (c *checker) rows(n *Node, inner *Checks) (found []extremes) {
	n.Body.Graph, found = n.Body.Graph.watched(inner)
	c.add(n)
	for _, e := range found {
		for _, x := range e.at {
			t := x.Type
			if n.Op == OpScan {
				t.Shape = types.Shape{int(n.Attrs[ScanIterations].Int)}
			}
			gives(n, t)
			n.Body.Graph.addResult(x)
		}
	}
	return c.ended(n, found, []*Graph{n.Body.Graph})
}

// insert adds parameters before the one at i. All parameters are then the first nodes.
func (g *Graph) insert(i int, params []*Node) {
	g.Params = slices.Insert(g.Params, i, params...)
	g.Nodes = slices.Concat(g.Params, slices.DeleteFunc(g.Nodes, func(n *Node) bool { return n.Op == OpParameter }))
	for i, p := range g.Params {
		p.Attrs[ParameterIndex].Int = int64(i)
	}
	for i, n := range g.Nodes {
		n.ID = int32(i)
	}
}

// loop has a while carry what the checks of its body are for. The body, and the loop's last state, have
// the nodes of the condition that its checks are for once more.
func (c *checker) loop(n *Node, inner []Checks) (found []extremes) {
	cond, states := n.Body.Graph.Clone(), len(n.Body.More[0].Results)
	body, found := n.Body.More[0].watched(&inner[1])
	again, asked := n.Body.Graph.watched(&inner[0])
	if len(asked) > 0 {
		nodes := body.write(again, body.Params)
		for _, e := range asked {
			found = append(found, extremes{e.of, [2]*Node{nodes[e.at[0].ID], nodes[e.at[1].ID]}})
		}
	}
	merges := [2]Op{OpMinimum, OpMaximum}
	var start, condTakes, bodyTakes []*Node
	for _, e := range found {
		for which, x := range e.at {
			param := func() *Node { return &Node{Op: OpParameter, Type: x.Type, Attrs: make([]Attr, 2), Loc: e.of.Loc} }
			carried := param()
			condTakes, bodyTakes = append(condTakes, param()), append(bodyTakes, carried)
			body.addResult(body.addNode(&Node{Op: merges[which], Type: x.Type, In: []*Node{carried, x}, Loc: e.of.Loc}))
			start = append(start, c.add(neutral(x.Type.DType, which, e.of.Loc)))
			gives(n, x.Type)
		}
	}
	cond.insert(states, condTakes)
	body.insert(states, bodyTakes)
	n.In = slices.Insert(slices.Clone(n.In), states, start...)
	n.Body.Graph, n.Body.More[0] = cond, body
	c.add(n)
	found = c.ended(n, found, []*Graph{cond, body})
	if len(asked) > 0 {
		var args []*Node
		for i := range states {
			args = append(args, c.result(n, i))
		}
		nodes := c.out.write(again, append(args, n.In[states+len(start):]...))
		last := found[len(found)-len(asked):]
		for i, e := range asked {
			c.loc = e.of.Loc
			for which, x := range e.at {
				last[i].at[which] = c.op(merges[which], x.Type, nil, last[i].at[which], nodes[x.ID])
			}
		}
	}
	return found
}
