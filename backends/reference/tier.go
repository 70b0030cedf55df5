package reference

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"ltc/backends"
	"ltc/backends/kit/kernel"
	"ltc/backends/kit/plan"
)

// tiersFor returns a context for the code of a program's kernels: if ctx has tiers, with what
// is known of the launches of these.
func tiersFor(ctx context.Context, p *plan.Program, use []kernel.Compiler) context.Context {
	tiers := kernel.TiersOf(ctx)
	if tiers == nil {
		return ctx
	}
	return kernel.WithTiers(ctx, &kernel.Tiers{Inexact: tiers.Inexact, Later: tiers.Later, Cost: func(k *kernel.Kernel) (cost float64, ok bool) {
		var estimate func(sizes, strides []int64) float64
		for i := range p.Steps {
			if s := p.Steps[i].Launch(); s != nil && p.Kernels[s.Kernel] == k {
				if !ok {
					estimate, ok = plainOf(use).Estimate(k), true
				}
				cost += estimate(s.Sizes, s.Strides)
			}
		}
		return cost, ok
	}})
}

// longRun is how long work that was put off waits for a first run that is under way to end.
// longIdle is how long it waits for a run to begin: programs often read weights before.
const (
	longRun  = 100 * time.Millisecond
	longIdle = time.Second
)

// deferral puts work off until the first run of a program has ended: before, it would take
// processor time and memory of that. Programs without tiers have none.
type deferral struct {
	inexact bool // see [kernel.Tiers]
	begun   atomic.Bool
	runs    atomic.Bool // the first run is under way
	mu      sync.Mutex
	works   []func()
}

type deferralKey struct{}

// withDeferral returns a context with tiers whose work d puts off.
func withDeferral(ctx context.Context, d *deferral) context.Context {
	return kernel.WithTiers(context.WithValue(ctx, deferralKey{}, d), &kernel.Tiers{Inexact: d.inexact, Later: d.later})
}

// deferralOf returns the deferral of a context; nil if it has no tiers.
func deferralOf(ctx context.Context) *deferral {
	if kernel.TiersOf(ctx) == nil {
		return nil
	}
	d, _ := ctx.Value(deferralKey{}).(*deferral)
	return d
}

// later is the one of [kernel.Tiers].
func (d *deferral) later(work func()) (begin func()) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.begun.Load() {
		go work()
		return d.begin
	}
	if d.works = append(d.works, work); len(d.works) == 1 {
		time.AfterFunc(longIdle, d.begin)
	}
	return d.begin
}

// begin begins all work that was put off.
func (d *deferral) begin() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.begun.Store(true)
	for _, work := range d.works {
		go work()
	}
	d.works = nil
}

// running notes that a run begins.
func (d *deferral) running() {
	if d != nil && !d.begun.Load() && !d.runs.Swap(true) {
		time.AfterFunc(longRun, d.begin)
	}
}

// ended notes that a run has ended.
func (d *deferral) ended() {
	if d != nil && !d.begun.Load() {
		d.begin()
	}
}

// begun has the steps of code run the launches of a stand-in as long as the code is compiled.
func (e *compiled) begun(c *sizedCode) {
	c.tier = nil
	t, ok := c.code.(kernel.Tier)
	if !ok {
		return
	}
	if _, final := t.Now(); final {
		return
	}
	c.tier = t
	for _, i := range c.steps {
		if s := &e.steps[i]; s.interim == nil {
			s.interim = new(atomic.Int64)
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
