package lazy

import (
	"fmt"
	"log/slog"
	"strings"
	"sync"

	"ltc/backends"
	"ltc/internal/callsite"
	"ltc/internal/diag"
	"ltc/ir"
	"ltc/ir/dims"
	"ltc/ir/types"
	"ltc/shapeinfer"
)

// Dim returns a dimension that is open, for the types of inputs of [Function.Export]: the
// program runs for every size from least to most, both included. Dimensions of one name are one
// size. [Tensor.Dim] and [Tensor.Shape] give the same int within the function. It is
// the name of an expression: a negative number that is no size itself. Pass it on to
// [Tensor.Reshape] and its kin as it is. Compute with it by [SizeAdd], [SizeSub], [SizeMul] and
// [SizeDiv], not by operators of Go. As a tensor a size is [Tensor.Size].
func Dim(name string, least, most int) int {
	return int(dims.Declared(name, int64(least), int64(most)))
}

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

// SizeSub returns a - b, of sizes that may be open ([Dim]). [Tensor.Reshape] takes a number of -1 as the
// axis to infer, also where a difference is -1: SizeMax of it and 0 is a size.
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
		return x.violates(op, "axis", "x has "+diag.Count(r, "axis"))
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
