package lazy_test

import (
	"fmt"

	"ltc/lazy"
)

func ExampleTrace_LiveRoots() {
	dev, err := lazy.Open("cpu")
	check(err)
	tr := lazy.NewTrace(dev)
	tr.LiveRoots(true)

	x := lazy.From(tr, []float32{1, 2})
	y := x.MulScalar(10)
	sum := y.Sum()
	check(tr.MarkStep()) // y and sum are used below
	fmt.Println(lazy.ToSlice[float32](y))
	fmt.Println(sum.Float())
	// Output:
	// [10 20] <nil>
	// 30
}
