package kit

import (
	"context"
	"errors"
	"slices"

	"ltc/backends"
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
	at  func(ValueID) ValueID
}

// step fills in the step of a node.
func (w *hostWriter) step(n *node, s *Step) error {
	if n.host.composite != nil {
		w.composite(n, s)
		return nil
	}
	if n.host.sort != nil {
		w.sort(n, s)
		return nil
	}
	op := n.host.op
	args := w.args(n.host.ins)
	var outs []ValueID
	for _, v := range n.host.outs {
		outs = append(outs, w.at(v))
	}
	evaluate := func(reason string) error {
		text := hostText(op, n.host.inputs, n.host.others)
		run, err := w.o.Eval.Compile(w.ctx, backends.NewModule(text), backends.Options{Name: w.p.File})
		if err != nil { // of the whole text it has more to say
			return errors.Join(ErrNotCompiled, At(op, err))
		}
		s.Host = &Host{Op: op.Code, Reason: reason, Text: text, Run: run, Args: args, Outs: outs}
		return nil
	}
	if !drives(op) {
		return evaluate(n.host.reason)
	}
	captured := capturedBy(op)
	bodies := make([]*Program, len(op.Regions))
	ops := make([]Ordinals, len(op.Regions))
	for i, r := range op.Regions {
		var text string
		var err error
		text, ops[i] = regionText(r, captured, n.host.others, op.Code == stablehlo.While && i == 1)
		bodies[i], err = w.region(text)
		if errors.Is(err, ErrNotCompiled) {
			return evaluate(Why(err))
		}
		if err != nil {
			return err
		}
	}
	own := w.argsOf(n, op.Operands)
	rest := w.argsOf(n, captured)
	if op.Code == stablehlo.While {
		s.Loop = &Loop{Cond: bodies[0], Body: bodies[1], Init: own, Captured: rest, Outs: outs, CondOps: ops[0], BodyOps: ops[1], Stays: stays(bodies[1], len(own))}
	} else {
		s.Branch = &Branch{Index: own[0], Branches: bodies, Ops: ops, Captured: rest, Outs: outs}
	}
	return nil
}

// region compiles the text of a region.
func (w *hostWriter) region(text string) (*Program, error) {
	p, err := backends.Load(w.ctx, backends.NewModule(text), backends.Options{Name: w.p.File})
	if err != nil {
		return nil, err
	}
	o := w.o
	o.region, o.watch = true, nil
	return Compile(w.ctx, p, o)
}

// stays returns which of n values that a loop carries its body writes over.
func stays(body *Program, n int) []bool {
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

func (w *hostWriter) args(values []ValueID) []HostArg {
	var all []HostArg
	for _, v := range values {
		all = append(all, HostArg{w.at(v), w.g.values[v].typ})
	}
	return all
}

// argsOf returns the values that stand for those of the text, all of which are
// inputs of the node.
func (w *hostWriter) argsOf(n *node, values []*mlir.Value) []HostArg {
	var ids []ValueID
	for _, v := range values {
		ids = append(ids, n.host.ins[slices.Index(n.host.inputs, v)])
	}
	return w.args(ids)
}

// hostAccess returns the values that a step which is no kernel reads and those
// that it writes.
func (s *Step) hostAccess() (reads, writes []ValueID) {
	var args []HostArg
	switch {
	case s.Composite != nil:
		for _, a := range s.Composite.Args {
			reads = append(reads, a.Value)
		}
		writes = slices.Clone(s.Composite.Work)
		for _, o := range s.Composite.Outs {
			writes = append(writes, o.Value)
		}
	case s.Sort != nil:
		args, writes = s.Sort.Args, slices.Clone(s.Sort.Work)
		for _, o := range s.Sort.Outs {
			writes = append(writes, o.Value)
		}
	case s.Host != nil:
		args, writes = s.Host.Args, s.Host.Outs
	case s.Loop != nil:
		args, writes = slices.Concat(s.Loop.Init, s.Loop.Captured), s.Loop.Outs
	default:
		args, writes = append(slices.Clone(s.Branch.Captured), s.Branch.Index), s.Branch.Outs
	}
	for _, a := range args {
		reads = append(reads, a.Value)
	}
	return reads, writes
}
