package simplify

import (
	"ltc/mlir"
	"ltc/stablehlo/chlo"
)

// lowerCHLO writes StableHLO in the place of the ops of CHLO that the target
// has not itself.
func lowerCHLO(s *state) bool {
	return chlo.Lower(s.Module, func(op *mlir.Op) bool { return s.Keep[op.Name()] || s.KeepOp != nil && s.KeepOp(op) })
}
