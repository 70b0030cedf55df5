package cuda

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"ltc/backends"
	"ltc/backends/cuda/driver"
	"ltc/soa"
)

// Queue orders what is done on a device.
type Queue struct {
	dev    *Device
	mu     sync.Mutex
	stream *driver.Stream
	in     beside // of arguments
	out    beside // of results
	// capture is the stream in which calls of libraries are captured; nil: none was.
	capture *driver.Stream
	large   int // the fewest bytes of what is copied in them
	stages  [2]stage
	next    int             // the stage to use
	staged  int             // the most bytes of a stage
	idle    []*driver.Event // those that nobody uses
	flying  []flight        // runs that may not be done, in their order
	spare   [][]soa.View    // of flights that have landed
	blocks  []block         // those that no run has
	closed  bool
	// life is held by each run of the queue, to be read; who closes it waits for them.
	life sync.RWMutex
}

// ErrQueueClosed is wrapped by errors of what a queue is asked for after [Queue.Close].
var ErrQueueClosed = errors.New("the queue was closed")

// flight is a run that was queued, with what it uses: the collector must not take
// that before it is done.
type flight struct {
	done  *driver.Event
	of    *runner // with memory of its own
	views []soa.View
}

// inFlight is how many runs of a queue may be under way: enough for the device to have
// work while the host does something else for some milliseconds.
const inFlight = 64

// keep keeps what a run that was queued uses until it is done; where nothing can say
// when that is, it waits: the run has written what it was to. The queue is locked and its
// context entered.
func (q *Queue) keep(of *runner, uses ...[]soa.View) error {
	e, err := q.markLocked()
	if err != nil {
		return q.stream.Synchronize()
	}
	q.landedLocked()
	var views []soa.View
	if n := len(q.spare); n > 0 {
		views, q.spare = q.spare[n-1], q.spare[:n-1]
	}
	for _, list := range uses {
		views = append(views, list...)
	}
	q.flying = append(q.flying, flight{e, of, views})
	return nil
}

// room waits until fewer than [inFlight] runs are under way, or returns the cause of ctx:
// memory is given back as runs end. The queue's context is entered.
func (q *Queue) room(ctx context.Context) error {
	for {
		if err := q.lockUntil(ctx); err != nil {
			return err
		}
		var oldest *driver.Event
		if len(q.flying) >= inFlight {
			q.landedLocked()
		}
		if n := len(q.flying); n >= inFlight {
			oldest = q.flying[n-inFlight].done
		}
		q.mu.Unlock()
		if oldest == nil {
			return nil
		}
		// If the run lands meanwhile, another may use the event: the wait is longer then.
		if err := await(ctx, oldest); err != nil {
			return err
		}
	}
}

// landed lets go of what runs that are done have used.
func (q *Queue) landed() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.landedLocked()
}

func (q *Queue) landedLocked() {
	n := 0
	for ; n < len(q.flying); n++ {
		f := &q.flying[n]
		if done, _ := f.done.Done(); !done {
			break
		}
		q.idle = append(q.idle, f.done)
		clear(f.views)
		q.spare = append(q.spare, f.views[:0])
	}
	q.flying = slices.Delete(q.flying, 0, n)
}

var _ backends.Queue = (*Queue)(nil)

// NewQueue makes a queue; it lasts until [Queue.Close].
func (d *Device) NewQueue() (*Queue, error) {
	s, err := d.ctx.NewStream(0)
	if err != nil {
		return nil, err
	}
	q := &Queue{dev: d, stream: s, staged: staged, large: large}
	d.queues.Lock()
	defer d.queues.Unlock()
	d.queues.all = append(d.queues.all, q)
	return q, nil
}

// Device returns the queue's device.
func (q *Queue) Device() *Device { return q.dev }

// do calls f where it may use the stream.
func (q *Queue) do(f func() error) error {
	q.mu.Lock()
	return q.locked(f)
}

// locked is do where the caller has locked the queue, which it unlocks.
func (q *Queue) locked(f func() error) error {
	defer q.mu.Unlock()
	if q.closed {
		return q.isClosed()
	}
	if err := q.dev.ctx.Enter(); err != nil {
		return err
	}
	defer q.dev.ctx.Leave()
	return f()
}

// doAndWait is do, and waits for what f has queued. Others use the queue meanwhile.
func (q *Queue) doAndWait(f func() error) error {
	if err := q.do(f); err != nil {
		return err
	}
	return q.Wait(context.Background())
}

func (q *Queue) isClosed() error { return fmt.Errorf("%v: %w", q.dev, ErrQueueClosed) }

// enter has a run use the queue, until it unlocks life.
func (q *Queue) enter() error {
	if !q.life.TryRLock() {
		return q.isClosed()
	}
	if q.closed {
		q.life.RUnlock()
		return q.isClosed()
	}
	return nil
}

// Close waits for runs that use the queue and for queued work, and gives the queue up, also
// where it returns an error. Later calls of the queue are refused with [ErrQueueClosed],
// and so are runs that begin meanwhile. Of a device that is lost nothing can be waited for.
// A function of the host's that a program calls must not close the queue of its run, which
// would wait for itself.
func (q *Queue) Close() error {
	q.life.Lock()
	defer q.life.Unlock()
	all := &q.dev.queues
	all.Lock()
	all.all = slices.DeleteFunc(all.all, func(x *Queue) bool { return x == q })
	all.Unlock()
	return q.do(func() error {
		q.closed = true
		errs := []error{q.stream.Synchronize()}
		for _, b := range [...]*beside{&q.in, &q.out} {
			if b.stream != nil {
				errs = append(errs, b.stream.Synchronize(), b.stream.Destroy())
				b.stream = nil
			}
		}
		if q.capture != nil {
			errs = append(errs, q.capture.Destroy())
			q.capture = nil
		}
		errs = append(errs, q.dismissAll())
		for _, f := range q.flying {
			errs = append(errs, f.done.Destroy())
		}
		q.flying = nil
		for i := range q.stages {
			errs = append(errs, q.stages[i].free())
		}
		for _, e := range q.idle {
			errs = append(errs, e.Destroy())
		}
		q.idle = nil
		return errors.Join(append(errs, q.stream.Destroy())...)
	})
}

// mark returns an event behind what is queued.
func (q *Queue) mark() (e *driver.Event, err error) {
	err = q.do(func() error {
		e, err = q.markLocked()
		return err
	})
	return e, err
}

func (q *Queue) markLocked() (*driver.Event, error) { return q.markIn(q.stream) }

// markIn returns an event behind what a stream has.
func (q *Queue) markIn(s *driver.Stream) (e *driver.Event, err error) {
	if n := len(q.idle); n > 0 {
		e, q.idle = q.idle[n-1], q.idle[:n-1]
	} else if e, err = q.dev.ctx.NewEvent(false); err != nil {
		return nil, err
	}
	if err = e.Record(s); err != nil {
		q.idle = append(q.idle, e)
		return nil, err
	}
	return e, nil
}

func (q *Queue) unmark(e *driver.Event) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.unmarkLocked(e)
}

func (q *Queue) unmarkLocked(e *driver.Event) {
	if q.closed { // while it was waited for: nobody else destroys it
		_ = e.Destroy() // an error is that of a device that is lost
		return
	}
	q.idle = append(q.idle, e)
}

// Wait returns when what was queued before is done, with its first error; or when
// the context ends, with its cause: what is queued is then done later.
func (q *Queue) Wait(ctx context.Context) error {
	if ctx.Done() != nil {
		return q.waitUntil(ctx)
	}
	e, err := q.mark()
	if err != nil {
		return err
	}
	defer q.unmark(e)
	if err := q.dev.ctx.Enter(); err != nil {
		return err
	}
	defer q.dev.ctx.Leave()
	defer q.landed()
	return e.Synchronize()
}

// waitUntil is Wait where the context may end. Others may hold the lock for as long as they
// copy from the device to the host: it is not waited for longer either.
func (q *Queue) waitUntil(ctx context.Context) error {
	if err := q.lockUntil(ctx); err != nil {
		return err
	}
	var e *driver.Event
	err := q.locked(func() (err error) {
		e, err = q.markLocked()
		return err
	})
	if err != nil {
		return err
	}
	if err := q.dev.ctx.Enter(); err != nil {
		return err // it is lost, and the event with it
	}
	defer q.dev.ctx.Leave()
	defer q.waited(e)
	return await(ctx, e)
}

// await waits for an event, or returns the cause of ctx. Where ctx can end it asks again and
// again, ever more seldom.
func await(ctx context.Context, e *driver.Event) error {
	if ctx.Done() == nil {
		return e.Synchronize()
	}
	for pause := 5 * time.Microsecond; ; pause = min(2*pause, time.Millisecond) {
		if done, err := e.Done(); done || err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(pause):
		}
	}
}

// lockUntil locks the queue, unless the context ends before.
func (q *Queue) lockUntil(ctx context.Context) error {
	if ctx.Done() == nil {
		q.mu.Lock()
		return nil
	}
	if q.mu.TryLock() {
		return nil
	}
	given := make(chan struct{})
	go func() {
		q.mu.Lock()
		select {
		case given <- struct{}{}:
		case <-ctx.Done():
			q.mu.Unlock()
		}
	}()
	select {
	case <-given:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// waited takes an event back that was waited for, and lets go of what runs that are done
// have used, unless somebody else has the lock.
func (q *Queue) waited(e *driver.Event) {
	if !q.mu.TryLock() {
		_ = e.Destroy() // an error is that of a device that is lost
		return
	}
	defer q.mu.Unlock()
	q.unmarkLocked(e)
	q.landedLocked()
}

// After lets what is queued from now on wait for what another queue has by now.
// It may be one of another device.
func (q *Queue) After(other *Queue) error {
	switch {
	case other == nil:
		return fmt.Errorf("%v waits for no queue", q.dev)
	case q == other:
		return nil
	case other.dev.ctx.Driver() != q.dev.ctx.Driver():
		return fmt.Errorf("%v waits for a queue of another driver: %w", q.dev, errors.ErrUnsupported)
	}
	e, err := other.mark()
	if err != nil {
		return fmt.Errorf("%v waits for %v: %w", q.dev, other.dev, err)
	}
	defer other.unmark(e)
	return q.do(func() error { return q.stream.Wait(e) })
}
