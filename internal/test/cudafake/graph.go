package cudafake

import (
	"slices"
	"unsafe"

	"ltc/backends/cuda/driver"
)

// graph is work with what waits for what. Nodes wait for nodes before them.
type graph struct {
	device *device
	nodes  []*node
}

func (g *graph) leaked() string { return g.device.kept("graphs") }

type node struct {
	handle uintptr
	work   *work  // nil: a graph's
	child  *graph // a copy
	after  []*node
}

// kind is what a node does.
func (n *node) kind() driver.NodeKind {
	if n.child != nil {
		return driver.GraphNode
	}
	return n.work.kind
}

// precedes reports whether n is o, or one that o waits for.
func (n *node) precedes(o *node) bool {
	return n == o || slices.ContainsFunc(o.after, n.precedes)
}

// exec is a graph that can be launched.
type exec struct {
	device *device
	nodes  []span // of the graph
	after  [][]int
	works  []*work // of the graph and of those that are its nodes
	past   []set   // what each waits for, directly or not
	last   *op
}

// span is what a node became: works of one number to before another.
type span struct {
	node     uintptr
	child    bool
	from, to int
}

// span returns what a node of the graph that x was made of became.
func (x *exec) span(h uintptr) (span, bool) {
	i := slices.IndexFunc(x.nodes, func(s span) bool { return s.node == h })
	if i < 0 {
		return span{}, false
	}
	return x.nodes[i], true
}

func (x *exec) leaked() string { return x.device.kept("graphs that were instantiated") }

// set is a set of nodes.
type set []uint64

func (s set) has(i int) bool { return s[i/64]>>(i%64)&1 == 1 }

// launched is a launch of a graph.
type launched struct{ past []set }

// before reports whether a node is over when another begins.
func (l *launched) before(a, b int) bool { return l.past[b].has(a) }

func (f *Fake) newGraph(to *uintptr, _ uint32) driver.Code {
	*to = f.handle(&graph{device: f.top()})
	return driver.Success
}

func (f *Fake) destroyGraph(h uintptr) driver.Code {
	g, code := find[*graph](f, h, "graph")
	if code == 0 {
		f.handles[h] = destroyed{"cuGraphDestroy"}
		for _, n := range g.nodes {
			f.handles[n.handle] = destroyed{"cuGraphDestroy"}
		}
	}
	return code
}

// kernelParams is NVIDIA's CUDA_KERNEL_NODE_PARAMS.
type kernelParams struct {
	fn          uintptr
	grid, block [3]uint32
	shared      uint32
	params      *unsafe.Pointer
	extra       uintptr
	kernel      uintptr
	ctx         uintptr
}

func (f *Fake) addKernel(to *uintptr, h uintptr, after *uintptr, n uint64, p *kernelParams) driver.Code {
	g, code := find[*graph](f, h, "graph")
	if code != 0 {
		return code
	}
	w, code := f.launch("cuGraphAddKernelNode", p.fn, p.grid, p.block, p.shared, p.params)
	if code != 0 {
		return code
	}
	return f.addNode(to, g, after, n, &node{work: w})
}

func (f *Fake) addChild(to *uintptr, h uintptr, after *uintptr, n uint64, of uintptr) driver.Code {
	g, code := find[*graph](f, h, "graph")
	if code != 0 {
		return code
	}
	child, code := find[*graph](f, of, "graph")
	switch {
	case code != 0:
		return code
	case child == g:
		return f.bad(driver.InvalidValue, BadArgument, "a graph is made a node of itself")
	case child.device != g.device:
		return f.bad(driver.InvalidValue, WrongContext, "a graph of device %d is made a node of one of device %d", child.device.ordinal, g.device.ordinal)
	}
	return f.addNode(to, g, after, n, &node{child: child.copied()})
}

// addNode adds a node that waits for some.
func (f *Fake) addNode(to *uintptr, g *graph, after *uintptr, n uint64, added *node) driver.Code {
	if n > 0 {
		for _, h := range unsafe.Slice(after, n) {
			before, code := find[*node](f, h, "node of a graph")
			switch {
			case code != 0:
				return code
			case !slices.Contains(g.nodes, before):
				return f.bad(driver.InvalidValue, BadHandle, "a node waits for one of another graph")
			}
			added.after = append(added.after, before)
		}
	}
	added.handle = f.handle(added)
	g.nodes = append(g.nodes, added)
	*to = added.handle
	return driver.Success
}

func (f *Fake) graphNodes(h uintptr, to *uintptr, n *uint64) driver.Code {
	g, code := find[*graph](f, h, "graph")
	if code != 0 {
		return code
	}
	if to == nil {
		*n = uint64(len(g.nodes))
		return driver.Success
	}
	list := unsafe.Slice(to, *n)
	*n = uint64(min(len(list), len(g.nodes)))
	for i := range *n {
		list[i] = g.nodes[i].handle
	}
	return driver.Success
}

func (f *Fake) nodeType(h uintptr, to *int32) driver.Code {
	n, code := find[*node](f, h, "node of a graph")
	if code == 0 {
		*to = int32(n.kind())
	}
	return code
}

func (f *Fake) instantiate(to *uintptr, h uintptr, _ uint64) driver.Code {
	g, code := find[*graph](f, h, "graph")
	if code != 0 {
		return code
	}
	x := &exec{device: g.device}
	x.take(g)
	*to = f.handle(x)
	return driver.Success
}

// take makes x one of a graph.
func (x *exec) take(g *graph) {
	x.within(g, nil, func(n *node, from int) {
		x.nodes = append(x.nodes, span{n.handle, n.child != nil, from, len(x.works)})
	})
	words := (len(x.works) + 63) / 64
	for _, after := range x.after {
		past := make(set, words)
		for _, j := range after {
			past[j/64] |= 1 << (j % 64)
			for w := range past {
				past[w] |= x.past[j][w]
			}
		}
		x.past = append(x.past, past)
	}
}

// within adds the works of a graph that begins after some works; taken is told of each
// node.
func (x *exec) within(g *graph, begins []int, taken func(n *node, from int)) {
	ends := map[*node][]int{} // the works after which a node is over
	for _, n := range g.nodes {
		after := begins
		if len(n.after) > 0 {
			after = nil
			for _, a := range n.after {
				after = append(after, ends[a]...)
			}
		}
		from := len(x.works)
		if n.child != nil {
			x.within(n.child, after, func(*node, int) {})
		} else {
			x.works, x.after = append(x.works, n.work), append(x.after, after)
		}
		ends[n] = after // of a graph without nodes
		if to := len(x.works); to > from {
			ends[n] = nil
			for i := from; i < to; i++ {
				ends[n] = append(ends[n], i)
			}
		}
		taken(n, from)
	}
}

// copied copies a graph, with those that are its nodes.
func (g *graph) copied() *graph {
	c := &graph{device: g.device}
	to := map[*node]*node{}
	for _, n := range g.nodes {
		to[n] = &node{work: n.work, child: n.child}
		for _, a := range n.after {
			to[n].after = append(to[n].after, to[a])
		}
		c.nodes = append(c.nodes, to[n])
	}
	return c
}

func (f *Fake) destroyExec(h uintptr) driver.Code {
	_, code := find[*exec](f, h, "graph that was instantiated")
	if code == 0 {
		f.handles[h] = destroyed{"cuGraphExecDestroy"}
	}
	return code
}

func (f *Fake) upload(h, in uintptr) driver.Code {
	_, code := find[*exec](f, h, "graph that was instantiated")
	if code == 0 {
		_, code = f.stream("cuGraphUpload", in)
	}
	return code
}

func (f *Fake) launchGraph(h, in uintptr) driver.Code {
	x, code := find[*exec](f, h, "graph that was instantiated")
	if code != 0 {
		return code
	}
	s, code := f.stream("cuGraphLaunch", in)
	switch {
	case code != 0:
		return code
	case x.device != nil && x.device != s.device:
		return f.bad(driver.InvalidHandle, WrongContext, "a graph of device %d is launched in a stream of device %d", x.device.ordinal, s.device.ordinal)
	case s.capture != nil:
		return driver.CaptureUnsupported
	}
	works := slices.Clone(x.works)
	l := &launched{x.past}
	var before []*op
	if x.last != nil {
		before = append(before, x.last)
	}
	x.last = f.enqueue(s, "cuGraphLaunch", true, func(o *op) driver.Code { return f.runGraph(o, works, x.after, l) }, before...)
	return driver.Success
}

// runGraph runs nodes in any order that they leave open.
func (f *Fake) runGraph(o *op, works []*work, after [][]int, l *launched) driver.Code {
	done := make([]bool, len(works))
	for range works {
		var ready []int
		for i := range works {
			if !done[i] && !slices.ContainsFunc(after[i], func(j int) bool { return !done[j] }) {
				ready = append(ready, i)
			}
		}
		i := ready[f.r.IntN(len(ready))]
		done[i] = true
		when := o.moment
		when.launch, when.node = l, i
		when.what = works[i].String() + " of a graph by " + o.what
		if code := f.perform(o.stream.device, works[i], &when); code != driver.Success {
			return code
		}
	}
	return driver.Success
}

// execNode returns a graph that was instantiated and where the work of a node is in it; ok
// is false if the node is of another graph.
func (f *Fake) execNode(h, of uintptr) (x *exec, at span, ok bool, code driver.Code) {
	if x, code = find[*exec](f, h, "graph that was instantiated"); code != 0 {
		return nil, span{}, false, code
	}
	if _, code = find[*node](f, of, "node of a graph"); code != 0 {
		return nil, span{}, false, code
	}
	at, ok = x.span(of)
	return x, at, ok, 0
}

func (f *Fake) setExec(h, of uintptr, p *kernelParams) driver.Code {
	x, at, ok, code := f.execNode(h, of)
	if code != 0 {
		return code
	}
	if !ok || at.child || x.works[at.from].kind != driver.KernelNode {
		return f.bad(driver.InvalidValue, BadHandle, "a node that is no kernel of the graph is changed")
	}
	w, code := f.launch("cuGraphExecKernelNodeSetParams", p.fn, p.grid, p.block, p.shared, p.params)
	if code == 0 {
		x.works[at.from] = w
	}
	return code
}

// setChild has a node that is a graph do what another one does, whose nodes are to be the
// same but for their arguments.
func (f *Fake) setChild(h, of, by uintptr) driver.Code {
	x, at, ok, code := f.execNode(h, of)
	if code != 0 {
		return code
	}
	if !ok || !at.child {
		return f.bad(driver.InvalidValue, BadHandle, "a node that is no graph of the graph is changed to one")
	}
	child, code := find[*graph](f, by, "graph")
	if code != 0 {
		return code
	}
	if child.device != x.device {
		return f.bad(driver.InvalidValue, WrongContext, "a node of a graph of device %d is changed to one of device %d", x.device.ordinal, child.device.ordinal)
	}
	next := &exec{device: x.device}
	next.take(child)
	inside := func(after []int) []int { // of the node's own
		var own []int
		for _, i := range after {
			if i >= at.from {
				own = append(own, i-at.from)
			}
		}
		return own
	}
	if len(next.works) != at.to-at.from {
		return driver.InvalidValue
	}
	for i, w := range next.works {
		if w.kind != x.works[at.from+i].kind || !slices.Equal(next.after[i], inside(x.after[at.from+i])) {
			return driver.InvalidValue
		}
	}
	copy(x.works[at.from:at.to], next.works)
	return driver.Success
}

// updateResult is NVIDIA's CUgraphExecUpdateResultInfo.
type updateResult struct {
	result     int32
	node, from uintptr
}

func (f *Fake) updateExec(h, of uintptr, to *updateResult) driver.Code {
	x, code := find[*exec](f, h, "graph that was instantiated")
	if code != 0 {
		return code
	}
	g, code := find[*graph](f, of, "graph")
	if code != 0 {
		return code
	}
	*to = updateResult{}
	next := &exec{device: x.device}
	next.take(g)
	same := func(a, b span) bool { return a.child == b.child && a.from == b.from }
	if len(next.works) != len(x.works) || !slices.EqualFunc(next.nodes, x.nodes, same) || !slices.EqualFunc(next.after, x.after, slices.Equal[[]int]) {
		to.result = 2
		return driver.GraphUpdateFailure
	}
	for _, n := range next.nodes {
		for i := n.from; i < n.to; i++ {
			if next.works[i].kind != x.works[i].kind {
				to.result, to.node = 3, n.node
				return driver.GraphUpdateFailure
			}
		}
	}
	x.works = next.works
	return driver.Success
}
