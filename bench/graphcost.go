package main

import (
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"time"

	"ltc/backends/cuda/driver"
	"ltc/bench/measure"
	"ltc/internal/diag"
	"ltc/internal/test/cudafake"
)

// cost is something that costs the host, in words.
type cost struct{ What, Value string }

// counted is a kernel of one thread that counts its runs where it is told to.
const counted = `.version 7.0
.target sm_80
.address_size 64
.visible .entry counted(.param .u64 at)
{
	.reg .b64 %rd<2>;
	.reg .b32 %r<2>;
	ld.param.u64 %rd0, [at];
	ld.global.u32 %r0, [%rd0];
	add.u32 %r1, %r0, 1;
	st.global.u32 [%rd0], %r1;
	ret;
}
`

// launchChain is kernels one after the other, launched one by one or as a graph.
type launchChain struct {
	ctx      *driver.Context
	stream   *driver.Stream
	at       driver.Ptr // two counters
	launches []*driver.Launch
	graph    *driver.Graph
	exec     *driver.GraphExec
	nodes    []driver.Node
	runs     uint32        // of kernels, so far
	spent    time.Duration // of the host
	moved    uint64        // the counter that moved kernels count in next
}

// graphCosts measures the host's cost of queueing kernels one by one, and as a graph of
// which some have other arguments than in the run before. From these it says what the
// constants of backends/cuda/graph.go should be.
func graphCosts(e *env) (result, error) {
	d, err := openDriver(e.backend)
	if err != nil {
		return result{}, err
	}
	dev, err := d.Device(0)
	if err != nil {
		return result{}, err
	}
	ctx, err := dev.Retain()
	if err != nil {
		return result{}, err
	}
	if err := ctx.Enter(); err != nil {
		return result{}, err
	}
	defer ctx.Leave()
	m, err := ctx.Load([]byte(counted))
	if err != nil {
		return result{}, err
	}
	kernel, err := m.Function("counted")
	if err != nil {
		return result{}, err
	}
	sizes := []int{4, 16, 100, 400}
	if e.small {
		sizes = []int{4, 12}
	}
	var r result
	var all []graphCost
	for _, n := range sizes {
		c, err := newChain(ctx, kernel, n)
		if err != nil {
			return result{}, err
		}
		g, t, err := c.costs(e)
		if err != nil {
			return result{}, fmt.Errorf("%s: %w", diag.Count(n, "kernel"), err)
		}
		all = append(all, g)
		r = figures(t)
	}
	r.Costs = concluded(all)
	return r, nil
}

// openDriver opens the driver of a backend's devices.
func openDriver(backend string) (*driver.Driver, error) {
	if strings.HasPrefix(backend, "cudasim") {
		return cudafake.New(cudafake.Options{}).Open()
	}
	return driver.Open()
}

// newChain prepares launches, and the memory that they count in.
func newChain(ctx *driver.Context, kernel *driver.Function, n int) (*launchChain, error) {
	s, err := ctx.NewStream(0)
	if err != nil {
		return nil, err
	}
	c := &launchChain{ctx: ctx, stream: s}
	if c.at, err = ctx.Alloc(16); err != nil {
		return nil, err
	}
	for range n {
		l := driver.NewLaunch(kernel, 1)
		l.Set(0, uint64(c.at))
		c.launches = append(c.launches, l)
	}
	return c, errors.Join(s.Fill32(c.at, 0, 4), c.build())
}

// build makes the graph, anew if there is one.
func (c *launchChain) build() error {
	if c.exec != nil {
		if err := errors.Join(c.exec.Destroy(), c.graph.Destroy()); err != nil {
			return err
		}
	}
	var err error
	if c.graph, err = c.ctx.NewGraph(); err != nil {
		return err
	}
	c.nodes = c.nodes[:0]
	var last []driver.Node
	for _, l := range c.launches {
		node, err := c.graph.AddKernel(l, last...)
		if err != nil {
			return err
		}
		c.nodes = append(c.nodes, node)
		last = append(last[:0], node)
	}
	c.exec, err = c.graph.Instantiate()
	return err
}

// one launches the kernels one by one.
func (c *launchChain) one() error {
	for _, l := range c.launches {
		if err := c.stream.Launch(l); err != nil {
			return err
		}
	}
	return nil
}

// asGraph launches the graph, with so many of its kernels set to other arguments.
func (c *launchChain) asGraph(k int) error {
	c.moved ^= 8
	for i := range k {
		c.launches[i].Set(0, uint64(c.at)+c.moved)
		if err := c.exec.Set(c.nodes[i], c.launches[i]); err != nil {
			return err
		}
	}
	return c.exec.Launch(c.stream)
}

// graphCost is what a chain costs, in seconds: of the host, and until the device is
// done.
type graphCost struct {
	n                           int
	one, graph, quarter, moved  float64 // one by one; as a graph that nothing, a quarter and all have moved in
	oneDone, graphDone, rebuilt float64
}

// hostRules are those of what a chain costs.
var hostRules = measure.Rules{Budget: 300 * time.Millisecond, Warm: 5, MinReps: 7, MaxReps: 300, Inner: 1}

// costs measures a chain, and checks that each of its kernels has run as often as it
// should.
func (c *launchChain) costs(e *env) (g graphCost, t measure.Timing, err error) {
	g.n = len(c.launches)
	for _, m := range []struct {
		host, done *float64
		queue      func() error
		kernels    int
	}{
		{&g.one, &g.oneDone, c.one, g.n},
		{&g.graph, &g.graphDone, func() error { return c.asGraph(0) }, g.n},
		{&g.quarter, nil, func() error { return c.asGraph(g.n / 4) }, g.n},
		{&g.moved, nil, func() error { return c.asGraph(g.n) }, g.n},
		{&g.rebuilt, nil, c.build, 0},
	} {
		begin := time.Now()
		for _, clock := range []func() time.Duration{func() time.Duration { return c.spent }, func() time.Duration { return time.Since(begin) }} {
			rules := hostRules
			rules.Clock = clock
			if t, err = e.time(rules, func() error { return c.run(m.queue, m.kernels) }); err != nil {
				return g, t, err
			}
			if *m.host == 0 {
				*m.host = t.Median
			} else if m.done != nil {
				*m.done = t.Median
			}
		}
	}
	return g, t, c.check()
}

// run queues kernels and waits for them; what queueing has taken is added to spent.
func (c *launchChain) run(queue func() error, kernels int) error {
	start := time.Now()
	err := queue()
	c.spent += time.Since(start)
	if err != nil {
		return err
	}
	c.runs += uint32(kernels)
	return c.stream.Synchronize()
}

// check compares what was counted with how many kernels were queued.
func (c *launchChain) check() error {
	host, err := c.ctx.AllocHost(16)
	if err != nil {
		return err
	}
	if err := errors.Join(c.stream.ToHost(host.Bytes(), c.at), c.stream.Synchronize()); err != nil {
		return err
	}
	b := host.Bytes()
	if got := binary.LittleEndian.Uint32(b) + binary.LittleEndian.Uint32(b[8:]); got != c.runs {
		return fmt.Errorf("wrong result: %d runs of kernels, want %d", got, c.runs)
	}
	return host.Free()
}

// concluded says what was measured, and from when on a graph is the cheaper.
func concluded(all []graphCost) (said []cost) {
	for _, g := range all {
		said = append(said, cost{fmt.Sprintf("%s, of the host", diag.Count(g.n, "kernel")), fmt.Sprintf(
			"one by one %s; as a graph %s, with a quarter moved %s, with all %s; made anew %s. Until they are done: %s, as a graph %s",
			measure.Seconds(g.one), measure.Seconds(g.graph), measure.Seconds(g.quarter), measure.Seconds(g.moved), measure.Seconds(g.rebuilt),
			measure.Seconds(g.oneDone), measure.Seconds(g.graphDone))})
	}
	last := all[len(all)-1]
	launch, set := last.one/float64(last.n), (last.moved-last.graph)/float64(last.n)
	said = append(said, cost{"A launch, and setting a kernel of a graph", measure.Seconds(launch) + ", " + measure.Seconds(set)})
	share := "at any number of moved kernels"
	if set > 0 {
		if x := (last.one - last.graph) / (set * float64(last.n)); x < 1 {
			share = fmt.Sprintf("while at most %.0f %% of the kernels have moved", 100*max(x, 0))
		}
	}
	least := "none of those measured"
	for _, g := range all {
		if g.graph < g.one {
			least = diag.Count(g.n, "kernel")
			break
		}
	}
	said = append(said, cost{"A graph is cheaper", share + "; with nothing moved, from " + least + " on"})
	if saved := last.one - last.graph; saved > 0 {
		said = append(said, cost{"Making it pays", fmt.Sprintf("after %.1f runs", last.rebuilt/saved)})
	}
	return said
}
