package model_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/backends/kit/kernel"
	"ltc/backends/reference"
	"ltc/internal/trials"
	"ltc/ir/types"
	"ltc/lazy"
	"ltc/model"
	"ltc/soa"
)

// mostEvents is the largest of the sizes that the tests of many sizes run.
const mostEvents = 10_000

// events calls a model for events of any size, on columns of its own.
type events struct {
	m    *model.Model
	base []soa.View // of arguments, then of results, for mostEvents
	call backends.Call
}

// newEvents returns a network of three layers that is called for events.
func newEvents(t testing.TB) *events {
	dev, err := lazy.Open("cpu")
	require.NoError(t, err)
	weight := func(name string, rows, columns int) *lazy.Tensor {
		return dev.Variable(name, types.F32, rows, columns).Init(lazy.Uniform(-1, 1))
	}
	w1, w2, w3 := weight("w1", 6, 64), weight("w2", 64, 64), weight("w3", 64, 2)
	f := lazy.Func(dev, func(tr *lazy.Trace, x []*lazy.Tensor) []*lazy.Tensor {
		h := x[0].MatMul(w1).ReLU().MatMul(w2).ReLU()
		return []*lazy.Tensor{x[0].Sum(1), h.MatMul(w3).Softmax(-1)}
	})
	x, err := f.Export([]lazy.Input{{Name: "x", Type: types.Of(types.F32, lazy.AnySize, 6)}}, "score", "class")
	require.NoError(t, err)
	cpu, err := backends.Open("cpu")
	require.NoError(t, err)
	m, err := model.New(t.Context(), cpu, backends.NewModule(x.Text), x.Constants)
	require.NoError(t, err)
	e := &events{m: m}
	sig := m.Signature()
	for _, a := range sig.Args {
		if a.Constant {
			e.base = append(e.base, soa.View{})
			continue
		}
		e.base = append(e.base, e.memory(a.Type))
		for i, s := 0, soa.Slice[float32](e.base[len(e.base)-1]); i < len(s); i++ {
			s[i] = float32(i%29)/13 - 1
		}
	}
	for _, r := range sig.Results {
		e.base = append(e.base, e.memory(r.Type))
	}
	e.call.Args, e.call.Results = make([]soa.View, len(sig.Args)), make([]soa.View, len(sig.Results))
	copy(e.call.Args, e.base)
	copy(e.call.Results, e.base[len(sig.Args):])
	return e
}

func (e *events) memory(t types.Type) soa.View {
	t.Shape = append(types.Shape{mostEvents}, t.Shape[1:]...)
	return soa.Make(t)
}

// run runs an event of n elements. It allocates nothing itself.
func (e *events) run(t testing.TB, n int) {
	for _, list := range [][]soa.View{e.call.Args, e.call.Results} {
		for i := range list {
			if !list[i].IsZero() {
				list[i].Type.Shape[0] = n
			}
		}
	}
	if err := e.m.Executable().Execute(context.Background(), &e.call); err != nil {
		t.Fatal(err)
	}
}

// compiles counts the kernels that programs ask for.
type compiles struct {
	packs   func(k *kernel.Kernel, sizes, strides []int64) (a, b int)
	columns func() int
	kernels atomic.Int64
}

func (c *compiles) Compile(_ context.Context, kernels []*kernel.Kernel) ([]kernel.Code, error) {
	c.kernels.Add(int64(len(kernels)))
	return make([]kernel.Code, len(kernels)), nil
}

func (c *compiles) Packs(_ context.Context, k *kernel.Kernel, sizes, strides []int64) (a, b int) {
	return c.packs(k, sizes, strides)
}

func (c *compiles) Columns(context.Context) int { return c.columns() }

// counted stands before the other compilers, says of programs what they say, and
// leaves all kernels to them.
var counted = func() compiles {
	cpu := reference.KitOptions(context.Background()).Fuse
	return compiles{packs: cpu.Packs, columns: cpu.Columns}
}()

func init() { reference.UseCompiler(&counted) }

// Events of 1 to 10,000 elements, each of another size, are one compile, and
// allocate nothing once the largest has come: neither what runs a size nor packed
// constants are made for each.
func TestEventsOfAllSizesAreOneCompile(t *testing.T) {
	e := newEvents(t)
	compiled := counted.kernels.Load()
	require.NotZero(t, compiled)
	rng := rand.New(rand.NewPCG(3, 4))
	sizes := rng.Perm(mostEvents)
	for _, n := range append(sizes[:20:20], 0, 1, mostEvents-1) { // a warm-up
		e.run(t, n+1)
	}
	waits, ok := e.m.Executable().(backends.Tiered)
	require.True(t, ok)
	require.NoError(t, waits.Finish(t.Context())) // what compiles meanwhile allocates
	rest := sizes[20:]
	next := 0
	require.Zero(t, trials.LeastAllocs(200, func() {
		e.run(t, rest[next]+1)
		next++
	}))
	require.Equal(t, compiled, counted.kernels.Load(), "one compile")
	require.Zero(t, e.m.CopiedBytes())
	for _, n := range []int{1, 2, 9, 71, 1000, 4999} {
		e.run(t, n)
		got := slices.Clone(soa.Slice[float32](e.call.Results[1]))
		again := newEvents(t)
		again.run(t, n)
		require.Equal(t, soa.Slice[float32](again.call.Results[1]), got, "%d: runs before change nothing", n)
	}
}

// BenchmarkSizes runs events of sizes that all differ, of two sizes by turns, and of
// these by a thousand: what the turns take more is what a program takes to be fitted
// to another size.
func BenchmarkSizes(b *testing.B) {
	e := newEvents(b)
	for _, most := range []int{4, 100, mostEvents} {
		sizes, sum := rand.New(rand.NewPCG(1, 2)).Perm(most), 0
		for i := range sizes {
			sizes[i]++
			sum += sizes[i]
		}
		mean := sum / most
		for _, c := range []struct {
			name string
			at   func(i int) int
		}{
			{"random", func(i int) int { return sizes[i%most] }},
			{"by turns", func(i int) int { return mean + i%2 }},
			{"by a thousand", func(i int) int { return mean + i/1000%2 }},
		} {
			b.Run(fmt.Sprint(c.name, "/", most), func(b *testing.B) {
				b.ReportAllocs()
				e.run(b, most)
				i := 0
				for b.Loop() {
					e.run(b, c.at(i))
					i++
				}
			})
		}
	}
}

// sharpened is a program of a loop whose turns depend on the values, and of a branch.
const sharpened = `
module attributes {ltc.dims = {n = [0, 100000]}} {
  func.func public @main(%x: tensor<?x3xf32> {ltc.name = "x", ltc.dim = ["n", ""]}, %w: tensor<3x3xf32> {ltc.name = "w", ltc.constant}) -> (tensor<?x3xf32> {ltc.name = "y"}) {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %most = stablehlo.constant dense<7> : tensor<i32>
    %f0 = stablehlo.constant dense<0.0> : tensor<f32>
    %enough = stablehlo.constant dense<2.0> : tensor<f32>
    %r:2 = stablehlo.while(%k = %zero, %h = %x) : tensor<i32>, tensor<?x3xf32> cond {
      %sum = stablehlo.reduce(%h init: %f0) applies stablehlo.maximum across dimensions = [0, 1] : (tensor<?x3xf32>, tensor<f32>) -> tensor<f32>
      %p = stablehlo.compare LT, %sum, %enough : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %q = stablehlo.compare LT, %k, %most : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %pq = stablehlo.and %p, %q : tensor<i1>
      stablehlo.return %pq : tensor<i1>
    } do {
      %n = stablehlo.add %k, %one : tensor<i32>
      %d = stablehlo.dot_general %h, %w, contracting_dims = [1] x [0] : (tensor<?x3xf32>, tensor<3x3xf32>) -> tensor<?x3xf32>
      %a = stablehlo.add %d, %x : tensor<?x3xf32>
      stablehlo.return %n, %a : tensor<i32>, tensor<?x3xf32>
    }
    %odd = stablehlo.and %r#0, %one : tensor<i32>
    %y = "stablehlo.case"(%odd) ({
      %t = stablehlo.tanh %r#1 : tensor<?x3xf32>
      stablehlo.return %t : tensor<?x3xf32>
    }, {
      %t = stablehlo.negate %r#1 : tensor<?x3xf32>
      stablehlo.return %t : tensor<?x3xf32>
    }) : (tensor<i32>) -> tensor<?x3xf32>
    return %y : tensor<?x3xf32>
  }
}`

// A model with loops and branches is one compile for events of 1 to 10,000 elements,
// too, and gives what the evaluator gives.
func TestBranchesOfAllSizesAreOneCompile(t *testing.T) {
	w := soa.Make(types.Of(types.F32, 3, 3))
	copy(soa.Slice[float32](w), []float32{1.5, -0.5, 0, 0.25, 1, 0.5, -1, 0, 0.75})
	x, y := soa.Make(types.Of(types.F32, mostEvents, 3)), soa.Make(types.Of(types.F32, mostEvents, 3))
	for i, s := 0, soa.Slice[float32](x); i < len(s); i++ {
		s[i] = float32(i%29)/100 - 0.2
	}
	first := func(n int, v soa.View) soa.View {
		v, err := v.Slice(0, 0, n, 1)
		require.NoError(t, err)
		return v
	}
	of := func(name string) func(n int) []float32 {
		b, err := backends.Open(name)
		require.NoError(t, err)
		m, err := model.New(t.Context(), b, backends.NewModule(sharpened), map[string]soa.View{"w": w})
		require.NoError(t, err)
		return func(n int) []float32 {
			in, out := soa.NewCollection(n), soa.NewCollection(n)
			require.NoError(t, in.Add("x", soa.ViewColumn("x", first(n, x))))
			require.NoError(t, out.Add("y", soa.ViewColumn("y", first(n, y))))
			require.NoError(t, m.Bind(in, out).Run(t.Context(), nil, 0))
			return slices.Clone(soa.Slice[float32](y)[:3*n])
		}
	}
	before := counted.kernels.Load()
	run := of("cpu")
	compiled := counted.kernels.Load()
	require.Greater(t, compiled, before)
	want := of("eval")
	sizes := rand.New(rand.NewPCG(5, 6)).Perm(mostEvents)
	for i, n := range append([]int{mostEvents, 1, 2}, sizes[:trials.Soak(300, mostEvents)]...) {
		if got := run(n); i < 12 {
			require.InDeltaSlice(t, want(n), got, 1e-4, "%d elements", n)
		}
	}
	require.Equal(t, compiled, counted.kernels.Load(), "one compile")
}
