package ir

import (
	"math"
	"slices"

	"ltc/internal/callsite"
	"ltc/ir/types"
)

// finding is the first element out of range that checks of a graph have found.
type finding struct {
	of  []*Check
	bad *Node   // whether there is one; nil if the number is -1 where there is none
	at  []*Node // by number, value and iteration, of one shape
}

// These are the nodes of a finding.
const (
	number    = 0 // i64: that of the check
	value     = 1 // i64: the element; of a u64 its bits
	iteration = 2 // and further ones: the iterations, as i32, that of the innermost loop first
)

// look returns what a check finds in n.
func (c *checker) look(n *Node, k *Check) finding {
	c.loc = k.Loc
	to, wide := c.reduced(OpMax, n), types.I64
	if n.Type.DType == types.U64 {
		wide = types.U64
	}
	x := c.converted(to, wide)
	bad := c.compare(x, "GE", c.size(wide, k.Bound))
	if wide == types.I64 {
		from := c.converted(c.reduced(OpMin, n), wide)
		below := c.compare(from, "LT", c.size(wide, k.Low))
		if bad = c.op(OpOr, bad.Type, nil, below, bad); from != x {
			x = c.where(below, from, x)
		}
	}
	if n.Type.Rank() > 0 { // the least of no elements is above the largest; the ops are the same for all sizes
		bad = c.op(OpAnd, bad.Type, nil, c.compare(c.reduced(OpMin, n), "LE", to), bad)
	}
	return finding{[]*Check{k}, bad, []*Node{c.number(int64(k.Number)), c.converted(x, types.I64)}}
}

func (c *checker) converted(n *Node, d types.DType) *Node {
	if n.Type.DType == d {
		return n
	}
	return c.op(OpConvert, types.Type{DType: d, Shape: n.Type.Shape}, []Attr{ConvertDType: {Int: int64(d)}}, n)
}

// nothing returns the scalar that a node of a finding is where there is no element out of range.
func (c *checker) nothing(which int) *Node {
	switch which {
	case number:
		return c.number(-1)
	case value:
		return c.number(0)
	}
	return c.constant(types.I32, 0)
}

// earliest returns the first of some findings, in their order, that has an element. Its number is -1 if
// none has one.
func (c *checker) earliest(found []finding) finding {
	depth := 0
	for _, f := range found {
		depth = max(depth, len(f.at))
	}
	y := finding{}
	for _, f := range slices.Backward(found) {
		c.loc = f.of[0].Loc
		for len(f.at) < depth { // it is not in the innermost loops
			f.at = slices.Insert(slices.Clone(f.at), iteration, c.nothing(iteration))
		}
		if y.of = slices.Concat(f.of, y.of); y.at == nil {
			y.at = slices.Clone(f.at)
			if f.bad != nil {
				y.at[number] = c.where(f.bad, f.at[number], c.nothing(number))
			}
			continue
		}
		if f.bad == nil {
			f.bad = c.compare(f.at[number], "GE", c.number(0))
		}
		for which, x := range f.at {
			y.at[which] = c.where(f.bad, x, y.at[which])
		}
	}
	return y
}

// inside returns a checker of g, which a node of a branch or a loop calls or runs, whose graph has
// everything but further results. It has one finding at most.
func inside(g *Graph, checks *Checks) *checker {
	c := newChecker(g, checks)
	c.inside = true
	for _, n := range g.Nodes {
		c.node(n)
		for k := range checks.Own {
			if check := &checks.Own[k]; check.By == n {
				c.found = append(c.found, c.look(c.last[check.Of.ID], check))
			}
		}
	}
	if len(c.found) > 0 {
		c.found = []finding{c.earliest(c.found)}
	}
	return c
}

// body adds n with further results, for the checks of the graphs that it calls or runs. Unless it is
// within another one, a call of the host follows.
func (c *checker) body(n *Node, inner []Checks) {
	body := *n.Body
	body.More = slices.Clone(body.More)
	n.Body = &body
	var f finding
	switch n.Op {
	case OpCase:
		f = c.branches(n, inner)
	case OpWhile:
		f = c.while(n, inner)
	case OpScan:
		f = c.scan(n, &inner[0])
	default:
		f = c.composite(n, &inner[0])
	}
	if c.inside {
		c.found = append(c.found, f)
		return
	}
	c.zeros[n] = append(c.zeros[n], c.callAfter(f))
}

// callAfter adds the call of the host for what a branch or a loop has found. The number says which
// bounds are those of the element.
func (c *checker) callAfter(f finding) *Node {
	last := len(f.of) - 1
	c.loc = f.of[last].Loc
	low, bound := c.size(types.I64, f.of[last].Low), c.size(types.I64, f.of[last].Bound)
	for _, k := range slices.Backward(f.of[:last]) {
		is := c.compare(f.at[number], "EQ", c.number(int64(k.Number)))
		if x := c.size(types.I64, k.Low); x != low {
			low = c.where(is, x, low)
		}
		if x := c.size(types.I64, k.Bound); x != bound {
			bound = c.where(is, x, bound)
		}
	}
	return c.call(f.of[0].Host, f.at[value], f.at[value], f.at[number], low, bound, f.at[iteration:]...)
}

// gives has n give a further result, of type t.
func gives(n *Node, t types.Type) {
	all := slices.Clone(n.Results())
	if all == nil {
		all = []types.Type{n.Type}
	}
	n.setType(types.Type{}, append(all, t))
}

// result returns a result of n, which has several.
func (c *checker) result(n *Node, i int) *Node {
	return c.op(OpResult, n.Results()[i], []Attr{ResultIndex: {Int: int64(i)}}, n)
}

// results returns the last results of n as a finding of the form of f.
func (c *checker) results(n *Node, f finding) finding {
	c.loc = f.of[0].Loc
	y, i := finding{of: f.of}, len(n.Results())-len(f.at)
	for k := range f.at {
		y.at = append(y.at, c.result(n, i+k))
	}
	return y
}

func (g *Graph) addResult(n *Node) {
	g.Results, g.Alias = append(g.Results, n), append(g.Alias, -1)
}

// branches has the branch that runs give what its checks have found.
func (c *checker) branches(n *Node, inner []Checks) finding {
	var all []*checker
	var f finding
	for k, g := range n.Body.Graphs() {
		b := inside(g, &inner[k])
		for _, x := range b.found {
			if f.of = append(f.of, x.of...); len(x.at) > len(f.at) {
				f.at = x.at
			}
		}
		all = append(all, b)
	}
	for k, b := range all {
		b.loc = f.of[0].Loc
		at := []*Node{b.nothing(number), b.nothing(value)}
		if len(b.found) > 0 {
			at = b.found[0].at
		}
		for len(at) < len(f.at) {
			at = slices.Insert(slices.Clone(at), iteration, b.nothing(iteration))
		}
		for _, x := range at {
			if b.out.addResult(x); k == 0 {
				gives(n, x.Type)
			}
		}
		if g := b.end(); k == 0 {
			n.Body.Graph = g
		} else {
			n.Body.More[k-1] = g
		}
	}
	c.add(n)
	return c.results(n, f)
}

// composite has a composite give what the checks of its body have found.
func (c *checker) composite(n *Node, inner *Checks) finding {
	b := inside(n.Body.Graph, inner)
	for _, x := range b.found[0].at {
		b.out.addResult(x)
		gives(n, x.Type)
	}
	n.Body.Graph = b.end()
	c.add(n)
	return c.results(n, b.found[0])
}

// scan has a scan give what the checks of its body find in each iteration, as rows.
func (c *checker) scan(n *Node, inner *Checks) finding {
	rows := types.Shape{int(n.Attrs[ScanIterations].Int)}
	b := inside(n.Body.Graph, inner)
	for _, x := range b.found[0].at {
		b.out.addResult(x)
		gives(n, types.Type{DType: x.Type.DType, Shape: rows})
	}
	n.Body.Graph = b.end()
	c.add(n)
	c.loc = n.Loc
	order := c.op(OpIota, types.Type{DType: types.I32, Shape: rows}, []Attr{IotaDType: {Int: int64(types.I32)}, IotaShape: {Ints: rows}, IotaAxis: {}})
	if n.Attrs[ScanReverse].Int != 0 {
		order = c.op(OpReverse, order.Type, []Attr{ReverseAxes: {Ints: []int{0}}}, order)
	}
	return c.firstRow(c.results(n, b.found[0]), order)
}

// firstRow returns what rows of findings are in the first iteration that has found an element. order has
// the iteration of each row.
func (c *checker) firstRow(rows finding, order *Node) finding {
	found := c.compare(rows.at[number], "GE", c.spread(c.number(0), order.Type.Shape))
	none := c.constant(types.I32, math.MaxInt32) // which is no iteration
	first := c.reduced(OpMin, c.where(found, order, c.spread(none, order.Type.Shape)))
	is := c.compare(order, "EQ", c.spread(first, order.Type.Shape))
	y := finding{of: rows.of}
	for which, x := range rows.at {
		least := c.nothing(which)
		if which == value {
			least = c.number(math.MinInt64)
		}
		y.at = append(y.at, c.reduced(OpMax, c.where(is, x, c.spread(least, x.Type.Shape))))
	}
	y.at = append(y.at, first)
	return y
}

// while has a while carry what the checks of its body have found, and count its iterations until then. The
// body, and the loop's last state, have the nodes of the condition that its checks are for once more.
func (c *checker) while(n *Node, inner []Checks) finding {
	cond, states := n.Body.Graph.Clone(), len(n.Body.More[0].Results)
	body, asks := inside(n.Body.More[0], &inner[1]), inside(n.Body.Graph, &inner[0])
	again := asks.end()
	asked := func(nodes []*Node) finding {
		f := finding{of: asks.found[0].of}
		for _, x := range asks.found[0].at {
			f.at = append(f.at, nodes[x.ID])
		}
		return f
	}
	found := body.found
	if len(asks.found) > 0 { // before the body
		found = append([]finding{asked(body.out.write(again, body.out.Params))}, found...)
	}
	now := body.earliest(found)

	var begin, condTakes, bodyTakes []*Node
	carry := func(which int, t types.Type, at callsite.Site) *Node {
		param := func() *Node { return &Node{Op: OpParameter, Type: t, Attrs: make([]Attr, 2), Loc: at} }
		c.loc = at
		condTakes, bodyTakes = append(condTakes, param()), append(bodyTakes, param())
		begin = append(begin, c.nothing(which))
		gives(n, t)
		return bodyTakes[len(bodyTakes)-1]
	}
	was := finding{of: now.of}
	for which, x := range now.at {
		was.at = append(was.at, carry(which, x.Type, now.of[0].Loc))
	}
	next := body.earliest([]finding{was, now})
	next.of = now.of
	body.loc = n.Loc
	count := carry(iteration, types.Of(types.I32), n.Loc)
	none := body.compare(next.at[number], "LT", body.number(0))
	next.at = append(next.at, body.op(OpAdd, count.Type, nil, count, body.converted(none, types.I32)))
	for _, x := range next.at {
		body.out.addResult(x)
	}
	cond.insert(states, condTakes)
	body.out.insert(states, bodyTakes)
	cond.rehash()
	n.In = slices.Insert(slices.Clone(n.In), states, begin...)
	n.Body.Graph, n.Body.More[0] = cond, body.end()
	c.add(n)

	y := c.results(n, next)
	if len(asks.found) == 0 {
		return y
	}
	var args []*Node
	for i := range states {
		args = append(args, c.result(n, i))
	}
	ended := asked(c.out.write(again, append(args, n.In[states+len(begin):]...)))
	ended.at = append(ended.at, y.at[len(y.at)-1])
	y = c.earliest([]finding{y, ended})
	y.of = now.of
	return y
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
