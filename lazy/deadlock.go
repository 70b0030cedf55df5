package lazy

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"ltc/internal/callsite"
)

// blocked is a goroutine that waits for what another does. Each waits for one
// thing, so that who waits for whom is a line or a circle, and a circle is known
// when the last of it begins to wait. Steps alone never make one: what a step
// waits for was claimed before it. Step closures do, which run between two steps
// of a queue and wait for anything, and functions that call each other while
// they are traced.
type blocked struct {
	op   string          // of the call that waits
	done <-chan struct{} // closed when there is nothing to wait for any more
	ctx  context.Context // may be nil

	// What it waits for is one of these.
	flight *flight // the end of a step or call
	queue  *queue  // a change of a queue
	tracer uint64  // the goroutine that traces a function

	// What waits for it: those that wait for by, for its queue if by is the step
	// at the head of one, for the queue whose closures the goroutine runs, and for
	// functions that it traces.
	by        *flight
	head      *queue
	goroutine uint64

	site  callsite.Site
	never chan error // gets the error of a circle that somebody else has closed
}

// deadlocks knows the goroutines of the process that are blocked, of all devices:
// closures and copies wait across these.
var deadlocks struct {
	sync.Mutex
	blocked []*blocked
	callers atomic.Int32 // goroutines that run closures or trace functions
}

// wait waits for w.done or ctx. It is an error if that would be without end.
func (w blocked) wait(ctx context.Context) error {
	if w.by == nil && deadlocks.callers.Load() == 0 {
		return await(ctx, w.done) // nobody waits for this goroutine
	}
	b := new(w)
	b.ctx, b.never = ctx, make(chan error, 1)
	b.place()
	if err := b.enter(); err != nil {
		return err
	}
	defer b.leave()
	var stop <-chan struct{}
	if ctx != nil {
		stop = ctx.Done()
	}
	select {
	case <-b.done:
		return nil
	case err := <-b.never:
		return err
	case <-stop:
		return context.Cause(ctx)
	}
}

// place notes who waits and where.
func (w *blocked) place() {
	if w.by != nil {
		w.site = w.by.site()
		if w.by.queued {
			w.head = w.by.q
			return
		}
	}
	w.goroutine = goid()
	if w.site == 0 {
		var sites callsite.Cache
		w.site = sites.Caller()
	}
}

// enter adds w to those that are blocked, unless it closes a circle and is the
// one to hear of it.
func (w *blocked) enter() error {
	deadlocks.Lock()
	defer deadlocks.Unlock()
	deadlocks.blocked = append(deadlocks.blocked, w)
	circle := w.circle()
	if circle == nil {
		return nil
	}
	// A closure is to hear of it: it can do something else, and a step that is
	// not at fault runs.
	victim := max(0, slices.IndexFunc(circle, func(b *blocked) bool { return b.closing() }))
	circle = slices.Concat(circle[victim:], circle[:victim])
	err := circleError(circle)
	if circle[0] != w {
		circle[0].never <- err
		return nil
	}
	deadlocks.blocked = deadlocks.blocked[:len(deadlocks.blocked)-1]
	return err
}

func (w *blocked) leave() {
	deadlocks.Lock()
	defer deadlocks.Unlock()
	i := slices.Index(deadlocks.blocked, w)
	deadlocks.blocked = slices.Delete(deadlocks.blocked, i, i+1)
}

// circle returns w, whom w waits for, whom that one waits for and so on up to
// one that waits for w; nil if there is no such.
func (w *blocked) circle() []*blocked {
	all := []*blocked{w}
	for len(all) <= len(deadlocks.blocked) {
		next := all[len(all)-1].holder()
		switch {
		case next == nil:
			return nil
		case next == w:
			return all
		}
		all = append(all, next)
	}
	return nil // one that does not go through w, and is being resolved
}

// holder returns who is blocked and must go on for w to do so; nil if w need not
// wait any more, or if what it waits for is under way. A flight that has not
// ended is not used for another run, and whoever is blocked all the while that
// deadlocks is locked does not end one.
func (w *blocked) holder() *blocked {
	if w.over() {
		return nil
	}
	for _, b := range deadlocks.blocked {
		if w.heldBy(b) && !b.over() {
			return b
		}
	}
	return nil
}

func (w *blocked) heldBy(b *blocked) bool {
	q := w.queue
	switch {
	case w.tracer != 0:
		return b.goroutine == w.tracer
	case w.flight != nil && b.by == w.flight:
		return true
	case w.flight != nil:
		q = w.flight.q
	}
	return q != nil && (b.head == q || b.closes(q))
}

// closes reports whether b is in a closure of q's steps.
func (b *blocked) closes(q *queue) bool {
	return b.goroutine != 0 && q.closing.Load() == b.goroutine
}

// closing reports whether b is in a step closure.
func (b *blocked) closing() bool {
	for _, other := range deadlocks.blocked {
		if q := other.waitsFor(); q != nil && b.closes(q) {
			return true
		}
	}
	return false
}

// waitsFor returns the queue that w waits for, if it is one.
func (w *blocked) waitsFor() *queue {
	if w.flight != nil {
		return w.flight.q
	}
	return w.queue
}

// over reports whether w is about to go on.
func (w *blocked) over() bool {
	if w.ctx != nil && w.ctx.Err() != nil || len(w.never) > 0 {
		return true
	}
	select {
	case <-w.done:
		return true
	default:
		return false
	}
}

// circleError is the error of the first of a circle, naming all its lines.
func circleError(circle []*blocked) error {
	first, kind := circle[0], ErrUsage
	var s strings.Builder
	end := "which waits for the function that is traced here"
	if first.closing() {
		kind, end = errClosure, "which goes on only when the closure has returned"
		s.WriteString("a step closure waits for ")
	} else {
		s.WriteString("this waits for ")
	}
	s.WriteString(first.target())
	for i, b := range circle[1:] {
		past := circle[i]
		switch {
		case past.tracer != 0, past.flight != nil && past.flight == b.by && b.head == nil:
			fmt.Fprintf(&s, ", which waits at %v for ", b.site)
		case past.flight != nil && past.flight == b.by:
			s.WriteString(", which waits for ")
		case b.head != nil:
			fmt.Fprintf(&s, ", which comes after %s, which waits for ", b.by)
		default:
			fmt.Fprintf(&s, ", which comes after a step closure that waits at %v for ", b.site)
		}
		s.WriteString(b.target())
	}
	return opError(first.site, first.op, kind, nil, "%s, %s: that would never end; do this on another goroutine or after Wait", &s, end)
}

// target names what w waits for.
func (w *blocked) target() string {
	switch {
	case w.tracer != 0:
		return "a function that another goroutine traces"
	case w.flight != nil:
		return w.flight.String()
	}
	return "the end of another trace's steps"
}
