// Package execution runs compiled programs in the memory of a device, and tells what a run
// takes of it. Its central type is [Executable].
//
// The package imports only ltc/backends, ltc/internal/border, ltc/internal/diag, ltc/ir,
// ltc/ir/dims, ltc/ir/types, ltc/lazy/internal/guard, ltc/lazy/internal/memory,
// ltc/lazy/internal/programs and ltc/soa.
package execution

import (
	"context"
	"fmt"
	"sync/atomic"

	"ltc/backends"
	"ltc/internal/border"
	"ltc/internal/diag"
	"ltc/ir"
	"ltc/lazy/internal/guard"
	"ltc/lazy/internal/memory"
	"ltc/lazy/internal/programs"
	"ltc/soa"
)

// Device is what an executable needs of the device that it runs on.
type Device struct {
	Memory   *memory.Memory
	Programs *programs.Cache
	// Warn hears of a backend that does not tell what it was asked.
	Warn func(message string, err error)
}

// Executable runs a program whose results come from the device's memory. Any number of
// goroutines may use it.
type Executable struct {
	programs.Runner
	Whole *border.Executable // nil if ops run one by one
	Guard *guard.Guard       // nil: none look at data
	Peak  int64              // bytes of arguments, results and workspace; 0 where sizes are open

	dev    Device
	of     *programs.Program
	copied atomic.Int64  // bytes that Copied has told
	mute   atomic.Bool   // nobody tells what was copied
	grown  *atomic.Int64 // by how much the executable has grown; nil if it does not
	known  atomic.Int64  // of that, what the cache has counted
}

// New returns what runs p on a device by r, and sets the size of p's code.
func New(d Device, p *programs.Program, r programs.Runner) (e *Executable, err error) {
	e = &Executable{Runner: r, dev: d, of: p}
	e.Whole, _ = r.(*border.Executable)
	if e.Peak, err = e.planned(); err != nil {
		return nil, err
	}
	if p.Code, err = codeBytes(e.Whole, len(p.Text)); err != nil {
		return nil, err
	}
	if e.Whole != nil {
		if e.grown, err = e.Whole.Grown(); err != nil {
			return nil, err
		}
	}
	return e, nil
}

// Of returns the executable of a compiled program.
func Of(p *programs.Program) *Executable {
	e, _ := p.Exec.(*Executable)
	return e
}

// codeBytes returns what an executable takes: what its backend says, or an
// estimate. The evaluator holds of a program about six times the text.
func codeBytes(e *border.Executable, text int) (int64, error) {
	const perByteOfText = 6
	if e == nil {
		return perByteOfText * int64(text), nil
	}
	n, err := e.ResidentBytes()
	if n < 0 {
		n = perByteOfText * text
	}
	return int64(n), err
}

// Execute runs the program, if there is memory for it. The error is a [*Shortage] if not.
func (e *Executable) Execute(ctx context.Context, c *backends.Call) error {
	m := e.dev.Memory
	if e.Guard != nil {
		if err := e.Guard.Look(ctx, c); err != nil {
			return err
		}
	}
	c.Alloc, c.Resident = m.Alloc, true
	if m.Limit > 0 {
		workspace, err := e.workspace()
		if err != nil {
			return err
		}
		n := workspace + e.needs(c)
		if !m.Reserve(n) {
			return e.shortage(n, workspace)
		}
		defer m.Release(n)
	}
	err := e.Runner.Execute(ctx, c)
	if e.grown != nil && e.grown.Load() != e.known.Load() {
		now := max(e.grown.Load(), 0)
		e.dev.Programs.Grew(e.of, now-e.known.Swap(now))
	}
	return err
}

// Copied returns the bytes that have been copied since it was last called: those of one run,
// or of runs that ended at once.
func (e *Executable) Copied() int64 {
	if e.Whole == nil || e.mute.Load() {
		return 0
	}
	now, err := e.Whole.CopiedBytes()
	if err != nil && !e.mute.Swap(true) {
		e.dev.Warn("a backend does not tell what its runs have copied", err)
	}
	before := e.copied.Load()
	for now > before && !e.copied.CompareAndSwap(before, now) {
		before = e.copied.Load()
	}
	return max(now-before, 0)
}

// Finish waits until all code of the program is compiled.
func (e *Executable) Finish(ctx context.Context) error {
	if e.Whole == nil {
		return nil
	}
	return e.Whole.Finish(ctx)
}

// Shortage is why a program does not run: the limit of the device's memory does not allow it.
type Shortage struct {
	Node   *ir.Node // with the largest value of the program, which is the first to look at
	Reason error
}

// Error returns the reason.
func (s *Shortage) Error() string { return s.Reason.Error() }

// Unwrap returns [soa.ErrMemory].
func (s *Shortage) Unwrap() error { return soa.ErrMemory }

// shortage is the error of a run that takes n bytes, of which workspace are the plan's.
func (e *Executable) shortage(n, workspace int64) error {
	largest := e.of.Graph.Results[0]
	nodes := e.of.Graph.Results
	if 2*workspace > n {
		nodes = e.of.Graph.Nodes
	}
	for _, x := range nodes {
		if x.Op != ir.OpParameter && x.Type.Bytes() > largest.Type.Bytes() {
			largest = x
		}
	}
	return &Shortage{largest, e.dev.Memory.Shortage(fmt.Sprintf("the step takes %s (results %s, workspace %s), the most for this %v of %s",
		diag.Bytes(n), diag.Bytes(n-workspace), diag.Bytes(workspace), largest.Type, diag.Bytes(int64(largest.Type.Bytes()))))}
}
