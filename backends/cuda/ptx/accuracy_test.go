package ptx_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends/kit/kernel"
	"ltc/backends/kit/kernel/kerneltest"
	"ltc/internal/trials"
)

// accuracies is how far off the functions of f32 are at most, in units in the last
// place, as their table in math.go has it.
var accuracies = []struct {
	op    kernel.Op
	want  func(x float64) float64
	from  float64 // where to measure
	to    float64
	units float64
}{
	{kernel.Exponential, math.Exp, -87, 88.7, 1},
	{kernel.ExponentialMinusOne, math.Expm1, -20, 88.7, 2},
	{kernel.Log, math.Log, 0, 100, 1},
	{kernel.LogPlusOne, math.Log1p, -1, 100, 1.5},
	{kernel.Logistic, func(x float64) float64 { return 1 / (1 + math.Exp(-x)) }, -80, 20, 2.5},
	{kernel.Tanh, math.Tanh, -10, 10, 2.5},
	{kernel.Erf, math.Erf, -4.5, 4.5, 2.5},
	{kernel.Rsqrt, func(x float64) float64 { return 1 / math.Sqrt(x) }, 0, 100, 1.5},
	{kernel.Sqrt, math.Sqrt, 0, 100, 0.501},
}

func TestAccuracy(t *testing.T) {
	n := trials.Of(20000)
	r := rand.New(rand.NewPCG(5, 6))
	for _, c := range accuracies {
		t.Run(c.op.String(), func(t *testing.T) {
			k, err := kernel.Parse(fmt.Sprintf("kernel k(x: f32[n0] strides [1], out y: f32[n0] strides [1]) {\n for i < n0\n stage {\n %%0 = load x[i]\n %%1 = %v %%0 : f32\n store y[i], %%1\n }\n}", c.op))
			require.NoError(t, err)
			m := kerneltest.NewMemory(k, []int64{int64(n)}, kerneltest.Dense, 0)
			x := make([]uint64, n)
			for i := range x {
				v := c.from + (c.to-c.from)*r.Float64()
				if i%4 == 0 { // near 0
					v = math.Ldexp(r.Float64(), -r.IntN(30))
					if c.from < 0 && i%8 == 0 {
						v = -v
					}
				}
				x[i] = uint64(math.Float32bits(float32(v)))
			}
			special := []float64{0, math.Inf(1), math.NaN(), math.Inf(-1), 0x1p-140, 1, 200, -200}
			for i, v := range special {
				x[i] = uint64(math.Float32bits(float32(v)))
			}
			m.Set(0, x)
			run, err := runner(t, k, 1<<20)
			require.NoError(t, err)
			got, err := m.Run(run)
			require.NoError(t, err)
			worst := 0.0
			for i, y := range got.Get(1) {
				v := float64(math.Float32frombits(uint32(x[i])))
				want, g := c.want(v), float64(math.Float32frombits(uint32(y)))
				if w := float64(float32(want)); w != w || math.IsInf(w, 0) || w == 0 {
					require.True(t, w != w && g != g || w == g, "%v(%v) is %v, want %v", c.op, v, g, w)
					continue
				}
				worst = max(worst, math.Abs(g-want)/unit(want))
			}
			t.Logf("%.2f units", worst)
			require.LessOrEqual(t, worst, c.units)
		})
	}
}

// unit is the distance between floats of 32 bits around x.
func unit(x float64) float64 {
	_, e := math.Frexp(x)
	return math.Ldexp(1, max(e-24, -149))
}
