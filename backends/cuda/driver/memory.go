package driver

import (
	"fmt"

	"ltc/internal/diag"
)

// Ptr is an address in a device's memory. It is a number: only the device can
// follow it.
type Ptr uint64

// Memory returns how many bytes of the device's memory are free, and of how many,
// whoever uses the others.
func (c *Context) Memory() (free, total int64, err error) {
	f := newFrame()
	defer f.free()
	err = c.entered(cuMemGetInfo, f, f.result(0), f.result(1))
	return int64(f.out[0]), int64(f.out[1]), err
}

// Alloc returns n bytes of the device's memory, aligned to 256, with undefined
// contents; they last until [Context.Free]. An error may wrap [OutOfMemory]. It
// may wait for all that is queued: see [Stream.Alloc].
func (c *Context) Alloc(n int) (Ptr, error) {
	f := newFrame()
	defer f.free()
	if err := c.Enter(); err != nil {
		return 0, err
	}
	defer c.Leave()
	if code := c.driver.set(cuMemAlloc, f, f.result(0), uintptr(n)); code != Success {
		return 0, c.fail(cuMemAlloc, code, fmt.Sprintf("%s of device %d", diag.Count(n, "byte"), c.device.ordinal))
	}
	return Ptr(f.out[0]), nil
}

// Free gives memory back that [Context.Alloc] returned. Nothing that is queued
// may access it.
func (c *Context) Free(p Ptr) error {
	f := newFrame()
	defer f.free()
	return c.entered(cuMemFree, f, uintptr(p))
}

// Alloc returns n bytes of the device's memory that what is queued in this stream
// after it may use; what other streams queue, once they wait for this one.
// Contents are undefined.
func (s *Stream) Alloc(n int) (Ptr, error) {
	s.args[0], s.args[1], s.args[2] = s.result(0), uintptr(n), s.handle
	return s.alloc(cuMemAllocAsync, n, 3)
}

// AllocFrom is [Stream.Alloc] out of a pool of one's own.
func (s *Stream) AllocFrom(p *Pool, n int) (Ptr, error) {
	s.args[0], s.args[1], s.args[2], s.args[3] = s.result(0), uintptr(n), p.handle, s.handle
	return s.alloc(cuMemAllocFromPoolAsync, n, 4)
}

func (s *Stream) alloc(e entry, n, args int) (Ptr, error) {
	if err := s.usable(e); err != nil {
		return 0, err
	}
	if code := s.ctx.driver.call(e, &s.frame, args); code != Success {
		return 0, s.ctx.fail(e, code, fmt.Sprintf("%s of device %d", diag.Count(n, "byte"), s.ctx.device.ordinal))
	}
	return Ptr(s.out[0]), nil
}

// Free gives memory back that a stream's Alloc returned, once what is queued in
// this stream is done. Other streams that use it must have been waited for.
func (s *Stream) Free(p Ptr) error {
	s.args[0], s.args[1] = uintptr(p), s.handle
	return s.call(cuMemFreeAsync, 2)
}
