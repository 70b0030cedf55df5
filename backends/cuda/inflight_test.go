package cuda

import (
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/internal/test/cudafake"
	"ltc/ir/types"
	"ltc/soa"
)

// powers multiplies a matrix with itself n times in a loop, whose last turn may leave the
// product in memory of the loop's own.
const powers = `func.func public @main(%n: tensor<i32>, %x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %0:2 = stablehlo.while(%i = %n, %v = %x) : tensor<i32>, tensor<4x4xf32>
    cond {
      %c = stablehlo.compare GT, %i, %zero : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    } do {
      %one = stablehlo.constant dense<1> : tensor<i32>
      %j = stablehlo.subtract %i, %one : tensor<i32>
      %w = stablehlo.dot_general %v, %x, contracting_dims = [1] x [0] : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
      stablehlo.return %j, %w : tensor<i32>, tensor<4x4xf32>
    }
  return %0#1 : tensor<4x4xf32>
}`

// A queued run keeps its memory until it is done. That includes the memory of its loops
// when the program was run in so many other queues since then that this queue's is given
// up.
func TestQueuedKeeps(t *testing.T) {
	for seed := range uint64(4) {
		b, _ := backend(t, cudafake.Options{Seed: seed})
		e := compile(t, b, powers, backends.Options{})
		n := soa.Make(types.Of(types.I32))
		soa.Slice[int32](n)[0] = 2
		x := soa.Make(types.Of(types.F32, 4, 4))
		for i := range 4 {
			soa.Slice[float32](x)[5*i] = 3
		}
		args := []soa.View{there(t, b, n), there(t, b, x)}
		var all []*backends.Call
		for range keptRunners + 3 {
			c := &backends.Call{Args: args, Resident: true, Queue: queue(t, b.dev)}
			require.NoError(t, e.Execute(t.Context(), c))
			all = append(all, c)
		}
		for range 3 {
			runtime.GC()
			time.Sleep(2 * time.Millisecond) // the collector's cleanups run
		}
		for _, c := range all {
			require.NoError(t, c.Queue.Wait(t.Context()))
			require.Equal(t, float32(27), floats(t, c.Results[0])[15])
		}
	}
}
