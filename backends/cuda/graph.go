package cuda

import (
	"errors"
	"runtime"
	"slices"
	"sync/atomic"

	"ltc/backends/cuda/driver"
	"ltc/backends/kit/plan"
)

// leastGraph is how many kernels make a graph: its launch takes no longer than that of one
// kernel.
const leastGraph = 4

// launchCost is how many kernels of a graph can be set to other arguments in the time that
// the launch of one takes by itself. On an H100 it was 7 in one run, and 12 in another. So
// a graph that is there is launched however many of its kernels have moved, unless many
// calls of libraries have.
const launchCost = 8

// row is steps that are a kernel of the device each, one after the other, which runs may
// queue as one graph: from one step to before another.
type row struct{ from, to int }

// rows returns the longest rows of steps, and tells these which they are in. Copies that
// need not be made where both values are in one memory are in none. A row ends with a step
// that one of the host awaits, which would have to wait for all of a graph.
func rows(steps []step, awaited []int) []row {
	var all []row
	for i := 0; i < len(steps); {
		from := i
		for ends := false; i < len(steps) && !ends && steps[i].inRow(); i++ {
			steps[i].row = -1
			_, ends = slices.BinarySearch(awaited, i)
		}
		if i-from >= leastGraph {
			for j := range steps[from:i] {
				steps[from+j].row = len(all)
			}
			all = append(all, row{from, i})
		}
		if i == from { // none of a row
			steps[i].row = -1
			i++
		}
	}
	return all
}

// inRow reports whether a step is one kernel of the device, or one call of a library,
// whatever comes with a call.
func (s *step) inRow() bool {
	return s.entry != nil && s.lacks == nil && len(s.then) == 0 && !s.Copies
}

// graph is a row as a runner queues it: one kernel or call of a library after the other,
// or, once most of them have had the same arguments twice, as a graph. Before it is
// launched, nodes whose arguments are others by now are set to these.
type graph struct {
	row
	at    int           // which of the runner's places the launches have
	live  int           // steps that have something to compute
	nodes []driver.Node // by step of the row
	calls []bool        // those that are calls of libraries
	stale []bool        // those that are not set to what their launch is
	exec  *driver.GraphExec
	made  *resource
	// due is set when the steps were queued one by one for the first time: a graph is
	// made of them for the next run.
	due bool
	// refused is set when the driver has not made a graph of the row: it is not asked
	// again.
	refused bool
}

// Launches counts what runs of a program and of its regions have queued.
type Launches struct {
	Kernels int64 // launched by themselves
	Graphs  int64
	Updates int64 // of nodes of graphs, to other arguments
	// Products are those of matrices that cuBLASLt computes, in no graph.
	Products int64
	// Views are copies of views of the device's memory that are not dense, to where they
	// are or back.
	Views int64
}

type launches struct{ kernels, graphs, updates, products, views atomic.Int64 }

// Launches tells what runs have queued.
func (x *code) Launches() Launches {
	n := x.on.launches
	return Launches{Kernels: n.kernels.Load(), Graphs: n.graphs.Load(), Updates: n.updates.Load(), Products: n.products.Load(), Views: n.views.Load()}
}

// address returns where a step finds an operand.
func (r *runner) address(s *step, j int) driver.Ptr {
	o := &s.Operands[j]
	at := o.Offset
	if len(o.By) > 0 {
		at += plan.Along(o.By, r.Strides[o.Value])
	}
	return r.at(o.Value) + driver.Ptr(at*int64(s.sizes[j]))
}

// arguments brings the arguments of a step up to date. It returns how many nodes of a
// graph could be set to others in the time that setting the step's takes: 0 if all is as
// in the run before.
func (r *runner) arguments(i int) (cost int) {
	x, moved := r.byLibrary[i], false
	if x != nil {
		moved = x.place(r, &r.e.steps[i])
	}
	switch {
	case x == nil || !x.taken:
		moved = r.kernelArguments(i) || moved
	case moved && !x.captured():
		return captureCost
	}
	if moved {
		return 1
	}
	return 0
}

// kernelArguments brings the arguments of a step's kernel up to date, and reports whether
// any was another in the run before.
func (r *runner) kernelArguments(i int) bool {
	s := &r.e.steps[i]
	address := func(j int) driver.Ptr { return r.address(s, j) }
	moved := false
	if b := r.byMaps[i]; b != nil {
		l := b.choose(r.e.on.dev, &r.e.of.o, address)
		moved = l != r.launches[i]
		r.launches[i] = l
	}
	for j := range s.Operands {
		if r.launches[i].Change(j, uint64(address(j))) {
			moved = true
		}
	}
	if len(s.Moving) == 0 {
		return moved
	}
	r.strides = append(r.strides[:0], s.Strides...)
	for _, m := range s.Moving {
		r.strides[m.At] += plan.Along(m.By, r.Strides[s.Operands[m.Operand].Value])
	}
	for _, m := range s.Moving {
		if r.launches[i].Change(len(s.Operands)+len(s.Sizes)+m.At, uint64(r.strides[m.At])) {
			moved = true
		}
	}
	return moved
}

// upTo queues a row at its last step: a run that is cancelled before has not begun it,
// and one that writes memory of the caller's in it is not cancelled then.
func (r *runner) upTo(i int, g *graph) error {
	if i < g.to-1 {
		return nil
	}
	return r.row(g)
}

// row queues a row.
func (r *runner) row(g *graph) error {
	if err := r.mark(g.from - 1); err != nil {
		return err
	}
	moved, differs := 0, false
	if g.at != r.places {
		g.at, g.live = r.places, 0
		for i := g.from; i < g.to; i++ {
			if r.e.steps[i].empty() {
				continue
			}
			g.live++
			if n := r.arguments(i); n > 0 {
				g.stale[i-g.from] = true
				moved += n
				differs = differs || g.exec != nil && g.calls[i-g.from] != r.isCall(i)
			}
		}
	}
	live := g.live
	n := r.e.on.launches
	if r.crosses(g.row) {
		return r.oneByOne(g)
	}
	if err := r.prefetch(g.to - 1); err != nil {
		return err
	}
	switch {
	case live < leastGraph || g.refused:
	case (g.exec != nil && moved <= launchCost*live || 2*moved <= live) && !differs:
		err := r.launch(g)
		switch {
		case err == nil:
			n.graphs.Add(1)
			return r.mark(g.to - 1)
		case r.e.on.dev.Err() != nil:
			return err
		}
		r.noGraph(g, err)
	case g.exec == nil:
		g.due = !r.e.of.opens // each run may be of another size
	}
	return r.oneByOne(g)
}

// noGraph has the steps of a row queued one by one from now on.
func (r *runner) noGraph(g *graph, why error) {
	g.refused = true
	r.e.of.o.Log().Warn("kernels are launched one by one: the driver makes no graph of them", "device", r.e.on.dev, "kernels", g.live, "reason", why)
}

// isCall reports whether a library computes a step where its operands are.
func (r *runner) isCall(i int) bool { return r.byLibrary[i] != nil && r.byLibrary[i].taken }

// ahead makes graphs of the rows that were queued one by one for the first time, while
// the device computes: the next run finds them there.
func (r *runner) ahead() error {
	for i := range r.graphs {
		g := &r.graphs[i]
		if !g.due {
			continue
		}
		g.due = false
		r.unlock() // what is given back meanwhile may be the queue's
		err := r.build(g)
		if err == nil {
			r.lock()
			err = g.exec.Upload(r.q.stream)
		}
		switch {
		case err == nil:
		case r.e.on.dev.Err() != nil:
			return err
		default:
			r.noGraph(g, err)
		}
	}
	return nil
}

// oneByOne queues the steps of a row, between the copies that each waits for and those
// that wait for it.
func (r *runner) oneByOne(g *graph) error {
	r.lock()
	kernels := int64(0)
	for i := g.from; i < g.to; i++ {
		if err := r.prefetch(i); err != nil {
			return err
		}
		if !r.e.steps[i].empty() {
			call := r.isCall(i)
			n, err := r.launchStep(i)
			if err != nil {
				return err
			}
			kernels += n
			if call != r.isCall(i) { // the library has refused it
				g.stale[i-g.from] = true
			}
		}
		if err := r.mark(i); err != nil {
			return err
		}
	}
	r.e.on.launches.kernels.Add(kernels)
	return nil
}

// launch queues a row as a graph.
func (r *runner) launch(g *graph) error {
	err := r.update(g)
	if err != nil && r.e.on.dev.Err() == nil {
		r.unlock() // what is given back meanwhile may be the queue's
		err = r.build(g)
	}
	if err != nil {
		return err
	}
	r.lock()
	return g.exec.Launch(r.q.stream)
}

var errNoGraph = errors.New("there is no graph of these nodes yet")

// update sets the nodes of the graph whose arguments are others by now.
func (r *runner) update(g *graph) error {
	if g.exec == nil {
		return errNoGraph
	}
	n := 0
	for i, is := range g.stale {
		if !is {
			continue
		}
		if g.calls[i] != r.isCall(g.from+i) {
			return errNoGraph
		}
		if err := r.set(g, i); err != nil {
			return err
		}
		g.stale[i] = false
		n++
	}
	r.e.on.launches.updates.Add(int64(n))
	return nil
}

// set sets a node of the graph.
func (r *runner) set(g *graph, i int) error {
	if !g.calls[i] {
		return g.exec.Set(g.nodes[i], r.launches[g.from+i])
	}
	captured, err := r.byLibrary[g.from+i].graph(r)
	if err != nil {
		return err
	}
	return g.exec.SetGraph(g.nodes[i], captured)
}

// add adds a node to a graph that is made.
func (r *runner) add(g *graph, to *driver.Graph, i int, after []driver.Node) (driver.Node, error) {
	g.calls[i] = r.isCall(g.from + i)
	if !g.calls[i] {
		return to.AddKernel(r.launches[g.from+i], after...)
	}
	captured, err := r.byLibrary[g.from+i].graph(r)
	if err != nil {
		return driver.Node{}, err
	}
	return to.AddGraph(captured, after...)
}

// build makes the graph anew: nodes wait for the one before, as in a stream.
func (r *runner) build(g *graph) error {
	if g.made != nil {
		g.made.drop()
		g.exec, g.made = nil, nil
	}
	on := r.e.on
	made, err := on.dev.ctx.NewGraph()
	if err != nil {
		return err
	}
	g.nodes, g.calls = make([]driver.Node, len(g.stale)), make([]bool, len(g.stale))
	var last []driver.Node
	for i := range g.nodes {
		if r.e.steps[g.from+i].empty() {
			continue
		}
		if g.nodes[i], err = r.add(g, made, i, last); err != nil {
			return errors.Join(err, made.Destroy())
		}
		last = append(last[:0], g.nodes[i])
	}
	x, err := made.Instantiate()
	if err != nil {
		return errors.Join(err, made.Destroy())
	}
	g.exec = x
	clear(g.stale)
	r.unlock()
	// The graph's nodes name those of x, and its kernels are of the program's module.
	g.made = on.dev.held.add(func() error {
		defer runtime.KeepAlive(on)
		return errors.Join(x.Destroy(), made.Destroy())
	})
	runtime.AddCleanup(r, (*resource).drop, g.made)
	return nil
}
