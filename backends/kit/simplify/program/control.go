package program

import (
	"slices"

	"ltc/mlir"
	"ltc/stablehlo"
)

// ControlFlow decides branches and loops whose predicate is a constant, and leaves
// out results of branches and loops that nobody uses and values of loops that
// never change. It takes tuples apart, and runs what is started asynchronously where its
// results are awaited.
func ControlFlow(s *Program) bool {
	f := &flow{Program: s}
	for _, b := range s.Functions() {
		f.uses, f.Replacements = CountUses(b), Replacements{}
		f.block(b)
		Substitute(b, f.Replacements)
	}
	return f.changed
}

type flow struct {
	*Program
	uses    map[*mlir.Value]int // at least as often as a value is used
	changed bool
	Replacements
}

func (f *flow) block(b *mlir.Block) {
	out := make([]*mlir.Op, 0, len(b.Ops))
	for _, op := range b.Ops {
		f.Look()
		f.Apply(op.Operands)
		for _, inner := range Bodies(op) {
			f.block(inner)
		}
		switch op.Code {
		case stablehlo.If, stablehlo.Case:
			out = f.branch(out, op)
		case stablehlo.While:
			out = f.loop(out, op)
		case stablehlo.GetTupleElement:
			out = f.part(out, op)
		case stablehlo.AsyncDone:
			out = f.awaited(out, op)
		default:
			out = append(out, op)
		}
	}
	b.Ops = slices.DeleteFunc(out, func(op *mlir.Op) bool {
		gone := op.Code == stablehlo.AsyncStart && f.uses[op.Results[0]] == 0 && f.Pure(op.Body().Ops[0])
		f.changed = f.changed || gone
		return gone
	})
}

// stand makes v what stands for the results of op that is gone.
func (f *flow) stand(op *mlir.Op, v []*mlir.Value) {
	f.changed = true
	for i, r := range op.Results {
		w := f.now(v[i])
		f.Replacements[r] = w
		f.uses[w] += f.uses[r]
	}
}

// part is an element of a tuple that was made here.
func (f *flow) part(out []*mlir.Op, op *mlir.Op) []*mlir.Op {
	i := stablehlo.AsGetTupleElement(op).Index()
	if d := op.Operands[0].Def; d != nil && d.Code == stablehlo.Tuple && mlir.SameType(d.Operands[i].Type, op.Results[0].Type) {
		f.stand(op, d.Operands[i:i+1])
		return out
	}
	return append(out, op)
}

// awaited puts the op that an async_start runs in the place of the async_done, if it does
// nothing but give results.
func (f *flow) awaited(out []*mlir.Op, op *mlir.Op) []*mlir.Op {
	start := op.Operands[0].Def
	if start == nil || start.Code != stablehlo.AsyncStart {
		return append(out, op)
	}
	inner := start.Body().Ops[0]
	if !f.Pure(inner) || len(inner.Regions) > 0 || !sameTypes(inner.Results, op.Results) {
		return append(out, op)
	}
	x := mlir.NewOp(inner.Code, slices.Clone(start.Operands), mlir.TypesOf(inner.Results)...)
	x.Attrs = slices.Clone(inner.Attrs)
	x.Pos, x.Ordinal, x.Loc = op.Pos, op.Ordinal, op.Loc
	f.Apply(x.Operands)
	for _, v := range x.Operands {
		f.uses[v]++
	}
	f.uses[op.Operands[0]]--
	f.stand(op, x.Results)
	return append(out, x)
}

// branch puts the ops of the branch that is taken in the place of op, if that
// is known.
func (f *flow) branch(out []*mlir.Op, op *mlir.Op) []*mlir.Op {
	n, known := NumberOf(op.Operands[0])
	if !known {
		f.dropResults(op)
		return append(out, op)
	}
	taken := int(n.Int)
	switch {
	case op.Code == stablehlo.If:
		taken = 1 - int(n.Int&1)
	case n.Int < 0 || n.Int >= int64(len(op.Regions)):
		taken = len(op.Regions) - 1
	}
	b := op.Regions[taken].Blocks[0]
	ret := Terminator(b)
	if !sameTypes(ret.Operands, op.Results) {
		return append(out, op)
	}
	f.stand(op, ret.Operands)
	return append(out, b.Ops[:len(b.Ops)-1]...)
}

func sameTypes(a, b []*mlir.Value) bool {
	return slices.EqualFunc(a, b, func(v, w *mlir.Value) bool { return mlir.SameType(v.Type, w.Type) })
}

// dropResults leaves out the results of a branch that nobody uses.
func (f *flow) dropResults(op *mlir.Op) {
	unused := func(i int) bool { return f.uses[op.Results[i]] == 0 }
	used := without(op.Results, unused)
	if len(used) == 0 || len(used) == len(op.Results) {
		return // of which nobody uses anything, another pass decides
	}
	f.changed = true
	for _, b := range Bodies(op) {
		Terminator(b).Operands = without(Terminator(b).Operands, unused)
	}
	op.Results = renumbered(used)
}

// without returns the values of v but those at the indices that are to go.
func without(v []*mlir.Value, gone func(i int) bool) []*mlir.Value {
	var out []*mlir.Value
	for i, x := range v {
		if !gone(i) {
			out = append(out, x)
		}
	}
	return out
}

func renumbered(v []*mlir.Value) []*mlir.Value {
	for i, x := range v {
		x.Index = i
	}
	return v
}
