package lazy_test

import (
	"context"
	"fmt"
	"strings"

	_ "ltc/backends/reference"
	"ltc/ir/types"
	"ltc/lazy"
)

// A function whose batch and length are both open is one program.
func ExampleDim() {
	dev, err := lazy.Open("cpu")
	if err != nil {
		panic(err)
	}
	w := dev.Variable("w", types.F32, 8, 4).Init(lazy.Uniform(-1, 1))
	encode := lazy.Func(dev, func(_ *lazy.Trace, x *lazy.Tensor) *lazy.Tensor {
		tokens := x.Reshape(-1, 8).MatMul(w) // [batch·seq, 4]
		return tokens.Reshape(x.Dim(0), x.Dim(1), 4).Mean(1)
	})
	exported, err := encode.Export([]lazy.Input{
		{Name: "x", Type: types.Of(types.F32, lazy.Dim("batch", 1, 512), lazy.Dim("seq", 1, 512), 8)},
	}, "y")
	if err != nil {
		panic(err)
	}
	fmt.Println(strings.Contains(exported.Text, `ltc.dims = {batch = [1, 512], seq = [1, 512]}`))
	// Output: true
}

// A size that is open is computed with by functions, and is a number as a tensor.
func ExampleTensor_Size() {
	dev, err := lazy.Open("cpu")
	if err != nil {
		panic(err)
	}
	half := lazy.Func(dev, func(_ *lazy.Trace, x *lazy.Tensor) *lazy.Tensor {
		first := x.Narrow(0, 0, lazy.SizeDiv(x.Dim(0), 2))
		return first.Sum().Div(x.Size(0).Convert(lazy.F32))
	})
	y, err := half.Call(context.Background(), lazy.From(dev, []float32{1, 2, 3, 4}, 4))
	if err != nil {
		panic(err)
	}
	fmt.Println(y.Float())
	_, err = half.Export([]lazy.Input{{Name: "x", Type: types.Of(lazy.F32, lazy.Dim("n", 2, 1000))}})
	fmt.Println(err)
	// Output:
	// 0.75
	// <nil>
}

func ExampleFunction_Inputs() {
	ctx := context.Background()
	dev, err := lazy.Open("cpu")
	check(err)
	score := lazy.Func(dev, func(_ *lazy.Trace, x *lazy.Tensor) *lazy.Tensor { return x.Tanh().Mean(1) })
	check(score.Inputs(lazy.Input{Name: "x", Type: types.Of(lazy.F32, lazy.Dim("batch", 1, 512), 8)}))
	for _, rows := range []int{3, 200, 7} {
		_, err := score.Call(ctx, lazy.From(dev, make([]float32, rows*8), rows, 8))
		check(err)
	}
	fmt.Println(score.Report().Compiled)
	// Output:
	// 1
}

func ExampleStaticShapes_none() {
	dev, err := lazy.Open("cpu")
	check(err)
	w := lazy.From(dev, make([]float32, 12), 4, 3)

	tr := lazy.NewTrace(dev)
	for _, rows := range []int{32, 32, 17, 5, 32} { // of batches that come as they are
		x := lazy.From(tr, make([]float32, rows*4), rows, 4)
		check(tr.MarkStep(x.MatMul(w).Tanh().Mean(0)))
	}
	fmt.Println(tr.Report().Compiled)
	// Output:
	// 2
}

func ExampleTensor_MaskedSelect() {
	dev, err := lazy.Open("cpu")
	check(err)
	tr := lazy.NewTrace(dev)

	step := func(scores []float32) (kept *lazy.Tensor, mean float64) {
		x := lazy.From(tr, scores, len(scores))
		kept = x.MaskedSelect(x.Greater(lazy.Const(tr, lazy.F32, 0.5))) // [masked_select]
		loss := kept.Log().Mean()
		check(tr.MarkStep(kept, loss))
		return kept, loss.Float()
	}
	for _, scores := range [][]float32{{1, 0.25, 0}, {1, 1, 0.75}, {0.5, 0.25, 1}} {
		kept, _ := step(scores)
		fmt.Println(kept.Shape())
	}
	fmt.Println(tr.Report().Compiled)
	// Output:
	// [1]
	// [3]
	// [1]
	// 1
}

// A variable keeps its sizes. How many rows of it are in use is a scalar.
func ExampleNewScalar_replay() {
	dev, err := lazy.Open("cpu")
	check(err)
	tr := lazy.NewTrace(dev)
	replay := dev.Variable("replay", lazy.F32, 1000, 4)
	used := lazy.NewScalar(dev, "used", lazy.I32, 0)
	n := 0
	for _, rows := range []int{3, 1, 2, 7} {
		x := lazy.From(tr, make([]float32, rows*4), rows, 4).AddScalar(2)
		all := tr.Read(replay).DynamicUpdateSlice(x, used, lazy.Const(tr, lazy.I32, 0))
		replay.Assign(all)
		n += rows
		now := lazy.Iota(tr, lazy.I32, 0, 1000, 4).Less(tr.Read(used).Add(x.Size(0).Convert(lazy.I32)))
		sum := now.Where(all, lazy.Zeros(tr, lazy.F32, 1000, 4)).Sum()
		check(tr.MarkStep(sum))
		check(used.Set(float64(n)))
		fmt.Println(n, sum.Float())
	}
	r := tr.Report()
	fmt.Println(r.Compiled, "compiles,", r.CopiedBytes, "bytes copied")
	// Output:
	// 3 24
	// 4 32
	// 6 48
	// 13 104
	// 2 compiles, 0 bytes copied
}
