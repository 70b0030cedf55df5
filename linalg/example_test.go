package linalg_test

import (
	"fmt"

	_ "ltc/backends/reference"
	"ltc/lazy"
	"ltc/linalg"
)

// A line through points by least squares, and how far the slope moves with the second point.
func Example() {
	dev, err := lazy.Open("cpu")
	if err != nil {
		panic(err)
	}
	defer dev.Close()
	tr := lazy.NewTrace(dev)
	x := lazy.From(tr, []float64{0, 1, 2, 3})
	y := lazy.From(tr, []float64{1, 3, 5, 7}, 4, 1)
	line := linalg.LstSq(linalg.Vander(x, 2), y) // offset, slope
	g := lazy.Grad(line.Select(0, 1).Sum(), y)[0]
	if err := tr.MarkStep(line, g); err != nil {
		panic(err)
	}
	at, _ := lazy.ToSlice[float64](line)
	by, _ := lazy.ToSlice[float64](g)
	fmt.Printf("%.3f + %.3f x, %.3f\n", at[0], at[1], by[1])
	// Output: 1.000 + 2.000 x, -0.100
}
