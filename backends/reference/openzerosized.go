package reference

import (
	"context"
	"sync"

	"ltc/backends"
	"ltc/backends/kit"
	"ltc/backends/kit/exec"
	"ltc/backends/kit/kernel"
	"ltc/backends/kit/plan"
	"ltc/backends/reference/eval"
	"ltc/ir/types"
	"ltc/soa"
)

// otherRun runs calls of sizes that a program is not for.
type otherRun = exec.Lazy[func(context.Context, *backends.Call) error]

// maxZeroSized is the most sets of symbols that are 0 with programs of their own.
const maxZeroSized = 8

// compileOthers has calls of sizes that the family has no program for compiled when there is one.
func (s *openExecutable) compileOthers() {
	s.Others, s.ZeroSized = exec.NewLazy(s.evaluated), nil
	if s.zeros != 0 { // other sizes follow from those that are 0
		return
	}
	var mu sync.Mutex
	all := map[plan.Zeros]*otherRun{}
	s.ZeroSized = func(zeros plan.Zeros) *otherRun {
		mu.Lock()
		defer mu.Unlock()
		by := all[zeros]
		switch {
		case by != nil:
		case len(all) == maxZeroSized:
			by = s.Others
		default:
			by = exec.NewLazy(func(ctx context.Context) (func(context.Context, *backends.Call) error, error) {
				return s.compileZeroSized(ctx, zeros)
			})
			all[zeros] = by
		}
		return by
	}
}

// compileZeroSized returns what runs calls in which these sizes are 0, and no others: kernels, or the
// evaluator, which finds out what of it fails.
func (s *openExecutable) compileZeroSized(ctx context.Context, zeros plan.Zeros) (run func(context.Context, *backends.Call) error, err error) {
	if zeros == 1<<len(s.Symbols)-1 {
		run, err = s.compileAllZero(ctx)
	} else {
		run, err = s.compileSomeZero(ctx, zeros)
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if err != nil {
		return s.Others.Get(ctx)
	}
	return run, nil
}

// compileSomeZero compiles the program for some sizes of 0, and leaves the others open.
func (s *openExecutable) compileSomeZero(ctx context.Context, zeros plan.Zeros) (func(context.Context, *backends.Call) error, error) {
	x := &openExecutable{file: s.file, o: s.o, compilers: s.compilers, keeper: new(keeper), module: s.module, zeros: zeros}
	x.o.Profile = false // the steps are not those of other sizes
	if err := x.compile(ctx); err != nil {
		return nil, err
	}
	e := backends.Executable(x)
	if s.Bound != nil {
		var err error
		if e, err = x.Bind(ctx, exec.Constants(s.Bound)); err != nil {
			return nil, err
		}
	}
	x = e.(*openExecutable)
	s.Grown().Add(int64(x.ResidentBytes()))
	x.CountIn(s.Grown())
	return x.Execute, nil
}

// evaluated returns the program as the evaluator runs it, op by op.
func (s *openExecutable) evaluated(ctx context.Context) (func(context.Context, *backends.Call) error, error) {
	p, err := backends.LoadOpen(ctx, s.module, s.o)
	if err != nil {
		return nil, err
	}
	x, err := eval.Prepare(ctx, name, p)
	if err == nil {
		x, err = x.Bind(ctx, exec.Constants(s.Bound))
	}
	if err != nil {
		return nil, err
	}
	s.Grown().Add(int64(x.(backends.Resident).ResidentBytes()))
	return x.Execute, nil
}

// compileAllZero compiles the program for sizes that are all 0.
func (s *openExecutable) compileAllZero(ctx context.Context) (func(context.Context, *backends.Call) error, error) {
	p, err := backends.LoadOpen(ctx, s.module, s.o)
	if err != nil {
		return nil, err
	}
	sizes, err := kit.FixSizes(ctx, eval.New(), p, s.Shapes(make([]int64, len(s.Symbols))))
	if err != nil {
		return nil, err
	}
	prog, err := kernelsOf(ctx, p, s.compilers)
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
	s.Grown().Add(int64(e.ResidentBytes()))
	e.CountIn(s.Grown())
	return e.runZeroSized, nil
}

// runZeroSized runs a call that was admitted, but for the sizes of its results.
func (e *compiled) runZeroSized(ctx context.Context, c *backends.Call) error {
	if err := e.Plan.Program.FitResults(c); err != nil {
		return err
	}
	return e.Call(ctx, c)
}
