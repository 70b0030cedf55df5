package simplify

import (
	"ltc/mlir"
	"ltc/stablehlo"
)

// bodies returns the blocks of op's regions, of those that are one block: in
// others, which no op of StableHLO has, nothing is changed.
func bodies(op *mlir.Op) []*mlir.Block {
	var all []*mlir.Block
	for _, r := range op.Regions {
		if len(r.Blocks) == 1 {
			all = append(all, r.Blocks[0])
		}
	}
	return all
}

// standIns are values that stand for those of ops that are gone, and may be of such
// themselves.
type standIns map[*mlir.Value]*mlir.Value

// now returns what stands for v.
func (s standIns) now(v *mlir.Value) *mlir.Value {
	for w := s[v]; w != nil; w = s[v] {
		v = w
	}
	return v
}

// replace puts what stands for them in the place of values.
func (s standIns) replace(values []*mlir.Value) {
	if len(s) == 0 {
		return
	}
	for i, v := range values {
		values[i] = s.now(v)
	}
}

// substitute puts what stands for them in the place of values that are operands
// in b and below it.
func substitute(b *mlir.Block, stands standIns) {
	walk(b, func(op *mlir.Op) { stands.replace(op.Operands) })
}

// substituteOthers is substitute for the regions of op that bodies leaves out.
func substituteOthers(op *mlir.Op, stands standIns) {
	for _, r := range op.Regions {
		if len(r.Blocks) != 1 {
			for _, b := range r.Blocks {
				substitute(b, stands)
			}
		}
	}
}

// functions returns the bodies of the functions that are one block.
func (s *state) functions() []*mlir.Block {
	var all []*mlir.Block
	for _, f := range s.Ops {
		if b := f.Body(); f.Code == mlir.OpFunc && b != nil {
			all = append(all, b)
		}
	}
	return all
}

// controls reports whether the regions of op are parts of the program, not the
// body of what is done to elements.
func controls(op *mlir.Op) bool {
	switch op.Code {
	case stablehlo.While, stablehlo.If, stablehlo.Case:
		return true
	}
	return false
}

// terminator is the op that ends a block.
func terminator(b *mlir.Block) *mlir.Op { return b.Ops[len(b.Ops)-1] }
