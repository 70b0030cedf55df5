package exec

import (
	"context"
	"fmt"

	"ltc/backends"
	"ltc/backends/kit/plan"
	"ltc/internal/diag"
)

// Form is a target's code of a program with an open size, for one combination of view
// layouts.
type Form interface {
	// Direct is as in [Code], for a run of the given size.
	Direct(ctx context.Context, size int) bool
	// Run runs a call of the given size that [Machine.Admit] has checked without an error. Admit
	// does not check the open sizes of the results; this method does.
	Run(ctx context.Context, c *backends.Call, size int) error
}

// Sized is the part of a [backends.Executable] that is the same on all targets, for a program
// that leaves one size open. Its Plan.Program is the program for one size of the family that was
// picked as an example.
type Sized[F Form] struct {
	layouts[F]
	plan.Opening
	Family *plan.Family
	// None runs calls of size 0. Such calls have a program of their own, since the other
	// programs rely on simplifications that hold only for sizes of at least 1. None is nil for
	// regions, which are never called with size 0.
	None *Lazy[func(context.Context, *backends.Call) error]
}

// Signature returns the program's signature.
func (x *Sized[F]) Signature() *backends.Signature { return x.Sig }

// CheckSizes implements [backends.Sizing]; see [plan.Opening.CheckSizes].
func (x *Sized[F]) CheckSizes(c *backends.Call) error {
	if err := backends.CheckCallOn(x.Sig, c, x.Bound, x.On.Memory); err != nil {
		return err
	}
	return x.Opening.CheckSizes(c, x.Bound, x.Family)
}

// Execute checks a call and runs the program for the size of its arguments.
func (x *Sized[F]) Execute(ctx context.Context, c *backends.Call) error {
	if x.grown == nil {
		return errNotVaried
	}
	if err := x.On.Admit(ctx, c, x.Sig, x.Bound); err != nil {
		return err
	}
	n, err := x.Size(c, x.Bound, x.Family.BaseSize())
	if err != nil {
		return err
	}
	if n == 0 && x.None != nil {
		run, err := x.None.Get(ctx)
		if err != nil {
			return err
		}
		return run(ctx, c)
	}
	f, err := x.codeFor(ctx, c, x.dense.Direct(ctx, n))
	if err != nil {
		return err
	}
	return f.Run(ctx, c, n)
}

// runDense runs a region's call whose views are dense and fit the signature.
func (x *Sized[F]) runDense(ctx context.Context, c *backends.Call) error {
	n, err := x.Size(c, x.Bound, x.Family.BaseSize())
	if err != nil {
		return err
	}
	return x.dense.Run(ctx, c, n)
}

// Profile is [Plan.Profile], with the runs of all sizes together. Flops and Bytes of the profile
// are 0, since they depend on the size.
func (x *Sized[F]) Profile(how func(step int, of *backends.StepProfile)) []backends.StepProfile {
	all := x.Plan.Profile(how)
	for i := range all {
		if all[i].Depth == 0 { // the executables of regions have done it for theirs
			all[i].What += fmt.Sprintf(" (of %s, and of other numbers likewise)", diag.Count(x.Family.BaseSize(), "element"))
			all[i].Flops, all[i].Bytes = 0, 0
		}
	}
	return all
}
