package quantized_test

import (
	"fmt"

	"ltc/checkpoint"
	"ltc/checkpoint/gguf"
	"ltc/lazy"
	"ltc/nn/module"
	"ltc/nn/quantized"
)

// A layer whose weight is a tensor of a GGUF file, in place: blocks of Q4_K, named Q4_K there.
func ExampleLoadInto() {
	check := func(err error) {
		if err != nil {
			panic(err)
		}
	}
	dev, err := lazy.Open("cpu")
	check(err)
	defer dev.Close()
	file, err := checkpoint.Open("../../checkpoint/testdata/blocks.gguf")
	check(err)
	defer file.Close()

	net := &struct{ Score quantized.Linear }{quantized.Linear{In: 256, Out: 1, Format: gguf.Q4_K}}
	check(module.Build(net, dev, module.Empty()))
	check(quantized.LoadInto(net, &file.State, checkpoint.Options{AllowExtra: true, Rename: func(tensor string) string {
		if tensor == "Q4_K" {
			return "score.weight"
		}
		return ""
	}}))
	tr := lazy.NewTrace(dev)
	y := net.Score.Forward(lazy.Ones(tr, lazy.F32, 1, 256))
	check(tr.MarkStep(y))
	score, err := lazy.ToSlice[float32](y)
	check(err)
	fmt.Printf("%.2f\n", score[0])

	tensor, err := file.Tensor("Q4_K")
	check(err)
	weight := make([]float32, 256)
	check(tensor.Blocks.Dequantize(weight))
	sum := 0.0
	for _, w := range weight {
		sum += float64(w)
	}
	fmt.Printf("%.2f\n", sum)
	// Output:
	// 2225.45
	// 2225.45
}
