package special_test

import (
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	_ "ltc/backends/reference"
	"ltc/ir/ops"
	"ltc/ir/types"
	"ltc/lazy"
	"ltc/special"
)

// trace returns a trace of a device.
func trace(t *testing.T, backend string) *lazy.Trace {
	dev, err := lazy.Open(backend)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, dev.Close()) })
	return lazy.NewTrace(dev)
}

func logit(eps float64) func(x *lazy.Tensor) *lazy.Tensor {
	return func(x *lazy.Tensor) *lazy.Tensor { return special.Logit(x, eps) }
}

func polygamma(n int) func(x *lazy.Tensor) *lazy.Tensor {
	return func(x *lazy.Tensor) *lazy.Tensor { return special.Polygamma(x, n) }
}

func mvlgamma(p int) func(x *lazy.Tensor) *lazy.Tensor {
	return func(x *lazy.Tensor) *lazy.Tensor { return special.MvLgamma(x, p) }
}

// degree is a function of x and of a degree, for one degree.
func degree(f func(x, n *lazy.Tensor) *lazy.Tensor, n float64) func(x *lazy.Tensor) *lazy.Tensor {
	return func(x *lazy.Tensor) *lazy.Tensor { return f(x, lazy.Const(x.Trace(), x.DType(), n)) }
}

// polynomials are the functions whose second operand is a degree.
var polynomials = []func(x, n *lazy.Tensor) *lazy.Tensor{
	special.ChebyshevT, special.ChebyshevU, special.ChebyshevV, special.ChebyshevW,
	special.ShiftedChebyshevT, special.ShiftedChebyshevU, special.ShiftedChebyshevV, special.ShiftedChebyshevW,
	special.HermiteH, special.HermiteHe, special.LaguerreL, special.LegendreP,
}

// A polynomial has degrees of its own for each element: fractions are left out, and below 0 it is 0, as for
// NaN and infinities.
func TestDegrees(t *testing.T) {
	for _, backend := range []string{"eval", "cpu"} {
		tr := trace(t, backend)
		x := lazy.From(tr, []float64{0.25, 0.75, -1.5}).Unsqueeze(1)
		n := lazy.From(tr, []float64{3.75, -1, 0, 1, -0.5, nan, 2, inf, -inf})
		for k, f := range polynomials {
			y, third, first, second := f(x, n), degree(f, 3)(x), degree(f, 1)(x), degree(f, 2)(x)
			zero := third.MulScalar(0)
			want := lazy.Concatenate(1, third, zero, zero.AddScalar(1), first, zero.AddScalar(1), zero, second, zero, zero)
			empty := f(lazy.Zeros(tr, lazy.F32, 0, 3), lazy.Zeros(tr, lazy.F32, 3))
			same := y.Equal(want).All()
			require.NoError(t, tr.MarkStep(same, empty), k)
			got, err := lazy.ToSlice[bool](same)
			require.NoError(t, err)
			require.True(t, got[0], "polynomial %d on %s", k, backend)
			require.Equal(t, []int{0, 3}, []int(empty.Shape()))
		}
	}
}

// The first derivative of digamma at negative integers is PyTorch's: π²/sin²(πx), where πx is rounded.
func TestPolygammaAtNegativeIntegers(t *testing.T) {
	x := []float64{-1, -2, -3, -8}
	for _, backend := range []string{"eval", "cpu"} {
		tr := trace(t, backend)
		for d, want := range map[types.DType][]float64{
			lazy.F64:  {6.580790147320947e+32, 1.6451975368302367e+32, 7.311989052578831e+31, 1.0282484605188979e+31},
			lazy.F32:  {1291369695936512, 322842423984128, 17351287771234304, 20177651499008},
			lazy.BF16: {1293025674264576, 323256418566144, 17381079811883008, 20203526160384},
			lazy.F16:  {inf, inf, inf, inf},
		} {
			in := lazy.From(tr, x).Convert(d)
			// The gradients of the orders 0 and 1 are those of the orders 1 and 2.
			y, first, second := special.Polygamma(in, 1), lazy.Grad(special.Polygamma(in, 0).Sum(), in)[0], lazy.Grad(special.Polygamma(in, 1).Sum(), in)[0]
			all := []*lazy.Tensor{y.Convert(lazy.F64), first.Convert(lazy.F64), second.Convert(lazy.F64)}
			require.NoError(t, tr.MarkStep(all...))
			for k, want := range [][]float64{want, want, {-inf, -inf, -inf, -inf}} {
				got, err := lazy.ToSlice[float64](all[k])
				require.NoError(t, err)
				for i := range want {
					if got[i] != want[i] {
						require.InEpsilon(t, want[i], got[i], map[types.DType]float64{lazy.F64: 1e-14, lazy.F32: 4e-7, lazy.BF16: 0x1p-8}[d], "%d of %v in %v on %s", k, x[i], d, backend)
					}
				}
			}
		}
	}
}

// The values are PyTorch's, those of the least integers too.
func TestDivisors(t *testing.T) {
	for _, backend := range []string{"eval", "cpu"} {
		tr := trace(t, backend)
		for _, c := range []struct {
			d                  types.DType
			x, y, divisor, lcm []int64
		}{
			{lazy.I64, []int64{0, 0, 4, -6, 12586269025, math.MinInt64}, []int64{0, -3, 0, 4, 7778742049, 3}, []int64{0, 3, 4, 2, 1, 1}, []int64{0, 0, 0, 12, 5671619736245974145, math.MinInt64}},
			{lazy.I32, []int64{1836311903, 100, -7}, []int64{1134903170, 75, -7}, []int64{1, 25, 7}, []int64{846734530, 300, 7}},
			{lazy.I8, []int64{-128, -128, -128, 127, 100, 14}, []int64{-128, 0, 6, 3, 75, 17}, []int64{-128, -128, -2, 1, 25, 1}, []int64{-128, 0, -128, 125, 44, -18}},
			{lazy.U8, []int64{0, 200, 255}, []int64{3, 150, 10}, []int64{3, 50, 5}, []int64{0, 88, 254}},
		} {
			x, y := lazy.From(tr, c.x).Convert(c.d), lazy.From(tr, c.y).Convert(c.d)
			empty := special.GCD(x.Unsqueeze(1), x.Narrow(0, 0, 0))
			all := []*lazy.Tensor{special.GCD(x, y).Convert(lazy.I64), special.LCM(x, y).Convert(lazy.I64), empty}
			require.Equal(t, []int{len(c.x), 0}, []int(empty.Shape()))
			require.NoError(t, tr.MarkStep(all...))
			for k, want := range [][]int64{c.divisor, c.lcm} {
				got, err := lazy.ToSlice[int64](all[k])
				require.NoError(t, err)
				require.Equal(t, want, got, "%v %d on %s", c.d, k, backend)
			}
		}
	}
}

// PyTorch has no gradient for the order of the incomplete gamma functions either.
func TestGammaIncHasNoGradientOfItsOrder(t *testing.T) {
	tr := trace(t, "eval")
	a, x := lazy.From(tr, []float64{2.5, 3}), lazy.From(tr, []float64{2, 1})
	for name, f := range map[string]func(a, x *lazy.Tensor) *lazy.Tensor{"gammainc": special.GammaInc, "gammaincc": special.GammaIncC} {
		each := lazy.Vmap(func(_ *lazy.Trace, x []*lazy.Tensor) []*lazy.Tensor { return []*lazy.Tensor{f(x[0], x[1])} }, []*lazy.Tensor{a, x}, lazy.VmapOptions{})
		for _, y := range []*lazy.Tensor{f(a, x), each[0]} {
			bad := lazy.Grad(y.Sum(), a, x)[0].Err()
			require.ErrorContains(t, bad, "special."+name+" at special_test.go:")
			require.ErrorContains(t, bad, " has no gradient with respect to a: give it a.Stop() if a is a constant")
			alone, err := lazy.ToSlice[float64](lazy.Grad(y.Sum(), x)[0])
			require.NoError(t, err)
			stopped, err := lazy.ToSlice[float64](lazy.Grad(f(a.Stop(), x).Sum(), a, x)[1])
			require.NoError(t, err)
			require.Equal(t, alone, stopped)
		}
	}
}

// The gradient has the shape of a broadcast operand.
func TestGradientOfBroadcastGammaInc(t *testing.T) {
	tr := trace(t, "eval")
	a, x := lazy.From(tr, []float64{2.5, 2.5, 2.5, 2.5}).Reshape(2, 1, 2), lazy.From(tr, []float64{2, 2, 2}).Unsqueeze(1)
	gradient := lazy.Grad(special.GammaInc(a, x).Sum(), x)[0]
	require.Equal(t, []int{3, 1}, []int(gradient.Shape()))
	got, err := lazy.ToSlice[float64](gradient)
	require.NoError(t, err)
	require.InDelta(t, 4*math.Pow(2, 1.5)*math.Exp(-2)/math.Gamma(2.5), got[0], 1e-14)
}

// Degrees beyond those of the loop have the values that PyTorch gives, or NaN where it has a loop of its own; from 2^63 on
// it has 0.
func TestLargeDegrees(t *testing.T) {
	x := []float64{-1, -0.5, 0, 0.3, 1, 1.5}
	want := [][]float64{ // in the order of polynomials
		{-1.0, 1.0, 1.8918452927133544e-10, -0.2628001267764222, 1.0, nan},
		{-2097154.0, 0.9999999996547166, 2.4995553433639735e-10, 0.04063125365541526, 2097154.0, nan},
		{-4194307.0, 0.9999999994316768, -0.99999999978043, -0.9708066811612399, 1.0, nan},
		{-1.0, 1.0000000001894411, 1.0000000002195701, 1.0520691884883049, 4194307.0, nan},
		{nan, nan, -1.0, 0.5339082754171817, 1.0, nan},
		{nan, nan, -2097154.0, 0.16488331728233963, 2097154.0, nan},
		{nan, nan, -4194307.0, -0.7576790779683431, 1.0, nan},
		{nan, nan, -1.0, 1.0874457125646795, 4194307.0, nan},
		{nan, nan, nan, nan, nan, nan},
		{nan, nan, nan, nan, nan, nan},
		{nan, nan, 1, nan, nan, nan},
		{-1.0, nan, nan, nan, 1.0, nan},
	}
	for _, backend := range []string{"eval", "cpu"} {
		tr := trace(t, backend)
		for k, f := range polynomials {
			large := degree(f, 2097153)(lazy.From(tr, x))
			zero := f(lazy.From(tr, x), lazy.From(tr, []float64{0x1p63, 1e300, 0x1p63, 1e300, 0x1p63, 1e300}))
			require.NoError(t, tr.MarkStep(large, zero))
			got, err := lazy.ToSlice[float64](zero)
			require.NoError(t, err)
			require.Equal(t, []float64{0, 0, 0, 0, 0, 0}, got, "polynomial %d on %s", k, backend)
			got, err = lazy.ToSlice[float64](large)
			require.NoError(t, err)
			for i, want := range want[k] {
				if math.IsNaN(want) || math.IsNaN(got[i]) {
					require.Equal(t, math.IsNaN(want), math.IsNaN(got[i]), "polynomial %d of %v on %s is %v", k, x[i], backend, got[i])
					continue
				}
				require.InDelta(t, want, got[i], 1e-8*max(1, math.Abs(want)), "polynomial %d of %v on %s", k, x[i], backend)
			}
		}
	}
}

func TestPolynomialsHaveNoGradient(t *testing.T) {
	for k, f := range polynomials {
		tr := trace(t, "eval")
		x := lazy.From(tr, []float64{0.25, 0.75})
		err := lazy.Grad(f(x, x.Stop()).Sum(), x)[0].Err()
		require.ErrorContains(t, err, "there is no gradient through the loop", k)
	}
}

// zeta and xlog1py have a number as their first operand.
func zeta(s float64) func(q *lazy.Tensor) *lazy.Tensor {
	return func(q *lazy.Tensor) *lazy.Tensor { return special.Zeta(lazy.Const(q.Trace(), q.DType(), s), q) }
}

func xlog1py(x float64) func(y *lazy.Tensor) *lazy.Tensor {
	return func(y *lazy.Tensor) *lazy.Tensor { return special.Xlog1py(lazy.Const(y.Trace(), y.DType(), x), y) }
}

// gammaInc is an incomplete gamma function of one order.
func gammaInc(f func(a, x *lazy.Tensor) *lazy.Tensor, a float64) func(x *lazy.Tensor) *lazy.Tensor {
	return func(x *lazy.Tensor) *lazy.Tensor { return f(lazy.Const(x.Trace(), x.DType(), a), x) }
}

// function is a function with exact values, computed with 60 digits, and what it gives at ends.
type function struct {
	name    string
	f       func(x *lazy.Tensor) *lazy.Tensor
	x, want []float64
}

var values = []function{
	{"i0", special.I0, []float64{-9, -2.5, 0, 0.5, 3, 8, 20}, []float64{1093.5883545113747, 3.289839144050123, 1, 1.0634833707413236, 4.8807925858650245, 427.5641157218048, 43558282.559553534}},
	{"i0e", special.I0e, []float64{-9, -2.5, 0.5, 3, 8, 200}, []float64{0.134959524581723, 0.27004644161220276, 0.6450352704491501, 0.2430003541618254, 0.14343178185685032, 0.028227159949111916}},
	{"i1", special.I1, []float64{-9, -2.5, 0, 0.5, 3, 8, 20}, []float64{-1030.9147225169565, -2.5167162452886984, 0, 0.2578943053908963, 3.9533702174026093, 399.8731367825601, 42454973.38512777}},
	{"i1e", special.I1e, []float64{-9, -2.5, 0, 0.5, 3, 8, 200}, []float64{-0.1272249839358912, -0.20658464953126657, 0, 0.1564208031848717, 0.19682671329730086, 0.13414249329269817, 0.02815650339483292}},
	{"j0", special.J0, []float64{-7.5, -2, 0, 0.5, 1.5, 4, 5, 6.5, 20}, []float64{0.2663396578803784, 0.22389077914123567, 1.0, 0.9384698072408129, 0.5118276717359181, -0.39714980986384735, -0.1775967713143383, 0.2600946055816064, 0.16702466434058316}},
	{"j1", special.J1, []float64{-7.5, -2, 0, 0.5, 1.5, 5, 6.5, 20}, []float64{-0.1352484275797055, -0.5767248077568734, 0.0, 0.2422684576748739, 0.5579365079100996, -0.32757913759146523, -0.15384130140997185, 0.06683312417585005}},
	{"y0", special.Y0, []float64{0.0009765625, 0.5, 1.5, 5, 6.5, 20}, []float64{-4.486515076710974, -0.44451873350670656, 0.38244892379775886, -0.30851762524903376, -0.17324243491898234, 0.06264059680938383}},
	{"y1", special.Y1, []float64{0.0009765625, 0.5, 1.5, 5, 6.5, 20}, []float64{-651.9009930106312, -1.471472392670243, -0.4123086269739113, 0.14786314339122683, -0.27409127395927546, -0.1655116143625213}},
	{"k0", special.K0, []float64{0.0009765625, 0.5, 2, 2.5, 10}, []float64{7.047405239908453, 0.9244190712276659, 0.11389387274953344, 0.06234755320036619, 1.778006231616765e-05}},
	{"k1", special.K1, []float64{0.0009765625, 0.5, 2, 2.5, 10}, []float64{1023.996314743989, 1.656441120003301, 0.13986588181652243, 0.07389081634774707, 1.8648773453825585e-05}},
	{"k0e", special.K0e, []float64{0.0009765625, 0.5, 2, 2.5, 200}, []float64{7.054290833146906, 1.5241093857739094, 0.8415682150707714, 0.7595486903280996, 0.08856745833929666}},
	{"k1e", special.K1e, []float64{0.0009765625, 0.5, 2, 2.5, 200}, []float64{1024.996799583583, 2.731009708211786, 1.0334768470686886, 0.900174423907878, 0.08878860158500368}},
	{"airy_ai", special.AiryAi, []float64{-9.5, -3, -1, 0, 1, 2, 3, 9}, []float64{0.3191032477191282, -0.37881429367765806, 0.5355608832923521, 0.3550280538878172, 0.13529241631288141, 0.03492413042327438, 0.006591139357460719, 2.47116843087249e-09}},
	{"chebyshev_t 5", degree(special.ChebyshevT, 5), []float64{-1.75, -1, -0.75, 0.25, 0.625, 1, 1.5}, []float64{-164.171875, -1.0, 0.890625, 0.953125, -0.23193359375, 1.0, 61.5}},
	{"chebyshev_u 5", degree(special.ChebyshevU, 5), []float64{-1.75, -1, -0.75, 0.25, 0.625, 1, 1.5}, []float64{-364.21875, -6.0, 1.40625, 1.03125, -1.0107421875, 6.0, 144.0}},
	{"chebyshev_v 5", degree(special.ChebyshevV, 5), []float64{-1.75, -1, -0.75, 0.25, 0.625, 1, 1.5}, []float64{-478.53125, -11.0, 2.09375, 0.71875, 0.2353515625, 1.0, 89.0}},
	{"chebyshev_w 5", degree(special.ChebyshevW, 5), []float64{-1.75, -1, -0.75, 0.25, 0.625, 1, 1.5}, []float64{-249.90625, -1.0, 0.71875, 1.34375, -2.2568359375, 11.0, 199.0}},
	{"shifted t 5", degree(special.ShiftedChebyshevT, 5), []float64{-1.75, -1, -0.75, 0.25, 0.625, 1, 1.5}, []float64{-27724.5, -3363.0, -1262.5, -0.5, 0.953125, 1.0, 362.0}},
	{"shifted u 5", degree(special.ShiftedChebyshevU, 5), []float64{-1.75, -1, -0.75, 0.25, 0.625, 1, 1.5}, []float64{-56160.0, -6930.0, -2640.0, 0, 1.03125, 6.0, 780.0}},
	{"shifted v 5", degree(special.ShiftedChebyshevV, 5), []float64{-1.75, -1, -0.75, 0.25, 0.625, 1, 1.5}, []float64{-62479.0, -8119.0, -3191.0, 1.0, 0.71875, 1.0, 571.0}},
	{"shifted w 5", degree(special.ShiftedChebyshevW, 5), []float64{-1.75, -1, -0.75, 0.25, 0.625, 1, 1.5}, []float64{-49841.0, -5741.0, -2089.0, -1.0, 1.34375, 11.0, 989.0}},
	{"hermite_h 5", degree(special.HermiteH, 5), []float64{-1.75, -1, -0.75, 0.25, 0.625, 1, 1.5}, []float64{122.28125, 8.0, -30.09375, 27.53125, 38.9892578125, -8.0, -117.0}},
	{"hermite_he 5", degree(special.HermiteHe, 5), []float64{-1.75, -1, -0.75, 0.25, 0.625, 1, 1.5}, []float64{10.9306640625, -6.0, -7.2685546875, 3.5947265625, 7.028961181640625, 6.0, -3.65625}},
	{"laguerre_l 5", degree(special.LaguerreL, 5), []float64{-1.75, -1, -0.75, 0.25, 0.625, 1, 1.5}, []float64{36.085506184895834, 12.883333333333333, 8.3335205078125, 0.03726399739583333, -0.5477816263834635, -0.4666666666666667, 0.11640625}},
	{"legendre_p 5", degree(special.LegendreP, 5), []float64{-1.75, -1, -0.75, 0.25, 0.625, 1, 1.5}, []float64{-85.6397705078125, -1.0, 0.4163818359375, 0.3397216796875, -0.21333694458007812, 1.0, 33.08203125}},
	{"ndtr", special.Ndtr, []float64{-10, -2, -0.5, 0, 1, 5}, []float64{7.619853024160525e-24, 0.02275013194817921, 0.3085375387259869, 0.5, 0.8413447460685429, 0.9999997133484281}},
	{"ndtri", special.Ndtri, []float64{1e-30, 0.0078125, 0.25, 0.5, 0.75, 0.9921875}, []float64{-11.464024688443615, -2.4175590162365053, -0.6744897501960817, 0, 0.6744897501960817, 2.4175590162365053}},
	{"log_ndtr", special.LogNdtr, []float64{-40, -10, -2, -0.5, 0, 3}, []float64{-804.6084420137538, -53.23128515051247, -3.783184333682032, -1.1759117615936185, -0.6931471805599453, -0.0013508099647481938}},
	{"erfcx", special.Erfcx, []float64{-3, -0.5, 0, 1, 5, 10, 30}, []float64{16205.988853999586, 1.952360489182557, 1, 0.427583576155807, 0.11070463773306863, 0.05614099274382259, 0.01879588886141675}},
	{"entr", special.Entr, []float64{0.25, 0.5, 1, 2}, []float64{0.34657359027997264, 0.34657359027997264, 0, -1.3862943611198906}},
	{"sinc", special.Sinc, []float64{-2.5, -1, -0.25, 0.5, 1.5, 3}, []float64{0.12732395447351627, 0, 0.9003163161571061, 0.6366197723675814, -0.2122065907891938, 0}},
	{"logit", logit(-1), []float64{0.0078125, 0.25, 0.5, 0.625, 0.75, 0.875}, []float64{-4.844187086458591, -1.0986122886681098, 0, 0.5108256237659907, 1.0986122886681098, 1.9459101490553132}},
	{"polygamma 0", polygamma(0), []float64{-9.75, -2.25, -0.25, 0.5, 1, 10}, []float64{-0.8139190159811147, 4.158583564657972, 2.9141391202135276, -1.9635100260214235, -0.5772156649015329, 2.251752589066721}},
	{"polygamma 1", polygamma(1), []float64{-9.75, -2.25, -0.25, 0.5, 1, 10}, []float64{19.641724953976865, 19.37941051186914, 18.541879647671607, 4.934802200544679, 1.6449340668482264, 0.10516633568168575}},
	{"polygamma 2", polygamma(2), []float64{-9.75, -2.25, -0.25, 0.5, 1, 10}, []float64{-124.0346023408442, 123.89694977406016, 122.69736678366236, -16.82879664423432, -2.4041138063191885, -0.011049834970802067}},
	{"polygamma 3", polygamma(3), []float64{-9.75, -2.25, -0.25, 0.5, 1, 10}, []float64{1558.5436081111616, 1558.4550231887144, 1555.7633125348507, 97.40909103400244, 6.493939402266829, 0.0023199013042898686}},
	{"mvlgamma 1", mvlgamma(1), []float64{0.5, 3, 10}, []float64{0.5723649429247001, 0.6931471805599453, 12.801827480081469}},
	{"mvlgamma 3", mvlgamma(3), []float64{1.5, 3, 10}, []float64{2.1686775340635553, 2.694924879806965, 36.81285863239809}},
	{"gammainc of 0.00048828125", gammaInc(special.GammaInc, 0.00048828125), []float64{0.25, 0.875, 1.5}, []float64{0.9994900815690817, 0.9998672338756954, 0.9999511305149756}},
	{"gammaincc of 0.00048828125", gammaInc(special.GammaIncC, 0.00048828125), []float64{0.25, 0.875, 1.5}, []float64{0.0005099184309183146, 0.00013276612430457071, 4.8869485024325725e-05}},
	{"gammainc of 0.5", gammaInc(special.GammaInc, 0.5), []float64{0.0078125, 0.75, 1.25, 4.0}, []float64{0.09947644966022579, 0.7793286380801532, 0.886153701993342, 0.9953222650189527}},
	{"gammaincc of 0.5", gammaInc(special.GammaIncC, 0.5), []float64{0.0078125, 0.75, 1.25, 4.0}, []float64{0.9005235503397742, 0.2206713619198468, 0.11384629800665805, 0.004677734981047266}},
	{"gammainc of 2.5", gammaInc(special.GammaInc, 2.5), []float64{0.25, 2.0, 3.0, 8.0}, []float64{0.007876706767370407, 0.4505840486472198, 0.6937810815867216, 0.9931559260775795}},
	{"gammaincc of 2.5", gammaInc(special.GammaIncC, 2.5), []float64{0.25, 2.0, 3.0, 8.0}, []float64{0.9921232932326296, 0.5494159513527802, 0.3062189184132784, 0.006844073922420431}},
	{"gammainc of 56", gammaInc(special.GammaInc, 56), []float64{32.0, 55.5, 56.0, 57.0, 72.0}, []float64{7.696601821225117e-05, 0.4910566580147722, 0.5177719940164894, 0.5703793812197473, 0.9775952498145108}},
	{"gammaincc of 56", gammaInc(special.GammaIncC, 56), []float64{32.0, 55.5, 56.0, 57.0, 72.0}, []float64{0.9999230339817877, 0.5089433419852278, 0.4822280059835105, 0.42962061878025276, 0.022404750185489205}},
	{"gammainc of 128", gammaInc(special.GammaInc, 128), []float64{96.0, 127.0, 128.0, 136.0, 176.0}, []float64{0.0010498202287341923, 0.47642345942494674, 0.5117544509041229, 0.7649167185545038, 0.9999367960539123}},
	{"gammaincc of 128", gammaInc(special.GammaIncC, 128), []float64{96.0, 127.0, 128.0, 136.0, 176.0}, []float64{0.9989501797712658, 0.5235765405750532, 0.4882455490958771, 0.23508328144549623, 6.320394608773796e-05}},
	{"zeta of 2.5", zeta(2.5), []float64{0.25, 1, 4}, []float64{32.84745195469769, 1.341487257250917, 0.10056053204432187}},
	{"zeta of 2", zeta(2), []float64{-0.25, -2.5, -7.75, -20.5, -0.0009765625}, []float64{18.541879647671607, 9.539246644989124, 19.61814433435229, 9.82199434464988, 1048577.6472849348}},
	{"zeta of 3", zeta(3), []float64{-0.25, -7.75, -0.0009765625}, []float64{-61.34868339183118, 62.01987279411388, -1073741822.7947663}},
	{"xlog1py of 3", xlog1py(3), []float64{-0.5, 0.0009765625, 4}, []float64{-2.0794415416798357, 0.0029282579191663768, 4.8283137373023015}},
}

// The values of f64 are within 40 units in the last place, those of f32 within one, and those of
// 16 bits within one of theirs.
func TestValues(t *testing.T) {
	for _, backend := range []string{"eval", "cpu"} {
		tr := trace(t, backend)
		for d, within := range map[types.DType]float64{lazy.F64: 40 * 0x1p-53, lazy.F32: 0x1p-23, lazy.F16: 0x1p-10, lazy.BF16: 0x1p-7} {
			for _, c := range values {
				y := c.f(lazy.From(tr, c.x).Convert(d)).Convert(lazy.F64)
				require.NoError(t, tr.MarkStep(y), c.name)
				got, err := lazy.ToSlice[float64](y)
				require.NoError(t, err)
				for i, want := range c.want {
					if d == lazy.F16 && !(halfHas(want) && halfHas(c.x[i])) {
						continue
					}
					require.LessOrEqual(t, math.Abs(got[i]-want), within*math.Abs(want), "%s of %v in %v on %s is %v, want %v", c.name, c.x[i], d, backend, got[i], want)
				}
			}
		}
	}
}

// halfHas reports whether f16 has about this number, with all digits.
func halfHas(x float64) bool { return x == 0 || math.Abs(x) >= 0x1p-14 && math.Abs(x) <= 65504 }

// The Bessel functions J and Y of large arguments have the phase of the argument itself.
func TestLargeArguments(t *testing.T) {
	x := []float64{50, 1e4, 1e5, 1e6, 1e8, 1e10, 1e15, 1e17, 1e38}
	for _, backend := range []string{"eval", "cpu"} {
		tr := trace(t, backend)
		for d, within := range map[types.DType]float64{lazy.F64: 16 * 0x1p-53, lazy.F32: 0x1p-23} {
			for _, c := range []struct {
				name string
				f    func(x *lazy.Tensor) *lazy.Tensor
				want func(x float64) float64
			}{{"j0", special.J0, math.J0}, {"j1", special.J1, math.J1}, {"y0", special.Y0, math.Y0}, {"y1", special.Y1, math.Y1}} {
				rounded := lazy.From(tr, x).Convert(d)
				in, y := rounded.Convert(lazy.F64), c.f(rounded).Convert(lazy.F64)
				require.NoError(t, tr.MarkStep(in, y), c.name)
				at, err := lazy.ToSlice[float64](in)
				require.NoError(t, err)
				got, err := lazy.ToSlice[float64](y)
				require.NoError(t, err)
				for i, x := range at {
					want := c.want(x)
					require.LessOrEqual(t, math.Abs(got[i]-want), within*math.Abs(want), "%s of %v in %v on %s is %v, want %v", c.name, x, d, backend, got[i], want)
				}
			}
		}
	}
}

// AiryAi far below 0 has the phase of the argument itself. The values were computed with 60 digits.
func TestAiryAiFarBelowZero(t *testing.T) {
	x := []float64{-50, -1e4, -123456.75, -1e6, -1e8, -3e9, -1e10, -0x1p50} // the last is that of f32 alone
	want := []float64{-0.1618814236123209, 0.02705738360464258, -0.02278084256866237, -0.0021912611413430574, -0.005554128800056995, -0.0006239068285804264, 0.00017362064481528185, -2.0937715934058143e-06}
	for _, backend := range []string{"eval", "cpu"} {
		tr := trace(t, backend)
		for d, within := range map[types.DType]float64{lazy.F64: 16 * 0x1p-53, lazy.F32: 0x1p-23} {
			y := special.AiryAi(lazy.From(tr, x).Convert(d)).Convert(lazy.F64)
			require.NoError(t, tr.MarkStep(y))
			got, err := lazy.ToSlice[float64](y)
			require.NoError(t, err)
			for i, want := range want {
				if d == lazy.F64 && x[i] < -1e10 {
					continue
				}
				require.LessOrEqual(t, math.Abs(got[i]-want), within*math.Abs(want), "%v in %v on %s is %v, want %v", x[i], d, backend, got[i], want)
			}
		}
	}
}

var inf, nan = math.Inf(1), math.NaN()

// The ends are PyTorch's.
var ends = []function{
	{"i0", special.I0, []float64{inf, -inf, nan}, []float64{inf, inf, nan}},
	{"i0e", special.I0e, []float64{inf, -inf, nan}, []float64{0, 0, nan}},
	{"i1", special.I1, []float64{inf, -inf, nan}, []float64{inf, -inf, nan}},
	{"i1e", special.I1e, []float64{inf, -inf, nan}, []float64{0, 0, nan}},
	{"j0", special.J0, []float64{inf, -inf, nan}, []float64{nan, nan, nan}},
	{"j1", special.J1, []float64{inf, -inf, nan}, []float64{nan, nan, nan}},
	{"y0", special.Y0, []float64{0, -1, inf, nan}, []float64{-inf, nan, nan, nan}},
	{"y1", special.Y1, []float64{0, -1, inf, nan}, []float64{-inf, nan, nan, nan}},
	{"k0", special.K0, []float64{0, -1, 800, inf, nan}, []float64{inf, nan, 0, 0, nan}},
	{"k0 of subnormals", special.K0, []float64{5e-324, 1.5e-323, 0x1p-1040}, []float64{744.5560034370396, 743.4573911483716, 720.9889992980015}},
	{"k1", special.K1, []float64{0, 5e-324, -1, 800, inf, nan}, []float64{inf, inf, nan, 0, 0, nan}},
	{"k0e", special.K0e, []float64{0, -1, inf, nan}, []float64{inf, nan, 0, nan}},
	{"k1e", special.K1e, []float64{0, 5e-324, -1, inf, nan}, []float64{inf, inf, nan, 0, nan}},
	{"airy_ai", special.AiryAi, []float64{inf, -inf, 200, nan}, []float64{nan, nan, 0, nan}},
	{"ndtr", special.Ndtr, []float64{inf, -inf, nan}, []float64{1, 0, nan}},
	{"ndtri", special.Ndtri, []float64{0, 1, -0.5, 2, nan}, []float64{-inf, inf, nan, nan, nan}},
	{"log_ndtr", special.LogNdtr, []float64{inf, -inf, nan}, []float64{0, -inf, nan}},
	{"erfcx", special.Erfcx, []float64{inf, -inf, -30, nan}, []float64{0, inf, inf, nan}},
	{"gammainc of 2", gammaInc(special.GammaInc, 2), []float64{0, -1, inf, nan}, []float64{0, nan, 1, nan}},
	{"gammainc of 0", gammaInc(special.GammaInc, 0), []float64{0, -1, 1, inf, nan}, []float64{nan, nan, 1, 1, nan}},
	{"gammainc of infinity", gammaInc(special.GammaInc, inf), []float64{0, -1, 1, inf, nan}, []float64{0, nan, 0, nan, nan}},
	{"gammainc of -1", gammaInc(special.GammaInc, -1), []float64{0, 1, inf}, []float64{nan, nan, nan}},
	{"gammaincc of 2", gammaInc(special.GammaIncC, 2), []float64{0, -1, inf, nan}, []float64{1, nan, 0, nan}},
	{"gammaincc of 0", gammaInc(special.GammaIncC, 0), []float64{0, -1, 1, inf, nan}, []float64{nan, nan, 0, 0, nan}},
	{"gammaincc of infinity", gammaInc(special.GammaIncC, inf), []float64{0, -1, 1, inf, nan}, []float64{1, nan, 1, nan, nan}},
	{"polygamma 1", polygamma(1), []float64{0, inf, nan}, []float64{inf, 0, nan}},
	{"polygamma 2", polygamma(2), []float64{0, -2, nan}, []float64{-inf, -inf, nan}},
	{"zeta of 3", zeta(3), []float64{0, -1, inf, nan}, []float64{inf, inf, 0, nan}},
	{"zeta of 3 near a zero", zeta(3), []float64{-20.5}, []float64{0.0011331449598188984}},
	{"zeta of 2.5", zeta(2.5), []float64{-2.5, -3, -inf}, []float64{nan, inf, inf}},
	{"zeta of 1", zeta(1), []float64{2, -2.5, 0, nan}, []float64{inf, inf, inf, nan}},
	{"zeta of 0.5", zeta(0.5), []float64{2, -2.5, -3}, []float64{nan, nan, nan}},
	{"mvlgamma 1", mvlgamma(1), []float64{0, inf, nan}, []float64{inf, inf, nan}},
	{"entr", special.Entr, []float64{0, -1, inf, -inf, nan}, []float64{0, -inf, -inf, -inf, nan}},
	{"xlog1py of 0", xlog1py(0), []float64{-2, -1, inf, nan}, []float64{0, 0, 0, nan}},
	{"zeta of infinity", zeta(inf), []float64{0.5, 1, 2, inf}, []float64{inf, 1, 0, 0}},
	{"zeta of 2", zeta(2), []float64{inf, nan}, []float64{0, nan}},
	{"xlog1py of 1", xlog1py(1), []float64{-2, -1, inf, nan}, []float64{nan, -inf, inf, nan}},
	{"sinc", special.Sinc, []float64{0, inf, nan}, []float64{1, nan, nan}},
	{"expit", special.Expit, []float64{0, inf, -inf, nan}, []float64{0.5, 1, 0, nan}},
	{"logit", logit(-1), []float64{0, 1, -0.5, 2, nan}, []float64{-inf, inf, nan, nan, nan}},
	{"logit of three quarters", logit(0.75), []float64{0, 0.5, 0.875, 2, nan}, []float64{math.Log(3), math.Log(3), -math.Log(3), -math.Log(3), nan}},
	{"logit of a quarter", logit(0.25), []float64{0, 0.5, 2, nan}, []float64{-math.Log(3), 0, math.Log(3), nan}},
}

func TestEnds(t *testing.T) {
	for _, backend := range []string{"eval", "cpu"} {
		tr := trace(t, backend)
		for _, c := range ends {
			y := c.f(lazy.From(tr, c.x))
			require.NoError(t, tr.MarkStep(y), c.name)
			got, err := lazy.ToSlice[float64](y)
			require.NoError(t, err)
			for i, want := range c.want {
				same := got[i] == want || want != want && got[i] != got[i] || math.Abs(got[i]-want) < 1e-15*max(1, math.Abs(want))
				require.True(t, same, "%s of %v on %s is %v, want %v", c.name, c.x[i], backend, got[i], want)
			}
		}
	}
}

// The gradients, first and second, are those of the values.
func TestGradients(t *testing.T) {
	tr := trace(t, "eval")
	for _, c := range []function{
		{"i0", special.I0, []float64{-9, -0.5, 2, 10}, nil},
		{"i0e", special.I0e, []float64{-9, -0.5, 2, 10}, nil},
		{"i1", special.I1, []float64{-3, -0.5, 2, 4}, nil},
		{"i1e", special.I1e, []float64{-9, -0.5, 2, 10}, nil},
		{"j0", special.J0, []float64{-7.5, -0.5, 0, 2, 6}, nil},
		{"j1", special.J1, []float64{-7.5, -0.5, 0.25, 2, 6}, nil},
		{"y0", special.Y0, []float64{0.5, 2, 6}, nil},
		{"y1", special.Y1, []float64{0.5, 2, 6}, nil},
		{"k0", special.K0, []float64{0.5, 1.5, 4}, nil},
		{"k0e", special.K0e, []float64{0.5, 1.5, 4}, nil},
		{"k1", special.K1, []float64{0.5, 1.5, 4}, nil},
		{"k1e", special.K1e, []float64{0.5, 1.5, 4}, nil},
		{"airy_ai", special.AiryAi, []float64{-4, -0.5, 0, 1, 3}, nil},
		{"ndtr", special.Ndtr, []float64{-3, -0.5, 0, 2}, nil},
		{"ndtri", special.Ndtri, []float64{0.05, 0.3, 0.6, 0.95}, nil},
		{"log_ndtr", special.LogNdtr, []float64{-12, -1.5, 0, 2}, nil},
		{"erfcx", special.Erfcx, []float64{-1, 0, 2, 12}, nil},
		{"polygamma 0", polygamma(0), []float64{-1.25, 0.5, 3.3}, nil},
		{"polygamma 2", polygamma(2), []float64{-1.25, 0.9, 3.3}, nil},
		{"zeta", zeta(2.5), []float64{0.5, 1.2, 3.3}, nil},
		{"zeta of 2", zeta(2), []float64{-0.25, -2.4, 0.5}, nil},
		{"gammainc", gammaInc(special.GammaInc, 2.5), []float64{0.5, 2, 6}, nil},
		{"gammaincc", gammaInc(special.GammaIncC, 2.5), []float64{0.5, 2, 6}, nil},
		{"mvlgamma", mvlgamma(3), []float64{1.5, 3, 10}, nil},
		{"entr", special.Entr, []float64{0.25, 1, 3}, nil},
		{"xlog1py", xlog1py(3), []float64{-0.5, 0.5, 3}, nil},
		{"sinc", special.Sinc, []float64{-1.25, -1, 0.5, 3}, nil},
		{"expit", special.Expit, []float64{-2, 0, 3}, nil},
		{"logit", logit(-1), []float64{0.1, 0.3, 0.5, 0.9}, nil},
		{"logit within bounds", logit(0.2), []float64{0.1, 0.3, 0.5, 0.9}, nil},
	} {
		require.NoError(t, lazy.GradCheck(func(x []*lazy.Tensor) *lazy.Tensor { return c.f(x[0]) }, lazy.From(tr, c.x)), c.name)
		require.NoError(t, lazy.GradCheck(func(x []*lazy.Tensor) *lazy.Tensor { return lazy.Grad(c.f(x[0]).Sum(), x[0])[0] }, lazy.From(tr, c.x)), "second of %s", c.name)
	}
}

// The derivatives of sinc at 0 are those of its series, and near 0 no digits are lost.
func TestSincNearZero(t *testing.T) {
	tr := trace(t, "eval")
	x := lazy.From(tr, []float64{0, 1e-9, 0.2499999, 0.25})
	y := special.Sinc(x)
	var all []*lazy.Tensor
	for range 4 {
		y = lazy.Grad(y.Sum(), x)[0]
		all = append(all, y)
	}
	require.NoError(t, tr.MarkStep(all...))
	for k, want := range [][]float64{
		{0, -math.Pi * math.Pi / 3 * 1e-9},
		{-math.Pi * math.Pi / 3},
		{0},
		{math.Pow(math.Pi, 4) / 5},
	} {
		got, err := lazy.ToSlice[float64](all[k])
		require.NoError(t, err)
		require.InDeltaSlice(t, want, got[:len(want)], 1e-14*max(1, math.Abs(want[0])), "derivative %d", k+1)
		require.InDelta(t, got[2], got[3], 1e-4, "derivative %d", k+1)
	}
}

// Digamma is infinite at infinity, and so is the gradient of the logarithm of the gamma function.
func TestDigammaOfInfinity(t *testing.T) {
	for _, backend := range []string{"eval", "cpu"} {
		for _, d := range []types.DType{lazy.F64, lazy.F32, lazy.F16, lazy.BF16} {
			tr := trace(t, backend)
			x := lazy.From(tr, []float64{math.Inf(1), math.Inf(1)}).Convert(d)
			all := []*lazy.Tensor{x.Digamma().Convert(lazy.F64), lazy.Grad(x.Lgamma().Sum(), x)[0].Convert(lazy.F64)}
			require.NoError(t, tr.MarkStep(all...))
			for _, y := range all {
				got, err := lazy.ToSlice[float64](y)
				require.NoError(t, err)
				require.Equal(t, []float64{math.Inf(1), math.Inf(1)}, got, "%v on %s", d, backend)
			}
		}
	}
}

// A call that breaks a rule is an error with the op, the types, the rule and the line.
func TestMistakes(t *testing.T) {
	tr := trace(t, "eval")
	f := lazy.From(tr, []float32{1, 2, 3})
	labels := map[string]bool{}
	bad := map[string]*lazy.Tensor{
		"special.polygamma(f32[3]): n is -1, must not be negative (special.polygamma_c2)":                                                         special.Polygamma(f, -1),
		"special.mvlgamma(f32[3]): p is 0, must be positive (special.mvlgamma_c2)":                                                                special.MvLgamma(f, 0),
		"special.logit(f32[3]): eps is NaN, must be a finite number (special.logit_c2)":                                                           special.Logit(f, nan),
		"special.zeta(f32[3], f32[2]): [3] and [2] do not broadcast at axis -1; reshape one, or give it a dimension of 1 there (special.zeta_c3)": special.Zeta(f, lazy.From(tr, []float32{1, 2})),
		"special.gammainc(f32[3], f32[2]): [3] and [2] do not broadcast at axis -1":                                                               special.GammaInc(f, lazy.From(tr, []float32{1, 2})),
		"special.gammaincc(f32[3], f32[2]): [3] and [2] do not broadcast at axis -1":                                                              special.GammaIncC(f, lazy.From(tr, []float32{1, 2})),
		"special.gcd(i32[3], i32[2]): [3] and [2] do not broadcast at axis -1":                                                                    special.GCD(f.Convert(lazy.I32), lazy.From(tr, []int32{1, 2})),
		"special.lcm(i32[3], i32[2]): [3] and [2] do not broadcast at axis -1":                                                                    special.LCM(f.Convert(lazy.I32), lazy.From(tr, []int32{1, 2})),
		"special.xlog1py(f32[3], f32[2]): [3] and [2] do not broadcast at axis -1":                                                                special.Xlog1py(f, lazy.From(tr, []float32{1, 2})),
	}
	for _, polynomial := range polynomials {
		y := polynomial(f, lazy.From(tr, []float32{1, 2}))
		var e *lazy.OpError
		require.True(t, errors.As(y.Err(), &e))
		bad[e.Op+"(f32[3], f32[2]): [3] and [2] do not broadcast at axis -1"] = y
	}
	for want, y := range bad {
		require.ErrorContains(t, y.Err(), want)
		require.ErrorContains(t, y.Err(), "special_test.go:")
		var e *lazy.OpError
		require.True(t, errors.As(y.Err(), &e))
		labels[e.Label] = true
	}
	for _, o := range ops.PackageRows("special") {
		for i, d := range o.Where {
			if label := fmt.Sprintf("%s_c%d", o.Mnemonic(), len(o.Operands)+i+1); !o.Attribute(d.Name) {
				require.True(t, labels[label], "no bad call breaks %s: %s", label, d.Text)
			}
		}
	}
}

// PyTorch has none either: orders are integers there.
func TestPolygammaHasNoGradientOfItsOrder(t *testing.T) {
	tr := trace(t, "eval")
	order, x := lazy.From(tr, []float64{1}), lazy.From(tr, []float64{0.5})
	y := order.Polygamma(x)
	err := lazy.Grad(y.Sum(), order, x)[0].Err()
	require.ErrorContains(t, err, "polygamma at special_test.go:")
	require.ErrorContains(t, err, " has no gradient with respect to x, its order: give it x.Stop() if x is a constant")
	got, err := lazy.ToSlice[float64](lazy.Grad(y.Sum(), x)[0])
	require.NoError(t, err)
	require.InDelta(t, -16.8288, got[0], 1e-4)
}

// PyTorch has no derivative of zeta for its exponent either.
func TestZetaHasNoGradientOfItsExponent(t *testing.T) {
	tr := trace(t, "eval")
	x, q := lazy.From(tr, []float64{2.5}), lazy.From(tr, []float64{0.5})
	for _, y := range []*lazy.Tensor{special.Zeta(x, q), x.Zeta(q)} {
		require.ErrorContains(t, lazy.Grad(y.Sum(), x, q)[0].Err(), "zeta at special_test.go:")
		require.ErrorContains(t, lazy.Grad(y.Sum(), x, q)[0].Err(), " has no gradient with respect to x, its exponent: give it x.Stop() if x is a constant")
		got, err := lazy.ToSlice[float64](lazy.Grad(y.Sum(), q)[0])
		require.NoError(t, err)
		require.InDelta(t, -29.052, got[0], 1e-3)
	}
}
