package cuda

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"sync/atomic"

	"ltc/backends"
	"ltc/backends/cuda/ptx"
	"ltc/backends/kit"
	"ltc/backends/kit/exec"
	"ltc/backends/kit/plan"
	"ltc/ir/types"
	"ltc/soa"
)

// openExecutable is a program, or a region of one, that leaves sizes open: compiled once,
// since kernels take sizes as arguments.
type openExecutable struct {
	exec.Sized[*form]
	*code // for the sizes of the family's base
	// The evaluator runs calls of sizes that the family has no program for:
	module    backends.Module
	options   backends.Options
	constants map[int]soa.View // those that are bound
}

// form is the program for some layouts of its views. For the sizes that a call comes with,
// what follows from them is worked out on the host, and kept for the sizes that came last,
// with their graphs.
type form struct {
	*code  // for the sizes of the family's base
	of     *openExecutable
	family *plan.Family
	mu     sync.Mutex // of who adds to recent
	recent atomic.Pointer[[]sizeExecutable]
}

// compileOthers has the evaluator run calls of sizes that the family has no program for.
func (s *openExecutable) compileOthers() func(plan.Zeros) *exec.Lazy[func(context.Context, *backends.Call) error] {
	run := exec.NewLazy(s.evaluated)
	return func(plan.Zeros) *exec.Lazy[func(context.Context, *backends.Call) error] { return run }
}

// evaluated returns the program as the evaluator runs it.
func (s *openExecutable) evaluated(ctx context.Context) (func(context.Context, *backends.Call) error, error) {
	x, err := s.on.dev.hosted(ctx, s.module, s.options)
	if err != nil {
		return nil, err
	}
	if r, ok := x.Program().(backends.Resident); ok {
		s.Grown().Add(int64(r.ResidentBytes()))
	}
	bound, err := x.Bind(ctx, s.constants)
	if err != nil {
		return nil, err
	}
	return bound.Execute, nil
}

// sizeExecutable is a program for some sizes.
type sizeExecutable struct {
	sizes []int64
	*executable
}

// recentSizes is how many lists of sizes a program is kept for.
const recentSizes = 32

// newOpenCompilation compiles a text that leaves sizes open. The error wraps
// [kit.ErrNotCompiled] if it cannot be one program for all sizes.
func newOpenCompilation(ctx context.Context, m backends.Module, p *backends.Program, o backends.Options, target ptx.Options) (*compilation, error) {
	c := &compilation{ctx: ctx, o: o, target: target, gpu: new(exec.Machine), entries: map[string]*entry{}, opens: true, mu: new(sync.Mutex)}
	family, err := kit.OpenFamily(ctx, kit.NewEvaluator(), m, o, 0, nil, func(p *backends.Program) (*plan.Program, error) { return c.kernels(ctx, p) })
	if err != nil {
		return nil, err
	}
	if c.open, err = c.openProgram(family); err != nil {
		return nil, err
	}
	o.Compiled = false // of other sizes
	c.open.module, c.open.options, c.open.Others = m, o, c.open.compileOthers()
	c.main = c.open.code
	return c, nil
}

// openProgram adds a program, or a region of one, and its regions.
func (c *compilation) openProgram(of *plan.Family) (*openExecutable, error) {
	regions, err := exec.MakeRegions(of.Base(), func(step, r int) (backends.Executable, error) {
		s, err := c.openProgram(of.Region(step, r))
		if err != nil {
			return nil, err
		}
		s.rules.Region = true
		return s, nil
	})
	if err != nil {
		return nil, err
	}
	x, err := c.add(of.Base(), regions)
	if err != nil {
		return nil, err
	}
	s := &openExecutable{code: x}
	s.Open(of)
	with := exec.Plan{Copied: new(atomic.Int64)}
	if c.o.Profile {
		with.Times = make([]exec.Timer, len(x.steps))
	}
	s.ready(&with)
	return s, nil
}

// ready makes the form for dense views of s, and has it make others; of is as that of
// [code.executable].
func (s *openExecutable) ready(of *exec.Plan) {
	s.Plan = s.plan(of)
	s.Vary(s.form(s.code, s.Family), exec.VariantOptions[*form]{
		Make: s.variant, Passes: s.passes, Bytes: func(f *form) int { return f.size() + heap.Of(f.family) },
	})
}

// form returns the program for some layouts.
func (s *openExecutable) form(x *code, family *plan.Family) *form {
	f := &form{code: x, of: s, family: family}
	f.recent.Store(new([]sizeExecutable))
	return f
}

// variant returns the program for views with layouts.
func (s *openExecutable) variant(ctx context.Context, views *exec.Views) (*form, error) {
	n := len(s.Family.Base().Args)
	family, err := s.Family.Variant(views.Layouts[:n], views.Layouts[n:])
	if err != nil {
		return nil, err
	}
	x, err := s.code.variant(ctx, family.Base())
	if err != nil {
		return nil, err
	}
	return s.form(x, family), nil
}

// Bind brings constants to the device, once.
func (s *openExecutable) Bind(ctx context.Context, constants map[int]soa.View) (backends.Executable, error) {
	bound, err := s.bind(ctx, s.Family.Sig, s.Bound, constants)
	if err != nil {
		return nil, err
	}
	b := &openExecutable{code: s.code, module: s.module, options: s.options, constants: maps.Clone(s.constants)}
	if b.constants == nil {
		b.constants = map[int]soa.View{}
	}
	for i, v := range constants {
		if b.constants[i], err = exec.OnHost(v); err != nil {
			return nil, err
		}
	}
	b.Open(s.Family)
	b.Others = b.compileOthers()
	b.ready(&exec.Plan{Bound: bound, Copied: new(atomic.Int64), Times: s.Times})
	return b, nil
}

// Profile returns what the steps have taken, each waited for; see [backends.Profiler].
func (s *openExecutable) Profile() []backends.StepProfile {
	return s.Sized.Profile(func(i int, of *backends.StepProfile) { of.Kernel = s.steps[i].lacks == nil })
}

// Direct is as that of [executable].
func (f *form) Direct(context.Context, []int64) bool { return true }

// Run runs a call for some sizes.
func (f *form) Run(ctx context.Context, c *backends.Call, sizes []int64) error {
	e, err := f.at(ctx, sizes)
	if err != nil {
		return fmt.Errorf("execute: %w", err)
	}
	if err := e.program.FitResults(c); err != nil {
		return err
	}
	return e.Run(ctx, c)
}

// at returns the program for some sizes.
func (f *form) at(ctx context.Context, sizes []int64) (*executable, error) {
	is := func(x sizeExecutable) bool { return slices.Equal(x.sizes, sizes) }
	list := *f.recent.Load()
	if i := slices.IndexFunc(list, is); i >= 0 {
		return list[i].executable, nil
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	list = *f.recent.Load()
	if i := slices.IndexFunc(list, is); i >= 0 { // another has been quicker
		return list[i].executable, nil
	}
	e, err := f.fit(ctx, sizes)
	if dense := f.of.Dense(); errors.Is(err, errTakesDense) && f != dense {
		e, err = dense.at(ctx, sizes)
	}
	if err != nil {
		return nil, err
	}
	if len(list) == recentSizes {
		f.of.Grown().Add(-list[0].held.Load())
		list = list[1:]
	} else {
		f.of.Grown().Add(int64(ofSize.Of([2]any{e.program, e.steps})))
	}
	list = append(slices.Clone(list), sizeExecutable{slices.Clone(sizes), e})
	f.recent.Store(&list)
	return e, nil
}

// fit makes the program for some sizes.
func (f *form) fit(ctx context.Context, sizes []int64) (*executable, error) {
	m := f.family.Member()
	if err := m.Resize(sizes); err != nil {
		return nil, err
	}
	x := *f.code
	x.program, x.steps = m.Program, slices.Clone(f.steps)
	for i := range x.steps {
		t := &x.steps[i]
		t.Step = &m.Program.Steps[i]
		if t.Launch = t.Step.Launch(); t.Launch == nil {
			continue
		}
		if err := f.launch(ctx, t); err != nil {
			return nil, err
		}
	}
	x.rules = x.rules.For(x.fallible(), x.failing())
	x.ready()
	x.take(f.on.dev)
	if err := x.takesViews(); err != nil {
		return nil, err
	}
	e := x.executable(&f.of.Plan, f.of.Grown())
	e.Sizes = slices.Clone(sizes)
	if more := len(m.Program.SizeArgs); more > 0 {
		e.Bound = make([]soa.View, len(f.of.Family.Sig.Args)+more)
		copy(e.Bound, f.of.Bound)
		for i, size := range m.Program.SizeArgs {
			v, err := f.on.dev.Make(types.Of(types.I32))
			if err != nil {
				return nil, err
			}
			here := soa.Make(v.Type)
			soa.Slice[int32](here)[0] = int32(size)
			if err := soa.Copy(v, here); err != nil {
				return nil, err
			}
			e.Bound[len(f.of.Family.Sig.Args)+i] = v
		}
	}
	return e, nil
}

// launch finds out how a step of the program for some sizes is launched.
func (f *form) launch(ctx context.Context, t *step) error {
	f.code.of.mu.Lock()
	defer f.code.of.mu.Unlock()
	if err := f.code.of.launch(ctx, t); err != nil || t.lacks != nil {
		return err
	}
	if b := t.byMaps; b != nil {
		if err := b.variant.allow(f.on.dev, b.launch.Shared); err != nil {
			return err
		}
	}
	return t.variant.allow(f.on.dev, t.launch.Shared)
}
