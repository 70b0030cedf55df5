package lazy

import (
	"errors"
	"fmt"
	"log/slog"
	"math"
	"math/bits"
	"slices"
	"strings"
	"sync"

	"ltc/backends"
	"ltc/internal/callsite"
	"ltc/internal/diag"
	"ltc/ir"
	"ltc/ir/dims"
	"ltc/ir/types"
	"ltc/lower"
	"ltc/shapeinfer"
	"ltc/soa"
)

// Dim returns a dimension that is open, for the types of inputs of [Function.Export]: the
// program runs for every size from least to most, both included. Dimensions of one name are one
// size. [Tensor.Dim] and [Tensor.Shape] give the same int within the function. It is
// the name of an expression: a negative number that is no size itself. Pass it on to
// [Tensor.Reshape] and its kin as it is. Compute with it by [SizeAdd], [SizeSub], [SizeMul] and
// [SizeDiv], not by operators of Go. As a tensor a size is [Tensor.Size].
func Dim(name string, least, most int) int { return int(dims.Symbol(name, int64(least), int64(most))) }

// StaticShapes keeps the sizes of programs numbers, as LTC_ENABLE_DYNAMIC_SHAPES=0 does.
//
// Without it, the second size at a line compiles a program whose sizes are open, and the third
// compiles nothing. Such a program is used only for steps and calls that record the same ops, and
// sizes that follow from the open ones as in it. The line and the sizes are logged once. Results may
// differ in their last bits from those of a program of numbers. Devices with [MaxBytes],
// [MemoryLimit] or [OpByOp] keep numbers.
func StaticShapes() Option { return func(d *Device) { d.staticShapes = true } }

// opensSizes reports whether programs may have open sizes.
func (d *Device) opensSizes() bool {
	return !d.staticShapes && !d.opByOp && d.maxBytes == 0 && d.memory.Limit == 0
}

// openedSizes logs that sizes are open from now on, or why they are not.
func (d *Device) openedSizes(o *shapeinfer.Open, at callsite.Site, now, before *ir.Graph, failed error) {
	if !d.logs(slog.LevelInfo) {
		return
	}
	var which []string
	for symbol, p := range o.Symbols {
		size := func(g *ir.Graph) int { return g.Params[p.Of].Type.Shape[p.Axis] }
		which = append(which, fmt.Sprintf("%s: axis %d of argument %s, %d and before %d", dims.String(symbol), p.Axis,
			backends.Label(p.Of, now.Params[p.Of].ParamName()), size(now), size(before)))
	}
	if failed != nil {
		d.log(slog.LevelInfo, "sizes stay numbers", slog.String("at", at.String()), slog.String("sizes", strings.Join(which, "; ")),
			slog.Any("error", failed), slog.String("do", "pad to few sizes, or nothing: each size has a program"))
		return
	}
	d.log(slog.LevelInfo, "sizes are open from now on", slog.String("at", at.String()), slog.String("sizes", strings.Join(which, "; ")),
		slog.String("do", "nothing; StaticShapes keeps them numbers"))
}

// keptSizes notes why a program is of numbers though its line has one of other sizes, and logs it for
// debugging.
func (d *Device) keptSizes(g *ir.Graph, at callsite.Site, why error) {
	d.kept.note(at, g.Hash(), why)
	d.log(slog.LevelDebug, "sizes stay numbers", slog.String("at", at.String()), slog.Any("because", why))
}

// mostKept is how many lines a device remembers whose sizes stay numbers.
const mostKept = 256

// keptReasons says of the latest graph of a line why its sizes stay numbers.
type keptReasons struct {
	mu  sync.Mutex
	why map[callsite.Site]keptReason
}

// keptReason is the reason of a graph.
type keptReason struct {
	graph uint64 // its hash
	why   string
}

// note replaces the reason of a line by that of a graph.
func (k *keptReasons) note(at callsite.Site, graph uint64, why error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.why == nil || len(k.why) == mostKept {
		k.why = map[callsite.Site]keptReason{}
	}
	k.why[at] = keptReason{graph, why.Error()}
}

// of returns the reason of a line's graph; "" if there is none.
func (k *keptReasons) of(at callsite.Site, graph uint64) string {
	k.mu.Lock()
	defer k.mu.Unlock()
	if r := k.why[at]; r.graph == graph {
		return r.why
	}
	return ""
}

// SizeAdd returns a + b, of sizes that may be open ([Dim]).
func SizeAdd(a, b int) int { return dims.Add(a, b) }

// SizeSub returns a - b, of sizes that may be open ([Dim]).
func SizeSub(a, b int) int { return dims.Sub(a, b) }

// SizeMul returns a·b, of sizes that may be open ([Dim]).
func SizeMul(a, b int) int { return dims.Mul(a, b) }

// SizeDiv returns a / b rounded down, of sizes that may be open ([Dim]); b is positive.
func SizeDiv(a, b int) int { return dims.Div(a, b) }

// SizeMin returns the lesser of a and b, of sizes that may be open ([Dim]).
func SizeMin(a, b int) int { return dims.Min(a, b) }

// SizeMax returns the greater of a and b, of sizes that may be open ([Dim]).
func SizeMax(a, b int) int { return dims.Max(a, b) }

// Size returns the size of an axis, of which a negative one counts from the end, as a scalar of
// i64: a constant, or where the axis is open ([Dim]) what a run has.
func (x *Tensor) Size(axis int) *Tensor {
	const op = "size"
	if b := firstBad(op, x); b != nil {
		return b
	}
	if r := x.Rank(); axis < -r || axis >= r {
		return x.misuse(op, "x has "+diag.Count(r, "axis"))
	}
	tr := traceOf(x)
	if tr == nil {
		return noTrace(op, x)
	}
	return tr.size(types.I64, x.OpenDim(axis))
}

// size records a size as a scalar.
func (tr *Trace) size(dtype types.DType, d int) *Tensor {
	switch {
	case dtype.IsComplex():
		return tr.size(dtype.Part(), d).Convert(dtype)
	case tr.sizes, dims.IsExpr(d):
		return record0(tr, ir.OpSizeOf, []ir.Attr{ir.SizeOfDType: {Int: int64(dtype)}, ir.SizeOfSize: {Int: int64(d)}}...)
	}
	// A size is never an argument: programs of other sizes differ anyway, or have it open.
	return tr.constant(dtype, ir.IntLiteralBits(dtype, int64(d)))
}

// sized records a size as a scalar of t's dtype, in t's trace.
func (t *Tensor) sized(d int) *Tensor {
	if t.err != nil || t.tr == nil {
		return t
	}
	return t.tr.size(t.DType(), d)
}

// countOf counts what there is a size of, which may be open.
func countOf(d int, of string) string {
	if dims.IsExpr(d) {
		return dims.String(d) + " times one " + of
	}
	return diag.Count(d, of)
}

// isOpen reports whether sizes of a type are open.
func isOpen(t types.Type) bool { return dims.HasExpr(t.Shape...) }

func elementsOf(shape []int) int { return dims.Product(shape...) }

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
	if len(tr.counts) == 0 {
		return e
	}
	var ts []types.Type
	for _, n := range in {
		ts = append(ts, n.Type)
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

// countsIn reports whether sizes of g follow from data.
func countsIn(g *ir.Graph) bool {
	return slices.ContainsFunc(g.Nodes, func(n *ir.Node) bool { return n.Op == ir.OpCounted })
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
