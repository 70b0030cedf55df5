package cudasim_test

import (
	"fmt"

	_ "ltc/backends/cuda/cudasim"
	"ltc/lazy"
)

// A step on a GPU that is not there.
func Example() {
	dev, err := lazy.Open("cudasim")
	check(err)
	tr := lazy.NewTrace(dev)

	x := lazy.From(tr, []float32{1, 2, 3, 4}, 2, 2)
	y := x.MatMul(x).AddScalar(1)
	check(tr.MarkStep(y)) // compiled to PTX and run by the interpreter
	values, err := lazy.ToSlice[float32](y)
	check(err)
	fmt.Println(values)
	// Output: [8 11 16 23]
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
