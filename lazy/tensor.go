// Package lazy is the tensor library: operations on a [Tensor] record what is
// to be computed, and [Trace.MarkStep] compiles and runs it.
//
// A [Device] is where programs run and variables live. A [Trace] records one
// program after another, a step each; it belongs to one goroutine at a time.
// Tensors made from host data, variables and the tensors given to MarkStep have
// values that can be read; other tensors live as long as the step they were
// recorded in.
//
// Steps run one after the other, in the background unless they are short:
// MarkStep returns when the step is queued, reading a root waits for it, and
// [Trace.Wait] and [Device.Wait] for all. What goes wrong meanwhile is a
// [*StepError], which comes back once.
//
// A bad operation gives a tensor that holds an [*OpError]; operations on it
// pass the error on, and MarkStep, Value and Err return it.
//
// The package imports only ltc/ir, ltc/shapeinfer, ltc/autodiff, ltc/batching, ltc/lift, ltc/lower,
// ltc/backends, ltc/internal/border, ltc/internal/explain, ltc/internal/hostmem, ltc/internal/modes,
// ltc/lazy/internal/account, ltc/lazy/internal/alloc, ltc/lazy/internal/axes,
// ltc/lazy/internal/execution, ltc/lazy/internal/guard, ltc/lazy/internal/maps,
// ltc/lazy/internal/memory, ltc/lazy/internal/metrics, ltc/lazy/internal/opbyop,
// ltc/lazy/internal/philox, ltc/lazy/internal/programs, ltc/lazy/internal/region,
// ltc/lazy/internal/sched, ltc/lazy/internal/settings, ltc/lazy/internal/strided,
// ltc/lazy/internal/varying, ltc/soa, the packages below. It never imports a backend: a
// program imports the ones it wants for their side effect, as with database/sql.
package lazy

import (
	"fmt"
	"slices"

	"ltc/internal/callsite"
	"ltc/ir"
	"ltc/ir/dims"
	"ltc/ir/types"
)

// The dtypes of tensors.
const (
	Bool = types.Bool
	U8   = types.U8
	U16  = types.U16
	U32  = types.U32
	U64  = types.U64
	I8   = types.I8
	I16  = types.I16
	I32  = types.I32
	I64  = types.I64
	F16  = types.F16
	BF16 = types.BF16
	F32  = types.F32
	F64  = types.F64
	C64  = types.C64  // a complex64 of Go: two F32
	C128 = types.C128 // a complex128: two F64

	// Floats of 8 bits, which have no arithmetic of their own: convert them to F32 or BF16 for it.
	F8E4M3FN = types.F8E4M3FN // up to 448, without infinities
	F8E5M2   = types.F8E5M2   // up to 57344, with infinities
)

// Tensor is a handle on an array that may not have been computed yet. Its
// dtype and shape are known from the start. It is one of
//   - a variable, which belongs to a device ([Device.Variable]).
//   - host data or a kept result, which has a value and can be used in any
//     trace of its device.
//   - a recorded operation, which belongs to a trace's current step.
//   - a view, which shares the elements of one of these (Slice, Select,
//     Transpose, Reshape and their kin): a write to one of them is seen by all.
//   - a poisoned tensor, which holds the error of a bad operation. It is safe
//     to use: its shape is empty and every operation on it gives its error.
type Tensor struct {
	tr    *Trace        // that recorded it; nil for a variable and for a device's own
	node  *ir.Node      // in tr; nil when poisoned or not of a trace
	epoch uint32        // the step of tr that node belongs to
	loc   callsite.Site // where it was made, when it has a value and no node
	dev   *Device
	v     *variable
	val   *value // its data, if it has any of its own
	err   *OpError
	alias *alias // of a view, or of a tensor that was written; nil for most
}

// Type returns dtype and shape; the zero Type when t is poisoned.
func (t *Tensor) Type() types.Type {
	switch {
	case t == nil:
	case t.node != nil:
		return t.node.Type
	case t.v != nil:
		return t.v.typ
	case t.val != nil:
		return t.val.typ()
	case t.alias != nil:
		return t.alias.typ
	}
	return types.Type{}
}

// DType returns the type of the elements.
func (t *Tensor) DType() types.DType { return t.Type().DType }

// Shape returns the dimensions, not to be changed. The step fails if one of them follows from data
// and the step has not run: see [Tensor.Dim].
func (t *Tensor) Shape() types.Shape {
	s := t.OpenShape()
	if !dims.HasExpr(s...) {
		return s
	}
	s = slices.Clone(s)
	for i, d := range s {
		s[i] = t.number("shape", i, d)
	}
	return s
}

// OpenShape is [Tensor.Shape] to pass on: see [Tensor.OpenDim].
func (t *Tensor) OpenShape() types.Shape { return t.Type().Shape }

// Rank returns the number of dimensions.
func (t *Tensor) Rank() int { return t.Type().Rank() }

// Dim returns dimension i; a negative i counts from the end. It is 0 where there is no
// such dimension: of a poisoned tensor, so that code goes on to where its error comes
// back, and of any other; only a [Strict] device panics there.
//
// A dimension that follows from data, as of [Tensor.MaskedSelect], is no number before the step
// has run. Dim is 0 then, and the step fails with an error that says so. [Tensor.Size] is to compute
// with, and [Tensor.OpenDim] to pass on.
func (t *Tensor) Dim(i int) int {
	d := t.OpenDim(i)
	if dims.IsExpr(d) {
		d = t.number("dim", i, d)
	}
	return d
}

// OpenDim is [Tensor.Dim] to pass on: to [Tensor.Reshape], [Zeros], [SizeMul] and their kin. A
// dimension that follows from data is the name of an expression, as [Dim] gives one. It is no number:
// Go code must not compute with it.
func (t *Tensor) OpenDim(i int) int {
	s := t.OpenShape()
	at := i
	if i < 0 {
		at += len(s)
	}
	if at < 0 || at >= len(s) {
		if t != nil && t.err == nil && t.dev != nil && t.dev.strict {
			t.misuse("dim", fmt.Sprintf("it has rank %d, and no dimension %d", len(s), i))
		}
		return 0
	}
	return s[at]
}

// Device returns the device that the tensor belongs to; nil for no tensor.
func (t *Tensor) Device() *Device {
	if t == nil {
		return nil
	}
	return t.dev
}

// Trace returns the trace that recorded the tensor; nil for a variable and
// for tensors of a device.
func (t *Tensor) Trace() *Trace {
	if t == nil {
		return nil
	}
	return t.tr
}

// Name returns the name that a variable or scalar argument was made with, or
// that Named gave; "" for other tensors.
func (t *Tensor) Name() string {
	switch {
	case t == nil:
	case t.v != nil:
		return t.v.name
	case t.val != nil:
		return t.val.name
	}
	return ""
}

// Named gives host data, or a result that has a value, a name, which programs
// show as that of their argument (ltc.name), and returns it. What is computed,
// and whether it has to be compiled, does not depend on names: of equal programs
// with other names the one compiled first lends its own. Name a tensor before
// other traces use it.
func (t *Tensor) Named(name string) *Tensor {
	if b := firstBad("named", t); b != nil {
		return b
	}
	if t.v != nil || t.val == nil || t.isView() {
		return t.misuse("named", "only host data and results that have a value can be named, variables when they are made")
	}
	t.val.name = name
	if t.node != nil && t.node.Value == any(t.val) {
		t.node.SetParamName(name)
	}
	if t.tr != nil {
		if n := t.tr.arguments.Of(t.val); n != nil {
			n.SetParamName(name)
		}
	}
	return t
}

// IsVariable reports whether t is a variable, which ops with an underscore and
// Assign accept.
func (t *Tensor) IsVariable() bool { return t != nil && t.v != nil }

// Err returns the error that poisoned the tensor, an [*OpError], or nil.
func (t *Tensor) Err() error {
	if t == nil || t.err == nil {
		return nil
	}
	return t.err
}

// String describes the tensor without computing anything.
func (t *Tensor) String() string {
	switch {
	case t == nil || t.dev == nil && t.err == nil:
		return "no tensor"
	case t.err != nil:
		return "poisoned: " + t.err.Error()
	case t.v != nil:
		return fmt.Sprintf("variable %q %v", t.v.name, t.v.typ)
	case t.val != nil && !t.val.ready():
		return fmt.Sprintf("value %v, on its way", t.Type())
	case t.isView():
		return fmt.Sprintf("view %v made at %v of %v", t.Type(), t.alias.loc, t.alias.root)
	case t.val != nil:
		return fmt.Sprintf("value %v", t.Type())
	}
	return fmt.Sprintf("%v %v recorded at %v", t.node.Op, t.Type(), t.node.Loc)
}

// poisoned returns a tensor that holds err.
func (tr *Trace) poisoned(err *OpError) *Tensor {
	return tr.dev.poisoned(tr, err)
}

// wrap returns a handle on a node of the current step that no op was counted for.
func (tr *Trace) wrap(n *ir.Node) *Tensor {
	tr.tally.Other(1)
	return tr.counted(n)
}

// counted is wrap for the result of an op that was counted.
func (tr *Trace) counted(n *ir.Node) *Tensor {
	tr.made++
	t := tr.handle(n)
	t.tr, t.node, t.epoch, t.dev = tr, n, tr.epoch, tr.dev
	return t
}

// result is wrap for a node that may have failed to come about.
func (tr *Trace) result(n *ir.Node, err error) *Tensor {
	if err != nil {
		return tr.poisoned(typeError(tr.site(), err))
	}
	return tr.wrap(tr.cut(n))
}

// results is result for a node with as many results as there are in ys.
func (tr *Trace) results(ys []*Tensor, n *ir.Node, err error) {
	if err != nil || n.Results() == nil {
		putAll(ys, tr.result(n, err))
		return
	}
	for i := range ys {
		ys[i] = tr.result(tr.b.Node(ir.OpResult, tr.b.Operands(n), tr.b.Attrs(ir.Attr{Int: int64(i)}), nil))
	}
}
