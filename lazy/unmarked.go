package lazy

import (
	"fmt"
	"log/slog"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"ltc/internal/callsite"
	"ltc/ir/ops"
	"ltc/lazy/internal/metrics"
	"ltc/lazy/internal/sched"
)

// A variable that a step has assigned is, to all others, what it was until the step is
// marked. Who reads it before that in the same goroutine has likely forgotten MarkStep.

// warnWaits warns, once for each line, that the host reads v while a trace of the calling
// goroutine has assigned it and has not marked the step. Other goroutines read what is
// marked, as they should.
func (v *variable) warnWaits() {
	w := v.waits.Load()
	if w == 0 || v.dev.syncs.mode != WarnSyncs || w>>32 != uint64(uint32(sched.Goroutine())) {
		return
	}
	var sites callsite.Cache
	at := sites.Caller()
	if !v.dev.unmarked.first(at) {
		return
	}
	assigned := callsite.Site(uint32(w))
	v.dev.log(slog.LevelWarn, fmt.Sprintf("%s is read while a trace has assigned it at %v and has not marked a step", v.name, assigned),
		slog.String("at", at.String()), slog.String("do", "call MarkStep before, or Discard; or allow it with ImplicitSyncs or LTC_SYNC=allow"))
}

// unmarked says which variables the step has assigned, with their lines.
func (tr *Trace) unmarked() (all []string) {
	for _, s := range tr.order {
		if s.now != s.param {
			all = append(all, fmt.Sprintf("%s at %v", s.v.name, s.site))
		}
	}
	return all
}

// tally counts what a trace records, and knows the variable that its step has assigned first.
type tally struct {
	metrics.Tally
	waiting atomic.Pointer[variable] // until the step is marked
}

func newTally() *tally {
	composites.Lock()
	defer composites.Unlock()
	return &tally{Tally: metrics.NewTally(len(ops.Table) + len(composites.names))}
}

// unmarked names the variable that the step has assigned first, and the line; "" if none.
func (t *tally) unmarked() string {
	if t == nil { // of the zero Trace
		return ""
	}
	v := t.waiting.Load()
	if v == nil {
		return ""
	}
	if w := v.waits.Load(); w != 0 {
		return fmt.Sprintf("%s at %v", v.name, callsite.Site(uint32(w)))
	}
	return v.name
}

// ledger is a device's metrics, and what its traces have not marked.
type ledger struct {
	metrics.Set

	mu   sync.Mutex
	open map[*tally]struct{}
	left []string // by [tally.unmarked], what traces that are gone have not marked
}

// maxLeft bounds ledger.left.
const maxLeft = 16

// metered adds the trace's tally to those of its device for as long as the trace
// is reachable, and its sums for ever.
func (tr *Trace) metered() *Trace {
	l, t := tr.dev.metrics, tr.tally
	l.Join(&t.Tally)
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.open == nil {
		l.open = map[*tally]struct{}{}
	}
	l.open[t] = struct{}{}
	runtime.AddCleanup(tr, l.end, t)
	return tr
}

func (l *ledger) end(t *tally) {
	l.Leave(&t.Tally)
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.open, t)
	if s := t.unmarked(); s != "" && len(l.left) < maxLeft {
		l.left = append(l.left, s)
	}
}

// warnUnmarked warns, once for each trace, of assignments that no step of the device will
// make any more.
func (d *Device) warnUnmarked() {
	l := d.metrics
	l.mu.Lock()
	all := slices.Clone(l.left)
	for t := range l.open {
		if s := t.unmarked(); s != "" {
			all = append(all, s)
		}
	}
	l.mu.Unlock()
	slices.Sort(all)
	for _, s := range all {
		d.log(slog.LevelWarn, "the device is closed while assignments wait for MarkStep and are lost, the first is of "+s,
			slog.String("do", "call MarkStep before Close, or Discard where they are not wanted"))
	}
}
