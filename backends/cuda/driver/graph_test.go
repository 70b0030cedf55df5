package driver_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends/cuda/driver"
	"ltc/internal/test/cudafake"
)

// captured is a graph of two streams: z = 3·(2·x), and w = 5·x beside it.
type captured struct {
	ctx        *driver.Context
	s, u       *driver.Stream
	k          *driver.Function
	x, y, z, w driver.Ptr
	fork, join *driver.Event
}

func newCaptured(t *testing.T, seed uint64) *captured {
	_, d := fake(t, cudafake.Options{Seed: seed})
	c := enter(t, d, 0)
	event := made(t, c, (*driver.Event).Destroy)
	g := &captured{ctx: c, s: stream(t, c), u: stream(t, c), k: kernel(t, c), fork: event(c.NewEvent(false)), join: event(c.NewEvent(false))}
	for _, p := range []*driver.Ptr{&g.x, &g.y, &g.z, &g.w} {
		*p = memory(t, c, 128)
	}
	return g
}

func (g *captured) record(t *testing.T, factor int) *driver.Graph {
	require.NoError(t, g.s.BeginCapture())
	require.NoError(t, g.fork.Record(g.s))
	require.NoError(t, g.u.Wait(g.fork))
	require.NoError(t, g.s.Launch(launch(g.k, g.x, g.y, factor)))
	require.NoError(t, g.u.Launch(launch(g.k, g.x, g.w, 5)))
	require.NoError(t, g.s.Launch(launch(g.k, g.y, g.z, 3)))
	require.NoError(t, g.join.Record(g.u))
	require.NoError(t, g.s.Wait(g.join))
	capturing, err := g.u.Capturing()
	require.NoError(t, err)
	require.True(t, capturing)
	graph, err := g.s.EndCapture()
	require.NoError(t, err)
	return made(t, g.ctx, (*driver.Graph).Destroy)(graph, nil)
}

// first reads the first integer of memory.
func (g *captured) first(t *testing.T, p driver.Ptr) int {
	b := make([]byte, 128)
	require.NoError(t, g.s.ToHost(b, p))
	return int(numbers(b)[0])
}

func TestGraph(t *testing.T) {
	for seed := range uint64(8) {
		g := newCaptured(t, seed)
		graph := g.record(t, 2)
		nodes, err := graph.Nodes()
		require.NoError(t, err)
		require.Len(t, nodes, 3)
		kind, err := graph.Kind(nodes[1])
		require.NoError(t, err)
		require.Equal(t, driver.KernelNode, kind)
		x := made(t, g.ctx, (*driver.GraphExec).Destroy)(graph.Instantiate())
		require.NoError(t, x.Upload(g.s))
		require.NoError(t, g.s.Fill32(g.x, 1, 32))
		require.NoError(t, x.Launch(g.s))
		require.Equal(t, 6, g.first(t, g.z))
		require.Equal(t, 5, g.first(t, g.w))

		// Other arguments, by a graph captured anew.
		require.NoError(t, x.Update(g.record(t, 20)))
		require.NoError(t, x.Launch(g.s))
		require.Equal(t, 60, g.first(t, g.z))

		// Of a launch that is queued arguments do not change any more.
		require.NoError(t, x.Launch(g.s))
		require.NoError(t, x.Set(nodes[2], launch(g.k, g.y, g.z, 4)))
		require.Equal(t, 60, g.first(t, g.z))
		require.NoError(t, x.Launch(g.s))
		require.Equal(t, 80, g.first(t, g.z))
	}
}

// A graph made node by node.
func TestGraphNodes(t *testing.T) {
	g := newCaptured(t, 1)
	graph := made(t, g.ctx, (*driver.Graph).Destroy)(g.ctx.NewGraph())
	first, err := graph.AddKernel(launch(g.k, g.x, g.y, 2))
	require.NoError(t, err)
	_, err = graph.AddKernel(launch(g.k, g.y, g.z, 3), first)
	require.NoError(t, err)
	x := made(t, g.ctx, (*driver.GraphExec).Destroy)(graph.Instantiate())
	require.NoError(t, g.s.Fill32(g.x, 7, 32))
	require.NoError(t, x.Launch(g.s))
	require.Equal(t, 42, g.first(t, g.z))

	err = x.Update(g.record(t, 2))
	require.ErrorIs(t, err, driver.GraphUpdateFailure)
	require.ErrorContains(t, err, "what waits for what has changed")
	require.NoError(t, x.Launch(g.s))
	require.Equal(t, 42, g.first(t, g.z))
}

// A node that does not wait for what it needs is found, in whatever order they ran.
func TestGraphRace(t *testing.T) {
	for seed := range uint64(6) {
		f, d := fake(t, cudafake.Options{Seed: seed})
		c := enter(t, d, 0)
		k, s, x, y := kernel(t, c), stream(t, c), memory(t, c, 128), memory(t, c, 128)
		graph := made(t, c, (*driver.Graph).Destroy)(c.NewGraph())
		_, err := graph.AddKernel(launch(k, x, y, 2))
		require.NoError(t, err)
		_, err = graph.AddKernel(launch(k, y, x, 3))
		require.NoError(t, err)
		e := made(t, c, (*driver.GraphExec).Destroy)(graph.Instantiate())
		require.NoError(t, s.Fill32(x, 7, 32))
		require.NoError(t, s.Fill32(y, 7, 32))
		require.NoError(t, e.Launch(s))
		require.NoError(t, s.Synchronize())
		v := f.Forgive()
		require.NotEmpty(t, v)
		require.Equal(t, cudafake.Race, v[0].Kind)
		require.Contains(t, v[0].Text, "kernel scale of a graph")
	}
}

func TestCaptureErrors(t *testing.T) {
	for _, c := range []struct {
		name string
		is   error
		run  func(g *captured) error
	}{
		{"synchronised", driver.CaptureUnsupported, func(g *captured) error { return g.s.Synchronize() }},
		{"allocates", driver.CaptureUnsupported, func(g *captured) error { _, err := g.ctx.Alloc(1); return err }},
		{"waits for what is outside", driver.CaptureIsolation, func(g *captured) error { return g.s.Wait(g.fork) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := newCaptured(t, 1)
			require.NoError(t, g.fork.Record(g.u))
			require.NoError(t, g.s.BeginCapture())
			require.ErrorIs(t, c.run(g), c.is)
			_, err := g.s.EndCapture()
			require.ErrorIs(t, err, driver.CaptureInvalidated)
			// Afterwards the stream is as any other.
			require.NoError(t, g.s.Fill8(g.x, 0, 128))
			require.NoError(t, g.s.Synchronize())
		})
	}
	t.Run("not joined", func(t *testing.T) {
		g := newCaptured(t, 1)
		require.NoError(t, g.s.BeginCapture())
		require.NoError(t, g.fork.Record(g.s))
		require.NoError(t, g.u.Wait(g.fork))
		require.NoError(t, g.u.Launch(launch(g.k, g.x, g.w, 5)))
		_, err := g.s.EndCapture()
		require.ErrorIs(t, err, driver.CaptureUnjoined)
	})
	t.Run("allowed", func(t *testing.T) {
		g := newCaptured(t, 1)
		require.NoError(t, g.s.BeginCapture())
		require.NoError(t, g.ctx.Relaxed(func() error {
			p, err := g.ctx.Alloc(1)
			require.NoError(t, err)
			return g.ctx.Free(p)
		}))
		graph, err := g.s.EndCapture()
		require.NoError(t, err)
		nodes, err := graph.Nodes()
		require.NoError(t, err)
		require.Empty(t, nodes)
		require.NoError(t, graph.Destroy())
	})
}

// pair captures z = 3·(factor·x).
func (g *captured) pair(t *testing.T, factor int) *driver.Graph {
	graph, err := g.s.Capture(func() error {
		if err := g.s.Launch(launch(g.k, g.x, g.y, factor)); err != nil {
			return err
		}
		return g.s.Launch(launch(g.k, g.y, g.z, 3))
	})
	require.NoError(t, err)
	return graph
}

// A graph is a node of another, of which it is a copy, and can be set to do what another
// graph of the same nodes does.
func TestGraphsAreNodesOfGraphs(t *testing.T) {
	for seed := range uint64(8) {
		g := newCaptured(t, seed)
		whole := made(t, g.ctx, (*driver.Graph).Destroy)(g.ctx.NewGraph())
		first, err := whole.AddKernel(launch(g.k, g.w, g.x, 1))
		require.NoError(t, err)
		inner := g.pair(t, 2)
		node, err := whole.AddGraph(inner, first)
		require.NoError(t, err)
		require.NoError(t, inner.Destroy())
		_, err = whole.AddKernel(launch(g.k, g.z, g.w, 1), node)
		require.NoError(t, err)
		kind, err := whole.Kind(node)
		require.NoError(t, err)
		require.Equal(t, driver.GraphNode, kind)
		x := made(t, g.ctx, (*driver.GraphExec).Destroy)(whole.Instantiate())
		require.NoError(t, g.s.Fill32(g.w, 1, 32))
		require.NoError(t, x.Launch(g.s))
		require.Equal(t, 6, g.first(t, g.w))

		other := g.pair(t, 5)
		require.NoError(t, x.Launch(g.s)) // as it is queued
		require.NoError(t, x.SetGraph(node, other))
		require.NoError(t, other.Destroy())
		require.Equal(t, 36, g.first(t, g.w))
		require.NoError(t, x.Launch(g.s))
		require.Equal(t, 36*15, g.first(t, g.w))
	}
}

// What a driver would not do, or may not be asked for, is refused, and the graph is as it
// was.
func TestMisuseOfGraphsOfGraphsIsRefused(t *testing.T) {
	type setting struct {
		*captured
		f            *cudafake.Fake
		whole, inner *driver.Graph
		kernel, node driver.Node
		x            *driver.GraphExec
	}
	for _, c := range []struct {
		name string
		kind cudafake.Kind // -1: it is refused, and no misuse
		run  func(t *testing.T, s *setting) error
	}{
		{"a node of itself", cudafake.BadArgument, func(t *testing.T, s *setting) error { _, err := s.whole.AddGraph(s.whole); return err }},
		{"after a node of another graph", cudafake.BadHandle, func(t *testing.T, s *setting) error {
			_, err := s.inner.AddGraph(s.whole, s.kernel)
			return err
		}},
		{"a kernel's node set to a graph", cudafake.BadHandle, func(t *testing.T, s *setting) error { return s.x.SetGraph(s.kernel, s.inner) }},
		{"a graph's node set to a kernel", cudafake.BadHandle, func(t *testing.T, s *setting) error { return s.x.Set(s.node, launch(s.k, s.captured.x, s.y, 1)) }},
		{"a graph of other nodes", -1, func(t *testing.T, s *setting) error { return s.x.SetGraph(s.node, s.record(t, 2)) }},
		{"a capture that fails", -1, func(t *testing.T, s *setting) error {
			_, err := s.s.Capture(func() error { return s.s.Wait(s.fork) })
			return err
		}},
		{"a graph that was destroyed", cudafake.UseAfterFree, func(t *testing.T, s *setting) error {
			gone := s.pair(t, 2)
			require.NoError(t, gone.Destroy())
			return s.x.SetGraph(s.node, gone)
		}},
		{"added when it was destroyed", cudafake.UseAfterFree, func(t *testing.T, s *setting) error {
			gone := s.pair(t, 2)
			require.NoError(t, gone.Destroy())
			_, err := s.whole.AddGraph(gone)
			return err
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			f, d := fake(t, cudafake.Options{Seed: 3})
			ctx := enter(t, d, 0)
			event := made(t, ctx, (*driver.Event).Destroy)
			g := &captured{ctx: ctx, s: stream(t, ctx), u: stream(t, ctx), k: kernel(t, ctx), fork: event(ctx.NewEvent(false)), join: event(ctx.NewEvent(false))}
			for _, p := range []*driver.Ptr{&g.x, &g.y, &g.z, &g.w} {
				*p = memory(t, ctx, 128)
			}
			require.NoError(t, g.fork.Record(g.u))
			graph := made(t, ctx, (*driver.Graph).Destroy)
			s := &setting{captured: g, f: f, whole: graph(ctx.NewGraph()), inner: graph(g.pair(t, 2), nil)}
			var err error
			s.kernel, err = s.whole.AddKernel(launch(g.k, g.w, g.x, 1))
			require.NoError(t, err)
			s.node, err = s.whole.AddGraph(s.inner, s.kernel)
			require.NoError(t, err)
			s.x = made(t, ctx, (*driver.GraphExec).Destroy)(s.whole.Instantiate())
			require.Error(t, c.run(t, s))
			misuses := f.Forgive()
			if c.kind < 0 {
				require.Empty(t, misuses)
			} else {
				require.Len(t, misuses, 1)
				require.Equal(t, c.kind, misuses[0].Kind, misuses[0].Text)
			}
			require.NoError(t, g.s.Fill32(g.w, 1, 32))
			require.NoError(t, s.x.Launch(g.s))
			require.Equal(t, 6, g.first(t, g.z))
		})
	}
}
