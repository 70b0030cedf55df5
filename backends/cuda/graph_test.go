package cuda

import (
	"bytes"
	"context"
	"fmt"
	"log"
	"log/slog"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/ebitengine/purego"
	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/backends/cuda/driver"
	"ltc/backends/reference/eval"
	"ltc/internal/test/cudafake"
	"ltc/internal/trials"
	"ltc/ir/types"
	"ltc/soa"
)

// products is a program of so many kernels. The first is a product of the arguments,
// the others are each one of that before and what was before that; or, at random, of
// an argument or any before.
func products(kernels int, r *rand.Rand) string {
	var b strings.Builder
	b.WriteString("func.func public @main(%a: tensor<4x4xf32>, %b: tensor<4x4xf32>) -> tensor<4x4xf32> {\n")
	names := []string{"%a", "%b"}
	left := "%a"
	for i := range kernels {
		right := "%b"
		if i > 0 && r != nil {
			right = names[r.IntN(len(names))]
		} else if i > 0 {
			right = names[max(len(names)-2, 2)]
		}
		name := fmt.Sprintf("%%v%d", i)
		fmt.Fprintf(&b, "  %s = stablehlo.dot_general %s, %s, contracting_dims = [1] x [0] : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>\n", name, left, right)
		names, left = append(names, name), name
	}
	fmt.Fprintf(&b, "  return %s : tensor<4x4xf32>\n}", left)
	return b.String()
}

var square = types.Of(types.F32, 4, 4)

// turns returns matrices of the host's whose products stay small: of few entries, 1,
// 0 or -1.
func turns(r *rand.Rand) soa.View {
	v := soa.Make(square)
	for i, j := range r.Perm(4) {
		soa.Slice[float32](v)[4*i+j] = float32(1 - 2*r.IntN(2))
	}
	return v
}

// there copies a view to the device.
func there(t testing.TB, b *Backend, v soa.View) soa.View {
	w, err := b.Make(v.Type)
	require.NoError(t, err)
	require.NoError(t, soa.Copy(w, v))
	return w
}

// evaluated returns what the evaluator makes of a program with one result.
func evaluated(t testing.TB, text string, args ...soa.View) []float32 {
	return floats(t, results(t, text, args...)[0])
}

// results returns what the evaluator makes of dense copies of arguments.
func results(t testing.TB, text string, args ...soa.View) []soa.View {
	e, err := eval.New().Compile(context.Background(), backends.NewModule(text), backends.Options{})
	require.NoError(t, err)
	c := &backends.Call{}
	for _, v := range args {
		c.Args = append(c.Args, soa.Make(v.Type))
		require.NoError(t, soa.Copy(c.Args[len(c.Args)-1], v))
	}
	require.NoError(t, e.Execute(context.Background(), c))
	return c.Results
}

// same runs a program and compares its result with the evaluator's.
func same(t testing.TB, e *executable, text string, c *backends.Call) {
	want := evaluated(t, text, c.Args...)
	require.NoError(t, e.Execute(context.Background(), c))
	require.Equal(t, want, floats(t, c.Results[0]))
}

// A program that is run with the same arguments again is one launch; where some have
// moved, the kernels that read them are set to where they are.
func TestGraphs(t *testing.T) {
	b, f := backend(t, cudafake.Options{Seed: 4})
	text := products(10, nil)
	e := compile(t, b, text, backends.Options{})
	r := rand.New(rand.NewPCG(1, 1))
	x, y, z, out := there(t, b, turns(r)), there(t, b, turns(r)), there(t, b, turns(r)), there(t, b, turns(r))
	calls := func() [2]int64 {
		if f == nil {
			return [2]int64{}
		}
		return [2]int64{f.Calls("cuLaunchKernel"), f.Calls("cuGraphLaunch")}
	}
	var last Launches
	run := func(kernels, graphs, updates int64, args ...soa.View) {
		t.Helper()
		before := calls()
		same(t, e, text, &backends.Call{Args: args, Results: []soa.View{out}})
		n := e.Launches()
		defer func() { last = n }()
		if f == nil && updates > 1 {
			return // a GPU's driver may give a larger block of memory where the smaller one was
		}
		require.Equal(t, Launches{Kernels: kernels, Graphs: graphs, Updates: updates}, Launches{Kernels: n.Kernels - last.Kernels, Graphs: n.Graphs - last.Graphs, Updates: n.Updates - last.Updates})
		if f != nil {
			after := calls()
			require.Equal(t, [2]int64{kernels, graphs}, [2]int64{after[0] - before[0], after[1] - before[1]})
		}
	}
	run(10, 0, 0, x, y)
	for range 3 {
		run(0, 1, 0, x, y)
	}
	run(0, 1, 1, x, z) // the first kernel alone reads it
	run(0, 1, 1, y, z)
	run(0, 1, 0, y, z)
	// From the host, it lies in the run's block, and so do the temporaries, elsewhere.
	run(0, 1, 10, turns(r), z)
	run(0, 1, 0, turns(r), z)
	run(0, 1, 1, y, z)
	// Another run that takes more memory moves them, too.
	other := compile(t, b, `func.func public @main(%a: tensor<4x4xf32>) -> tensor<900xf32> {
  %0 = stablehlo.reshape %a : (tensor<4x4xf32>) -> tensor<16xf32>
  %1 = stablehlo.slice %0 [0:1] : (tensor<16xf32>) -> tensor<1xf32>
  %2 = stablehlo.broadcast_in_dim %1, dims = [0] : (tensor<1xf32>) -> tensor<900xf32>
  return %2 : tensor<900xf32>
}`, backends.Options{})
	require.NoError(t, other.Execute(t.Context(), &backends.Call{Args: []soa.View{x}}))
	run(0, 1, 10, y, z)
}

// Whatever moves from run to run, in whichever programs, with steps of the host
// between kernels, results are the evaluator's.
func TestRandomGraphs(t *testing.T) {
	trials.Sequential(t)
	graphs, updates, n := int64(0), int64(0), trials.Soak(6, 500)
	for seed := range uint64(n) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) { // whose driver ends with it
			r := rand.New(rand.NewPCG(seed, 3))
			b, _ := backend(t, cudafake.Options{Seed: seed})
			text := products(4+r.IntN(9), r)
			e := compile(t, b, text, backends.Options{})
			q := queue(t, b.dev)
			var places []soa.View
			for range 3 {
				places = append(places, turns(r), there(t, b, turns(r)))
			}
			c := &backends.Call{Args: []soa.View{places[0], places[1]}, Results: make([]soa.View, 1)}
			for range 10 {
				if r.IntN(3) == 0 {
					c.Args[r.IntN(2)] = places[r.IntN(len(places))]
				}
				if r.IntN(4) == 0 {
					c.Results[0], c.Resident = soa.View{}, r.IntN(2) == 0
				}
				if c.Queue = nil; r.IntN(4) == 0 {
					c.Queue = q
				}
				want := evaluated(t, text, c.Args...)
				require.NoError(t, e.Execute(t.Context(), c))
				require.NoError(t, q.Wait(t.Context()))
				require.Equal(t, want, floats(t, c.Results[0]))
			}
			graphs, updates = graphs+e.Launches().Graphs, updates+e.Launches().Updates
		})
	}
	require.Greater(t, graphs, int64(20*n/12))
	require.Greater(t, updates, int64(20*n/12))
}

// Each row of kernels between steps of the host is a graph, and so is that in the body
// of a loop.
func TestGraphRows(t *testing.T) {
	trials.Sequential(t)
	require.NoError(t, backends.RegisterHost("graphs.copy", func(_ context.Context, c *backends.HostCall) error { return soa.Copy(c.Results[0], c.Args[0]) }))
	dots := func(from, name string) string {
		var b strings.Builder
		for i := range 7 {
			fmt.Fprintf(&b, "  %%%s%d = stablehlo.dot_general %s, %s, contracting_dims = [1] x [0] : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>\n", name, i, from, from)
			from = fmt.Sprintf("%%%s%d", name, i)
		}
		return b.String()
	}
	text := `func.func public @main(%a: tensor<4x4xf32>, %n: tensor<i32>) -> tensor<4x4xf32> {
` + dots("%a", "p") + `
  %s = stablehlo.custom_call @graphs.copy(%p6) : (tensor<4x4xf32>) -> tensor<4x4xf32>
` + dots("%s", "q") + `
  %w:2 = stablehlo.while(%i = %n, %v = %q6) : tensor<i32>, tensor<4x4xf32>
    cond {
      %z = stablehlo.constant dense<0> : tensor<i32>
      %c = stablehlo.compare GT, %i, %z : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    } do {
      %one = stablehlo.constant dense<1> : tensor<i32>
      %j = stablehlo.subtract %i, %one : tensor<i32>
` + dots("%v", "u") + `
      stablehlo.return %j, %u6 : tensor<i32>, tensor<4x4xf32>
    }
  return %w#1 : tensor<4x4xf32>
}`
	b, _ := backend(t, cudafake.Options{Seed: 6})
	e := compile(t, b, text, backends.Options{})
	n := soa.Make(types.Of(types.I32))
	soa.Slice[int32](n)[0] = 6
	x, count := there(t, b, turns(rand.New(rand.NewPCG(2, 2)))), there(t, b, n)
	for range 3 {
		same(t, e, text, &backends.Call{Args: []soa.View{x, count}})
	}
	before := e.Launches()
	same(t, e, text, &backends.Call{Args: []soa.View{x, count}})
	require.GreaterOrEqual(t, e.Launches().Graphs-before.Graphs, int64(2+3), "two rows, and most turns of the loop")
	list, err := Listing(t.Context(), backends.NewModule(text), backends.Options{})
	require.NoError(t, err)
	require.Contains(t, list, "// steps 0 to 6: queued as one graph")
	require.Contains(t, list, "//   steps 0 to 7: queued as one graph")
}

// Several goroutines run one program in one queue, and in several, with arguments of
// their own.
func TestGraphsAtOnce(t *testing.T) {
	b, _ := backend(t, cudafake.Options{Seed: 7})
	text := products(6, nil)
	e := compile(t, b, text, backends.Options{})
	own := queue(t, b.dev)
	var all sync.WaitGroup
	for i := range 4 {
		r := rand.New(rand.NewPCG(uint64(i), 5))
		args := []soa.View{there(t, b, turns(r)), there(t, b, turns(r))}
		want := evaluated(t, text, args...)
		c := &backends.Call{Args: args, Results: []soa.View{there(t, b, turns(r))}}
		if i == 3 {
			c.Queue = own
		}
		all.Go(func() {
			for range 8 {
				err := e.Execute(context.Background(), c)
				if err == nil && c.Queue != nil {
					err = own.Wait(context.Background())
				}
				if got := floats(t, c.Results[0]); err != nil || !slices.Equal(want, got) {
					t.Errorf("%v: %v, want %v", err, got, want)
				}
			}
		})
	}
	all.Wait()
	require.Positive(t, e.Launches().Graphs)
}

// What the driver refuses of a graph is done without: an update by a graph made anew,
// a graph by launches of its kernels, which is said once.
func TestGraphRefused(t *testing.T) {
	aboutFake(t)
	for _, c := range []struct {
		call string
		want Launches // of a run whose argument has moved, and one more
		made bool     // what fails is called when the graph is made, by the first run
	}{
		{"cuGraphExecKernelNodeSetParams_v2", Launches{Graphs: 2}, false},
		{"cuGraphCreate", Launches{Kernels: 12}, true},
		{"cuGraphAddKernelNode_v2", Launches{Kernels: 12}, true},
		{"cuGraphInstantiateWithFlags", Launches{Kernels: 12}, true},
		{"cuGraphUpload", Launches{Kernels: 12}, true},
		{"cuGraphLaunch", Launches{Kernels: 12, Updates: 1}, false},
	} {
		t.Run(c.call, func(t *testing.T) {
			b, f := backend(t, cudafake.Options{Seed: 8})
			text := products(6, nil)
			e := compile(t, b, text, backends.Options{})
			r := rand.New(rand.NewPCG(3, 3))
			x, y, out := there(t, b, turns(r)), there(t, b, turns(r)), there(t, b, turns(r))
			run := func(a, b soa.View) {
				same(t, e, text, &backends.Call{Args: []soa.View{a, b}, Results: []soa.View{out}})
			}
			said := logged(t)
			if c.made {
				f.Fail(c.call, 0, driver.NotSupported)
			}
			run(x, y)
			if c.want.Graphs > 0 {
				run(x, y)
			}
			before := e.Launches()
			if !c.made {
				f.Fail(c.call, 0, driver.NotSupported)
			}
			run(x, x)
			run(x, x)
			n := e.Launches()
			require.Equal(t, c.want, Launches{Kernels: n.Kernels - before.Kernels, Graphs: n.Graphs - before.Graphs, Updates: n.Updates - before.Updates})
			if c.want.Graphs > 0 {
				require.Empty(t, said())
				return
			}
			require.Regexp(t, `^level=WARN msg="kernels are launched one by one: the driver makes no graph of them" device=cuda:0 kernels=6 `+
				`reason="cuda: `+c.call+`: [^"]*CUDA_ERROR_NOT_SUPPORTED[^"]*"\n$`, said())
		})
	}
}

// The first run of a program makes its graph, when its kernels are queued, and has it
// brought to the device: the second launches it and calls nothing else for it. Where each
// run may be of another size a graph is made when a size comes again.
func TestGraphIsThereForTheSecondRun(t *testing.T) {
	aboutFake(t)
	b, f := backend(t, cudafake.Options{Seed: 11})
	calls := func(names ...string) (all []int64) {
		for _, name := range names {
			all = append(all, f.Calls(name))
		}
		return all
	}
	names := []string{"cuLaunchKernel", "cuGraphInstantiateWithFlags", "cuGraphUpload", "cuGraphLaunch", "cuGraphExecKernelNodeSetParams_v2"}
	text := products(6, nil)
	e := compile(t, b, text, backends.Options{})
	r := rand.New(rand.NewPCG(3, 3))
	x, y, out := there(t, b, turns(r)), there(t, b, turns(r)), there(t, b, turns(r))
	run := func() { same(t, e, text, &backends.Call{Args: []soa.View{x, y}, Results: []soa.View{out}}) }
	run()
	require.Equal(t, []int64{6, 1, 1, 0, 0}, calls(names...))
	run()
	run()
	require.Equal(t, []int64{6, 1, 1, 2, 0}, calls(names...))

	sizes := `func.func public @main(%a: tensor<?x4xf32>, %b: tensor<4x4xf32>) -> tensor<?x4xf32> {
`
	from := "%a"
	for i := range 5 {
		sizes += fmt.Sprintf("  %%v%d = stablehlo.dot_general %s, %%b, contracting_dims = [1] x [0] : (tensor<?x4xf32>, tensor<4x4xf32>) -> tensor<?x4xf32>\n", i, from)
		from = fmt.Sprintf("%%v%d", i)
	}
	any, err := b.Compile(t.Context(), backends.NewModule(sizes+"  return "+from+" : tensor<?x4xf32>\n}"), backends.Options{})
	require.NoError(t, err)
	for i, n := range []int{3, 5, 3, 3} {
		before := calls(names...)
		v := soa.Make(types.Of(types.F32, n, 4))
		require.NoError(t, any.Execute(t.Context(), &backends.Call{Args: []soa.View{there(t, b, v), y}, Resident: true}))
		after := calls(names...)
		require.Equal(t, []int64{0, 0, 1, 0}[i], after[1]-before[1], "run %d", i)
	}
}

// logged has what is logged until a test ends written where the function that it returns
// reads it, without times.
func logged(t *testing.T) func() string {
	before, to, flags := slog.Default(), log.Writer(), log.Flags()
	t.Cleanup(func() {
		slog.SetDefault(before)
		log.SetOutput(to) // which SetDefault has set, too
		log.SetFlags(flags)
	})
	var b bytes.Buffer
	slog.SetDefault(slog.New(slog.NewTextHandler(&b, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey {
			return slog.Attr{}
		}
		return a
	}})))
	return b.String
}

// A device that is lost says so, whatever was to be done for a graph.
func TestGraphLost(t *testing.T) {
	aboutFake(t)
	for _, call := range []string{"cuGraphExecKernelNodeSetParams_v2", "cuGraphLaunch", "cuGraphInstantiateWithFlags", ""} {
		b, f := backend(t, cudafake.Options{Seed: 9})
		e := compile(t, b, products(6, nil), backends.Options{})
		r := rand.New(rand.NewPCG(3, 3))
		x, y, out := there(t, b, turns(r)), there(t, b, turns(r)), there(t, b, turns(r))
		run := func(a, b soa.View) error {
			return e.Execute(t.Context(), &backends.Call{Args: []soa.View{a, b}, Results: []soa.View{out}})
		}
		if call == "cuGraphInstantiateWithFlags" { // by the first run
			f.Fail(call, 0, driver.IllegalAddress)
			require.ErrorIs(t, run(x, x), driver.IllegalAddress, call)
		} else {
			require.NoError(t, run(x, y))
			require.NoError(t, run(x, y))
			f.Fail(call, 0, driver.IllegalAddress)
			require.ErrorIs(t, run(x, x), driver.IllegalAddress, call)
		}
		var lost *driver.LostError
		require.ErrorAs(t, run(x, y), &lost, call)
	}
}

// A kernel of a graph that was not set to where its arguments are would be seen in
// the results: here a driver forgets it.
func TestGraphStale(t *testing.T) {
	aboutFake(t)
	f := cudafake.New(cudafake.Options{Seed: 10})
	t.Cleanup(func() { require.NoError(t, f.Close()) })
	d, err := driver.Use(func(name string) uintptr {
		if name == "cuGraphExecKernelNodeSetParams_v2" {
			return purego.NewCallback(func(exec, node, params uintptr) uintptr { return 0 })
		}
		return f.Lookup(name)
	})
	require.NoError(t, err)
	dev, err := Use(d, 0)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, dev.close()) })
	b := On(dev)
	text := products(6, nil)
	e := compile(t, b, text, backends.Options{})
	r := rand.New(rand.NewPCG(3, 3))
	x, y, z := there(t, b, turns(r)), there(t, b, turns(r)), there(t, b, turns(r))
	out := []soa.View{there(t, b, turns(r))}
	for range 2 {
		same(t, e, text, &backends.Call{Args: []soa.View{x, y}, Results: out})
	}
	require.NoError(t, e.Execute(t.Context(), &backends.Call{Args: []soa.View{x, z}, Results: out}))
	require.NotEqual(t, evaluated(t, text, x, z), floats(t, out[0]))
}

// Memory that queues keep for runs is no program's, and comes back where it is asked
// for or needed.
func TestKeptMemory(t *testing.T) {
	b, _ := backend(t, cudafake.Options{Memory: 1 << 20})
	e := compile(t, b, products(6, nil), backends.Options{})
	r := rand.New(rand.NewPCG(3, 3))
	args := []soa.View{there(t, b, turns(r)), there(t, b, turns(r))}
	own := queue(t, b.dev)
	usage := func() Usage {
		u, err := b.dev.Usage()
		require.NoError(t, err)
		return u
	}
	before := usage()
	for _, q := range []backends.Queue{nil, own} {
		require.NoError(t, e.Execute(t.Context(), &backends.Call{Args: args, Results: []soa.View{args[0]}, Queue: q}))
	}
	require.NoError(t, own.Wait(t.Context()))
	u := usage()
	require.Equal(t, before.Live, u.Live)
	require.EqualValues(t, 2*aligned(e.WorkspaceBytes()), u.Kept)
	require.EqualValues(t, before.Live+int64(aligned(e.WorkspaceBytes())), u.Peak)
	rest, err := own.Alloc(int(u.Limit - u.Live)) // all that is not in use
	require.NoError(t, err)
	require.Zero(t, usage().Kept)
	require.NoError(t, own.Free(rest))
	require.NoError(t, e.Execute(t.Context(), &backends.Call{Args: args, Results: []soa.View{args[0]}}))
	require.NoError(t, b.dev.Trim())
	require.Zero(t, usage().Kept)
}
