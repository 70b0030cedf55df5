package lazy_test

import (
	"context"
	"fmt"

	"ltc/ir/types"
	"ltc/lazy"
)

func ExampleIf() {
	dev, err := lazy.Open("cpu")
	check(err)
	tr := lazy.NewTrace(dev)

	for _, data := range [][]float32{{1, 2, 3}, {-4, 0, 1}} {
		x := lazy.From(tr, data)
		y := lazy.If(x.Sum().GreaterScalar(0),
			func(tr *lazy.Trace) []*lazy.Tensor { return []*lazy.Tensor{x.DivScalar(2)} },
			func(tr *lazy.Trace) []*lazy.Tensor { return []*lazy.Tensor{x.Exp().Log1p()} },
		)[0].MulScalar(100).Round()
		check(tr.MarkStep(y))
		fmt.Println(lazy.ToSlice[float32](y))
	}
	fmt.Println(len(tr.Report().Compiles), "compile")
	// Output:
	// [50 100 150] <nil>
	// [2 69 131] <nil>
	// 1 compile
}

// Newton's iteration for the square roots of a vector.
func ExampleWhile() {
	dev, err := lazy.Open("cpu")
	check(err)
	tr := lazy.NewTrace(dev)

	a := lazy.From(tr, []float64{2, 9, 100})
	root := lazy.While(
		func(tr *lazy.Trace, s []*lazy.Tensor) *lazy.Tensor {
			return s[0].Mul(s[0]).Sub(a).Abs().Max().GreaterScalar(1e-12)
		},
		func(tr *lazy.Trace, s []*lazy.Tensor) []*lazy.Tensor {
			y := s[0]
			return []*lazy.Tensor{y.Add(a.Div(y)).MulScalar(0.5)}
		},
		a,
	)[0]
	check(tr.MarkStep(root))
	fmt.Println(lazy.ToSlice[float64](root))
	// Output:
	// [1.414213562373095 3 10] <nil>
}

// A recurrent network, and a step of its training.
func ExampleScan() {
	dev, err := lazy.Open("cpu")
	check(err)
	tr := lazy.NewTrace(dev)

	const steps, features, hidden = 5, 2, 3
	wx := dev.Variable("wx", lazy.F32, features, hidden).Init(lazy.Constant(0.5))
	wh := dev.Variable("wh", lazy.F32, hidden, hidden).Init(lazy.Constant(0.1))
	xs := lazy.Iota(tr, lazy.F32, 0, steps, 1, features).MulScalar(0.1) // [time, batch, features]
	h0 := lazy.Zeros(tr, lazy.F32, 1, hidden)
	last, states := lazy.Scan(func(tr *lazy.Trace, h, x []*lazy.Tensor) (next, ys []*lazy.Tensor) {
		n := x[0].MatMul(wx).Add(h[0].MatMul(wh)).Tanh()
		return []*lazy.Tensor{n}, []*lazy.Tensor{n}
	}, []*lazy.Tensor{h0}, []*lazy.Tensor{xs}, lazy.ScanOptions{})
	loss := last[0].Sum()
	grads := lazy.Grad(loss, wx, wh)
	wx.Sub_(grads[0].MulScalar(0.1))
	wh.Sub_(grads[1].MulScalar(0.1))
	check(tr.MarkStep(loss))
	fmt.Println(states[0].Type())
	fmt.Printf("%.4f\n", loss.Float())
	// Output:
	// f32[5,1,3]
	// 1.3996
}

// A loop with a number of iterations: powers of a matrix.
func ExampleFor() {
	dev, err := lazy.Open("cpu")
	check(err)
	tr := lazy.NewTrace(dev)

	n := lazy.NewScalar(tr, "n", lazy.I32, 0)
	for iterations := range 3 {
		check(n.Set(float64(10 * iterations)))
		one := lazy.Const(tr, lazy.I64, 1)
		s := lazy.For(n, func(tr *lazy.Trace, i *lazy.Tensor, s []*lazy.Tensor) []*lazy.Tensor {
			return []*lazy.Tensor{s[1], s[0].Add(s[1])}
		}, one.SubScalar(1), one)
		check(tr.MarkStep(s[0]))
		fmt.Println(s[0].Float())
	}
	fmt.Println(len(tr.Report().Compiles), "compile")
	// Output:
	// 0
	// 55
	// 6765
	// 1 compile
}

// Each row by itself.
func ExampleMap() {
	dev, err := lazy.Open("cpu")
	check(err)
	tr := lazy.NewTrace(dev)

	x := lazy.From(tr, []float32{3, 1, 2, 6, 5, 4}, 2, 3)
	y := lazy.Map(func(tr *lazy.Trace, row []*lazy.Tensor) []*lazy.Tensor {
		sorted, _ := row[0].Sort(0, false)
		return []*lazy.Tensor{sorted}
	}, x)[0]
	check(tr.MarkStep(y))
	fmt.Println(lazy.ToSlice[float32](y))
	// Output:
	// [1 2 3 4 5 6] <nil>
}

// Greedy decoding: a loop whose state has the keys and values of all places so far.
func ExampleTensor_DynamicUpdateSlice() {
	dev, err := lazy.Open("cpu")
	check(err)
	tr := lazy.NewTrace(dev)

	const words, size, places = 11, 4, 8
	embedding := dev.Variable("embedding", lazy.F32, words, size).Init(lazy.Uniform(-2, 2))
	wk := dev.Variable("wk", lazy.F32, size, size).Init(lazy.Uniform(-1, 1))
	wv := dev.Variable("wv", lazy.F32, size, size).Init(lazy.Uniform(-1, 1))

	cache := lazy.Zeros(tr, lazy.F32, places, size)
	tokens := lazy.Zeros(tr, lazy.I32, places+1) // the first is 0
	state := lazy.For(places, func(tr *lazy.Trace, i *lazy.Tensor, s []*lazy.Tensor) []*lazy.Tensor {
		keys, values, tokens := s[0], s[1], s[2]
		zero := lazy.Const(tr, lazy.I32, 0)
		x := embedding.Gather(tokens.DynamicSlice([]int{1}, i)) // [1, size]
		keys.DynamicUpdateSlice_(x.MatMul(wk), i, zero)
		values.DynamicUpdateSlice_(x.MatMul(wv), i, zero)

		scores := x.MatMul(keys.Transpose())
		past := lazy.Iota(tr, lazy.I32, 0, places).LessEqual(i)
		y := past.Where(scores, lazy.Full(tr, lazy.F32, -1e9, 1, places)).Softmax(-1).MatMul(values)
		next := y.Add(x).MatMul(tr.Read(embedding).Transpose()).ArgMax(1).Convert(lazy.I32)
		tokens.DynamicUpdateSlice_(next, i.AddScalar(1))
		return s
	}, cache, cache, tokens)
	check(tr.MarkStep(state[2]))
	text, err := lazy.ToSlice[int32](state[2])
	fmt.Println(len(text), err)
	// Output:
	// 9 <nil>
}

// Text generation: one program for prompts of any length, and for each token that follows.
func ExampleFunction_Inputs_generation() {
	dev, err := lazy.Open("cpu")
	check(err)
	const words, size, places = 11, 4, 32
	embedding := dev.Variable("embedding", lazy.F32, words, size).Init(lazy.Uniform(-2, 2))
	wk := dev.Variable("wk", lazy.F32, size, size).Init(lazy.Uniform(-1, 1))
	wv := dev.Variable("wv", lazy.F32, size, size).Init(lazy.Uniform(-1, 1))

	ctx := context.Background()
	keys := dev.Variable("keys", lazy.F32, places, size)
	values := dev.Variable("values", lazy.F32, places, size)
	start := lazy.NewScalar(dev, "start", lazy.I32, 0)
	next := lazy.Func(dev, func(tr *lazy.Trace, tokens *lazy.Tensor) *lazy.Tensor {
		n, at, zero := tokens.Dim(0), tr.Read(start), lazy.Const(tr, lazy.I32, 0)
		x := tr.Read(embedding).Gather(tokens) // [length, size]
		keys.Assign(tr.Read(keys).DynamicUpdateSlice(x.MatMul(wk), at, zero))
		values.Assign(tr.Read(values).DynamicUpdateSlice(x.MatMul(wv), at, zero))

		row, column := lazy.Iota(tr, lazy.I32, 0, n, places), lazy.Iota(tr, lazy.I32, 1, n, places)
		scores := x.MatMul(tr.Read(keys).Transpose())
		scores = column.LessEqual(row.Add(at)).Where(scores, lazy.Full(tr, lazy.F32, -1e9, n, places))
		y := scores.Softmax(-1).MatMul(tr.Read(values)).Add(x)
		last := y.DynamicSlice([]int{1, size}, tokens.Size(0).Convert(lazy.I32).SubScalar(1), zero)
		return last.MatMul(tr.Read(embedding).Transpose()).ArgMax(1).Convert(lazy.I32)
	})
	check(next.Inputs(lazy.Input{Name: "tokens", Type: types.Of(lazy.I32, lazy.Dim("length", 1, places))}))
	for _, prompt := range [][]int32{{7}, {3, 1, 4, 1, 5}} {
		check(start.Set(0))
		token, err := next.Call(ctx, lazy.From(dev, prompt))
		for at := len(prompt); err == nil && at < 16; at++ {
			check(start.Set(float64(at)))
			token, err = next.Call(ctx, token)
		}
		check(err)
	}
	r := next.Report()
	fmt.Println(r.Runs, "runs,", len(r.Compiles), "compile,", r.CopiedBytes, "bytes copied")
	// Output:
	// 28 runs, 1 compile, 0 bytes copied
}

// A function of one example becomes one of many.
func ExampleVmap() {
	dev, err := lazy.Open("cpu")
	check(err)
	tr := lazy.NewTrace(dev)

	w := dev.Variable("w", lazy.F32, 2, 3).Init(lazy.Constant(0.5))
	layer := func(tr *lazy.Trace, xs []*lazy.Tensor) []*lazy.Tensor {
		x := xs[0] // f32[2]: one example
		return []*lazy.Tensor{x.MatMul(w).Tanh()}
	}
	xs := lazy.From(tr, []float32{1, 2, 3, 4, 5, 6, 7, 8}, 4, 2)
	ys := lazy.Vmap(layer, []*lazy.Tensor{xs}, lazy.VmapOptions{})[0]
	check(tr.MarkStep(ys))
	fmt.Println(ys.Type())
	// Output:
	// f32[4,3]
}

// The gradient of each example's loss.
func ExampleVmap_gradients() {
	dev, err := lazy.Open("cpu")
	check(err)
	tr := lazy.NewTrace(dev)

	w := dev.Variable("w", lazy.F32, 2).Init(lazy.Constant(1))
	xs := lazy.From(tr, []float32{1, 2, 3, 4, 5, 6}, 3, 2)
	ys := lazy.From(tr, []float32{2, 7, 12})
	grads := lazy.Vmap(func(tr *lazy.Trace, xs []*lazy.Tensor) []*lazy.Tensor {
		x, y := xs[0], xs[1] // f32[2] and f32[]
		miss := x.MatMul(w).Sub(y)
		return lazy.Grad(miss.Mul(miss), w)
	}, []*lazy.Tensor{xs, ys}, lazy.VmapOptions{})[0]
	check(tr.MarkStep(grads))
	fmt.Println(grads.Type())
	fmt.Println(lazy.ToSlice[float32](grads))
	// Output:
	// f32[3,2]
	// [2 4 0 0 -10 -12] <nil>
}
