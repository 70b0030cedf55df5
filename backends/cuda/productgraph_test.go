package cuda

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/ebitengine/purego"
	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/backends/cuda/cublaslt"
	"ltc/backends/cuda/driver"
	"ltc/internal/test/cudafake"
	"ltc/internal/trials"
	"ltc/ir/types"
	"ltc/soa"
)

// layers is a program of so many products of matrices of 64 by 64, each of what was before
// and an argument: for every sixth the last. Every third is one that the library has.
func layers(n int) string {
	square := mlirOf(types.F32, 64, 64)
	var b strings.Builder
	fmt.Fprintf(&b, "func.func public @main(%%x: %s, %%w0: %s, %%w1: %s) -> %s {\n", square, square, square, square)
	from := "%x"
	for i := range n {
		w := "%w0"
		if i%6 == 1 {
			w = "%w1"
		}
		fmt.Fprintf(&b, "  %%d%d = stablehlo.dot_general %s, %s, contracting_dims = [1] x [0] : (%s, %s) -> %s\n", i, from, w, square, square, square)
		if from = fmt.Sprintf("%%d%d", i); i%3 != 1 {
			fmt.Fprintf(&b, "  %%v%d = stablehlo.sign %s : %s\n", i, from, square)
			from = fmt.Sprintf("%%v%d", i)
		}
	}
	fmt.Fprintf(&b, "  return %s : %s\n}", from, square)
	return b.String()
}

// on copies views to the device.
func on(t testing.TB, b *Backend, views ...soa.View) (all []soa.View) {
	for _, v := range views {
		all = append(all, there(t, b, v))
	}
	return all
}

// Products of the library are nodes of graphs: from the second run on a step with some is
// one launch, and the library is called no more.
func TestProductsAreInGraphs(t *testing.T) {
	trials.Sequential(t)
	b, f := multiplying(t, cudafake.Options{Seed: 2})
	e := compile(t, b, layers(9), backends.Options{})
	require.Equal(t, []row{{0, 9}}, e.rows)
	r := rand.New(rand.NewPCG(1, 1))
	args := []soa.View{integers(r, types.F32, 64, 64), integers(r, types.F32, 64, 64), integers(r, types.F32, 64, 64)}
	want := numbersOf(t, results(t, layers(9), args...)[0])
	call := &backends.Call{Args: on(t, b, args...), Results: on(t, b, args[0])}
	names := []string{"cublasLtMatmul", "cuLaunchKernel", "cuGraphUpload", "cuGraphLaunch", "cuStreamBeginCapture_v2"}
	for i := range 4 {
		require.NoError(t, e.Execute(t.Context(), call))
		got := soa.Make(args[0].Type)
		require.NoError(t, soa.Copy(got, call.Results[0]))
		require.Equal(t, want, numbersOf(t, got))
		require.Equal(t, Launches{Kernels: 6, Products: 3, Graphs: int64(i)}, e.Launches())
		if f == nil {
			continue
		}
		var calls []int64
		for _, name := range names {
			calls = append(calls, f.Calls(name))
		}
		require.Equal(t, []int64{6, 6, 1, int64(i), 3}, calls, "queued once, and captured for the second run")
	}
}

// Where what a product reads has moved, its node is set to a capture for the addresses of
// now; captures are kept for addresses that come again.
func TestProductsMoveInGraphs(t *testing.T) {
	trials.Sequential(t)
	b, f := multiplying(t, cudafake.Options{Seed: 3})
	text := layers(12)
	e := compile(t, b, text, backends.Options{})
	r := rand.New(rand.NewPCG(1, 1))
	type data struct {
		args []soa.View
		want []float64
	}
	w0, w1 := integers(r, types.F32, 64, 64), integers(r, types.F32, 64, 64)
	at := on(t, b, w0, w1)
	result := on(t, b, w0)
	var all []data
	for i, off := range []int{0, 16, 0, 0, 32, 4} { // the last is not where the library takes it
		x := integers(r, types.F32, 64, 64)
		v := integers(r, types.F32, 64, 64)
		d := data{[]soa.View{moved(t, b, x, 0), at[0], moved(t, b, v, off)}, numbersOf(t, results(t, text, x, w0, v)[0])}
		if i == 0 {
			d.args[2] = at[1]
			d.want = numbersOf(t, results(t, text, x, w0, w1)[0])
		}
		all = append(all, d)
	}
	run := func(d data) Launches {
		t.Helper()
		before := e.Launches()
		require.NoError(t, e.Execute(t.Context(), &backends.Call{Args: d.args, Results: result}))
		got := soa.Make(w0.Type)
		require.NoError(t, soa.Copy(got, result[0]))
		require.Equal(t, d.want, numbersOf(t, got))
		n := e.Launches()
		return Launches{Kernels: n.Kernels - before.Kernels, Graphs: n.Graphs - before.Graphs, Products: n.Products - before.Products}
	}
	calls := func() int64 {
		if f == nil {
			return 0
		}
		return f.Calls("cublasLtMatmul")
	}
	require.Equal(t, Launches{Kernels: 8, Products: 4}, run(all[0]))
	require.Equal(t, Launches{Graphs: 1}, run(all[0]))
	// Captures of two products for new addresses take less than the launches of twelve steps.
	require.Equal(t, Launches{Graphs: 1}, run(all[1]))
	before := calls()
	for i := range 6 { // by turns: all is captured
		require.Equal(t, Launches{Graphs: 1}, run(all[i%2]))
	}
	require.Equal(t, before, calls())
	// More addresses than are kept.
	for range 12 {
		i := r.IntN(5)
		run(all[i])
		require.Equal(t, Launches{Graphs: 1}, run(all[i]), "what is where it was is one launch")
	}
	run(all[0])
	// What the library does not take there is a kernel, by itself at first, then a node.
	n := run(all[5])
	require.Equal(t, Launches{Kernels: 10, Products: 2}, n)
	require.Equal(t, Launches{Graphs: 1}, run(all[5]))
	require.Zero(t, run(all[0]).Graphs)
	require.Equal(t, Launches{Graphs: 1}, run(all[0]))
}

// A capture for new addresses takes longer than the launches of a short row, which go one
// by one then.
func TestCaptureCostsMoreThanShortRows(t *testing.T) {
	trials.Sequential(t)
	b, _ := multiplying(t, cudafake.Options{Seed: 3})
	e := compile(t, b, layers(4), backends.Options{})
	r := rand.New(rand.NewPCG(1, 1))
	args := on(t, b, integers(r, types.F32, 64, 64), integers(r, types.F32, 64, 64), integers(r, types.F32, 64, 64), integers(r, types.F32, 64, 64))
	run := func(x, v int) (n Launches) {
		before := e.Launches()
		c := &backends.Call{Args: []soa.View{args[x], args[1], args[v]}, Results: []soa.View{args[3]}}
		require.NoError(t, e.Execute(t.Context(), c))
		n = e.Launches()
		return Launches{Kernels: n.Kernels - before.Kernels, Graphs: n.Graphs - before.Graphs, Products: n.Products - before.Products}
	}
	oneByOne := Launches{Kernels: 3, Products: 1}
	require.Equal(t, oneByOne, run(0, 1))
	require.Equal(t, Launches{Graphs: 1}, run(0, 1))
	require.Equal(t, oneByOne, run(1, 2))
	require.Equal(t, Launches{Graphs: 1}, run(1, 2))
}

// Where a product cannot be captured, all goes one by one, products by the library; where
// the library does not even queue it, its node is the kernel.
func TestProductsThatCannotBeCapturedAreLaunched(t *testing.T) {
	trials.Sequential(t)
	aboutFake(t)
	for _, c := range []struct {
		name, call string
		after      int
		code       driver.Code
		want       Launches // of the third run
		says       string
	}{
		{"capture", "cublasLtMatmul", 3, driver.Code(cublaslt.NotSupported), Launches{Kernels: 6, Products: 3}, "kernels are launched one by one"},
		{"begin", "cuStreamBeginCapture_v2", 0, driver.NotSupported, Launches{Kernels: 6, Products: 3}, "kernels are launched one by one"},
		{"node", "cuGraphAddChildGraphNode", 0, driver.NotSupported, Launches{Kernels: 6, Products: 3}, "kernels are launched one by one"},
		{"queue", "cublasLtMatmul", 1, driver.Code(cublaslt.NotSupported), Launches{Graphs: 1}, "computed by a kernel of the backend's own"},
	} {
		t.Run(c.name, func(t *testing.T) {
			b, f := multiplying(t, cudafake.Options{Seed: 2})
			e := compile(t, b, layers(9), backends.Options{})
			r := rand.New(rand.NewPCG(1, 1))
			args := []soa.View{integers(r, types.F32, 64, 64), integers(r, types.F32, 64, 64), integers(r, types.F32, 64, 64)}
			want := numbersOf(t, results(t, layers(9), args...)[0])
			call := &backends.Call{Args: on(t, b, args...), Results: on(t, b, args[0])}
			said := logged(t)
			f.Fail(c.call, c.after, c.code)
			var before Launches
			for range 3 {
				before = e.Launches()
				require.NoError(t, e.Execute(t.Context(), call))
				got := soa.Make(args[0].Type)
				require.NoError(t, soa.Copy(got, call.Results[0]))
				require.Equal(t, want, numbersOf(t, got))
			}
			n := e.Launches()
			require.Equal(t, c.want, Launches{Kernels: n.Kernels - before.Kernels, Graphs: n.Graphs - before.Graphs, Products: n.Products - before.Products})
			require.Equal(t, 1, strings.Count(said(), "level=WARN"), said())
			require.Contains(t, said(), c.says)
		})
	}
}

// A node that was not set to where its operands are would be seen in the results: here a
// driver forgets it.
func TestStaleNodesOfProductsShowInResults(t *testing.T) {
	trials.Sequential(t)
	aboutFake(t)
	f := cudafake.New(cudafake.Options{Seed: 10})
	t.Cleanup(func() { require.NoError(t, f.Close()) })
	d, err := driver.Use(func(name string) uintptr {
		if name == "cuGraphExecChildGraphNodeSetParams" {
			return purego.NewCallback(func(exec, node, child uintptr) uintptr { return 0 })
		}
		return f.Lookup(name)
	})
	require.NoError(t, err)
	dev, err := Use(d, 0)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, dev.close()) })
	b := On(dev)
	taking(t, b.dev, f)
	e := compile(t, b, layers(9), backends.Options{})
	r := rand.New(rand.NewPCG(1, 1))
	x, w, v := integers(r, types.F32, 64, 64), integers(r, types.F32, 64, 64), integers(r, types.F32, 64, 64)
	args, other, out := on(t, b, x, w, w), on(t, b, v)[0], on(t, b, x)
	defer runtime.KeepAlive(slices.Clone(args)) // the node still reads it
	for range 2 {
		require.NoError(t, e.Execute(t.Context(), &backends.Call{Args: args, Results: out}))
	}
	args[2] = other
	for range 2 { // one by one, and then as a graph
		require.NoError(t, e.Execute(t.Context(), &backends.Call{Args: args, Results: out}))
	}
	got := soa.Make(x.Type)
	require.NoError(t, soa.Copy(got, out[0]))
	require.NotEqual(t, numbersOf(t, results(t, layers(9), x, w, v)[0]), numbersOf(t, got))
}
