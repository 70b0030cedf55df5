// Command train runs one training loop on the library's own backend and on one
// that another module brings.
package main

import (
	"fmt"
	"iter"
	"log"

	"mychip.example/chip"

	_ "ltc/backends/reference"
	"ltc/lazy"
)

func main() {
	for _, name := range []string{"eval", "mychip"} {
		fmt.Println("on", name)
		dev, err := lazy.Open(name)
		if err != nil {
			log.Fatal(err)
		}
		if err := train(dev, batches(4, 64)); err != nil {
			log.Fatal(err)
		}
	}
	fmt.Println("programs compiled by mychip:", chip.Compiled)
}

func train(dev *lazy.Device, batches iter.Seq2[[]float32, []int32]) error {
	tr := lazy.NewTrace(dev) // used by one goroutine at a time

	w := dev.Variable("w", lazy.F32, 784, 10).Init(lazy.Normal(0, 0.02)) // shared by any trace
	b := dev.Variable("b", lazy.F32, 10)
	lr := tr.Scalar("lr", 0.1) // an argument of the program: changing it compiles nothing

	for images, labels := range batches {
		x := lazy.From(tr, images, len(labels), 784) // copies; lazy.Borrow shares until the step is done
		y := lazy.From(tr, labels, len(labels))
		loss := x.MatMul(w).Add(b).CrossEntropy(y)
		g := lazy.Grad(loss, w, b)
		w.Sub_(g[0].Mul(lr)) // in place: w is assigned
		b.Sub_(g[1].Mul(lr))
		if err := tr.MarkStep(loss); err != nil { // roots: loss and what was assigned
			return err
		}
		fmt.Println(loss.Float()) // a root stays readable: waits for the value, no further work
	}
	fmt.Println(tr.Report())
	return nil
}

// batches are steps times the same images, whose bright pixels tell the label.
func batches(steps, size int) iter.Seq2[[]float32, []int32] {
	return func(yield func([]float32, []int32) bool) {
		for range steps {
			images, labels := make([]float32, size*784), make([]int32, size)
			for i := range labels {
				labels[i] = int32(i % 10)
				for j := range 78 {
					images[i*784+int(labels[i])*78+j] = 1
				}
			}
			if !yield(images, labels) {
				return
			}
		}
	}
}
