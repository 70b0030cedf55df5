package lazy_test

import (
	"fmt"

	"ltc/lazy"
)

func ExampleTensor_Conv() {
	dev, err := lazy.Open("cpu")
	check(err)
	tr := lazy.NewTrace(dev)

	image := lazy.From(tr, []float32{
		0, 0, 0, 0, 0, 0,
		0, 1, 1, 1, 1, 0,
		0, 1, 2, 2, 1, 0,
		0, 1, 1, 1, 1, 0,
	}, 1, 1, 4, 6) // one image with one channel: NCHW
	edges := lazy.From(tr, []float32{-1, 1}, 1, 1, 1, 2) // OIHW
	y := image.Conv(edges, lazy.ConvOptions{Padding: [][2]int{{0, 0}, {0, 1}}})
	y = y.ReLU().MaxPool([]int{2, 2}, lazy.PoolOptions{})
	check(tr.MarkStep(y))
	fmt.Println(y.Type())
	fmt.Println(lazy.ToSlice[float32](y))

	strips := lazy.From(tr, []float32{1, 2, 3}, 3, 1, 1)
	fmt.Println(strips.Conv(edges, lazy.ConvOptions{}).Err())
	// Output:
	// f32[1,1,2,3]
	// [1 0 0 1 0 0] <nil>
	// example_conv_test.go:28: conv(f32[3,1,1], f32[1,1,1,2]): ranks are 3 and 4, must be equal and at least 2 (conv_c3)
}
