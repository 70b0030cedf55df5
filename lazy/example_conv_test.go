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

func ExampleTensor_Conv_transposed() {
	dev, err := lazy.Open("cpu")
	check(err)
	tr := lazy.NewTrace(dev)

	x := lazy.From(tr, []float32{1, 2, 3, 4}, 1, 1, 2, 2)
	weight := lazy.From(tr, []float32{1, 2, 3, 4}, 1, 1, 2, 2) // of ConvTranspose2d(1, 1, 2, stride=2, padding=p)
	up := func(p int) *lazy.Tensor {
		pad := [2]int{2 - 1 - p, 2 - 1 - p}
		return x.Conv(weight.Reverse(2, 3), lazy.ConvOptions{Base: []int{2, 2}, Padding: [][2]int{pad, pad}, Layout: "NCHW,IOHW->NCHW"})
	}
	whole, cut := up(0), up(1)
	check(tr.MarkStep(whole, cut))
	fmt.Println(lazy.ToSlice[float32](whole))
	fmt.Println(lazy.ToSlice[float32](cut))
	// Output:
	// [1 2 2 4 3 4 6 8 3 6 4 8 9 12 12 16] <nil>
	// [4 6 6 4] <nil>
}
