package cuda

import (
	"errors"
	"slices"

	"ltc/backends/cuda/driver"
	"ltc/internal/env"
)

// block is memory that runs compute in. Runs of a queue come one after the other:
// what one has had, the next may have as soon as that has queued its last. So the
// queue keeps blocks, a run finds its memory where it was, and nothing is allocated.
type block struct {
	at   driver.Ptr
	n    int
	used int // what the run that has it needs of it
}

// acquire returns memory for a run. The queue is locked and its context entered. An
// error that wraps [driver.OutOfMemory] is to be tried again with [Queue.allocHard].
func (q *Queue) acquire(n int) (block, error) {
	m := &q.dev.memory
	for i := len(q.blocks) - 1; i >= 0; i-- {
		if b := q.blocks[i]; b.n >= n {
			if !m.reuse(int64(n)) {
				break
			}
			q.blocks = slices.Delete(q.blocks, i, i+1)
			b.used = n
			return b, nil
		}
	}
	if last := len(q.blocks) - 1; last >= 0 { // it has become too small
		if err := q.dismiss(last); err != nil {
			return block{}, err
		}
	}
	if err := m.take(int64(n)); err != nil {
		return block{}, err
	}
	p, err := q.stream.AllocFrom(m.pool, n)
	if err != nil {
		m.give(int64(n))
		return block{}, err
	}
	m.took()
	return block{p, n, n}, nil
}

// yield takes a run's block back. The queue is locked and its context entered.
// Where runs are checked the next one gets other memory, so that it is seen if it
// reads what it has not written.
func (q *Queue) yield(b block) error {
	q.dev.memory.keep(int64(b.used))
	q.blocks = append(q.blocks, b)
	if env.Checks.On() {
		return q.dismiss(len(q.blocks) - 1)
	}
	return nil
}

// dismiss frees a block that no run has. One that is not freed stays.
func (q *Queue) dismiss(i int) error {
	b := q.blocks[i]
	if err := q.stream.Free(b.at); err != nil {
		return err
	}
	q.blocks = slices.Delete(q.blocks, i, i+1)
	q.dev.memory.forget(int64(b.n))
	return nil
}

// dismissAll frees the blocks that no run has. The queue is locked and its context
// entered.
func (q *Queue) dismissAll() error {
	var errs []error
	for i := len(q.blocks) - 1; i >= 0; i-- {
		errs = append(errs, q.dismiss(i))
	}
	return errors.Join(errs...)
}

// dismiss frees the blocks that no run has, of all queues of the device: the memory
// is free when dismiss returns. A queue that is closed meanwhile frees its own.
func (d *Device) dismiss() error {
	d.queues.Lock()
	all := slices.Clone(d.queues.all)
	d.queues.Unlock()
	var errs []error
	for _, q := range all {
		err := q.do(func() error {
			if len(q.blocks) == 0 {
				return nil
			}
			return errors.Join(q.dismissAll(), q.stream.Synchronize())
		})
		if !errors.Is(err, ErrQueueClosed) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}
