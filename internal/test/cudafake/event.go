package cudafake

import "ltc/backends/cuda/driver"

// event is a place in a stream, or in a capture.
type event struct {
	device   *device
	timed    bool
	recorded *op
	capture  *capture
	front    []*node
}

func (e *event) leaked() string { return e.device.kept("events") }

func (f *Fake) newEvent(to *uintptr, flags uint32) driver.Code {
	d, code := f.context("cuEventCreate")
	if code == 0 {
		*to = f.handle(&event{device: d, timed: flags&2 == 0})
	}
	return code
}

func (f *Fake) destroyEvent(h uintptr) driver.Code {
	_, code := find[*event](f, h, "event")
	if code == 0 {
		f.handles[h] = destroyed{"cuEventDestroy"}
	}
	return code
}

func (f *Fake) record(h, in uintptr) driver.Code {
	s, code := f.stream("cuEventRecord", in)
	if code != 0 {
		return code
	}
	e, code := find[*event](f, h, "event")
	switch {
	case code != 0:
		return code
	case e.device != s.device:
		return f.bad(driver.InvalidHandle, WrongContext, "an event of device %d is recorded in a stream of device %d", e.device.ordinal, s.device.ordinal)
	case s.capture != nil:
		e.capture, e.front, e.recorded = s.capture, s.front, nil
		return driver.Success
	}
	e.capture, e.front = nil, nil
	e.recorded = f.enqueue(s, "cuEventRecord", false, func(*op) driver.Code { return driver.Success })
	return driver.Success
}

func (f *Fake) waitEvent(in, h uintptr, _ uint32) driver.Code {
	s, code := f.stream("cuStreamWaitEvent", in)
	if code != 0 {
		return code
	}
	e, code := find[*event](f, h, "event")
	switch {
	case code != 0:
		return code
	case e.capture != nil:
		return e.capture.join(s, e)
	case s.capture != nil:
		s.capture.invalid = true
		return driver.CaptureIsolation
	case e.recorded != nil:
		f.enqueue(s, "cuStreamWaitEvent", false, func(*op) driver.Code { return driver.Success }, e.recorded)
	}
	return driver.Success
}

// eventOf returns the event of a handle for a call of the host that asks about it.
func (f *Fake) eventOf(call string, h uintptr) (*event, driver.Code) {
	e, code := find[*event](f, h, "event")
	switch {
	case code != 0:
		return e, code
	case e.capture != nil:
		e.capture.invalid = true
		return e, driver.CapturedEvent
	case e.device.lost != 0:
		return e, e.device.lost
	}
	return e, f.unsafe(call, nil)
}

func (f *Fake) queryEvent(h uintptr) driver.Code {
	e, code := f.eventOf("cuEventQuery", h)
	if code != 0 || e.recorded == nil {
		return code
	}
	return f.query(e.recorded)
}

func (f *Fake) synchronizeEvent(h uintptr) driver.Code {
	e, code := f.eventOf("cuEventSynchronize", h)
	if code == 0 && e.recorded != nil {
		f.wait(e.recorded)
		code = e.device.lost
	}
	return code
}

// elapsed counts a microsecond for each thing that ran.
func (f *Fake) elapsed(to *float32, start, end uintptr) driver.Code {
	a, code := f.eventOf("cuEventElapsedTime", start)
	if code != 0 {
		return code
	}
	b, code := f.eventOf("cuEventElapsedTime", end)
	switch {
	case code != 0:
		return code
	case a.recorded == nil || b.recorded == nil || !a.timed || !b.timed:
		return driver.InvalidHandle
	case !a.recorded.done || !b.recorded.done:
		return driver.NotReady
	}
	*to = float32(b.recorded.time-a.recorded.time) / 1000
	return driver.Success
}
