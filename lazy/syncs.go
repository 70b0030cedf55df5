package lazy

import (
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"time"

	"ltc/internal/callsite"
	"ltc/lazy/internal/metrics"
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

var modeNames = [...]string{WarnSyncs: "warn", AllowSyncs: "allow", RefuseSyncs: "error"}

// String returns the mode as the environment variable LTC_SYNC has it.
func (m SyncMode) String() string {
	if m < 0 || int(m) >= len(modeNames) {
		return "unknown"
	}
	return modeNames[m]
}

func parseSyncMode(s string) (SyncMode, error) {
	for m, name := range modeNames {
		if s == name {
			return SyncMode(m), nil
		}
	}
	return 0, fmt.Errorf("%q is none of allow, warn, error", s)
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
type lines = onceSet[callsite.Site]

// onceSet is the keys that there was a warning for.
type onceSet[K comparable] struct {
	mu     sync.Mutex
	warned map[K]struct{}
}

// first reports whether there was no warning for the key yet.
func (s *onceSet[K]) first(at K) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, done := s.warned[at]; done {
		return false
	}
	if s.warned == nil {
		s.warned = map[K]struct{}{}
	}
	s.warned[at] = struct{}{}
	return true
}

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
	tr.counters.implicit(at, op, why, took)
	tr.dev.metrics.Add(metrics.ImplicitSync, 1)
	tr.dev.metrics.Add(metrics.ImplicitSyncBy+metrics.Counter(why), 1)
	if tr.syncs == WarnSyncs && tr.dev.syncs.warned.first(at) {
		attrs := []slog.Attr{slog.String("at", at.String()), slog.String("by", why.String()),
			slog.String("of", op), slog.Duration("took", took), slog.String("do", syncAdvice)}
		if waiting := tr.unmarked(); len(waiting) > 0 {
			attrs = append(attrs, slog.String("assignments wait for MarkStep", strings.Join(waiting, ", ")))
		}
		tr.dev.log(slog.LevelWarn, "implicit sync", attrs...)
	}
}
