package cuda

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"ltc/backends"
	"ltc/backends/cuda/driver"
	"ltc/backends/kit/exec"
	"ltc/backends/kit/stages"
	"ltc/backends/reference/eval"
	"ltc/internal/samples"
	"ltc/internal/test/cudafake"
	"ltc/internal/trials"
	"ltc/ir/types"
	"ltc/soa"
)

// openTexts returns the texts that leave sizes open of which the kit's goldens are.
func openTexts(t testing.TB) map[string]string {
	a, err := txtar.ParseFile("../kit/testdata/family/programs.txtar")
	require.NoError(t, err)
	texts := map[string]string{}
	for _, f := range a.Files {
		if name, ok := strings.CutSuffix(f.Name, ".mlir"); ok {
			texts[name] = string(f.Data)
		}
	}
	require.Contains(t, texts, "loop")
	return texts
}

// sizedArgs returns random arguments for a size.
func sizedArgs(sig *backends.Signature, n int, r *rand.Rand) []soa.View {
	var args []soa.View
	for _, a := range sig.Args {
		typ := types.Of(a.Type.DType, slices.Clone(a.Type.Shape)...)
		for d := range typ.Shape {
			if typ.Shape[d] == backends.AnySize {
				typ.Shape[d] = n
			}
		}
		v := soa.Make(typ)
		if n := typ.Elements(); n > 0 {
			for i := range soa.Slice[float32](v)[:n] {
				soa.Slice[float32](v)[i] = float32(r.IntN(17)-8) / 4
			}
		}
		args = append(args, v)
	}
	return args
}

// One program runs all sizes on the device, with what the evaluator gives: steps of
// the host, loops and what is computed of the size, too. Nothing is compiled for a
// further size.
func TestOpenSizes(t *testing.T) {
	for name, text := range openTexts(t) {
		t.Run(name, func(t *testing.T) {
			b, f := backend(t, cudafake.Options{Seed: 3})
			e, err := b.Compile(t.Context(), backends.NewModule(text), backends.Options{})
			require.NoError(t, err)
			require.IsType(t, &openExecutable{}, e)
			eval, err := eval.New().Compile(t.Context(), backends.NewModule(text), backends.Options{})
			require.NoError(t, err)
			loads := func() int64 {
				if f == nil {
					return 0
				}
				return f.Calls("cuModuleLoadDataEx")
			}
			before, r := loads(), rand.New(rand.NewPCG(4, 4))
			q := queue(t, b.dev)
			for _, n := range []int{3, 1, 0, 40, 3, 129, 3, 40} {
				want := &backends.Call{Args: sizedArgs(e.Signature(), n, r)}
				require.NoError(t, eval.Execute(t.Context(), want))
				for _, resident := range []bool{false, true} {
					c := &backends.Call{Args: slices.Clone(want.Args), Resident: resident}
					if resident {
						c.Queue = q
						for i := range c.Args {
							c.Args[i] = there(t, b, c.Args[i])
						}
					}
					require.NoError(t, e.Execute(t.Context(), c), "%d", n)
					require.NoError(t, q.Wait(t.Context()))
					for j := range c.Results {
						require.Equal(t, want.Results[j].Type, c.Results[j].Type)
						require.InDeltaSlice(t, floats(t, want.Results[j]), floats(t, c.Results[j]), 1e-4, "%d", n)
					}
				}
			}
			require.Equal(t, before, loads())
			kernels, evaluated := e.(*openExecutable).Compiled()
			require.Positive(t, kernels)
			require.Equal(t, name == "evaluated", evaluated > 0)
		})
	}
}

// Each size has a graph of its own, from its second run on.
func TestOpenGraphs(t *testing.T) {
	var text strings.Builder
	text.WriteString("func.func public @main(%v0: tensor<?x4xf32>, %w: tensor<4x4xf32> {ltc.constant}) -> tensor<?x4xf32> {\n")
	for i := range 6 {
		fmt.Fprintf(&text, "  %%v%d = stablehlo.dot_general %%v%d, %%w, contracting_dims = [1] x [0] : (tensor<?x4xf32>, tensor<4x4xf32>) -> tensor<?x4xf32>\n", i+1, i)
	}
	text.WriteString("  return %v6 : tensor<?x4xf32>\n}")
	b, _ := backend(t, cudafake.Options{Seed: 5})
	e, err := b.Compile(t.Context(), backends.NewModule(text.String()), backends.Options{})
	require.NoError(t, err)
	r := rand.New(rand.NewPCG(6, 6))
	w := turns(r)
	e, err = e.Bind(t.Context(), map[int]soa.View{1: w})
	require.NoError(t, err)
	s := e.(*openExecutable)
	calls := map[int]*backends.Call{}
	for _, n := range []int{5, 9} {
		calls[n] = &backends.Call{Args: []soa.View{there(t, b, sizedArgs(s.Family.Sig, n, r)[0]), {}}, Results: make([]soa.View, 1), Resident: true}
		require.NoError(t, e.Execute(t.Context(), calls[n]))
	}
	require.NoError(t, e.Execute(t.Context(), calls[5])) // the block has grown since
	before := s.Launches()
	for range 3 {
		for _, n := range []int{5, 9} {
			want := evaluated(t, text.String(), calls[n].Args[0], w)
			require.NoError(t, e.Execute(t.Context(), calls[n]))
			require.Equal(t, want, floats(t, calls[n].Results[0]))
		}
	}
	after := s.Launches()
	require.Equal(t, Launches{Kernels: before.Kernels, Graphs: before.Graphs + 6, Updates: before.Updates}, after)

	// Sizes that are not of late are forgotten; goroutines come with their own.
	var all sync.WaitGroup
	for g := range 3 {
		own := rand.New(rand.NewPCG(uint64(g), 7))
		all.Go(func() {
			for i := range trials.Of(recentSizes) {
				args := sizedArgs(s.Family.Sig, 1+(i*7+g)%50, own)
				want := evaluated(t, text.String(), args[0], w)
				c := &backends.Call{Args: []soa.View{args[0], {}}}
				if err := e.Execute(t.Context(), c); err != nil || !slices.Equal(want, floats(t, c.Results[0])) {
					t.Errorf("%v, %v: want %v", err, c.Results, want)
				}
			}
		})
	}
	all.Wait()
	require.LessOrEqual(t, len(*s.Dense().recent.Load()), recentSizes)
}

// What is right for all other sizes is not for no elements, of bound constants, too.
func TestOpenNoElements(t *testing.T) {
	all, _ := devices(t, cudafake.Options{})
	a, err := txtar.ParseFile("../reference/testdata/zerosized.txtar")
	require.NoError(t, err)
	for _, f := range a.Files {
		t.Run(f.Name, func(t *testing.T) {
			text := strings.Replace(string(f.Data), "(%x: tensor<?x2xf32>", "(%x: tensor<?x2xf32> {ltc.constant}", 1)
			m := backends.NewModule(text)
			x, err := (&Backend{dev: all[0]}).Compile(t.Context(), m, backends.Options{})
			require.NoError(t, err)
			require.IsType(t, &openExecutable{}, x)
			eval, err := eval.New().Compile(t.Context(), m, backends.Options{})
			require.NoError(t, err)
			ran := map[backends.Executable]bool{}
			for _, n := range []int{3, 0, 1, 0} {
				args := sizedArgs(x.Signature(), n, rand.New(rand.NewPCG(3, uint64(n))))
				bound, err := x.Bind(t.Context(), map[int]soa.View{0: args[0]})
				require.NoError(t, err)
				want := backends.Call{Args: args}
				require.NoError(t, eval.Execute(t.Context(), &want))
				for _, got := range []*backends.Call{{Args: args}, {Args: []soa.View{{}}}} {
					run := x
					if got.Args[0].IsZero() {
						run = bound
					}
					before := run.(*openExecutable).Grown().Load()
					require.NoError(t, run.Execute(t.Context(), got))
					if n == 0 && !ran[run] {
						ran[run] = true
						require.Greater(t, run.(*openExecutable).Grown().Load(), before, "its program counts")
					}
					for j, w := range want.Results {
						v, err := exec.OnHost(got.Results[j])
						require.NoError(t, err)
						require.Equal(t, w.Type, v.Type, n)
						for i := range w.Type.Elements() {
							require.Equal(t, samples.Bits(w, i), samples.Bits(v, i), n)
						}
					}
				}
			}
		})
	}
}

// Sizes that do not fit are errors that say so, and so is a device that is lost.
func TestOpenErrors(t *testing.T) {
	aboutFake(t)
	b, f := backend(t, cudafake.Options{})
	e, err := b.Compile(t.Context(), backends.NewModule(openTexts(t)["centred"]), backends.Options{})
	require.NoError(t, err)
	r := rand.New(rand.NewPCG(6, 6))
	c := &backends.Call{Args: sizedArgs(e.Signature(), 3, r), Results: []soa.View{soa.Make(types.Of(types.F32, 4, 2))}}
	require.ErrorContains(t, e.Execute(t.Context(), c), "execute: result 0")
	c.Results = nil
	require.NoError(t, e.Execute(t.Context(), c))
	f.Lose(0, driver.IllegalAddress)
	c.Args, c.Results = sizedArgs(e.Signature(), 4, r), nil
	require.ErrorIs(t, e.Execute(t.Context(), c), driver.IllegalAddress)
}

// Sizes that do not go together are known without a run, by the words that a run has for
// them, of what is bound, too.
func TestOpenCheckSizes(t *testing.T) {
	aboutFake(t)
	b, f := backend(t, cudafake.Options{})
	x, err := b.Compile(t.Context(), backends.NewModule(`module attributes {ltc.dims = {n = [0, 100]}} {
  func.func public @main(%x: tensor<?x2xf32> {ltc.dim = ["n", ""]}, %y: tensor<?x2xf32> {ltc.constant, ltc.dim = ["n", ""]}) -> tensor<?x2xf32> {
    %0 = stablehlo.add %x, %y : tensor<?x2xf32>
    return %0 : tensor<?x2xf32>
  }
}`), backends.Options{})
	require.NoError(t, err)
	view := func(n int) soa.View { return soa.Make(types.Of(types.F32, n, 2)) }
	bound, err := x.Bind(t.Context(), map[int]soa.View{1: view(3)})
	require.NoError(t, err)
	for _, c := range []struct {
		name string
		run  backends.Executable
		call backends.Call
		want string
	}{
		{"all", x, backends.Call{Args: []soa.View{view(3), view(3)}, Results: []soa.View{view(3)}}, ""},
		{"no result", x, backends.Call{Args: []soa.View{view(5), view(5)}}, ""},
		{"arguments", x, backends.Call{Args: []soa.View{view(3), view(4)}}, "they are one size"},
		{"too many", x, backends.Call{Args: []soa.View{view(101), view(101)}}, "the program is for 0 to 100"},
		{"a result", x, backends.Call{Args: []soa.View{view(3), view(3)}, Results: []soa.View{view(4)}}, "execute: result 0"},
		{"a dimension that is known", x, backends.Call{Args: []soa.View{soa.Make(types.Of(types.F32, 3, 3)), view(3)}}, "execute: argument 0"},
		{"an argument that is not there", x, backends.Call{Args: []soa.View{view(3)}}, "execute: "},
		{"what is bound", bound, backends.Call{Args: []soa.View{view(3), {}}}, ""},
		{"not what is bound", bound, backends.Call{Args: []soa.View{view(4), {}}}, "they are one size"},
	} {
		t.Run(c.name, func(t *testing.T) {
			before := f.Calls("cuLaunchKernel")
			err := c.run.(backends.Sizing).CheckSizes(&c.call)
			require.Equal(t, before, f.Calls("cuLaunchKernel"))
			if c.want == "" {
				require.NoError(t, err)
				require.NoError(t, c.run.Execute(t.Context(), &c.call))
				return
			}
			require.ErrorContains(t, err, c.want)
			require.EqualError(t, c.run.Execute(t.Context(), &c.call), err.Error())
		})
	}
}

// Rows that a block's memory does not hold are the host's, for the sizes that are so.
func TestOpenTooLong(t *testing.T) {
	b, _ := backend(t, cudafake.Options{})
	e, err := b.Compile(t.Context(), backends.NewModule(`func.func public @main(%x: tensor<2x?xf32>) -> tensor<2x?xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %n = stablehlo.get_dimension_size %x, dim = 1 : (tensor<2x?xf32>) -> tensor<i32>
  %n1 = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
  %c2 = stablehlo.constant dense<2> : tensor<1xi32>
  %shape = stablehlo.concatenate %c2, %n1, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %e = stablehlo.exponential %x : tensor<2x?xf32>
  %s = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<2x?xf32>, tensor<f32>) -> tensor<2xf32>
  %sb = stablehlo.dynamic_broadcast_in_dim %s, %shape, dims = [0] : (tensor<2xf32>, tensor<2xi32>) -> tensor<2x?xf32>
  %y = stablehlo.divide %e, %sb : tensor<2x?xf32>
  return %y : tensor<2x?xf32>
}`), backends.Options{})
	require.NoError(t, err)
	for _, n := range []int{8, 26_000, 300} {
		x := soa.Make(types.Of(types.F32, 2, n)) // of ones
		c := &backends.Call{Args: []soa.View{x}}
		require.NoError(t, e.Execute(t.Context(), c))
		require.InEpsilon(t, 1/float32(n), floats(t, c.Results[0])[n], 1e-5)
		at, err := e.(*openExecutable).Dense().at(t.Context(), []int64{int64(n)})
		require.NoError(t, err)
		require.Equal(t, n > 25_000, at.steps[0].lacks != nil, "%v", at.steps[0].lacks)
	}
}

// The listing has the program for one of the sizes.
func TestOpenListing(t *testing.T) {
	trials.Sequential(t)
	got, err := Listing(t.Context(), backends.NewModule(openTexts(t)["loop"]), backends.Options{})
	require.NoError(t, err)
	require.Regexp(t, `^// for 256 elements, and for other numbers likewise\n// step 0: `, got)
	require.Contains(t, got, "// region 1:\n//   step 0: k")
}

// A program in which sizes follow from data is a chain of programs on the device, which are
// compiled once.
func TestSizesThatFollowFromData(t *testing.T) {
	a, err := txtar.ParseFile("../kit/stages/testdata/programs.txtar")
	require.NoError(t, err)
	for _, file := range a.Files {
		if file.Name != "bounded.mlir" && file.Name != "mask of a mask.mlir" {
			continue
		}
		b, f := backend(t, cudafake.Options{Seed: 3})
		m := backends.NewModule(string(file.Data))
		e, err := b.Compile(t.Context(), m, backends.Options{Compiled: true})
		require.NoError(t, err)
		require.IsType(t, &stages.Executable{}, e)
		eval, err := eval.New().Compile(t.Context(), m, backends.Options{})
		require.NoError(t, err)
		loads := func() int64 {
			if f == nil {
				return 0
			}
			return f.Calls("cuModuleLoadDataEx")
		}
		before, r := loads(), rand.New(rand.NewPCG(4, 4))
		q := queue(t, b.dev)
		for i := range 8 {
			want := &backends.Call{Args: sizedArgs(e.Signature(), 0, r)}
			c := &backends.Call{Args: sizedArgs(e.Signature(), 0, r)}
			x := soa.Slice[float32](want.Args[0])
			for k := range x {
				x[k] -= []float32{0, 9, -9, 1}[i%4] // half of them, none, all
			}
			for k := range c.Args {
				require.NoError(t, soa.Copy(c.Args[k], want.Args[k]))
				if i >= 4 {
					c.Args[k] = there(t, b, c.Args[k])
				}
			}
			if i >= 4 {
				c.Queue, c.Resident = q, true
			}
			require.NoError(t, eval.Execute(t.Context(), want))
			require.NoError(t, e.Execute(t.Context(), c))
			require.NoError(t, q.Wait(t.Context()))
			for j := range c.Results {
				require.Equal(t, want.Results[j].Type, c.Results[j].Type)
				require.InDeltaSlice(t, floats(t, want.Results[j]), floats(t, c.Results[j]), 1e-4, "%s, call %d, result %d", file.Name, i, j)
			}
		}
		require.Equal(t, before, loads())
	}
}

// A result of a stage that the host runs, before the last one, is the caller's: later calls do not
// write over it. The host runs calls in which one of several sizes is 0.
func TestResultsOfHostedStages(t *testing.T) {
	const text = `
func.func public @main(%x: tensor<8xf32>, %nk: tensor<2xi32>) -> (tensor<f32>, tensor<?xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %from = stablehlo.constant dense<0> : tensor<1xi32>
  %by = stablehlo.constant dense<1> : tensor<1xi32>
  %n = stablehlo.slice %nk [0:1] : (tensor<2xi32>) -> tensor<1xi32>
  %k = stablehlo.slice %nk [1:2] : (tensor<2xi32>) -> tensor<1xi32>
  %a = stablehlo.real_dynamic_slice %x, %from, %n, %by : (tensor<8xf32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<?xf32>
  %b = stablehlo.real_dynamic_slice %x, %from, %k, %by : (tensor<8xf32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<?xf32>
  %c = stablehlo.concatenate %a, %b, dim = 0 : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  %sum = stablehlo.reduce(%c init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<?xf32>, tensor<f32>) -> tensor<f32>
  %m = stablehlo.convert %sum : (tensor<f32>) -> tensor<i32>
  %m1 = stablehlo.reshape %m : (tensor<i32>) -> tensor<1xi32>
  %few = stablehlo.real_dynamic_slice %x, %from, %m1, %by : (tensor<8xf32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<?xf32>
  return %sum, %few : tensor<f32>, tensor<?xf32>
}`
	b, _ := backend(t, cudafake.Options{Seed: 3})
	e, err := b.Compile(t.Context(), backends.NewModule(text), backends.Options{})
	require.NoError(t, err)
	require.IsType(t, &stages.Executable{}, e)
	var sums []soa.View
	for i := range 3 {
		x, sizes := soa.Make(types.Of(types.F32, 8)), soa.Make(types.Of(types.I32, 2))
		for k := range 8 {
			soa.Slice[float32](x)[k] = 1
		}
		soa.Slice[int32](sizes)[0] = int32(i + 1)
		c := &backends.Call{Args: []soa.View{x, sizes}, Results: make([]soa.View, 2), Resident: true}
		require.NoError(t, e.Execute(t.Context(), c))
		sums = append(sums, c.Results[0])
		for k, s := range sums {
			require.Equal(t, []float32{float32(k + 1)}, floats(t, s), "after call %d", i)
		}
	}
}
