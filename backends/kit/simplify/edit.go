package simplify

import (
	"slices"

	"ltc/backends/kit/simplify/program"
	"ltc/mlir"
	"ltc/stablehlo"
)

// editor rewrites functions op by op, in the order of the text: when a rule
// sees an op, its operands have been rewritten. It counts uses as it goes, from
// the first time that a count is asked for, so that what a rule leaves without
// use is gone with it.
type editor struct {
	*state
	rules   func(*opRow) rules       // those of the pass
	all     rule                     // for every elementwise op; nil if there is none
	program bool                     // bodies of what is done to elements are left as they are
	enters  func(*mlir.Op) bool      // but for those of these ops; nil if there are none
	several func(*opRow) severalRule // those of the pass for ops of any number of results; nil if there is none
	takes   func(*mlir.Op) bool      // the ops that rules are for; nil: those that are plain
	body    *mlir.Block              // of the function at hand
	counts  map[*mlir.Value]int      // see uses; nil before
	stands  program.Replacements
	dead    map[*mlir.Op]bool
	at      *mlir.Op // the op that is being rewritten
	depth   int      // of rules on ops that rules emitted
	changed bool
	place   // in the block at hand
}

// rule returns the value that stands for the only result of op, of the same
// type, or nil if it has nothing to say. It emits the ops that it needs; op
// itself it leaves as it is.
type rule func(e *editor, op *mlir.Op) *mlir.Value

// severalRule is a rule for an op of any number of results: it returns what stands for each
// of them, or nil.
type severalRule func(e *editor, op *mlir.Op) []*mlir.Value

// maxDepth bounds rules on ops that rules emitted; the next round goes on.
const maxDepth = 32

// rewrite applies the rules that of chooses from the rows of ops, to all functions.
func (s *state) rewrite(of func(*opRow) rules) bool { return s.rewriteAll(of, nil) }

// rewriteAll is rewrite with a rule for every elementwise op, after its own.
func (s *state) rewriteAll(of func(*opRow) rules, elementwise rule) bool {
	return s.rewriteBy(&editor{state: s, rules: of, all: elementwise})
}

func (s *state) rewriteBy(e *editor) bool {
	for _, b := range s.Functions() {
		e.function(b)
	}
	return e.changed
}

// function rewrites one function.
func (e *editor) function(b *mlir.Block) {
	e.body, e.counts = b, nil
	e.stands, e.dead = program.Replacements{}, map[*mlir.Op]bool{}
	e.block(b)
}

// uses says how often each value is an operand. Before anything has changed the
// ops are still where they were, and can be counted.
func (e *editor) uses() map[*mlir.Value]int {
	if e.counts == nil {
		e.counts = program.CountUses(e.body)
	}
	return e.counts
}

func (e *editor) block(b *mlir.Block) {
	outer, at := e.place, e.at
	e.place = place{ops: b.Ops}
	for i, op := range b.Ops {
		e.Look()
		e.here = i
		e.stands.Apply(op.Operands)
		program.SubstituteOthers(op, e.stands)
		for _, inner := range program.Bodies(op) {
			if e.program && !program.Controls(op) && (e.enters == nil || !e.enters(op)) {
				program.Substitute(inner, e.stands)
				continue
			}
			e.block(inner)
		}
		e.at = op
		switch v := e.apply(op); {
		case v != nil:
			e.edited()
			e.stand(op.Results[0], v)
			e.release(op)
		case e.several != nil && e.applySeveral(op):
		case e.out != nil:
			e.out = append(e.out, op)
		}
	}
	if e.out != nil {
		b.Ops = e.out
	}
	if len(e.dead) > 0 {
		b.Ops = slices.DeleteFunc(b.Ops, func(op *mlir.Op) bool { return e.dead[op] })
	}
	e.place, e.at = outer, at
}

// place is how far the rewriting of a block is: all before ops[here] is done. What
// it became is in out, unless nothing has changed yet.
type place struct {
	ops  []*mlir.Op
	here int
	out  []*mlir.Op
}

// edited makes sure that what has been done of the block is in out.
func (e *editor) edited() {
	if e.out == nil {
		e.out = append(make([]*mlir.Op, 0, len(e.ops)+1), e.ops[:e.here]...)
	}
}

// apply returns what the first rule that applies to op says.
func (e *editor) apply(op *mlir.Op) *mlir.Value {
	rules := e.rules(&opTable[op.Code])
	if rules == nil && (e.all == nil || !elementwise(op)) || len(op.Results) != 1 || !e.accepts(op) {
		return nil
	}
	for _, r := range rules {
		if v := e.try(r, op); v != nil {
			return v
		}
	}
	if e.all != nil && elementwise(op) {
		return e.try(e.all, op)
	}
	return nil
}

// applySeveral puts what the rule of an op says in the place of its results; false if it
// says nothing.
func (e *editor) applySeveral(op *mlir.Op) bool {
	r := e.several(&opTable[op.Code])
	if r == nil || !plain(op) {
		return false
	}
	values := r(e, op)
	if values == nil {
		return false
	}
	e.changed = true
	e.edited()
	for i, v := range values {
		e.fits(op, i, v)
		e.stand(op.Results[i], v)
	}
	e.release(op)
	return true
}

// fits panics if v has another type than result i of op.
func (e *editor) fits(op *mlir.Op, i int, v *mlir.Value) {
	if !mlir.SameType(v.Type, op.Results[i].Type) {
		panic(nonsense(op.String() + " would become a " + v.Type.String()))
	}
}

// accepts reports whether rules are for an op.
func (e *editor) accepts(op *mlir.Op) bool {
	if e.takes != nil {
		return e.takes(op)
	}
	return plain(op)
}

func (e *editor) try(r rule, op *mlir.Op) *mlir.Value {
	v := r(e, op)
	if v == nil || v == op.Results[0] {
		return nil
	}
	e.fits(op, 0, v)
	e.changed = true
	return v
}

// elementwise reports whether what moves elements may be moved across op. It may not be where
// complex numbers are put together and taken apart: their parts alone are moved.
func elementwise(op *mlir.Op) bool {
	switch op.Code {
	case stablehlo.Complex, stablehlo.Real, stablehlo.Imag:
		return false
	}
	info := op.Code.Info()
	return info.Traits.Has(mlir.Elementwise)
}

// stand makes v what stands for the value old of an op that is gone.
func (e *editor) stand(old, v *mlir.Value) {
	uses := e.uses()
	e.stands[old] = v
	uses[v] += uses[old]
	delete(uses, old)
	if v.Name == "" && !isNumber(old.Name) {
		v.Name = old.Name
	}
}

// release takes back the uses that op makes, and what has no use after that.
func (e *editor) release(op *mlir.Op) {
	uses := e.uses()
	for _, v := range op.Operands {
		if uses[v]--; uses[v] > 0 || v.Def == nil || e.dead[v.Def] || !e.Unused(v.Def, uses) {
			continue
		}
		e.dead[v.Def] = true
		e.release(v.Def)
	}
	for inner := range op.Inner() {
		if !e.dead[inner] {
			e.dead[inner] = true
			e.release(inner)
		}
	}
}

// emit appends an op with one result of type t in the place of the one that is
// being rewritten, or what rules make of it, and returns its result.
func (e *editor) emit(code mlir.Code, t mlir.Type, attrs mlir.Dict, operands ...*mlir.Value) *mlir.Value {
	op := mlir.NewOp(code, slices.Clone(operands), t)
	op.Attrs = attrs
	return e.emitOp(op)
}

// emitOp is emit of an op that has been made.
func (e *editor) emitOp(op *mlir.Op) *mlir.Value {
	op.Pos, op.Ordinal, op.Loc = e.at.Pos, e.at.Ordinal, e.at.Loc
	if e.depth < maxDepth {
		e.depth++
		v := e.apply(op)
		e.depth--
		if v != nil {
			return v
		}
	}
	e.insert(op)
	return op.Results[0]
}

// insert appends op as it is.
func (e *editor) insert(op *mlir.Op) {
	uses := e.uses()
	for _, v := range op.Operands {
		uses[v]++
	}
	e.edited()
	e.out = append(e.out, op)
}

// again emits op with other operands and a result of type t.
func (e *editor) again(op *mlir.Op, t mlir.Type, operands ...*mlir.Value) *mlir.Value {
	return e.emitOp(copyOf(op, t, operands...))
}

// copyOf returns a copy of op with other operands and a result of type t.
func copyOf(op *mlir.Op, t mlir.Type, operands ...*mlir.Value) *mlir.Op {
	return copyTyped(op, []mlir.Type{t}, operands...)
}

// copyTyped is copyOf of an op of any number of results.
func copyTyped(op *mlir.Op, types []mlir.Type, operands ...*mlir.Value) *mlir.Op {
	x := mlir.NewOp(op.Code, slices.Clone(operands), types...)
	x.Attrs = slices.Clone(op.Attrs)
	var c mlir.Cloner
	for _, r := range op.Regions {
		x.Regions = append(x.Regions, c.Region(r))
	}
	return x
}
