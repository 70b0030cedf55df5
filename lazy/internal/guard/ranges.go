package guard

import (
	"math"

	"ltc/ir"
	"ltc/ir/dims"
	"ltc/ir/types"
)

// interval has the integers from low to high.
type interval struct{ low, high int64 }

func (a interval) union(b interval) interval {
	return interval{min(a.low, b.low), max(a.high, b.high)}
}

// full has all integers of a dtype: of u64 those that an i64 has, where the last stands for all above.
func full(d types.DType) interval {
	bits := 8 * d.Size()
	switch {
	case d == types.Bool:
		return interval{0, 1}
	case !d.IsInteger():
		return interval{math.MinInt64, math.MaxInt64}
	case d.IsSigned():
		return interval{-1 << (bits - 1), 1<<(bits-1) - 1}
	case bits == 64:
		return interval{0, math.MaxInt64}
	}
	return interval{0, 1<<bits - 1}
}

// ranges finds which integers nodes of a graph have, whatever the arguments of the program are.
type ranges struct {
	known map[*ir.Node]interval
	// within is that of the graph whose node caller calls or runs this one; nil of the program itself,
	// and of one that is the first to ask.
	within *ranges
	caller *ir.Node
	// condition says that the graph is that of a while.
	condition bool
	// carried has what each carry of a loop, whose graph this is, may be when an iteration begins;
	// nil if nobody has asked yet.
	carried []interval
	loops   map[*ir.Node][]interval // of loops of the graph: what carries may be when an iteration begins
	args    []interval              // of the program itself: what its arguments have; nil: anything
	met     []int                   // of args: those that were asked for
	spent   *int                    // on nodes of this graph and of those around it
}

// mostRanges is how many nodes of a graph are looked at, and mostSpent how many in all, as those of
// loops are looked at again and again.
const (
	mostRanges = 4096
	mostSpent  = 1 << 16
)

// outer returns that of the graph around.
func (r *ranges) outer() *ranges {
	if r.within == nil {
		r.within = &ranges{}
	}
	return r.within
}

// spend reports whether one more node may be looked at.
func (r *ranges) spend() bool {
	if r.spent == nil {
		if r.spent = new(int); r.caller != nil {
			r.outer().spend()
			r.spent = r.outer().spent
		}
	}
	*r.spent++
	return *r.spent < mostSpent && len(r.known) < mostRanges
}

// of returns an interval that has all elements of n.
func (r *ranges) of(n *ir.Node) interval {
	if in, ok := r.known[n]; ok {
		return in
	}
	in := full(n.Type.DType)
	if r.known == nil {
		r.known = map[*ir.Node]interval{}
	}
	if r.spend() {
		if found, ok := r.find(n); ok && found.low >= in.low && found.high <= in.high { // else it wraps around
			in = found
		}
	}
	r.known[n] = in
	return in
}

// find is of for a node whose op is known; ok is false if nothing is.
func (r *ranges) find(n *ir.Node) (in interval, ok bool) {
	switch noted := n.Value.(type) { // its operand is looked at
	case ir.Wrapped:
		return below(noted.Size)
	case ir.Bounded:
		low, _ := dims.Bounds(noted.Low)
		_, bound := dims.Bounds(noted.Bound)
		return interval{int64(low), int64(bound) - 1}, true
	}
	switch n.Op {
	case ir.OpConstant:
		x, ok := ir.WholeNumber(n.Type.DType, uint64(n.Attrs[ir.ConstantValue].Int))
		return interval{int64(x), int64(x)}, ok && n.Type.DType.IsInteger()
	case ir.OpSizeOf:
		low, high := dims.Bounds(int(n.Attrs[ir.SizeOfSize].Int))
		return interval{int64(low), int64(high)}, n.Type.DType.IsInteger()
	case ir.OpIota:
		return below(n.Type.Shape[n.Attrs[ir.IotaAxis].Int])
	case ir.OpArgMax:
		return below(n.In[0].Type.Shape[n.Attrs[ir.ArgMaxAxis].Int])
	case ir.OpArgSort:
		return below(n.In[0].Type.Shape[n.Attrs[ir.ArgSortAxis].Int])
	case ir.OpClampIndex:
		return below(int(n.Attrs[ir.ClampIndexRows].Int))
	case ir.OpResult:
		return r.result(n.In[0], int(n.Attrs[ir.ResultIndex].Int))
	case ir.OpComposite, ir.OpCase, ir.OpScan, ir.OpWhile:
		return r.result(n, 0)
	case ir.OpParameter:
		switch i := int(n.Attrs[ir.ParameterIndex].Int); {
		case r.caller != nil:
			return r.parameter(i)
		case r.args != nil:
			r.met = append(r.met, i)
			return r.args[i], n.Type.DType.IsInteger()
		}
	}
	if len(n.In) == 0 || !n.Type.DType.IsInteger() && n.Type.DType != types.Bool {
		return in, false
	}
	switch n.Op {
	case ir.OpReshape, ir.OpTranspose, ir.OpBroadcast, ir.OpSlice, ir.OpReverse, ir.OpStop, ir.OpBarrier, ir.OpGather, ir.OpDynamicSlice, ir.OpCounted:
		return r.of(n.In[0]), true
	case ir.OpConvert:
		from := n.In[0].Type.DType
		in = r.of(n.In[0])
		// What a u64 has above the largest i64 is a negative i64.
		return in, !from.IsFloat() && (from != types.U64 || n.Type.DType == types.U64 || in.high < math.MaxInt64)
	case ir.OpMax, ir.OpMin: // of no elements it is the dtype's least or largest
		return r.of(n.In[0]), dims.Static(n.In[0].Type.Shape) && n.In[0].Type.Elements() > 0
	case ir.OpConcatenate:
		in = r.of(n.In[0])
		for _, x := range n.In[1:] {
			in = in.union(r.of(x))
		}
		return in, true
	case ir.OpPad, ir.OpSliceScatter, ir.OpDynamicUpdateSlice:
		return r.of(n.In[0]).union(r.of(n.In[1])), true
	case ir.OpScatter:
		return r.of(n.In[0]).union(r.of(n.In[2])), n.Attrs[ir.ScatterCombine].Str == ir.CombineSet
	case ir.OpSum:
		return r.sum(n)
	case ir.OpWhere:
		return r.where(n), true
	}
	if len(n.In) != 2 || !n.Type.DType.IsInteger() {
		return in, false
	}
	return arithmetic(n.Op, r.of(n.In[0]), r.of(n.In[1]), n.Type.DType)
}

// below has the indices of n elements.
func below(n int) (interval, bool) {
	_, most := dims.Bounds(n)
	return interval{0, int64(most) - 1}, !dims.IsExpr(n) && n > 0
}

// result is of for a result of a node that has several, or calls a graph.
func (r *ranges) result(n *ir.Node, i int) (in interval, ok bool) {
	switch n.Op {
	case ir.OpSort:
		if i == 1 {
			return below(n.In[0].Type.Shape[n.Attrs[ir.SortAxis].Int])
		}
		return r.of(n.In[0]), true
	case ir.OpComposite:
		inner := &ranges{within: r, caller: n}
		return inner.of(n.Body.Graph.Results[i]), true
	case ir.OpCase:
		for k, g := range n.Body.Graphs() {
			inner := &ranges{within: r, caller: n}
			if of := inner.of(g.Results[i]); k == 0 {
				in = of
			} else {
				in = in.union(of)
			}
		}
		return in, true
	case ir.OpScan, ir.OpWhile:
		return r.ofLoop(n, i)
	}
	return in, false
}

// sum is of for a sum over axes.
func (r *ranges) sum(n *ir.Node) (interval, bool) {
	x := n.In[0]
	if !dims.Static(x.Type.Shape) || x.Type.Elements() == 0 {
		return interval{}, false
	}
	in, times := r.of(x), int64(x.Type.Elements()/n.Type.Elements())
	if max(in.high, -in.low) > math.MaxInt64/2/times {
		return interval{}, false
	}
	return interval{in.low * times, in.high * times}, true
}

// where is of for the choice between two nodes. A comparison of one of these with a number says which
// elements are taken.
func (r *ranges) where(n *ir.Node) interval {
	cond, yes, no := n.In[0], r.of(n.In[1]), r.of(n.In[2])
	if y := divisor(n); y != nil {
		if by := r.of(y); by.low > 0 && by.high < math.MaxInt64 {
			return interval{0, by.high - 1}
		}
	}
	for cond.Op == ir.OpBroadcast {
		cond = cond.In[0]
	}
	if cond.Op != ir.OpCompare {
		return yes.union(no)
	}
	x, at := cond.In[0], r.of(cond.In[1])
	if at.low != at.high {
		return yes.union(no)
	}
	var less, more interval // x where it is below, or not below
	switch all := r.of(x); cond.Attrs[ir.CompareDirection].Str {
	case "LT", "GE":
		less, more = interval{all.low, min(all.high, at.low-1)}, interval{max(all.low, at.low), all.high}
	case "LE", "GT":
		less, more = interval{all.low, min(all.high, at.low)}, interval{max(all.low, at.low+1), all.high}
	default:
		return yes.union(no)
	}
	if d := cond.Attrs[ir.CompareDirection].Str; d == "GE" || d == "GT" {
		less, more = more, less
	}
	return r.given(n.In[1], x, less, yes).union(r.given(n.In[2], x, more, no))
}

// divisor returns y if n is the remainder of x/y with the sign of y, which Remainder records; else nil.
func divisor(n *ir.Node) *ir.Node {
	rem, sum, cond := n.In[2], n.In[1], n.In[0]
	compares := func(c, x *ir.Node, direction string) bool {
		return c.Op == ir.OpCompare && c.In[0] == x && c.Attrs[ir.CompareDirection].Str == direction
	}
	if rem.Op != ir.OpRem || sum.Op != ir.OpAdd || sum.In[0] != rem || sum.In[1] != rem.In[1] || cond.Op != ir.OpAnd {
		return nil
	}
	signs := cond.In[1]
	if !compares(cond.In[0], rem, "NE") || signs.Op != ir.OpCompare || !compares(signs, signs.In[0], "NE") ||
		!compares(signs.In[0], rem, "LT") || !compares(signs.In[1], rem.In[1], "LT") {
		return nil
	}
	return rem.In[1]
}

// given returns the elements of n where x has those of in, if n is x or x with a number added; else all.
// Of no elements it has one of all.
func (r *ranges) given(n, x *ir.Node, in, all interval) interval {
	if in.low > in.high {
		return interval{all.low, all.low}
	}
	switch {
	case n == x:
		return in
	case n.Op == ir.OpAdd && n.In[0] == x, n.Op == ir.OpSub && n.In[0] == x:
		if sum, ok := arithmetic(n.Op, in, r.of(n.In[1]), n.Type.DType); ok {
			if f := full(n.Type.DType); sum.low >= f.low && sum.high <= f.high {
				return sum
			}
		}
	}
	return all
}

// arithmetic returns an interval that has the results of an op for operands of intervals.
func arithmetic(op ir.Op, x, y interval, d types.DType) (in interval, ok bool) {
	const most = 1 << 31 // products of these fit, and so do their sums
	if op == ir.OpMaximum {
		return interval{max(x.low, y.low), max(x.high, y.high)}, true
	}
	if op == ir.OpMinimum {
		return interval{min(x.low, y.low), min(x.high, y.high)}, true
	}
	if op == ir.OpRem && y.low > 0 && y.high < math.MaxInt64 { // the sign is that of x
		in = interval{max(x.low, 1-y.high), min(x.high, y.high-1)}
		if x.low >= 0 {
			in.low = 0
		}
		if x.high <= 0 {
			in.high = 0
		}
		return in, true
	}
	if min(x.low, y.low) < -most || max(x.high, y.high) > most {
		return in, false
	}
	switch op {
	case ir.OpAdd:
		return interval{x.low + y.low, x.high + y.high}, true
	case ir.OpSub:
		return interval{x.low - y.high, x.high - y.low}, true
	case ir.OpMul:
		a, b, c, e := x.low*y.low, x.low*y.high, x.high*y.low, x.high*y.high
		return interval{min(a, b, c, e), max(a, b, c, e)}, true
	case ir.OpDiv:
		if y.low > 0 {
			a, b, c, e := x.low/y.low, x.low/y.high, x.high/y.low, x.high/y.high
			return interval{min(a, b, c, e), max(a, b, c, e)}, true
		}
	case ir.OpAnd:
		if x.low >= 0 && y.low >= 0 {
			return interval{0, min(x.high, y.high)}, true
		}
	}
	return in, false
}
