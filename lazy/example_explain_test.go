package lazy_test

import (
	"fmt"

	"ltc/lazy"
)

func ExampleTrace_Explain() {
	dev, err := lazy.Open("cpu")
	check(err)
	tr := lazy.NewTrace(dev)
	for _, n := range []int{64, 64, 60} {
		x := lazy.From(tr, make([]float32, n*8), n, 8)
		check(tr.MarkStep(x.Exp().Sum(0)))
	}
	for _, e := range tr.Explain() {
		fmt.Println(e.Number, e.Kind, e.What)
		fmt.Println(e.Do)
	}
	// Output:
	// 2 shape parameter f32[n,8], was f32[64,8]
	// nothing: this program is for all sizes
}
