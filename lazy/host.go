package lazy

import (
	"context"
	"fmt"
	"slices"

	"ltc/backends"
	"ltc/internal/callsite"
	"ltc/internal/diag"
	"ltc/ir"
	"ltc/ir/dims"
	"ltc/ir/ops"
	"ltc/ir/types"
	"ltc/shapeinfer"
	"ltc/soa"
)

// HostOp describes a Go function on values as an op, for [Host].
type HostOp struct {
	// Name is the op's in programs and errors, with a namespace that is not ltc: physics.fit.
	// Programs have a custom_call of this name.
	Name     string
	Doc      string        // what it returns, as a sentence going on from the name
	Operands []ops.Operand // at least one
	Results  []string      // their names; one result needs none
	// Types returns the types of the results for operands of the types in, or an error that
	// says what is wrong with these. It depends on nothing else.
	Types func(in []types.Type) ([]types.Type, error)
	// Run computes the results. Operands and results are dense, and valid until it returns;
	// in is not to be written, and out has undefined contents at first. It is called from any
	// goroutine. An error, or a panic, is that of the step, with the line of the call.
	Run func(ctx context.Context, in, out []soa.View) error
	// Gradient returns the gradients of the operands for those of the results y, ct, as that
	// of [DefineAll] does. Without it, nil, gradients through the op are an error.
	Gradient func(x, y, ct []*Tensor) []*Tensor
}

// Host makes an op of a Go function. Programs call it by name, on any backend, as a step of
// the program on the host: what the function reads and writes is copied from and to a device
// with memory of its own. The text of a program alone does not have the function: who runs it
// elsewhere registers one of the name ([backends.RegisterHost]).
//
// Call Host once, for a variable of a package. An op that cannot be is the error of every call.
// Sizes of its operands are numbers: with an open size a call is an error.
func Host(h HostOp) *Callable {
	at := callsite.Caller()
	row := Composite{Name: h.Name, Doc: h.Doc, Operands: h.Operands, Results: h.Results, Check: h.check, Where: []ops.Demand{{Name: "types", Text: "the function takes operands of these types"}}}
	var gradient func(x, y, ct []*Tensor, _ Attrs) []*Tensor
	if h.Gradient != nil {
		gradient = func(x, y, ct []*Tensor, _ Attrs) []*Tensor { return h.Gradient(x, y, ct) }
	}
	d := defined(at, row, h.body, gradient)
	switch {
	case d.fault != "":
	case h.Types == nil || h.Run == nil:
		d.fault = fmt.Sprintf("it needs both Types and Run: see its definition at %v", at)
	default:
		err := backends.RegisterHost(h.Name, func(ctx context.Context, c *backends.HostCall) error { return h.Run(ctx, c.Args, c.Results) })
		if err != nil {
			d.fault = fmt.Sprintf("%v: see its definition at %v", err, at)
		}
	}
	return d
}

// check returns what is wrong with a call.
func (h *HostOp) check(x []*Tensor, _ Attrs) (demand, reason string) {
	x = slices.DeleteFunc(slices.Clone(x), func(t *Tensor) bool { return t == nil }) // left out
	for i, t := range x {
		if dims.HasExpr(t.OpenShape()...) {
			return "types", fmt.Sprintf("operand %d is %v, whose sizes must be numbers", i, t.Type())
		}
	}
	out, err := h.Types(operandTypes(x))
	if err != nil {
		return "types", err.Error()
	}
	if want := max(1, len(h.Results)); len(out) != want {
		return "types", fmt.Sprintf("its Types gives %s, must give %d", diag.Count(len(out), "result"), want)
	}
	for i, t := range out {
		if err := t.Check(); err != nil {
			return "types", fmt.Sprintf("its Types gives result %d as %v: %v", i, t, err)
		}
	}
	return "", ""
}

// body records the call.
func (h *HostOp) body(x []*Tensor, _ Attrs) []*Tensor {
	tr := x[0].tr
	ys := make([]*Tensor, max(1, len(h.Results)))
	out, err := h.Types(operandTypes(x))
	if err != nil {
		putAll(ys, tr.poisoned(opError(tr.site(), h.Name, ErrType, x, "%v", err)))
		return ys
	}
	in := make([]*ir.Node, len(x))
	for i, t := range x {
		in[i] = tr.operand(t)
	}
	n, err := shapeinfer.Record(tr.b, ir.OpHostCall, in, []ir.Attr{ir.HostCallName: {Str: h.Name}, ir.HostCallResults: {Str: ir.HostResultsText(out)}, ir.HostCallEffect: {}}, nil)
	tr.results(ys, n, err)
	return ys
}

func operandTypes(x []*Tensor) []types.Type {
	all := make([]types.Type, len(x))
	for i, t := range x {
		all[i] = t.Type()
		all[i].Shape = slices.Clone(all[i].Shape) // the function may write it
	}
	return all
}
