package lazy

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"ltc/internal/callsite"
	"ltc/internal/diag"
	"ltc/lazy/internal/metrics"
)

// counters count what a trace or function has done. They may be read while it
// goes on.
type counters struct {
	counts [metrics.NumCounters]atomic.Int64 // those that traces and functions have
	runs   atomic.Int64
	copied atomic.Int64 // bytes
	metrics.Peaks
	calls  bool        // of a Function
	frozen atomic.Bool // see Freeze

	mu          sync.Mutex
	compiles    []compile // the latest
	compiledAll int64
	syncs       map[syncKey]*SyncSite
}

// Compile is one compilation.
type Compile struct {
	Ops  int           // nodes of the program
	Took time.Duration // from graph to executable
	At   string        // file:line of the MarkStep, call or read that it was compiled for; "" for Warmup
	// Reason is the line of the [Explanation] without the compile: what differs from the
	// nearest program that was compiled before, and what to do. It is "" for Warmup, and for the
	// first program of the device unless a device with other options had compiled it.
	Reason string
	again  bool // the line had compiled a program before
}

// maxCompiles is how many compilations a report lists: a program that compiles
// at every step must not grow by that.
const maxCompiles = 100

// SyncSite is a line that read a tensor before its step was marked.
type SyncSite struct {
	Site   string // file:line
	Reason SyncReason
	Op     string // that made the tensor, the first time
	Count  int
	Took   time.Duration // altogether, for computing what was read
}

type syncKey struct {
	at  callsite.Site
	why SyncReason
}

func (c *counters) compiled(x *compile) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.compiledAll++; len(c.compiles) == maxCompiles {
		c.compiles = slices.Delete(c.compiles, 0, 1)
	}
	own := *x
	own.number = c.compiledAll
	c.compiles = append(c.compiles, own)
}

func (c *counters) implicit(at callsite.Site, op string, why SyncReason, took time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.syncs == nil {
		c.syncs = map[syncKey]*SyncSite{}
	}
	key := syncKey{at, why}
	s := c.syncs[key]
	if s == nil {
		s = &SyncSite{Site: at.String(), Reason: why, Op: op}
		c.syncs[key] = s
	}
	s.Count++
	s.Took += took
}

// Report says what a trace or function has done so far.
type Report struct {
	Marks          int64      // calls of MarkStep
	Runs           int64      // programs run
	CachedRuns     int64      // of these, compiled before
	DonationCopies int64      // variables assigned, and donated tensors, whose memory was still read
	Transfers      int64      // host data and scalar arguments made in the trace; those of a device's include all made on it
	CopiedBytes    int64      // that runs copied between the memory of tensors and the backend's own, once they have ended
	PeakBytes      int64      // the most memory that the plan of a program which was run takes; see WatchPeak
	Compiled       int64      // programs compiled
	Compiles       []Compile  // the latest of these, at most 100
	ImplicitSyncs  []SyncSite // those that took longest first
	Unmarked       string     // the variable that the step not marked yet assigned first, with the line; "" if none
}

// Report returns what the trace has done so far.
func (tr *Trace) Report() Report {
	if tr == nil {
		return Report{}
	}
	r := tr.counters.report()
	r.Unmarked = tr.tally.unmarked()
	return r
}

// Report returns what all traces and functions of the device have done since it was opened or
// [Device.ResetMetrics] was called. Its numbers are those of [Device.Metrics].
func (d *Device) Report() Report {
	if !d.opens() {
		return Report{}
	}
	r := d.all.report()
	r.Marks, r.CachedRuns = d.metrics.Count(metrics.MarkStep), d.metrics.Count(metrics.CachedCompile)
	r.DonationCopies, r.Transfers = d.metrics.Count(metrics.DonationCopy), d.metrics.Count(metrics.DeviceData)
	if waiting := d.metrics.Unmarked(); len(waiting) > 0 {
		r.Unmarked = waiting[0]
	}
	return r
}

// reset forgets what a device has done.
func (c *counters) reset() {
	c.runs.Store(0)
	c.copied.Store(0)
	c.Forget()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.compiles, c.compiledAll, c.syncs = nil, 0, nil
}

func (c *counters) report() Report {
	c.mu.Lock()
	defer c.mu.Unlock()
	r := Report{
		Marks: c.counts[metrics.MarkStep].Load(), Runs: c.runs.Load(),
		CachedRuns: c.counts[metrics.CachedCompile].Load(), DonationCopies: c.counts[metrics.DonationCopy].Load(),
		Transfers: c.counts[metrics.DeviceData].Load(), CopiedBytes: c.copied.Load(), PeakBytes: c.Most(),
	}
	r.Compiled = c.compiledAll
	for _, x := range c.compiles {
		r.Compiles = append(r.Compiles, x.Compile)
	}
	for _, s := range c.syncs {
		r.ImplicitSyncs = append(r.ImplicitSyncs, *s)
	}
	slices.SortFunc(r.ImplicitSyncs, func(a, b SyncSite) int {
		return cmp.Or(cmp.Compare(b.Took, a.Took), cmp.Compare(a.Site, b.Site), cmp.Compare(a.Reason, b.Reason))
	})
	return r
}

// Syncs returns the number of implicit syncs.
func (r Report) Syncs() int {
	n := 0
	for _, s := range r.ImplicitSyncs {
		n += s.Count
	}
	return n
}

// String prints the report on one line, a line more for the reason of the latest
// compile that has one, and one for each place of implicit syncs, and one if assignments wait for MarkStep.
func (r Report) String() string {
	var b strings.Builder
	b.WriteString(diag.Count(r.Compiled, "compile"))
	for i, c := range r.Compiles {
		sep := "; "
		if i == 0 {
			sep = " ("
		}
		fmt.Fprintf(&b, "%s%s in %v", sep, diag.Count(c.Ops, "op"), c.Took.Round(100*time.Microsecond))
	}
	if len(r.Compiles) > 0 {
		b.WriteByte(')')
	}
	fmt.Fprintf(&b, ", %d cached, %s, %s, %s", r.CachedRuns, diag.Count(r.Marks, "mark"),
		diag.Count(r.Syncs(), "implicit sync"), diag.Count(r.DonationCopies, "donation copy"))
	for _, c := range slices.Backward(r.Compiles) {
		if c.again {
			fmt.Fprintf(&b, "\ncompiled again at %s: %s", c.At, c.Reason)
			break
		}
	}
	for _, s := range r.ImplicitSyncs {
		fmt.Fprintf(&b, "\nimplicit sync at %s (%v of %s), %s, %v: give the tensor to MarkStep as a root and read it afterwards",
			s.Site, s.Reason, s.Op, diag.Count(s.Count, "time"), s.Took.Round(time.Microsecond))
	}
	if r.Unmarked != "" {
		fmt.Fprintf(&b, "\nassignments wait for MarkStep, the first is of %s", r.Unmarked)
	}
	return b.String()
}
