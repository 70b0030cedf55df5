package program

import (
	"ltc/mlir"
	"ltc/stablehlo"
)

// Pure reports whether op ends and does nothing but give results, so that it may be
// left out, merged with an equal one or computed in another place. A dynamic op whose sizes
// the run tells may find others than its types have, which is an error.
func (s *Program) Pure(op *mlir.Op) bool {
	info, known := op.Code.Info(), op.Code != 0
	if !known || info.Traits.Has(mlir.Effects) || info.Traits.Has(mlir.Terminator) || Sized(op) {
		return false
	}
	if op.Code == stablehlo.While && !ends(op) {
		return false
	}
	if callee := op.Callee(); callee != "" && !s.pureFunc(callee) {
		return false
	}
	for b := range op.Blocks() {
		if !s.pureBlock(b) {
			return false
		}
	}
	return true
}

// Sized reports whether values give the sizes of op's results. Where they are constants it
// is a static op soon.
func Sized(op *mlir.Op) bool {
	return op.Code.Info().Static != nil || op.Code == stablehlo.SetDimensionSize
}

func (s *Program) pureBlock(b *mlir.Block) bool {
	for _, op := range b.Ops {
		if info := op.Code.Info(); !info.Traits.Has(mlir.Terminator) && !s.Pure(op) {
			return false
		}
	}
	return true
}

func (s *Program) pureFunc(name string) bool {
	pure, known := s.pureFuncs[name]
	if known {
		return pure
	}
	s.pureFuncs[name] = false // of one that calls itself
	if f := s.Func(name); f != nil && f.Body() != nil {
		s.pureFuncs[name] = s.pureBlock(f.Body())
	}
	return s.pureFuncs[name]
}
