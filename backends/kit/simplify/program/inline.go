package program

import (
	"slices"

	"ltc/mlir"
	"ltc/stablehlo"
)

// Inline puts the bodies of functions in the place of their calls, and of composites but those
// that kept reports. A composite called ltc.erf becomes chlo.erf if erf is set. Calls of functions that
// call themselves, or that have no body of one block, stay. The module may become
// maxGrowth times as large, and have maxInlined ops at least: a call whose body, with all
// that it calls, would exceed this stays as it is. Private functions that no call is left
// of are left out.
//
// Calls are inlined from the outside: the body of a call is copied together with what it
// calls in turn, so that each op is copied once for each place where it ends up.
//
// An inlined op keeps the ordinal and position that it has in its function, and
// its location says by whom it was called.
func Inline(s *Program, kept func(composite *mlir.Op) bool, erf bool) bool {
	in := &inliner{Program: s, kept: kept, erf: erf, expanded: map[string]int{}, done: map[*mlir.Op]bool{}}
	in.Walk(func(*mlir.Op) bool { in.total++; return true })
	in.limit = max(maxGrowth*in.total, maxInlined)
	if main := s.Func("main"); main != nil && main.Body() != nil {
		before := in.total
		in.block(main.Body())
		// What else stays is the evaluator's, which needs no inlining.
		in.limit = min(in.limit, in.total+maxGrowth*before)
	}
	for _, f := range s.Ops {
		if f.Code == mlir.OpFunc && !private(f) {
			in.function(f)
		}
	}
	return s.deadFuncs() || in.changed
}

const (
	maxGrowth  = 8
	maxInlined = 200_000
)

type inliner struct {
	*Program
	kept         func(composite *mlir.Op) bool
	erf          bool
	expanded     map[string]int    // ops of a function with all that it calls, before any inlining, at most limit+1
	done         map[*mlir.Op]bool // functions into which their calls have been inlined
	total, limit int               // ops of the module
	changed      bool
}

// function inlines what f calls, and then what the functions do that f still names.
func (in *inliner) function(f *mlir.Op) {
	in.reach(f, in.done, func(f *mlir.Op) {
		if b := f.Body(); b != nil {
			in.block(b)
		}
	})
}

// block inlines the calls of a block and of the regions of its ops.
func (in *inliner) block(b *mlir.Block) {
	some := false
	for _, op := range b.Ops {
		for _, inner := range Bodies(op) {
			in.block(inner)
		}
		some = some || op.Callee() != ""
	}
	if !some {
		return
	}
	some = false
	stands := Replacements{} // by result of a call that is gone; no stand-in is one
	var out []*mlir.Op
	for _, op := range b.Ops {
		in.Look()
		f := in.callee(op)
		if f == nil || in.total+in.expandedOps(op.Callee(), f) > in.limit {
			out = append(out, op)
			continue
		}
		operands := slices.Clone(op.Operands)
		stands.Apply(operands)
		some = true
		var results []*mlir.Value
		out, results = in.call(out, op, f, operands, op.Loc)
		for i, r := range op.Results {
			stands[r] = results[i]
		}
	}
	if !some {
		return
	}
	b.Ops = out
	Substitute(b, stands)
}

// inlines returns the function that op calls, if the target does not run op itself;
// nil if there is none.
func (in *inliner) inlines(op *mlir.Op) (name string, f *mlir.Op) {
	if name = op.Callee(); name == "" {
		return "", nil
	}
	if op.Code == stablehlo.Composite && in.kept(op) {
		return "", nil
	}
	if f = in.Func(name); f == nil || f.Body() == nil {
		return "", nil
	}
	return name, f
}

// callee returns the function whose body can stand in op's place; nil if there is none.
func (in *inliner) callee(op *mlir.Op) *mlir.Op {
	if _, f := in.inlines(op); f != nil && fits(op, f) {
		return f
	}
	return nil
}

// expandedOps returns how many ops a function has when all that it calls is inlined, at
// most limit+1. It is limit+1 for a function that calls itself.
func (in *inliner) expandedOps(name string, f *mlir.Op) int {
	n, known := in.expanded[name]
	if known {
		return n
	}
	in.expanded[name] = in.limit + 1 // for its own calls of itself
	Walk(f.Body(), func(op *mlir.Op) {
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
	ret := Terminator(f.Body())
	return sameTypes(op.Operands, f.Body().Args) && ret.Code == mlir.OpReturn && sameTypes(op.Results, ret.Operands)
}

// call appends a copy of f's body, with all that it calls, for a call op at loc of these
// operands. It returns the values of the call's results.
func (in *inliner) call(out []*mlir.Op, op, f *mlir.Op, operands []*mlir.Value, loc mlir.Location) ([]*mlir.Op, []*mlir.Value) {
	in.changed = true
	if in.isErf(op) {
		erf := mlir.NewOp(stablehlo.CHLOErf, operands, op.Results[0].Type)
		erf.Pos, erf.Ordinal, erf.Loc = op.Pos, op.Ordinal, loc
		return append(out, erf), erf.Results
	}
	c := &mlir.Cloner{Loc: func(callee mlir.Location) mlir.Location { return callLoc(callee, loc) }}
	c.Ops = func(ops []*mlir.Op) []*mlir.Op { return in.copies(nil, c, ops) }
	for i, a := range f.Body().Args {
		c.Replace(a, operands[i])
	}
	ret := Terminator(f.Body())
	out = in.copies(out, c, f.Body().Ops[:len(f.Body().Ops)-1])
	results := make([]*mlir.Value, len(ret.Operands))
	for i, v := range ret.Operands {
		results[i] = c.Value(v)
	}
	return out, results
}

// copies appends copies of ops, with the bodies of their calls in the place of these.
func (in *inliner) copies(out []*mlir.Op, c *mlir.Cloner, ops []*mlir.Op) []*mlir.Op {
	for _, op := range ops {
		in.Look()
		f := in.callee(op)
		if f == nil {
			in.total++
			out = append(out, c.Op(op))
			continue
		}
		operands := make([]*mlir.Value, len(op.Operands))
		for i, v := range op.Operands {
			operands[i] = c.Value(v)
		}
		var results []*mlir.Value
		out, results = in.call(out, op, f, operands, c.Loc(op.Loc))
		for i, r := range op.Results {
			c.Replace(r, results[i])
		}
	}
	return out
}

func (in *inliner) isErf(op *mlir.Op) bool {
	return op.Attrs.Get("name") == mlir.Attribute(mlir.StringAttr("ltc.erf")) && op.Code == stablehlo.Composite &&
		in.erf && len(op.Operands) == 1 && len(op.Results) == 1 && mlir.SameType(op.Operands[0].Type, op.Results[0].Type)
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
