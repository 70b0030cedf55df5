package lazy

import (
	"errors"
	"runtime"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/ir/ops"
)

// The gradient of a composite that is wrong is named, with the line of its call, among ops
// whose gradients are right.
func TestGradCheckNamesOpAndLine(t *testing.T) {
	cube := Define(Composite{Name: "test.wrong_cube", Operands: []ops.Operand{{Name: "x", Is: ops.Float}}},
		func(x []*Tensor, _ Attrs) *Tensor { return x[0].Mul(x[0]).Mul(x[0]) },
		func(x []*Tensor, _, ct *Tensor, _ Attrs) []*Tensor { return []*Tensor{ct.Mul(x[0]).Mul(x[0])} }) // not 3x²
	tr := evalTrace(t)
	x := From(tr, []float64{0.5, 2, -1}, 3)
	w := From(tr, []float64{1, 2, 3, 4, 5, 6}, 2, 3)
	line := 0
	err := GradCheck(func(xs []*Tensor) *Tensor {
		h := xs[1].Mul(xs[0]).Sin()
		_, _, line, _ = runtime.Caller(0)
		return cube.Call(nil, h).Softmax(-1)
	}, x, w)
	var wrong *GradError
	require.ErrorAs(t, err, &wrong)
	require.Equal(t, "test.wrong_cube", wrong.Op)
	require.Equal(t, "gradcheck_test.go:"+strconv.Itoa(line+1), wrong.Site)
	require.Equal(t, []int{0, 0}, wrong.At)
	require.InEpsilon(t, 3*wrong.Got, wrong.Want, 1e-4)
	require.Contains(t, err.Error(), ": test.wrong_cube: the gradient of operand 0 is ")
}

// Right gradients are no error: of several inputs and dtypes, of integers beside, of results
// of any shape, and through control flow.
func TestGradCheckOfRightGradients(t *testing.T) {
	tr := evalTrace(t)
	dev := tr.Device()
	x := From(tr, []float64{0.5, 2, -1, 3}, 2, 2)
	require.NoError(t, GradCheck(func(xs []*Tensor) *Tensor { return xs[0].MatMul(xs[0].Tanh()).Softmax(0) }, x))
	require.NoError(t, GradCheck(func(xs []*Tensor) *Tensor { return xs[0].Gather(xs[1]).Exp() }, x, From(tr, []int32{1, 0, 1}, 3)))
	require.NoError(t, GradCheck(func(xs []*Tensor) *Tensor { return xs[0].Sigmoid().Sum() }, From(tr, []float32{0.5, 2, -1}, 3)))
	require.NoError(t, GradCheck(func(xs []*Tensor) *Tensor {
		return For(3, func(_ *Trace, _ *Tensor, s []*Tensor) []*Tensor { return []*Tensor{s[0].Sin().Add(xs[0])} }, xs[0])[0]
	}, x))
	v := dev.Variable("v", F64, 2, 2).Init(Constant(2))
	require.NoError(t, GradCheck(func(xs []*Tensor) *Tensor { return xs[0].Mul(v) }, x))
}

// A wrong gradient of the user's own function is the function's, and the message says where to look. Nothing is
// read before its step is marked.
func TestGradCheckOfCustomGrad(t *testing.T) {
	dev, err := Open("eval", ImplicitSyncs(RefuseSyncs))
	require.NoError(t, err)
	x := From(NewTrace(dev), []float64{0.5, 2}, 2)
	cube := func(factor float64) func(xs []*Tensor) *Tensor {
		return func(xs []*Tensor) *Tensor {
			return CustomGrad(xs, func(x []*Tensor) []*Tensor { return []*Tensor{x[0].PowScalar(3)} },
				func(x, _, ct []*Tensor) []*Tensor { return []*Tensor{ct[0].Mul(x[0].Mul(x[0]).MulScalar(factor))} })[0]
		}
	}
	require.NoError(t, GradCheck(cube(3), x))
	var wrong *GradError
	require.ErrorAs(t, GradCheck(cube(2.9), x), &wrong)
	require.Empty(t, wrong.Op)
	require.ErrorContains(t, wrong, "the gradient of input 0 is 1.")
	require.ErrorContains(t, wrong, "look at functions of CustomGrad")
}

// A Stop is named, since what is behind it has no gradient; mistakes of fn are returned.
func TestGradCheckMistakes(t *testing.T) {
	tr := evalTrace(t)
	x := From(tr, []float64{0.5, 2}, 2)
	var wrong *GradError
	require.ErrorAs(t, GradCheck(func(xs []*Tensor) *Tensor { return xs[0].Mul(xs[0].Stop()) }, x), &wrong)
	require.Equal(t, "stop", wrong.Op)
	require.Zero(t, wrong.Got)

	require.ErrorContains(t, GradCheck(func(xs []*Tensor) *Tensor { return xs[0].Reshape(3) }, x), "reshape(f64[2])")
	require.ErrorContains(t, GradCheck(func(xs []*Tensor) *Tensor { return xs[0].ArgMax(0) }, x), "the function's result must be floating point")
	require.ErrorContains(t, GradCheck(func(xs []*Tensor) *Tensor { return nil }, x), "the function returned nil")
	require.ErrorContains(t, GradCheck(func(xs []*Tensor) *Tensor { return xs[0].Exp() }, x.Convert(F16)), "no input is f64 or f32")
	require.ErrorContains(t, GradCheck(func(xs []*Tensor) *Tensor { return xs[0] }, nil), "grad_check")
	err := GradCheck(func(xs []*Tensor) *Tensor { return x.Exp() })
	require.ErrorContains(t, err, "grad_check(): there are no inputs: give the tensors that fn takes, f64 or f32, after fn")
	require.ErrorContains(t, err, "gradcheck_test.go:")
	require.ErrorIs(t, err, ErrUsage)
	require.False(t, errors.As(GradCheck(func(xs []*Tensor) *Tensor { return xs[0].Reshape(3) }, x), &wrong))
}
