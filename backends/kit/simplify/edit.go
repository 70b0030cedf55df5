package simplify

import (
	"slices"

	"ltc/mlir"
)

// editor rewrites functions op by op, in the order of the text: when a rule
// sees an op, its operands have been rewritten. It counts uses as it goes, so
// that what a rule leaves without use is gone with it.
type editor struct {
	*state
	rules   map[string][]rule
	uses    map[*mlir.Value]int
	stands  map[*mlir.Value]*mlir.Value // by result of an op that is gone
	dead    map[*mlir.Op]bool
	out     []*mlir.Op // of the block at hand
	at      *mlir.Op   // the op that is being rewritten
	depth   int        // of rules on ops that rules emitted
	changed bool
}

// rule returns the value that stands for the only result of op, of the same
// type, or nil if it has nothing to say. It emits the ops that it needs; op
// itself it leaves as it is.
type rule func(e *editor, op *mlir.Op) *mlir.Value

// maxDepth bounds rules on ops that rules emitted; the next round goes on.
const maxDepth = 32

// rewrite applies rules, by the name of the op, to all functions.
func (s *state) rewrite(rules map[string][]rule) bool {
	e := &editor{state: s, rules: rules}
	for _, b := range s.functions() {
		e.uses, e.stands, e.dead = countUses(b), map[*mlir.Value]*mlir.Value{}, map[*mlir.Op]bool{}
		e.block(b)
	}
	return e.changed
}

// countUses counts how often each value is an operand in b and below it.
func countUses(b *mlir.Block) map[*mlir.Value]int {
	uses := make(map[*mlir.Value]int, len(b.Ops))
	walk(b, func(op *mlir.Op) {
		for _, v := range op.Operands {
			uses[v]++
		}
	})
	return uses
}

// walk calls f for the ops of b and of the regions in it, an op before those of
// its regions.
func walk(b *mlir.Block, f func(*mlir.Op)) {
	for _, op := range b.Ops {
		f(op)
		for _, r := range op.Regions {
			for _, inner := range r.Blocks {
				walk(inner, f)
			}
		}
	}
}

func (e *editor) block(b *mlir.Block) {
	outer, at := e.out, e.at
	e.out = make([]*mlir.Op, 0, len(b.Ops))
	for _, op := range b.Ops {
		for i, v := range op.Operands {
			op.Operands[i] = e.now(v)
		}
		for _, inner := range bodies(op) {
			e.block(inner)
		}
		substituteOthers(op, e.stands)
		e.at = op
		v := e.apply(op)
		if v == nil {
			e.out = append(e.out, op)
			continue
		}
		e.stand(op.Results[0], v)
		e.release(op)
	}
	b.Ops = e.out
	if len(e.dead) > 0 {
		b.Ops = slices.DeleteFunc(b.Ops, func(op *mlir.Op) bool { return e.dead[op] })
	}
	e.out, e.at = outer, at
}

// now returns what stands for v.
func (e *editor) now(v *mlir.Value) *mlir.Value {
	for len(e.stands) > 0 {
		w := e.stands[v]
		if w == nil {
			break
		}
		v = w
	}
	return v
}

// apply returns what the first rule that applies to op says.
func (e *editor) apply(op *mlir.Op) *mlir.Value {
	rules := e.rules[op.Name]
	if rules == nil || !plain(op) {
		return nil
	}
	for _, r := range rules {
		if v := r(e, op); v != nil && v != op.Results[0] {
			if !mlir.SameType(v.Type, op.Results[0].Type) {
				panic(nonsense(op.String() + " would become a " + v.Type.String()))
			}
			e.changed = true
			return v
		}
	}
	return nil
}

// stand makes v what stands for the value old of an op that is gone.
func (e *editor) stand(old, v *mlir.Value) {
	e.stands[old] = v
	e.uses[v] += e.uses[old]
	delete(e.uses, old)
	if v.Name == "" {
		v.Name = old.Name
	}
}

// release takes back the uses that op makes, and what has no use after that.
func (e *editor) release(op *mlir.Op) {
	for _, v := range op.Operands {
		if e.uses[v]--; e.uses[v] > 0 || v.Def == nil || e.dead[v.Def] || !e.unused(v.Def) {
			continue
		}
		e.dead[v.Def] = true
		e.release(v.Def)
	}
	for _, r := range op.Regions {
		for _, b := range r.Blocks {
			for _, inner := range b.Ops {
				if !e.dead[inner] {
					e.dead[inner] = true
					e.release(inner)
				}
			}
		}
	}
}

// unused reports whether op can be left out.
func (e *editor) unused(op *mlir.Op) bool {
	for _, r := range op.Results {
		if e.uses[r] > 0 {
			return false
		}
	}
	return e.pure(op)
}

// emit appends an op with one result of type t in the place of the one that is
// being rewritten, or what rules make of it, and returns its result.
func (e *editor) emit(name string, t mlir.Type, attrs mlir.Dict, operands ...*mlir.Value) *mlir.Value {
	op := mlir.NewOp(name, slices.Clone(operands), t)
	op.Attrs = attrs
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
	for _, v := range op.Operands {
		e.uses[v]++
	}
	e.out = append(e.out, op)
}

// again emits op with other operands and a result of type t.
func (e *editor) again(op *mlir.Op, t mlir.Type, operands ...*mlir.Value) *mlir.Value {
	return e.emit(op.Name, t, slices.Clone(op.Attrs), operands...)
}
