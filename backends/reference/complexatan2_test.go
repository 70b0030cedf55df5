package reference

import (
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/ir/types"
	"ltc/soa"
)

// atan2 of complex numbers without imaginary parts is that of real ones, with their
// signs of zeros. Others are -i log((x+iy)/√(x²+y²)), by 2,400 bits of mpmath.
func TestComplexAtan2KeepsSignsAndDigits(t *testing.T) {
	inf, nan, minus := math.Inf(1), math.NaN(), math.Copysign(0, -1)
	table := [][3]complex128{ // y, x, atan2
		{complex(0, 0), complex(-1, 0), complex(math.Pi, minus)}, {complex(minus, 0), complex(-1, 0), complex(-math.Pi, 0)},
		{complex(minus, 0), complex(1, 0), complex(minus, 0)}, {complex(0, 0), complex(minus, 0), complex(math.Pi, minus)},
		{complex(minus, 0), complex(minus, 0), complex(-math.Pi, 0)}, {complex(1, minus), complex(2, 0), complex(0.4636476090008061, minus)},
		{complex(2, 0), complex(minus, 0), complex(math.Pi/2, minus)}, {complex(-2, 0), complex(0, 0), complex(-math.Pi/2, 0)},
		{complex(inf, 0), complex(-inf, 0), complex(3*math.Pi/4, minus)}, {complex(minus, 0), complex(-inf, 0), complex(-math.Pi, 0)},
		{complex(1e300, 0), complex(1e300, 0), complex(math.Pi/4, 0)}, {complex(nan, 1), complex(1, 0), complex(nan, nan)},
		{complex(minus, 2), 0, complex(-math.Pi/2, 0)}, {complex(0, 2), 0, complex(math.Pi/2, 0)},
		{1i, 1, complex(0, inf)}, {-1i, 1, complex(0, -inf)},
	}
	for _, c := range [][6]float64{
		{5.136311626620315, -506604.4938379536, 0.8418969728648493, 0.8444933457118577, 1.5707979937457828, -1.6618595868827812e-06},
		{-2.0, 3.0, 1.0, -0.3222111765822575, -1.3394711800502155, 0.17368101860403723},
		{1.0, 1.7924520904373518, 0.2657703951166246, 3.0, 0.5821749120602892, -0.20000789948927855},
		{-2.0, -1.0, -0.13509989108701248, -1.6352881572713645, -2.0839642490165455, -0.5711871374633293},
		{-1.2128441458828867, -1.0, 1.0827664724039643, 0.6085561356664129, -0.9038852035962491, -0.08673592574827009},
		{1.0, 1.703098801473491, -344170.5375956096, -0.10593593882229024, 3.141589748051942, -4.948414543470381e-06},
		{-1.0, -0.8151771705605371, 1.0, -1.5780966768890905, 0.15200873246799396, -0.8238551032518491},
		{-1.697413107589167, 0.6124330059188781, -0.6124330059188781, -1.6974131075891723, 2.968459189179118, -17.07452014755062},
		{0.5, -77025994169.31049, 77025994169.31049, 0.4999999999999943, 0.785398163400694, -29.277887365506167},
		{0.5, -2.2069813382701228e+299, 2.2069813382701228e+299, 0.4999999999999984, 0.7853981633974483, -362.0101837887845},
		{0.9907479434889148, -3.9268018425992685e+299, 3.9268018425992685e+299, 0.9907479434889074, 0.7853981633974483, -361.5330116250694},
		{-4.995455666757769e+54, -6.314061399961398e+299, 6.314061399961398e+299, -4.9954556667578355e+54, 0.7853981633974483, -298.50395766469023},
		{3.8903016892174566e+299, 1.48123737964145, -1.48123737964145, 3.890301689217511e+299, -3.141592653589793, -16.298162993147333},
		{-5.7818131641019965e+299, 1.4475557146593574, 2.0609243630888113e-05, -5.6491559773507996e+299, -1.5707963267948966, -2.228156642529499},
		{-4.676177137553221e+297, 0.538069070353048, -1.0, 7.924133683577435e+95, -1.5707963267948966, 1.6945751733698621e-202},
		{-8.477812452006162e+299, 9.891103897850657e+299, -1.2224423168860525, -1.3689901320837496e+297, -1.5699984334894606, -0.0006838857310533085},
		{178388585007934.53, 1817900074086886.5, 1.304978033117572, -7.557714736920531e+299, -2.405356827251208e-285, 2.3603508628935206e-286},
		{-1.565320777054184, 3.6365121265370156e+132, -4.647517350881312e+299, -2.0, -3.141592653589793, -7.824633781834985e-168},
		{1.0035091020131321e-30, 7.938588939925068e-14, 681053883721330.4, -0.1559313947157257, -2.5214405985845967e-44, 1.1656330181318418e-28},
		{-1.2043946551856438e-30, -5.815087217817381e+100, 1.5181573499432286, -3.6780287769293854e+124, 1.5810336379891312e-24, -6.525938724218468e-149},
		{-0.19430329613289254, -3.5237219839707735e-06, 2.946877915873265e-103, 6.123964825512861e+58, -5.753987954487759e-65, 3.1728349471148424e-60},
		{-4.651391258811737e-31, 5.747500841878011e-26, 7395.843119508898, -0.2559030504923494, -3.3178473767343283e-34, 7.771258449529127e-30},
	} {
		table = append(table, [3]complex128{complex(c[0], c[1]), complex(c[2], c[3]), complex(c[4], c[5])})
	}
	const text = `func.func @main(%a: tensor<Nxf64>, %b: tensor<Nxf64>, %c: tensor<Nxf64>, %d: tensor<Nxf64>) -> (tensor<Nxf64>, tensor<Nxf64>) {
  %y = stablehlo.complex %a, %b : tensor<Nxcomplex<f64>>
  %x = stablehlo.complex %c, %d : tensor<Nxcomplex<f64>>
  %z = stablehlo.atan2 %y, %x : tensor<Nxcomplex<f64>>
  %r = stablehlo.real %z : (tensor<Nxcomplex<f64>>) -> tensor<Nxf64>
  %i = stablehlo.imag %z : (tensor<Nxcomplex<f64>>) -> tensor<Nxf64>
  return %r, %i : tensor<Nxf64>, tensor<Nxf64>
}`
	args := make([]soa.View, 4)
	for k := range args {
		args[k] = soa.Make(types.Of(types.F64, len(table)))
		for i, c := range table {
			soa.Slice[float64](args[k])[i] = []float64{real(c[0]), imag(c[0]), real(c[1]), imag(c[1])}[k]
		}
	}
	same := func(got, want float64) bool {
		if want == 0 || math.IsInf(want, 0) || want != want {
			return got == want && math.Signbit(got) == math.Signbit(want) || got != got && want != want
		}
		return math.Abs(got-want) <= 0x1p-52*math.Abs(want)
	}
	for _, backend := range []string{"eval", "cpu"} {
		b, err := backends.Open(backend)
		require.NoError(t, err)
		e, err := b.Compile(t.Context(), backends.NewModule(strings.ReplaceAll(text, "N", strconv.Itoa(len(table)))), backends.Options{})
		require.NoError(t, err)
		c := &backends.Call{Args: args}
		require.NoError(t, e.Execute(t.Context(), c))
		re, im := soa.Slice[float64](c.Results[0]), soa.Slice[float64](c.Results[1])
		for i, c := range table {
			if !same(re[i], real(c[2])) || !same(im[i], imag(c[2])) {
				t.Errorf("%s: atan2(%v, %v) is %v, want %v", backend, c[0], c[1], complex(re[i], im[i]), c[2])
			}
		}
	}
}
