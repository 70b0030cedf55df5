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

// substitute puts what stands for them in the place of values that are operands
// in b and below it.
func substitute(b *mlir.Block, stands map[*mlir.Value]*mlir.Value) {
	walk(b, func(op *mlir.Op) {
		for i, v := range op.Operands {
			for w := stands[v]; w != nil; w = stands[v] {
				v = w
			}
			op.Operands[i] = v
		}
	})
}

// substituteOthers is substitute for the regions of op that bodies leaves out.
func substituteOthers(op *mlir.Op, stands map[*mlir.Value]*mlir.Value) {
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
