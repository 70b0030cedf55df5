package sched

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
)

// Memory orders the jobs that use one memory by their claims. A job that writes it runs after
// all that were claimed before, and one that reads it after those that write.
type Memory struct {
	mu      sync.Mutex
	writer  *Access // the last; nil if none
	readers []*Access
}

// Access is the use of a memory by a job.
type Access struct {
	job atomic.Pointer[Job] // nil once it has ended
	// after are the accesses that must have ended before; once this one has, only those that it
	// did not wait for because its job was cancelled.
	after []*Access
}

// Claim announces that j uses the memory. A caller that claims several memories for a job, or
// variables too, holds one lock for all claims: jobs then wait for each other in one order.
func (m *Memory) Claim(j *Job, writes bool) *Access {
	m.mu.Lock()
	defer m.mu.Unlock()
	a := &Access{}
	a.job.Store(j)
	if m.writer != nil {
		a.after = m.writer.appendOpen(nil)
	}
	if !writes {
		m.readers = append(slices.DeleteFunc(m.readers, func(r *Access) bool { return r.job.Load() == nil }), a)
		return a
	}
	for _, r := range m.readers {
		a.after = r.appendOpen(a.after)
	}
	m.writer, m.readers = a, nil
	return a
}

// appendOpen appends what has to end before an access that comes after a may begin.
func (a *Access) appendOpen(all []*Access) []*Access {
	if a.job.Load() != nil {
		return append(all, a)
	}
	for _, b := range a.after {
		all = b.appendOpen(all)
	}
	return all
}

// Ready reports whether there is nothing to wait for.
func (a *Access) Ready() bool {
	for _, b := range a.after {
		if len(b.appendOpen(nil)) > 0 {
			return false
		}
	}
	return true
}

// Wait waits until a may begin, on behalf of by, which cannot run meanwhile; nil if that is the
// calling goroutine. Its error is ctx's, [ErrClosure] or an [*Endless].
func (a *Access) Wait(ctx context.Context, op string, by *Job) error {
	for len(a.after) > 0 {
		b := a.after[0]
		j := b.job.Load()
		if j == nil {
			a.after = append(a.after[1:], b.after...)
			continue
		}
		done := j.Done(func() bool { return b.job.Load() == j })
		if done == nil {
			continue
		}
		if j.Queue != nil && j.Queue.ClosingHere() {
			return ErrClosure
		}
		if err := (Wait{Op: op, Done: done, Job: j, By: by}).Until(ctx); err != nil {
			return err
		}
	}
	return nil
}

// End says that the job is done with the memory, or will not use it. Goroutines that wait for the
// access wake at the job's Land.
func (a *Access) End() {
	var open []*Access
	for _, b := range a.after {
		open = b.appendOpen(open)
	}
	a.after = open
	a.job.Store(nil)
}
