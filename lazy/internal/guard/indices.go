package guard

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"ltc/backends"
	"ltc/internal/callsite"
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
	At       callsite.Site
	Low      int
	Bound    int

	of      *ir.Node // the indices, in some order
	arg     int      // the argument that they are elements of; -1: the program computes them
	other   *int64   // an element of the argument that is no index
	parts   []part   // what slices take of the argument, the first slice last
	assumes []int    // arguments: the indices are in range if all elements of these are

	loops []callsite.Site // around the op if the program looks at its indices, the innermost first
}

// part is what a slice takes of a tensor.
type part struct{ starts, steps, shape []int }

// Indices returns what the indices of g's ops are to be, but of those that are in range whatever the
// arguments are. The program is g with calls of the host that look at indices which g computes: it fails
// with an [*OutOfRange]. Indices that are elements of arguments are for [Index.Look] if arguments is set.
// Without midst the program is g. Indices in range as long as elements of arguments are have no call where
// it would have the run copy what it donates: they are for [Index.Holds] and [Rehearsal].
func Indices(g *ir.Graph, arguments, midst bool) (all []Index, program *ir.Graph) {
	s := search{arguments: arguments, midst: midst, donates: slices.ContainsFunc(g.Alias, func(a int) bool { return a >= 0 })}
	s.open = slices.ContainsFunc(g.Params, func(p *ir.Node) bool { return dims.HasExpr(p.Type.Shape...) })
	checks := s.in(g, nil)
	for i := range s.all {
		s.all[i].of = nil // which may be used again
	}
	if !checks.Any() {
		return s.all, g
	}
	found := checks // allocated only here: every step comes by
	return s.all, g.Checked(&found)
}

// Rehearsal returns g, a program of [Indices], with calls of the host for the indices that it assumes to
// be in range: those of the given numbers. It writes over no arguments. It is nil if g calls other
// functions of the host, which are not to run twice.
func Rehearsal(g *ir.Graph, numbers []int) *ir.Graph {
	if callsHost(g) {
		return nil
	}
	g = g.Clone()
	for i := range g.Alias {
		g.Alias[i] = -1
	}
	s := search{midst: true, donates: true, rehearses: true, numbers: numbers}
	checks := s.in(g, nil)
	return g.Checked(&checks)
}

// callsHost reports whether g calls functions of the host that are not ours.
func callsHost(g *ir.Graph) bool {
	return slices.ContainsFunc(g.Nodes, func(n *ir.Node) bool {
		if n.Op == ir.OpHostCall {
			return n.Attrs[ir.HostCallName].Str != hostName
		}
		if n.Body != nil {
			for _, body := range n.Body.Graphs() {
				if callsHost(body) {
					return true
				}
			}
		}
		return false
	})
}

// search finds indices.
type search struct {
	arguments, midst bool
	donates          bool // the program writes over arguments
	open             bool // arguments have sizes that are open
	all              []Index

	rehearses bool  // checks are for the indices alone that are assumed to be in range
	numbers   []int // of these, as Indices gave them, in the same order; if rehearses
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
		if !ok || dims.IsExpr(x.Bound) && !s.open {
			continue
		}
		if _, in := x.of.Value.(ir.InRange); in { // what it is made of is looked at
			continue
		}
		if x.resolve(r); x.arg >= 0 && s.arguments && !dims.IsExpr(x.Bound) {
			s.all = append(s.all, x)
			continue
		}
		if x.arg = -1; !s.midst || !s.open && !dims.Static(x.of.Type.Shape) {
			continue
		}
		if r == nil {
			r = &ranges{}
		}
		if x.contains(r.of(x.of)) || isPlace(x.of, x.Bound) {
			continue
		}
		number := len(s.all)
		if s.donates && r.caller != nil {
			x.assumes = r.assumedFor(&x)
		}
		if s.rehearses {
			if x.assumes == nil || len(s.numbers) == 0 {
				continue
			}
			number, s.numbers = s.numbers[0], s.numbers[1:]
		}
		x.loops = r.loopsAround()
		s.all = append(s.all, x)
		if x.assumes == nil || s.rehearses {
			checks.Own = append(checks.Own, ir.Check{Of: x.of, Host: hostName, Number: number, Low: x.Low, Bound: x.Bound, Loc: n.Loc})
		}
	}
	return checks
}

// within returns the indices that are in range.
func (x *Index) within() interval {
	bound, _ := dims.Bounds(x.Bound) // the least
	return interval{int64(x.Low), int64(bound) - 1}
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
	return n.Op != ir.OpComposite || n.Body.Name == ir.Checkpoint || !strings.HasPrefix(n.Body.Name, "ltc.")
}

// indexOf returns what the indices of a node, its operand k, are to be; false if there are none.
func indexOf(n *ir.Node, k int) (x Index, ok bool) {
	x = Index{At: n.Loc, arg: -1, Op: n.Op.String(), of: n.In[k]}
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
		w := n.Value.(ir.Wrapped)
		x.Op, x.Low, x.Bound = w.Op, -w.Size, w.Size
		if i := unconverted(x.of); w.Unsigned && i.Op == ir.OpConvert {
			x.of, x.Low = i.In[0], 0
		}
		x.Operands = []types.Type{unconverted(x.of).Type}
	}
	if op, ok := n.Value.(ir.Called); ok {
		x.Op = string(op)
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
	return outside(v, x.Low, x.Bound, x.other), nil
}

// Assumes returns the arguments of which [Index.Holds] is asked; nil if there is nothing to ask.
func (x *Index) Assumes() []int { return x.assumes }

// Holds reports whether all elements of v, an argument, are in range. If not, an index may be out of range:
// the [Rehearsal] of the program tells.
func (x *Index) Holds(v soa.View) (bool, error) {
	v, err := memory.OnHost(v)
	if err != nil {
		return false, err
	}
	in := x.within()
	at, _ := integers[v.Type.DType].beyond(v, int(in.low), int(in.high)+1, nil)
	return at < 0, nil
}

// outside says which of the indices in v, a dense view on the host, is below low or not below bound, and
// not other; "" if none is.
func outside(v soa.View, low, bound int, other *int64) (reason string) {
	if at, index := integers[v.Type.DType].beyond(v, low, bound, other); at >= 0 {
		return fmt.Sprintf("the index at %s is %s%s", position(v.Type, at), index, among(low, bound))
	}
	return ""
}

// among says which indices there are, and what to do.
func among(low, bound int) string {
	if bound == 0 {
		return ", but there are none to choose from"
	}
	return fmt.Sprintf(", but there are %d to choose from, %d to %d; mend what makes it, or keep it in range with Clamp", bound, low, bound-1)
}

// integers has what is asked of views of each dtype of indices.
var integers = map[types.DType]interface {
	// beyond returns the first of the indices that is out of range and not other, and prints it; -1 if there is none.
	beyond(v soa.View, low, bound int, other *int64) (at int, index string)
	// above reports whether a is above b, both of rank 0.
	above(a, b soa.View) bool
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

	index      string // as a number
	low, bound int
	iterations []int32 // of the loops around the op, the innermost first
}

// Error returns the reason.
func (e *OutOfRange) Error() string { return e.reason(nil) }

// Unwrap returns [ErrIndex].
func (e *OutOfRange) Unwrap() error { return ErrIndex }

// Reason says what e has of the indices of x.
func (x *Index) Reason(e *OutOfRange) string { return e.reason(x.loops) }

// reason says which index is out of range, and in which iterations of loops if the lines of these are known.
func (e *OutOfRange) reason(loops []callsite.Site) string {
	s := "an index is " + e.index
	for i, at := range loops[:min(len(loops), len(e.iterations))] {
		s += fmt.Sprintf(" in iteration %d of the loop at %v", e.iterations[i], at)
	}
	return s + among(e.low, e.bound)
}

// checkIndex returns 0 if the least and the largest index are in range. Its arguments are those of
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
	if !in.above(least, most) { // else there is no index
		for _, v := range c.Args[:2] {
			if at, index := in.beyond(v, n[1], n[2], nil); at >= 0 {
				e := &OutOfRange{Index: n[0], index: index, low: n[1], bound: n[2]}
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
