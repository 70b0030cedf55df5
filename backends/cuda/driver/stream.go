package driver

import (
	"sync"
	"unsafe"

	"github.com/ebitengine/purego"
)

// Stream is work of a device, in the order in which it was queued. Streams run
// beside each other except where one waits for an [Event] of another. One
// goroutine at a time uses a stream, between [Context.Enter] and [Context.Leave].
type Stream struct {
	frame
	ctx    *Context
	handle uintptr
}

// nonBlocking streams do not wait for the one that the library makes itself.
const nonBlocking = 1

// NewStream makes a stream; see [Context.Priorities] for what may be asked for.
func (c *Context) NewStream(priority int) (*Stream, error) {
	f := newFrame()
	defer f.free()
	if err := c.entered(cuStreamCreateWithPriority, f, f.result(0), nonBlocking, uintptr(uint32(int32(priority)))); err != nil {
		return nil, err
	}
	return &Stream{ctx: c, handle: f.handle(0)}, nil
}

// Context returns the stream's context.
func (s *Stream) Context() *Context { return s.ctx }

// Handle is the library's own, for other libraries of NVIDIA's; 0 if the stream was
// destroyed.
func (s *Stream) Handle() uintptr { return s.handle }

// call calls the library with the first n arguments of the stream's frame.
func (s *Stream) call(e entry, n int) error {
	if err := s.usable(e); err != nil {
		return err
	}
	return s.ctx.result(e, s.ctx.driver.call(e, &s.frame, n))
}

// usable returns an error for a call of a stream that is lost with its context, or was
// destroyed: the library does not look whether its handles are.
func (s *Stream) usable(e entry) error {
	if l := s.ctx.lost.Load(); l != nil {
		return l
	}
	if s.handle == 0 {
		return s.ctx.fail(e, InvalidHandle, "the stream was destroyed")
	}
	return nil
}

// Destroy gives the stream up, which refuses all calls from then on. What is queued in it
// still runs.
func (s *Stream) Destroy() error {
	s.args[0] = s.handle
	err := s.call(cuStreamDestroy, 1)
	if err == nil {
		s.handle = 0
	}
	return err
}

// Synchronize returns when all that was queued is done, with the first error.
func (s *Stream) Synchronize() error {
	s.args[0] = s.handle
	return s.call(cuStreamSynchronize, 1)
}

// Done reports whether all that was queued is done.
func (s *Stream) Done() (bool, error) {
	if err := s.usable(cuStreamQuery); err != nil {
		return false, err
	}
	s.args[0] = s.handle
	code := s.ctx.driver.call(cuStreamQuery, &s.frame, 1)
	if code == NotReady {
		return false, nil
	}
	return code == Success, s.ctx.result(cuStreamQuery, code)
}

// Wait lets what is queued from now on wait for what the event was recorded after
// last; for nothing if it was not. The event may be of another context.
func (s *Stream) Wait(e *Event) error {
	s.args[0], s.args[1], s.args[2] = s.handle, e.handle, 0
	return s.call(cuStreamWaitEvent, 3)
}

// HostFunc is a function of the host that streams call.
type HostFunc struct{ id uintptr }

// hosted are the functions that streams may call, by what they are called with.
var hosted struct {
	sync.Mutex
	last uintptr
	by   map[uintptr]func()
}

// callHosted is the address of the function that the library calls, on a thread
// of its own.
var callHosted = sync.OnceValue(func() uintptr {
	return purego.NewCallback(func(id uintptr) uintptr {
		hosted.Lock()
		f := hosted.by[id]
		hosted.Unlock()
		if f != nil {
			f()
		}
		return 0
	})
})

// NewHostFunc makes a function that streams may call, as often as they like, until
// [HostFunc.Free]. It must not call this package, nor wait for anything that does.
func NewHostFunc(f func()) *HostFunc {
	hosted.Lock()
	defer hosted.Unlock()
	if hosted.by == nil {
		hosted.by = map[uintptr]func(){}
	}
	hosted.last++
	hosted.by[hosted.last] = f
	return &HostFunc{hosted.last}
}

// Free forgets the function: streams that come to it call nothing.
func (h *HostFunc) Free() {
	hosted.Lock()
	defer hosted.Unlock()
	delete(hosted.by, h.id)
}

// Call queues a call of a function of the host. What is queued after it waits.
func (s *Stream) Call(h *HostFunc) error {
	s.args[0], s.args[1], s.args[2] = s.handle, callHosted(), h.id
	return s.call(cuLaunchHostFunc, 3)
}

// bytes returns the address of memory that the call is about, and keeps it from
// lying on a stack.
func (s *Stream) bytes(b []byte) uintptr {
	return s.pin(0, unsafe.Pointer(unsafe.SliceData(b)))
}
