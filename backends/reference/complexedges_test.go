package reference

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/internal/trials"
	"ltc/ir/types"
	"ltc/soa"
)

// On branch cuts, beside poles, where factors overflow and at infinities complex
// functions have the values of annex G of C, or the exact limit. A zero's sign is the
// side of a cut.
func TestComplexFunctionsAtTheirEdges(t *testing.T) {
	trials.Sequential(t)
	inf, nan, minus := math.Inf(1), math.NaN(), math.Copysign(0, -1)
	for op, all := range map[string][][2]complex128{
		"stablehlo.log_plus_one": {
			{complex(-2, 0), complex(0, math.Pi)}, {complex(-2, minus), complex(0, -math.Pi)},
			{complex(-1, 0), complex(-inf, 0)}, {complex(-1, minus), complex(-inf, minus)},
			{complex(-1, 1e-300), complex(-690.7755278982137, math.Pi/2)}, {complex(2, minus), complex(1.0986122886681098, minus)},
			{complex(inf, nan), complex(inf, nan)},
		},
		"stablehlo.exponential": {
			{complex(711, 0), complex(inf, 0)}, {complex(711, minus), complex(inf, minus)}, {complex(1, inf), complex(nan, nan)},
		},
		"stablehlo.logistic": {
			{complex(inf, inf), 1}, {complex(inf, nan), 1}, {complex(-inf, inf), 0}, {complex(-inf, nan), 0}, {complex(inf, 1), 1},
			{complex(0, 3), complex(0.5, 7.05070997358612)}, {complex(-711, 1), complex(8.8973400187467e-310, 1.38567860740773e-309)},
		},
		"chlo.atan": {
			{complex(0, 2), complex(math.Pi/2, 0.5493061443340549)}, {complex(minus, 2), complex(-math.Pi/2, 0.5493061443340549)},
			{complex(0, -2), complex(math.Pi/2, -0.5493061443340549)}, {complex(2, 0), complex(1.1071487177940904, 0)},
			{complex(2, minus), complex(1.1071487177940904, minus)}, {complex(0, 1), complex(0, inf)},
			{complex(1e-300, 1), complex(math.Pi/4, 345.7343375393868)}, {complex(inf, 0), complex(math.Pi/2, 0)},
			{complex(nan, 1), complex(nan, nan)}, {complex(1, nan), complex(nan, nan)},
			{complex(nan, 0), complex(nan, 0)},
		},
		"chlo.atanh": {
			{complex(2, 0), complex(0.5493061443340549, math.Pi/2)}, {complex(2, minus), complex(0.5493061443340549, -math.Pi/2)},
			{complex(minus, 0.5), complex(minus, 0.4636476090008061)}, {complex(-1, 1e-300), complex(-345.7343375393868, math.Pi/4)},
			{complex(inf, minus), complex(0, -math.Pi/2)}, {complex(inf, nan), complex(0, nan)}, {complex(0, nan), complex(0, nan)},
			{complex(1e300, minus), complex(1e-300, -math.Pi/2)},
		},
		"chlo.acos": {
			{complex(0, 0), complex(math.Pi/2, minus)}, {complex(minus, 0), complex(math.Pi/2, minus)}, {complex(minus, minus), complex(math.Pi/2, 0)},
			{complex(2, 0), complex(0, -1.3169578969248167)}, {complex(2, minus), complex(0, 1.3169578969248167)},
			{complex(-2, 0), complex(math.Pi, -1.3169578969248167)}, {complex(-2, minus), complex(math.Pi, 1.3169578969248167)},
			{complex(0.5, 0), complex(math.Pi/3, minus)}, {complex(0.5, minus), complex(math.Pi/3, 0)}, {complex(1, 0), complex(0, minus)},
			{complex(minus, nan), complex(math.Pi/2, nan)}, {complex(1, nan), complex(nan, nan)}, {complex(nan, 0), complex(nan, nan)},
			{complex(3, inf), complex(math.Pi/2, -inf)}, {complex(-inf, 1), complex(math.Pi, -inf)}, {complex(-inf, minus), complex(math.Pi, inf)},
			{complex(inf, 1), complex(0, -inf)}, {complex(inf, minus), complex(0, inf)}, {complex(-inf, inf), complex(3*math.Pi/4, -inf)},
			{complex(inf, -inf), complex(math.Pi/4, inf)}, {complex(nan, -inf), complex(nan, inf)},
		},
		"chlo.acosh": {
			{complex(0, 0), complex(0, math.Pi/2)}, {complex(minus, minus), complex(0, -math.Pi/2)},
			{complex(0.5, 0), complex(0, math.Pi/3)}, {complex(0.5, minus), complex(0, -math.Pi/3)},
			{complex(-2, 0), complex(1.3169578969248167, math.Pi)}, {complex(-2, minus), complex(1.3169578969248167, -math.Pi)},
			{complex(2, 0), complex(1.3169578969248167, 0)}, {complex(2, minus), complex(1.3169578969248167, minus)},
			{complex(1, minus), complex(0, minus)}, {complex(0, nan), complex(nan, math.Pi/2)}, {complex(1, nan), complex(nan, nan)},
			{complex(3, -inf), complex(inf, -math.Pi/2)}, {complex(-inf, minus), complex(inf, -math.Pi)}, {complex(inf, minus), complex(inf, minus)},
			{complex(-inf, inf), complex(inf, 3*math.Pi/4)}, {complex(inf, inf), complex(inf, math.Pi/4)}, {complex(-inf, nan), complex(inf, nan)},
			{complex(nan, inf), complex(inf, nan)}, {complex(nan, 0), complex(nan, nan)},
		},
		"chlo.asin": {
			{complex(0, 0), complex(0, 0)}, {complex(minus, 0), complex(minus, 0)}, {complex(minus, minus), complex(minus, minus)},
			{complex(2, 0), complex(math.Pi/2, 1.3169578969248167)}, {complex(2, minus), complex(math.Pi/2, -1.3169578969248167)},
			{complex(-2, 0), complex(-math.Pi/2, 1.3169578969248167)}, {complex(-2, minus), complex(-math.Pi/2, -1.3169578969248167)},
			{complex(0.5, minus), complex(math.Pi/6, minus)}, {complex(minus, 2), complex(minus, 1.4436354751788103)},
			{complex(minus, nan), complex(minus, nan)}, {complex(1, nan), complex(nan, nan)}, {complex(nan, 1), complex(nan, nan)},
			{complex(3, -inf), complex(0, -inf)}, {complex(-inf, minus), complex(-math.Pi/2, -inf)}, {complex(inf, inf), complex(math.Pi/4, inf)},
			{complex(nan, -inf), complex(nan, -inf)},
		},
		"chlo.asinh": {
			{complex(0, 0), complex(0, 0)}, {complex(minus, 0), complex(minus, 0)}, {complex(minus, minus), complex(minus, minus)},
			{complex(0, 2), complex(1.3169578969248167, math.Pi/2)}, {complex(minus, 2), complex(-1.3169578969248167, math.Pi/2)},
			{complex(0, -2), complex(1.3169578969248167, -math.Pi/2)}, {complex(minus, -2), complex(-1.3169578969248167, -math.Pi/2)},
			{complex(minus, 0.5), complex(minus, math.Pi/6)}, {complex(2, minus), complex(1.4436354751788103, minus)},
			{complex(nan, minus), complex(nan, minus)}, {complex(nan, 1), complex(nan, nan)}, {complex(1, nan), complex(nan, nan)},
			{complex(minus, inf), complex(-inf, math.Pi/2)}, {complex(-inf, minus), complex(-inf, minus)}, {complex(inf, -inf), complex(inf, -math.Pi/4)},
			{complex(-inf, nan), complex(-inf, nan)},
		},
		"chlo.sinh": {
			{complex(711, 1), complex(1.64052728743275e308, inf)}, {complex(-711, 1.5), complex(-2.1478033373565e307, inf)},
			{complex(720, math.Pi/2), complex(1.50653016095225e296, inf)}, {complex(0, inf), complex(0, nan)}, {complex(0, nan), complex(0, nan)},
			{complex(inf, inf), complex(inf, nan)}, {complex(-inf, nan), complex(-inf, nan)}, {complex(711, 0), complex(inf, 0)},
			{complex(-inf, 0), complex(-inf, 0)}, {complex(minus, 0), complex(minus, 0)}, {complex(0, minus), complex(0, minus)},
		},
		"chlo.cosh": {
			{complex(720, math.Pi/2), complex(1.50653016095225e296, inf)}, {complex(-1, 0), complex(1.5430806348152437, minus)},
			{complex(0, nan), complex(nan, 0)}, {complex(-inf, inf), complex(inf, nan)}, {complex(711, minus), complex(inf, minus)},
			{complex(0, 0), 1}, {complex(minus, 0), complex(1, minus)}, {complex(minus, minus), 1}, {complex(0, minus), complex(1, minus)},
		},
	} {
		arrow := ""
		if op[0] == 'c' {
			arrow = fmt.Sprintf(" -> tensor<%dxcomplex<f64>>", len(all))
		}
		text := fmt.Sprintf(`func.func @main(%%a: tensor<%[1]dxf64>, %%b: tensor<%[1]dxf64>) -> (tensor<%[1]dxf64>, tensor<%[1]dxf64>) {
  %%z = stablehlo.complex %%a, %%b : tensor<%[1]dxcomplex<f64>>
  %%w = %[2]s %%z : tensor<%[1]dxcomplex<f64>>%[3]s
  %%r = stablehlo.real %%w : (tensor<%[1]dxcomplex<f64>>) -> tensor<%[1]dxf64>
  %%i = stablehlo.imag %%w : (tensor<%[1]dxcomplex<f64>>) -> tensor<%[1]dxf64>
  return %%r, %%i : tensor<%[1]dxf64>, tensor<%[1]dxf64>
}`, len(all), op, arrow)
		re, im := soa.Make(types.Of(types.F64, len(all))), soa.Make(types.Of(types.F64, len(all)))
		for i, c := range all {
			soa.Slice[float64](re)[i], soa.Slice[float64](im)[i] = real(c[0]), imag(c[0])
		}
		for _, backend := range []string{"eval", "cpu"} {
			b, err := backends.Open(backend)
			require.NoError(t, err)
			e, err := b.Compile(t.Context(), backends.NewModule(text), backends.Options{})
			require.NoError(t, err)
			c := &backends.Call{Args: []soa.View{re, im}}
			require.NoError(t, e.Execute(t.Context(), c))
			for i, x := range all {
				for k, want := range []float64{real(x[1]), imag(x[1])} {
					got := soa.Slice[float64](c.Results[k])[i]
					same := got == want && math.Signbit(got) == math.Signbit(want) || got != got && want != want || want != 0 && math.Abs(got-want) <= 1e-12*math.Abs(want)
					if !same {
						t.Errorf("%s: %s of %v: part %d is %v, want %v", backend, op, x[0], k, got, want)
					}
				}
			}
		}
	}
}
