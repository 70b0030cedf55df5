package lazy

import (
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"ltc/internal/callsite"
	"ltc/lazy/internal/containers"
	"ltc/lazy/internal/metrics"
	"ltc/lazy/internal/sched"
	"ltc/lazy/internal/settings"
)

// ErrSync: reading a tensor would have computed it in the midst of a step,
// which [RefuseSyncs] forbids.
var ErrSync = errors.New("implicit sync")

// SyncReason is why a tensor was computed before its step was marked.
type SyncReason int

// The reasons.
const (
	SyncValue   SyncReason = iota // Value
	SyncItem                      // Item and Float
	SyncToSlice                   // ToSlice
	SyncCopy                      // To
	SyncCall                      // a view given to a Function
	numReasons
)

var reasonNames = [numReasons]string{"value", "item", "to_slice", "to", "func"}

// String returns the name of the call that read the tensor, as in errors.
func (r SyncReason) String() string {
	if r < 0 || r >= numReasons {
		return "unknown"
	}
	return reasonNames[r]
}

// SyncMode says what an implicit sync does besides being counted.
type SyncMode int

// The modes.
const (
	WarnSyncs   SyncMode = iota // log a warning, once for each line of the program
	AllowSyncs                  // nothing
	RefuseSyncs                 // be an error that wraps ErrSync: nothing runs
)

// String returns the mode as the environment variable LTC_SYNC has it.
func (m SyncMode) String() string {
	if m < 0 || int(m) >= len(settings.SyncModes) {
		return "unknown"
	}
	return settings.SyncModes[m]
}

// ImplicitSyncs sets what implicit syncs do in the device's traces, instead of
// the environment variable LTC_SYNC.
func ImplicitSyncs(m SyncMode) Option { return func(d *Device) { d.syncs.mode = m } }

// ImplicitSyncs sets what implicit syncs do in this trace, and returns what they
// did before: for a part of a program that must not sync, or may.
//
//	defer tr.ImplicitSyncs(tr.ImplicitSyncs(lazy.RefuseSyncs))
func (tr *Trace) ImplicitSyncs(m SyncMode) (before SyncMode) {
	tr = tr.some()
	before, tr.syncs = tr.syncs, m
	return before
}

// syncs is what a device knows of implicit syncs.
type syncs struct {
	mode   SyncMode // of new traces
	warned lines
}

// lines are lines of the program that there was a warning for.
type lines = containers.Once[callsite.Site]

// syncAdvice is what to do about an implicit sync.
const syncAdvice = "give the tensor to MarkStep as a root and read it afterwards, or allow it with ImplicitSyncs or LTC_SYNC=allow"

// refusesSync returns the error of reading t in the midst of its step, if the
// trace does not allow it.
func (tr *Trace) refusesSync(t *Tensor, why SyncReason, at callsite.Site) error {
	if tr.syncs != RefuseSyncs {
		return nil
	}
	return opError(at, why.String(), ErrSync, []*Tensor{t},
		"the %v recorded at %v would be computed now, in the midst of the step, which is not allowed here: give the tensor to MarkStep as a root and read it afterwards",
		t.node.Op, t.node.Loc)
}

// synced counts an implicit sync of what op made, which took so long.
func (tr *Trace) synced(op string, why SyncReason, at callsite.Site, took time.Duration) {
	tr.account.Synced(at, op, int(why), took)
	tr.dev.all.Synced(at, op, int(why), took)
	tr.dev.metrics.Add(metrics.ImplicitSync, 1)
	tr.dev.metrics.Add(metrics.ImplicitSyncBy+metrics.Counter(why), 1)
	if tr.syncs == WarnSyncs && tr.dev.syncs.warned.First(at) {
		attrs := []slog.Attr{slog.String("at", at.String()), slog.String("by", why.String()),
			slog.String("of", op), slog.Duration("took", took), slog.String("do", syncAdvice)}
		if waiting := tr.unmarked(); len(waiting) > 0 {
			attrs = append(attrs, slog.String("assignments wait for MarkStep", strings.Join(waiting, ", ")))
		}
		tr.dev.log(slog.LevelWarn, "implicit sync", attrs...)
	}
}

// A variable that a step has assigned is, to all others, what it was until the step is
// marked. Who reads it before that in the same goroutine has likely forgotten MarkStep.

// warnWaits warns, once for each line, that the host reads v while a trace of the calling
// goroutine has assigned it and has not marked the step. Other goroutines read what is
// marked, as they should. Nothing is computed, so that [RefuseSyncs] refuses nothing and
// warns, too.
func (v *variable) warnWaits() {
	w := v.waits.Load()
	if w == 0 || v.dev.syncs.mode == AllowSyncs || w>>32 != uint64(uint32(sched.Goroutine())) {
		return
	}
	at := callsite.Caller()
	if !v.dev.unmarked.First(at) {
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

// warnUnmarked warns, once for each trace, of assignments that no step of the device will
// make any more.
func (d *Device) warnUnmarked() {
	for _, s := range d.metrics.Unmarked() {
		d.log(slog.LevelWarn, "the device is closed while assignments wait for MarkStep and are lost, the first is of "+s,
			slog.String("do", "call MarkStep before Close, or Discard where they are not wanted"))
	}
}
