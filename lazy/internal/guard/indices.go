package guard

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"ltc/backends"
	"ltc/internal/callsite"
	"ltc/internal/diag"
	"ltc/ir"
	"ltc/ir/dims"
	"ltc/ir/types"
	"ltc/lazy/internal/memory"
	"ltc/soa"
)

// Index says that indices of an op are to be from Low up to, and without, Bound.
type Index struct {
	Op       string       // the mnemonic of the user's call
	Operands []types.Type // of the call
	Name     string       // of the integers, as of an [ir.Bounded]; "" for indices
	Counts   ir.Counts    // of an [ir.Bounded]: the bounds are one count
	At       callsite.Site
	Low      int
	Bound    int

	of       *ir.Node // the indices, in some order
	arg      int      // the argument that they are elements of; -1: the program computes them
	other    *int64   // an element of the indices that is none, as the label of rows that do not count
	parts    []part   // what slices take of the argument, the first slice last
	assumed  bool     // whether the program shows that they are in range for some arguments
	unsigned bool     // they are u64
	labels   bool     // of a loss: they choose classes

	loops []callsite.Site // around the op if the program looks at its indices, the innermost first
}

// part is what a slice takes of a tensor.
type part struct{ starts, steps, shape []int }

// Indices are those of a program that some arguments may have out of range.
type Indices struct {
	All     []Index  // OutOfRange has the number
	Assumed *Assumed // nil: none depends on arguments so
}

// IndicesOf returns what the indices of g's ops are to be, but of those that are in range whatever the
// arguments are. The program is g with calls of the host that look at indices which g computes: it fails
// with an [*OutOfRange]. Indices that are elements of arguments are for [Index.Look] if arguments is set.
// Without midst the program is g. With every set the calls also look at indices that the sizes of g show to be
// in range: those of other sizes may not. Indices of loops that depend on arguments have no call where it would
// have the run copy what it donates: they are for [Assumed].
func IndicesOf(g *ir.Graph, arguments, midst, every bool) (all Indices, program *ir.Graph) {
	s := search{arguments: arguments, midst: midst, every: every, graph: g, donates: slices.ContainsFunc(g.Alias, func(a int) bool { return a >= 0 })}
	s.open = slices.ContainsFunc(g.Params, func(p *ir.Node) bool { return dims.HasExpr(p.Type.Shape...) })
	checks := s.in(g, nil)
	for i := range s.all {
		s.all[i].of = nil // which may be used again
	}
	if all.All = s.all; s.locations != nil {
		all.Assumed = s.assumed(g, &checks)
		checks = checks.Only(func(k *ir.Check) bool { return !s.all[k.Number].assumed })
	}
	if !checks.Any() {
		return all, g
	}
	found := checks // allocated only here: every step comes by
	return all, g.Checked(&found)
}

// search finds indices.
type search struct {
	graph            *ir.Graph // the program
	arguments, midst bool
	every            bool // sizes of the graph show nothing
	donates          bool // the program writes over arguments
	open             bool // arguments have sizes that are open
	all              []Index
	locations        []location // of those that depend on arguments
	depends          []int      // the arguments
}

// in returns the checks of g, which a node of another graph may call or run.
func (s *search) in(g *ir.Graph, r *ranges) (checks ir.Checks) {
	for _, n := range g.Nodes {
		if n.Body != nil && calls(n) {
			s.within(g, n, r, &checks)
		}
		k := n.IndexOperand()
		if k < 0 {
			continue
		}
		x, ok := indexOf(n, k)
		// Sizes that are open without open arguments are counts of data. Counts themselves, noted at a Where, are checked.
		if !ok || dims.IsExpr(x.Bound) && !s.open && n.Op != ir.OpWhere {
			continue
		}
		if _, in := x.of.Value.(ir.InRange); in { // what it is made of is looked at
			continue
		}
		if x.resolve(r); x.arg >= 0 && s.arguments && !dims.HasExpr(x.Low, x.Bound) {
			s.all = append(s.all, x)
			continue
		}
		if x.arg = -1; !s.midst || !s.open && !dims.Static(x.of.Type.Shape) {
			continue
		}
		if r == nil {
			r = &ranges{}
		}
		if !s.every && x.contains(r.of(x.of)) || isPlace(x.of, x.Bound) {
			continue
		}
		if x.loops, x.unsigned = r.loopsAround(), x.of.Type.DType == types.U64; s.donates && len(x.loops) > 0 {
			s.assume(&x, r)
		}
		checks.Own = append(checks.Own, ir.Check{Of: x.of, By: n, Host: hostName, Number: len(s.all), Low: x.Low, Bound: x.Bound, Loc: n.Loc})
		s.all = append(s.all, x)
	}
	return checks
}

// assume notes whether x, an index in loops, is in range for some arguments. A program that
// calls functions of the host looks at it in its midst, as it may not run twice.
func (s *search) assume(x *Index, r *ranges) {
	l := location{x.of, x.within(), r.callers()}
	args := l.assumes(s.graph)
	if x.assumed = len(args) > 0 && !callsHost(s.graph); !x.assumed {
		return
	}
	s.locations = append(s.locations, l)
	for _, i := range args {
		if !slices.Contains(s.depends, i) {
			s.depends = append(s.depends, i)
		}
	}
}

// within returns the indices that are in range.
func (x *Index) within() interval {
	bound, _ := dims.Bounds(x.Bound) // the least
	_, low := dims.Bounds(x.Low)     // the largest
	return interval{int64(low), int64(bound) - 1}
}

// contains reports whether all of an interval are in range.
func (x *Index) contains(in interval) bool {
	is := x.within()
	return in.low >= is.low && in.high <= is.high
}

// isPlace reports whether n has indices of an axis of the size, which may be an expression.
func isPlace(n *ir.Node, size int) bool {
	for moves(n) || widens(n) || n.Op == ir.OpSlice {
		n = n.In[0]
	}
	switch n.Op {
	case ir.OpIota:
		return n.Type.Shape[n.Attrs[ir.IotaAxis].Int] == size
	case ir.OpArgMax:
		return n.In[0].Type.Shape[n.Attrs[ir.ArgMaxAxis].Int] == size
	case ir.OpArgSort:
		return n.In[0].Type.Shape[n.Attrs[ir.ArgSortAxis].Int] == size
	case ir.OpResult:
		sort := n.In[0]
		return sort.Op == ir.OpSort && n.Attrs[ir.ResultIndex].Int == 1 && sort.In[0].Type.Shape[sort.Attrs[ir.SortAxis].Int] == size
	}
	return false
}

// within adds the checks of the graphs that n, a node of g, calls or runs.
func (s *search) within(g *ir.Graph, n *ir.Node, r *ranges, checks *ir.Checks) {
	if n.Op == ir.OpScan {
		if i := slices.IndexFunc(g.Nodes, func(w *ir.Node) bool { return w.Widens(n) }); i >= 0 { // which is looked at
			if checks.Instead == nil {
				checks.Instead = map[*ir.Node]*ir.Node{}
			}
			checks.Instead[n] = g.Nodes[i]
			return
		}
	}
	inner := make([]ir.Checks, 1+len(n.Body.More))
	for k, body := range n.Body.Graphs() {
		inner[k] = s.in(body, &ranges{within: r, caller: n, condition: n.Op == ir.OpWhile && k == 0})
	}
	checks.Within(n, inner)
}

// calls reports whether n calls or runs graphs that may have indices of the user.
func calls(n *ir.Node) bool {
	return n.Op != ir.OpComposite || n.Body.OfClosure() || !strings.HasPrefix(n.Body.Name, "ltc.")
}

// indexOf returns what the indices of a node, its operand k, are to be; false if there are none.
func indexOf(n *ir.Node, k int) (x Index, ok bool) {
	x = Index{At: n.Loc, arg: -1, Op: n.Op.String(), of: n.In[k]}
	call, _ := n.Value.(*ir.Called)
	switch n.Op {
	case ir.OpGather:
		x.Bound = n.In[0].Type.Shape[n.Attrs[ir.GatherAxis].Int]
	case ir.OpScatter:
		x.Bound = n.In[0].Type.Shape[n.Attrs[ir.ScatterAxis].Int]
		if x.of.Op == ir.OpClampIndex { // the gradient of a gather, which may not be in the program itself
			x.of, x.Op = x.of.In[0], ir.OpGather.String()
			x.Operands = []types.Type{n.Type, x.of.Type}
		}
	case ir.OpCompare: // of labels with the classes
		x.Bound = n.Type.Shape[n.Type.Rank()-1]
		x.Operands = []types.Type{unconverted(x.of).Type}
	case ir.OpWhere:
		if b, ok := n.Value.(ir.Bounded); ok {
			call, x.Name, x.Counts, x.Low, x.Bound = b.Call, b.Name, b.Counts, b.Low, b.Bound
			break
		}
		w := n.Value.(ir.Wrapped)
		call, x.Low, x.Bound = w.Call, -w.Size, w.Size
		if i := unconverted(x.of); w.Unsigned && i.Op == ir.OpConvert {
			x.of, x.Low = i.In[0], 0
		}
		x.Operands = []types.Type{unconverted(x.of).Type}
	}
	if call != nil {
		x.Op = call.Op
		if call.Operands != nil {
			x.Operands = call.Operands
		}
	}
	if x.Operands == nil {
		for _, in := range n.In {
			x.Operands = append(x.Operands, in.Type)
		}
	}
	if dims.Static(x.of.Type.Shape) && x.of.Type.Elements() == 0 { // a broadcast to no elements takes none
		return x, false
	}
	x.of = unconverted(x.of)
	if x.labels = n.Op == ir.OpCompare && x.Op != "one_hot"; x.labels && x.of.Op == ir.OpWhere {
		x.other = x.ignored(x.of)
	}
	return x, true
}

// unconverted returns what n takes all its elements from, in some order, as integers of maybe
// another dtype that has them all.
func unconverted(n *ir.Node) *ir.Node {
	for moves(n) || widens(n) {
		n = n.In[0]
	}
	return n
}

func moves(n *ir.Node) bool {
	return n.Op == ir.OpReshape || n.Op == ir.OpTranspose || n.Op == ir.OpBroadcast
}

// widens reports whether n converts integers to a dtype that has all of them.
func widens(n *ir.Node) bool {
	if n.Op != ir.OpConvert {
		return false
	}
	from, to := n.In[0].Type.DType, n.Type.DType
	switch {
	case !from.IsInteger() || !to.IsInteger():
		return false
	case from.IsSigned() == to.IsSigned():
		return from.Size() <= to.Size()
	}
	return to.IsSigned() && from.Size() < to.Size()
}

// resolve finds the argument that the indices are elements of.
func (x *Index) resolve(r *ranges) {
	var parts []part
	var other *int64
	for n := x.of; ; {
		switch {
		case n.Op == ir.OpParameter && r != nil && r.caller != nil:
			i, row := operandOf(r.caller, int(n.Attrs[ir.ParameterIndex].Int))
			if i < 0 || row && parts != nil {
				return
			}
			n, r = r.caller.In[i], r.within
			continue
		case n.Op == ir.OpParameter:
			x.arg, x.other, x.parts = int(n.Attrs[ir.ParameterIndex].Int), other, parts
			return
		case widens(n):
		case moves(n) && parts == nil:
		case n.Op == ir.OpSlice && dims.Static(n.In[0].Type.Shape) && dims.Static(n.Type.Shape):
			parts = append(parts, part{n.Attrs[ir.SliceStarts].Ints, n.Attrs[ir.SliceStrides].Ints, n.Type.Shape})
		case n.Op == ir.OpWhere && other == nil:
			if other = x.ignored(n); other == nil {
				return
			}
			n = n.In[1]
			continue
		default:
			return
		}
		n = n.In[0]
	}
}

// operandOf returns the operand of n that parameter i of its body is, whenever n runs: -1 if there is
// none, or if the body may not run. A row is one of those of the operand, and all have their turn.
func operandOf(n *ir.Node, i int) (operand int, row bool) {
	switch n.Op {
	case ir.OpComposite:
		return i, false
	case ir.OpScan:
		carries, iterations := int(n.Attrs[ir.ScanCarries].Int), n.Attrs[ir.ScanIterations].Int
		if i > carries && !dims.IsExpr(iterations) && iterations > 0 {
			return i - 1, i <= carries+int(n.Attrs[ir.ScanXs].Int)
		}
	}
	return -1, false
}

// ignored returns the label that n, where(labels != label, labels, an index in range), puts an
// index in the place of; nil if n is something else.
func (x *Index) ignored(n *ir.Node) *int64 {
	differs := n.In[0]
	if differs.Op != ir.OpCompare || differs.Attrs[ir.CompareDirection].Str != "NE" || !alike(differs.In[0], n.In[1]) {
		return nil
	}
	label, known := numberOf(differs.In[1])
	instead, too := numberOf(n.In[2])
	if !known || !too || instead < int64(x.Low) || instead >= int64(x.Bound) {
		return nil
	}
	return &label
}

// alike reports whether a and b have the same integers at the same places, maybe in other dtypes.
func alike(a, b *ir.Node) bool {
	for {
		for widens(a) {
			a = a.In[0]
		}
		for widens(b) {
			b = b.In[0]
		}
		if a == b {
			return true
		}
		if !moves(a) || a.Op != b.Op || !a.Type.Shape.Equal(b.Type.Shape) || !slices.EqualFunc(a.Attrs, b.Attrs, ir.Attr.Equal) {
			return false
		}
		a, b = a.In[0], b.In[0]
	}
}

// numberOf returns the number that all elements of n are.
func numberOf(n *ir.Node) (x int64, ok bool) {
	if n = unconverted(n); n.Op != ir.OpConstant || !n.Type.DType.IsInteger() {
		return 0, false
	}
	whole, ok := ir.WholeNumber(n.Type.DType, uint64(n.Attrs[ir.ConstantValue].Int))
	return int64(whole), ok
}

// Argument returns the number of the argument that [Index.Look] looks at; false if the program
// computes the indices and looks at them itself.
func (x *Index) Argument() (i int, ok bool) { return x.arg, x.arg >= 0 }

// Look says which of the indices in v, the argument, is out of range; "" if none is.
func (x *Index) Look(v soa.View) (reason string, err error) {
	if v, err = memory.OnHost(v); err != nil {
		return "", err
	}
	for _, p := range slices.Backward(x.parts) {
		strides, offset := slices.Clone(v.Strides), 0
		for i := range strides {
			offset += p.starts[i] * strides[i]
			strides[i] *= p.steps[i]
		}
		if v, err = v.Restride(types.Type{DType: v.Type.DType, Shape: p.shape}, offset, strides); err != nil {
			return "", err
		}
		if v, err = memory.OnHost(v); err != nil {
			return "", err
		}
	}
	if at, index := integers[v.Type.DType].beyond(v, x.Low, x.Bound, x.other); at >= 0 { // v is dense
		return fmt.Sprintf("the %s at %s is %s%s", x.noun(), position(v.Type, at), index, x.among(x.Low, x.Bound)), nil
	}
	return "", nil
}

// noun is what the integers are called, in the singular.
func (x *Index) noun() string {
	if x.labels {
		return "label"
	}
	return cmp.Or(x.Name, "index")
}

// among says which indices there are, and what to do.
func (x *Index) among(low, bound int) string {
	switch {
	case x.Name != "" && bound == low+1:
		return fmt.Sprintf(", must be %d", low)
	case x.Name != "":
		return fmt.Sprintf(", must be from %d to %d", low, bound-1)
	case bound == 0:
		return ", but there are none to choose from"
	case x.labels && x.other != nil:
		return fmt.Sprintf(", but the classes are 0 to %d, and %d for rows that do not count; correct the labels: data.CheckLabels finds the rows", bound-1, *x.other)
	case x.labels:
		return fmt.Sprintf(", but the classes are 0 to %d; correct the labels: data.CheckLabels finds the rows", bound-1)
	}
	return fmt.Sprintf(", but there are %d to choose from, %d to %d; mend what makes it, or keep it in range with Clamp", bound, low, bound-1)
}

// integers has what is asked of views of each dtype of indices.
var integers = map[types.DType]interface {
	// beyond returns the first of the indices that is out of range and not other, and prints it; -1 if there is none.
	beyond(v soa.View, low, bound int, other *int64) (at int, index string)
	// above reports whether a is above b, both of rank 0.
	above(a, b soa.View) bool
	// bits returns the one of rank 0, of u64 its bits.
	bits(v soa.View) int64
	// extremes returns the least and the largest.
	extremes(v soa.View) interval
}{
	types.U8: of[uint8]{}, types.U16: of[uint16]{}, types.U32: of[uint32]{}, types.U64: of[uint64]{},
	types.I8: of[int8]{}, types.I16: of[int16]{}, types.I32: of[int32]{}, types.I64: of[int64]{},
}

// of has elements of T.
type of[T int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64] struct{}

func (of[T]) beyond(v soa.View, low, bound int, other *int64) (at int, index string) {
	at = -1
	soa.With(v, func(all []T) { // the caller's, maybe off the Go heap
		for i, x := range all {
			// With the sign of a large unsigned index it is as far out of range.
			if k := int64(x); (k < int64(low) || k >= int64(bound) || low < 0 && x > 0 && k < 0) && (other == nil || k != *other) {
				at, index = i, fmt.Sprint(x)
				return
			}
		}
	})
	return at, index
}

func (of[T]) above(a, b soa.View) bool { return soa.Slice[T](a)[0] > soa.Slice[T](b)[0] }

func (of[T]) bits(v soa.View) int64 { return int64(soa.Slice[T](v)[0]) }

// hostName is the function of the host that looks at indices in the midst of a program.
const hostName = "ltc.check_index"

func init() {
	if err := backends.RegisterHost(hostName, checkIndex); err != nil {
		panic(err)
	}
}

// OutOfRange is the failure of a run whose program has computed an index that is out of range.
type OutOfRange struct {
	Index int // the number of what was to hold, of those that [Indices] has returned

	index      int64
	unsigned   bool // it is of u64
	low, bound int
	iterations []int32 // of the loops around the op, the innermost first
}

// Error returns the reason.
func (e *OutOfRange) Error() string { return e.reason(&Index{unsigned: e.unsigned}) }

// Unwrap returns [ErrIndex].
func (e *OutOfRange) Unwrap() error { return ErrIndex }

// Reason says what e has of the indices of x.
func (x *Index) Reason(e *OutOfRange) string { return e.reason(x) }

// reason says which index is out of range, and in which iterations of loops if the lines of these are known.
func (e *OutOfRange) reason(x *Index) string {
	if w := x.Counts; w != (ir.Counts{}) {
		return fmt.Sprintf("%s %s, %s %d: %s", w.Of, diag.Count(e.index, w.Noun), w.With, e.low, w.Rule)
	}
	index := strconv.FormatInt(e.index, 10)
	if x.unsigned || e.unsigned {
		index = strconv.FormatUint(uint64(e.index), 10)
	}
	s := "an index is " + index
	switch {
	case x.Name != "":
		s = "the " + x.Name + " is " + index
	case x.labels:
		s = "a label is " + index
	case x.Op == maskedScatter: // place index of source is that of true element index+1
		s = "the mask has " + diag.Count(e.index+1, "true element")
	}
	n := min(len(x.loops), len(e.iterations))
	for i, iteration := range e.iterations[len(e.iterations)-n:] { // others are of loops that the op is not in
		s += fmt.Sprintf(" in iteration %d of the loop at %v", iteration, x.loops[i])
	}
	if x.Op == maskedScatter {
		return s + fmt.Sprintf(", and source has %s; give source one for each", diag.Count(e.bound, "element"))
	}
	return s + x.among(e.low, e.bound)
}

// maskedScatter is the op whose indices number the true elements of a mask.
const maskedScatter = "masked_scatter"

// checkIndex returns 0 if the least and the largest index are in range, or their number is negative. Its arguments are those of
// [ir.Graph.Checked].
func checkIndex(_ context.Context, c *backends.HostCall) error {
	if len(c.Args) < 5 || len(c.Results) != 1 {
		return fmt.Errorf("%s takes the least and the largest index, a number, the least index that exists, the bound, and iterations", hostName)
	}
	var n [3]int
	for i := range n {
		n[i] = int(soa.Slice[int64](c.Args[2+i])[0])
	}
	least, most := c.Args[0], c.Args[1]
	in, ok := integers[least.Type.DType]
	if !ok || most.Type.DType != least.Type.DType || least.Type.Rank()+most.Type.Rank() > 0 {
		return fmt.Errorf("%s takes two integers of one dtype, got %s and %s", hostName, least.Type, most.Type)
	}
	if n[0] >= 0 && !in.above(least, most) { // else there is no index
		for _, v := range c.Args[:2] {
			if at, _ := in.beyond(v, n[1], n[2], nil); at >= 0 {
				e := &OutOfRange{Index: n[0], index: in.bits(v), unsigned: v.Type.DType == types.U64, low: n[1], bound: n[2]}
				for _, i := range c.Args[5:] {
					e.iterations = append(e.iterations, soa.Slice[int32](i)[0])
				}
				return e
			}
		}
	}
	soa.Zero(c.Results[0])
	return nil
}
