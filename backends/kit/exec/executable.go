package exec

import (
	"context"
	"sync/atomic"

	"ltc/backends"
	"ltc/backends/kit/plan"
	"ltc/soa"
)

// Machine is where programs of a target run.
type Machine struct {
	// Memory is the memory that kernels access; nil: the host's.
	Memory soa.Remote
	// Space makes views of Memory.
	Space *soa.Buffer
	// Queue returns an error if runs cannot be in the queue of a call, which is not nil.
	Queue func(backends.Queue) error
}

// Admit reports why a call of a program cannot run on the machine: its context has ended,
// its queue is another machine's, or its views do not fit the signature. Bound is as in [Plan].
func (m *Machine) Admit(ctx context.Context, c *backends.Call, sig *backends.Signature, bound []soa.View) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if c.Queue != nil {
		if err := m.Queue(c.Queue); err != nil {
			return err
		}
	}
	return backends.CheckCallOn(sig, c, bound, m.Memory)
}

// Code is what a target has made of a program for some layouts of its views.
type Code interface {
	// Direct reports whether a run may write memory of the caller's before all is done that
	// can be cancelled.
	Direct(ctx context.Context) bool
	// Run runs a call that was admitted.
	Run(ctx context.Context, c *backends.Call) error
}

// Executable has what executables of programs have on any target: E is what the target
// has made of a program for some layouts of its views.
type Executable[E Code] struct {
	layouts[E]
}

// Signature returns what the program takes and gives.
func (x *Executable[E]) Signature() *backends.Signature { return x.Plan.Program.Signature }

// Execute runs the program.
func (x *Executable[E]) Execute(ctx context.Context, c *backends.Call) error {
	if err := x.On.Admit(ctx, c, x.Plan.Program.Signature, x.Bound); err != nil {
		return err
	}
	return x.Call(ctx, c)
}

// Call is Execute of a call that was admitted.
func (x *Executable[E]) Call(ctx context.Context, c *backends.Call) error {
	e, err := x.codeFor(ctx, c, x.dense.Direct(ctx))
	if err != nil {
		return err
	}
	return e.Run(ctx, c)
}

// layouts are a program's code for the layouts of its views.
type layouts[E any] struct {
	Plan
	dense    E
	variants *Variants[E] // nil where all views that are not dense are copied
	grown    *atomic.Int64
}

// Vary sets the code for dense views; o says how code for other layouts is made. If o has
// no Make, other views are copied.
func (x *layouts[E]) Vary(dense E, o VariantOptions[E]) {
	x.dense, x.grown = dense, new(atomic.Int64)
	o.Grown, o.Remote = x.grown, x.Rules.remote
	if x.variants = nil; o.Make != nil {
		x.variants = NewVariants(dense, x.Rules, x.Bound, o)
	}
}

// codeFor returns the code for a call, as [Variants.Of] does.
func (x *layouts[E]) codeFor(ctx context.Context, c *backends.Call, direct bool) (E, error) {
	if x.variants == nil {
		return x.dense, nil
	}
	return x.variants.Of(ctx, c, direct)
}

// CountIn makes n the counter of the bytes that code for further layouts takes, that of
// regions included. Call it before the first run.
func (x *layouts[E]) CountIn(n *atomic.Int64) {
	x.grown = n
	if x.variants != nil {
		x.variants.options.Grown = n
	}
	for _, regions := range x.Regions {
		for _, r := range regions {
			if c, ok := r.(interface{ CountIn(*atomic.Int64) }); ok {
				c.CountIn(n)
			}
		}
	}
}

// Dense returns the code for views that are dense.
func (x *layouts[E]) Dense() E { return x.dense }

// Program returns what the module became; of one for all sizes, for the first of the sizes
// that it was found from.
func (x *layouts[E]) Program() *plan.Program { return x.Plan.Program }

// CopiedBytes is how many bytes runs have copied, as [backends.Copying] has it.
func (x *layouts[E]) CopiedBytes() int64 { return x.Copied.Load() }

// Variants is as [backends.Varying] has it.
func (x *layouts[E]) Variants() (made, failed int) { return x.variants.Count() }

// Grown is as [backends.Growing] has it: it counts the bytes of variants.
func (x *layouts[E]) Grown() *atomic.Int64 { return x.grown }
