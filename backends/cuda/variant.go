package cuda

import (
	"context"
	"errors"
	"fmt"
	"maps"

	"ltc/backends/cuda/driver"
	"ltc/backends/kit/exec"
	"ltc/backends/kit/plan"
)

// passes reports whether a later call should try again to make kernels: the driver
// refused, or the device is lost, which the later call reports.
func (x *code) passes(err error) bool {
	_, refused := errors.AsType[*driver.Error](err)
	return x.on.dev.Err() != nil || refused || errors.Is(err, driver.OutOfMemory)
}

// variant makes e for views with layouts.
func (e *executable) variant(ctx context.Context, views *exec.Views) (*executable, error) {
	n := len(e.program.Args)
	prog, err := e.program.Variant(views.Layouts[:n], views.Layouts[n:])
	if err != nil {
		return nil, err
	}
	x, err := e.code.variant(ctx, prog)
	if err == nil {
		err = x.takesViews()
	}
	if err != nil {
		return nil, err
	}
	return x.executable(&e.Plan, e.grown), nil
}

// variant makes x for a variant of its program: kernels that there are not yet are a
// module of their own.
func (x *code) variant(ctx context.Context, prog *plan.Program) (*code, error) {
	of := x.of
	c := &compilation{ctx: ctx, o: of.o, target: of.target, gpu: new(exec.Machine), entries: map[string]*entry{}, opens: of.opens, mu: of.mu}
	of.mu.Lock()
	for text, e := range of.entries {
		own := *e
		own.variants = maps.Clone(e.variants)
		c.entries[text] = &own
	}
	var err error
	c.main, err = c.add(prog, x.regions)
	of.mu.Unlock()
	if err != nil {
		return nil, err
	}
	c.main.rules = x.rules.For(c.main.fallible(), c.main.failing())
	c.main.constantBytes, c.main.constant = 0, x.constant // which are there
	if _, err := c.load(ctx, x.on.dev); err != nil {
		return nil, err
	}
	c.main.on.base, c.main.on.launches = x.on, x.on.launches
	return c.main, nil
}

// errTakesDense is the error of a program that works on views where they lie and
// cannot do so for the sizes that it has.
var errTakesDense = errors.New("a step takes dense operands only")

// takesViews reports what keeps a program from working on its views where they lie.
func (x *code) takesViews() error {
	p := x.program
	for i := range x.steps {
		s := &x.steps[i]
		if s.lacks == nil {
			continue
		}
		for _, o := range s.Operands {
			if p.Values[o.Value].Layout != nil {
				return fmt.Errorf("%w: step %d is run by the host: %w", errTakesDense, i, s.lacks)
			}
		}
	}
	for j, id := range p.Results {
		if p.Values[id].Layout != nil && !x.rules.Direct(j) {
			return fmt.Errorf("%w: what follows result %d may fail", errTakesDense, j)
		}
	}
	return nil
}
