package lazy_test

import (
	"fmt"

	"ltc/lazy"
)

// A decoder's step: two heads look at the keys of all places so far, which they
// share.
func ExampleTensor_Attention() {
	dev, err := lazy.Open("cpu")
	check(err)
	tr := lazy.NewTrace(dev)

	q := lazy.From(tr, []float32{4, 0, 0, 4}, 1, 2, 1, 2) // one sequence, two heads, one place
	k := lazy.From(tr, []float32{2, 0, 0, 2, 1, 1}, 1, 1, 3, 2)
	v := lazy.From(tr, []float32{10, 20, 30}, 1, 1, 3, 1)
	y := q.Attention(k, v, lazy.AttentionOptions{Causal: true})
	check(tr.MarkStep(y))
	fmt.Println(y.Type())
	fmt.Println(lazy.ToSlice[float32](y.MulScalar(100).Round()))
	fmt.Println(q.Attention(k, v.Reshape(1, 3, 1), lazy.AttentionOptions{}).Err())
	// Output:
	// f32[1,2,1,1]
	// [1115 2052] <nil>
	// example_attention_test.go:23: attention(f32[1,2,1,2], f32[1,1,3,2], f32[1,3,1]): q, k and v must have one rank, of at least 2: batch…, heads, places, features (attention_c6)
}
