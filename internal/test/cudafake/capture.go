package cudafake

import (
	"slices"

	"ltc/backends/cuda/driver"
)

// capture makes a graph of what is queued.
type capture struct {
	graph   *graph
	origin  *stream
	thread  int
	mode    int32
	invalid bool
	streams []*stream
}

// The modes of captures.
const relaxed = 2

func (f *Fake) beginCapture(h uintptr, mode int32) driver.Code {
	s, code := f.stream("cuStreamBeginCapture", h)
	switch {
	case code != 0:
		return code
	case s.capture != nil:
		return driver.IllegalState
	}
	s.capture = &capture{graph: &graph{device: s.device}, origin: s, thread: thread(), mode: mode, streams: []*stream{s}}
	s.front = nil
	f.captures[s.capture.thread] = s.capture
	return driver.Success
}

// add adds work to the graph.
func (c *capture) add(s *stream, w *work) driver.Code {
	if c.invalid {
		return driver.CaptureInvalidated
	}
	n := &node{work: w, after: slices.Clone(s.front)}
	c.graph.nodes = append(c.graph.nodes, n)
	s.front = []*node{n}
	return driver.Success
}

// join lets a stream wait for an event of the capture, and take part in it.
func (c *capture) join(s *stream, e *event) driver.Code {
	switch {
	case c.invalid:
		return driver.CaptureInvalidated
	case s.capture == nil && c.origin.capture == c:
		s.capture, s.front = c, nil
		c.streams = append(c.streams, s)
	case s.capture != c:
		c.invalid = true
		return driver.Code(902) // CUDA_ERROR_STREAM_CAPTURE_MERGE
	}
	for _, n := range e.front {
		if !slices.Contains(s.front, n) {
			s.front = append(slices.Clone(s.front), n)
		}
	}
	return driver.Success
}

func (c *capture) end(f *Fake) {
	for _, s := range c.streams {
		s.capture, s.front = nil, nil
	}
	if f.captures[c.thread] == c {
		delete(f.captures, c.thread)
	}
}

func (f *Fake) endCapture(h uintptr, to *uintptr) driver.Code {
	s, code := f.stream("cuStreamEndCapture", h)
	switch {
	case code != 0:
		return code
	case s.capture == nil:
		return driver.IllegalState
	}
	c := s.capture
	switch {
	case c.origin != s:
		return driver.CaptureUnmatched
	case c.thread != thread() && c.mode != relaxed:
		return driver.CaptureWrongThread
	}
	*to = 0
	front := s.front
	var open []*node
	for _, other := range c.streams {
		open = append(open, other.front...)
	}
	c.end(f)
	if c.invalid {
		return driver.CaptureInvalidated
	}
	for _, n := range open {
		if !slices.ContainsFunc(front, n.precedes) {
			return driver.CaptureUnjoined
		}
	}
	for _, n := range c.graph.nodes {
		n.handle = f.handle(n)
	}
	*to = f.handle(c.graph)
	return driver.Success
}

func (f *Fake) capturing(h uintptr, to *int32) driver.Code {
	s, code := f.stream("cuStreamIsCapturing", h)
	*to = 0
	if code == 0 && s.capture != nil {
		*to = 1
		if s.capture.invalid {
			*to = 2
		}
	}
	return code
}

func (f *Fake) exchangeMode(mode *int32) driver.Code {
	t := thread()
	was := f.relaxed[t]
	f.relaxed[t] = *mode == relaxed
	*mode = 1
	if was {
		*mode = relaxed
	}
	return driver.Success
}

// unsafe refuses what would wait while the calling thread captures; s is the
// stream that it would wait for, if it is one.
func (f *Fake) unsafe(call string, s *stream) driver.Code {
	t := thread()
	c := f.captures[t]
	if s != nil && s.capture != nil {
		c = s.capture
	} else if c != nil && (c.mode == relaxed || f.relaxed[t]) {
		return driver.Success
	}
	if c == nil {
		return driver.Success
	}
	c.invalid = true
	return driver.CaptureUnsupported
}
