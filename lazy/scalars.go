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
	"ltc/lazy/internal/memory"
	"ltc/shapeinfer"
	"ltc/soa"
)

// Scalar makes a scalar argument of programs: its value may change from step
// to step ([Tensor.Set]) without compiling anything. Its dtype is F32. It can be
// used in any trace of the device.
func (tr *Trace) Scalar(name string, x float64) *Tensor { return NewScalar(tr, name, F32, x) }

// NewScalar is [Trace.Scalar] for any dtype, and for who has a device and no
// trace.
func NewScalar(p Place, name string, dtype types.DType, x float64) *Tensor {
	if bad := misfit(p, "scalar", dtype, x); bad != nil {
		return bad
	}
	t := newValue(p, p.device().memory.Scalar(dtype), name)
	t.val.scalar = true
	memory.SetBits(t.val.view, 0, ir.LiteralBits(dtype, x))
	return t
}

// Set changes the value of a scalar argument, for the steps marked from now
// on. It must not be called while another goroutine calls a [Function] that
// uses the argument. Other tensors give an error.
func (t *Tensor) Set(x float64) error {
	switch b := firstBad("set", t); {
	case b != nil:
		return b.err
	case t.val == nil || !t.val.scalar:
		return t.misused("set", "it is not a scalar argument; make one with Scalar")
	}
	d := t.val.view.Type.DType
	if err := fits(d, x); err != nil {
		return t.misused("set", err.Error())
	}
	if t.val.queued.Load() > 0 { // steps marked before read what it was
		scalar := t.dev.memory.Scalar(d)
		t.val.view.Locate(&scalar)
	}
	memory.SetBits(t.val.view, 0, ir.LiteralBits(d, x))
	return nil
}

// misfit returns the poisoned result of op when x is no element of the dtype at p.
func misfit(p Place, op string, dtype types.DType, x float64) *Tensor {
	if !dtype.Valid() || nowhere(p) {
		return refused(p, op, fmt.Sprintf("there is no %v", dtype))
	}
	if err := fits(dtype, x); err != nil {
		return refused(p, op, err.Error())
	}
	return nil
}

// fits returns an error when x is no number, or no element of d.
func fits(d types.DType, x float64) error {
	if err := numeric(x); err != nil {
		return err
	}
	return element(d, x)
}

// element returns an error when x is no element of an integer or bool dtype: then
// it would have to be changed to become one. Floating point only rounds.
func element(d types.DType, x float64) error {
	if d.Continuous() {
		return nil
	}
	v := soa.Make(types.Of(d))
	memory.SetBits(v, 0, ir.LiteralBits(d, x))
	if memory.Float(v, 0) != x {
		return fmt.Errorf("%v is no value of %v", x, d)
	}
	return nil
}

// numeric returns an error when x was computed from the name of an open size.
func numeric(x float64) error {
	if dims.FromName(x) {
		return fmt.Errorf("%v is computed from the name of a size that is open, which is no number: compute with Size(i), a tensor, as in x.Div(x.Size(i).Convert(lazy.F32))", x)
	}
	return nil
}

// NumbersAsConstants keeps all numbers of ops, as in [Tensor.MulScalar] and [Full], constants
// of programs, as [Const] keeps one.
//
// Without it, a number that varies from step to step becomes an argument. The second value at
// a line compiles a program for all values, if the steps have recorded the same before that
// line and reuse nodes ([Trace.Reuse]); else the third value does. Each trace finds out for
// itself, and for each scope. Results may differ in their last bits from those of a program with
// the constant: a square by an argument is a power.
func NumbersAsConstants() Option { return func(d *Device) { d.constantNumbers = true } }

// Const returns the number x as a scalar that is part of the program. Each value has a program
// of its own, also where a number in an op would become an argument because it varies: see
// [NumbersAsConstants].
func Const(tr *Trace, dtype types.DType, x float64) *Tensor {
	if bad := misfit(tr, "const", dtype, x); bad != nil {
		return bad
	}
	return tr.constant(dtype, ir.LiteralBits(dtype, x))
}

// constant records a scalar of the given bits that is part of the program.
func (tr *Trace) constant(dtype types.DType, bits uint64) *Tensor {
	if !tr.enter() {
		return tr.poisoned(tr.crowded(ir.OpConstant.String()))
	}
	defer tr.leave()
	return tr.record(ir.OpConstant, nil, tr.b.Attrs(constant(dtype, bits)...))
}

func constant(dtype types.DType, bits uint64) []ir.Attr {
	return []ir.Attr{ir.ConstantDType: {Int: int64(dtype)}, ir.ConstantValue: {Int: int64(bits)}}
}

// number records a scalar of an op: a constant, or an argument if that number of the line varies
// from step to step.
func (tr *Trace) number(dtype types.DType, bits uint64) *Tensor {
	if !tr.enter() {
		return tr.poisoned(tr.crowded(ir.OpConstant.String()))
	}
	defer tr.leave()
	site := tr.site()
	if c := tr.closure(); c != nil && c.closed {
		return tr.anew(site, ir.OpConstant, nil, constant(dtype, bits))
	}
	line, argument := tr.numbers.Argument(tr.b, tr.step, site)
	if argument {
		return tr.argumentOf(dtype, bits)
	}
	attrs := tr.b.Attrs(constant(dtype, bits)...)
	if t := tr.again(site, ir.OpConstant, nil, attrs); t != nil {
		return t
	}
	if !tr.dev.constantNumbers && tr.numbers.Varies(tr.b, tr.step, site, line, attrs, bits) {
		return tr.argumentOf(dtype, bits)
	}
	return tr.anew(site, ir.OpConstant, nil, attrs)
}

// isNumber reports whether a parameter is a number of an op.
func isNumber(n *ir.Node) bool {
	v, ok := n.Value.(*value)
	return ok && v.number
}

// argumentOf returns a number as a scalar argument.
func (tr *Trace) argumentOf(dtype types.DType, bits uint64) *Tensor {
	t := newValue(tr, tr.dev.memory.Scalar(dtype), "")
	t.val.number = true
	memory.SetBits(t.val.view, 0, bits)
	return t
}

// like records a constant scalar of t's dtype, in t's trace.
func (t *Tensor) like(x float64) *Tensor {
	if t.err != nil || t.tr == nil {
		return t
	}
	d := t.DType()
	return t.tr.number(d, ir.LiteralBits(d, x))
}

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
		size := func(g *ir.Graph) int { return g.Params[p.Param].Type.Shape[p.Axis] }
		which = append(which, fmt.Sprintf("%s: axis %d of argument %s, %d and before %d", dims.String(symbol), p.Axis,
			backends.Label(p.Param, now.Params[p.Param].ParamName()), size(now), size(before)))
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
