// Command resnet trains a residual network on Fashion-MNIST: ResNet-18 with fewer channels. Its weights have the names of
// package torchvision, so that files of PyTorch load as they are. Started again with -checkpoint, it goes on where it was.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	_ "ltc/backends/reference/llvm" // registers "cpu" and "eval", with its compiler
	"ltc/data"
	"ltc/lazy"
	"ltc/nn"
	"ltc/nn/module"
	"ltc/optim"
	"ltc/train"
)

// options are the flags.
type options struct {
	data, weights, checkpoint             string
	depth, width, images, epochs, threads int
}

func main() {
	var o options
	flag.StringVar(&o.data, "data", "out/inputs/fashion", "folder of the data, as in Debian's package dataset-fashion-mnist")
	flag.StringVar(&o.weights, "weights", "", "file with the weights to begin with, of PyTorch, safetensors or -checkpoint")
	flag.StringVar(&o.checkpoint, "checkpoint", "", "file to save to after each epoch, and to go on from")
	flag.IntVar(&o.depth, "depth", 18, "layers: 10, 18 or 34")
	flag.IntVar(&o.width, "width", 16, "channels of the first stage; ResNet-18 has 64")
	flag.IntVar(&o.images, "images", 60000, "how many images to train on")
	flag.IntVar(&o.epochs, "epochs", 2, "how often each image is trained on")
	flag.IntVar(&o.threads, "threads", 0, "how many threads compute; 0: as many as the processor has")
	flag.Parse()
	if _, err := run(context.Background(), o, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "resnet:", err)
		os.Exit(1)
	}
}

// depths are the blocks of each stage.
var depths = map[int][]int{10: {1, 1, 1, 1}, 18: {2, 2, 2, 2}, 34: {3, 4, 6, 3}}

// load reads images and labels, at most n of each.
func load(dir, part string, n int) (data.Arrays, error) {
	all, err := data.ReadArrays(dir+"/"+part+"-images-idx3-ubyte.gz", dir+"/"+part+"-labels-idx1-ubyte.gz")
	if err != nil {
		return nil, fmt.Errorf("%w: -data is the folder with the files of Fashion-MNIST, which make inputs INPUTS=fashion fetches", err)
	}
	return all.Select(data.All(min(n, all.Len())))
}

func run(ctx context.Context, o options, out io.Writer) (*train.Loop, error) {
	blocks, ok := depths[o.depth]
	if !ok || o.width < 1 || o.images < 1 {
		return nil, fmt.Errorf("-depth %d -width %d -images %d: want a depth of 10, 18 or 34, and a width and images above 0", o.depth, o.width, o.images)
	}
	training, err := load(o.data, "train", o.images)
	if err != nil {
		return nil, err
	}
	validation, err := load(o.data, "t10k", 10000)
	if err != nil {
		return nil, err
	}
	dev, err := lazy.Open("cpu", lazy.Seed(1), lazy.Threads(o.threads))
	if err != nil {
		return nil, err
	}
	net := NewResNet(Config{Channels: 1, Classes: 10, Width: o.width, Blocks: blocks, Small: true})
	if err := module.Build(net, dev); err != nil {
		return nil, err
	}
	if o.weights != "" {
		if err := train.LoadWeights(o.weights, net); err != nil {
			return nil, err
		}
	}
	loop := &train.Loop{
		Net: net, Optimizer: optim.NewAdamW(dev, module.Trainable(net), optim.AdamConfig{}),
		Train:      training.Loader(data.Batches{Size: 64, Seed: 1}),
		Validation: validation.Loader(data.Batches{Size: 512, InOrder: true}),
		Epochs:     o.epochs, Checkpoint: o.checkpoint, Out: out,
		Loss: func(x []*lazy.Tensor) train.Values {
			images := x[0].Convert(lazy.F32).DivScalar(255).SubScalar(0.286).DivScalar(0.353) // mean and deviation of the pixels
			logits := net.Forward(images.Unsqueeze(1))
			return train.Values{"loss": nn.CrossEntropy(logits, x[1], nn.CrossEntropyOptions{}), "accuracy": train.Accuracy(logits, x[1])}
		},
	}
	// PyTorch's default also cycles β1; the loop sets the rate alone.
	loop.LR, _ = optim.OneCycle(optim.OneCycleConfig{Max: 5e-3, Steps: o.epochs * loop.Train.Len()})
	var times []time.Duration
	begun := time.Now()
	loop.OnStep = func(int, train.Means) error {
		times, begun = append(times, time.Since(begun)), time.Now()
		return nil
	}
	loop.OnEpoch = func(train.Epoch) error {
		begun = time.Now() // without the evaluation
		return nil
	}
	if err := loop.Run(ctx); err != nil {
		return nil, err
	}
	if len(times) > 0 {
		slices.Sort(times)
		fmt.Fprintf(out, "a step takes %.1f ms (median)\n", times[len(times)/2].Seconds()*1000)
	}
	return loop, nil
}
