package program

import (
	"ltc/mlir"
	"ltc/stablehlo"
)

// Bodies returns the blocks of op's regions, of those that are one block: in
// others, which no op of StableHLO has, nothing is changed.
func Bodies(op *mlir.Op) []*mlir.Block {
	var all []*mlir.Block
	for _, r := range op.Regions {
		if len(r.Blocks) == 1 {
			all = append(all, r.Blocks[0])
		}
	}
	return all
}

// Replacements has the value in the place of each value of an op that is gone. It may be the value of
// another such op.
type Replacements map[*mlir.Value]*mlir.Value

// now returns the value in the place of v.
func (s Replacements) now(v *mlir.Value) *mlir.Value {
	for w := s[v]; w != nil; w = s[v] {
		v = w
	}
	return v
}

// Apply replaces values that have a replacement.
func (s Replacements) Apply(values []*mlir.Value) {
	if len(s) == 0 {
		return
	}
	for i, v := range values {
		values[i] = s.now(v)
	}
}

// Substitute replaces the operands of ops in b and below it that have a replacement.
func Substitute(b *mlir.Block, stands Replacements) {
	Walk(b, func(op *mlir.Op) { stands.Apply(op.Operands) })
}

// SubstituteOthers is [Substitute] for the regions of op that [Bodies] leaves out.
func SubstituteOthers(op *mlir.Op, stands Replacements) {
	for _, r := range op.Regions {
		if len(r.Blocks) != 1 {
			for _, b := range r.Blocks {
				Substitute(b, stands)
			}
		}
	}
}

// Functions returns the bodies of the functions that are one block.
func (s *Program) Functions() []*mlir.Block {
	var all []*mlir.Block
	for _, f := range s.Ops {
		if b := f.Body(); f.Code == mlir.OpFunc && b != nil {
			all = append(all, b)
		}
	}
	return all
}

// Controls reports whether the regions of op are parts of the program, not the
// body of what is done to elements.
func Controls(op *mlir.Op) bool {
	switch op.Code {
	case stablehlo.While, stablehlo.If, stablehlo.Case:
		return true
	}
	return false
}

// Terminator is the op that ends a block.
func Terminator(b *mlir.Block) *mlir.Op { return b.Ops[len(b.Ops)-1] }

// CountUses counts how often each value is an operand in b and below it.
func CountUses(b *mlir.Block) map[*mlir.Value]int {
	uses := make(map[*mlir.Value]int, len(b.Ops)+len(b.Args))
	Walk(b, func(op *mlir.Op) {
		for _, v := range op.Operands {
			uses[v]++
		}
	})
	return uses
}

// Walk calls f for the ops of b and of the regions in it, an op before those of
// its regions.
func Walk(b *mlir.Block, f func(*mlir.Op)) {
	for _, op := range b.Ops {
		f(op)
		for inner := range op.Blocks() {
			Walk(inner, f)
		}
	}
}
