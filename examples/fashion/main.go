// Command fashion trains a convolutional network on Fashion-MNIST: 60,000 images of clothes, of ten kinds, and 10,000 to
// test with. Started again with -checkpoint, it goes on where it was.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"

	_ "ltc/backends/reference/llvm" // registers "cpu" and "eval", with its compiler
	"ltc/data"
	"ltc/lazy"
	"ltc/nn"
	"ltc/nn/layers"
	"ltc/nn/module"
	"ltc/optim"
	"ltc/train"
)

func main() {
	dir := flag.String("data", "out/inputs/fashion", "folder of the data, as in Debian's package dataset-fashion-mnist")
	checkpoint := flag.String("checkpoint", "", "file to save to after each epoch, and to go on from")
	epochs := flag.Int("epochs", 3, "how often each image is trained on")
	flag.Parse()
	if _, err := run(*dir, *checkpoint, *epochs, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "fashion:", err)
		os.Exit(1)
	}
}

func run(dir, checkpoint string, epochs int, out io.Writer) (*train.Loop, error) {
	training, err := data.ReadArrays(dir+"/train-images-idx3-ubyte.gz", dir+"/train-labels-idx1-ubyte.gz")
	if err != nil {
		return nil, fmt.Errorf("%w: -data is the folder with the files of Fashion-MNIST, which make inputs INPUTS=fashion fetches", err)
	}
	validation, err := data.ReadArrays(dir+"/t10k-images-idx3-ubyte.gz", dir+"/t10k-labels-idx1-ubyte.gz")
	if err != nil {
		return nil, err
	}
	dev, err := lazy.Open("cpu", lazy.Seed(1))
	if err != nil {
		return nil, err
	}
	pool := layers.MaxPool([]int{2, 2}, nn.PoolOptions{})
	net := layers.Sequential{
		&layers.Conv{In: 1, Out: 16, Kernel: []int{3, 3}, Padding: []int{1}}, layers.ReLU(), pool,
		&layers.Conv{In: 16, Out: 32, Kernel: []int{3, 3}, Padding: []int{1}}, layers.ReLU(), pool,
		layers.Flatten(1),
		&layers.Linear{In: 32 * 7 * 7, Out: 128}, layers.ReLU(),
		&layers.Linear{In: 128, Out: 10},
	}
	if err := module.Build(net, dev); err != nil {
		return nil, err
	}
	loop := &train.Loop{
		Net: net, Optimizer: optim.NewAdamW(dev, module.Trainable(net), optim.AdamConfig{}),
		Train:      training.Loader(data.Batches{Size: 64, Seed: 1}),
		Validation: validation.Loader(data.Batches{Size: 1024, InOrder: true}),
		Epochs:     epochs, Checkpoint: checkpoint, Out: out,
		Loss: func(x []*lazy.Tensor) train.Values {
			images := x[0].Convert(lazy.F32).DivScalar(255).SubScalar(0.286).DivScalar(0.353) // mean and deviation of the pixels
			logits := net.Forward(images.Unsqueeze(1))
			return train.Values{"loss": nn.CrossEntropy(logits, x[1], nn.CrossEntropyOptions{}), "accuracy": train.Accuracy(logits, x[1])}
		},
	}
	// PyTorch's default also cycles β1; the loop sets the rate alone.
	loop.LR, _ = optim.OneCycle(optim.OneCycleConfig{Max: 5e-3, Steps: epochs * loop.Train.Len()})
	return loop, loop.Run(context.Background())
}
