package cuda

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/internal/test/cudafake"
	"ltc/ir/types"
	"ltc/soa"
)

// sortedBeside has the host sort the first of four products, of which the others are
// made before it and need not be done; a sixth kernel needs both.
const sortedBeside = `func.func public @main(%a: tensor<8x8xf32>, %n: tensor<f32>) -> tensor<8x8xf32> {
  %0 = stablehlo.dot_general %a, %a, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = stablehlo.dot_general %a, %a, contracting_dims = [0] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %2 = stablehlo.dot_general %1, %a, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %3 = stablehlo.dot_general %2, %a, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %s = "stablehlo.sort"(%0) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %z = stablehlo.add %x, %n : tensor<f32>
    %c = stablehlo.compare LT, %z, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }) {dimension = 1 : i64, is_stable = true} : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %4 = stablehlo.dot_general %s, %3, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  return %4 : tensor<8x8xf32>
}`

// A step of the host waits for its operands, and not for kernels that were queued behind
// what makes them; what follows waits for what it gives.
func TestHostBesideKernels(t *testing.T) {
	aboutFake(t) // which knows what is ordered
	for seed := range uint64(6) {
		b, f := backend(t, cudafake.Options{Seed: seed})
		if seed%2 == 1 {
			b.dev.home.large = 1 // all that is copied is copied beside kernels
		}
		e := compile(t, b, sortedBeside, backends.Options{})
		_, hosts := e.Compiled()
		require.Equal(t, 1, hosts)
		r := rand.New(rand.NewPCG(seed, 3))
		for range 3 {
			args := append(factorsOf(r, 0), soa.Make(types.Of(types.F32)))
			want := results(t, sortedBeside, args...)
			c := &backends.Call{Args: args}
			kernels, ups, downs := kinds(f.Watch(func() { require.NoError(t, e.Execute(context.Background(), c)) }))
			require.Equal(t, floats(t, want[0]), floats(t, c.Results[0]))
			require.Len(t, kernels, 5)
			fetched := downs[0]
			require.True(t, kernels[0].Before(fetched))
			for _, k := range kernels[1:4] {
				require.False(t, k.Before(fetched), "%v", k)
			}
			require.True(t, ups[len(ups)-1].Before(kernels[4]))
			require.True(t, fetched.Before(kernels[4]), "its host has copied what was fetched")
		}
	}
}

// An event that cannot be noted, or waited for, is the run's error; the next run is as if
// nothing had been.
func TestHostBesideKernelsFails(t *testing.T) {
	aboutFake(t)
	b, f := backend(t, cudafake.Options{Seed: 4})
	e := compile(t, b, sortedBeside, backends.Options{})
	args := append(factorsOf(rand.New(rand.NewPCG(1, 1)), 0), soa.Make(types.Of(types.F32)))
	want := results(t, sortedBeside, args...)
	for _, call := range []string{"cuEventRecord", "cuStreamWaitEvent", "cuMemcpyDtoHAsync_v2"} {
		failed := 0
		for after := range 2 {
			f.Fail(call, after, 1)
			if e.Execute(context.Background(), &backends.Call{Args: args}) != nil {
				failed++
			} else {
				require.Equal(t, "cuEventRecord", call, "a copy is waited for, if it is not noted")
			}
			c := &backends.Call{Args: args}
			require.NoError(t, e.Execute(context.Background(), c), call)
			require.Equal(t, floats(t, want[0]), floats(t, c.Results[0]))
		}
		require.Positive(t, failed, call)
	}
}
