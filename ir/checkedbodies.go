package ir

import (
	"math"
	"slices"

	"ltc/internal/callsite"
	"ltc/ir/types"
)

// finding is what a check has found in a graph.
type finding struct {
	of *Check
	at []*Node // by least, most and iteration, of one shape
}

// These are the nodes of a finding. In a loop the elements are those of the first iteration that has one
// out of range.
const (
	least     = 0 // the least element
	most      = 1 // the largest; it is below the least if there is none
	iteration = 2 // and further ones: the iterations, as i32, that of the innermost loop first
)

// look returns what a check finds in n.
func (c *checker) look(n *Node, k *Check) finding {
	c.loc = k.Loc
	return finding{k, []*Node{c.reduced(OpMin, n), c.reduced(OpMax, n)}}
}

// nothing returns the scalar that a node of a finding is where there are no elements.
func (c *checker) nothing(which int, d types.DType) *Node {
	bits := 8 * d.Size()
	low, high := uint64(1)<<(bits-1), uint64(1)<<(bits-1)-1
	if !d.IsSigned() {
		low, high = 0, math.MaxUint64>>(64-bits)
	}
	switch which {
	case least:
		return c.constant(d, high)
	case most:
		return c.constant(d, low)
	}
	return c.constant(d, 0)
}

// outside returns whether a finding has elements out of range.
func (c *checker) outside(f finding) *Node {
	from, to := f.at[least], f.at[most]
	wide, shape := types.I64, from.Type.Shape
	if from.Type.DType == types.U64 {
		wide = types.U64
	}
	widen := func(n *Node) *Node {
		if n.Type.DType == wide {
			return n
		}
		return c.op(OpConvert, types.Type{DType: wide, Shape: shape}, []Attr{ConvertDType: {Int: int64(wide)}}, n)
	}
	out := c.compare(widen(to), "GE", c.spread(c.size(wide, f.of.Bound), shape))
	if wide == types.I64 {
		below := c.compare(widen(from), "LT", c.spread(c.number(int64(f.of.Low)), shape))
		out = c.op(OpOr, out.Type, nil, below, out)
	}
	if from == to {
		return out
	}
	return c.op(OpAnd, out.Type, nil, c.compare(from, "LE", to), out)
}

// or returns f, or g if f has no elements and g has some out of range.
func (c *checker) or(f, g finding) finding {
	c.loc = f.of.Loc
	none := c.compare(f.at[least], "GT", f.at[most])
	take := c.op(OpAnd, none.Type, nil, none, c.outside(g))
	y := finding{of: f.of}
	for i := range f.at {
		y.at = append(y.at, c.where(take, g.at[i], f.at[i]))
	}
	return y
}

// inside returns a checker of g, which a node of a branch or a loop calls or runs, whose graph has
// everything but further results.
func inside(g *Graph, checks *Checks) *checker {
	c := newChecker(g, checks)
	c.inside = true
	for i, n := range g.Nodes {
		c.node(n)
		for k := range checks.Own {
			if check := &checks.Own[k]; check.Of == n {
				c.found = append(c.found, c.look(c.last[i], check))
			}
		}
	}
	return c
}

// body adds n with further results, for the checks of the graphs that it calls or runs. Unless it is
// within another one, calls of the host follow.
func (c *checker) body(n *Node, inner []Checks) {
	body := *n.Body
	body.More = slices.Clone(body.More)
	n.Body = &body
	var found []finding
	switch n.Op {
	case OpCase:
		found = c.branches(n, inner)
	case OpWhile:
		found = c.while(n, inner)
	case OpScan:
		found = c.scan(n, &inner[0])
	default:
		found = c.composite(n, &inner[0])
	}
	if c.inside {
		c.found = append(c.found, found...)
		return
	}
	for _, f := range found {
		c.zeros[n] = append(c.zeros[n], c.call(f))
	}
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

// results returns the last results of n as findings of the form of found.
func (c *checker) results(n *Node, found []finding) []finding {
	i := len(n.Results())
	for _, f := range found {
		i -= len(f.at)
	}
	all := make([]finding, len(found))
	for k, f := range found {
		c.loc, all[k].of = f.of.Loc, f.of
		for range f.at {
			all[k].at = append(all[k].at, c.result(n, i))
			i++
		}
	}
	return all
}

func (g *Graph) addResult(n *Node) {
	g.Results, g.Alias = append(g.Results, n), append(g.Alias, -1)
}

// branches has the branch that runs give what its checks have found, and nothing for those of others.
func (c *checker) branches(n *Node, inner []Checks) []finding {
	var all []*checker
	for k, g := range n.Body.Graphs() {
		all = append(all, inside(g, &inner[k]))
	}
	var found []finding
	for _, of := range all {
		for _, f := range of.found {
			for which, x := range f.at {
				for _, b := range all {
					if b == of {
						b.out.addResult(x)
					} else {
						b.loc = f.of.Loc
						b.out.addResult(b.nothing(which, x.Type.DType))
					}
				}
				gives(n, x.Type)
			}
		}
		found = append(found, of.found...)
	}
	for k, b := range all {
		if g := b.end(); k == 0 {
			n.Body.Graph = g
		} else {
			n.Body.More[k-1] = g
		}
	}
	c.add(n)
	return c.results(n, found)
}

// composite has a composite give what the checks of its body have found.
func (c *checker) composite(n *Node, inner *Checks) []finding {
	b := inside(n.Body.Graph, inner)
	for _, f := range b.found {
		for _, x := range f.at {
			b.out.addResult(x)
			gives(n, x.Type)
		}
	}
	n.Body.Graph = b.end()
	c.add(n)
	return c.results(n, b.found)
}

// scan has a scan give what the checks of its body find in each iteration, as rows.
func (c *checker) scan(n *Node, inner *Checks) []finding {
	rows := types.Shape{int(n.Attrs[ScanIterations].Int)}
	b := inside(n.Body.Graph, inner)
	for _, f := range b.found {
		for _, x := range f.at {
			b.out.addResult(x)
			gives(n, types.Type{DType: x.Type.DType, Shape: rows})
		}
	}
	n.Body.Graph = b.end()
	c.add(n)
	c.loc = n.Loc
	order := c.op(OpIota, types.Type{DType: types.I32, Shape: rows}, []Attr{IotaDType: {Int: int64(types.I32)}, IotaShape: {Ints: rows}, IotaAxis: {}})
	if n.Attrs[ScanReverse].Int != 0 {
		order = c.op(OpReverse, order.Type, []Attr{ReverseAxes: {Ints: []int{0}}}, order)
	}
	found := c.results(n, b.found)
	for i := range found {
		found[i] = c.firstRow(found[i], order)
	}
	return found
}

// firstRow returns what rows of findings are in the first iteration that has elements out of range.
// order has the iteration of each row.
func (c *checker) firstRow(rows finding, order *Node) finding {
	c.loc = rows.of.Loc
	last := c.nothing(least, order.Type.DType) // which is no iteration
	first := c.reduced(OpMin, c.where(c.outside(rows), order, c.spread(last, order.Type.Shape)))
	is := c.compare(order, "EQ", c.spread(first, order.Type.Shape))
	y := finding{of: rows.of}
	for which, x := range rows.at {
		by := OpMax
		if which == least {
			by = OpMin
		}
		none := c.nothing(which, x.Type.DType)
		y.at = append(y.at, c.reduced(by, c.where(is, x, c.spread(none, x.Type.Shape))))
	}
	y.at = append(y.at, first)
	return y
}

// while has a while carry what the checks of its body have found, and count its iterations. The body, and
// the loop's last state, have the nodes of the condition that its checks are for once more.
func (c *checker) while(n *Node, inner []Checks) []finding {
	cond, states := n.Body.Graph.Clone(), len(n.Body.More[0].Results)
	body, asks := inside(n.Body.More[0], &inner[1]), inside(n.Body.Graph, &inner[0])
	again := asks.end()
	asked := func(nodes []*Node) (found []finding) {
		for _, f := range asks.found {
			y := finding{of: f.of}
			for _, x := range f.at {
				y.at = append(y.at, nodes[x.ID])
			}
			found = append(found, y)
		}
		return found
	}
	if len(asks.found) > 0 {
		body.found = append(body.found, asked(body.out.write(again, body.out.Params))...)
	}

	var begin, condTakes, bodyTakes []*Node
	carry := func(which int, t types.Type, at callsite.Site) *Node {
		param := func() *Node { return &Node{Op: OpParameter, Type: t, Attrs: make([]Attr, 2), Loc: at} }
		c.loc = at
		condTakes, bodyTakes = append(condTakes, param()), append(bodyTakes, param())
		begin = append(begin, c.nothing(which, t.DType))
		gives(n, t)
		return bodyTakes[len(bodyTakes)-1]
	}
	body.loc = n.Loc
	one := body.constant(types.I32, 1)
	count := carry(iteration, one.Type, n.Loc)
	body.out.addResult(body.op(OpAdd, one.Type, nil, count, one))
	var carried []finding
	for _, f := range body.found {
		f.at = append(f.at, count)
		was := finding{of: f.of}
		for which, x := range f.at {
			was.at = append(was.at, carry(which, x.Type, f.of.Loc))
		}
		next := body.or(was, f)
		for _, x := range next.at {
			body.out.addResult(x)
		}
		carried = append(carried, next)
	}
	cond.insert(states, condTakes)
	body.out.insert(states, bodyTakes)
	cond.rehash()
	n.In = slices.Insert(slices.Clone(n.In), states, begin...)
	n.Body.Graph, n.Body.More[0] = cond, body.end()
	c.add(n)

	found := c.results(n, carried)
	if len(asks.found) > 0 {
		ended := c.result(n, states)
		var args []*Node
		for i := range states {
			args = append(args, c.result(n, i))
		}
		last := found[len(found)-len(asks.found):]
		for i, f := range asked(c.out.write(again, append(args, n.In[states+len(begin):]...))) {
			f.at = append(f.at, ended)
			last[i] = c.or(last[i], f)
		}
	}
	return found
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
