package lazy

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

func requireValues(t *testing.T, want []float64, y *Tensor) {
	t.Helper()
	got, err := ToSlice[float64](y)
	require.NoError(t, err)
	require.InDeltaSlice(t, want, got, 1e-12)
}

// The function (x0·x1, sin x0, x1³) at (2, 3) has the Jacobian (3 2; cos 2 0; 0 27).
func TestJacobian(t *testing.T) {
	for _, backend := range []string{"eval", "cpu"} {
		dev, err := Open(backend)
		require.NoError(t, err)
		tr := NewTrace(dev)
		x := From(tr, []float64{2, 3})
		f := func(x *Tensor) *Tensor {
			a, b := x.Select(0, 0), x.Select(0, 1)
			return Stack(0, a.Mul(b), a.Sin(), b.Mul(b).Mul(b))
		}
		j := Jacobian(f, x)
		require.Equal(t, []int{3, 2}, []int(j.Shape()))
		v := VJP(f(x), From(tr, []float64{1, 10, 100}), x)[0]
		y, d := JVP(f, x, From(tr, []float64{1, -1}))
		h := Hessian(func(x *Tensor) *Tensor { return f(x).Sum() }, x)
		require.NoError(t, tr.MarkStep(j, v, y, d, h))
		c, s := math.Cos(2), math.Sin(2)
		requireValues(t, []float64{3, 2, c, 0, 0, 27}, j)
		requireValues(t, []float64{3 + 10*c, 2 + 2700}, v)
		requireValues(t, []float64{6, s, 27}, y)
		requireValues(t, []float64{1, c, -27}, d)
		requireValues(t, []float64{-s, 1, 1, 18}, h)
		require.NoError(t, dev.Close())
	}
}

// Where both operands are equal the second derivatives of these are not those of a maximum.
func TestCurvatureOfLogAddExp(t *testing.T) {
	quarter := func(scale float64) []float64 { return []float64{scale / 4, -scale / 4, -scale / 4, scale / 4} }
	for _, c := range []struct {
		f    func(x, y *Tensor) *Tensor
		want []float64
	}{
		{(*Tensor).LogAddExp, quarter(1)},
		{(*Tensor).LogAddExp2, quarter(math.Ln2)},
	} {
		tr := evalTrace(t)
		x := From(tr, []float64{3, 3})
		f := func(x *Tensor) *Tensor { return c.f(x.Select(0, 0), x.Select(0, 1)) }
		g, h := Grad(f(x), x)[0], Hessian(f, x)
		ends := From(tr, []float64{math.Inf(1), math.Inf(-1)})
		same := c.f(ends, ends)
		slope := Grad(same.Sum(), ends)[0]
		require.NoError(t, tr.MarkStep(g, h, same, slope))
		requireValues(t, []float64{0.5, 0.5}, g)
		requireValues(t, c.want, h)
		got, err := ToSlice[float64](same)
		require.NoError(t, err)
		require.Equal(t, []float64{math.Inf(1), math.Inf(-1)}, got)
		requireValues(t, []float64{1, 1}, slope)
	}
}

// Derivatives of powers at 0 are those of the constant 1 for the exponent 0, and of 0 to a negative power infinite.
func TestDerivativesOfPowers(t *testing.T) {
	tr := evalTrace(t)
	x := From(tr, []float64{0, 2})
	number := Hessian(func(x *Tensor) *Tensor { return x.PowScalar(0).Sum() }, x)
	tensor := Hessian(func(x *Tensor) *Tensor { return x.Pow(From(tr, []float64{0, 3})).Sum() }, x)
	y := From(tr, []float64{-1, 0, 2})
	g := Grad(y.RPowScalar(0).Sum(), y)[0]
	require.NoError(t, tr.MarkStep(number, tensor, g))
	requireValues(t, []float64{0, 0, 0, 0}, number)
	requireValues(t, []float64{0, 0, 0, 12}, tensor)
	got, err := ToSlice[float64](g)
	require.NoError(t, err)
	require.Equal(t, []float64{math.Inf(-1), 0, 0}, got)
}

// Queries without keys have zeros.
func TestAttentionToNothing(t *testing.T) {
	for _, backend := range []string{"eval", "cpu"} {
		dev, err := Open(backend)
		require.NoError(t, err)
		tr := NewTrace(dev)
		q, k, v := From(tr, []float64{1, 2, 3, 4}, 1, 2, 2), Zeros(tr, F64, 1, 0, 2), Zeros(tr, F64, 1, 0, 3)
		y := q.Attention(k, v, AttentionOptions{})
		g := Grad(y.Sum(), q)[0]
		require.NoError(t, tr.MarkStep(y, g))
		requireValues(t, make([]float64, 6), y)
		requireValues(t, make([]float64, 4), g)
		require.NoError(t, dev.Close())
	}
}

// Gradients with respect to a stopped tensor are those of what is computed from it.
func TestGradientOfStopped(t *testing.T) {
	tr := evalTrace(t)
	x := From(tr, []float64{2, 3})
	s := x.MulScalar(2).Stop()
	g := Grad(s.Mul(s).Sum(), s, x)
	require.NoError(t, tr.MarkStep(g...))
	requireValues(t, []float64{8, 12}, g[0])
	requireValues(t, []float64{0, 0}, g[1])
}

// A bad call is an error with its op and line.
func TestMistakesWithJacobians(t *testing.T) {
	tr := evalTrace(t)
	x, n := From(tr, []float32{1, 2}), From(tr, []int32{1, 2})
	same := func(x *Tensor) *Tensor { return x }
	_, d := JVP(same, x, From(tr, []float32{1}))
	for want, y := range map[string]*Tensor{
		"vjp(f32[2]): operand 1 is nil": VJP(x, nil, x)[0],
		"vjp(f32[2], f32[]): the tensor to differentiate must be floating-point or complex, and its gradient of the same type": VJP(x, x.Sum(), x)[0],
		"jvp(f32[2], f32[1]): x and f(x) must be floating-point, and the tangent of the type of x":                             d,
		"jacobian(i32[2], i32[2]): x and f(x) must be floating-point":                                                          Jacobian(same, n),
		"grad(f32[2]): the tensor to differentiate must be a floating-point scalar":                                            Hessian(same, x),
	} {
		require.ErrorContains(t, y.Err(), want)
		require.ErrorContains(t, y.Err(), "jacobian_test.go:")
	}
}
