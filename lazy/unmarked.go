package lazy

import (
	"fmt"
	"log/slog"
	"slices"

	"ltc/internal/callsite"
)

// A variable that a step has assigned is, to all others, what it was until the step is
// marked. Who reads it before that in the same goroutine has likely forgotten MarkStep.

// warnWaits warns, once for each line, that the host reads v while a trace of the calling
// goroutine has assigned it and has not marked the step. Other goroutines read what is
// marked, as they should.
func (v *variable) warnWaits() {
	w := v.waits.Load()
	if w == 0 || v.dev.syncs.mode != WarnSyncs || w>>32 != uint64(uint32(goid())) {
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
	m := d.metrics
	m.mu.Lock()
	all := slices.Clone(m.left)
	for t := range m.tallies {
		if s := t.unmarked(); s != "" {
			all = append(all, s)
		}
	}
	m.mu.Unlock()
	slices.Sort(all)
	for _, s := range all {
		d.log(slog.LevelWarn, "the device is closed while assignments wait for MarkStep and are lost, the first is of "+s,
			slog.String("do", "call MarkStep before Close, or Discard where they are not wanted"))
	}
}
