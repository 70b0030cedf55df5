package lazy_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	_ "ltc/backends/reference"
	_ "ltc/backends/reference/eval"
	"ltc/internal/trials"
	"ltc/ir/ops"
	"ltc/ir/types"
	"ltc/lazy"
	"ltc/soa"
)

// onBoth runs a test on the evaluator and on compiled kernels.
func onBoth(t *testing.T, f func(t *testing.T, dev *lazy.Device, tr *lazy.Trace)) {
	for _, name := range []string{"eval", "cpu"} {
		t.Run(name, func(t *testing.T) {
			dev := open(t, name)
			tr := lazy.NewTrace(dev)
			tr.ImplicitSyncs(lazy.AllowSyncs)
			f(t, dev, tr)
		})
	}
}

func complexes(t *testing.T, x *lazy.Tensor) []complex128 {
	t.Helper()
	require.NoError(t, x.Err())
	if x.DType() == lazy.C64 {
		x = x.Convert(lazy.C128)
	}
	v, err := lazy.ToSlice[complex128](x)
	require.NoError(t, err)
	return v
}

// Slices of complex numbers, in any layout, are arguments where they lie, and results are such.
func TestComplexMemory(t *testing.T) {
	onBoth(t, func(t *testing.T, dev *lazy.Device, tr *lazy.Trace) {
		data := []complex64{1 + 2i, 3 - 4i, 5i, -6, 7 + 8i, 9 - 1i}
		x := lazy.Borrow(tr, data, 2, 3)
		require.Equal(t, "c64[2,3]", x.Type().String())
		v, err := x.Value()
		require.NoError(t, err)
		require.Same(t, &data[0], &soa.Slice[complex64](v)[0])

		whole, err := soa.Borrow(data, types.Of(types.C64, 6))
		require.NoError(t, err)
		columns, err := whole.Restride(types.Of(types.C64, 3, 2), 0, []int{1, 3})
		require.NoError(t, err)
		y := lazy.FromView(tr, columns).AddScalar(1)
		require.NoError(t, tr.MarkStep(y))
		got, err := lazy.ToSlice[complex64](y)
		require.NoError(t, err)
		require.Equal(t, []complex64{2 + 2i, -5, 4 - 4i, 8 + 8i, 1 + 5i, 10 - 1i}, got)

		z, err := x.Sum().ItemComplex()
		require.NoError(t, err)
		require.Equal(t, complex128(14+10i), z)
		_, err = x.Sum().Item()
		require.ErrorContains(t, err, "it is complex; read it with ItemComplex")
		one, err := lazy.From(tr, []int32{3}).ItemComplex()
		require.NoError(t, err)
		require.Equal(t, complex128(3), one)
		_, err = lazy.ToSlice[float32](x)
		require.ErrorContains(t, err, "its elements are c64, not f32")
		require.Empty(t, complexes(t, lazy.Zeros(tr, lazy.C128, 0, 2).Exp()))
	})
}

// A variable of complex numbers is assigned in its own memory, and a copy to another dtype keeps
// what that can hold.
func TestComplexVariables(t *testing.T) {
	onBoth(t, func(t *testing.T, dev *lazy.Device, tr *lazy.Trace) {
		w := dev.Variable("w", lazy.C128, 2)
		require.NoError(t, lazy.SetValues(w, []complex128{1 + 1i, 2}).Err())
		for i := range 3 {
			w.Mul_(lazy.FullComplex(tr, lazy.C128, complex(0, float64(i+1))))
			require.NoError(t, tr.MarkStep())
		}
		require.Equal(t, []complex128{6 - 6i, -12i}, complexes(t, w))
		narrow := w.To(dev, lazy.As(lazy.C64))
		require.NoError(t, narrow.Err())
		require.Equal(t, "c64[2]", narrow.Type().String())
		re, err := lazy.ToSlice[float32](w.To(dev, lazy.As(lazy.F32)))
		require.NoError(t, err)
		require.Equal(t, []float32{6, 0}, re)
		f := lazy.Func(dev, func(_ *lazy.Trace, x *lazy.Tensor) *lazy.Tensor { return x.Conj() })
		y, err := f.Call(t.Context(), w)
		require.NoError(t, err)
		require.Equal(t, []complex128{6 + 6i, 12i}, complexes(t, y))
	})
}

// Operands promote as in PyTorch.
func TestComplexPromotion(t *testing.T) {
	onBoth(t, func(t *testing.T, dev *lazy.Device, tr *lazy.Trace) {
		z := lazy.From(tr, []complex64{1 + 2i, -3})
		require.Equal(t, lazy.C64, z.Add(lazy.From(tr, []int64{1, 2})).DType())
		require.Equal(t, lazy.C128, z.Mul(lazy.From(tr, []float64{2, 3})).DType())
		require.Equal(t, []complex128{2 + 4i, -9}, complexes(t, z.Mul(lazy.From(tr, []float64{2, 3}))))
		require.Equal(t, lazy.C64, z.Mul(lazy.FullComplex(tr, lazy.C128, 1i)).DType())
		require.Equal(t, []complex128{0.5 + 1i, -1.5}, complexes(t, z.Div(lazy.From(tr, []int32{2, 2}))))
		w := dev.Variable("real", lazy.F32, 2)
		w.Mul_(z)
		require.ErrorContains(t, tr.MarkStep(), "the result is c64[2], which variable \"real\" of f32[2] cannot hold")
	})
}

// Numbers that vary are arguments, of complex tensors, too.
func TestComplexNumbers(t *testing.T) {
	onBoth(t, func(t *testing.T, dev *lazy.Device, tr *lazy.Trace) {
		x := lazy.From(dev, []complex64{1 + 2i})
		for i := range 5 {
			y := tr.Read(x).MulScalar(float64(i)).Add(lazy.FullComplex(tr, lazy.C64, complex(0, float64(i))))
			require.NoError(t, tr.MarkStep(y))
			require.Equal(t, []complex128{complex(float64(i), float64(3*i))}, complexes(t, y))
		}
	})
}

// Gradients have PyTorch's convention. The numbers are those of PyTorch 2.15.
func TestComplexGradients(t *testing.T) {
	trials.Sequential(t)
	onBoth(t, func(t *testing.T, dev *lazy.Device, tr *lazy.Trace) {
		z := lazy.From(tr, []complex128{1 + 2i, -3 + 0.5i, 0.25 - 1i, 0})
		w := lazy.From(tr, []complex128{0.5 - 1i, 2 + 1.5i, -1 + 0.25i, 1 + 1i})
		for name, c := range map[string]struct {
			y    *lazy.Tensor
			want []complex128
		}{
			"mul":           {z.Mul(w).Mul(z), []complex128{complex(5.0, 0.0), complex(-7.0, -13.5), complex(-2.125, -4.25), complex(0.0, 0.0)}},
			"div":           {w.Div(z.Add(w)), []complex128{complex(0.22485207100591717, -0.2603550295857988), complex(-0.14, 0.4800000000000001), complex(0.44444444444444453, 1.9999999999999998), complex(0.0, -0.5)}},
			"abs":           {z.Abs(), []complex128{complex(0.4472135954999579, 0.8944271909999159), complex(-0.0, 0.0), complex(0.48507125007266594, -1.9402850002906638), complex(0.0, 0.0)}},
			"angle":         {z.Angle(), []complex128{complex(-0.3999999999999999, 0.19999999999999996), complex(0.0, 0.0), complex(1.8823529411764706, 0.47058823529411764), complex(0.0, 0.0)}},
			"sign":          {z.Sign(), []complex128{complex(0.35777087639996635, -0.17888543819998315), complex(0.05331859047741318, 0.3199115428644791), complex(1.5978817649452524, 0.3994704412363131), complex(0.0, 0.0)}},
			"conj":          {z.Conj().Mul(w), []complex128{complex(0.5, -1.0), complex(1.5, -2.0), complex(-2.25, -0.5), complex(1.0, -0.0)}},
			"real":          {z.Mul(w).Real(), []complex128{complex(0.5, 1.0), complex(0.0, 0.0), complex(-2.0, -0.5), complex(0.5, -0.5)}},
			"imag":          {z.Mul(w).Imag(), []complex128{complex(-1.0, 0.5), complex(0.0, 0.0), complex(0.5, -2.0), complex(0.5, 0.5)}},
			"exp":           {z.Mul(w).Exp(), []complex128{complex(6.091246980351737, 12.182493960703473), complex(-0.0008232672111193579, -0.0028090435007305033), complex(-0.658264284745882, 2.2088884379768916), complex(1.0, 0.0)}},
			"log":           {z.Add(w).Log(), []complex128{complex(0.46153846153846156, 0.3076923076923077), complex(-0.4, -0.2), complex(-2.0, -0.6666666666666666), complex(0.0, 0.5)}},
			"sqrt":          {z.Add(w).Sqrt(), []complex128{complex(0.3564124467810592, 0.1079130058697558), complex(-0.28443224050289156, 0.17578879212707146), complex(-0.07695659591910411, -1.0828614797480436), complex(0.11377246514055682, 0.27467102836695245)}},
			"tanh":          {z.Mul(w).Tanh(), []complex128{complex(0.013296113341580373, 0.026592226683160747), complex(-1.0041723964677704e-06, 1.3672737194750039e-05), complex(-9.49900826066729, 2.110890724592731), complex(1.0, 0.0)}},
			"sin":           {z.Sin().Mul(z.Cos()), []complex128{complex(-11.36423470640106, 24.814651485634187), complex(-0.32836942700595506, 1.481620175455181), complex(4.864465161353872, -6.779256341862727), complex(0.5, 0.5)}},
			"pow":           {z.Add(w).Pow(w), []complex128{complex(-0.6108651917541283, 1.3690690083221275), complex(-0.17888541153419824, -0.19456744144813695), complex(-0.8539907679928406, -3.592362505319899), complex(0.4288290062943678, -0.15487175246424678)}},
			"matmul":        {z.Reshape(2, 2).MatMul(w.Reshape(2, 2)).Reshape(4), []complex128{complex(2.0, 3.0), complex(0.0, 0.75), complex(3.75, 1.75), complex(-1.25, 0.5)}},
			"square of abs": {z.Abs().Square(), []complex128{complex(2.0, 4.0), complex(-0.0, 0.0), complex(1.0, -4.0), complex(0.0, 0.0)}},
			"prod":          {z.Reshape(2, 2).Prod(1), []complex128{complex(-3.0, -0.5), complex(1.0, -2.0), complex(0.0, 0.0), complex(-1.0, 0.25)}},
			"cumsum":        {z.CumSum(0), []complex128{complex(3.5, 0.5), complex(2.5, 0.5), complex(2.5, -0.5), complex(0.5, 0.5)}},
			"cumprod":       {z.CumProd(0), []complex128{complex(-2.125, -9.0), complex(6.999999999999999, -0.24999999999999992), complex(-2.5, 15.0), complex(-1.9375, -4.5625)}},
			"zero factors":  {z.Sub(z.Narrow(0, 1, 1).Stop()).CumProd(0), []complex128{complex(1.0, 0.0), complex(50.21875, 19.09375), complex(0.0, 0.0), complex(0.0, 0.0)}},
			"var":           {z.Reshape(2, 2).Var(1, 1), []complex128{complex(4.0, 1.5), complex(-4.0, -1.5), complex(0.0, 0.0), complex(-0.0, 0.0)}},
			"std":           {z.Std(1).Reshape(1), []complex128{complex(0.22193494777260867, 0.2508829844386011), complex(-0.39562316776856327, 0.019298691110661622), complex(0.10614280110863893, -0.21228560221727785), complex(0.06754541888731568, -0.05789607333198486)}},
			"norm":          {z.Norm(2).Reshape(1), []complex128{complex(0.25555062599997597, 0.5111012519999519), complex(-0.7666518779999278, 0.12777531299998798), complex(0.06388765649999399, -0.25555062599997597), complex(0.0, 0.0)}},
			"norm 1":        {z.Norm(1).Reshape(1), []complex128{complex(0.4472135954999579, 0.8944271909999159), complex(-0.9863939238321437, 0.1643989873053573), complex(0.24253562503633297, -0.9701425001453319), complex(0.0, 0.0)}},
			"norm 3":        {z.Norm(3).Reshape(1), []complex128{complex(0.1898910505766141, 0.3797821011532282), complex(-0.7748392572871821, 0.12913987621453035), complex(0.02188386228541432, -0.08753544914165728), complex(0.0, 0.0)}},
			"norm inf":      {z.Norm(math.Inf(1)).Reshape(1), []complex128{complex(0.0, 0.0), complex(-0.9863939238321437, 0.1643989873053573), complex(0.0, 0.0), complex(0.0, 0.0)}},
			"scatter add":   {w.ScatterAdd(lazy.From(tr, []int32{2, 0, 2, 1}), z.Mul(w)), []complex128{complex(2.0, 1.5), complex(2.0, -1.5), complex(-2.25, 0.5), complex(1.0, 1.0)}},
			"index add":     {w.IndexAdd(lazy.From(tr, []int32{2, 0, 2, 1}), z.Mul(w), 0), []complex128{complex(2.0, 1.5), complex(2.0, -1.5), complex(-2.25, 0.5), complex(1.0, 1.0)}},
			"polar":         {z.Real().Abs().Polar(z.Imag()), []complex128{complex(-0.4161468365471424, -0.9092974268256817), complex(-0.479425538604203, 2.6327476856711183), complex(1.922075596544176, 0.2856599159369133), complex(0.0, 0.0)}},
		} {
			ct := lazy.From(tr, []complex128{1, 1i, 2 - 1i, 0.5 + 0.5i}).Narrow(0, 0, c.y.Dim(0))
			if !c.y.DType().IsComplex() {
				ct = ct.Real()
			}
			got := complexes(t, lazy.VJP(c.y, ct, z)[0])
			for i := range c.want {
				require.InDelta(t, real(c.want[i]), real(got[i]), 1e-12*(1+math.Abs(real(c.want[i]))), "%s: %v", name, got)
				require.InDelta(t, imag(c.want[i]), imag(got[i]), 1e-12*(1+math.Abs(imag(c.want[i]))), "%s: %v", name, got)
			}
		}
	})
}

// A composite's own gradient function has PyTorch's convention, too.
func TestComplexOwnGradient(t *testing.T) {
	onBoth(t, func(t *testing.T, dev *lazy.Device, tr *lazy.Trace) {
		z := lazy.From(tr, []complex128{1 + 2i, -3 + 0.5i})
		plain := lazy.Grad(z.Mul(z).Mul(z).Abs().Sum(), z)[0]
		own := lazy.Grad(complexCube.Call(nil, z).Abs().Sum(), z)[0]
		a, b := complexes(t, plain), complexes(t, own)
		for i := range a {
			require.InDelta(t, real(a[i]), real(b[i]), 1e-12)
			require.InDelta(t, imag(a[i]), imag(b[i]), 1e-12)
		}
	})
}

// complexCube is z³, with a gradient function.
var complexCube = lazy.Define(lazy.Composite{Name: "test.complex_cube", Operands: []ops.Operand{{Name: "x", Is: ops.Complex}}},
	func(x []*lazy.Tensor, _ lazy.Attrs) *lazy.Tensor { return x[0].Mul(x[0]).Mul(x[0]) },
	func(x []*lazy.Tensor, _, ct *lazy.Tensor, _ lazy.Attrs) []*lazy.Tensor {
		return []*lazy.Tensor{ct.Mul(x[0].Mul(x[0]).MulScalar(3).Conj())}
	})

// Errors of complex tensors name the op, the types, the rule and the line.
func TestComplexMistakes(t *testing.T) {
	dev := open(t, "eval")
	tr := lazy.NewTrace(dev)
	z, x := lazy.Zeros(tr, lazy.C64, 2), lazy.Zeros(tr, lazy.F32, 2)
	for want, y := range map[string]*lazy.Tensor{
		"maximum(c64[2], f32[2])": z.Maximum(x),
		"less(c64[2], c64[2]): complex numbers have no order; compare their Abs, Real or Imag (compare_c4)":                                                               z.Less(z),
		"maximum(c64[2], c64[2]): x must be a number, is c64; convert it with Convert (maximum_c1)":                                                                       z.Maximum(z),
		"full_complex(): dtype must be c64 or c128, is f32":                                                                                                               lazy.FullComplex(tr, lazy.F32, 1i),
		"grad(c64[]): the tensor to differentiate must be a floating-point scalar, and is complex; take its Abs, Real or Imag and reduce it, or give its gradient to VJP": lazy.Grad(z.Sum(), z)[0],
		"fft(c64[2]): axis 0 of x is 2, and must have 3 elements for the lengths [3] (fft_c5)":                                                                            z.FourierTransform(lazy.Fourier, 3),
		"complex(f32[2], f32[3]): shapes do not broadcast: [2] and [3] have 2 and 3 at axis -1; reshape one, or give it a dimension of 1 there (complex_shapes)":          lazy.Complex(x, lazy.Zeros(tr, lazy.F32, 3)),
		"view_as_complex(f32[2,3]): x is f32[2,3], and its last dimension must be 2 (view_as_complex_c2)":                                                                 lazy.Zeros(tr, lazy.F32, 2, 3).ViewAsComplex(),
	} {
		require.ErrorContains(t, y.Err(), want)
		require.ErrorContains(t, y.Err(), "complex_test.go:")
	}
}

// A complex number holds unless both of its parts are 0.
func TestLogicOfComplexNumbers(t *testing.T) {
	onBoth(t, func(t *testing.T, _ *lazy.Device, tr *lazy.Trace) {
		x, y := lazy.From(tr, []complex128{0, 1i, 2, 0}), lazy.From(tr, []complex64{1, 0, 1i, 0})
		for want, z := range map[string]*lazy.Tensor{"tfft": x.LogicalNot(), "fftf": x.LogicalAnd(y), "tttf": x.LogicalOr(y), "ttff": x.LogicalXor(y)} {
			got, err := lazy.ToSlice[bool](z)
			require.NoError(t, err)
			for i, v := range got {
				require.Equal(t, want[i] == 't', v, want)
			}
		}
	})
}
