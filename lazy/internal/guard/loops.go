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

// assumption says of elements of arguments that loops begin with that they are in an interval.
type assumption struct {
	in   interval
	met  []int // the arguments that it was needed of
	none []int // arguments that it is not said of
}

// assumedFor returns the arguments of the program of which all elements are to be in range so that the
// indices of x, a node of a loop, are; nil if that is not enough. A loop that generates tokens begins with
// some and writes a cache. With a call of the host behind it the run would copy the cache, as a run that
// fails writes nothing.
func (r *ranges) assumedFor(x *Index) (args []int) {
	holds := func(a *assumption) bool { return x.contains(r.assuming(a).of(x.of)) }
	all := assumption{in: x.within()}
	if !holds(&all) || len(all.met) == 0 {
		return nil
	}
	var none []int
	for _, arg := range all.met {
		if without := append(slices.Clone(none), arg); len(all.met) > 1 && holds(&assumption{in: all.in, none: without}) {
			none = without
		} else {
			args = append(args, arg)
		}
	}
	return args
}

// assuming returns r where loops of the program itself begin so.
func (r *ranges) assuming(a *assumption) *ranges {
	if r.caller == nil {
		return &ranges{assumed: a}
	}
	return &ranges{within: r.outer().assuming(a), caller: r.caller, condition: r.condition}
}

// begins returns what n may be, an operand that a loop begins with.
func (r *ranges) begins(n *ir.Node) interval {
	in, a := r.of(n), r.assumed
	if a == nil || !n.Type.DType.IsInteger() || in.low >= a.in.low && in.high <= a.in.high {
		return in
	}
	arg := argumentOf(n)
	if arg < 0 || slices.Contains(a.none, arg) {
		return in
	}
	if !slices.Contains(a.met, arg) {
		a.met = append(a.met, arg)
	}
	return a.in
}

// argumentOf returns the argument that n, a node of the program itself, has elements of; -1 if there is none.
func argumentOf(n *ir.Node) int {
	for moves(n) || widens(n) || n.Op == ir.OpSlice || n.Op == ir.OpDynamicSlice {
		n = n.In[0]
	}
	if n.Op != ir.OpParameter {
		return -1
	}
	return int(n.Attrs[ir.ParameterIndex].Int)
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
		first[k] = r.begins(n.In[k])
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
