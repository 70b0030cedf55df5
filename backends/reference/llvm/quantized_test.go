package llvm

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/backends/kit/plan"
	"ltc/internal/samples"
	"ltc/internal/test/programs"
	"ltc/internal/trials"
	"ltc/soa"
)

// Ops on quantized elements are kernels that compute what the evaluator does, to the bit: also
// of numbers that are too large, of infinities and NaNs.
func TestQuantized(t *testing.T) {
	all := programs.Quantized()
	names := slices.Sorted(maps.Keys(all))
	if trials.Race { // one shows all that runs at once
		names = names[:1]
	}
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			for seed := range trials.Of(3) {
				requireQuantized(t, all[name], seed)
			}
		})
	}
}

func requireQuantized(t *testing.T, text string, seed int) {
	t.Helper()
	var results [2][]soa.View
	for k, name := range []string{"cpu", "eval"} {
		b, err := backends.Open(name)
		require.NoError(t, err)
		e, err := b.Compile(t.Context(), backends.NewModule(text), backends.Options{})
		require.NoError(t, err, text)
		if name == "cpu" {
			p, ok := e.(interface{ Program() *plan.Program })
			require.True(t, ok, "nothing of it is compiled\n%s", text)
			require.Empty(t, p.Program().HostSteps(), text)
		}
		c := &backends.Call{}
		for i, a := range e.Signature().Args {
			v, err := samples.Make(a.Type, fmt.Sprintf("rand:%d", seed*8+i))
			require.NoError(t, err)
			if seed > 0 {
				wholeRange(v, uint64(seed*8+i))
			}
			c.Args = append(c.Args, v)
		}
		require.NoError(t, e.Execute(t.Context(), c))
		results[k] = c.Results
	}
	for j, want := range results[1] {
		for i := range want.Type.Elements() {
			g, w := samples.Bits(results[0][j], i), samples.Bits(want, i)
			if g != w && !(want.Type.DType.IsFloat() && math.IsNaN(samples.Float(results[0][j], i)) && math.IsNaN(samples.Float(want, i))) {
				require.Fail(t, "different", "seed %d: result %d, element %d is %v, want %v\n%s", seed, j, i, samples.Float(results[0][j], i), samples.Float(want, i), text)
			}
		}
	}
}

// wholeRange sets integers to ones of their whole range, and floats to such as quantize to these
// and beyond.
func wholeRange(v soa.View, seed uint64) {
	x := seed*0x9e3779b97f4a7c15 + 1
	for i := range v.Type.Elements() {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
		switch {
		case !v.Type.DType.IsFloat():
			samples.SetBits(v, i, x>>11&(1<<(8*v.Type.DType.Size()-1)|(1<<(8*v.Type.DType.Size()-1)-1)))
		case x%5 == 0:
			samples.Set(v, i, []float64{math.NaN(), math.Inf(1), math.Inf(-1), 1e30, -1e30, 0, 1e-30}[x>>8%7])
		default:
			samples.Set(v, i, float64(int64(x>>20&0xffff)-0x8000)/[]float64{16, 1024, 7}[x>>9%3])
		}
	}
}
