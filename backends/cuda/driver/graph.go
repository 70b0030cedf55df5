package driver

import (
	"errors"
	"fmt"
	"unsafe"
)

// Graph is work that can be queued as one, with what waits for what. It is made by
// capturing what is queued in a stream, or node by node.
type Graph struct {
	ctx    *Context
	handle uintptr
}

// Node is a part of a graph.
type Node struct{ handle uintptr }

// NodeKind is what a node does, by the number of NVIDIA's CUgraphNodeType.
type NodeKind int32

// What nodes of captured graphs do.
const (
	KernelNode NodeKind = 0
	CopyNode   NodeKind = 1
	FillNode   NodeKind = 2
	HostNode   NodeKind = 3
	GraphNode  NodeKind = 4
	EmptyNode  NodeKind = 5
)

// kernelNode is NVIDIA's CUDA_KERNEL_NODE_PARAMS.
type kernelNode struct {
	fn          uintptr
	grid, block [3]uint32
	shared      uint32
	params      unsafe.Pointer
	extra       uintptr
	kernel      uintptr
	ctx         uintptr
}

// What captures forbid others, by the numbers of NVIDIA's CUstreamCaptureMode.
const (
	threadLocal = 1 // the calling thread, what would wait
	relaxed     = 2 // nothing
)

// BeginCapture lets what is queued from now on become a graph instead of running:
// in this stream, and in those that wait for an event recorded in it. It ends on
// the same thread, so without a [Context.Leave] between.
func (s *Stream) BeginCapture() error {
	s.args[0], s.args[1] = s.handle, threadLocal
	return s.call(cuStreamBeginCapture, 2)
}

// EndCapture returns what was captured. All streams that took part must have been
// waited for. The capture ends with an error, too.
func (s *Stream) EndCapture() (*Graph, error) {
	s.args[0], s.args[1] = s.handle, s.result(0)
	if err := s.call(cuStreamEndCapture, 2); err != nil {
		return nil, err
	}
	return &Graph{s.ctx, s.frame.handle(0)}, nil
}

// Capture returns what f queues in the stream as a graph, or the error of f. What f calls
// may do what other captures forbid, such as load code. It begins and ends on one thread,
// of which f must not [Context.Leave] the context.
func (s *Stream) Capture(f func() error) (*Graph, error) {
	s.args[0], s.args[1] = s.handle, relaxed
	if err := s.call(cuStreamBeginCapture, 2); err != nil {
		return nil, err
	}
	err := f()
	g, ended := s.EndCapture()
	switch {
	case err == nil:
		return g, ended
	case ended == nil:
		err = errors.Join(err, g.Destroy())
	}
	return nil, err // where the capture has failed, f has told why
}

// Capturing reports whether the stream is being captured.
func (s *Stream) Capturing() (bool, error) {
	s.out[0] = 0
	s.args[0], s.args[1] = s.handle, s.result(0)
	err := s.call(cuStreamIsCapturing, 2)
	return s.int(0) != 0, err
}

// Relaxed calls f while other captures do not forbid the calling thread anything.
func (c *Context) Relaxed(f func() error) error {
	if err := c.Enter(); err != nil {
		return err
	}
	defer c.Leave()
	fr := newFrame()
	defer fr.free()
	fr.out[0] = relaxed
	if code := c.driver.set(cuThreadExchangeCaptureMode, fr, fr.result(0)); code != Success {
		return c.fail(cuThreadExchangeCaptureMode, code, "")
	}
	defer c.driver.set(cuThreadExchangeCaptureMode, fr, fr.result(0))
	return f()
}

// NewGraph makes an empty graph.
func (c *Context) NewGraph() (*Graph, error) {
	f := newFrame()
	defer f.free()
	if err := c.entered(cuGraphCreate, f, f.result(0), 0); err != nil {
		return nil, err
	}
	return &Graph{c, f.handle(0)}, nil
}

// Destroy gives the graph up; what was instantiated of it stays.
func (g *Graph) Destroy() error {
	f := newFrame()
	defer f.free()
	return g.ctx.entered(cuGraphDestroy, f, g.handle)
}

// AddKernel adds a launch that runs after other nodes. The launch is read.
func (g *Graph) AddKernel(l *Launch, after ...Node) (Node, error) {
	f := newFrame()
	defer f.free()
	nodes := append([]Node(nil), after...)
	err := g.ctx.entered(cuGraphAddKernelNode, f, f.result(0), g.handle, f.pin(0, unsafe.Pointer(unsafe.SliceData(nodes))), uintptr(len(nodes)), l.nodeParams())
	return Node{f.handle(0)}, err
}

// AddGraph adds a copy of another graph, all of which runs after other nodes.
func (g *Graph) AddGraph(child *Graph, after ...Node) (Node, error) {
	f := newFrame()
	defer f.free()
	nodes := append([]Node(nil), after...)
	err := g.ctx.entered(cuGraphAddChildGraphNode, f, f.result(0), g.handle, f.pin(0, unsafe.Pointer(unsafe.SliceData(nodes))), uintptr(len(nodes)), child.handle)
	return Node{f.handle(0)}, err
}

// nodeParams returns where the library finds the launch.
func (l *Launch) nodeParams() uintptr {
	l.node = kernelNode{fn: l.fn.handle, grid: l.grid, block: l.block, shared: l.shared, params: unsafe.Pointer(unsafe.SliceData(l.params))}
	return uintptr(unsafe.Pointer(&l.node))
}

// Nodes lists the nodes, in the order in which they were captured or added.
func (g *Graph) Nodes() ([]Node, error) {
	f := newFrame()
	defer f.free()
	if err := g.ctx.entered(cuGraphGetNodes, f, g.handle, 0, f.result(0)); err != nil || f.out[0] == 0 {
		return nil, err
	}
	nodes := make([]Node, f.out[0])
	err := g.ctx.entered(cuGraphGetNodes, f, g.handle, f.pin(0, unsafe.Pointer(&nodes[0])), f.result(0))
	return nodes, err
}

// Kind tells what a node does.
func (g *Graph) Kind(n Node) (NodeKind, error) {
	f := newFrame()
	defer f.free()
	err := g.ctx.entered(cuGraphNodeGetType, f, n.handle, f.result(0))
	return NodeKind(f.int(0)), err
}

// GraphExec is a graph that can be queued. One goroutine at a time uses it. It
// runs once at a time: a launch waits for the one before.
type GraphExec struct {
	frame
	ctx    *Context
	handle uintptr
}

// Instantiate makes a graph ready to be queued. The graph may be destroyed, once
// [GraphExec.Set] names its nodes no more.
func (g *Graph) Instantiate() (*GraphExec, error) {
	f := newFrame()
	defer f.free()
	if err := g.ctx.entered(cuGraphInstantiate, f, f.result(0), g.handle, 0); err != nil {
		return nil, err
	}
	return &GraphExec{ctx: g.ctx, handle: f.handle(0)}, nil
}

// Destroy gives it up. What is queued of it still runs.
func (x *GraphExec) Destroy() error {
	f := newFrame()
	defer f.free()
	return x.ctx.entered(cuGraphExecDestroy, f, x.handle)
}

// Upload queues what the first launch would do besides running the graph.
func (x *GraphExec) Upload(s *Stream) error {
	s.args[0], s.args[1] = x.handle, s.handle
	return s.call(cuGraphUpload, 2)
}

// Launch queues all of the graph in a stream.
func (x *GraphExec) Launch(s *Stream) error {
	s.args[0], s.args[1] = x.handle, s.handle
	return s.call(cuGraphLaunch, 2)
}

// Set changes the launch of a node of the graph that x was made of, for launches
// of x that are queued from now on. The graph must still be there. The kernel may be
// another of the same context.
func (x *GraphExec) Set(n Node, l *Launch) error {
	if lost := x.ctx.lost.Load(); lost != nil {
		return lost
	}
	x.args[0], x.args[1], x.args[2] = x.handle, n.handle, l.nodeParams()
	if code := x.ctx.driver.call(cuGraphExecKernelNodeSetParams, &x.frame, 3); code != Success {
		return x.ctx.fail(cuGraphExecKernelNodeSetParams, code, l.fn.name)
	}
	return nil
}

// SetGraph has a node that is a graph do what another graph of the same nodes does, which
// is read, for launches of x that are queued from now on.
func (x *GraphExec) SetGraph(n Node, child *Graph) error {
	if lost := x.ctx.lost.Load(); lost != nil {
		return lost
	}
	x.args[0], x.args[1], x.args[2] = x.handle, n.handle, child.handle
	return x.ctx.result(cuGraphExecChildGraphNodeSetParams, x.ctx.driver.call(cuGraphExecChildGraphNodeSetParams, &x.frame, 3))
}

// updates is NVIDIA's CUgraphExecUpdateResult.
var updates = map[int]string{
	1: "for an unexpected reason", 2: "what waits for what has changed", 3: "a node does something else", 4: "a node has another kernel",
	5: "an argument cannot change", 6: "a node cannot be changed", 7: "a node has a kernel that differs too much", 8: "a node's attributes have changed",
}

// Update takes the arguments of another graph of the same nodes. An error that
// wraps [GraphUpdateFailure] says what else differs; x is then as it was.
func (x *GraphExec) Update(g *Graph) error {
	if lost := x.ctx.lost.Load(); lost != nil {
		return lost
	}
	x.out = [4]uint64{} // NVIDIA's CUgraphExecUpdateResultInfo: why, and two nodes
	x.args[0], x.args[1], x.args[2] = x.handle, g.handle, x.result(0)
	code := x.ctx.driver.call(cuGraphExecUpdate, &x.frame, 3)
	if code == Success {
		return nil
	}
	what := updates[x.int(0)]
	if what == "" {
		what = fmt.Sprintf("result %d", x.int(0))
	}
	return x.ctx.fail(cuGraphExecUpdate, code, what)
}
