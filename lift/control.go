package lift

import (
	"slices"

	"ltc/ir"
	"ltc/ir/types"
	"ltc/mlir"
	"ltc/stablehlo"
)

// branches records an if or a case.
func branches(r *recorder, op *mlir.Op, in []*ir.Node) []*ir.Node {
	all := make([]*recorder, len(op.Regions))
	results := make([][]*ir.Node, len(op.Regions))
	for i, region := range op.Regions {
		all[i] = r.region()
		results[i] = all[i].block(region.Blocks[0], nil)
	}
	taken := union(all...)
	body := bodies(all, results, taken, make([][]*ir.Node, len(all)))
	return r.results(ir.OpCase, slices.Concat(in[:1], taken), nil, body)
}

// union are the nodes that regions take from outside.
func union(regions ...*recorder) []*ir.Node {
	var all []*ir.Node
	seen := map[*ir.Node]bool{}
	for _, g := range regions {
		for _, n := range g.taken {
			if !seen[n] {
				seen[n] = true
				all = append(all, n)
			}
		}
	}
	return all
}

// bodies returns the graphs of regions, whose parameters are the formal ones of each, and
// then those for taken.
func bodies(regions []*recorder, results [][]*ir.Node, taken []*ir.Node, formal [][]*ir.Node) *ir.Composite {
	body := &ir.Composite{}
	for i, g := range regions {
		params := slices.Clone(formal[i])
		for _, n := range taken {
			params = append(params, g.take(n))
		}
		graph := g.capture("", params, results[i])
		if i == 0 {
			body.Graph = graph
		} else {
			body.More = append(body.More, graph)
		}
	}
	return body
}

// while records a loop: as a scan, which has a gradient, if it counts to a number.
func while(r *recorder, op *mlir.Op, in []*ir.Node) []*ir.Node {
	if c, ok := counterOf(op); ok {
		return r.scan(op, in, c)
	}
	cond, body := r.region(), r.region()
	formal := [][]*ir.Node{cond.parameters(in), body.parameters(in)}
	results := [][]*ir.Node{cond.block(op.Regions[0].Blocks[0], formal[0]), body.block(op.Regions[1].Blocks[0], formal[1])}
	taken := union(cond, body)
	return r.results(ir.OpWhile, slices.Concat(in, taken), nil, bodies([]*recorder{cond, body}, results, taken, formal))
}

// counter is a part of a loop's state that goes from 0 to a number, one at a time.
type counter struct{ at, iterations int }

// counterOf returns the counter by which a loop ends, if it has one.
func counterOf(op *mlir.Op) (c counter, ok bool) {
	cond, body := op.Regions[0].Blocks[0], op.Regions[1].Blocks[0]
	if len(cond.Ops) == 0 {
		return c, false
	}
	end := cond.Ops[len(cond.Ops)-1].Operands[0].Def
	if end == nil || end.Code != stablehlo.Compare || stablehlo.AsCompare(end).ComparisonDirection() != "LT" {
		return c, false
	}
	c.at = slices.Index(cond.Args, end.Operands[0])
	most, known := number(end.Operands[1])
	if c.at < 0 || !known || most < 0 || most > 1<<31-1 {
		return c, false
	}
	c.iterations = int(most)
	if first, known := number(op.Operands[c.at]); !known || first != 0 {
		return c, false
	}
	next := body.Ops[len(body.Ops)-1].Operands[c.at].Def
	if next == nil || next.Code != stablehlo.Add {
		return c, false
	}
	step := next.Operands[1]
	if next.Operands[0] != body.Args[c.at] {
		if step = next.Operands[0]; next.Operands[1] != body.Args[c.at] {
			return c, false
		}
	}
	by, known := number(step)
	t, why := typeOf(next.Results[0].Type)
	return c, known && by == 1 && why == "" && t.DType.IsInteger() && t.Rank() == 0
}

// scan records a loop with a counter. What the loop does not change is no carry.
func (r *recorder) scan(op *mlir.Op, in []*ir.Node, c counter) []*ir.Node {
	block := op.Regions[1].Blocks[0]
	last := block.Ops[len(block.Ops)-1].Operands
	var carried []int
	for i := range in {
		if i != c.at && last[i] != block.Args[i] {
			carried = append(carried, i)
		}
	}
	body := r.region()
	iteration := body.parameter(types.Of(types.I32))
	formal, args := one(iteration), make([]*ir.Node, len(in))
	args[c.at] = body.to(in[c.at].Type.DType, iteration)
	init := make([]*ir.Node, len(carried))
	for k, i := range carried {
		init[k], args[i] = in[i], body.parameter(in[i].Type)
		formal = append(formal, args[i])
	}
	for i := range in {
		if args[i] == nil {
			args[i] = body.take(in[i])
		}
	}
	next := body.block(block, args)
	results := make([]*ir.Node, len(carried))
	for k, i := range carried {
		results[k] = next[i]
	}
	out := slices.Clone(in)
	out[c.at] = r.scalar(in[c.at].Type.DType, float64(c.iterations))
	if len(carried) == 0 {
		return out
	}
	graph := bodies([]*recorder{body}, [][]*ir.Node{results}, body.taken, [][]*ir.Node{formal})
	ends := r.results(ir.OpScan, slices.Concat(init, body.taken), []ir.Attr{{Int: int64(c.iterations)}, {}, {Int: int64(len(carried))}, {}, {}}, graph)
	for k, i := range carried {
		out[i] = ends[k]
	}
	return out
}
