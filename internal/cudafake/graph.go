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
	work   *work
	after  []*node
}

// precedes reports whether n is o, or one that o waits for.
func (n *node) precedes(o *node) bool {
	return n == o || slices.ContainsFunc(o.after, n.precedes)
}

// exec is a graph that can be launched.
type exec struct {
	device *device
	nodes  []uintptr // of the graph
	after  [][]int
	works  []*work
	past   []set // what each waits for, directly or not
	last   *op
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
	added := &node{work: w}
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
		*to = int32(n.work.kind)
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
	at := map[*node]int{}
	words := (len(g.nodes) + 63) / 64
	for i, n := range g.nodes {
		at[n] = i
		past := make(set, words)
		var after []int
		for _, a := range n.after {
			j := at[a]
			after = append(after, j)
			past[j/64] |= 1 << (j % 64)
			for w := range past {
				past[w] |= x.past[j][w]
			}
		}
		x.nodes = append(x.nodes, n.handle)
		x.works = append(x.works, n.work)
		x.after = append(x.after, after)
		x.past = append(x.past, past)
	}
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

func (f *Fake) setExec(h, of uintptr, p *kernelParams) driver.Code {
	x, code := find[*exec](f, h, "graph that was instantiated")
	if code != 0 {
		return code
	}
	if _, code := find[*node](f, of, "node of a graph"); code != 0 {
		return code
	}
	i := slices.Index(x.nodes, of)
	if i < 0 || x.works[i].kind != driver.KernelNode {
		return f.bad(driver.InvalidValue, BadHandle, "a node that is no kernel of the graph is changed")
	}
	w, code := f.launch("cuGraphExecKernelNodeSetParams", p.fn, p.grid, p.block, p.shared, p.params)
	if code == 0 {
		x.works[i] = w
	}
	return code
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
	if len(next.works) != len(x.works) || !slices.EqualFunc(next.after, x.after, slices.Equal[[]int]) {
		to.result = 2
		return driver.GraphUpdateFailure
	}
	for i, w := range next.works {
		if w.kind != x.works[i].kind {
			to.result, to.node = 3, g.nodes[i].handle
			return driver.GraphUpdateFailure
		}
	}
	x.works = next.works
	return driver.Success
}
