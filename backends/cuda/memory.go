package cuda

import (
	"errors"
	"fmt"
	"sync/atomic"

	"ltc/backends/cuda/driver"
	"ltc/internal/diag"
	"ltc/soa"
)

// memory is what is allocated of a device. The pool keeps what is freed for the
// next who asks.
type memory struct {
	pool  *driver.Pool
	limit atomic.Int64
	taken atomic.Int64 // allocated, and not freed
	kept  atomic.Int64 // of that, what no run has: see block
	peak  atomic.Int64
	count atomic.Int64
}

// Usage is what this process takes of a device's memory, in bytes.
type Usage struct {
	Live     int64 // in use
	Peak     int64 // the most that Live has been
	Kept     int64 // allocated for the next run
	Reserved int64 // taken of the device: both, and what is to be allocated
	Limit    int64 // the most that Live and Kept may be together
	Count    int64 // how often something was allocated
}

// Limit sets the most bytes that may be allocated; at first all that the device
// has.
func (d *Device) Limit(n int64) { d.memory.limit.Store(n) }

// Usage tells what is allocated.
func (d *Device) Usage() (Usage, error) {
	p, err := d.memory.pool.Usage()
	m := &d.memory
	return Usage{Live: m.live(), Peak: m.peak.Load(), Kept: m.kept.Load(), Reserved: p.Reserved, Limit: m.limit.Load(), Count: m.count.Load()}, err
}

// Trim gives back to the device what is not in use.
func (d *Device) Trim() error { return errors.Join(d.dismiss(), d.memory.pool.Trim(0)) }

// MemoryError is an allocation for which there is no memory. The device goes on.
type MemoryError struct {
	Device string
	Asked  int64
	Usage  Usage
	Free   int64 // of the device, whoever uses the rest; -1: it was not asked, as the limit was reached
	Reason error
}

func (e *MemoryError) Error() string {
	free := ""
	if e.Free >= 0 {
		free = fmt.Sprintf("; the device has %d left", e.Free)
	}
	return fmt.Sprintf("%s: no memory for %s: %d of at most %d are allocated, %d reserved%s: %v", e.Device, diag.Count(e.Asked, "byte"), e.Usage.Live, e.Usage.Limit, e.Usage.Reserved, free, e.Reason)
}

// Unwrap returns what wraps [driver.OutOfMemory].
func (e *MemoryError) Unwrap() error { return e.Reason }

// Is has the error be [soa.ErrMemory], too, as that of memory of the host's.
func (e *MemoryError) Is(target error) bool { return target == soa.ErrMemory }

// Buffer is memory of a device. Who allocated it frees it.
type Buffer struct {
	dev *Device
	ptr driver.Ptr
	n   int
}

// Alloc returns n bytes, aligned to 256, that what is queued from now on may use;
// what other queues do only if they wait for this one. Contents are undefined. The
// error is a [MemoryError] if there are none.
func (q *Queue) Alloc(n int) (*Buffer, error) {
	if n < 0 {
		return nil, fmt.Errorf("%v: allocation of %s", q.dev, diag.Count(n, "byte"))
	}
	p, err := q.alloc(n)
	if err != nil {
		return nil, err
	}
	return &Buffer{dev: q.dev, ptr: p, n: n}, nil
}

// alloc returns memory, which may take what was kept for runs.
func (q *Queue) alloc(n int) (driver.Ptr, error) {
	p, err := q.allocOnce(n)
	if errors.Is(err, driver.OutOfMemory) && q.dev.memory.kept.Load() > 0 {
		if err := q.dev.dismiss(); err != nil {
			return 0, err
		}
		return q.allocOnce(n)
	}
	return p, err
}

func (q *Queue) allocOnce(n int) (p driver.Ptr, err error) {
	d := q.dev
	if err := d.memory.take(int64(n)); err != nil {
		return 0, d.short(n, -1, err)
	}
	err = q.do(func() (err error) {
		p, err = q.stream.AllocFrom(d.memory.pool, max(n, 1))
		return err
	})
	if err == nil {
		d.memory.took()
		return p, nil
	}
	d.memory.give(int64(n))
	if !errors.Is(err, driver.OutOfMemory) {
		return 0, err
	}
	free, _, _ := d.ctx.Memory()
	return 0, d.short(n, free, err)
}

// short is the error of n bytes that are not there.
func (d *Device) short(n int, free int64, reason error) error {
	u, _ := d.Usage()
	return &MemoryError{Device: d.String(), Asked: int64(n), Usage: u, Free: free, Reason: reason}
}

// allocHard is alloc that, where there is no memory, gives up first what nothing
// reaches any more.
func (q *Queue) allocHard(n int) (driver.Ptr, error) {
	const collections = 3 // memory comes back while others run
	for tried := 0; ; tried++ {
		p, err := q.alloc(n)
		if tried == collections || !errors.Is(err, driver.OutOfMemory) {
			return p, err
		}
		soa.Collect()
		for _, r := range []*Queue{q, q.dev.home} { // what is freed there is free then
			if err := r.do(r.stream.Synchronize); err != nil {
				return 0, err
			}
		}
		q.landed()
		if err := q.dev.Trim(); err != nil {
			return 0, err
		}
	}
}

// release gives memory of alloc back, after what is queued.
func (q *Queue) release(p driver.Ptr, n int) error {
	err := q.do(func() error { return q.stream.Free(p) })
	if err == nil {
		q.dev.memory.give(int64(n))
	}
	return err
}

// Free gives the memory back, after what is queued. Other queues that use it must
// have been waited for. Memory that is not freed, as by a queue that was closed, is still
// the caller's.
func (q *Queue) Free(b *Buffer) error {
	if b == nil {
		return fmt.Errorf("%v: free: %w", q.dev, errNoBuffer)
	}
	if b.ptr == 0 {
		return fmt.Errorf("%v: a buffer of %s is freed twice", b.dev, diag.Count(b.n, "byte"))
	}
	if b.dev != q.dev {
		return fmt.Errorf("%v: memory of %v is freed in a queue of another device", q.dev, b.dev)
	}
	err := q.release(b.ptr, b.n)
	if err == nil {
		b.ptr = 0
	}
	return err
}

var errNoBuffer = errors.New("no buffer")

// Bytes returns how many there are.
func (b *Buffer) Bytes() int { return b.n }

// Device returns whose memory it is.
func (b *Buffer) Device() *Device { return b.dev }

// Address returns where it begins, on the device.
func (b *Buffer) Address() driver.Ptr { return b.ptr }

// part returns the address of n bytes of the buffer.
func (b *Buffer) part(what string, at, n int) (driver.Ptr, error) {
	if b == nil {
		return 0, fmt.Errorf("%s: %w", what, errNoBuffer)
	}
	if b.ptr == 0 {
		return 0, fmt.Errorf("%v: %s: the memory was freed", b.dev, what)
	}
	if at < 0 || n < 0 || at > b.n-n {
		return 0, fmt.Errorf("%v: %s: %s at %d of a buffer of %d", b.dev, what, diag.Count(n, "byte"), at, b.n)
	}
	return b.ptr + driver.Ptr(at), nil
}

// take counts n bytes more.
func (m *memory) take(n int64) error {
	for {
		taken := m.taken.Load()
		if n > m.limit.Load()-taken {
			return fmt.Errorf("the limit is reached: %w", driver.OutOfMemory)
		}
		if m.taken.CompareAndSwap(taken, taken+n) {
			return nil
		}
	}
}

// took counts what was taken and is there.
func (m *memory) took() {
	m.raise()
	m.count.Add(1)
}

func (m *memory) give(n int64) { m.taken.Add(-n) }

// reuse has a run use n bytes of what was kept, unless the limit is lower by now.
func (m *memory) reuse(n int64) bool {
	if m.taken.Load() > m.limit.Load() {
		return false
	}
	m.kept.Add(-n)
	m.raise()
	return true
}

// keep keeps n bytes that a run has used.
func (m *memory) keep(n int64) { m.kept.Add(n) }

// forget gives n bytes back that were kept.
func (m *memory) forget(n int64) {
	m.kept.Add(-n)
	m.give(n)
}

func (m *memory) live() int64 { return m.taken.Load() - m.kept.Load() }

// raise raises the peak to what is live.
func (m *memory) raise() {
	for live, peak := m.live(), m.peak.Load(); live > peak && !m.peak.CompareAndSwap(peak, live); peak = m.peak.Load() {
	}
}
