package guard

import (
	"math"
	"slices"

	"ltc/internal/callsite"
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

// loopsAround returns the lines of the loops that the graph is in, the innermost first.
func (r *ranges) loopsAround() (all []callsite.Site) {
	for ; r != nil && r.caller != nil; r = r.within {
		if r.caller.Op == ir.OpScan || r.caller.Op == ir.OpWhile {
			all = append(all, r.caller.Loc)
		}
	}
	return all
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
			r.carried = r.outer().iterating(r.caller, r.carried)
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

// mostRounds is how often the body of a loop is looked at, until nothing is known of its carries.
const mostRounds = 8

// fewRounds is how often a bound that an iteration moves is where it has moved: elements that are written from a
// range, such as that of ArgMax, are then in it.
const fewRounds = 2

// began returns what the carries of a loop may be when an iteration begins, and of a while in the end.
func (r *ranges) began(n *ir.Node) []interval {
	if all, ok := r.loops[n]; ok {
		return all
	}
	first, all := make([]interval, carriesOf(n)), make([]interval, carriesOf(n))
	for k := range all {
		first[k] = r.of(n.In[k])
		all[k] = first[k]
	}
	// A bound that iterations move may be anything, until one iteration stays within all bounds.
	for round, moved := 0, true; moved; round++ {
		moved = false
		for k, next := range r.next(n, all) {
			whole := full(n.In[k].Type.DType)
			if round < fewRounds {
				whole = all[k].union(next)
			}
			if next.low < all[k].low || round == mostRounds && all[k].low > whole.low {
				all[k].low, moved = whole.low, true
			}
			if next.high > all[k].high || round == mostRounds && all[k].high < whole.high {
				all[k].high, moved = whole.high, true
			}
		}
	}
	if times, ok := r.times(n, all); ok {
		last := times // what a while ends with, too
		if n.Op == ir.OpScan {
			last--
		}
		r.count(n, all, times, last)
	}
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

// times returns a number that a loop has no more iterations than, if they begin with these carries: of a
// while, the least that a counter tells. false if nothing is known.
func (r *ranges) times(n *ir.Node, carried []interval) (times int64, ok bool) {
	if n.Op == ir.OpScan {
		return mostIterations(n), true
	}
	goes := r.whileTrue(n, carried)
	inner := &ranges{within: r, caller: n, carried: goes}
	for k := range carried {
		first, whole := r.of(n.In[k]), full(n.In[k].Type.DType)
		by := added(n, k)
		if by == nil || first.low < -mostCounted || goes[k].high > mostCounted {
			continue
		}
		if step := inner.of(by); step.low > 0 && step.high <= mostCounted && goes[k].high+step.high <= whole.high { // it does not wrap around
			if t := max(0, (goes[k].high-first.low)/step.low+1); !ok || t < times {
				times, ok = t, true
			}
		}
	}
	return times, ok
}

// mostCounted bounds what carries are counted from and by: products of it fit.
const mostCounted = 1 << 31

// added returns what each iteration of a loop adds to an integer that it carries; nil if it does something else.
func added(n *ir.Node, k int) *ir.Node {
	body := bodyOf(n)
	sum, carry := body.Results[k], body.Params[len(body.Params)-len(n.In)+k]
	switch {
	case sum.Op != ir.OpAdd || !sum.Type.DType.IsInteger():
	case sum.In[0] == carry:
		return sum.In[1]
	case sum.In[1] == carry:
		return sum.In[0]
	}
	return nil
}

// count narrows carries that each iteration adds numbers to, to what they are after as many iterations as
// last, or fewer. The loop has no more iterations than times.
func (r *ranges) count(n *ir.Node, all []interval, times, last int64) {
	inner := &ranges{within: r, caller: n, carried: slices.Clone(all)}
	for k := range all {
		by := added(n, k)
		if by == nil {
			continue
		}
		first, step, whole := r.of(n.In[k]), inner.of(by), full(n.In[k].Type.DType)
		if min(first.low, step.low) < -mostCounted || max(first.high, step.high, times) > mostCounted {
			continue
		}
		low, high := first.low+min(0, step.low*times), first.high+max(0, step.high*times)
		if low >= whole.low && high <= whole.high { // else it wraps around
			low, high = first.low+min(0, step.low*max(last, 0)), first.high+max(0, step.high*max(last, 0))
			all[k] = interval{max(all[k].low, low), min(all[k].high, high)}
		}
	}
}

// iterating returns which of these carries the iterations of a while begin with.
func (r *ranges) iterating(n *ir.Node, carried []interval) []interval {
	all := r.whileTrue(n, carried)
	if times, ok := r.times(n, carried); ok {
		r.count(n, all, times, times-1)
	}
	return all
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
