// Package ltctest has checks for tests of programs that use ltc: how often a piece of code
// compiles, and how often it waits for tensors. Its central type is [Budget].
//
//	func TestEpochCompilesOnce(t *testing.T) {
//		…
//		ltctest.Budget{Compiles: 1}.Check(t, tr, func() { train(tr, 10) })
//		ltctest.NoRecompile(t, tr, func() { train(tr, 10) })
//	}
//
// The package imports only ltc/lazy, ltc/internal/diag and the standard library.
package ltctest

import (
	"fmt"
	"testing"

	"ltc/internal/diag"
	"ltc/lazy"
)

// Reporter is what is watched: a [*lazy.Trace] or a [*lazy.Function].
type Reporter interface{ Report() lazy.Report }

// Any is a budget without a limit.
const Any = -1

// Budget is how much a piece of code may do in a trace. The zero Budget allows nothing.
type Budget struct {
	Compiles int // programs compiled, or Any
	Syncs    int // implicit syncs, or Any: reads of tensors before MarkStep
}

// NoRecompile runs f, and reports an error of t if a program is compiled for the trace or the
// function. Run what f does twice before: a number that varies compiles with its second value.
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

// Check runs f, and reports an error of t for each figure of r that rises by more than the
// budget allows. What other traces and functions do does not count. The error has the lines that compiled or waited, and why.
func (b Budget) Check(t testing.TB, r Reporter, f func()) {
	t.Helper()
	if b.Compiles < Any || b.Syncs < Any {
		t.Errorf("ltctest: a budget is a number, or Any: %+v", b)
	}
	before := r.Report()
	f()
	for _, err := range b.exceeded(before, r.Report()) {
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
	return all
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
