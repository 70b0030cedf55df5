package nn_test

import (
	"fmt"

	"ltc/lazy"
	"ltc/nn"
)

// A small network for images: a convolution, batch norm, a pool and a classifier. One step trains it by
// gradient descent.
func Example() {
	dev, err := lazy.Open("cpu")
	if err != nil {
		panic(err)
	}
	defer dev.Close()
	variable := func(name string, dims ...int) *lazy.Tensor {
		return dev.Variable(name, lazy.F32, dims...).Init(lazy.Normal(0, 0.1))
	}
	kernel, weight := variable("kernel", 8, 3, 3, 3), variable("weight", 10, 8)
	mean, variance := dev.Variable("mean", lazy.F32, 8), dev.Variable("variance", lazy.F32, 8).Init(lazy.Constant(1))

	tr := lazy.NewTrace(dev)
	images, labels := lazy.Zeros(tr, lazy.F32, 4, 3, 32, 32), lazy.From(tr, []int32{1, 5, 0, 9})
	x := nn.Conv2d(images, kernel, nil, nn.ConvOptions{Stride: []int{2}, Padding: []int{1}})
	x, newMean, newVariance := nn.BatchNormTraining(x, mean, variance, nil, nil, 0.1, 1e-5)
	x = nn.AdaptiveAvgPool(nn.SiLU(x), 1, 1).Reshape(4, 8)
	loss := nn.CrossEntropy(nn.Linear(x, weight, nil), labels, nn.CrossEntropyOptions{Smoothing: 0.1})

	for i, g := range lazy.Grad(loss, kernel, weight) {
		[]*lazy.Tensor{kernel, weight}[i].Sub_(g.MulScalar(0.1))
	}
	mean.Assign(newMean)
	variance.Assign(newVariance)
	if err := tr.MarkStep(loss); err != nil {
		panic(err)
	}
	fmt.Printf("%.3f\n", loss.Float())
	// Output: 2.303
}
