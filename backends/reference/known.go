package reference

import (
	"context"
	"slices"

	"ltc/backends/kit/exec"
	"ltc/backends/kit/plan"
	"ltc/backends/reference/internal/loops"
	"ltc/soa"
)

// boundArgs says of each argument of a program whether it is bound.
func boundArgs(bound []soa.View) []bool {
	all := make([]bool, len(bound))
	for i := range bound {
		all[i] = !bound[i].IsZero()
	}
	return all
}

// know computes what runs of p need not compute again, given the bound arguments, and has runs
// leave it out. The launcher is one of the program before anything was bound, for any size of
// it: what p was before may have known values and code of other constants. Nobody else may
// use the launcher. K keeps what is computed.
func know(ctx context.Context, p *exec.Plan, known plan.Known, bound []soa.View, l *launcher, k *keeper) error {
	for v := range p.Program.Values {
		if val := &p.Program.Values[v]; val.Kind == plan.Argument && !bound[val.Index].IsZero() {
			l.Mem[v] = bound[val.Index].Base()
		}
	}
	n := 0
	for _, v := range known.Values {
		n = loops.Added(n, p.Program.Values[v].Type.Bytes())
	}
	if err := soa.Fits(n); err != nil {
		return err
	}
	p.Known, p.Done = make([]soa.View, len(p.Program.Values)), known.Steps
	for i := range p.Program.Steps {
		if !known.Steps[i] {
			continue
		}
		if t := l.of.steps[i].tier; t != nil { // what is kept has the bits of the final code
			if err := t.Finish(ctx); err != nil {
				return err
			}
		}
		err := l.Launch(ctx, i, ctx.Done())
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err != nil {
			return err
		}
		_, writes := p.Program.Access(i)
		for _, v := range writes { // what is kept, before something else takes its place in the arena
			if !slices.Contains(known.Values, v) {
				continue
			}
			t := p.Program.Values[v].Type
			if p.Known[v].IsZero() {
				p.Known[v] = soa.Make(t)
			}
			loops.CopyBytes(p.Known[v].Base(), l.Mem[v], t.Bytes())
		}
	}
	for _, v := range known.Values {
		if !p.Known[v].IsZero() {
			p.Known[v] = k.know(p.Known[v])
		}
	}
	return nil
}
