package cuda

import (
	"errors"
	"runtime"

	"ltc/backends/cuda/driver"
)

// addresses are where the operands of a library's call are, and the memory that it takes
// besides.
type addresses [6]uint64

// keptCaptures is how many graphs of a call are kept, each for other addresses: those of
// buffers that steps use by turns.
const keptCaptures = 4

// captureCost is how many updates of kernels in a graph take as long as capturing a call
// for new addresses, which is the call itself and four calls of the driver.
const captureCost = 5 * launchCost

// libraryCall is a step that a library computes, as a runner queues it: by itself, or as a
// node of a graph, which is a graph that was captured of the call. A capture has the
// addresses of its call; for others the node is set to another capture.
type libraryCall struct {
	*libraryProduct
	at addresses
	// taken is whether the library computes the step at these addresses; else the step's
	// kernel does.
	taken bool
	// refused is set when the library has not queued it: it is not asked again.
	refused  bool
	captures *captures
}

// captures are the graphs that are kept of a call, those made last; there is none where
// the graph is nil.
type captures struct {
	at     [keptCaptures]addresses
	graphs [keptCaptures]*driver.Graph
	next   int // to be made anew
}

// libraryCall describes a step to cuBLASLt; nil if that does not take the description.
func (r *runner) libraryCall(s *step) *libraryCall {
	of := s.product.describe(r)
	if of == nil {
		return nil
	}
	x := &libraryCall{libraryProduct: of, captures: new(captures)}
	runtime.AddCleanup(r, (*resource).drop, r.e.on.dev.held.add(x.captures.destroy))
	return x
}

// place finds out where the operands are, and whether that is elsewhere than before.
func (x *libraryCall) place(r *runner, s *step) (moved bool) {
	was, taken := x.at, x.taken
	x.taken = x.libraryProduct.place(r, s, &x.at) && !x.refused
	return x.at != was || x.taken != taken
}

// queue queues the call by itself, and reports whether the library has; if not, it never
// computes the step again.
func (x *libraryCall) queue(r *runner) bool {
	r.lock()
	err := x.queueIn(r.q.stream, &x.at, r.e.on.launches)
	if err != nil {
		x.refused, x.taken = true, false
		x.own(r.e.on.dev, r.e.of.o.Log(), err)
	}
	return err == nil
}

// captured reports whether there is a graph of the call where its operands are.
func (x *libraryCall) captured() bool { return x.captures.find(&x.at) != nil }

// graph returns a graph of the call where its operands are. It locks the queue.
func (x *libraryCall) graph(r *runner) (*driver.Graph, error) {
	c := x.captures
	if g := c.find(&x.at); g != nil {
		return g, nil
	}
	r.lock()
	s, err := r.q.capturing()
	if err != nil {
		return nil, err
	}
	g, err := s.Capture(func() error { return x.queueIn(s, &x.at, nil) })
	if err != nil {
		return nil, err
	}
	before := c.graphs[c.next]
	c.at[c.next], c.graphs[c.next] = x.at, g
	c.next = (c.next + 1) % keptCaptures
	if before != nil {
		return g, before.Destroy()
	}
	return g, nil
}

func (c *captures) find(at *addresses) *driver.Graph {
	for i := range c.at {
		if c.graphs[i] != nil && c.at[i] == *at {
			return c.graphs[i]
		}
	}
	return nil
}

func (c *captures) destroy() error {
	var errs []error
	for _, g := range c.graphs {
		if g != nil {
			errs = append(errs, g.Destroy())
		}
	}
	return errors.Join(errs...)
}

// capturing returns a stream in which calls are captured. The queue is locked and its
// context entered.
func (q *Queue) capturing() (s *driver.Stream, err error) {
	if q.capture == nil {
		q.capture, err = q.dev.ctx.NewStream(0)
	}
	return q.capture, err
}
