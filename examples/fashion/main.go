// Command fashion trains a convolutional network on Fashion-MNIST: 60,000 images of clothes, of ten kinds, and 10,000 to
// test with. Interrupt it and start it again: with -checkpoint it goes on where it was.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"

	_ "ltc/backends/reference/llvm" // registers "cpu" and "eval", with its compiler
	"ltc/data"
	"ltc/internal/diag"
	"ltc/lazy"
	"ltc/nn"
	"ltc/nn/layers"
	"ltc/nn/module"
	"ltc/optim"
	"ltc/train"
)

func main() {
	var o options
	flag.StringVar(&o.dir, "data", "/usr/share/datasets/fashion-mnist", "folder with the four files of Fashion-MNIST")
	flag.StringVar(&o.backend, "backend", "cpu", "what runs the programs: cpu or eval")
	flag.StringVar(&o.checkpoint, "checkpoint", "", "file to save to after each epoch, and to go on from")
	flag.IntVar(&o.epochs, "epochs", 3, "how often each image is trained on")
	flag.Uint64Var(&o.seed, "seed", 1, "of the first weights and of the order of the images")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if _, err := o.run(ctx, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "fashion:", err)
		os.Exit(1)
	}
}

// Of the pixels of the images to train on, from 0 to 1.
const mean, deviation = 0.286, 0.353

type options struct {
	dir, backend, checkpoint string
	epochs                   int
	seed                     uint64
}

// load returns the images and the labels of a part of the data: train or t10k.
func load(dir, part string) (data.Arrays, error) {
	images, err := data.ReadIDXArrayFile(filepath.Join(dir, part+"-images-idx3-ubyte.gz"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w: give -data the folder that Debian's package dataset-fashion-mnist has", err)
	}
	if err != nil {
		return nil, err
	}
	labels, err := data.ReadIDXArrayFile(filepath.Join(dir, part+"-labels-idx1-ubyte.gz"))
	if err != nil {
		return nil, err
	}
	return data.Arrays{images, labels}, nil
}

// newNet returns a network for images[n, 1, 28, 28].
func newNet() layers.Sequential {
	conv := func(in, out int) *layers.Conv {
		return &layers.Conv{In: in, Out: out, Kernel: []int{3, 3}, Padding: []int{1}}
	}
	pool := layers.MaxPool([]int{2, 2}, nn.PoolOptions{})
	return layers.Sequential{
		conv(1, 16), layers.ReLU(), pool,
		conv(16, 32), layers.ReLU(), pool,
		layers.Flatten(1),
		&layers.Linear{In: 32 * 7 * 7, Out: 128}, layers.ReLU(),
		&layers.Linear{In: 128, Out: 10},
	}
}

func (o options) run(ctx context.Context, out io.Writer) (*train.Loop, error) {
	some, err := load(o.dir, "train")
	if err != nil {
		return nil, err
	}
	others, err := load(o.dir, "t10k")
	if err != nil {
		return nil, err
	}
	dev, err := lazy.Open(o.backend, lazy.Seed(o.seed))
	if err != nil {
		return nil, err
	}
	net := newNet()
	if err := module.Build(net, dev); err != nil {
		return nil, err
	}
	loop := &train.Loop{
		Net: net, Optimizer: optim.NewAdamW(dev, module.Trainable(net), optim.AdamConfig{}),
		Train: some.Loader(data.Batches{Size: 64, Seed: o.seed}), Epochs: o.epochs,
		Test: others.Loader(data.Batches{Size: 1024, InOrder: true}),
		Loss: func(x []*lazy.Tensor) train.Values {
			images := x[0].Convert(lazy.F32).DivScalar(255).SubScalar(mean).DivScalar(deviation)
			logits := net.Forward(images.Unsqueeze(1))
			return train.Values{"loss": nn.CrossEntropy(logits, x[1], nn.CrossEntropyOptions{}), "accuracy": train.Accuracy(logits, x[1])}
		},
		Checkpoint: o.checkpoint, Out: out,
	}
	loop.Rate, _ = optim.OneCycle(optim.OneCycleConfig{Max: 5e-3, Steps: o.epochs * loop.Train.Len()})
	if err := loop.Run(ctx); err != nil {
		return nil, err
	}
	training, testing := loop.Report()
	fmt.Fprintf(out, "training: %s, %s; evaluation: %s, %s\n", diag.Count(training.Compiled, "compile"), diag.Count(training.Runs, "step"), diag.Count(testing.Compiled, "compile"), diag.Count(testing.Runs, "batch"))
	return loop, nil
}
