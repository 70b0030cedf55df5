package reference

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/ir/types"
	"ltc/soa"
)

// A view of one element that shows it more often than there is memory for copies
// is refused where a copy would be made, and changes nothing.
func TestCopiesThatDoNotFit(t *testing.T) {
	for name, text := range map[string]string{
		"closed on cpu": `func.func @main(%x: tensor<1000000x1000000xf32> {ltc.constant}) -> tensor<1x1xf32> {
  %y = stablehlo.slice %x [7:8, 5:6] : (tensor<1000000x1000000xf32>) -> tensor<1x1xf32>
  return %y : tensor<1x1xf32>
}`,
		"open on eval": `func.func @main(%x: tensor<?x1000000xf32> {ltc.constant}) -> tensor<1x1xf32> {
  %y = stablehlo.slice %x [7:8, 5:6] : (tensor<?x1000000xf32>) -> tensor<1x1xf32>
  return %y : tensor<1x1xf32>
}`,
	} {
		t.Run(name, func(t *testing.T) {
			b, err := backends.Open(strings.Fields(name)[2])
			require.NoError(t, err)
			e, err := b.Compile(t.Context(), backends.NewModule(text), backends.Options{})
			require.NoError(t, err)
			x := soa.Make(types.Of(types.F32, 1))
			x.Type, x.Strides = types.Of(types.F32, 1_000_000, 1_000_000), []int{0, 0}
			const want = "argument 0: a copy of f32[1000000,1000000] strides [0 0]: not enough memory: 3.6 TiB are needed"
			c := &backends.Call{Args: []soa.View{x}}
			if err := e.Execute(t.Context(), c); err == nil { // read where it lies
				require.Equal(t, []float32{0}, soa.Slice[float32](c.Results[0]))
			} else {
				require.ErrorIs(t, err, soa.ErrMemory)
				require.ErrorContains(t, err, want)
			}
			_, err = e.Bind(t.Context(), map[int]soa.View{0: x})
			require.ErrorIs(t, err, soa.ErrMemory)
			require.ErrorContains(t, err, want)
		})
	}
}
