package lazy_test

import (
	"fmt"

	"ltc/lazy"
)

func ExampleTrace_Explain() {
	dev, err := lazy.Open("eval")
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
	// 2 shape parameter f32[60,8], was f32[64,8]
	// pad axis 0 to one size, or to few sizes that Warmup compiles beforehand, and mask the padding
}
