package cuda

import (
	"errors"
	"log/slog"
	"runtime"
	"slices"
	"sync/atomic"

	"ltc/backends/cuda/driver"
	"ltc/backends/kit"
)

// leastGraph is how many kernels make a graph: the launch of a graph takes as long as
// that of a kernel or two, and making one as long as some hundred.
const leastGraph = 4

// row is steps that are a kernel of the device each, one after the other, which runs may
// queue as one graph: from one step to before another.
type row struct{ from, to int }

// rows returns the longest rows of steps, and tells these which they are in. Copies
// that need not be made where both values are in one memory are in none, and a row ends
// with a step that one of the host awaits, which would have to wait for all of a graph.
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

// inRow reports whether a step is one kernel of the device, whatever comes with a call.
func (s *step) inRow() bool {
	return s.entry != nil && s.lacks == nil && !s.taken && len(s.then) == 0 && !s.Copies
}

// graph is a row as a runner queues it: one kernel after the other, or, once most of
// them have had the same arguments twice, as a graph. Before it is launched, kernels
// whose arguments are others by now are set to these.
type graph struct {
	row
	at    int           // which of the runner's places the launches have
	live  int           // steps that have something to compute
	nodes []driver.Node // by step of the row
	stale []bool        // those that are not set to what their launch is
	exec  *driver.GraphExec
	made  *resource
	// refused is set when the driver has not made a graph of the row: it is not asked
	// again.
	refused bool
}

// Launches counts what runs of a program and of its regions have queued.
type Launches struct {
	Kernels int64 // launched by themselves
	Graphs  int64
	Updates int64 // of kernels in graphs, to other arguments
	// Products are those of matrices that cuBLASLt computes, and Convolutions those that
	// cuDNN does.
	Products, Convolutions int64
	// Views are copies of views of the device's memory that are not dense, to where they
	// are or back.
	Views int64
}

type launches struct{ kernels, graphs, updates, products, convolutions, views atomic.Int64 }

// Launches tells what runs have queued.
func (x *code) Launches() Launches {
	n := x.on.launches
	return Launches{Kernels: n.kernels.Load(), Graphs: n.graphs.Load(), Updates: n.updates.Load(), Products: n.products.Load(), Convolutions: n.convolutions.Load(), Views: n.views.Load()}
}

// address returns where a step finds an operand.
func (r *runner) address(s *step, j int) driver.Ptr {
	o := &s.Operands[j]
	at := o.Offset
	if len(o.By) > 0 {
		at += kit.Along(o.By, r.lies[o.Value])
	}
	return r.mem[o.Value] + driver.Ptr(at*int64(s.sizes[j]))
}

// arguments brings the arguments of a step's launch up to date, and reports whether any
// was another in the run before.
func (r *runner) arguments(i int) bool {
	s := &r.e.steps[i]
	address := func(j int) driver.Ptr { return r.address(s, j) }
	moved := false
	if b := r.boxed[i]; b != nil {
		l := b.choose(r.e.on.dev, address)
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
		r.strides[m.At] += kit.Along(m.By, r.lies[s.Operands[m.Operand].Value])
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
	moved := 0
	if g.at != r.places {
		g.at, g.live = r.places, 0
		for i := g.from; i < g.to; i++ {
			if r.e.steps[i].empty() {
				continue
			}
			g.live++
			if r.arguments(i) {
				g.stale[i-g.from] = true
				moved++
			}
		}
	}
	live := g.live
	n := r.e.on.launches
	if r.crosses(g.row) {
		return r.oneByOne(g)
	}
	if err := r.bring(g.to - 1); err != nil {
		return err
	}
	if live >= leastGraph && 2*moved <= live && !g.refused {
		err := r.launch(g)
		switch {
		case err == nil:
			n.graphs.Add(1)
			return r.mark(g.to - 1)
		case r.e.on.dev.Err() != nil:
			return err
		}
		g.refused = true
		slog.Warn("kernels are launched one by one: the driver makes no graph of them", "device", r.e.on.dev, "kernels", live, "reason", err)
	}
	return r.oneByOne(g)
}

// oneByOne queues the kernels of a row, between the copies that each waits for and those
// that wait for it.
func (r *runner) oneByOne(g *graph) error {
	r.lock()
	for i := g.from; i < g.to; i++ {
		if err := r.bring(i); err != nil {
			return err
		}
		if !r.e.steps[i].empty() {
			if err := r.q.stream.Launch(r.launches[i]); err != nil {
				return err
			}
		}
		if err := r.mark(i); err != nil {
			return err
		}
	}
	r.e.on.launches.kernels.Add(int64(g.live))
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

var errNoGraph = errors.New("there is no graph yet")

// update sets the kernels of the graph whose arguments are others by now.
func (r *runner) update(g *graph) error {
	if g.exec == nil {
		return errNoGraph
	}
	n := 0
	for i, is := range g.stale {
		if !is {
			continue
		}
		if err := g.exec.Set(g.nodes[i], r.launches[g.from+i]); err != nil {
			return err
		}
		g.stale[i] = false
		n++
	}
	r.e.on.launches.updates.Add(int64(n))
	return nil
}

// build makes the graph anew: kernels wait for the one before, as in a stream.
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
	g.nodes = make([]driver.Node, len(g.stale))
	var last []driver.Node
	for i := range g.nodes {
		if r.e.steps[g.from+i].empty() {
			continue
		}
		if g.nodes[i], err = made.AddKernel(r.launches[g.from+i], last...); err != nil {
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
	// The graph's nodes name those of x, and its kernels are of the program's module.
	g.made = on.dev.held.add(func() error {
		defer runtime.KeepAlive(on)
		return errors.Join(x.Destroy(), made.Destroy())
	})
	runtime.AddCleanup(r, (*resource).drop, g.made)
	return nil
}
