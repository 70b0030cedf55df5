package cudasim

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/internal/samples"
	"ltc/internal/test/programs"
	"ltc/soa"
)

// Fourier transforms are PTX alone, and within some last places of the largest element of what the
// evaluator computes in f64.
func TestFourierTransforms(t *testing.T) {
	for kind, lengths := range map[string][]int{"FFT": {4, 64, 101, 1000, 2018, 5001}, "IFFT": {60}, "RFFT": {128, 1 << 12, 5001, 1 << 13}, "IRFFT": {35, 36, 4000, 1 << 13}} {
		for _, n := range lengths {
			t.Run(fmt.Sprint(kind, "/", n), func(t *testing.T) {
				text := programs.Fourier(kind, "f32", []int{3, n}, 1)
				var all [2][]soa.View
				for i, on := range []string{"cudasim", "eval"} {
					b, err := backends.Open(on)
					require.NoError(t, err)
					e, err := b.Compile(t.Context(), backends.NewModule(text), backends.Options{Compiled: on == "cudasim"})
					require.NoError(t, err)
					call := &backends.Call{}
					for i, a := range e.Signature().Args {
						v, err := samples.Make(a.Type, fmt.Sprintf("rand:%d", i))
						require.NoError(t, err)
						call.Args = append(call.Args, v)
					}
					require.NoError(t, e.Execute(t.Context(), call))
					all[i] = call.Results
				}
				largest, worst := 0.0, 0.0
				for i := range all[1] {
					got := soa.Slice[float32](all[0][i])
					for k, want := range soa.Slice[float32](all[1][i]) {
						largest = max(largest, math.Abs(float64(want)))
						if diff := math.Abs(float64(got[k] - want)); !(diff <= worst) {
							worst = diff
						}
					}
				}
				require.LessOrEqual(t, worst/largest, 12*0x1p-23)
			})
		}
	}
}
