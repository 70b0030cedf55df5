package exec

import (
	"context"

	"ltc/backends/kit"
)

// Steps runs the steps of a program in order, step i by step(i, done), up to the first
// that fails. It ends when the context does, which done tells, but not from step
// watch on, the first that writes memory of the caller's: done is nil then.
func Steps(ctx context.Context, p *kit.Program, watch int, step func(i int, done <-chan struct{}) error) error {
	done := ctx.Done()
	for i := range p.Steps {
		if i >= watch {
			done = nil
		}
		if done != nil {
			select {
			case <-done:
				return context.Cause(ctx)
			default:
			}
		}
		if err := step(i, done); err != nil {
			if done != nil && ctx.Err() != nil { // what the step ended with
				return context.Cause(ctx)
			}
			return err
		}
	}
	if done != nil && ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return nil
}
