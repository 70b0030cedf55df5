package program

import (
	"context"

	"ltc/internal/halt"
	"ltc/mlir"
)

// Program is a module at work. Passes look at its watch, which ends them when their context does.
type Program struct {
	*mlir.Module
	*halt.Watch
	pureFuncs map[string]bool // by symbol; no pass makes a function less pure
}

// New returns a module to run passes on.
func New(ctx context.Context, m *mlir.Module) *Program {
	return &Program{Module: m, Watch: halt.On(ctx), pureFuncs: map[string]bool{}}
}
