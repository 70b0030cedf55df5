package reference

import (
	"context"

	"ltc/backends"
	"ltc/backends/kit"
	"ltc/backends/kit/exec"
	"ltc/backends/kit/kernel"
	"ltc/backends/reference/eval"
	"ltc/ir/types"
	"ltc/soa"
)

// compileOthers has calls of sizes that the family has no program for compiled when there is one.
func (s *openExecutable) compileOthers() {
	s.Others, s.None = exec.NewLazy(s.evaluated), exec.NewLazy(s.compileNone)
}

// compileNone returns what runs calls whose only size is 0: kernels, or the evaluator,
// which finds out what of it fails.
func (s *openExecutable) compileNone(ctx context.Context) (func(context.Context, *backends.Call) error, error) {
	e, err := s.kernelsOfNone(ctx)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if err == nil {
		s.Grown().Add(int64(e.ResidentBytes()))
		e.CountIn(s.Grown())
		return e.runNone, nil
	}
	return s.evaluated(ctx)
}

// evaluated returns the program as the evaluator runs it, op by op.
func (s *openExecutable) evaluated(ctx context.Context) (func(context.Context, *backends.Call) error, error) {
	p, err := backends.LoadOpen(ctx, s.module, s.o)
	if err != nil {
		return nil, err
	}
	constants := map[int]soa.View{}
	for i, v := range s.Bound {
		if !v.IsZero() {
			constants[i] = v
		}
	}
	x, err := eval.Prepare(ctx, name, p)
	if err == nil {
		x, err = x.Bind(ctx, constants)
	}
	if err != nil {
		return nil, err
	}
	s.Grown().Add(int64(x.(backends.Resident).ResidentBytes()))
	return x.Execute, nil
}

// kernelsOfNone compiles the program for no elements.
func (s *openExecutable) kernelsOfNone(ctx context.Context) (*compiled, error) {
	p, err := backends.LoadOpen(ctx, s.module, s.o)
	if err != nil {
		return nil, err
	}
	sizes, err := kit.FixSizes(ctx, eval.New(), p, s.Shapes(make([]int64, len(s.Symbols))))
	if err != nil {
		return nil, err
	}
	prog, err := kernelsOf(ctx, p, s.compilers, Claim)
	if err != nil {
		return nil, err
	}
	regions, err := compileRegions(ctx, s.file, prog, s.o, s.compilers)
	if err != nil {
		return nil, err
	}
	prog.SizeArgs = sizes.Args
	codes, err := codesOf(ctx, nil, prog.Kernels, s.compilers)
	if err != nil {
		return nil, err
	}
	claimed, err := claimedCodes(kernel.WithTiers(ctx, nil), prog, s.compilers)
	if err != nil {
		return nil, err
	}
	bound := make([]soa.View, len(prog.Args))
	copy(bound, s.Bound)
	for i, size := range sizes.Args {
		v := soa.Make(types.Of(types.I32))
		soa.Slice[int32](v)[0] = int32(size)
		bound[len(s.Sig.Args)+i] = v
	}
	o := s.o
	o.Profile = false          // the steps are not those of other sizes
	k := &keeper{of: s.keeper} // sizes are bound, too
	e, err := newCompiled(ctx, s.file, prog, boundCodes(prog, codes, bound, nil, k, claimed, nil), o, regions, nil, nil, bound)
	if err != nil {
		return nil, err
	}
	e.keeper, e.codes, e.compilers, e.Copied = k, codes, s.compilers, s.Copied
	e.ready()
	return e, nil
}

// runNone runs a call that was admitted, but for the sizes of its results.
func (e *compiled) runNone(ctx context.Context, c *backends.Call) error {
	if err := e.Plan.Program.FitResults(c); err != nil {
		return err
	}
	return e.Call(ctx, c)
}
