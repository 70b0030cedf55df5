package guard

import (
	"math"
	"slices"

	"ltc/ir"
	"ltc/ir/dims"
	"ltc/ir/types"
)

// parameter is of for a parameter of a graph that r.caller calls or runs.
func (r *ranges) parameter(i int) (interval, bool) {
	n := r.caller
	switch n.Op {
	case ir.OpScan:
		if i == 0 {
			return interval{0, max(mostIterations(n)-1, 0)}, true
		}
		i--
		if i < carriesOf(n) {
			return r.carry(i), true
		}
	case ir.OpCase:
		i++
	case ir.OpWhile:
		if i < carriesOf(n) {
			return r.carry(i), true
		}
	}
	return r.outer().of(n.In[i]), true
}

// mostIterations returns a number that a scan has no more iterations than.
func mostIterations(n *ir.Node) int64 {
	iterations := n.Attrs[ir.ScanIterations].Int
	if dims.IsExpr(iterations) {
		return math.MaxInt32
	}
	return iterations
}

// carriesOf returns how many operands, the first, a loop carries.
func carriesOf(n *ir.Node) int {
	if n.Op == ir.OpScan {
		return int(n.Attrs[ir.ScanCarries].Int)
	}
	return len(n.Body.More[0].Results)
}

// bodyOf returns what a loop runs in each iteration.
func bodyOf(n *ir.Node) *ir.Graph {
	if n.Op == ir.OpWhile {
		return n.Body.More[0]
	}
	return n.Body.Graph
}

// carry returns what a carry of the loop may be when an iteration begins.
func (r *ranges) carry(i int) interval {
	if r.carried == nil {
		r.carried = r.outer().began(r.caller)
		if r.caller.Op == ir.OpWhile && !r.condition {
			r.carried = r.outer().whileTrue(r.caller, r.carried)
		}
	}
	return r.carried[i]
}

// ofLoop is of for a result of a loop.
func (r *ranges) ofLoop(n *ir.Node, i int) (interval, bool) {
	began := r.began(n)
	if n.Op == ir.OpWhile {
		return began[i], true // as the iteration that does not begin has it
	}
	inner := &ranges{within: r, caller: n, carried: began}
	in := inner.of(n.Body.Graph.Results[i])
	if i < len(began) {
		in = in.union(r.of(n.In[i]))
	}
	return in, true
}

// assuming returns r for loops that begin with elements of arguments which are in an interval. A loop that
// generates tokens begins with some and writes a cache. With a call of the host behind it the run would
// copy the cache, as a run that fails writes nothing.
func (r *ranges) assuming(in interval) *ranges {
	if r.caller == nil {
		return &ranges{assumed: &in}
	}
	return &ranges{within: r.outer().assuming(in), caller: r.caller, condition: r.condition}
}

// isArgument reports whether n, a node of the program itself, has elements of an argument.
func isArgument(n *ir.Node) bool {
	for moves(n) || widens(n) || n.Op == ir.OpSlice || n.Op == ir.OpDynamicSlice {
		n = n.In[0]
	}
	return n.Op == ir.OpParameter
}

// mostRounds is how often the body of a loop is looked at, until nothing is known of its carries.
const mostRounds = 8

// began returns what the carries of a loop may be when an iteration begins, and of a while in the end.
func (r *ranges) began(n *ir.Node) []interval {
	if all, ok := r.loops[n]; ok {
		return all
	}
	first, all := make([]interval, carriesOf(n)), make([]interval, carriesOf(n))
	for k := range all {
		if first[k] = r.of(n.In[k]); r.assumed != nil && n.In[k].Type.DType.IsInteger() && isArgument(n.In[k]) {
			first[k] = *r.assumed
		}
		all[k] = first[k]
	}
	// A bound that an iteration moves may be anything, until one iteration stays within all bounds.
	for round, moved := 0, true; moved; round++ {
		moved = false
		for k, next := range r.next(n, all) {
			whole := full(n.In[k].Type.DType)
			if next.low < all[k].low || round == mostRounds && all[k].low > whole.low {
				all[k].low, moved = whole.low, true
			}
			if next.high > all[k].high || round == mostRounds && all[k].high < whole.high {
				all[k].high, moved = whole.high, true
			}
		}
	}
	r.count(n, first, all)
	// What iterations begin with is what the first has, or what an iteration that began so gives.
	for range 2 {
		for k, next := range r.next(n, all) {
			next = next.union(first[k])
			all[k] = interval{max(all[k].low, next.low), min(all[k].high, next.high)}
		}
	}
	if r.loops == nil {
		r.loops = map[*ir.Node][]interval{}
	}
	r.loops[n] = all
	return all
}

// next returns what an iteration gives as carries that has these.
func (r *ranges) next(n *ir.Node, carried []interval) []interval {
	if n.Op == ir.OpWhile {
		carried = r.whileTrue(n, carried)
		if slices.ContainsFunc(carried, func(in interval) bool { return in.low > in.high }) {
			return nil // there is no iteration
		}
	}
	inner, all := &ranges{within: r, caller: n, carried: carried}, make([]interval, len(carried))
	for k := range all {
		all[k] = inner.of(bodyOf(n).Results[k])
	}
	return all
}

// count narrows carries that each iteration of a scan adds numbers to: to what so many iterations can.
func (r *ranges) count(n *ir.Node, first, all []interval) {
	if n.Op != ir.OpScan {
		return
	}
	const most = 1 << 31
	times, body := mostIterations(n), n.Body.Graph
	inner := &ranges{within: r, caller: n, carried: slices.Clone(all)}
	for k, sum := range body.Results[:len(all)] {
		d := n.In[k].Type.DType
		if whole := full(d); !d.IsInteger() || sum.Op != ir.OpAdd || all[k].low > whole.low && all[k].high < whole.high {
			continue
		}
		carry, by := sum.In[0], sum.In[1]
		if carry != body.Params[1+k] {
			carry, by = by, carry
		}
		step := inner.of(by)
		if carry != body.Params[1+k] || min(first[k].low, step.low) < -most || max(first[k].high, step.high) > most {
			continue
		}
		low, high := first[k].low+min(0, step.low*times), first[k].high+max(0, step.high*times)
		if whole := full(d); low >= whole.low && high <= whole.high { // else it wraps around
			all[k] = interval{first[k].low + min(0, step.low*(times-1)), first[k].high + max(0, step.high*(times-1))}
		}
	}
}

// whileTrue returns which of these carries the condition of a while holds for.
func (r *ranges) whileTrue(n *ir.Node, carried []interval) []interval {
	carried = slices.Clone(carried)
	cond := &ranges{within: r, caller: n, carried: carried}
	cond.holds(n.Body.Graph.Results[0], slices.Clone(carried))
	return cond.carried
}

// holds narrows the carries, which were all, to those that a condition on them holds for.
func (r *ranges) holds(cond *ir.Node, all []interval) {
	switch cond.Op {
	case ir.OpAnd:
		r.holds(cond.In[0], all)
		r.holds(cond.In[1], all)
	case ir.OpCompare:
		by := &ranges{within: r.within, caller: r.caller, carried: all}
		direction := cond.Attrs[ir.CompareDirection].Str
		r.compares(cond.In[0], by.of(cond.In[1]), cond.In[1].Type.DType, direction)
		r.compares(cond.In[1], by.of(cond.In[0]), cond.In[0].Type.DType, mirrored[direction])
	}
}

// mirrored has the direction of a comparison of swapped operands.
var mirrored = map[string]string{"LT": "GT", "LE": "GE", "GT": "LT", "GE": "LE", "EQ": "EQ"}

// compares narrows x, if it is a carry, to what compares so with a number that is in by.
func (r *ranges) compares(x *ir.Node, by interval, d types.DType, direction string) {
	for widens(x) {
		x = x.In[0]
	}
	if x.Op != ir.OpParameter || !d.IsInteger() {
		return
	}
	k := int(x.Attrs[ir.ParameterIndex].Int)
	if k >= len(r.carried) {
		return
	}
	in := &r.carried[k]
	if bounded := d != types.U64 || by.high < math.MaxInt64; bounded { // else it stands for all above
		switch direction {
		case "LT":
			in.high = min(in.high, max(by.high, math.MinInt64+1)-1)
		case "LE", "EQ":
			in.high = min(in.high, by.high)
		}
	}
	switch direction {
	case "GT":
		in.low = max(in.low, min(by.low, math.MaxInt64-1)+1)
	case "GE", "EQ":
		in.low = max(in.low, by.low)
	}
}
