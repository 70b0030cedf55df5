package simplify

import (
	"slices"

	"ltc/mlir"
	"ltc/stablehlo"
)

// inline puts the bodies of functions in the place of their calls, and of
// composites but those of Options.Keep and Options.Composite. Calls of functions that
// call themselves, or that have no body of one block, stay. The module may become
// maxGrowth times as large, and have maxInlined ops at least: a call whose body, with all
// that it calls, would exceed this stays as it is.
//
// An inlined op keeps the ordinal and position that it has in its function, and
// its location says by whom it was called.
func inline(s *state) bool {
	in := &inliner{state: s, ops: map[string]int{}, done: map[string]bool{}, expanded: map[string]int{}}
	in.Walk(func(*mlir.Op) bool { in.total++; return true })
	in.limit = max(maxGrowth*in.total, maxInlined)
	if main := s.Func("main"); main != nil {
		before := in.total
		in.function(main)
		// What else stays is the evaluator's, which needs no inlining.
		in.limit = min(in.limit, in.total+maxGrowth*before)
	}
	for _, f := range s.Ops {
		if f.Code == mlir.OpFunc {
			in.function(f)
		}
	}
	return in.changed
}

const (
	maxGrowth  = 8
	maxInlined = 200_000
)

type inliner struct {
	*state
	ops          map[string]int  // ops of a function after inlining into it; 0 while that goes on
	expanded     map[string]int  // the same, counted before any inlining, at most limit+1
	done         map[string]bool // functions whose own calls have been inlined
	total, limit int             // ops of the module
	changed      bool
}

// function inlines what f calls, those functions first.
func (in *inliner) function(f *mlir.Op) {
	name := f.SymName()
	if _, begun := in.ops[name]; begun {
		return
	}
	in.ops[name] = 0
	if b := f.Body(); b != nil {
		in.block(b)
		walk(b, func(*mlir.Op) { in.ops[name]++ })
	}
	in.done[name] = true
}

func (in *inliner) block(b *mlir.Block) {
	some := false
	for _, op := range b.Ops {
		for _, inner := range bodies(op) {
			in.block(inner)
		}
		some = some || op.Callee() != ""
	}
	if !some {
		return
	}
	stands := map[*mlir.Value]*mlir.Value{}
	var out []*mlir.Op
	for _, op := range b.Ops {
		in.Look()
		if f := in.callee(op); f != nil {
			out = in.call(out, op, f, stands)
			continue
		}
		out = append(out, op)
	}
	if len(stands) == 0 {
		return
	}
	b.Ops = out
	substitute(b, stands)
}

// inlines returns the function that op calls, if the target does not run op itself;
// nil if there is none.
func (in *inliner) inlines(op *mlir.Op) (name string, f *mlir.Op) {
	if name = op.Callee(); name == "" {
		return "", nil
	}
	if composite, _ := op.Attrs.Get("name").(mlir.StringAttr); op.Code == stablehlo.Composite && in.Keep[string(composite)] {
		return "", nil
	}
	if op.Code == stablehlo.Composite && in.Composite != nil && in.Composite(op) {
		return "", nil
	}
	if f = in.Func(name); f == nil || f.Body() == nil {
		return "", nil
	}
	return name, f
}

// callee returns the function whose body is to stand in op's place; nil if op
// stays.
func (in *inliner) callee(op *mlir.Op) *mlir.Op {
	name, f := in.inlines(op)
	if f == nil {
		return nil
	}
	if in.total+in.expandedOps(name, f) > in.limit {
		return nil
	}
	in.function(f)
	if !in.done[name] || in.total+in.ops[name] > in.limit || !fits(op, f) {
		return nil
	}
	return f
}

// expandedOps returns how many ops a function has when all that it calls is inlined, at
// most limit+1. It is limit+1 for a function that calls itself.
func (in *inliner) expandedOps(name string, f *mlir.Op) int {
	n, known := in.expanded[name]
	if known {
		return n
	}
	in.expanded[name] = in.limit + 1 // for its own calls of itself
	walk(f.Body(), func(op *mlir.Op) {
		if n++; n <= in.limit {
			if callee, g := in.inlines(op); g != nil {
				n += in.expandedOps(callee, g)
			}
		}
	})
	in.expanded[name] = min(n, in.limit+1)
	return in.expanded[name]
}

// fits reports whether the call's values have the types of the function's.
func fits(op, f *mlir.Op) bool {
	same := func(v, w *mlir.Value) bool { return mlir.SameType(v.Type, w.Type) }
	ret := terminator(f.Body())
	return slices.EqualFunc(op.Operands, f.Body().Args, same) && ret.Code == mlir.OpReturn && slices.EqualFunc(op.Results, ret.Operands, same)
}

// call appends a copy of f's body and notes what stands for the results of op.
func (in *inliner) call(out []*mlir.Op, op, f *mlir.Op, stands map[*mlir.Value]*mlir.Value) []*mlir.Op {
	in.changed = true
	if in.isErf(op) {
		erf := mlir.NewOp(stablehlo.CHLOErf, op.Operands, op.Results[0].Type)
		erf.Pos, erf.Ordinal, erf.Loc = op.Pos, op.Ordinal, op.Loc
		stands[op.Results[0]] = erf.Results[0]
		return append(out, erf)
	}
	in.total += in.ops[f.SymName()]
	c := mlir.Cloner{Loc: func(callee mlir.Location) mlir.Location { return callLoc(callee, op.Loc) }}
	for i, a := range f.Body().Args {
		c.Replace(a, op.Operands[i])
	}
	ret := terminator(f.Body())
	for _, inner := range f.Body().Ops {
		in.Look()
		if inner != ret {
			out = append(out, c.Op(inner))
		}
	}
	for i, r := range op.Results {
		stands[r] = c.Value(ret.Operands[i])
	}
	return out
}

func (in *inliner) isErf(op *mlir.Op) bool {
	return op.Attrs.Get("name") == mlir.Attribute(mlir.StringAttr("ltc.erf")) && op.Code == stablehlo.Composite &&
		in.Keep[stablehlo.CHLOErf.String()] && len(op.Operands) == 1 && len(op.Results) == 1 && mlir.SameType(op.Operands[0].Type, op.Results[0].Type)
}

// callLoc returns the location of an op that is inlined: where it is in its function, and
// by whom that was called. Both may be nil.
func callLoc(callee, caller mlir.Location) mlir.Location {
	switch {
	case caller == nil:
		return callee
	case callee == nil:
		return caller
	}
	return mlir.CallLoc{Callee: callee, Caller: caller}
}
