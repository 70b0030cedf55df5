package exec

import (
	"context"
	"sync/atomic"

	"ltc/backends"
	"ltc/backends/kit/plan"
	"ltc/ir/types"
	"ltc/soa"
)

// Target runs the kernels of a program, one run at a time.
type Target interface {
	// Launch runs step i, a kernel. The kernel's operands are at the addresses of [Run].Mem.
	// Launch may return early with an error when done is closed; done may be nil. A [Device] may
	// queue the kernel and return.
	Launch(ctx context.Context, i int, done <-chan struct{}) error
	// Make returns memory that kernels can access. The memory lasts as long as the target.
	Make(t types.Type) (soa.View, error)
	// Copy copies between dense views of one type, after all earlier launches. A copy to
	// the host's memory is done when Copy returns.
	Copy(dst, src soa.View) error
	// Forget clears the target's references to the caller's memory at the end of a run.
	Forget()
}

// Sequencer is a [Target] that can run launches which follow each other without the host.
type Sequencer interface {
	Target
	// LaunchFrom is Launch for step i and maybe for steps after it, which are all launched. It
	// returns the last step that it has run, if there is an error, too. The error says which step
	// failed: the first of them that did. Done counts before step watch only. A panic must be of
	// step i: code that runs several steps in one call does not panic.
	LaunchFrom(ctx context.Context, i, watch int, done <-chan struct{}) (last int, err error)
}

// Device is a [Target] whose kernels access the device's own memory only. Run calls Upload
// and Download for a call's views, then Begin, then the steps, then End and Release.
type Device interface {
	Target
	// Upload makes kernels read argument i of a call from a copy of v. V is in the host's
	// memory, or not dense.
	Upload(i int, v *soa.View) error
	// Download is for result j of a call: kernels write the result to memory of the run, and End
	// copies the result to v. Own says that the run has allocated v: the caller does not see v
	// if the run fails.
	Download(j int, v *soa.View, own bool) error
	// Begin allocates the memory of the run and queues the copies of arguments.
	Begin() error
	// Fence returns when all launches are done, with the error of a launch that failed.
	Fence() error
	// Yield is called before step i, which the host runs: other runs may use the queue
	// meanwhile.
	Yield(i int) error
	// Fetch copies value v, operand j of step i, to dense memory of the host. The host runs
	// step i.
	Fetch(dst soa.View, i, j int, v plan.ValueID) error
	// Store copies dense memory of the host to a value.
	Store(v plan.ValueID, src soa.View) error
	// End copies the results of Download to their views. If wait is set, all work of the run is
	// done when End returns.
	End(wait bool) error
	// Release gives back the memory of a run, which may have failed. Queued work may still
	// use the views of the call and of [Run].Fresh.
	Release(c *backends.Call, failed bool) error
}

// Plan is a program and the rules of its runs. A Plan is immutable, except for its counters.
type Plan struct {
	Program *plan.Program
	On      *Machine
	Rules   *Results
	Regions Regions
	Bound   []soa.View // by argument, its bound value or the zero View; nil if no argument is bound
	// Known are, by value, those that are the same in all runs, in memory of their own; nil: none
	// is. Done says of each step that it makes such values only: runs leave it out.
	Known  []soa.View
	Done   []bool
	Copied *atomic.Int64 // counts the bytes that runs copy between the caller's memory and memory of the run
	Times  []Timer       // by step; nil unless steps are measured
	// Fenced says that runs on a device wait for each step before the next.
	Fenced bool
	// Resized says that the types of the program's values change when the next run has another
	// size.
	Resized bool
	// Sizes are the values of the symbols of a program that leaves sizes open ([plan.Opening]), for
	// its regions.
	Sizes []int64
	// Explain, if not nil, is given an error of [Target.Make]. It returns the error with a list
	// of the values that take memory in the program.
	Explain func(error) error
}

// lacks returns the first field that runs need and that is not set, and what to set it to; "" if
// there is none.
func (p *Plan) lacks() string {
	switch {
	case p.Program == nil:
		return "Program is nil: set the program that kit.Compile returned"
	case p.On == nil:
		return "On is nil: set a Machine; the zero Machine is the host"
	case p.Rules == nil:
		return "Rules is nil: set what NewResults returns"
	case p.Copied == nil:
		return "Copied is nil: set a counter, new(atomic.Int64)"
	}
	for i := range p.Program.Steps {
		if n := len(p.Program.Steps[i].Regions()); n > 0 && (len(p.Regions) <= i || len(p.Regions[i]) != n) {
			return "Regions lacks the executables of a loop or branch: set what MakeRegions returns"
		}
	}
	return ""
}
