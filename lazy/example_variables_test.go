package lazy_test

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"ltc/lazy"
	"ltc/soa"
)

func ExampleDevice_Variable() {
	dev, err := lazy.Open("cpu")
	check(err)

	w := lazy.SetValues(dev.Variable("w", lazy.F32, 2), []float32{1, 2})
	train, watch := lazy.NewTrace(dev), lazy.NewTrace(dev)

	before := watch.Read(w).MulScalar(1)
	w.Add_(lazy.Ones(train, lazy.F32, 2)) // recorded in train; others do not see it yet
	fmt.Println(lazy.ToSlice[float32](w))
	check(train.MarkStep())
	fmt.Println(lazy.ToSlice[float32](w))
	check(watch.MarkStep(before)) // the version that was read
	fmt.Println(lazy.ToSlice[float32](before))
	// Output:
	// [1 2] <nil>
	// [2 3] <nil>
	// [1 2] <nil>
}

func ExampleTensor_Assign_conflict() {
	dev, err := lazy.Open("cpu")
	check(err)

	w := dev.Variable("w", lazy.F32, 2)
	one, two := lazy.NewTrace(dev), lazy.NewTrace(dev)
	w.Add_(lazy.Ones(one, lazy.F32, 2))
	w.Add_(lazy.Ones(two, lazy.F32, 2))
	check(one.MarkStep())
	err = two.MarkStep()
	fmt.Println(errors.Is(err, lazy.ErrConflict))

	w.Add_(lazy.Ones(two, lazy.F32, 2)) // again: it reads the new version
	check(two.MarkStep())
	fmt.Println(lazy.ToSlice[float32](w))
	// Output:
	// true
	// [2 2] <nil>
}

func ExampleFunc() {
	dev, err := lazy.Open("cpu")
	check(err)

	w := dev.Variable("w", lazy.F32, 4).Init(lazy.Constant(2))
	weigh := lazy.Func(dev, func(tr *lazy.Trace, x *lazy.Tensor) *lazy.Tensor {
		return x.Mul(w).Sum()
	})
	var wait sync.WaitGroup
	sums := make([]float64, 3)
	for i := range sums {
		wait.Go(func() {
			x := lazy.From(dev, []float32{float32(i), 1, 1, 1})
			y, err := weigh.Call(context.Background(), x)
			check(err)
			sums[i] = y.Float()
		})
	}
	wait.Wait()
	fmt.Println(sums, len(weigh.Report().Compiles), "compile")
	// Output:
	// [6 8 10] 1 compile
}

func ExampleTensor_Select() {
	dev, err := lazy.Open("cpu")
	check(err)
	tr := lazy.NewTrace(dev)

	x := lazy.From(tr, []float32{1, 2, 3, 4}, 2, 2)
	row := x.Select(0, 1)                // a view of the second row
	row.Add_(lazy.Ones(tr, lazy.F32, 2)) // writes x, too
	x.Diagonal(0, 0, 1).Fill_(0)
	check(tr.MarkStep())
	fmt.Println(lazy.ToSlice[float32](x))
	fmt.Println(lazy.ToSlice[float32](row))
	// Output:
	// [0 2 4 0] <nil>
	// [4 0] <nil>
}

func ExampleTrace_View() {
	dev, err := lazy.Open("cpu")
	check(err)
	tr := lazy.NewTrace(dev)

	w := dev.Variable("w", lazy.F32, 3)
	tr.View(w).Fill_(7)               // w.Fill_(7) would not say in which trace
	tr.View(w).Narrow(0, 0, 1).Neg_() // a part of it
	copied := tr.Read(w).Clone()
	tr.View(w).Mul_(lazy.Full(tr, lazy.F32, 2, 3))
	check(tr.MarkStep(copied))
	fmt.Println(lazy.ToSlice[float32](w))
	fmt.Println(lazy.ToSlice[float32](copied))
	// Output:
	// [-14 14 14] <nil>
	// [-7 7 7] <nil>
}

func ExampleTensor_Donate() {
	dev, err := lazy.Open("cpu")
	check(err)
	tr := lazy.NewTrace(dev)

	x := lazy.From(tr, []float32{1, 2, 3})
	y := x.Donate().MulScalar(2) // y may be written where x was
	check(tr.MarkStep(y))
	fmt.Println(lazy.ToSlice[float32](y))
	_, err = x.Value()
	fmt.Println(errors.Is(err, lazy.ErrUsage))
	fmt.Println(tr.Report().DonationCopies)
	// Output:
	// [2 4 6] <nil>
	// true
	// 0
}

func ExampleBorrow() {
	dev, err := lazy.Open("cpu")
	check(err)
	tr := lazy.NewTrace(dev)

	data := []float32{1, 2, 3}
	y := lazy.Borrow(tr, data).Sum()
	check(tr.MarkStep(y))
	check(tr.Wait(context.Background())) // from here on data may be written
	data[0] = 100
	fmt.Println(y.Float())
	// Output:
	// 6
}

func ExampleShare() {
	dev, err := lazy.Open("cpu")
	check(err)
	tr := lazy.NewTrace(dev)

	data := []float32{1, 2, 3}
	x := lazy.Share(tr, data)
	x.Add_(lazy.Const(tr, lazy.F32, 1))
	x.Narrow(0, 0, 1).Neg_()
	check(tr.MarkStep())
	check(tr.Wait(context.Background())) // from here on data may be read and written
	fmt.Println(data)
	// Output:
	// [-2 3 4]
}

func ExampleInto() {
	dev, err := lazy.Open("cpu")
	check(err)
	tr := lazy.NewTrace(dev)

	x := lazy.From(tr, []float32{1, 2, 3, 4}, 2, 2)
	rows := make([]float32, 2)
	lazy.Into(x.Sum(1), rows)
	table := make([]float32, 8) // x and its squares, side by side
	squares, err := soa.Strided(table, x.Type(), 2, []int{4, 1})
	check(err)
	x.Mul(x).IntoView(squares)
	check(tr.MarkStep())
	check(tr.Wait(context.Background())) // from here on rows and table may be read
	fmt.Println(rows, table)
	// Output:
	// [3 7] [0 0 1 4 0 0 9 16]
}
