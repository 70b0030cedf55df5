package lazy_test

import (
	"fmt"

	"ltc/lazy"
)

func ExampleRandom() {
	dev, err := lazy.Open("cpu")
	check(err)
	tr := lazy.NewTrace(dev)

	r := lazy.NewRandom(dev, 42)
	for range 3 {
		x := r.RandInt(tr, lazy.I32, 0, 100, 4)
		check(tr.MarkStep(x))
		fmt.Println(lazy.ToSlice[int32](x))
	}
	fmt.Println(len(tr.Report().Compiles), "compile")
	// Output:
	// [46 34 32 45] <nil>
	// [65 77 67 37] <nil>
	// [83 23 29 4] <nil>
	// 1 compile
}

func ExampleRandom_State() {
	dev, err := lazy.Open("cpu")
	check(err)
	tr := lazy.NewTrace(dev)

	r := lazy.NewRandom(dev, 42)
	saved := r.State() // has a text and a binary form, for a file
	a := r.Uniform(tr, lazy.F32, 3)
	again := lazy.RandomFrom(dev, saved)
	b := again.Uniform(tr, lazy.F32, 3)
	same := a.Equal(b).Convert(lazy.I32).Sum()
	check(tr.MarkStep(same))
	fmt.Println(saved, same.Float())

	parts, err := r.Fork(2) // streams of their own, say for two goroutines
	check(err)
	fmt.Println(len(parts))
	// Output:
	// philox4x32-10/1:000000000000002a:0000000000000000 3
	// 2
}
