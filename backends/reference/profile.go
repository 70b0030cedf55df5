package reference

import (
	"context"
	"time"

	"ltc/backends"
	"ltc/backends/kit/exec"
)

// timed runs a step and counts how long it took, unless it failed.
func (e *compiled) timed(ctx context.Context, l *launcher, i int, done <-chan struct{}) error {
	start := time.Now()
	err := e.step(ctx, l, i, done)
	if err == nil {
		e.times[i].Add(time.Since(start))
	}
	return err
}

// Profile returns what the steps have taken; see [backends.Profiler].
func (e *compiled) Profile() []backends.StepProfile {
	if e.times == nil {
		return nil
	}
	return exec.Profile(e.program, e.times, e.regions, func(step int, of *backends.StepProfile) { of.Parts = min(e.steps[step].parts, e.threads) })
}
