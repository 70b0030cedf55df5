package cuda

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/backends/backendtest"
	"ltc/backends/kit/plan"
	"ltc/internal/test/cudafake"
	_ "ltc/internal/test/interpreter" // what the programs of the suite exchange
	"ltc/internal/trials"
	"ltc/ir/types"
	"ltc/soa"
	"ltc/stablehlo"
)

// backend opens the backend on a fake's first device.
func backend(t *testing.T, o cudafake.Options) (*Backend, *cudafake.Fake) {
	all, f := devices(t, o)
	return On(all[0]), f
}

func TestSmallest(t *testing.T) {
	b, _ := backend(t, cudafake.Options{})
	e, err := b.Compile(t.Context(), backends.NewModule(`func.func public @main(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.add %a, %b : tensor<4xf32>
  %1 = stablehlo.multiply %0, %b : tensor<4xf32>
  return %1 : tensor<4xf32>
}`), backends.Options{})
	require.NoError(t, err)
	x, err := soa.Borrow([]float32{1, 2, 3, 4}, types.Of(types.F32, 4))
	require.NoError(t, err)
	c := &backends.Call{Args: []soa.View{x, x}}
	require.NoError(t, e.Execute(context.Background(), c))
	require.Equal(t, []float32{2, 8, 18, 32}, soa.Slice[float32](c.Results[0]))
}

// sortCounter counts the sorts of what it compiles, and says why others are the host's.
type sortCounter struct {
	*Backend
	mu      sync.Mutex
	kernels int
	left    map[string]int
}

func (s *sortCounter) Compile(ctx context.Context, m backends.Module, o backends.Options) (backends.Executable, error) {
	e, err := s.Backend.Compile(ctx, m, o)
	if x, ok := e.(*executable); ok {
		s.mu.Lock()
		defer s.mu.Unlock()
		x.Program().Each(func(step *plan.Step) {
			switch w := step.Work.(type) {
			case *plan.Sort:
				s.kernels++
			case *plan.Host:
				if w.Op == stablehlo.Sort {
					s.left[w.Reason]++
				}
			}
		})
	}
	return e, err
}

// The suite passes; what it leaves to the host is counted as supported, too. It sorts
// on the device what has elements of kernels.
func TestSuite(t *testing.T) { suite(t, 0) }

// It passes however late a driver does what was queued: make soak tries four more.
func TestSuiteLate(t *testing.T) {
	if !trials.Soaking() {
		t.Skip("TestSuite on other drivers: make soak runs it")
	}
	for i := range uint64(trials.Soak(0, 4)) {
		t.Run(fmt.Sprint("seed ", 1+i), func(t *testing.T) { suite(t, 1+i) })
	}
}

func suite(t *testing.T, seed uint64) {
	b, _ := backend(t, cudafake.Options{Seed: seed})
	s := &sortCounter{Backend: b, left: map[string]int{}}
	for _, g := range backendtest.Run(t, func(string) (backends.Backend, error) { return s, nil }).Groups {
		require.Positive(t, g.Passed, g.Name)
		require.Zero(t, g.Unsupported, g.Name)
	}
	delete(s.left, "elements that kernels do not have")
	require.Empty(t, s.left)
	require.Greater(t, s.kernels, 40)
}

// Large products are compiled for the device they run on, all else for any.
func TestTarget(t *testing.T) {
	trials.Sequential(t)
	large := `func.func public @main(%a: tensor<4096x64xbf16>, %b: tensor<64x4096xbf16>) -> tensor<4096x4096xbf16> {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<4096x64xbf16>, tensor<64x4096xbf16>) -> tensor<4096x4096xbf16>
  return %0 : tensor<4096x4096xbf16>
}`
	for _, c := range []struct {
		name, text string
		major      int
		target     string
	}{
		{"large", large, 9, ".target sm_90a\n"},
		{"another device", large, 8, ".target sm_80\n"},
		{"small", strings.ReplaceAll(large, "4096", "64"), 9, ".target sm_80\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			b, _ := backend(t, cudafake.Options{Major: c.major})
			e, err := b.Compile(t.Context(), backends.NewModule(c.text), backends.Options{})
			require.NoError(t, err)
			text, err := e.Artifact()
			require.NoError(t, err)
			require.Contains(t, string(text), c.target)
			list := map[int]func(context.Context, backends.Module, backends.Options) (string, error){8: Listing, 9: HopperListing}[c.major]
			listed, err := list(t.Context(), backends.NewModule(c.text), backends.Options{})
			require.NoError(t, err)
			require.Contains(t, listed, c.target)
			require.Contains(t, string(text), "mma")
		})
	}
}

// It says which products cuBLASLt would compute, if they are large enough.
func TestListingOfProducts(t *testing.T) {
	trials.Sequential(t)
	text := `func.func public @main(%x: tensor<512x512xbf16>, %w: tensor<512x512xbf16>) -> tensor<512x512xbf16> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<512x512xbf16>, tensor<512x512xbf16>) -> tensor<512x512xbf16>
  return %0 : tensor<512x512xbf16>
}`
	const says = "; where cuBLASLt is found, that computes 1 of bf16 512x512x512 to bf16, epilogue: none\n"
	got, err := Listing(t.Context(), backends.NewModule(text), backends.Options{})
	require.NoError(t, err)
	require.Contains(t, got, says)
	got, err = Listing(t.Context(), backends.NewModule(strings.ReplaceAll(text, "512", "256")), backends.Options{})
	require.NoError(t, err)
	require.NotContains(t, got, "cuBLASLt")
}

// For GPUs of sm_90a it says which entry warpgroups multiply in, and how that is launched.
func TestListingOfBoxes(t *testing.T) {
	trials.Sequential(t)
	m := backends.NewModule(`func.func public @main(%a: tensor<4096x64xbf16>, %b: tensor<64x4096xbf16>) -> tensor<4096x4096xbf16> {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<4096x64xbf16>, tensor<64x4096xbf16>) -> tensor<4096x4096xbf16>
  return %0 : tensor<4096x4096xbf16>
}`)
	const says = "; where tensor maps reach its operands k1, grid "
	got, err := HopperListing(t.Context(), m, backends.Options{})
	require.NoError(t, err)
	require.Contains(t, got, says)
	require.Contains(t, got, "wgmma.mma_async")
	got, err = Listing(t.Context(), m, backends.Options{})
	require.NoError(t, err)
	require.NotContains(t, got, says)
}

// The listing says how each step is run, of regions, too, and needs no device.
func TestListing(t *testing.T) {
	trials.Sequential(t)
	got, err := Listing(t.Context(), backends.NewModule(`func.func public @main(%a: tensor<4xi32>, %n: tensor<i32>) -> tensor<4xi32> {
  %0 = "stablehlo.sort"(%a) ({
  ^bb0(%x: tensor<i32>, %y: tensor<i32>):
    %c = stablehlo.compare LT, %x, %y : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }) {dimension = 0 : i64, is_stable = true} : (tensor<4xi32>) -> tensor<4xi32>
  %s = "stablehlo.sort"(%0) ({
  ^bb0(%x: tensor<i32>, %y: tensor<i32>):
    %c = stablehlo.compare LT, %x, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }) {dimension = 0 : i64, is_stable = true} : (tensor<4xi32>) -> tensor<4xi32>
  %1:2 = stablehlo.while(%i = %n, %v = %s) : tensor<i32>, tensor<4xi32>
    cond {
      %z = stablehlo.constant dense<0> : tensor<i32>
      %c = stablehlo.compare GT, %i, %z : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    } do {
      %one = stablehlo.constant dense<1> : tensor<i32>
      %j = stablehlo.subtract %i, %one : tensor<i32>
      %w = stablehlo.add %v, %v : tensor<4xi32>
      stablehlo.return %j, %w : tensor<i32>, tensor<4xi32>
    }
  return %1#1 : tensor<4xi32>
}`), backends.Options{})
	require.NoError(t, err)
	require.Regexp(t, `^// step 0: k\d+: sort of \[i32\] by 1 of them, tiles of 4096, grid \[1 1 1\] of blocks \[32 1 1\] with 32 bytes
// step 1: stablehlo.sort, run by the host: its comparator uses what is outside of it
// step 2: while, driven by the host
// region 0:
//   step 0: k\d+: compare, points of .*
// region 1:
//   step 0: k\d+: .*
(//   step 1: k\d+: .*
)?\.version `, got)
	require.Contains(t, got, ".visible .entry k0(")
}
