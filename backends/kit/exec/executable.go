package exec

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"ltc/backends"
	"ltc/backends/kit/plan"
	"ltc/soa"
)

// Machine is the hardware that a target's programs run on: the host, or one device.
type Machine struct {
	// Memory is the remote memory that kernels access; nil if they access the host's memory.
	Memory soa.Remote
	// Space makes views of Memory, by [soa.Buffer.RemoteAt]; nil if Memory is nil.
	Space *soa.Buffer
	// Queue returns an error for a queue that is not the machine's. Queue is not called with
	// nil. If the field is nil, the machine has no queue: all calls with a queue are refused.
	Queue func(backends.Queue) error
}

// Admit checks a call before it runs on the machine. It returns an error if ctx has ended,
// the queue is another machine's, or a view does not fit the signature. Bound is as in
// [Plan].
func (m *Machine) Admit(ctx context.Context, c *backends.Call, sig *backends.Signature, bound []soa.View) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	switch {
	case c.Queue == nil:
	case m.Queue == nil:
		return fmt.Errorf("execute: a queue of another backend: %T", c.Queue)
	default:
		if err := m.Queue(c.Queue); err != nil {
			return err
		}
	}
	return backends.CheckCallOn(sig, c, bound, m.Memory)
}

// Code is a target's code of a program for one combination of view layouts.
type Code interface {
	// Direct reports whether kernels of a run may write results to the caller's memory. After
	// the first such write, the end of ctx no longer stops the run.
	Direct(ctx context.Context) bool
	// Run runs a call that [Machine.Admit] has checked without an error.
	Run(ctx context.Context, c *backends.Call) error
}

// Executable is the part of a [backends.Executable] that is the same on all targets. E is
// the target's code for one combination of view layouts.
//
// A target embeds an Executable, sets the fields of its [Plan], and then calls Vary:
//
//	e.Plan = exec.Plan{
//		Program: prog,              // of kit.Compile
//		On:      machine,           // what the programs run on
//		Rules:   rules,             // of NewResults: where results are written
//		Regions: regions,           // of MakeRegions: the bodies of loops and branches
//		Copied:  new(atomic.Int64), // counts the bytes that runs copy
//	}
//	e.Vary(e, exec.VariantOptions[*executable]{}) // views that are not dense are copied
//
// Bound has the values that Bind has fixed. The other fields of Plan are for targets that have
// more to say. Vary panics if one of Program, On, Rules, Copied or Regions is missing.
type Executable[E Code] struct {
	layouts[E]
}

// Signature returns the program's signature.
func (x *Executable[E]) Signature() *backends.Signature { return x.Plan.Program.Signature }

// errNotVaried is the error of a run without code.
var errNotVaried = errors.New("execute: the target has not called Vary of its exec.Executable, which sets the code")

// Execute checks a call and runs the program.
func (x *Executable[E]) Execute(ctx context.Context, c *backends.Call) error {
	if x.grown == nil {
		return errNotVaried
	}
	if err := x.On.Admit(ctx, c, x.Plan.Program.Signature, x.Bound); err != nil {
		return err
	}
	return x.Call(ctx, c)
}

// Call runs the program for a call that [Machine.Admit] has checked without an error.
func (x *Executable[E]) Call(ctx context.Context, c *backends.Call) error {
	e, err := x.codeFor(ctx, c, x.dense.Direct(ctx))
	if err != nil {
		return err
	}
	return e.Run(ctx, c)
}

// runDense runs a region's call whose views are dense and fit the signature.
func (x *Executable[E]) runDense(ctx context.Context, c *backends.Call, _ []int64) error {
	return x.dense.Run(ctx, c)
}

// layouts holds the code of a program for dense views, and its variants for other layouts.
type layouts[E any] struct {
	Plan
	dense    E
	variants *Variants[E]  // nil: all views that are not dense are copied
	grown    *atomic.Int64 // bytes of variants
}

// Vary sets the code for dense views, and says how to make code for other layouts. If o.Make is
// nil, views that are not dense are copied. Call Vary when Plan is set: it panics if Plan lacks a
// field that runs need. Vary sets the options Remote and Grown itself.
func (x *layouts[E]) Vary(dense E, o VariantOptions[E]) {
	if lacks := x.Plan.lacks(); lacks != "" {
		panic("exec: Vary: Plan." + lacks)
	}
	x.dense, x.grown = dense, new(atomic.Int64)
	o.Grown, o.Remote = x.grown, x.Rules.remote
	if x.variants = nil; o.Make != nil {
		x.variants = NewVariants(dense, x.Rules, x.Bound, o)
	}
}

// asRegion says that the program is a region: see [Results].
func (x *layouts[E]) asRegion() {
	if x.Rules != nil {
		x.Rules.Region = true
	}
}

// codeFor returns the code for a call, as [Variants.Of] does.
func (x *layouts[E]) codeFor(ctx context.Context, c *backends.Call, direct bool) (E, error) {
	if x.variants == nil {
		return x.dense, nil
	}
	return x.variants.Of(ctx, c, direct)
}

// CountIn sets the counter to which the variants of this executable, and of the executables of
// its regions, add their bytes. Call CountIn before the first run.
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

// Dense returns the code for dense views.
func (x *layouts[E]) Dense() E { return x.dense }

// Program returns the program that the module was compiled to. If a size is open, the result is
// the program for sizes that were picked as an example: see [plan.Family].
func (x *layouts[E]) Program() *plan.Program { return x.Plan.Program }

// CopiedBytes implements [backends.Copying].
func (x *layouts[E]) CopiedBytes() int64 { return x.Copied.Load() }

// MemoryPlan implements [backends.Planned].
func (x *layouts[E]) MemoryPlan() backends.MemoryPlan { return x.Plan.Program.Memory() }

// Variants implements [backends.Varying].
func (x *layouts[E]) Variants() (made, failed int) { return x.variants.Count() }

// Grown implements [backends.Growing]: it counts the bytes of variants.
func (x *layouts[E]) Grown() *atomic.Int64 { return x.grown }
