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
	"ltc/backends/reference"
	"ltc/ir/types"
	"ltc/soa"
)

// sized is a program, or a region of one, that leaves one size open: compiled once,
// since kernels take sizes as arguments. For a size that a call comes with, what
// follows from it is worked out on the host, and kept for the sizes that came last,
// with their graphs.
type sized struct {
	*code // for the size of the family's base
	kit.Opening
	family *kit.Family
	bound  []soa.View // by argument, on the device; nil: none
	copied *atomic.Int64
	grown  *atomic.Int64 // bytes of variants, and of what is kept for sizes
	times  []exec.Timer  // by step, of runs of all sizes; nil unless they are measured
	mu     sync.Mutex    // of who adds to recent
	recent atomic.Pointer[[]fitted]
	none   *none // of no elements; nil for regions
	// variants are nil where all views that are not dense are copied; dense is what
	// this is one of.
	variants *exec.Variants[*sized]
	dense    *sized
}

// none is the program for no elements, which is one of its own: see the backend cpu.
// The host runs it, since there is next to nothing to compute. It is compiled when it
// is first asked for.
type none struct {
	module    backends.Module
	options   backends.Options
	constants map[int]soa.View // those that are bound
	run       *exec.Later[backends.Executable]
}

func newNone(m backends.Module, o backends.Options) *none {
	return &none{module: m, options: o, constants: map[int]soa.View{}, run: exec.NewLater[backends.Executable]()}
}

// execute runs a call of s that has been checked, and whose size is 0.
func (z *none) execute(ctx context.Context, s *sized, c *backends.Call) error {
	run, err := z.run.Get(ctx, func(ctx context.Context) (backends.Executable, error) {
		x, err := reference.New().Compile(ctx, z.module, z.options)
		if err != nil {
			return nil, err
		}
		if r, ok := x.(backends.Resident); ok {
			s.grown.Add(int64(r.ResidentBytes()))
		}
		return (&hosted{dev: s.on.dev, run: x}).Bind(ctx, z.constants)
	})
	if err != nil {
		return err
	}
	return run.Execute(ctx, c)
}

// fitted is a program for one size.
type fitted struct {
	n int
	*executable
}

// recentSizes is how many sizes a program is kept for.
const recentSizes = 32

// newOpenCompilation compiles a text that leaves one size open. The error wraps
// [kit.ErrNotCompiled] if it cannot be one program for all sizes.
func newOpenCompilation(ctx context.Context, m backends.Module, o backends.Options, target ptx.Options) (*compilation, error) {
	c := &compilation{ctx: ctx, o: o, target: target, entries: map[string]*entry{}, opens: true, mu: new(sync.Mutex)}
	family, open, err := reference.Family(ctx, m, o, func(_ int, p *backends.Program) (*kit.Program, error) { return c.kernels(ctx, p) })
	if err != nil {
		return nil, err
	}
	if c.open, err = c.sized(kit.Region{Opening: open, Family: family}); err != nil {
		return nil, err
	}
	o.Compiled = false // of no elements
	c.open.none = newNone(m, o)
	c.main = c.open.code
	return c, nil
}

// sized adds a program, or a region of one, and its regions.
func (c *compilation) sized(of kit.Region) (*sized, error) {
	regions, err := exec.MakeRegions(of.Base(), func(step, r int) (backends.Executable, error) {
		s, err := c.sized(of.Region(step, r))
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
	s := &sized{code: x, Opening: of.Opening, family: of.Family, copied: new(atomic.Int64), grown: new(atomic.Int64)}
	if c.o.Profile {
		s.times = make([]exec.Timer, len(x.steps))
	}
	s.remember()
	return s, nil
}

// remember makes room for what is kept of s.
func (s *sized) remember() {
	s.recent.Store(new([]fitted))
	s.variants = newVariants(s, s.code, s.bound, s.grown, s.variant, func(v *sized) int { return v.size() + heap.Of(v.family) })
}

// Variants is as [backends.Varying] has it.
func (s *sized) Variants() (made, failed int) { return s.variants.Count() }

// variant makes s for views with layouts.
func (s *sized) variant(ctx context.Context, views *exec.Views) (*sized, error) {
	n := len(s.family.Base().Args)
	family, err := s.family.Variant(views.Layouts[:n], views.Layouts[n:])
	if err != nil {
		return nil, err
	}
	x, err := s.code.variant(ctx, family.Base())
	if err != nil {
		return nil, err
	}
	v := &sized{code: x, Opening: s.Opening, family: family, bound: s.bound, copied: s.copied, grown: s.grown, times: s.times, dense: s}
	v.recent.Store(new([]fitted))
	return v, nil
}

// Signature returns what the program takes and gives.
func (s *sized) Signature() *backends.Signature { return s.Sig }

// Program returns the program for the first of the sizes that it was found from.
func (s *sized) Program() *kit.Program { return s.family.Base() }

// CopiedBytes is how many bytes runs have copied between the host's memory and the
// device's, for arguments and results.
func (s *sized) CopiedBytes() int64 { return s.copied.Load() }

// Bind brings constants to the device, once.
func (s *sized) Bind(ctx context.Context, constants map[int]soa.View) (backends.Executable, error) {
	bound, err := s.bind(ctx, s.Sig, s.bound, constants)
	if err != nil {
		return nil, err
	}
	b := &sized{code: s.code, Opening: s.Opening, family: s.family, bound: bound, copied: new(atomic.Int64), grown: new(atomic.Int64), times: s.times}
	b.remember()
	b.none = newNone(s.none.module, s.none.options)
	maps.Copy(b.none.constants, s.none.constants)
	for i, v := range constants {
		if b.none.constants[i], err = onHost(v); err != nil {
			return nil, err
		}
	}
	return b, nil
}

// Profile returns what the steps have taken in runs of all sizes together, each
// waited for. How much they compute and move depends on the size, and is 0 here.
func (s *sized) Profile() []backends.StepProfile {
	if s.times == nil {
		return nil
	}
	return exec.Profile(s.program, s.times, s.regions, func(i int, of *backends.StepProfile) {
		of.Kernel = s.steps[i].lacks == nil
		of.What += fmt.Sprintf(" (of %d elements, and of other numbers likewise)", s.family.BaseSize())
		of.Flops, of.Bytes = 0, 0
	})
}

// CheckSizes is as [backends.Sizing] has it; see [kit.Opening.CheckSizes].
func (s *sized) CheckSizes(c *backends.Call) error {
	if err := backends.CheckCallOn(s.Sig, c, s.bound, s.on.dev); err != nil {
		return err
	}
	return s.Opening.CheckSizes(c, s.bound, s.family)
}

// Execute runs the program for the size that its arguments have.
func (s *sized) Execute(ctx context.Context, c *backends.Call) error {
	q, err := s.begin(ctx, c, s.Sig, s.bound)
	if err != nil {
		return err
	}
	n, err := s.Size(c, s.bound, s.family.BaseSize())
	if err != nil {
		return err
	}
	if n == 0 && s.none != nil {
		return s.none.execute(ctx, s, c)
	}
	of, err := s.variants.Of(ctx, s, c, true)
	if err != nil {
		return err
	}
	e, err := of.at(ctx, n)
	if err != nil {
		return fmt.Errorf("execute: %w", err)
	}
	if err := e.program.FitResults(c); err != nil {
		return err
	}
	return e.execute(ctx, q, c)
}

// at returns the program for a size.
func (s *sized) at(ctx context.Context, n int) (*executable, error) {
	for _, f := range *s.recent.Load() {
		if f.n == n {
			return f.executable, nil
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	list := *s.recent.Load()
	for _, f := range list { // another may have been quicker
		if f.n == n {
			return f.executable, nil
		}
	}
	e, err := s.fit(ctx, n)
	if errors.Is(err, errTakesDense) && s.dense != nil {
		e, err = s.dense.at(ctx, n)
	}
	if err != nil {
		return nil, err
	}
	if len(list) == recentSizes {
		list = list[1:]
	} else {
		s.grown.Add(int64(ofSize.Of([2]any{e.program, e.steps})))
	}
	list = append(slices.Clone(list), fitted{n, e})
	s.recent.Store(&list)
	return e, nil
}

// fit makes the program for a size.
func (s *sized) fit(ctx context.Context, n int) (*executable, error) {
	m := s.family.Member()
	if err := m.Resize(n); err != nil {
		return nil, err
	}
	x := *s.code
	x.program, x.steps = m.Program, slices.Clone(s.steps)
	for i := range x.steps {
		t := &x.steps[i]
		t.Step = &m.Program.Steps[i]
		if t.Launch = t.Step.Launch(); t.Launch == nil {
			continue
		}
		if err := s.launch(ctx, t); err != nil {
			return nil, err
		}
	}
	x.rules = x.rules.For(x.fallible())
	x.ready()
	x.take(s.on.dev)
	if err := x.takesViews(); err != nil {
		return nil, err
	}
	e := &executable{code: &x, bound: s.bound, copied: s.copied, grown: s.grown, times: s.times}
	if more := len(m.Program.SizeArgs); more > 0 {
		e.bound = make([]soa.View, len(s.Sig.Args)+more)
		copy(e.bound, s.bound)
		for i, size := range m.Program.SizeArgs {
			v, err := s.on.dev.Make(types.Of(types.I32))
			if err != nil {
				return nil, err
			}
			here := soa.Make(v.Type)
			soa.Slice[int32](here)[0] = int32(size)
			if err := soa.Copy(v, here); err != nil {
				return nil, err
			}
			e.bound[len(s.Sig.Args)+i] = v
		}
	}
	return e, nil
}

// launch finds out how a step of the program for a size is launched.
func (s *sized) launch(ctx context.Context, t *step) error {
	s.of.mu.Lock()
	defer s.of.mu.Unlock()
	if err := s.of.launch(ctx, t); err != nil || t.lacks != nil {
		return err
	}
	if b := t.boxed; b != nil {
		if err := b.variant.allow(s.on.dev, b.launch.Shared); err != nil {
			return err
		}
	}
	return t.variant.allow(s.on.dev, t.launch.Shared)
}
