// Command layers makes mistakes with layers, whose methods are inlined in the methods of its networks.
package main

import (
	"fmt"
	"log"

	_ "ltc/backends/reference/eval"
	"ltc/lazy"
	"ltc/nn/layers"
	"ltc/nn/module"
)

// Net calls layers directly.
type Net struct {
	A, B layers.Linear
	Drop layers.Dropout
	Norm layers.BatchNorm
	Conv layers.Conv
	Self layers.MultiheadAttention
}

func (n *Net) Forward(x *lazy.Tensor) *lazy.Tensor {
	return n.B.Forward(n.A.Forward(x))
}

func main() {
	dev, err := lazy.Open("eval")
	check(err)
	net := &Net{
		A: layers.Linear{In: 3, Out: 4}, B: layers.Linear{In: 5, Out: 2}, Drop: layers.Dropout{P: 0.5}, Norm: layers.BatchNorm{Channels: 3},
		Conv: layers.Conv{In: 3, Out: 4, Kernel: []int{3, 3}}, Self: layers.MultiheadAttention{Features: 8, Heads: 2},
	}
	check(module.Build(net, dev))
	tr := lazy.NewTrace(dev)
	x, wide := lazy.Ones(tr, lazy.F32, 2, 3), lazy.Ones(tr, lazy.F32, 2, 7)
	fmt.Println(net.Forward(x).Err())
	fmt.Println(net.A.Forward(wide).Err())
	fmt.Println(net.Norm.Forward(wide).Err())
	fmt.Println(net.Conv.Forward(wide).Err())
	fmt.Println(net.Self.Forward(wide, wide, wide, lazy.AttentionOptions{}).Err())
	fmt.Println(net.Drop.Forward(lazy.Ones(tr, lazy.I32, 2)).Err())
	fmt.Println(layers.Sequential{&net.A, layers.ReLU(), &net.B}.Forward(x).Err())
	forward := net.B.Forward
	fmt.Println(forward(x).Err())
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
