package reference

import (
	"context"
	"sync/atomic"

	"ltc/backends"
	"ltc/backends/kit"
	"ltc/backends/kit/exec"
	"ltc/backends/kit/kernel"
	"ltc/backends/kit/plan"
	"ltc/backends/reference/eval"
	"ltc/backends/reference/internal/dense"
	"ltc/internal/spare"
	"ltc/soa"
)

// openExecutable is a program that leaves sizes open and runs as kernels for all
// sizes: compiled once, with the numbers of the run at hand.
type openExecutable struct {
	exec.Sized[*form]
	file      string
	o         backends.Options
	compilers []kernel.Compiler
	claimed   []kernel.Code   // by step, of work that was claimed
	keeper    *keeper         // of constants in other forms
	parts     []int           // by step, of the family's base
	interim   []atomic.Int64  // by step, the launches that stand-ins have run
	deferred  *deferral       // as that of compiled
	workspace *atomic.Int64   // in bytes, of the sizes that a run was fitted to last
	module    backends.Module // what the family has no program for is compiled separately, from it
	unbound   *openExecutable // what Bind was called on first; nil: it is that
	zeros     plan.Zeros      // the symbols that are 0 in all runs
	evaluator *otherRun       // of calls of sizes that nothing is compiled for
}

// form is the program for some layouts of its views.
type form struct {
	of     *openExecutable
	family *plan.Family
	codes  []kernel.Code // by kernel
	steps  []kernel.Code // by step, with the constants at hand
	views  *exec.Views   // nil: all are dense
	runs   *spare.Pool[sizedRun]
	// released says that the memory of compiling was returned to the system.
	released atomic.Bool
}

// compileSized compiles a program whose main leaves sizes open. The error
// wraps [kit.ErrNotCompiled] if it cannot be one program for all sizes.
func compileSized(ctx context.Context, m backends.Module, o backends.Options, p *backends.Program, compilers []kernel.Compiler) (backends.Executable, error) {
	s := newSized(p.File, m, o, compilers)
	return s, s.compile(ctx)
}

// compileFamily makes a program executable that became a family.
func compileFamily(ctx context.Context, file string, f *plan.Family, m backends.Module, o backends.Options, compilers []kernel.Compiler) (*openExecutable, error) {
	s := newSized(file, m, o, compilers)
	return s, s.become(ctx, f)
}

func newSized(file string, m backends.Module, o backends.Options, compilers []kernel.Compiler) *openExecutable {
	return &openExecutable{file: file, o: o, compilers: compilers, keeper: new(keeper), module: m}
}

// compile compiles the program, but for regions.
func (s *openExecutable) compile(ctx context.Context) error {
	family, err := familyOf(ctx, s.module, s.o, s.zeros, s.compilers)
	if err != nil {
		return err
	}
	return s.become(ctx, family)
}

// familyOf makes kernels of a program for all sizes.
func familyOf(ctx context.Context, m backends.Module, o backends.Options, zeros plan.Zeros, compilers []kernel.Compiler) (*plan.Family, error) {
	return kit.OpenFamily(ctx, eval.New(), m, o, zeros, Claim, func(p *backends.Program) (*plan.Program, error) {
		return kernelsOf(ctx, p, compilers)
	})
}

// become makes s the executable of a family.
func (s *openExecutable) become(ctx context.Context, family *plan.Family) error {
	s.Open(family)
	s.compileOthers()
	return s.begin(ctx, false)
}

// region makes a region of a loop or a branch executable.
func (s *openExecutable) region(ctx context.Context, of *plan.Family) (*openExecutable, error) {
	r := &openExecutable{file: s.file, o: s.o, compilers: s.compilers, keeper: new(keeper)}
	r.Open(of)
	return r, r.begin(ctx, true)
}

// begin compiles the kernels of a family and of its regions.
func (s *openExecutable) begin(ctx context.Context, region bool) (err error) {
	family, base := s.Family, s.Family.Base()
	s.deferred, s.workspace = deferralOf(ctx), new(atomic.Int64)
	s.Plan = exec.Plan{Program: base, On: &machine, Rules: rulesFor(base, true), Copied: new(atomic.Int64)}
	s.Rules.Region = region
	s.Regions, err = exec.MakeRegions(base, func(step, r int) (backends.Executable, error) {
		return s.region(ctx, family.Region(step, r))
	})
	if err != nil {
		return err
	}
	codes, err := codesOf(tiersFor(ctx, base, s.compilers), nil, base.Kernels, s.compilers)
	if err != nil {
		return err
	}
	if s.o.Profile {
		s.Times = make([]exec.Timer, len(base.Steps))
	}
	s.interim = make([]atomic.Int64, len(base.Steps))
	if s.claimed, err = claimedCodes(kernel.WithTiers(ctx, nil), family.Open(), s.compilers); err != nil {
		return err
	}
	if err := s.ready(ctx, codes); err != nil {
		return err
	}
	s.CountIn(s.Grown())
	return nil
}

// ready makes the dense form of s, and has it make variants.
func (s *openExecutable) ready(ctx context.Context, codes []kernel.Code) error {
	dense := s.form(s.Family, codes, s.claimed, nil)
	s.Vary(dense, varied(dense, s.variant))
	r, err := dense.take(kernel.WithTiers(ctx, nil), s.Family.BaseSizes()) // of other sizes, products are prepared anew
	if err != nil {
		return err
	}
	s.parts = make([]int, len(r.e.steps))
	for i := range r.e.steps {
		s.parts[i] = min(r.e.steps[i].parts, r.e.threads)
	}
	dense.runs.Put(r)
	s.keeper.grown = s.Grown()
	return nil
}

// CountIn is as that of [compiled].
func (s *openExecutable) CountIn(n *atomic.Int64) {
	s.Sized.CountIn(n)
	s.keeper.grown = n
}

// form returns a form; there has the code of steps that is there already.
func (s *openExecutable) form(family *plan.Family, codes, there []kernel.Code, views *exec.Views) *form {
	f := &form{of: s, family: family, codes: codes, views: views}
	f.steps = boundCodes(family.Base(), codes, s.constants(), s.Known, s.keeper, there, family.Moves)
	f.runs = spare.New(keptRuns(s.Bound), func() *sizedRun { return &sizedRun{form: f} })
	return f
}

// constants returns what is bound, by argument of the programs; nil if nothing can
// be, since programs have no more arguments than s. Those that are sizes a run brings.
func (s *openExecutable) constants() []soa.View {
	more := len(s.Family.Base().SizeArgs)
	if more == 0 {
		return s.Bound
	}
	all := make([]soa.View, len(s.Family.Sig.Args)+more)
	copy(all, s.Bound)
	return all
}

// variant returns the program for views with layouts.
func (s *openExecutable) variant(ctx context.Context, views *exec.Views) (*form, error) {
	n := len(s.Family.Base().Args)
	family, err := s.Family.Variant(views.Layouts[:n], views.Layouts[n:])
	if err != nil {
		return nil, err
	}
	codes, err := codesOf(ctx, s.Dense().codes, family.Base().Kernels, s.compilers)
	if err != nil {
		return nil, err
	}
	return s.form(family, codes, unmoved(family.Base(), s.Dense().steps), views), nil
}

// WorkspaceBytes is that of [compiled], for sizes of the latest runs.
func (s *openExecutable) WorkspaceBytes() int { return int(s.workspace.Load()) }

// Artifact returns an error: compiled programs are cached, not yet saved.
func (s *openExecutable) Artifact() ([]byte, error) { return (*compiled)(nil).Artifact() }

// Compiled returns how many steps of the program are kernels, and how many ops were
// left to the evaluator.
func (s *openExecutable) Compiled() (kernels, evaluated int) { return countSteps(s.Family.Base()) }

// Profile returns what the steps have taken; see [backends.Profiler].
func (s *openExecutable) Profile() []backends.StepProfile {
	return s.Sized.Profile(func(step int, of *backends.StepProfile) {
		of.Parts, of.Interim = s.parts[step], s.interim[step].Load()
	})
}

// Bind fixes constants, as that of [compiled] does.
func (s *openExecutable) Bind(ctx context.Context, constants map[int]soa.View) (backends.Executable, error) {
	bound, err := dense.Bind(ctx, s.Family.Sig, s.Bound, constants)
	if err != nil {
		return nil, err
	}
	b := *s
	b.Copied, b.workspace, b.Bound, b.keeper = new(atomic.Int64), new(atomic.Int64), bound, s.keeper.forBound(bound)
	b.compileOthers()
	if b.o.Threads == 0 { // bound programs serve many calls at once
		b.o.Threads = 1
	}
	if b.unbound == nil {
		b.unbound = s
	}
	if err := b.know(ctx, b.unbound.Dense()); err != nil {
		return nil, err
	}
	return &b, b.ready(ctx, s.Dense().codes)
}

// know computes what is known of s, whose constants are bound. The form is that of the program
// before anything was bound.
func (s *openExecutable) know(ctx context.Context, before *form) error {
	bound := s.constants()
	s.Known, s.Done = nil, nil
	known := s.Family.Base().Known(boundArgs(bound), s.Family.Varying())
	if len(known.Values) == 0 {
		return nil
	}
	r := &sizedRun{form: before} // not of the pool: it keeps the constants
	if err := r.become(ctx, s.Family.BaseSizes()); err != nil {
		return err
	}
	return know(ctx, &s.Plan, known, bound, r.l, s.keeper)
}

// Direct is as that of [compiled], for some sizes.
func (f *form) Direct(ctx context.Context, sizes []int64) bool {
	if ctx.Done() == nil {
		return true
	}
	r, err := f.take(ctx, sizes) // which the run takes next
	if err != nil {
		return true // there is nothing to run
	}
	long := r.e.long
	f.runs.Put(r)
	return !long
}

// Run runs a call for some sizes.
func (f *form) Run(ctx context.Context, c *backends.Call, sizes []int64) error {
	f.of.deferred.running()
	r, err := f.take(ctx, sizes)
	if err != nil {
		return err
	}
	if err = r.member.Program.FitResults(c); err == nil {
		err = r.l.Execute(ctx, c, r.e.Direct(ctx))
	}
	f.runs.Put(r)
	f.of.deferred.ended()
	return err
}
