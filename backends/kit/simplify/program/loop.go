package program

import (
	"slices"

	"ltc/mlir"
)

// loop simplifies a while. A while whose condition is false at first is its operands. A
// value that the body returns unchanged is replaced with its initial value. A value
// that only itself depends on is removed.
func (f *flow) loop(out []*mlir.Op, op *mlir.Op) []*mlir.Op {
	if len(Bodies(op)) != 2 || !sameTypes(op.Operands, op.Results) {
		return append(out, op)
	}
	cond, body := op.Regions[0].Blocks[0], op.Regions[1].Blocks[0]
	if !sameTypes(cond.Args, op.Operands) || !sameTypes(body.Args, op.Operands) || !sameTypes(Terminator(body).Operands, op.Operands) {
		return append(out, op)
	}
	if p, known := NumberOf(f.now(Terminator(cond).Operands[0])); known && p.Int&1 == 0 {
		if f.pureBlock(cond) {
			f.stand(op, op.Operands)
			return out
		}
	}
	kept := f.keptByLoop(op, cond, body)
	f.invariant(op, cond, body, kept)
	gone := func(i int) bool { return !kept[i] }
	if !slices.Contains(kept, false) || !slices.Contains(kept, true) {
		return append(out, op)
	}
	f.changed = true
	ret := Terminator(body)
	op.Operands, op.Results = without(op.Operands, gone), renumbered(without(op.Results, gone))
	cond.Args, body.Args = renumbered(without(cond.Args, gone)), renumbered(without(body.Args, gone))
	ret.Operands = without(ret.Operands, gone)
	for _, b := range Bodies(op) { // what is not needed can read a value that is gone
		d := deadOps{Program: f.Program, uses: CountUses(b)}
		d.block(b)
	}
	return append(out, op)
}

// invariant puts the operand in the place of each value of the loop that the
// body hands on as it is. Such a value is not kept.
func (f *flow) invariant(op *mlir.Op, cond, body *mlir.Block, kept []bool) {
	for i, v := range Terminator(body).Operands {
		if v = f.now(v); v != body.Args[i] && v != op.Operands[i] {
			continue
		}
		for _, old := range []*mlir.Value{cond.Args[i], body.Args[i], op.Results[i]} {
			f.Replacements[old] = op.Operands[i]
			f.uses[op.Operands[i]] += f.uses[old]
		}
		f.changed = true
		kept[i] = false
	}
	Substitute(cond, f.Replacements)
	Substitute(body, f.Replacements)
}

// keptByLoop says which values of a loop its condition, its effects or a result
// that somebody uses depend on.
func (f *flow) keptByLoop(op *mlir.Op, cond, body *mlir.Block) []bool {
	k := liveness{
		flow: f, next: Terminator(body).Operands, kept: make([]bool, len(op.Results)),
		arg: map[*mlir.Value]int{}, inside: map[*mlir.Op]bool{}, needed: map[*mlir.Value]bool{},
	}
	for i := range op.Results {
		k.arg[cond.Args[i]], k.arg[body.Args[i]] = i, i
	}
	for _, b := range Bodies(op) {
		Walk(b, func(op *mlir.Op) { k.inside[op] = true })
	}
	k.block(cond, true)
	k.block(body, false)
	for i, r := range op.Results {
		if f.uses[r] > 0 {
			k.keep(i)
		}
	}
	for len(k.work) > 0 {
		v := k.work[len(k.work)-1]
		k.work = k.work[:len(k.work)-1]
		k.reach(v)
	}
	return k.kept
}

// liveness finds the values of a loop that its condition, its effects or used results depend on.
type liveness struct {
	*flow
	next   []*mlir.Value // what the body hands on
	arg    map[*mlir.Value]int
	inside map[*mlir.Op]bool // the loop
	kept   []bool
	needed map[*mlir.Value]bool
	work   []*mlir.Value
}

func (k *liveness) keep(i int) {
	if !k.kept[i] {
		k.kept[i] = true
		k.need(k.next[i])
	}
}

func (k *liveness) need(v *mlir.Value) {
	if v = k.now(v); !k.needed[v] {
		k.needed[v] = true
		k.work = append(k.work, v)
	}
}

// block needs what the ops with effects take, and with all what ends the block.
func (k *liveness) block(b *mlir.Block, all bool) {
	for i, op := range b.Ops {
		if last := i == len(b.Ops)-1; last && !all || !last && k.Pure(op) {
			continue
		}
		k.operands(op)
	}
}

// operands needs all that op and what is in its regions take.
func (k *liveness) operands(op *mlir.Op) {
	Walk(&mlir.Block{Ops: []*mlir.Op{op}}, func(op *mlir.Op) {
		for _, v := range op.Operands {
			k.need(v)
		}
	})
}

func (k *liveness) reach(v *mlir.Value) {
	if i, is := k.arg[v]; is {
		k.keep(i)
	}
	if v.Def != nil && k.inside[v.Def] {
		k.operands(v.Def)
	}
}
