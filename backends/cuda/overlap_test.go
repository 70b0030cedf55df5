package cuda

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/backends/cuda/driver"
	"ltc/internal/test/cudafake"
	"ltc/internal/trials"
	"ltc/ir/types"
	"ltc/soa"
)

// staggered multiplies a by the 8 rows of each of its arguments in turn, so that each is
// a kernel that needs one argument more; it gives the first product, and the last.
func staggered(factors int) string {
	var text strings.Builder
	text.WriteString("func.func public @main(%p0: tensor<8x8xf32>")
	for i := range factors {
		fmt.Fprintf(&text, ", %%w%d: tensor<8x8xf32>", i)
	}
	text.WriteString(") -> (tensor<8x8xf32>, tensor<8x8xf32>) {\n")
	for i := range factors {
		fmt.Fprintf(&text, "  %%p%d = stablehlo.dot_general %%p%d, %%w%d, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>\n", i+1, i, i)
	}
	fmt.Fprintf(&text, "  return %%p1, %%p%d : tensor<8x8xf32>, tensor<8x8xf32>\n}", factors)
	return text.String()
}

// factorsOf returns arguments of staggered, on the host.
func factorsOf(r *rand.Rand, factors int) []soa.View {
	var args []soa.View
	for range factors + 1 {
		v := soa.Make(types.Of(types.F32, 8, 8))
		for i := range soa.Slice[float32](v) {
			soa.Slice[float32](v)[i] = float32(r.IntN(5) - 2)
		}
		args = append(args, v)
	}
	return args
}

// kinds sorts what was queued into kernels, uploads and downloads.
func kinds(all []cudafake.Work) (kernels, ups, downs []cudafake.Work) {
	for _, w := range all {
		switch {
		case strings.HasPrefix(w.What, "kernel"):
			kernels = append(kernels, w)
		case w.What == "cuMemcpyHtoDAsync":
			ups = append(ups, w)
		case w.What == "cuMemcpyDtoHAsync":
			downs = append(downs, w)
		}
	}
	return kernels, ups, downs
}

// Large arguments are copied while kernels run that do not need them, and results while
// later kernels run. A kernel that needs a copy waits for it. Memory that the run before
// used is not written before that run is done, though nobody has waited for it.
func TestOverlap(t *testing.T) {
	aboutFake(t) // which knows what is ordered
	const factors = 5
	text := staggered(factors)
	for seed := range uint64(6) {
		b, f := backend(t, cudafake.Options{Seed: seed})
		q, resident := b.dev.home, seed%2 == 1 // whose results stay
		if resident {
			q = queue(t, b.dev)
		}
		q.large = 256
		e := compile(t, b, text, backends.Options{})
		var before []cudafake.Work
		for range 3 {
			args := factorsOf(rand.New(rand.NewPCG(seed, 1)), factors)
			c := &backends.Call{Args: args, Resident: resident, Queue: q}
			if !resident {
				c.Queue = nil
			}
			all := f.Watch(func() { require.NoError(t, e.Execute(t.Context(), c)) })
			kernels, ups, downs := kinds(all)
			require.Len(t, kernels, factors)
			require.Len(t, ups, factors+1)
			for k := range kernels {
				for u := range ups { // the first two are of kernel 0
					require.Equal(t, u <= k+1, ups[u].Before(kernels[k]), "upload %d and kernel %d", u, k)
					require.False(t, kernels[k].Before(ups[u]), "kernel %d and upload %d", k, u)
				}
			}
			if !resident {
				require.Len(t, downs, 2)
				for k := range kernels {
					require.Equal(t, k == 0, kernels[k].Before(downs[0]), "kernel %d and the first result", k)
					require.False(t, downs[0].Before(kernels[k]))
					require.True(t, kernels[k].Before(downs[1]))
				}
			}
			for _, old := range before {
				for _, w := range all {
					require.True(t, old.Before(w))
				}
			}
			before = all
			want := results(t, text, args...)
			if resident && seed == 1 {
				continue // nobody waits
			}
			require.NoError(t, q.Wait(t.Context()))
			for j := range want {
				require.Equal(t, floats(t, want[j]), floats(t, c.Results[j]))
			}
		}
		require.Zero(t, e.Launches().Graphs, "what is to overlap is no graph")
	}
}

// What is small comes with the rest at once, and a graph is one launch, which waits for
// all that its kernels read.
func TestOverlapOfGraphs(t *testing.T) {
	const factors = 5
	text := staggered(factors)
	b, _ := backend(t, cudafake.Options{Seed: 3})
	e := compile(t, b, text, backends.Options{})
	r := rand.New(rand.NewPCG(4, 4))
	q := queue(t, b.dev)
	out := []soa.View{there(t, b, factorsOf(r, 0)[0]), there(t, b, factorsOf(r, 0)[0])}
	rest := factorsOf(r, factors)[2:]
	for j := range rest {
		rest[j] = there(t, b, rest[j])
	}
	graphs := int64(0)
	for i := range 8 {
		args := factorsOf(r, factors)
		if i == 4 {
			require.Positive(t, e.Launches().Graphs)
		}
		if i >= 4 { // the first product's factors alone are the host's, and large
			q.large = 256
			copy(args[2:], rest)
			graphs = e.Launches().Graphs
		}
		want := results(t, text, args...)
		c := &backends.Call{Args: args, Results: slices.Clone(out), Queue: q}
		require.NoError(t, e.Execute(t.Context(), c))
		require.NoError(t, q.Wait(t.Context()))
		for j := range want {
			require.Equal(t, floats(t, want[j]), floats(t, c.Results[j]))
		}
	}
	require.Greater(t, e.Launches().Graphs, graphs)
}

// Values that take many stages come whole, to the caller's memory, too, and views of the
// host's that are not dense; whatever comes before and after what.
func TestOverlapInPieces(t *testing.T) {
	const factors = 4
	text := staggered(factors)
	for seed := range uint64(8) {
		b, _ := backend(t, cudafake.Options{Seed: seed})
		q := queue(t, b.dev)
		for _, x := range []*Queue{q, b.dev.home} {
			x.large, x.staged = 200, 96
		}
		e := compile(t, b, text, backends.Options{})
		r := rand.New(rand.NewPCG(seed, 5))
		for i := range 4 {
			args := factorsOf(r, factors)
			want := results(t, text, args...)
			odd := soa.Make(types.Of(types.F32, 128))
			v, err := odd.Restride(types.Of(types.F32, 8, 8), 0, []int{16, 2})
			require.NoError(t, err)
			c := &backends.Call{Args: args, Results: []soa.View{soa.Make(types.Of(types.F32, 8, 8)), v}}
			if i%2 == 1 {
				c.Queue = q
			}
			require.NoError(t, e.Execute(t.Context(), c))
			for j := range want {
				require.Equal(t, floats(t, want[j]), floats(t, c.Results[j]))
			}
		}
	}
}

// A run that fails while copies are under way leaves what is the caller's as it was, and
// the next one works with the same memory.
func TestOverlapFails(t *testing.T) {
	trials.Sequential(t)
	aboutFake(t)
	const factors = 4
	text := staggered(factors)
	calls := []string{"cuMemcpyHtoDAsync_v2", "cuMemcpyDtoHAsync_v2", "cuLaunchKernel", "cuEventRecord", "cuStreamWaitEvent"}
	for i, call := range calls {
		b, f := backend(t, cudafake.Options{Seed: uint64(i)})
		b.dev.home.large = 256
		e := compile(t, b, text, backends.Options{})
		args := factorsOf(rand.New(rand.NewPCG(7, 7)), factors)
		want := results(t, text, args...)
		failed := 0
		for after := range 12 {
			out := []soa.View{soa.Make(types.Of(types.F32, 8, 8)), soa.Make(types.Of(types.F32, 8, 8))}
			c := &backends.Call{Args: args, Results: slices.Clone(out)}
			before := f.Calls(call)
			f.Fail(call, after, driver.InvalidValue)
			err := e.Execute(t.Context(), c)
			switch {
			case err != nil:
				require.ErrorIs(t, err, driver.InvalidValue, "%s %d", call, after)
				failed++
			case f.Calls(call)-before > int64(after): // a copy that is waited for, since it was not noted
				require.Equal(t, "cuEventRecord", call)
				fallthrough
			default:
				for j := range want {
					require.Equal(t, floats(t, want[j]), floats(t, c.Results[j]), "%s %d", call, after)
				}
			}
			for f.Calls(call)-before <= int64(after) { // the failure to come
				_ = e.Execute(t.Context(), &backends.Call{Args: args})
			}
			c = &backends.Call{Args: args}
			require.NoError(t, e.Execute(t.Context(), c), "%s %d", call, after)
			for j := range want {
				require.Equal(t, floats(t, want[j]), floats(t, c.Results[j]))
			}
		}
		require.Positive(t, failed, call)
	}
}

// A large result that is early is not in the caller's memory before all kernels are done:
// if one fails, or a copy of an argument, that is as it was.
func TestOverlapLost(t *testing.T) {
	aboutFake(t)
	const factors = 5
	for after := range factors + 1 + factors { // the second result is copied behind all of these
		b, f := backend(t, cudafake.Options{Seed: uint64(after)})
		b.dev.home.large = 256
		e := compile(t, b, staggered(factors), backends.Options{})
		out := soa.Make(types.Of(types.F32, 8, 8))
		f.FailQueued(after, driver.IllegalAddress)
		c := &backends.Call{Args: factorsOf(rand.New(rand.NewPCG(1, 2)), factors), Results: []soa.View{out, {}}}
		require.ErrorIs(t, e.Execute(t.Context(), c), driver.IllegalAddress)
		require.Equal(t, make([]float32, 64), floats(t, out))
	}
}
