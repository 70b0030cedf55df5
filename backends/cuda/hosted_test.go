package cuda

import (
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/internal/test/cudafake"
	"ltc/ir/types"
	"ltc/soa"
)

// A program that the host runs as a whole treats donated arguments as one on the device
// does. An argument in the host's memory keeps its value where results are to stay with the
// device, and is written over elsewhere. One in the device's memory is written over.
func TestHostedDonation(t *testing.T) {
	b, _ := backend(t, cudafake.Options{})
	x, err := b.dev.hosted(t.Context(), backends.NewModule(`func.func public @main(%x: tensor<?xf32> {tf.aliasing_output = 0 : i32}, %y: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
  %z = stablehlo.convert %x : (tensor<?xf32>) -> tensor<?xi32>
  %l = stablehlo.slice %z [0:1] : (tensor<?xi32>) -> tensor<1xi32>
  %d = stablehlo.dynamic_iota %l, dim = 0 : (tensor<1xi32>) -> tensor<?xi32>
  %0 = stablehlo.add %x, %x : tensor<?xf32>
  %1 = stablehlo.add %y, %y : tensor<?xf32>
  return %0, %1 : tensor<?xf32>, tensor<?xf32>
}`), backends.Options{})
	require.NoError(t, err)
	for _, c := range []struct {
		name                     string
		onDevice, resident, over bool
	}{
		{"host", false, false, true},
		{"host, resident", false, true, false},
		{"device", true, false, true},
		{"device, resident", true, true, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			x0 := soa.Make(types.Of(types.F32, 3))
			copy(soa.Slice[float32](x0), []float32{1, 2, 3})
			if c.onDevice {
				x0 = there(t, b, x0)
			}
			call := &backends.Call{Args: []soa.View{x0, soa.Make(types.Of(types.F32, 2))}, Resident: c.resident}
			require.NoError(t, x.Execute(t.Context(), call))
			require.Equal(t, []float32{2, 4, 6}, floats(t, call.Results[0]))
			require.Equal(t, c.over, call.Results[0].Base() == x0.Base())
			if c.over {
				require.Equal(t, []float32{2, 4, 6}, floats(t, x0))
			} else {
				require.Equal(t, []float32{1, 2, 3}, floats(t, x0))
			}
		})
	}
}
