package kit

import (
	"context"
	"errors"
	"slices"

	"ltc/backends"
	"ltc/backends/kit/plan"
	"ltc/mlir"
	"ltc/stablehlo"
)

// drives reports whether the host runs an op's regions, one of them at a time.
func drives(op *mlir.Op) bool {
	return opTable[op.Code].driven != ""
}

// hostWriter writes down the steps that are no kernels.
type hostWriter struct {
	ctx context.Context
	g   *graph
	p   *backends.Program
	o   Options
	at  func(plan.ValueID) plan.ValueID
}

// work returns the work of a node.
func (w *hostWriter) work(n *node) (plan.Work, error) {
	if n.host.composite != nil {
		return w.composite(n), nil
	}
	if n.host.sort != nil {
		return w.sort(n), nil
	}
	op := n.host.op
	args := w.args(n.host.ins)
	var outs []plan.ValueID
	for _, v := range n.host.outs {
		outs = append(outs, w.at(v))
	}
	evaluate := func(reason string) (plan.Work, error) {
		text := hostText(op, n.host.inputs, n.host.others)
		run, err := w.o.Eval.Compile(w.ctx, backends.NewModule(text), backends.Options{Name: w.p.File})
		if err != nil { // of the whole text it has more to say
			return nil, errors.Join(ErrNotCompiled, plan.At(op, err))
		}
		return &plan.Host{Op: op.Code, Reason: reason, Why: why(op.Code, reason), Text: text, Run: run, Args: args, Outs: outs}, nil
	}
	if !drives(op) {
		return evaluate(n.host.reason)
	}
	captured := capturedBy(op)
	bodies := make([]*plan.Program, len(op.Regions))
	ops := make([]plan.Ordinals, len(op.Regions))
	for i, r := range op.Regions {
		var text string
		var err error
		text, ops[i] = regionText(r, captured, n.host.others, op.Code == stablehlo.While && i == 1)
		bodies[i], err = w.region(text)
		if errors.Is(err, ErrNotCompiled) {
			return evaluate(Why(err))
		}
		if err != nil {
			return nil, err
		}
	}
	own := w.argsOf(n, op.Operands)
	rest := w.argsOf(n, captured)
	if op.Code == stablehlo.While {
		return &plan.Loop{Cond: bodies[0], Body: bodies[1], Init: own, Captured: rest, Outs: outs, CondOps: ops[0], BodyOps: ops[1], Stays: stays(bodies[1], len(own))}, nil
	}
	return &plan.Branch{Index: own[0], Branches: bodies, Ops: ops, Captured: rest, Outs: outs}, nil
}

// region compiles the text of a region.
func (w *hostWriter) region(text string) (*plan.Program, error) {
	p, err := backends.Load(w.ctx, backends.NewModule(text), backends.Options{Name: w.p.File})
	if err != nil {
		return nil, err
	}
	o := w.o
	o.region, o.watch = true, nil
	return Compile(w.ctx, p, o)
}

// stays returns which of n values that a loop carries its body writes over.
func stays(body *plan.Program, n int) []bool {
	all := make([]bool, n)
	for i := range all {
		all[i] = body.Signature.Results[i].Alias == i && body.InPlace(i)
	}
	return all
}

// capturedBy returns what the regions of an op use from outside, each once.
func capturedBy(op *mlir.Op) []*mlir.Value {
	inner := *op
	inner.Operands = nil
	return inputs(&inner)
}

func (w *hostWriter) args(values []plan.ValueID) []plan.HostArg {
	var all []plan.HostArg
	for _, v := range values {
		all = append(all, plan.HostArg{Value: w.at(v), Type: w.g.values[v].typ})
	}
	return all
}

// argsOf returns the values that stand for those of the text, all of which are
// inputs of the node.
func (w *hostWriter) argsOf(n *node, values []*mlir.Value) []plan.HostArg {
	var ids []plan.ValueID
	for _, v := range values {
		ids = append(ids, n.host.ins[slices.Index(n.host.inputs, v)])
	}
	return w.args(ids)
}
