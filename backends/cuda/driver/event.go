package driver

import (
	"math"
	"time"
)

// Event is a place in a stream, to wait for.
type Event struct {
	ctx    *Context
	handle uintptr
}

const disableTiming = 2

// NewEvent makes an event. Those that are timed cost more.
func (c *Context) NewEvent(timed bool) (*Event, error) {
	flags := uintptr(disableTiming)
	if timed {
		flags = 0
	}
	f := newFrame()
	defer f.free()
	if err := c.entered(cuEventCreate, f, f.result(0), flags); err != nil {
		return nil, err
	}
	return &Event{c, f.handle(0)}, nil
}

// Destroy gives the event up. Who waits for it already still does.
func (e *Event) Destroy() error {
	f := newFrame()
	defer f.free()
	return e.ctx.entered(cuEventDestroy, f, e.handle)
}

// Record moves the event behind what is queued in a stream of its context.
func (e *Event) Record(s *Stream) error {
	s.args[0], s.args[1] = e.handle, s.handle
	return s.call(cuEventRecord, 2)
}

// Done reports whether what it was recorded after is done; true if it was not.
func (e *Event) Done() (bool, error) {
	if l := e.ctx.lost.Load(); l != nil {
		return false, l
	}
	f := newFrame()
	defer f.free()
	f.args[0] = e.handle
	code := e.ctx.driver.call(cuEventQuery, f, 1)
	if code == NotReady {
		return false, nil
	}
	return code == Success, e.ctx.result(cuEventQuery, code)
}

// Synchronize returns when what it was recorded after is done.
func (e *Event) Synchronize() error {
	if l := e.ctx.lost.Load(); l != nil {
		return l
	}
	f := newFrame()
	defer f.free()
	f.args[0] = e.handle
	return e.ctx.result(cuEventSynchronize, e.ctx.driver.call(cuEventSynchronize, f, 1))
}

// Since returns the time between two timed events that are both done.
func (e *Event) Since(start *Event) (time.Duration, error) {
	f := newFrame()
	defer f.free()
	if err := e.ctx.entered(cuEventElapsedTime, f, f.result(0), start.handle, e.handle); err != nil {
		return 0, err
	}
	ms := math.Float32frombits(uint32(f.int(0)))
	return time.Duration(math.Round(float64(ms) * float64(time.Millisecond))), nil
}
