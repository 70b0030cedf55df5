package reference

import (
	"context"
	"sync/atomic"

	"ltc/backends"
	"ltc/backends/kit/kernel"
	"ltc/backends/kit/plan"
	"ltc/backends/reference/tiles"
)

// tiersFor returns a context for the code of a program's kernels: if ctx has tiers, with what
// is known of the launches of these.
func tiersFor(ctx context.Context, p *plan.Program) context.Context {
	if kernel.TiersOf(ctx) == nil {
		return ctx
	}
	return kernel.WithTiers(ctx, &kernel.Tiers{Cost: func(k *kernel.Kernel) (cost float64, ok bool) {
		for i := range p.Steps {
			if s := p.Steps[i].Launch(); s != nil && p.Kernels[s.Kernel] == k {
				cost, ok = cost+tiles.Estimate(k, s.Sizes, s.Strides), true
			}
		}
		return cost, ok
	}})
}

// begun has a step run the launches of a stand-in as long as its code is compiled.
func (s *compiledStep) begun() {
	s.tier = nil
	if t, ok := s.code.(kernel.Tier); ok {
		if _, final := t.Now(); !final {
			if s.tier = t; s.interim == nil {
				s.interim = new(atomic.Int64)
			}
		}
	}
}

// now returns the code for a launch that begins.
func (s *compiledStep) now() kernel.Code {
	if s.tier == nil {
		return s.code
	}
	code, final := s.tier.Now()
	if !final {
		s.interim.Add(1)
	}
	return code
}

// pending reports whether launches may run a stand-in.
func (s *compiledStep) pending() bool {
	if s.tier == nil {
		return false
	}
	_, final := s.tier.Now()
	return !final
}

// Finish implements [backends.Tiered].
func (e *compiled) Finish(ctx context.Context) error {
	for i := range e.steps {
		if t := e.steps[i].tier; t != nil {
			if err := t.Finish(ctx); err != nil {
				return err
			}
		}
	}
	for _, regions := range e.Regions {
		for _, x := range regions {
			if err := finish(ctx, x); err != nil {
				return err
			}
		}
	}
	return nil
}

// Finish implements [backends.Tiered].
func (s *openExecutable) Finish(ctx context.Context) error {
	for _, c := range s.Dense().codes {
		if t, ok := c.(kernel.Tier); ok {
			if err := t.Finish(ctx); err != nil {
				return err
			}
		}
	}
	for _, regions := range s.Regions {
		for _, x := range regions {
			if err := finish(ctx, x); err != nil {
				return err
			}
		}
	}
	return nil
}

func finish(ctx context.Context, x backends.Executable) error {
	if t, ok := x.(backends.Tiered); ok {
		return t.Finish(ctx)
	}
	return nil
}
