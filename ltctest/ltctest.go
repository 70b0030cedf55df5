// Package ltctest has checks for tests of programs that use ltc: how often a piece of code
// compiles, and how often it waits for tensors. [Freeze] makes compiles errors. Its central type
// is [Budget].
//
//	func TestEpochCompilesOnce(t *testing.T) {
//		…
//		ltctest.Budget{Compiles: 1}.Check(t, tr, func() { train(tr, 10) })
//		ltctest.NoRecompile(t, tr, func() { train(tr, 10) })
//	}
//
// [Lock] compares programs with those that the repository keeps.
//
// The package imports only ltc/ir, ltc/lazy, ltc/internal/diag, ltc/internal/env and the
// standard library.
package ltctest

import (
	"fmt"
	"testing"

	"ltc/internal/diag"
	"ltc/lazy"
)

// Reporter is what is watched: a [*lazy.Trace], a [*lazy.Function] or a [*lazy.Device].
type Reporter interface {
	Report() lazy.Report
	WatchPeak() (stop func() int64)
}

// Limits that are no number.
const (
	Any  = -1 // no limit
	None = -2 // nothing at all, for figures of which 0 is no limit
)

// Budget is how much a piece of code may do in a trace. The zero Budget allows neither compiles
// nor implicit syncs, and has no other limit. All figures but the peak are those by which numbers
// of [lazy.Report] rise.
type Budget struct {
	Compiles int // programs compiled, or Any
	Syncs    int // implicit syncs, or Any: reads of tensors before MarkStep

	Transfers   int   // host data and scalar arguments made, or None; 0: no limit
	CopiedBytes int64 // copied between the memory of tensors and the backend's own, or None; 0: no limit
	PeakBytes   int64 // of the program that takes most, as its plan says; 0: no limit. See [lazy.Trace.WatchPeak]
}

// NoRecompile runs f, and reports an error of t if a program is compiled for the trace, the
// function or the device. Run what f does twice before: a number that varies compiles with its
// second value.
func NoRecompile(t testing.TB, r Reporter, f func()) {
	t.Helper()
	Budget{Syncs: Any}.Check(t, r, f)
}

// NoSync runs f, and reports an error of t if a tensor of the trace is read before its step is
// marked.
func NoSync(t testing.TB, r Reporter, f func()) {
	t.Helper()
	Budget{Compiles: Any}.Check(t, r, f)
}

// Freezer is what can be frozen: a [*lazy.Device], a [*lazy.Trace] or a [*lazy.Function].
type Freezer interface {
	Freeze(on bool) (before bool)
}

// Freeze makes each compile for x an error of the call that asks for it, until the test ends.
// The error wraps [lazy.ErrFrozen], and says what differs from a program that is compiled.
func Freeze(t testing.TB, x Freezer) {
	t.Helper()
	before := x.Freeze(true)
	t.Cleanup(func() { x.Freeze(before) })
}

// Check runs f, and reports an error of t for each figure of r that rises by more than the budget
// allows. The error has the lines that compiled or waited, and why. The work of other traces and
// functions does not count. Wait in f for queued steps: the bytes that they copy after f do not
// count.
func (b Budget) Check(t testing.TB, r Reporter, f func()) {
	t.Helper()
	if b.Compiles < Any || b.Syncs < Any || b.Transfers < None || b.CopiedBytes < None || b.PeakBytes < Any {
		t.Errorf("ltctest: a budget is a number, Any or None, as Budget's fields say: %+v", b)
		return
	}
	before, stop := r.Report(), r.WatchPeak()
	f()
	peak := stop()
	for _, err := range append(b.exceeded(before, r.Report()), b.larger(peak)...) {
		t.Error(err)
	}
}

// exceeded returns what is wrong about the work between two reports.
func (b Budget) exceeded(before, after lazy.Report) (all []string) {
	if n := int(after.Compiled - before.Compiled); b.Compiles != Any && n > b.Compiles {
		text := fmt.Sprintf("ltctest: %s, and %d allowed:", diag.Count(n, "compile"), b.Compiles)
		latest := after.Compiles[max(len(after.Compiles)-n, 0):]
		if len(latest) < n {
			text += fmt.Sprintf(" the latest %d are", len(latest))
		}
		for _, c := range latest {
			at := "at " + c.At
			if c.At == "" {
				at = "for Warmup"
			}
			text += fmt.Sprintf("\n  %s, %s%s", at, diag.Count(c.Ops, "op"), because(c.Reason))
		}
		all = append(all, text)
	}
	if n := after.Syncs() - before.Syncs(); b.Syncs != Any && n > b.Syncs {
		text := fmt.Sprintf("ltctest: %s, and %d allowed; give the tensors to MarkStep as roots, and read them afterwards:", diag.Count(n, "implicit sync"), b.Syncs)
		for _, s := range after.ImplicitSyncs {
			if n := s.Count - countAt(before, s); n > 0 {
				text += fmt.Sprintf("\n  at %s, %s: %v of %s", s.Site, diag.Count(n, "time"), s.Reason, s.Op)
			}
		}
		all = append(all, text)
	}
	if n := after.Transfers - before.Transfers; exceeds(n, int64(b.Transfers)) {
		all = append(all, fmt.Sprintf("ltctest: %s, and %d allowed: make host data once, and Set scalars that change",
			diag.Count(n, "transfer"), max(b.Transfers, 0)))
	}
	if n := after.CopiedBytes - before.CopiedBytes; exceeds(n, b.CopiedBytes) {
		all = append(all, fmt.Sprintf("ltctest: %s copied, and %s allowed: give dense memory, or layouts that the backend reads in place",
			diag.Bytes(n), diag.Bytes(max(b.CopiedBytes, 0))))
	}
	return all
}

// exceeds reports whether a figure is above a limit of which 0 is none.
func exceeds(n, limit int64) bool {
	return limit == None && n > 0 || limit > 0 && n > limit
}

// larger returns what is wrong about the largest program.
func (b Budget) larger(peak int64) []string {
	if !exceeds(peak, b.PeakBytes) {
		return nil
	}
	return []string{fmt.Sprintf("ltctest: a program that was run takes %s of memory, and %s allowed: MemoryPlan tells what each step of it needs", diag.Bytes(peak), diag.Bytes(b.PeakBytes))}
}

func because(reason string) string {
	if reason == "" {
		return ""
	}
	return ": " + reason
}

// countAt returns how often a line had read a tensor for the same reason as s.
func countAt(r lazy.Report, s lazy.SyncSite) int {
	for _, x := range r.ImplicitSyncs {
		if x.Site == s.Site && x.Reason == s.Reason {
			return x.Count
		}
	}
	return 0
}
