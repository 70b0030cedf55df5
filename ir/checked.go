package ir

import (
	"slices"

	"ltc/internal/callsite"
	"ltc/ir/dims"
	"ltc/ir/types"
)

// Check says that a call of the host looks at whether all elements of a node are in range.
type Check struct {
	Of     *Node
	By     *Node  // what uses the elements, which says when it looks within a branch or a loop
	Host   string // the function
	Number int    // of the check, which the function is told
	Low    int    // the least element that is in range; maybe an expression
	Bound  int    // the first above Low that is not; maybe an expression
	Loc    callsite.Site
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

// Only returns the checks that keep holds for.
func (c *Checks) Only(keep func(*Check) bool) Checks {
	y := Checks{Instead: c.Instead}
	for k := range c.Own {
		if keep(&c.Own[k]) {
			y.Own = append(y.Own, c.Own[k])
		}
	}
	for n, of := range c.In {
		inner := make([]Checks, len(of))
		for i := range of {
			inner[i] = of[i].Only(keep)
		}
		y.Within(n, inner)
	}
	return y
}

// Of returns checks of a graph as those of its clone g.
func (c *Checks) Of(g *Graph) Checks {
	y := Checks{Own: slices.Clone(c.Own)}
	for k := range y.Own {
		y.Own[k].Of, y.Own[k].By = g.Nodes[y.Own[k].Of.ID], g.Nodes[y.Own[k].By.ID]
	}
	for n, of := range c.In {
		y.Within(g.Nodes[n.ID], of)
	}
	for n, wider := range c.Instead {
		if y.Instead == nil {
			y.Instead = map[*Node]*Node{}
		}
		y.Instead[g.Nodes[n.ID]] = g.Nodes[wider.ID]
	}
	return y
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
// return; results stay. A branch or a loop has no calls: it gives the first element that its checks have
// found as further results, and one call follows it. The graph shares nothing with g but types, attributes
// and bodies.
//
// The host is told the least and the largest element, and as i64 the number of the check, Low and Bound.
// Of a branch or a loop both elements are the first one out of range, as i64, where those of a u64 above
// the largest i64 are negative. The number is -1 if there is none. The iterations of the loops around the
// node follow as i32, that of the innermost first. Iterations of other loops, which are 0, may come before
// these. The function returns 0 of the elements' dtype.
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
	return c.end()
}

// checker makes a graph with checks of another one.
type checker struct {
	*Checks
	out     *Graph
	added   map[added][]*Node
	nodes   []*Node           // clones of the other graph's, by their ids there
	last    []*Node           // what stands for them
	numbers map[int64]*Node   // constants of i64: an equal number is the same node
	inside  bool              // of a branch or a loop: no calls
	found   []finding         // if inside: in the order of the nodes
	loc     callsite.Site     // of nodes that are added
	zeros   map[*Node][]*Node // of a node with several results: what calls behind it return
	instead map[*Node]*Node   // of clones that are results of the graph
}

func newChecker(g *Graph, checks *Checks) *checker {
	c := &checker{Checks: checks, out: g.Clone(), last: make([]*Node, len(g.Nodes)), numbers: map[int64]*Node{}, added: map[added][]*Node{},
		zeros: map[*Node][]*Node{}, instead: map[*Node]*Node{}}
	c.nodes = c.out.Nodes
	c.out.Nodes = make([]*Node, 0, len(c.nodes)+8)
	return c
}

// end returns the graph.
func (c *checker) end() *Graph {
	for i, r := range c.out.Results {
		if to := c.instead[r]; to != nil {
			c.out.Results[i] = to
		}
	}
	c.out.rehash()
	return c.out
}

func (c *checker) add(n *Node) *Node {
	n.ID = int32(len(c.out.Nodes))
	c.out.Nodes = append(c.out.Nodes, n)
	return n
}

// op adds an op, unless an equal one was added.
func (c *checker) op(op Op, t types.Type, attrs []Attr, in ...*Node) *Node {
	var first *Node
	if len(in) > 0 {
		first = in[0]
	}
	alike := added{op, t.DType, first}
	for _, n := range c.added[alike] {
		if slices.Equal(n.In, in) && slices.EqualFunc(n.Attrs, attrs, Attr.Equal) {
			return n
		}
	}
	n := c.add(&Node{Op: op, Type: t, In: in, Attrs: attrs, Loc: c.loc})
	c.added[alike] = append(c.added[alike], n)
	return n
}

// added is what some ops that were added have in common.
type added struct {
	op    Op
	dtype types.DType
	first *Node // operand; nil if there is none
}

// constant returns a number of a dtype.
func (c *checker) constant(d types.DType, bits uint64) *Node {
	if d == types.I64 {
		return c.number(int64(bits))
	}
	return c.op(OpConstant, types.Of(d), constantAttrs(d, bits))
}

// number returns an i64.
func (c *checker) number(x int64) *Node {
	if c.numbers[x] == nil {
		c.numbers[x] = c.op(OpConstant, types.Of(types.I64), constantAttrs(types.I64, uint64(x)))
	}
	return c.numbers[x]
}

func constantAttrs(d types.DType, bits uint64) []Attr {
	return []Attr{ConstantDType: {Int: int64(d)}, ConstantValue: {Int: int64(bits)}}
}

// size returns a size, which may be an expression, as an i64 or a u64.
func (c *checker) size(d types.DType, size int) *Node {
	if dims.IsExpr(size) {
		return c.op(OpSizeOf, types.Of(d), []Attr{SizeOfDType: {Int: int64(d)}, SizeOfSize: {Int: int64(size)}})
	}
	return c.constant(d, uint64(size))
}

// spread returns a scalar repeated to a shape.
func (c *checker) spread(n *Node, shape types.Shape) *Node {
	if len(shape) == 0 {
		return n
	}
	return c.op(OpBroadcast, types.Type{DType: n.Type.DType, Shape: shape}, []Attr{BroadcastShape: {Ints: shape}, BroadcastAxes: {}}, n)
}

func (c *checker) compare(x *Node, direction string, y *Node) *Node {
	return c.op(OpCompare, types.Type{DType: types.Bool, Shape: x.Type.Shape}, []Attr{CompareDirection: {Str: direction}}, x, y)
}

func (c *checker) where(cond, x, y *Node) *Node { return c.op(OpWhere, x.Type, nil, cond, x, y) }

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
		c.body(n, inner)
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
	zero := c.call(k.Host, c.reduced(OpMin, n), c.reduced(OpMax, n), c.number(int64(k.Number)), c.size(types.I64, k.Low), c.size(types.I64, k.Bound))
	return c.op(OpAdd, n.Type, nil, n, c.spread(zero, n.Type.Shape))
}

// reduced returns n reduced over all axes, as a scalar for all sizes.
func (c *checker) reduced(by Op, n *Node) *Node {
	if n.Type.Rank() == 0 {
		return n
	}
	axes := make([]int, n.Type.Rank())
	for i := range axes {
		axes[i] = i
	}
	return c.op(by, types.Of(n.Type.DType), []Attr{{Ints: axes}}, n)
}

// call adds a call of the host.
func (c *checker) call(host string, least, most, number, low, bound *Node, iterations ...*Node) *Node {
	in := append([]*Node{least, most, number, low, bound}, iterations...)
	return c.op(OpHostCall, least.Type, []Attr{HostCallName: {Str: host}, HostCallResults: {Str: HostResultsText([]types.Type{least.Type})}, HostCallEffect: {Int: 1}}, in...)
}
