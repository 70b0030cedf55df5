package sched

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"ltc/internal/callsite"
)

// Wait is a goroutine that waits for what another does. Each waits for one
// thing, so that who waits for whom is a line or a circle, and a circle is known
// when the last of it begins to wait. Steps alone never make one: what a step
// waits for was claimed before it. Step closures do, which run between two steps
// of a queue and wait for anything, and functions that call each other while
// they are traced.
type Wait struct {
	Op   string          // of the call that waits
	Done <-chan struct{} // closed when there is nothing to wait for any more

	// What it waits for is one of these.
	Job    *Job   // its end
	Queue  *Queue // a change of it
	Tracer uint64 // the goroutine that traces a function

	// The waiters for it are the waiters for By, and for its queue if By is the step at the
	// head of one. They are also the waiters for the queue whose closures the goroutine
	// runs, and for functions that it traces.
	By        *Job
	head      *Queue
	goroutine uint64

	ctx   context.Context // may be nil
	site  callsite.Site
	never chan error // gets the error of a circle that somebody else has closed
}

// waits knows the goroutines of the process that are blocked, of all devices:
// closures and copies wait across these.
var waits struct {
	sync.Mutex
	blocked []*Wait
	callers atomic.Int32 // goroutines that run closures or trace functions
}

// Called notes that others may wait for what the calling goroutine has been called for, a
// closure or a function that is traced; the function returned, that it has ended.
func Called() (end func()) {
	waits.callers.Add(1)
	return called
}

func called() { waits.callers.Add(-1) }

// Until waits until Done or ctx, which may be nil. The error is the cause of ctx, or an
// [*Endless].
func (w Wait) Until(ctx context.Context) error {
	if w.By == nil && waits.callers.Load() == 0 {
		return await(ctx, w.Done) // nobody waits for this goroutine
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
	case <-b.Done:
		return nil
	case err := <-b.never:
		return err
	case <-stop:
		return context.Cause(ctx)
	}
}

// await waits for done; a nil ctx without end.
func await(ctx context.Context, done <-chan struct{}) error {
	if ctx == nil {
		<-done
		return nil
	}
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// place notes who waits and where.
func (w *Wait) place() {
	if w.By != nil {
		w.site = w.By.Site()
		if w.By.Queued {
			w.head = w.By.Queue
			return
		}
	}
	w.goroutine = Goroutine()
	if w.site == 0 {
		w.site = callsite.Caller()
	}
}

// enter adds w to those that are blocked, unless it closes a circle and is the
// one to hear of it.
func (w *Wait) enter() error {
	waits.Lock()
	defer waits.Unlock()
	waits.blocked = append(waits.blocked, w)
	circle := w.circle()
	if circle == nil {
		return nil
	}
	// A closure is to hear of it: it can do something else, and a step that is
	// not at fault runs.
	victim := max(0, slices.IndexFunc(circle, func(b *Wait) bool { return b.closing() }))
	circle = slices.Concat(circle[victim:], circle[:victim])
	err := circleError(circle)
	if circle[0] != w {
		circle[0].never <- err
		return nil
	}
	waits.blocked = waits.blocked[:len(waits.blocked)-1]
	return err
}

func (w *Wait) leave() {
	waits.Lock()
	defer waits.Unlock()
	i := slices.Index(waits.blocked, w)
	waits.blocked = slices.Delete(waits.blocked, i, i+1)
}

// circle returns w, whom w waits for, whom that one waits for and so on up to
// one that waits for w; nil if there is no such.
func (w *Wait) circle() []*Wait {
	all := []*Wait{w}
	for len(all) <= len(waits.blocked) {
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
// wait any more, or if what it waits for is under way. A job that has not
// ended is not used for another run, and whoever is blocked all the while that
// waits is locked does not end one.
func (w *Wait) holder() *Wait {
	if w.over() {
		return nil
	}
	for _, b := range waits.blocked {
		if w.heldBy(b) && !b.over() {
			return b
		}
	}
	return nil
}

func (w *Wait) heldBy(b *Wait) bool {
	switch {
	case w.Tracer != 0:
		return b.goroutine == w.Tracer
	case w.Job != nil && b.By == w.Job:
		return true
	}
	q := w.waitsFor()
	return q != nil && (b.head == q || b.closes(q))
}

// closes reports whether b is in a closure of q's steps.
func (b *Wait) closes(q *Queue) bool {
	return b.goroutine != 0 && q.closing.Load() == b.goroutine
}

// closing reports whether b is in a step closure.
func (b *Wait) closing() bool {
	for _, other := range waits.blocked {
		if q := other.waitsFor(); q != nil && b.closes(q) {
			return true
		}
	}
	return false
}

// waitsFor returns the queue that w waits for, if it is one.
func (w *Wait) waitsFor() *Queue {
	if w.Job != nil {
		return w.Job.Queue
	}
	return w.Queue
}

// over reports whether w is about to go on.
func (w *Wait) over() bool {
	if w.ctx != nil && w.ctx.Err() != nil || len(w.never) > 0 {
		return true
	}
	select {
	case <-w.Done:
		return true
	default:
		return false
	}
}

// ErrClosure is the error of a step closure that waits for the trace that runs it.
var ErrClosure = errors.New("a step closure waits for the trace that runs it, which goes on only when the closure has returned; do this on another goroutine or after Wait")

// Endless is the error of a wait that would never end.
type Endless struct {
	Op      string
	Site    callsite.Site // where the wait began
	Closure bool          // in a step closure
	Reason  string        // with the lines of all who wait
}

// Error returns the reason.
func (e *Endless) Error() string { return e.Reason }

// circleError is the error of the first of a circle, naming all its lines.
func circleError(circle []*Wait) error {
	first := circle[0]
	var s strings.Builder
	end := "which waits for the function that is traced here"
	if first.closing() {
		end = "which goes on only when the closure has returned"
		s.WriteString("a step closure waits for ")
	} else {
		s.WriteString("this waits for ")
	}
	s.WriteString(first.target())
	for i, b := range circle[1:] {
		past := circle[i]
		switch {
		case past.Tracer != 0, past.Job != nil && past.Job == b.By && b.head == nil:
			fmt.Fprintf(&s, ", which waits at %v for ", b.site)
		case past.Job != nil && past.Job == b.By:
			s.WriteString(", which waits for ")
		case b.head != nil:
			fmt.Fprintf(&s, ", which comes after %s, which waits for ", b.By)
		default:
			fmt.Fprintf(&s, ", which comes after a step closure that waits at %v for ", b.site)
		}
		s.WriteString(b.target())
	}
	return &Endless{first.Op, first.site, first.closing(), fmt.Sprintf("%s, %s: that would never end; do this on another goroutine or after Wait", &s, end)}
}

// target names what w waits for.
func (w *Wait) target() string {
	switch {
	case w.Tracer != 0:
		return "a function that another goroutine traces"
	case w.Job != nil:
		return w.Job.String()
	}
	return "the end of another trace's steps"
}

// Goroutine returns the number of the calling goroutine, which the runtime tells only
// in stack traces: slow, for the rare places where a goroutine could wait for
// itself.
func Goroutine() uint64 {
	var buf [64]byte
	n := runtime.Stack(buf[:], false)
	const prefix = len("goroutine ")
	id := uint64(0)
	for _, c := range buf[min(prefix, n):n] {
		if c < '0' || c > '9' {
			break
		}
		id = id*10 + uint64(c-'0')
	}
	return id
}
