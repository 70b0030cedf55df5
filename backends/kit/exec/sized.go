package exec

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"ltc/backends"
	"ltc/backends/kit/plan"
	"ltc/internal/spare"
	"ltc/soa"
)

// Form is a target's code of a program with open sizes, for one combination of view
// layouts. Sizes are the values of the symbols ([plan.Opening]); a form keeps no reference to them.
type Form interface {
	// Direct is as in [Code], for a run of the given sizes.
	Direct(ctx context.Context, sizes []int64) bool
	// Run runs a call of the given sizes that [Machine.Admit] has checked without an error. Admit
	// does not check the open sizes of the results; this method does. The error wraps
	// [plan.ErrOtherSizes] if there is no program for these sizes.
	Run(ctx context.Context, c *backends.Call, sizes []int64) error
}

// Sized is the part of a [backends.Executable] that is the same on all targets, for a program
// that leaves sizes open. Its Plan.Program is the program for the sizes of the family that were
// picked as an example.
type Sized[F Form] struct {
	layouts[F]
	Family *plan.Family
	// Others returns what runs calls of sizes that the family has no program for, given the symbols
	// that are 0: the least sizes, of which values have no elements, and sizes beyond what kernels
	// count. It is nil for regions, which are never called with such sizes.
	Others func(plan.Zeros) *Lazy[func(context.Context, *backends.Call) error]

	sizes    *spare.Pool[[]int64]
	measured *measuredSizes // of the runs that Times has
}

// measuredSizes are the sizes of the runs so far, while all have the same.
type measuredSizes struct {
	sync.Mutex
	sizes []int64 // nil before the first run
	mixed bool    // runs had different sizes
}

// add counts a run.
func (m *measuredSizes) add(sizes []int64) {
	m.Lock()
	defer m.Unlock()
	if m.sizes == nil {
		m.sizes = slices.Clone(sizes)
	}
	m.mixed = m.mixed || !slices.Equal(m.sizes, sizes)
}

// get returns the sizes of all runs; nil if there are none or they differ.
func (m *measuredSizes) get() []int64 {
	m.Lock()
	defer m.Unlock()
	if m.mixed {
		return nil
	}
	return m.sizes
}

// Constants returns the constants of a list by argument that are bound, as Bind takes them.
func Constants(bound []soa.View) map[int]soa.View {
	all := map[int]soa.View{}
	for i, v := range bound {
		if !v.IsZero() {
			all[i] = v
		}
	}
	return all
}

// Signature returns the program's signature.
func (x *Sized[F]) Signature() *backends.Signature { return x.Family.Sig }

// Open sets the program.
func (x *Sized[F]) Open(f *plan.Family) {
	x.Family, x.measured = f, new(measuredSizes)
	x.sizes = spare.New(keptSizes, func() *[]int64 {
		values := make([]int64, len(f.Symbols))
		return &values
	})
}

// keptSizes is how many lists of sizes a program keeps: one for each call at the same time.
const keptSizes = 64

// CheckSizes implements [backends.Sizing]; see [plan.Family.CheckSizes].
func (x *Sized[F]) CheckSizes(c *backends.Call) error {
	if err := backends.CheckCallOn(x.Family.Sig, c, x.Bound, x.On.Memory); err != nil {
		return err
	}
	return x.Family.CheckSizes(c, x.Bound)
}

// Execute checks a call and runs the program for the sizes of its arguments.
func (x *Sized[F]) Execute(ctx context.Context, c *backends.Call) error {
	if x.grown == nil {
		return errNotVaried
	}
	if err := x.On.Admit(ctx, c, x.Family.Sig, x.Bound); err != nil {
		return err
	}
	values := x.sizes.Get()
	defer x.sizes.Put(values)
	sizes := *values
	if err := x.Family.Sizes(sizes, c, x.Bound); err != nil {
		return err
	}
	if !x.Family.Holds(sizes) {
		return x.other(ctx, c, sizes)
	}
	f, err := x.codeFor(ctx, c, x.dense.Direct(ctx, sizes))
	if err != nil {
		return err
	}
	if x.Times != nil {
		x.measured.add(sizes)
	}
	err = f.Run(ctx, c, sizes)
	if err != nil && errors.Is(err, plan.ErrOtherSizes) {
		return x.other(ctx, c, sizes)
	}
	return err
}

// other runs a call of sizes that the family has no program for.
func (x *Sized[F]) other(ctx context.Context, c *backends.Call, sizes []int64) error {
	if x.Others == nil {
		return fmt.Errorf("execute: for sizes %v: %w", slices.Clone(sizes), plan.ErrOtherSizes)
	}
	run, err := x.Others(plan.ZerosOf(sizes)).Get(ctx)
	if err != nil {
		return err
	}
	return run(ctx, c)
}

// runDense runs a region's call whose views are dense and fit the signature.
func (x *Sized[F]) runDense(ctx context.Context, c *backends.Call, sizes []int64) error {
	if x.Times != nil {
		x.measured.add(sizes)
	}
	return x.dense.Run(ctx, c, sizes)
}

// Profile is [Plan.Profile], with the runs of all sizes together. What, Flops and Bytes are those of
// the sizes of the runs. If these differ, Flops and Bytes are 0, since they depend on the sizes.
func (x *Sized[F]) Profile(how func(step int, of *backends.StepProfile)) []backends.StepProfile {
	all := x.Plan.Profile(how)
	var one *plan.Program // of the one list of sizes that ran
	if sizes := x.measured.get(); all != nil && sizes != nil {
		if m := x.Family.Member(); m.Resize(sizes) == nil {
			one = m.Program
		}
	}
	step := -1
	for i := range all {
		if all[i].Depth > 0 { // the executables of regions have done it for theirs
			continue
		}
		step++
		if one == nil {
			all[i].What += fmt.Sprintf(" (of %s, and of other numbers likewise)", x.Family.BaseText())
			all[i].Flops, all[i].Bytes = 0, 0
			continue
		}
		of := one.Profile(step)
		all[i].What, all[i].Flops, all[i].Bytes = of.What, of.Flops, of.Bytes
	}
	return all
}
