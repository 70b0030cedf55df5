package lazy

import (
	"errors"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"strings"

	"ltc/internal/callsite"
	"ltc/internal/diag"
	"ltc/ir"
	"ltc/ir/dims"
	"ltc/ir/types"
	"ltc/lower"
	"ltc/shapeinfer"
	"ltc/soa"
)

// counted is a size of the step that follows from data.
type counted struct {
	size int      // a symbol
	x    *ir.Node // what it is, a scalar
}

// newSize has x, a scalar of integers, be a size of the step, of at most most. Op is what sizes
// are called by.
func (tr *Trace) newSize(op string, x *Tensor, most int) (size int) {
	n := tr.operand(x)
	if n == nil {
		return 0
	}
	most = roundedUp(max(most, 1))
	for _, c := range tr.counts {
		if _, hi := dims.Bounds(c.size); c.x == n && hi == most {
			return c.size
		}
	}
	if k := len(tr.counts); k > 0 {
		op = fmt.Sprintf("%s_%d", op, k+1)
	}
	size = int(dims.Symbol(op, 0, int64(most)))
	tr.counts = append(tr.counts, counted{size, n})
	return size
}

// roundedUp returns n, a bound, or one that is up to an eighth more. Expressions are never forgotten:
// steps of any number of sizes have few symbols.
func roundedUp(n int) int {
	low := max(bits.Len(uint(n))-4, 0) // bits that are rounded away
	return (n + 1<<low - 1) >> low << low
}

// teller returns the node that says what a size is.
func (tr *Trace) teller(c counted) *ir.Node {
	n, err := tr.b.Node(ir.OpCounted, []*ir.Node{c.x}, []ir.Attr{ir.CountedSize: {Int: int64(c.size)}}, nil)
	if err != nil {
		panic(fmt.Sprintf("lazy: a count: %v", err)) // it is a scalar, and the size a symbol
	}
	return n
}

// fromData reports whether sizes of the step that follow from data are in a type.
func (tr *Trace) fromData(ts ...types.Type) bool {
	if len(tr.counts) == 0 {
		return false
	}
	for _, t := range ts {
		for _, s := range dims.Symbols(t.Shape...) {
			if slices.ContainsFunc(tr.counts, func(c counted) bool { return c.size == s }) {
				return true
			}
		}
	}
	return false
}

// origins says where the sizes come from that are in types and follow from data.
func (tr *Trace) origins(ts ...types.Type) (all []string) {
	for _, c := range tr.counts {
		for _, t := range ts {
			if slices.Contains(dims.Symbols(t.Shape...), c.size) {
				all = append(all, fmt.Sprintf("%s follows from the data of %v", dims.String(c.size), c.x.Loc))
				break
			}
		}
	}
	return all
}

// typeError is the function of that name for an op on nodes. If they have several sizes that follow
// from data, it says from which.
func (tr *Trace) typeError(site callsite.Site, err error, in []*ir.Node) *OpError {
	e := typeError(site, err)
	var ts []types.Type
	for _, n := range in {
		ts = append(ts, n.Type)
	}
	e.Reason += tr.besideAutocast(e.Reason, len(ts), func(i int) types.DType { return ts[i].DType })
	if len(tr.counts) == 0 {
		return e
	}
	from := tr.origins(ts...)
	if len(from) > 0 {
		e.Reason += ": " + strings.Join(from, ", ")
	}
	broken, _ := errors.AsType[*shapeinfer.Error](err)
	if len(from) > 1 || len(from) == 1 && broken != nil && broken.Broadcast {
		e.Reason += "; select by one mask what belongs together, or keep all elements and use Where"
	}
	return e
}

// number returns what the call op gives Go code for d, dimension i of t. That is d, which is a name in
// a function that is exported. For a size that follows from data it is 0, and the step fails.
func (t *Tensor) number(op string, i, d int) int {
	tr := t.tr
	if !dims.IsExpr(d) || tr == nil || t.node == nil {
		return d
	}
	one := types.Type{Shape: types.Shape{d}}
	if !tr.fromData(one) {
		if tr.function || tr.defines {
			return d
		}
		tr.fail(opError(tr.site(), op, ErrStale, []*Tensor{t},
			"the data of an earlier step told dimension %d, and the tensor was not kept; give it to MarkStep as a root, or Keep it", i))
		return 0
	}
	tr.fail(opError(tr.site(), op, ErrUsage, []*Tensor{t},
		"dimension %d is no number before the step has run: %s; compute with Size(%d), a tensor, pass it on with OpenDim(%d), or read it after MarkStep",
		i, strings.Join(tr.origins(one), ", "), i, i))
	return 0
}

// onlyOpen returns the error of a function of open inputs whose graph has sizes that follow from data.
func onlyOpen(g *ir.Graph) error {
	for _, n := range g.Nodes {
		if n.Op == ir.OpCounted {
			return fmt.Errorf("%v: a size follows from data, and programs whose inputs have open sizes have none", n.In[0].Loc)
		}
	}
	return nil
}

// sizedBy returns t with the sizes that a run has given it; nil if it failed, and there is no
// element.
func sizedBy(t types.Type, by *soa.View) types.Type {
	if by != nil {
		return by.Type
	}
	t.Shape = slices.Clone(t.Shape)
	for i, d := range t.Shape {
		if dims.IsExpr(d) {
			t.Shape[i] = 0
		}
	}
	return t
}

// captureAll is [ir.Builder.Capture] of a graph in which sizes may follow from data: what tells them
// are results behind the others.
func (tr *Trace) captureAll(g *ir.Graph, params, results, alias []*ir.Node) {
	tr.b.Capture(g, params, results, alias)
	if len(tr.counts) == 0 {
		return
	}
	told, used := map[int64]bool{}, []int64(nil)
	for {
		used = used[:0]
		clear(told)
		for _, n := range g.Nodes {
			if n.Op == ir.OpCounted {
				told[n.Attrs[ir.CountedSize].Int] = true
			}
			used = append(used, lower.SymbolsOf(n)...)
		}
		more := false
		for _, c := range tr.counts {
			if slices.Contains(used, int64(c.size)) && !told[int64(c.size)] {
				results, more = append(slices.Clip(results), tr.teller(c)), true
				if alias != nil {
					alias = append(slices.Clip(alias), nil)
				}
			}
		}
		if !more {
			return
		}
		tr.b.Capture(g, params, results, alias) // what tells a size may have others
	}
}

// sizeless says why no size can follow from the elements of a mask where it is recorded; empty if
// one can.
func (tr *Trace) sizeless(mask *Tensor) string {
	_, most := dims.Bounds(mask.OpenDim(0))
	switch {
	case len(tr.closures) > 0:
		return fmt.Sprintf("it is called in a closure of the %s at %v: what runs several times has no size that follows from data; select before it, or use Where", tr.closure().op, tr.closure().Site)
	case tr.defines:
		return "it is called in the definition of a composite, whose sizes follow from those of its operands; call it outside"
	case most > math.MaxInt32:
		return fmt.Sprintf("x has up to %s, and sizes that follow from data are at most %d; give its dimensions bounds, by Dim", diag.Count(most, "element"), math.MaxInt32)
	}
	return ""
}

// checkBound returns what is wrong with the bound on a size that follows from data.
func checkBound(bound []int, most demand) *breach {
	switch {
	case len(bound) > 1:
		return breaks(most, "got %s", diag.Count(len(bound), "bound"))
	case len(bound) == 1 && bound[0] < 1:
		return breaks(most, "the bound is %d", bound[0])
	}
	return nil
}

// heldPlaces returns the places in row-major order at which a mask of one axis is true, as i64 [n].
func heldPlaces(op string, mask *Tensor, bound []int) *Tensor {
	tr, n := mask.tr, mask.OpenDim(0)
	if tr == nil || mask.err != nil {
		return mask
	}
	if why := tr.sizeless(mask); why != "" {
		return mask.violates(op, "sizes", why)
	}
	if n == 0 {
		return Iota(tr, types.I64, 0, 0)
	}
	room := n
	if len(bound) == 1 {
		room = dims.Min(room, bound[0])
	}
	ones := mask.Convert(types.I32)
	count := ones.Sum().Convert(types.I64)
	// Others go to a place behind all, as do those beyond the bound, with which the run fails.
	up, last := cumulative(ones), ones.sized(room)
	to := ones.Greater(ones.sized(0)).Where(up.Sub(up.sized(1)).Minimum(last), last.BroadcastTo(n))
	at := Zeros(tr, types.I32, dims.Add(n, 1)).ScatterAdd(to, Iota(tr, types.I32, 0, n)).Narrow(0, 0, room)
	_, most := dims.Bounds(room)
	return at.Narrow(0, 0, tr.newSize(op, count, most)).Convert(types.I64)
}

// cumulative returns the sums of the elements of a tensor of one axis up to each.
func cumulative(x *Tensor) *Tensor {
	n := x.OpenDim(0) // windows of one element more have all before, also where there is none
	return x.Reshape(1, 1, n).SumPool([]int{dims.Add(n, 1)}, PoolOptions{Strides: []int{1}, Padding: [][2]int{{n, 0}}}).Reshape(n)
}

func checkNonzero(_ *Tensor, bound []int) *breach {
	return checkBound(bound, nonzeroMost)
}

func computeNonzero(x *Tensor, bound []int) *Tensor {
	shape := x.OpenShape()
	if x.DType() != types.Bool {
		x = x.NotEqual(x.like(0))
	}
	at := heldPlaces("nonzero", x.Reshape(elementsOf(shape)), bound)
	if at.err != nil {
		return at
	}
	if len(shape) == 0 {
		return at.Reshape(at.OpenDim(0), 1).Narrow(1, 0, 0)
	}
	axes := make([]*Tensor, len(shape))
	for i := len(shape) - 1; i >= 0; i-- {
		axes[i] = at
		if i > 0 {
			of := at.sized(shape[i])
			next := at.quotient(of)
			axes[i], at = at.Sub(next.Mul(of)), next
		}
		axes[i] = axes[i].Reshape(axes[i].OpenDim(0), 1)
	}
	return Concatenate(1, axes...)
}

func checkMaskedSelect(x, mask *Tensor, bound []int) *breach {
	if _, ok := shapeinfer.BroadcastShapes(mask.OpenShape(), x.OpenShape()); !ok {
		advice, of := "", mask.OpenShape()
		if x.Rank() == 2 && len(of) == 1 && of[0] == x.OpenDim(0) {
			advice = "; to select rows use SelectRows, or elements of rows Unsqueeze(1) of the mask"
		}
		return breaks(maskedSelectMask, "the mask's %v and x's %v do not broadcast%s", of, x.OpenShape(), advice)
	}
	return checkBound(bound, maskedSelectMost)
}

func computeMaskedSelect(x, mask *Tensor, bound []int) *Tensor {
	shape, _ := shapeinfer.BroadcastShapes(mask.OpenShape(), x.OpenShape())
	n := elementsOf(shape)
	return x.BroadcastTo(shape...).Reshape(n).taken(heldPlaces("masked_select", mask.BroadcastTo(shape...).Reshape(n), bound))
}

// taken is Gather of places that are there; of no rows there are none.
func (x *Tensor) taken(at *Tensor) *Tensor {
	switch least, _ := dims.Bounds(x.OpenDim(0)); {
	case at.err != nil:
		return at
	case x.OpenDim(0) == 0:
		return x
	case least < 1: // Gather wants a row
		high := make([]int, x.Rank())
		high[0] = 1
		none := make([]int, x.Rank())
		x = x.Pad(x.like(0), none, high, none)
	}
	return x.Gather(at)
}

func checkSelectRows(x, mask *Tensor, bound []int) *breach {
	if x.Rank() == 0 || mask.Rank() != 1 || mask.OpenDim(0) != x.OpenDim(0) {
		advice := ""
		if mask.Rank() == 2 && mask.OpenDim(1) == 1 {
			advice = "; Squeeze(1) the mask"
		}
		return breaks(selectRowsMask, "the mask is %v and x %v: the mask must have one axis, with an element for each row of x%s", mask.Type(), x.Type(), advice)
	}
	return checkBound(bound, selectRowsMost)
}

func computeSelectRows(x, mask *Tensor, bound []int) *Tensor {
	return x.taken(heldPlaces("select_rows", mask, bound))
}

func checkUnique(_ *Tensor, bound []int) *breach {
	return checkBound(bound, uniqueMost)
}

func computeUnique(x *Tensor, bound []int) *Tensor {
	sorted, _ := x.Reshape(elementsOf(x.OpenShape())).Sort(0, false)
	return sorted.taken(heldPlaces("unique", leads(sorted), bound))
}

// leads returns whether each of sorted elements differs from the one before. There may be none.
func leads(sorted *Tensor) *Tensor {
	n := sorted.OpenDim(0)
	before := sorted.Pad(sorted.like(0), []int{1}, []int{0}, []int{0}).Narrow(0, 0, n)
	first := Iota(sorted.tr, types.I64, 0, n)
	return sorted.NotEqual(before).Or(first.Equal(first.like(0)))
}

// UniqueAlong returns the n different slices of x along the axis, the place of each slice of x among
// these, and how often each is in x. Values are in the order of their first elements that differ. Places
// and counts are i64. A slice with NaN differs from all others. See [Tensor.Nonzero] for n and the bound.
func (x *Tensor) UniqueAlong(axis int, bound ...int) (values, inverse, counts *Tensor) {
	const op = "unique_along"
	all, bad := operandsFor(op, []*Tensor{x})
	if bad != nil {
		return bad, bad, bad
	}
	x = all[0]
	rank := x.Rank()
	demand, why := "", ""
	switch {
	case axis < -rank || axis >= rank:
		demand, why = "axis", shapeinfer.NoAxis(axis, x.OpenShape())
	case !x.DType().IsNumber():
		demand, why = "number", fmt.Sprintf("x is %v, must be a number; convert it with Convert", x.DType())
	case dims.HasExpr(x.OpenShape()...):
		demand, why = "fixed", fmt.Sprintf("x is %v, and must have sizes that are numbers", x.Type())
	case len(bound) > 1 || len(bound) == 1 && bound[0] < 1:
		demand, why = "bound", fmt.Sprintf("bounds are %v, must be one at most, and positive", bound)
	}
	if demand != "" {
		bad = x.violates(op, demand, why)
		return bad, bad, bad
	}
	tr, n := x.tr, x.OpenDim(axis)
	moved := x.MoveAxis(axis, 0)
	shape := slices.Clone([]int(moved.OpenShape()))
	rows := moved.Reshape(n, elementsOf(shape[1:]))
	if n == 0 || elementsOf(shape[1:]) == 0 { // slices without elements are equal
		n := min(n, 1)
		inverse = Zeros(tr, types.I64, x.OpenDim(axis))
		return x.Narrow(axis, 0, n), inverse, Full(tr, types.I64, float64(x.OpenDim(axis)), n)
	}
	order := inRowOrder(rows)
	sorted := rows.Gather(order)
	before := sorted.Pad(sorted.like(0), []int{1, 0}, []int{0, 0}, []int{0, 0}).Narrow(0, 0, n)
	first := Iota(tr, types.I64, 0, n)
	leads := sorted.NotEqual(before).Any(1).Or(first.Equal(first.like(0)))
	values = sorted.taken(heldPlaces(op, leads, bound))
	if values.err != nil {
		return values, values, values
	}
	group := cumulative(leads.Convert(types.I32)).SubScalar(1).Convert(types.I64)
	inverse = Zeros(tr, types.I64, n).ScatterAdd(order, group)
	counts = Zeros(tr, types.I64, n).ScatterAdd(group, Ones(tr, types.I64, n)).Narrow(0, 0, values.OpenDim(0))
	shape[0] = values.OpenDim(0)
	return values.Reshape(shape...).MoveAxis(0, axis), inverse, counts
}

// inRowOrder returns the order of rows [n, m] by their first elements that differ: stable sorts by each
// column, from the last to the first.
func inRowOrder(rows *Tensor) *Tensor {
	n, m := rows.OpenDim(0), rows.OpenDim(1)
	sort := func(order, column *Tensor) *Tensor { return order.Gather(column.Gather(order).ArgSort(0)) }
	order := Iota(rows.tr, types.I64, 0, n)
	if m == 1 {
		return sort(order, rows.Reshape(n))
	}
	columns := rows.Transpose(1, 0)
	return For(m, func(tr *Trace, k *Tensor, state []*Tensor) []*Tensor {
		last := k.Neg().AddScalar(float64(m - 1))
		return []*Tensor{sort(state[0], columns.Gather(last))}
	}, order)[0]
}

// UniqueAll returns [Tensor.Unique] of x, the place of each element of x among the values, with the
// dimensions of x, and how often each value is in x. Places and counts are i64.
func (x *Tensor) UniqueAll(bound ...int) (values, inverse, counts *Tensor) {
	values = called("unique_all", func() *Tensor { return x.Unique(bound...) }, x) // which checks
	if values.err != nil {
		return values, values, values
	}
	x = values.tr.Read(x)
	tr, shape, n := x.tr, x.OpenShape(), elementsOf(x.OpenShape())
	if dims.IsExpr(n) {
		bad := x.violates("unique_all", "fixed", fmt.Sprintf("x is %v, whose number of elements is open; Unique takes it", x.Type()))
		return bad, bad, bad
	}
	sorted, from := x.Reshape(n).Sort(0, false)
	if n == 0 {
		return values, from.Reshape(shape...), from
	}
	group := cumulative(leads(sorted).Convert(types.I32)).SubScalar(1).Convert(types.I64)
	inverse = Zeros(tr, types.I64, n).ScatterAdd(from, group).Reshape(shape...)
	counts = Zeros(tr, types.I64, n).ScatterAdd(group, Ones(tr, types.I64, n)).Narrow(0, 0, values.OpenDim(0))
	return values, inverse, counts
}
