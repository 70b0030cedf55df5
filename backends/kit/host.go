package kit

import (
	"errors"
	"fmt"
	"slices"

	"ltc/backends"
	"ltc/backends/kit/plan"
	"ltc/backends/kit/simplify/program"
	"ltc/mlir"
	"ltc/stablehlo"
)

// drives reports whether the host runs an op's regions, one of them at a time.
func drives(op *mlir.Op) bool {
	return opTable[op.Code].driven != ""
}

// hostStep is an op, with what is in its regions, that the evaluator runs, or a loop or
// branch that the host drives.
type hostStep struct {
	t      *translator
	op     *mlir.Op
	inputs []*mlir.Value // what it reads: operands, then captured values
	others []*mlir.Op    // what op may refer to, beside main
	reason string        // why it was not compiled
}

func (h *hostStep) String() string {
	if drives(h.op) {
		return h.op.Name() + ", whose regions are programs"
	}
	return fmt.Sprintf("host %s: %s", h.op.Name(), h.reason)
}

// Text returns a module whose main does what the step does.
// Sizes that are expressions are open in it. The error says that it depends on such a size in
// another way than by the types of its values.
func (h *hostStep) Text() (string, error) { return hostText(h.op, h.inputs, h.others) }

func (h *hostStep) Work(reads, writes []plan.HostArg) (plan.Work, error) {
	outs := plan.ValuesOf(writes)
	if !drives(h.op) {
		return h.evaluate(h.reason, reads, outs)
	}
	captured := capturedBy(h.op)
	bodies := make([]*plan.Program, len(h.op.Regions))
	ops := make([]plan.Ordinals, len(h.op.Regions))
	for i, r := range h.op.Regions {
		var err error
		bodies[i], ops[i], err = h.region(r, captured, h.op.Code == stablehlo.While && i == 1)
		if errors.Is(err, ErrNotCompiled) {
			return h.evaluate(Why(err), reads, outs)
		}
		if err != nil {
			return nil, err
		}
	}
	of := func(values []*mlir.Value) (args []plan.HostArg) {
		for _, v := range values {
			args = append(args, reads[slices.Index(h.inputs, v)])
		}
		return args
	}
	own, rest := of(h.op.Operands), of(captured)
	if h.op.Code == stablehlo.While {
		stay := stays(bodies[1], len(own))
		for i, filled := range program.Filled(h.op) {
			if filled && stay[i] {
				own[i].Value = outs[i]
			}
		}
		return &plan.Loop{Cond: bodies[0], Body: bodies[1], Init: own, Captured: rest, Outs: outs, CondOps: ops[0], BodyOps: ops[1], Stays: stay}, nil
	}
	return &plan.Branch{Index: own[0], Branches: bodies, Ops: ops, Captured: rest, Outs: outs}, nil
}

// evaluate returns the op as work of the evaluator.
func (h *hostStep) evaluate(reason string, args []plan.HostArg, outs []plan.ValueID) (plan.Work, error) {
	text, err := h.Text()
	if err != nil {
		return nil, errors.Join(ErrNotCompiled, plan.At(h.op, err))
	}
	run, err := h.t.o.Eval.Compile(h.t.ctx, backends.NewModule(text), backends.Options{Name: h.t.file, Threads: h.t.threads})
	if err != nil { // of the whole text it has more to say
		return nil, errors.Join(ErrNotCompiled, plan.At(h.op, err))
	}
	return &plan.Host{Op: h.op.Code, Reason: reason, Why: why(h.op.Code, reason), Text: text, Threads: h.t.threads, Run: run, Args: args, Outs: outs}, nil
}

// region compiles a region, and returns what its ops are in the program's text. Its text is that
// of the program, but where sizes are expressions, which no text has.
func (h *hostStep) region(r *mlir.Region, captured []*mlir.Value, carries bool) (*plan.Program, plan.Ordinals, error) {
	var p *backends.Program
	var err error
	ops := regionModule(r, captured, h.others, carries, func(m *mlir.Module) {
		if !isOpen(m) {
			p, err = backends.Load(h.t.ctx, backends.NewModule(located(m)), backends.Options{Name: h.t.file, Threads: h.t.threads})
			return
		}
		p = &backends.Program{File: h.t.file, Threads: h.t.threads, Module: copyOf(m)}
		n := 0
		p.Module.Walk(func(op *mlir.Op) bool { op.Ordinal = n; n++; return true })
		if p.Signature, p.Lacking, err = backends.ReadSignature(p.Module); err == nil && len(p.Lacking) > 0 {
			err = errors.Join(ErrNotCompiled, leave("%v", p.Lacking[0].Reason))
		}
	})
	if err != nil {
		return nil, nil, err
	}
	o := *h.t.o
	o.region, o.Fuse.Alone = true, nil
	k, err := h.t.compile(h.t.ctx, p, o)
	return k, ops, err
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
