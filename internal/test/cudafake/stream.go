package cudafake

import (
	"fmt"
	"slices"

	"ltc/backends/cuda/driver"
)

// stream is a queue.
type stream struct {
	handle  uintptr
	device  *device
	number  int
	lane    int
	clock   clock // of what was queued last
	queue   []*op // what has not run
	last    *op
	gone    bool
	capture *capture
	front   []*node // of a capture: what the next waits for
}

func (s *stream) leaked() string { return s.device.kept("streams") }

// op is something queued.
type op struct {
	moment
	stream *stream
	after  []*op // besides those before in the stream
	run    func(o *op) driver.Code
	counts bool // as something that may be made fail
	done   bool
	time   int64 // when it ended
}

// newStream makes a stream.
func (f *Fake) newStream(to *uintptr, flags uint32, priority int32) driver.Code {
	d, code := f.context("cuStreamCreateWithPriority")
	if code != 0 {
		return code
	}
	if flags != 1 {
		return f.bad(driver.InvalidValue, BadArgument, "a stream that waits for the library's own")
	}
	s := &stream{device: d, lane: f.lanes, number: f.lanes}
	f.lanes++
	s.handle = f.handle(s)
	f.streams = append(f.streams, s)
	*to = s.handle
	return driver.Success
}

// stream returns the stream of a handle, if the current context is its own.
func (f *Fake) stream(call string, h uintptr) (*stream, driver.Code) {
	s, code := find[*stream](f, h, "stream")
	if code == 0 {
		code = f.same(call, s.device, "stream")
	}
	return s, code
}

func (f *Fake) destroyStream(h uintptr) driver.Code {
	s, code := f.stream("cuStreamDestroy", h)
	if code != 0 {
		return code
	}
	if s.capture != nil {
		f.violate(BadArgument, "a stream is destroyed while it is captured")
		s.capture.end(f)
	}
	f.handles[h] = destroyed{"cuStreamDestroy"}
	s.gone = true
	f.sweep()
	return driver.Success
}

// sweep forgets streams that were destroyed and have nothing left to run.
func (f *Fake) sweep() {
	f.streams = slices.DeleteFunc(f.streams, func(s *stream) bool { return s.gone && len(s.queue) == 0 })
}

// enqueue adds something to a stream, after what others of it wait for, too. It
// counts if it may be made fail.
func (f *Fake) enqueue(s *stream, what string, counts bool, run func(o *op) driver.Code, after ...*op) *op {
	o := &op{stream: s, run: run, counts: counts, moment: moment{lane: s.lane, what: fmt.Sprintf("%s in stream %d", what, s.number)}}
	s.clock.join(f.host)
	for _, a := range after {
		s.clock.join(a.clock)
		if !a.done {
			o.after = append(o.after, a)
		}
	}
	o.tick = s.clock.tick(s.lane)
	o.clock = slices.Clone(s.clock)
	s.last = o
	s.queue = append(s.queue, o)
	for f.r.IntN(4) < f.late && f.step() {
	}
	return o
}

// step runs something that can run, if there is any.
func (f *Fake) step() bool {
	if f.hangs {
		return false
	}
	var heads []*op
	for _, s := range f.streams {
		if len(s.queue) > 0 && s.queue[0].ready() {
			heads = append(heads, s.queue[0])
		}
	}
	if len(heads) == 0 {
		return false
	}
	f.execute(heads[f.r.IntN(len(heads))])
	return true
}

func (o *op) ready() bool {
	return !slices.ContainsFunc(o.after, func(a *op) bool { return !a.done })
}

func (f *Fake) execute(o *op) {
	s := o.stream
	s.queue = s.queue[1:]
	o.done = true
	if o.counts {
		f.ran++
		if code := f.failure(""); code != driver.Success {
			f.lose(s.device, code)
			return
		}
	}
	o.time = f.ran
	if code := o.run(o); code != driver.Success {
		f.lose(s.device, code)
	}
	o.run, o.after = nil, nil
	if s.gone {
		f.sweep()
	}
}

// settle runs things until something has run; others run, too, or not.
func (f *Fake) settle(o *op) {
	for !o.done {
		if f.r.IntN(2) == 0 {
			f.step()
			continue
		}
		f.execute(first(o))
	}
}

// first returns what can run of what something waits for, or it.
func first(o *op) *op {
	for {
		o = o.stream.queue[0]
		i := slices.IndexFunc(o.after, func(a *op) bool { return !a.done })
		if i < 0 {
			return o
		}
		o = o.after[i]
	}
}

// wait lets the host wait for something.
func (f *Fake) wait(o *op) {
	f.settle(o)
	f.host.join(o.clock)
}

func (f *Fake) synchronizeStream(h uintptr) driver.Code {
	s, code := f.stream("cuStreamSynchronize", h)
	if code == 0 {
		code = f.unsafe("cuStreamSynchronize", s)
	}
	if code == 0 && s.last != nil {
		f.wait(s.last)
		s.device.pools(f)
		code = s.device.lost
	}
	return code
}

func (f *Fake) queryStream(h uintptr) driver.Code {
	s, code := f.stream("cuStreamQuery", h)
	if code == 0 {
		code = f.unsafe("cuStreamQuery", s)
	}
	if code != 0 || s.last == nil {
		return code
	}
	return f.query(s.last)
}

// query lets the host ask whether something has run.
func (f *Fake) query(o *op) driver.Code {
	if !o.done {
		f.step()
	}
	if !o.done {
		return driver.NotReady
	}
	f.host.join(o.clock)
	return o.stream.device.lost
}

func (f *Fake) synchronize() driver.Code {
	d, code := f.context("cuCtxSynchronize")
	if code == 0 {
		code = f.unsafe("cuCtxSynchronize", nil)
	}
	if code != 0 {
		return code
	}
	for _, s := range slices.Clone(f.streams) {
		if s.device == d && s.last != nil {
			f.wait(s.last)
		}
	}
	d.pools(f)
	return d.lost
}

// callHost queues a call of a function of C's.
func (f *Fake) callHost(h, fn, arg uintptr) driver.Code {
	return f.queue("cuLaunchHostFunc", h, &work{kind: driver.HostNode, hostFn: fn, hostArg: arg})
}

// queue adds work to a stream, or to the graph that it is captured for.
func (f *Fake) queue(call string, h uintptr, w *work) driver.Code {
	s, code := f.stream(call, h)
	if code != 0 {
		return code
	}
	w.call = call
	if s.capture != nil {
		return s.capture.add(s, w)
	}
	o := f.enqueue(s, w.String(), true, func(o *op) driver.Code { return f.perform(s.device, w, &o.moment) })
	if f.watching {
		f.watched = append(f.watched, Work{What: w.String(), Bytes: int64(w.n), when: &o.moment})
	}
	return driver.Success
}
