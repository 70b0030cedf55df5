package cuda

import (
	"errors"
	"fmt"
	"unsafe"

	"ltc/backends/cuda/driver"
	"ltc/internal/diag"
	"ltc/soa"
)

// stage is memory of the host that the device copies from and to by itself, and
// when it last did.
type stage struct {
	host *driver.Host
	done *driver.Event
}

// staged is how many bytes a queue copies at once: while the device copies some,
// the host prepares as many.
const staged = 4 << 20

// stage returns the next stage, when what it was used for is done.
func (q *Queue) stage(bytes int) (*stage, error) {
	s := &q.stages[q.next]
	q.next = 1 - q.next
	bytes = min(max(bytes, 64<<10), q.staged)
	if s.done == nil {
		e, err := q.dev.ctx.NewEvent(false)
		if err != nil {
			return nil, err
		}
		s.done = e
	}
	if err := s.done.Synchronize(); err != nil {
		return nil, err
	}
	if s.host == nil || len(s.host.Bytes()) < bytes {
		h, err := q.dev.ctx.AllocHost(bytes)
		if err != nil {
			return nil, err // what is there stays: a run may have made sure of it
		}
		small := s.host
		s.host = h
		if small != nil {
			if err := small.Free(); err != nil {
				return nil, err
			}
		}
	}
	return s, nil
}

// used notes that a stream copies from or to the stage's memory. Where it cannot be noted
// the copy is waited for, and goes on: nobody need be told, least of all a run that has
// written what it was to.
func (s *stage) used(in *driver.Stream) error {
	if s.done.Record(in) == nil {
		return nil
	}
	return in.Synchronize()
}

// reserve has memory for copies of some bytes to the host, which is then there when
// nothing may fail any more. The queue is locked and its context entered.
func (q *Queue) reserve(bytes int) error {
	for range q.stages {
		if s := &q.stages[q.next]; s.host != nil && len(s.host.Bytes()) >= min(bytes, q.staged) {
			q.next = 1 - q.next
			continue
		}
		if _, err := q.stage(bytes); err != nil {
			return err
		}
	}
	return nil
}

func (s *stage) free() error {
	if s.host != nil {
		if err := s.host.Free(); err != nil {
			return err
		}
	}
	if s.done != nil {
		return s.done.Destroy()
	}
	return nil
}

// Upload queues a copy of v to a place in a buffer, dense in the order of its
// elements. It returns when v, which is the host's memory, has been read; that may be
// before the copy is done.
func (q *Queue) Upload(to *Buffer, at int, v soa.View) error {
	p, n, err := q.between("upload", to, at, v)
	if err != nil {
		return err
	}
	if !v.IsDense() {
		dense := soa.Make(v.Type)
		if err := soa.Copy(dense, v); err != nil {
			return err
		}
		v = dense
	}
	defer soa.KeepAlive(v)
	return q.upload(p, unsafe.Slice((*byte)(v.Base()), n))
}

// between checks a copy between a place in a buffer and a view, and returns the place, and
// how many bytes are copied.
func (q *Queue) between(what string, b *Buffer, at int, v soa.View) (p driver.Ptr, n int, err error) {
	if err = v.Check(); err == nil && v.Remote() != nil {
		err = fmt.Errorf("%v is not the host's memory: see soa.Copy, and Queue.Copy for buffers", v)
	}
	if err == nil && !v.IsDense() {
		err = soa.Fits(v.Type.Bytes())
	}
	if err != nil {
		return 0, 0, fmt.Errorf("%v: %s: %w", q.dev, what, err)
	}
	n = v.Type.Bytes()
	p, err = q.part(what, b, at, n)
	return p, n, err
}

// part returns the address of n bytes of a buffer that must be of the queue's device.
func (q *Queue) part(what string, b *Buffer, at, n int) (driver.Ptr, error) {
	p, err := b.part(what, at, n)
	if err == nil && b.dev != q.dev {
		err = fmt.Errorf("%v: %s: memory of %v in a queue of another device", q.dev, what, b.dev)
	}
	return p, err
}

// upload queues a copy of the host's memory, and returns when it has been read.
func (q *Queue) upload(p driver.Ptr, from []byte) error {
	return q.do(func() error { return q.send(p, from) })
}

// send is upload where the queue is locked and its context entered.
func (q *Queue) send(p driver.Ptr, from []byte) error {
	for len(from) > 0 {
		s, err := q.stage(len(from))
		if err != nil {
			return err
		}
		some := s.host.Bytes()[:copy(s.host.Bytes(), from)]
		if err := q.stream.ToDevice(p, some); err != nil {
			return err
		}
		if err := s.used(q.stream); err != nil {
			return err
		}
		from, p = from[len(some):], p+driver.Ptr(len(some))
	}
	return nil
}

// Download copies from a place in a buffer, where the elements of v lie densely in
// their order, to v, which is the host's memory, after what is queued. It returns when v
// has them.
func (q *Queue) Download(v soa.View, from *Buffer, at int) error {
	p, n, err := q.between("download", from, at, v)
	if err != nil {
		return err
	}
	if v.ReadOnly() {
		return fmt.Errorf("%v: download to %v: %w", q.dev, v, soa.ErrReadOnly)
	}
	dense := v
	if !v.IsDense() {
		dense = soa.Make(v.Type)
	}
	if err := q.download(unsafe.Slice((*byte)(dense.Base()), n), p); err != nil {
		return err
	}
	defer soa.KeepAlive(v)
	if v.IsDense() {
		return nil
	}
	return soa.Copy(v, dense)
}

// download copies to the host after what is queued.
func (q *Queue) download(to []byte, p driver.Ptr) error {
	return q.do(func() error { return q.receive(q.stream, to, p) })
}

// receive copies some, in a stream, while the device copies others. The queue is locked
// and its context entered.
func (q *Queue) receive(stream *driver.Stream, to []byte, p driver.Ptr) error {
	var last *stage
	var of []byte // where what last holds goes to
	finish := func() error {
		if last == nil {
			return nil
		}
		if err := last.done.Synchronize(); err != nil {
			return err
		}
		copy(of, last.host.Bytes())
		return nil
	}
	for len(to) > 0 {
		s, err := q.stage(len(to))
		if err != nil {
			return err
		}
		some := to[:min(len(to), len(s.host.Bytes()))]
		if err := stream.ToHost(s.host.Bytes()[:len(some)], p); err != nil {
			return err
		}
		if err := s.used(stream); err != nil {
			return err
		}
		if err := finish(); err != nil {
			return err
		}
		last, of = s, some
		to, p = to[len(some):], p+driver.Ptr(len(some))
	}
	return finish()
}

// Copy queues a copy of n bytes between buffers, of which one is of the queue's
// device. Within a buffer they must not overlap.
func (q *Queue) Copy(to *Buffer, at int, from *Buffer, off, n int) error {
	p, err := to.part("copy", at, n)
	if err != nil {
		return err
	}
	o, err := from.part("copy", off, n)
	if err != nil {
		return err
	}
	switch {
	case to.dev.ctx.Driver() != q.dev.ctx.Driver() || from.dev.ctx.Driver() != q.dev.ctx.Driver():
		return fmt.Errorf("%v: copy between devices of two drivers: %w", q.dev, errors.ErrUnsupported)
	case to.dev != q.dev && from.dev != q.dev:
		return fmt.Errorf("%v: copy between %v and %v in a queue of neither", q.dev, from.dev, to.dev)
	case to == from && at < off+n && off < at+n && n > 0:
		return fmt.Errorf("%v: copy of %s from %d to %d of one buffer: they overlap", q.dev, diag.Count(n, "byte"), off, at)
	}
	return q.do(func() error {
		if to.dev == from.dev {
			return q.stream.Copy(p, o, n)
		}
		return q.stream.CopyPeer(p, to.dev.ctx, o, from.dev.ctx, n)
	})
}

// Fill queues the setting of n bytes of a buffer.
func (q *Queue) Fill(to *Buffer, at int, v byte, n int) error {
	p, err := q.part("fill", to, at, n)
	if err != nil {
		return err
	}
	return q.do(func() error { return q.stream.Fill8(p, v, n) })
}
