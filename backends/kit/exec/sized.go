package exec

import (
	"context"
	"fmt"

	"ltc/backends"
	"ltc/backends/kit/plan"
	"ltc/internal/diag"
)

// Form is what a target has made of a program for all sizes, for some layouts of its views.
type Form interface {
	// Direct is as in [Code], of a run for a size.
	Direct(ctx context.Context, size int) bool
	// Run runs a call that was admitted, but for the sizes of its results, for a size.
	Run(ctx context.Context, c *backends.Call, size int) error
}

// Sized has what executables have on any target of a program that leaves one size open,
// which is compiled once. The program of its plan is for one size, of the family.
type Sized[F Form] struct {
	layouts[F]
	plan.Opening
	Family *plan.Family
	// None runs calls of size 0, which is compiled separately: identities that hold for
	// sizes of at least 1 fail there. It is nil for regions, which are not called for it.
	None *Lazy[func(context.Context, *backends.Call) error]
}

// Signature returns what the program takes and gives.
func (x *Sized[F]) Signature() *backends.Signature { return x.Sig }

// CheckSizes is as [backends.Sizing] has it; see [plan.Opening.CheckSizes].
func (x *Sized[F]) CheckSizes(c *backends.Call) error {
	if err := backends.CheckCallOn(x.Sig, c, x.Bound, x.On.Memory); err != nil {
		return err
	}
	return x.Opening.CheckSizes(c, x.Bound, x.Family)
}

// Execute runs the program for the size that its arguments have.
func (x *Sized[F]) Execute(ctx context.Context, c *backends.Call) error {
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

// Profile returns what the steps have taken in runs of all sizes together, as that of
// [Plan] does. How much they compute and move depends on the size, and is 0 here.
func (x *Sized[F]) Profile(how func(step int, of *backends.StepProfile)) []backends.StepProfile {
	all := x.Plan.Profile(how)
	for i := range all {
		if all[i].Depth == 0 { // regions say so themselves
			all[i].What += fmt.Sprintf(" (of %s, and of other numbers likewise)", diag.Count(x.Family.BaseSize(), "element"))
			all[i].Flops, all[i].Bytes = 0, 0
		}
	}
	return all
}
