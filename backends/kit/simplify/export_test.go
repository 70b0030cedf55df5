package simplify

import (
	"context"
	"fmt"

	"ltc/mlir"
)

// RunPass runs one pass once and verifies what it leaves.
func RunPass(ctx context.Context, m *mlir.Module, name string, o Options) (bool, error) {
	o.Check = true
	if o.FoldLimit == 0 {
		o.FoldLimit = FoldLimit
	}
	forgetNumbers(m)
	for _, p := range passes {
		if p.name == name {
			return newState(ctx, m, o).pass(p)
		}
	}
	return false, fmt.Errorf("there is no pass %q", name)
}

// Orders returns the constraints on the order of passes.
func Orders() [][3]string {
	var all [][3]string
	for _, o := range orders {
		all = append(all, [3]string{o.before, o.after, o.why})
	}
	return all
}
