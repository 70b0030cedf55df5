package program

import (
	"slices"

	"ltc/mlir"
)

// DCE leaves out ops whose results nobody uses and that do nothing else, and
// private functions that nobody names.
func DCE(s *Program) bool {
	changed := false
	for _, b := range s.Functions() {
		d := deadOps{Program: s, uses: CountUses(b)}
		d.block(b)
		changed = changed || d.changed
	}
	return s.deadFuncs() || changed
}

type deadOps struct {
	*Program
	uses    map[*mlir.Value]int
	changed bool
}

// block goes backwards, so that an op comes after all its uses.
func (d *deadOps) block(b *mlir.Block) {
	from := len(b.Ops)
	for i := len(b.Ops) - 1; i >= 0; i-- {
		d.Look()
		op := b.Ops[i]
		if d.Unused(op, d.uses) {
			d.changed = true
			d.drop(op)
			continue
		}
		for _, inner := range Bodies(op) {
			d.block(inner)
		}
		if from--; from != i {
			b.Ops[from] = op
		}
	}
	b.Ops = slices.Delete(b.Ops, 0, from)
}

// Unused reports whether op can be left out, given how often values are used.
func (s *Program) Unused(op *mlir.Op, uses map[*mlir.Value]int) bool {
	return !slices.ContainsFunc(op.Results, func(r *mlir.Value) bool { return uses[r] > 0 }) && s.Pure(op)
}

// drop takes back the uses that op makes.
func (d *deadOps) drop(op *mlir.Op) {
	Walk(&mlir.Block{Ops: []*mlir.Op{op}}, func(op *mlir.Op) {
		for _, v := range op.Operands {
			d.uses[v]--
		}
	})
}

// deadFuncs leaves out private functions that no public one reaches.
func (s *Program) deadFuncs() bool {
	live := map[*mlir.Op]bool{}
	for _, op := range s.Ops {
		if !private(op) {
			s.reach(op, live, func(*mlir.Op) {})
		}
	}
	before := len(s.Ops)
	s.Ops = slices.DeleteFunc(s.Ops, func(op *mlir.Op) bool { return private(op) && !live[op] })
	return len(s.Ops) < before
}

// reach calls visit for an op, then for the functions that it names after that, and so on:
// for each that is not in seen, where it is then.
func (s *Program) reach(op *mlir.Op, seen map[*mlir.Op]bool, visit func(*mlir.Op)) {
	if seen[op] {
		return
	}
	seen[op] = true
	visit(op)
	Symbols(op, func(name string) {
		if f := s.Func(name); f != nil {
			s.reach(f, seen, visit)
		}
	})
}

// private reports whether op is a function that only the module's own ops name.
func private(op *mlir.Op) bool {
	return op.Code == mlir.OpFunc && op.Attrs.Get("sym_visibility") == mlir.Attribute(mlir.StringAttr("private"))
}

// Symbols calls f for each symbol that an op or the ops of its regions refer to, as
// often as they do.
func Symbols(op *mlir.Op, f func(name string)) {
	Walk(&mlir.Block{Ops: []*mlir.Op{op}}, func(op *mlir.Op) { op.Symbols(f) })
}
