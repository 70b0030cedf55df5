package sched_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"ltc/lazy/internal/sched"
)

// work is a job that does what a test says, and notes how it was settled.
type work struct {
	sched.Job
	run     func() error
	settled []string
}

func (w *work) Run() error { return w.run() }
func (w *work) Reset()     { w.Job.Reset() }

func (w *work) Settle(err error) { w.settled = append(w.settled, fmt.Sprint(err)) }

func (w *work) Failed(err error, cause *sched.Failure) *sched.Failure {
	if cause != nil {
		err = fmt.Errorf("cancelled by %w", cause.Err)
	}
	return &sched.Failure{Err: err, Queue: w.Queue, Cause: cause}
}

// owner makes works, and notes failures.
type owner struct{ failed []string }

func (o *owner) String() string   { return "device" }
func (o *owner) Waited(time.Time) {}

func (o *owner) NewJob(q *sched.Queue) *sched.Job {
	w := &work{Job: sched.Job{Queue: q}}
	w.Work = w
	return &w.Job
}

func (o *owner) Failed(f *sched.Failure, level slog.Level) {
	o.failed = append(o.failed, level.String()+" "+f.Err.Error())
}

func take(q *sched.Queue, run func() error) *work {
	w := q.Take().Work.(*work)
	w.run = run
	return w
}

// Jobs run in their order, and those behind a failure are settled with it unrun. Wait
// returns the failure, once.
func TestFailureCancelsWhatIsBehind(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := &owner{}
		s := sched.Scheduler{Owner: o}
		q := s.NewQueue()
		begin, broken := make(chan struct{}), errors.New("broken")
		var ran []string
		first := take(q, func() error { <-begin; ran = append(ran, "first"); return nil })
		second := take(q, func() error { ran = append(ran, "second"); return broken })
		third := take(q, func() error { ran = append(ran, "third"); return nil })
		var closed []error
		third.After = append(third.After, func(err error) { closed = append(closed, err) })
		for _, w := range []*work{first, second, third} {
			require.True(t, q.Push(&w.Job))
		}
		close(begin)
		require.Equal(t, broken, q.Wait(t.Context()))
		require.NoError(t, q.Wait(t.Context()))
		require.NoError(t, s.Wait(t.Context()), "its trace has returned it")
		require.Equal(t, []string{"first", "second"}, ran)
		require.Equal(t, []string{"<nil>"}, first.settled)
		require.Equal(t, []string{"broken"}, second.settled)
		require.Equal(t, []string{"cancelled by broken"}, third.settled)
		require.Len(t, closed, 1)
		require.ErrorIs(t, closed[0], broken)
		require.Equal(t, []string{"INFO broken"}, o.failed)
	})
}

// Two closures that wait for each other's queues end, one with an error that names both.
func TestClosuresThatWaitForEachOtherEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := sched.Scheduler{Owner: &owner{}}
		queues := []*sched.Queue{s.NewQueue(), s.NewQueue()}
		waits, both := make(chan error, 2), make(chan struct{})
		for i, q := range queues {
			w := take(q, func() error { return nil })
			w.After = append(w.After, func(error) {
				<-both
				waits <- queues[1-i].Wait(t.Context())
			})
			require.True(t, q.Push(&w.Job))
		}
		close(both)
		errs := []error{<-waits, <-waits}
		require.NoError(t, s.Wait(t.Context()))
		var endless *sched.Endless
		require.ErrorAs(t, errors.Join(errs...), &endless)
		require.True(t, endless.Closure)
		require.Equal(t, 2, strings.Count(endless.Reason, "the end of another trace's steps"), endless.Reason)
		require.Contains(t, errs, error(nil), "the other goes on")
	})
}

// A closure may not wait for the queue that runs it.
func TestClosureMayNotWaitForItsOwnQueue(t *testing.T) {
	s := sched.Scheduler{Owner: &owner{}}
	q := s.NewQueue()
	w := take(q, func() error { return nil })
	var own, all error
	w.After = append(w.After, func(error) { own, all = q.Wait(t.Context()), s.Wait(t.Context()) })
	require.NoError(t, q.Inline(&w.Job))
	q.Close(&w.Job)
	require.Equal(t, sched.ErrClosure, own)
	require.NoError(t, all, "no queue has a goroutine")
}

// A run that panics fails its job and no more, queued or on the calling goroutine.
func TestPanicOfARunIsItsError(t *testing.T) {
	const want = "the run panicked outside of the backend, which is a mistake in this library: mistaken\n"
	synctest.Test(t, func(t *testing.T) {
		s := sched.Scheduler{Owner: &owner{}}
		q := s.NewQueue()
		w := take(q, func() error { panic("mistaken") })
		require.True(t, q.Push(&w.Job))
		require.ErrorContains(t, q.Wait(t.Context()), want)
		require.Len(t, w.settled, 1)
		require.Contains(t, w.settled[0], want)
		w.settled = nil // the queue may give w again
		w = take(q, func() error { panic("mistaken") })
		require.ErrorContains(t, q.Inline(&w.Job), want)
		require.Len(t, w.settled, 1)
		require.Contains(t, w.settled[0], want)
		require.NoError(t, s.Wait(t.Context()))
	})
}

// A job that writes memory waits for all that were claimed before, one that reads it for those
// that write. What a job did not wait for because it was cancelled, those behind it wait for.
func TestMemoryIsUsedInTheOrderOfClaims(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var m sched.Memory
		var mu sync.Mutex // two readers may begin at once
		var order []string
		note := func(what string) {
			mu.Lock()
			defer mu.Unlock()
			order = append(order, what)
		}
		ends := map[string]func(){}
		use := func(name string, writes bool, ctx context.Context) {
			var j sched.Job
			a := m.Claim(&j, writes)
			end := make(chan struct{})
			ends[name] = func() { close(end); synctest.Wait() }
			go func() {
				if err := a.Wait(ctx, "test", nil); err != nil {
					note(name + " cancelled")
				} else {
					note(name)
					<-end
				}
				a.End()
				j.Land()
			}()
			synctest.Wait()
		}
		bg := context.Background()
		use("read 1", false, bg)
		use("read 2", false, bg)
		use("write 3", true, bg)
		use("read 4", false, bg)
		use("read 5", false, bg)
		ctx, cancel := context.WithCancel(bg)
		use("write 6", true, ctx)
		use("write 7", true, bg)
		require.Equal(t, []string{"read 1", "read 2"}, order)
		cancel()
		synctest.Wait()
		use("read 8", false, bg)
		ends["read 2"]()
		require.Equal(t, []string{"read 1", "read 2", "write 6 cancelled"}, order)
		ends["read 1"]()
		require.Equal(t, "write 3", order[3])
		require.Len(t, order, 4)
		ends["write 3"]()
		require.ElementsMatch(t, []string{"read 4", "read 5"}, order[4:])
		ends["read 5"]()
		require.Len(t, order, 6)
		ends["read 4"]()
		require.Equal(t, "write 7", order[6])
		ends["write 7"]()
		require.Equal(t, "read 8", order[7])
		ends["read 8"]()
		require.True(t, m.Claim(&sched.Job{}, true).Ready())
		require.False(t, m.Claim(&sched.Job{}, false).Ready())
	})
}
