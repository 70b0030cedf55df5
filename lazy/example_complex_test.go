package lazy_test

import (
	"fmt"

	"ltc/lazy"
)

func ExampleComplex() {
	dev, err := lazy.Open("cpu")
	check(err)
	defer dev.Close()
	tr := lazy.NewTrace(dev)
	re := lazy.Borrow(tr, []float32{3, 0}) // columns, each in memory of its own
	im := lazy.Borrow(tr, []float32{4, -1})
	z := lazy.Complex(re, im)
	square := z.Mul(z)
	check(tr.MarkStep(square, z.Abs()))
	v, err := lazy.ToSlice[complex64](square)
	check(err)
	fmt.Println(square.Type(), v)
	// Output:
	// c64[2] [(-7+24i) (-1-0i)]
}

func ExampleGrad_complex() {
	dev, err := lazy.Open("cpu")
	check(err)
	defer dev.Close()
	tr := lazy.NewTrace(dev)
	z := lazy.From(tr, []complex128{1 + 2i, -3i})
	loss := z.Mul(z.Conj()).Real().Sum() // |z|²
	g := lazy.Grad(loss, z)[0]
	check(tr.MarkStep(loss, g))
	v, err := lazy.ToSlice[complex128](g)
	check(err)
	fmt.Println(loss.Float(), v)
	// Output:
	// 14 [(2+4i) (0-6i)]
}
