package lazy

import (
	"log/slog"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/ir/types"
)

// What is recorded in a scope of NoGrad is cut from gradients, views and writes included; what stands
// around it is not.
func TestNoGrad(t *testing.T) {
	tr := evalTrace(t)
	w := SetValues(tr.Device().Variable("w", F64, 2, 1), []float64{3, -1})
	x := From(tr, []float64{1, 10}, 2, 1)
	outer := x.Mul(w)
	end := tr.NoGrad()
	endInner := tr.NoGrad()
	inner := outer.Mul(w)
	view := outer.Transpose()
	traced := tr.View(w)
	endInner()
	endInner() // once
	shaped := tr.Read(w).Reshape(2)
	branch := If(tr.Read(w).Max().GreaterScalar(0), func(tr *Trace) []*Tensor { return all(tr.Read(w).MulScalar(2)) }, func(tr *Trace) []*Tensor { return all(tr.Read(w)) })[0]
	norm := x.Transpose().Mul(w.Transpose()).Softmax(1)
	end()
	after := x.Mul(w).Mul(w) // the node of inner, outside of the scope
	ones := []float64{1, 10}
	var names []string
	var grads []*Tensor
	var want [][]float64
	for name, c := range map[string]struct {
		y    *Tensor
		want []float64 // of the gradient
	}{
		"before":        {outer.Sum(), ones},
		"after":         {after.Sum(), []float64{6, -20}},
		"within":        {inner.Sum(), []float64{0, 0}},
		"around within": {inner.Mul(outer).Sum(), []float64{9, 100}}, // inner is a constant
		"view":          {outer.Add(view.Transpose()).Sum(), ones},
		"trace's view":  {outer.Add(traced).Sum(), ones},
		"reshaped":      {outer.Reshape(2).Add(shaped).Sum(), ones},
		"branch":        {outer.Add(branch).Sum(), ones},
		"composite":     {outer.Add(norm.Transpose()).Sum(), ones},
	} {
		names, grads, want = append(names, name), append(grads, Grad(c.y, w)[0]), append(want, c.want)
	}
	names, grads, want = append(names, "values"), append(grads, inner), append(want, []float64{9, 10})
	require.Equal(t, want, numbersIn(t, tr, grads...), names)
}

// A scope goes on beyond MarkStep, and is its trace's alone.
func TestNoGradOfOneTrace(t *testing.T) {
	tr := evalTrace(t)
	w := SetValues(tr.Device().Variable("w", F64), []float64{3})
	defer tr.NoGrad()()
	var others sync.WaitGroup
	for range 4 {
		others.Go(func() {
			other := NewTrace(tr.Device())
			g := Grad(other.Read(w).Mul(w), w)[0]
			require.NoError(t, other.MarkStep(g))
			require.Equal(t, 6.0, g.Float())
		})
	}
	for range 3 {
		y := tr.Read(w).Mul(w)
		require.Nil(t, GradOrNil(y, w)[0])
		require.ErrorContains(t, y.Backward(), "nothing that y depends on has a gradient")
		require.Nil(t, w.Grad())
		require.NoError(t, tr.MarkStep(y))
		require.Equal(t, 9.0, y.Float())
	}
	others.Wait()
}

// Gradients through what was recorded outside are taken within a scope, as values.
func TestGradWithinNoGrad(t *testing.T) {
	tr := evalTrace(t)
	w := SetValues(tr.Device().Variable("w", F64), []float64{3})
	y := tr.Read(w).PowScalar(3)
	end := tr.NoGrad()
	g := Grad(y, w)[0]
	end()
	require.Nil(t, GradOrNil(g, w)[0])
	require.Equal(t, [][]float64{{27}}, numbersIn(t, tr, g))
}

// A detached view shares elements and no gradients.
func TestDetach(t *testing.T) {
	tr := evalTrace(t)
	w := SetValues(tr.Device().Variable("w", F64, 2), []float64{3, -1})
	y := tr.Read(w).Mul(w.Detach()).Add(w.Detach().Detach()).Sum()
	require.Equal(t, [][]float64{{3, -1}}, numbersIn(t, tr, Grad(y, w)[0]))
	x := From(tr, []float64{1, 2}).Mul(w)
	d := x.Detach()
	d.Add_(Const(tr, F64, 5))
	require.Nil(t, GradOrNil(d.Sum(), w)[0])
	require.Equal(t, [][]float64{{8, 3}, {8, 3}}, numbersIn(t, tr, x, d))
	tr.View(w.Detach()).Fill_(7)
	require.NoError(t, tr.MarkStep())
	require.Equal(t, [][]float64{{7, 7}}, numbersIn(t, tr, w))
	require.Equal(t, [][]float64{{7, 7}}, numbersIn(t, tr, w.Detach()))
	require.ErrorContains(t, (&Tensor{}).Detach().Err(), "detach")
}

// A gradient is that of the value that was used, also where the tensor is written afterwards.
func TestGradOfAValueThatIsWritten(t *testing.T) {
	for name, write := range map[string]func(h *Tensor){
		"in place":     func(h *Tensor) { h.Mul_(Const(h.tr, F64, 100)) },
		"fill":         func(h *Tensor) { h.Fill_(100) },
		"by a view":    func(h *Tensor) { h.Narrow(0, 0, 1).Fill_(100) },
		"by its base":  func(h *Tensor) { h.Reshape(1, 2).Transpose().Add_(Const(h.tr, F64, 100)) },
		"by an assign": func(h *Tensor) { h.Assign(h.Exp()) },
	} {
		t.Run(name, func(t *testing.T) {
			tr := evalTrace(t)
			w := SetValues(tr.Device().Variable("w", F64, 2), []float64{3, -1})
			h := tr.Read(w).MulScalar(2)
			y := h.Mul(h).Exp().Mul(h).Sum() // all of them need h for their gradients
			want := tr.Read(w).MulScalar(2)
			exact := Grad(want.Mul(want).Exp().Mul(want).Sum(), w)[0]
			write(h)
			got := numbersIn(t, tr, Grad(y, w)[0], exact, h)
			require.Equal(t, got[1], got[0])
			require.InDelta(t, 2*math.Exp(4)*9, got[0][1], 1e-9)
			require.NotEqual(t, []float64{6, -2}, got[2])
		})
	}
}

func TestOnGrad(t *testing.T) {
	tr := evalTrace(t)
	w := SetValues(tr.Device().Variable("w", F64, 2), []float64{3, -1})
	h := tr.Read(w).Mul(w)
	var seen *Tensor
	var order []string
	h.OnGrad(func(g *Tensor) *Tensor { seen, order = g, append(order, "first"); return nil })
	remove := h.OnGrad(func(g *Tensor) *Tensor { order = append(order, "second"); return g.MulScalar(10) })
	y := h.MulScalar(2).Add(h).Sum()
	got := []*Tensor{Grad(y, w)[0], seen}
	require.Equal(t, []string{"first", "second"}, order)
	got = append(got, Grad(y, h)[0]) // also of the tensor itself
	remove()
	got = append(got, Grad(y, w)[0])
	order = nil
	require.Nil(t, GradOrNil(h.Stop().Sum(), w)[0])
	require.Empty(t, order) // no gradient passes
	// Once for each gradient, with the sum of both paths.
	require.Equal(t, [][]float64{{180, -60}, {3, 3}, {30, 30}, {18, -6}}, numbersIn(t, tr, got...))
}

// Functions of a variable are called in each step, and see what its uses add up to, in closures, too.
func TestOnGradOfAVariable(t *testing.T) {
	tr := evalTrace(t)
	w := SetValues(tr.Device().Variable("w", F64), []float64{3})
	calls := 0
	remove := w.OnGrad(func(g *Tensor) *Tensor { calls++; return g.ClampScalar(-1, 1) })
	for i := range 3 {
		require.NoError(t, tr.Read(w).Mul(w).Backward())
		require.NoError(t, tr.MarkStep())
		require.Equal(t, float64(i+1), w.Grad().Float())
	}
	require.Equal(t, 3, calls)
	square := func(tr *Trace) []*Tensor { return all(tr.Read(w).Mul(w)) }
	pred := tr.Read(w).GreaterScalar(0)
	around := Grad(If(pred, square, square)[0], w)[0]
	within := If(pred, func(tr *Trace) []*Tensor { return Grad(square(tr)[0], w) }, square)[0]
	require.Equal(t, [][]float64{{1}, {1}}, numbersIn(t, tr, around, within))
	remove()
	require.Equal(t, [][]float64{{6}}, numbersIn(t, tr, Grad(tr.Read(w).Mul(w), w)[0]))
}

func TestOnGradMistakes(t *testing.T) {
	tr := evalTrace(t)
	w := SetValues(tr.Device().Variable("w", F64, 2), []float64{3, -1})
	h := tr.Read(w).Exp()
	remove := h.OnGrad(func(g *Tensor) *Tensor { return g.Sum() })
	require.ErrorContains(t, Grad(h.Sum(), w)[0].Err(), "function of the OnGrad at autograd_test.go:")
	require.ErrorContains(t, Grad(h.Sum(), w)[0].Err(), "the gradient is f64[2], and what it returns f64[]: return the gradient to go on with")
	remove()
	h.OnGrad(func(g *Tensor) *Tensor { return g.MatMul(g).MatMul(g) })
	require.ErrorContains(t, Grad(h.Sum(), w)[0].Err(), "matmul")
	h.OnGrad(nil)
	require.ErrorContains(t, tr.MarkStep(), "on_grad(f64[2]): the function is nil")
	y := If(tr.Read(w).Max().GreaterScalar(0), func(tr *Trace) []*Tensor {
		h := tr.Read(w).Exp()
		h.OnGrad(func(g *Tensor) *Tensor { return g })
		return all(h)
	}, func(tr *Trace) []*Tensor { return all(tr.Read(w)) })[0]
	require.ErrorContains(t, tr.MarkStep(y), "on_grad(f64[2]): it is called in the first function of the if at autograd_test.go:")
	var text strings.Builder
	d, err := Open("eval", Logger(slog.New(slog.NewTextHandler(&text, nil))))
	require.NoError(t, err)
	From(d, []float32{1}).OnGrad(func(g *Tensor) *Tensor { return g })
	require.Contains(t, text.String(), "on_grad(f32[1]): none of the operands belongs to a trace; bring one in with Trace.Read")
}

// Gradients of tensors that are no variables are kept as those of variables are.
func TestRetainGrad(t *testing.T) {
	tr := evalTrace(t)
	w := SetValues(tr.Device().Variable("w", F64, 2), []float64{3, -1})
	for range 2 { // each step has its own
		h := tr.Read(w).Mul(w).RetainGrad()
		other := tr.Read(w).Exp().RetainGrad()
		view := h.Narrow(0, 1, 1).RetainGrad()
		require.Nil(t, h.Grad())
		require.NoError(t, h.MulScalar(2).Sum().Add(view.Sum()).Backward())
		require.NoError(t, h.Sum().Backward()) // adds
		require.NoError(t, tr.MarkStep())
		require.Equal(t, [][]float64{{3, 4}, {1}}, numbersIn(t, tr, h.Grad(), view.Grad()))
		require.Nil(t, other.Grad())
		h.ZeroGrad()
		require.Nil(t, h.Grad())
		w.ZeroGrad()
	}
	require.ErrorContains(t, From(tr, []int32{1}).RetainGrad().Err(), "there is no gradient with respect to a tensor of i32")
	require.NoError(t, w.RetainGrad().Err()) // variables have gradients anyway
}

// clipped is the identity whose gradient is between -1 and 1, times scale.
func clipped(x, scale *Tensor) *Tensor {
	return CustomGrad([]*Tensor{x}, func(x []*Tensor) []*Tensor { return all(x[0].MulScalar(1)) },
		func(_, _, ct []*Tensor) []*Tensor { return all(ct[0].ClampScalar(-1, 1).Mul(scale)) })[0]
}

func TestCustomGrad(t *testing.T) {
	tr := evalTrace(t)
	w := SetValues(tr.Device().Variable("w", F64, 2), []float64{3, -1})
	x := tr.Read(w).MulScalar(5)
	y := clipped(x, tr.Read(w)).MulScalar(7)
	got := []*Tensor{y, Grad(y.Sum(), x)[0], Grad(y.Sum(), w)[0]}
	want := [][]float64{{105, -35}, {3, -1}, {15, -5}}

	// Two calls of one function have gradients of their own.
	by := func(scale float64) *Tensor {
		return CustomGrad([]*Tensor{x}, func(x []*Tensor) []*Tensor { return all(x[0].Exp()) },
			func(_, y, ct []*Tensor) []*Tensor { return all(ct[0].Mul(y[0]).MulScalar(scale)) })[0]
	}
	a, b := by(0), by(100)
	got = append(got, Grad(a.Sum(), x)[0], Grad(b.Sum(), x)[0].Div(a).Round())
	want = append(want, []float64{0, 0}, []float64{100, 100})

	// Several operands and results, some without gradients; what forward takes from outside is a constant.
	n := From(tr, []int32{0, 1})
	zs := CustomGrad([]*Tensor{x, n, w}, func(x []*Tensor) []*Tensor {
		return all(x[0].Mul(x[2]).Mul(w), x[1], x[0].Add(x[2]))
	}, func(x, y, ct []*Tensor) []*Tensor {
		require.Nil(t, ct[1])
		return all(ct[0].Add(x[2]), nil, ct[2])
	})
	got = append(got, Grad(zs[0].Sum(), x, w)...) // by x: 1 + w, and by w 5 times that, for x, and 0
	got = append(got, Grad(zs[2].Sum(), x, w)...)
	want = append(want, []float64{4, 0}, []float64{20, 0}, []float64{3, -1}, []float64{16, -4})
	require.Equal(t, want, numbersIn(t, tr, got...))
}

// A custom gradient is that of calls in closures, of examples, and in later steps that follow the first.
func TestCustomGradInClosures(t *testing.T) {
	tr := evalTrace(t)
	w := SetValues(tr.Device().Variable("w", F64, 2), []float64{3, -1})
	twice := func(x *Tensor) *Tensor { // the identity with twice the gradient
		return CustomGrad([]*Tensor{x}, func(x []*Tensor) []*Tensor { return all(x[0].MulScalar(1)) },
			func(_, _, ct []*Tensor) []*Tensor { return all(ct[0].MulScalar(2)) })[0]
	}
	for range 3 {
		x := tr.Read(w)
		branch := func(tr *Trace) []*Tensor { return all(twice(tr.Read(x))) }
		cases := map[string]*Tensor{
			"plain":      twice(x),
			"branch":     If(x.Max().GreaterScalar(0), branch, branch)[0],
			"checkpoint": Checkpoint(x, twice),
			"nested":     twice(Checkpoint(x, twice)).MulScalar(0.5),
			"examples":   Vmap(func(_ *Trace, x []*Tensor) []*Tensor { return all(twice(x[0])) }, all(x), VmapOptions{})[0],
		}
		var names []string
		var grads []*Tensor
		for name, y := range cases {
			names, grads = append(names, name), append(grads, Grad(y.Sum(), w)[0])
		}
		require.Equal(t, slices.Repeat([][]float64{{2, 2}}, len(cases)), numbersIn(t, tr, grads...), names)
	}
}

// Without its functions a call of CustomGrad has no gradient: that of its forward function would be another one.
func TestCustomGradWithoutItsFunctions(t *testing.T) {
	tr := evalTrace(t)
	x := From(tr, []float64{2})
	y := CustomGrad(all(x), func(x []*Tensor) []*Tensor { return all(x[0].Mul(x[0])) }, func(x, y, ct []*Tensor) []*Tensor { return ct })[0]
	tr.customs = nil
	require.ErrorContains(t, Grad(y.Sum(), x)[0].Err(), "internal error: custom_grad 1 has no functions in its trace, which has 0")
}

func TestCustomGradMistakes(t *testing.T) {
	tr := evalTrace(t)
	x := From(tr, []float64{1, 2})
	id := func(x []*Tensor) []*Tensor { return x }
	call := func(forward func(x []*Tensor) []*Tensor, backward func(x, y, ct []*Tensor) []*Tensor) error {
		y := CustomGrad(all(x), forward, backward)[0]
		if y.Err() != nil {
			return y.Err()
		}
		return Grad(y.Sum(), x)[0].Err()
	}
	same := func(_, _, ct []*Tensor) []*Tensor { return ct }
	require.NoError(t, call(id, same))
	require.ErrorContains(t, call(nil, same), "custom_grad(f64[2]): forward or backward is nil")
	require.ErrorContains(t, call(id, nil), "forward or backward is nil")
	require.ErrorContains(t, call(func([]*Tensor) []*Tensor { return nil }, same), "the forward function returns no tensor")
	require.ErrorContains(t, call(id, func(_, _, ct []*Tensor) []*Tensor { return all(ct[0], ct[0]) }), "it gives 2 tensors for 1 operand")
	require.ErrorContains(t, call(id, func(_, _, ct []*Tensor) []*Tensor { return all(ct[0].Sum()) }), "operand 0 is f64[2] and its gradient f64[]")
	require.ErrorContains(t, call(func([]*Tensor) []*Tensor { panic("no") }, same), "the forward function panicked")
}

// Values of a deep backward pass are freed after their last use. A layer more takes two values more, of the
// eight that it computes: the result of Tanh and the operand of the product.
func TestPeakOfADeepBackward(t *testing.T) {
	dev, err := Open("cpu", Threads(1))
	require.NoError(t, err)
	tr := NewTrace(dev)
	const rows, features = 512, 64
	w := dev.Variable("w", F32, features, features).Init(Constant(0.01))
	x := From(tr, make([]float32, rows*features), rows, features)
	peak := func(layers int) int64 {
		h := x
		for range layers {
			h = h.MatMul(w).Tanh().MulScalar(2).AddScalar(1)
		}
		plan, err := tr.MemoryPlan(Grad(h.Mean(), w)[0])
		require.NoError(t, err)
		return plan.Peak()
	}
	const value = 4 * rows * features
	require.LessOrEqual(t, peak(24)-peak(8), int64(16*(2*value+4*features*features)))
	require.Less(t, peak(24), int64(2*24+4)*(value+4*features*features))
}

// In a scope of Autocast products compute in 16 bits, and what loses too much there in f32; variables and
// their gradients stay f32. Everything around the scope is as it was.
func TestAutocast(t *testing.T) {
	tr := evalTrace(t)
	w := tr.Device().Variable("w", F32, 4, 4).Init(Constant(1.0 / 3))
	gamma := tr.Device().Variable("gamma", F32, 4).Init(Constant(1))
	x := From(tr, []float32{1, 2, 3, 4, 5, 6, 7, 8.001}, 2, 4)
	for range 2 { // the second step follows the first
		require.Equal(t, F32, x.MatMul(w).DType())
		end := tr.Autocast(BF16)
		h := x.MatMul(w)
		q := h.Reshape(1, 2, 4)
		type typed struct {
			x    *Tensor
			want types.DType
		}
		dtypes := map[string]typed{
			"product":         {h, BF16},
			"of 16 bits":      {h.MatMul(w), BF16},
			"activation":      {h.ReLU(), BF16},
			"sum with f32":    {h.Add(x), F32},
			"exponential":     {h.Exp(), F32},
			"mean":            {h.Mean(), F32},
			"softmax":         {h.Softmax(1), F32},
			"norm":            {h.LayerNorm(gamma, gamma, 1e-5), F32},
			"loss":            {h.CrossEntropy(From(tr, []int32{0, 1})), F32},
			"attention":       {q.Attention(q, q.Convert(F32), AttentionOptions{}), BF16},
			"f64":             {x.Convert(F64).MatMul(tr.Read(w).Convert(F64)), F64},
			"convolution":     {h.Reshape(1, 1, 2, 4).Conv(x.Reshape(1, 1, 2, 4), ConvOptions{}), BF16},
			"product of ints": {From(tr, []int32{1, 2}, 1, 2).MatMul(From(tr, []int32{1, 2}, 2, 1)), I32},
		}
		inner := tr.Autocast(F32)
		dtypes["none of f32"] = typed{x.MatMul(w), F32}
		dtypes["none of 16 bits"] = typed{h.MatMul(h.Transpose()), BF16}
		dtypes["none of exponentials"] = typed{h.Exp(), BF16}
		dtypes["none of composites"] = typed{h.Softmax(1), BF16}
		inner()
		dtypes["again"] = typed{x.MatMul(w), BF16}
		for name, c := range dtypes {
			require.NoError(t, c.x.Err(), name)
			require.Equal(t, c.want, c.x.DType(), name)
		}
		end()
		require.Equal(t, F32, x.MatMul(w).DType())
		g := Grad(h.Sum(), w)[0]
		require.Equal(t, F32, g.DType())
		sum := float64(float32(1.0 / 3))
		got := numbersIn(t, tr, g.Select(0, 3).Convert(F64), h.Convert(F64).Select(0, 0))
		require.Equal(t, slices.Repeat([]float64{12}, 4), got[0]) // 8.001 is 8 in bf16
		require.InEpsilon(t, 10*sum, got[1][0], 1.0/128)
		require.NotEqual(t, float32(10*sum), float32(got[1][0]))
	}
	end := tr.Autocast(BF16)
	err := x.Convert(F64).MatMul(w).Err()
	require.ErrorContains(t, err, "matmul(f64[2,4], bf16[4,4]): dtypes differ: x is f64 and y is bf16; convert one with Convert; the scope of Autocast at autograd_test.go:")
	require.ErrorContains(t, err, " converts operands of up to f32 to bf16 (matmul_c2)")
	q := x.Reshape(1, 2, 4)
	require.ErrorContains(t, q.Attention(q.Convert(F64), q, AttentionOptions{}).Err(), " converts operands of up to f32 to bf16 (attention")
	end()
	require.NotContains(t, x.Convert(F64).MatMul(w).Err().Error(), "Autocast")
	tr.Autocast(I32)()
	require.ErrorContains(t, tr.MarkStep(), "autocast(): dtype is i32: give it BF16 or F16")
}
