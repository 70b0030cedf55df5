package reference

import (
	"context"
	"sync"

	"ltc/backends"
	"ltc/backends/kit/exec"
	"ltc/backends/kit/plan"
	"ltc/backends/reference/eval"
)

// otherRun runs calls of sizes that a program is not for.
type otherRun = exec.Lazy[func(context.Context, *backends.Call) error]

// maxZeroSized is the most sets of symbols that are 0 with programs of their own.
const maxZeroSized = 8

// compileOthers has calls of sizes that the family has no program for compiled when there is one: a
// program for each set of symbols that are 0, and the evaluator for all others.
func (s *openExecutable) compileOthers() {
	s.evaluator = exec.NewLazy(s.evaluated)
	var mu sync.Mutex
	all := map[plan.Zeros]*otherRun{}
	s.Others = func(zeros plan.Zeros) *otherRun {
		if zeros == 0 || s.zeros != 0 { // a size that follows from these is 0
			return s.evaluator
		}
		mu.Lock()
		defer mu.Unlock()
		by := all[zeros]
		switch {
		case by != nil:
		case len(all) == maxZeroSized:
			by = s.evaluator
		default:
			by = exec.NewLazy(func(ctx context.Context) (func(context.Context, *backends.Call) error, error) {
				run, err := s.compileZeroSized(ctx, zeros)
				switch {
				case ctx.Err() != nil:
					return nil, context.Cause(ctx)
				case err != nil: // the evaluator finds out what of it fails
					return s.evaluator.Get(ctx)
				}
				return run, nil
			})
			all[zeros] = by
		}
		return by
	}
}

// compileZeroSized compiles the program for calls in which these sizes are 0, and no others, which it
// leaves open.
func (s *openExecutable) compileZeroSized(ctx context.Context, zeros plan.Zeros) (func(context.Context, *backends.Call) error, error) {
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
