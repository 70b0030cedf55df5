package exec

import (
	"context"
	"sync/atomic"

	"ltc/backends"
	"ltc/backends/kit/plan"
	"ltc/ir/types"
	"ltc/soa"
)

// Target computes the kernels of a program, one run at a time.
type Target interface {
	// Launch runs step i, a kernel whose operands are where [Run.Mem] has them. It ends
	// early when done is closed, unless that is nil. A [Device] may queue the kernel.
	Launch(ctx context.Context, i int, done <-chan struct{}) error
	// Make returns memory that kernels reach, until the target is gone.
	Make(t types.Type) (soa.View, error)
	// Copy copies between views of one dense type, after all that was launched before. A
	// view of the host's memory has the elements when Copy returns.
	Copy(dst, src soa.View) error
	// Forget drops the caller's memory at the end of a run.
	Forget()
}

// Device is a [Target] whose kernels reach its own memory only.
type Device interface {
	Target
	// Upload has kernels read argument i of a call from a copy of v, which is in the host's
	// memory or not dense.
	Upload(i int, v *soa.View) error
	// Download has kernels write result j of a call elsewhere than to v, where End copies it.
	// Own says that nobody sees v if the run fails.
	Download(j int, v *soa.View, own bool) error
	// Begin follows the placing of all arguments and results: it allocates what the run
	// takes, and queues the copies of arguments.
	Begin() error
	// Fence returns when all that was launched is done, and reports what of it failed.
	Fence() error
	// Yield precedes step i, which the host runs.
	Yield(i int) error
	// Fetch copies the value that is operand j of step i, one of the host's, to dense memory
	// of the host.
	Fetch(dst soa.View, i, j int, v plan.ValueID) error
	// Store copies dense memory of the host's to a value.
	Store(v plan.ValueID, src soa.View) error
	// End copies results to where they belong. If wait is set all is done when it returns.
	End(wait bool) error
	// Release gives the memory of the run back, also that of one that failed. The call and
	// Run.Fresh have what is queued and may still be used.
	Release(c *backends.Call, failed bool) error
}

// Plan is a program with the rules of its runs. It is immutable but for what it counts.
type Plan struct {
	Program *plan.Program
	On      *Machine
	Rules   *Results
	Regions Regions
	Bound   []soa.View    // by argument, what it was bound to; nil: nothing
	Copied  *atomic.Int64 // bytes that runs copy between the caller's memory and their own
	Times   []Timer       // by step; nil unless they are measured
	// Fenced says that each step of a device is waited for.
	Fenced bool
	// Resized says that the next run of the program may be of another size.
	Resized bool
	// Explain adds to an error of [Target.Make] what of the program takes memory; nil: nothing.
	Explain func(error) error
}
