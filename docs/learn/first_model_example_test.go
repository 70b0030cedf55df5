package learn_test

import (
	"context"
	"fmt"
	"log"

	_ "ltc/backends/reference/llvm"
	"ltc/data"
	"ltc/data/digits"
	"ltc/lazy"
	"ltc/optim"
)

func check(err error) {
	if err != nil {
		panic(err)
	}
}

// images copies images and labels of the given rows out of a table of digits.
func images(t *data.Table, rows []int) (pixels []float32, labels []int32) {
	return data.Gather[float32](nil, t, rows, 0, digits.Pixels),
		data.Gather[int32](nil, t, rows, digits.Label, digits.Label+1)
}

func Example_firstModel() {
	table := digits.Load() // 1,797 images of 8×8 pixels with labels, part of the program
	trainRows, testRows := data.Holdout(table.Rows, 5)
	train, test := table.Select(trainRows), table.Select(testRows)

	dev, err := lazy.Open("cpu", lazy.Seed(1))
	check(err)
	w := dev.Variable("w", lazy.F32, digits.Pixels, 10).Init(lazy.HeNormal())
	b := dev.Variable("b", lazy.F32, 10)
	logits := func(x *lazy.Tensor) *lazy.Tensor { return x.MatMul(w).Add(b) }
	opt := optim.NewSGD(dev, []*lazy.Tensor{w, b}, optim.SGDConfig{LR: 0.1, Momentum: 0.9})

	tr := lazy.NewTrace(dev)
	batches := data.Batches{Rows: train.Rows, Size: 64, Seed: 1, DropLast: true}
	for epoch := range 10 {
		var sum float64
		for _, rows := range batches.Epoch(epoch) {
			pixels, labels := images(train, rows)
			x := lazy.From(tr, pixels, len(rows), digits.Pixels)
			y := lazy.From(tr, labels, len(rows))
			loss := logits(x).CrossEntropy(y)
			check(opt.Step(loss))    // records the gradients and the new weights
			check(tr.MarkStep(loss)) // has the step run
			sum += loss.Float()
		}
		log.Printf("epoch %d: loss %.3f", epoch, sum/float64(batches.Len()))
	}

	predict := lazy.Func(dev, func(_ *lazy.Trace, x *lazy.Tensor) *lazy.Tensor { return logits(x).ArgMax(-1) })
	pixels, labels := images(test, data.All(test.Rows))
	found, err := predict.Call(context.Background(), lazy.From(dev, pixels, test.Rows, digits.Pixels))
	check(err)
	guesses, err := lazy.ToSlice[int64](found)
	check(err)
	right := 0
	for i, g := range guesses {
		if g == int64(labels[i]) {
			right++
		}
	}
	log.Printf("%d of %d images are read right", right, test.Rows)
	fmt.Println(right > test.Rows*9/10)
	fmt.Println(len(tr.Report().Compiles), "compile")
	// Output:
	// true
	// 1 compile
}
