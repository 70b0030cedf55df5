package lazy_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/internal/trials"
	"ltc/ir/types"
	"ltc/lazy"
	"ltc/nn"
	"ltc/soa"
	"ltc/special"
)

// as64 reads a tensor of any dtype as f64, next to its type.
func as64(t *testing.T, x *lazy.Tensor) (types.Type, []float64) {
	t.Helper()
	require.NoError(t, x.Err())
	typ := x.Type()
	v, err := lazy.ToSlice[float64](x.Convert(lazy.F64))
	require.NoError(t, err)
	return typ, v
}

// Operands of different dtypes are computed in the one they promote to. The results are those
// of PyTorch.
func TestOperandsPromote(t *testing.T) {
	trials.Sequential(t)
	for _, backend := range []string{"eval", "cpu"} {
		tr := lazy.NewTrace(open(t, backend))
		i8, i32, i64 := lazy.From(tr, []int8{1, -2, 3}), lazy.From(tr, []int32{4, 5, -6}), lazy.From(tr, []int64{7, 8, 9})
		u8, f32, f64 := lazy.From(tr, []uint8{250, 2, 3}), lazy.From(tr, []float32{0.5, 1.5, -2.5}), lazy.From(tr, []float64{0.1, 0.2, 0.3})
		f16, bf16 := f32.Convert(lazy.F16), f32.Convert(lazy.BF16)
		yes := lazy.From(tr, []bool{true, false, true})
		scalar := func(d types.DType, x float64) *lazy.Tensor { return lazy.Const(tr, d, x) }
		for name, c := range map[string]struct {
			y    *lazy.Tensor
			d    types.DType
			want []float64
		}{
			"add i32 f32":         {i32.Add(f32), lazy.F32, []float64{4.5, 6.5, -8.5}},
			"sub u8 i8":           {u8.Sub(i8), lazy.I16, []float64{249, 4, 0}},
			"mul f16 bf16":        {f16.Mul(bf16), lazy.F32, []float64{0.25, 2.25, 6.25}},
			"mul i64 f16":         {i64.Mul(f16), lazy.F16, []float64{3.5, 12, -22.5}},
			"add bool i32":        {yes.Add(i32), lazy.I32, []float64{5, 5, -5}},
			"pow i8 i64":          {i8.Pow(i64), lazy.I64, []float64{1, 256, 19683}},
			"maximum i32 i64":     {i32.Maximum(i64), lazy.I64, []float64{7, 8, 9}},
			"rem i32 f64":         {i32.Rem(scalar(lazy.F64, 2.5)), lazy.F64, []float64{1.5, 0, -1}},
			"scalar of category":  {i32.Mul(scalar(lazy.F16, 0.5)), lazy.F16, []float64{2, 2.5, -3}},
			"scalar of size":      {f16.Mul(scalar(lazy.F64, 2)), lazy.F16, []float64{1, 3, -5}},
			"integer scalar":      {i8.Add(scalar(lazy.I64, 100)), lazy.I8, []float64{101, 98, 103}},
			"less":                {i32.Less(f32), lazy.Bool, []float64{0, 0, 1}},
			"equal bool i8":       {yes.Equal(i8), lazy.Bool, []float64{1, 0, 0}},
			"where":               {yes.Where(i32, f32), lazy.F32, []float64{4, 1.5, -6}},
			"and bool i32":        {yes.And(i32), lazy.I32, []float64{0, 0, 0}},
			"shift":               {i32.ShiftLeft(i8.Abs()), lazy.I32, []float64{8, 20, -48}},
			"concatenate":         {lazy.Concatenate(0, yes, i8, f16), lazy.F16, []float64{1, 0, 1, 1, -2, 3, 0.5, 1.5, -2.5}},
			"stack":               {lazy.Stack(1, i8, u8), lazy.I16, []float64{1, 250, -2, 2, 3, 3}},
			"atan2 of integers":   {scalar(lazy.I32, 0).Atan2(scalar(lazy.I64, 3)), lazy.F32, []float64{0}},
			"sqrt of integers":    {i64.Sub(lazy.From(tr, []int8{3, 7, 0})).Sqrt(), lazy.F32, []float64{2, 1, 3}},
			"exp of bool":         {yes.LogicalNot().Exp().Log(), lazy.F32, []float64{0, 1, 0}},
			"sigmoid of integers": {i32.MulScalar(0).Sigmoid(), lazy.F32, []float64{0.5, 0.5, 0.5}},
			"composite":           {i32.FloorDivide(f64.MulScalar(0).AddScalar(2)), lazy.F64, []float64{2, 2, -3}},
			"clamp":               {i32.Clamp(scalar(lazy.F32, -0.5), f64.MulScalar(0).AddScalar(4.5)), lazy.F64, []float64{4, 4.5, -0.5}},
			"copysign":            {i8.CopySign(i32), lazy.F32, []float64{1, 2, -3}},
			"reciprocal":          {i32.Reciprocal(), lazy.F32, []float64{0.25, float64(float32(0.2)), float64(float32(-1) / 6)}},
			"logsumexp":           {i32.MulScalar(0).LogSumExp().Exp().Round(), lazy.F32, []float64{3}},
			"function":            {special.Entr(yes), lazy.F32, []float64{0, 0, 0}},
			"functions of two":    {special.Xlog1py(i8.MulScalar(0), f64), lazy.F64, []float64{0, 0, 0}},
			"loss":                {nn.MSELoss(f32, i64, nn.ReduceSum), lazy.F32, []float64{6.5*6.5 + 6.5*6.5 + 11.5*11.5}},
			"div of integers":     {i64.Div(i32), lazy.F32, []float64{1.75, float64(float32(1.6)), -1.5}},
			"div by a number":     {i32.DivScalar(8), lazy.F32, []float64{0.5, 0.625, -0.75}},
			"truncated":           {i64.TruncDivide(i32), lazy.I64, []float64{1, 1, -1}},
			"rounded down":        {i64.FloorDivide(i32), lazy.I64, []float64{1, 1, -2}},
			"sum of u8":           {u8.Sum(), lazy.I64, []float64{255}},
			"sum of bool":         {yes.SumKeep(0), lazy.I64, []float64{2}},
			"prod of i8":          {i8.MulScalar(20).Prod(), lazy.I64, []float64{-48000}},
			"cumsum of u8":        {u8.CumSum(0), lazy.I64, []float64{250, 252, 255}},
			"cumprod of i32":      {i32.CumProd(0), lazy.I64, []float64{4, 20, -120}},
			"nansum of i32":       {i32.NaNSum(), lazy.I64, []float64{3}},
			"any of u8":           {u8.Any(), lazy.U8, []float64{1}},
			"all of i32":          {i32.All(), lazy.Bool, []float64{1}},
			"add bools":           {yes.Add(yes), lazy.Bool, []float64{1, 0, 1}},
			"mul bool and scalar": {yes.Mul(scalar(lazy.Bool, 0)), lazy.Bool, []float64{0, 0, 0}},
			"maximum of bools":    {yes.Maximum(yes.LogicalNot()), lazy.Bool, []float64{1, 1, 1}},
			"min of bool":         {yes.Min(), lazy.Bool, []float64{0}},
			"max of bool":         {yes.MaxKeep(0), lazy.Bool, []float64{1}},
			"floor of integers":   {i32.Floor(), lazy.I32, []float64{4, 5, -6}},
			"trunc of integers":   {u8.Trunc(), lazy.U8, []float64{250, 2, 3}},
			"activation":          {nn.Softsign(i32), lazy.F32, []float64{float64(float32(0.8)), float64(float32(5) / 6), float64(float32(-6) / 7)}},
		} {
			typ, got := as64(t, c.y)
			require.Equal(t, c.d, typ.DType, name)
			require.InDeltaSlice(t, c.want, got, 1e-6, name)
		}
		require.Equal(t, lazy.F32, lazy.CommonDType(i32, f32, scalar(lazy.F64, 1)))
		require.Equal(t, types.Invalid, lazy.CommonDType(i32, nil))
	}
}

// In-place ops compute in the dtype that the operands promote to, and convert to the receiver's.
func TestInPlaceOpsConvert(t *testing.T) {
	dev := open(t, "eval")
	tr := lazy.NewTrace(dev)
	v := dev.Variable("v", lazy.F16, 2)
	v.Add_(lazy.From(tr, []float64{1.5, 2}))
	v.Mul_(lazy.From(tr, []int32{2, 3}))
	small := lazy.From(tr, []int8{100, -100})
	small.Add_(lazy.From(tr, []int64{100, 1000})) // wraps around
	narrow := tr.View(lazy.From(tr, []float32{1, 2, 3})).Narrow(0, 1, 2)
	narrow.Atan2_(lazy.From(tr, []int32{0, 0}))
	narrow.Reciprocal_()
	require.NoError(t, tr.MarkStep(small))
	_, got := as64(t, tr.Read(v))
	require.Equal(t, []float64{3, 6}, got)
	_, got = as64(t, tr.Read(small))
	require.Equal(t, []float64{-56, -124}, got) // 200 and 900 of 8 bits

	count := lazy.From(tr, []int32{1, 2})
	require.ErrorContains(t, count.Add_(lazy.From(tr, []float32{1, 2})).Err(), "promotion_test.go:")
	require.ErrorContains(t, tr.MarkStep(), "add_(i32[2], f32[2]): the result is f32[2], which the value of i32[2] cannot hold: convert the operand to i32, or assign the result of the op that is not in place")
	require.Error(t, lazy.From(tr, []bool{true}).And_(lazy.From(tr, []int8{1})).Err())
	tr.MarkStep() // ends the step of the mistake
	v.Assign(lazy.From(tr, []float32{1, 2}))
	require.ErrorContains(t, tr.MarkStep(), "cannot hold f32[2]", "an assignment converts nothing")
}

// Gradients go back through the conversions, to the dtypes of the operands. The numbers are
// PyTorch's.
func TestGradientsThroughPromotion(t *testing.T) {
	tr := lazy.NewTrace(open(t, "cpu"))
	h, s := lazy.From(tr, []float32{1, 2, 3}).Convert(lazy.F16), lazy.From(tr, []float64{2})
	f, n := lazy.From(tr, []float32{0.5, 0.25, 4}), lazy.From(tr, []int32{1, 2, 3})
	loss := h.Mul(f).Mul(n).Mul(s).Sum() // f64: s has an axis
	require.Equal(t, lazy.F64, loss.DType())
	g := lazy.Grad(loss, h, f, s)
	for i, want := range []struct {
		d types.DType
		g []float64
	}{{lazy.F16, []float64{1, 1, 24}}, {lazy.F32, []float64{2, 8, 18}}, {lazy.F64, []float64{0.5 + 1 + 36}}} {
		typ, got := as64(t, g[i])
		require.Equal(t, want.d, typ.DType)
		require.Equal(t, want.g, got)
	}
	x := lazy.From(tr, []float64{0.5, -0.25})
	n = lazy.From(tr.Device(), []int32{3, 2})
	require.NoError(t, lazy.GradCheck(func(xs []*lazy.Tensor) *lazy.Tensor {
		k := xs[0].Trace().Read(n)
		return k.Atan2(xs[0]).Add(lazy.Stack(0, k.Sin(), xs[0]).Sum(0)).Mul(k.Less(xs[0]).LogicalNot())
	}, x))
}

// What rounding leaves as it is is a tensor of its own.
func TestRoundedIntegersAreApart(t *testing.T) {
	tr := lazy.NewTrace(open(t, "eval"))
	x := lazy.From(tr, []int32{1, 2})
	for _, round := range []func(*lazy.Tensor) *lazy.Tensor{(*lazy.Tensor).Floor, (*lazy.Tensor).Trunc} {
		round(x).Add_(x)
	}
	x.Round_()
	_, got := as64(t, x)
	require.Equal(t, []float64{1, 2}, got)
}

// A step that records the same promotions again reuses what it recorded.
func TestPromotionsAreFollowed(t *testing.T) {
	dev := open(t, "eval")
	tr := lazy.NewTrace(dev)
	tr.Reuse(true)
	x, n := dev.Variable("x", lazy.F32, 4), lazy.From(dev, []int32{1, 2, 3, 4})
	for range 5 {
		x.Add_(tr.Read(n))
		require.NoError(t, tr.MarkStep())
	}
	require.Equal(t, []float32{5, 10, 15, 20}, floats(t, x))
	require.EqualValues(t, 1, counter(dev, "UncachedCompile"), "one program serves all steps")
}

// Dtypes without a common one, and those that an op does not take, are errors, with the types
// that were given and the line.
func TestTypesThatDoNotPromote(t *testing.T) {
	tr := lazy.NewTrace(open(t, "eval"))
	of := func(d types.DType, n ...int) *lazy.Tensor { return lazy.FromView(tr, soa.Make(types.Of(d, n...))) }
	for want, y := range map[string]*lazy.Tensor{
		"add(u16[2], i8[2]): dtypes differ: x is u16 and y is i8; convert one with Convert (add_c2)":                                                     of(lazy.U16, 2).Add(of(lazy.I8, 2)),
		"sub(bool[2], bool[2]): x must be a number or complex, is bool; convert it with Convert (sub_c1)":                                                of(lazy.Bool, 2).Sub(of(lazy.Bool, 2)),
		"and(i32[2], f32[2]): y must be bool or an integer, is f32; convert it with Convert (and_c2)":                                                    of(lazy.I32, 2).And(of(lazy.F32, 2)),
		"add(i32[2], f32[3]): shapes do not broadcast: [2] and [3] have 2 and 3 at axis -1; reshape one, or give it a dimension of 1 there (add_shapes)": of(lazy.I32, 2).Add(of(lazy.F32, 3)),
		"hypot(i32[2], i32[2]): x must be floating point, is i32; convert it with Convert (hypot_c1)":                                                    of(lazy.I32, 2).Hypot(of(lazy.I32, 2)),
		"lerp(f32[2], f64[2], f32[2]): dtypes differ: x is f32 and y is f64; convert one with Convert (lerp_c2)":                                         of(lazy.F32, 2).Lerp(of(lazy.F64, 2), of(lazy.F32, 2)),
		"matmul(f32[2,2], f64[2,2]): dtypes differ: x is f32 and y is f64; convert one with Convert (matmul_c2)":                                         of(lazy.F32, 2, 2).MatMul(of(lazy.F64, 2, 2)),
		"mean(i32[2]): x must be floating point or complex, is i32; convert it to f32 with Convert (mean_c1)":                                            of(lazy.I32, 2).Mean(),
	} {
		require.ErrorContains(t, y.Err(), want)
		require.ErrorContains(t, y.Err(), "promotion_test.go:")
	}
}

// StrictTypes keeps dtypes apart: primitives, composites, functions of packages, and what is
// written in place.
func TestStrictTypes(t *testing.T) {
	dev := open(t, "eval", lazy.StrictTypes())
	tr := lazy.NewTrace(dev)
	i, f, d := lazy.From(tr, []int32{1, 2}), lazy.From(tr, []float32{1, 2}), lazy.From(tr, []float64{1, 2})
	for want, y := range map[string]*lazy.Tensor{
		"mul(i32[2], f32[2]): dtypes differ: x is i32 and y is f32; convert one with Convert (mul_c2)":                    i.Mul(f),
		"exp(i32[2]): x must be floating point or complex, is i32; convert it with Convert (exp_c1)":                      i.Exp(),
		"copy_sign(f32[2], f64[2]): dtypes differ: x is f32 and y is f64; convert one with Convert (copy_sign_c2)":        f.CopySign(d),
		"special.zeta(f32[2], f64[2]): dtypes differ: x is f32 and q is f64; convert one with Convert (special.zeta_c2)":  special.Zeta(f, d),
		"special.i0(i32[2]): x must be floating point, is i32; convert it with Convert (special.i0_c1)":                   special.I0(i),
		"concatenate(i32[2], f32[2]): dtypes differ: x is i32 and more is f32; convert one with Convert (concatenate_c2)": lazy.Concatenate(0, i, f),
	} {
		require.ErrorContains(t, y.Err(), want)
	}
	require.Equal(t, []types.DType{lazy.I32, lazy.I32}, []types.DType{i.Sum().DType(), i.Div(i).DType()}, "ops compute in the dtype of their operands")
	v := dev.Variable("v", lazy.F64, 2)
	v.Sub_(f)
	require.ErrorContains(t, tr.MarkStep(), "dtypes differ: x is f64 and y is f32")
}
