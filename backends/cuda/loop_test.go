package cuda

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/internal/test/cudafake"
	"ltc/ir/types"
	"ltc/soa"
)

// writesRows writes row i of w, for i from 0 to n, as 1 more than the row before it.
const writesRows = `func.func public @main(%n: tensor<i32>, %w: tensor<64x256xf32> {tf.aliasing_output = 0 : i32}) -> tensor<64x256xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %r:2 = stablehlo.while(%i = %zero, %v = %w) : tensor<i32>, tensor<64x256xf32>
    cond {
      %c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    } do {
      %j = stablehlo.add %i, %one : tensor<i32>
      %x = stablehlo.dynamic_slice %v, %i, %zero, sizes = [1, 256] : (tensor<64x256xf32>, tensor<i32>, tensor<i32>) -> tensor<1x256xf32>
      %f = stablehlo.constant dense<1.0> : tensor<1x256xf32>
      %y = stablehlo.add %x, %f : tensor<1x256xf32>
      %u = stablehlo.dynamic_update_slice %v, %y, %j, %zero : (tensor<64x256xf32>, tensor<1x256xf32>, tensor<i32>, tensor<i32>) -> tensor<64x256xf32>
      stablehlo.return %j, %u : tensor<i32>, tensor<64x256xf32>
    }
  return %r#1 : tensor<64x256xf32>
}`

// A loop updates a donated argument in its own memory, and copies nothing of it. A run that can be
// cancelled copies it once, at its end.
func TestLoopsUpdateDonatedArguments(t *testing.T) {
	const cache = 4 * 64 * 256
	for seed := range uint64(3) {
		b, f := backend(t, cudafake.Options{Seed: seed})
		e := compile(t, b, writesRows, backends.Options{})
		require.Less(t, e.WorkspaceBytes(), cache/8)
		for _, c := range []struct {
			ctx    context.Context
			copies int64
		}{{context.Background(), 0}, {t.Context(), 1}} {
			n := soa.Make(types.Of(types.I32))
			soa.Slice[int32](n)[0] = 41 // odd: the counter is then in the memory of the result, and not copied
			w := there(t, b, soa.Make(types.Of(types.F32, 64, 256)))
			before := f.Calls("cuMemcpyDtoDAsync_v2")
			call := &backends.Call{Args: []soa.View{there(t, b, n), w}}
			require.NoError(t, e.Execute(c.ctx, call))
			require.Equal(t, c.copies, f.Calls("cuMemcpyDtoDAsync_v2")-before)
			require.Equal(t, w.Base(), call.Results[0].Base())
			for i, x := range floats(t, w) {
				if row := i / 256; row <= 41 && float32(row) != x || row > 41 && x != 0 {
					require.Failf(t, "row", "%d has %v", row, x)
				}
			}
		}
	}
}
