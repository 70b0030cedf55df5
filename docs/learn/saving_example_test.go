package learn_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"ltc/checkpoint"
	"ltc/lazy"
	"ltc/nn/layers"
	"ltc/nn/module"
	"ltc/optim"
)

// save writes variables under their names, how many epochs are done, and where a stream of
// random numbers stands.
func save(path string, epochs int, rnd *lazy.Random, variables ...*lazy.Tensor) error {
	state, err := checkpoint.StateOf(checkpoint.ByName(variables...))
	if err != nil {
		return err
	}
	state.Metadata = checkpoint.Metadata{"epochs": epochs, "random": rnd.State()}
	return checkpoint.Save(path, state)
}

// load gives the variables and the stream what a file has. It returns how many epochs were done.
func load(path string, rnd *lazy.Random, variables ...*lazy.Tensor) (epochs int, err error) {
	metadata, err := checkpoint.Load(path, checkpoint.ByName(variables...), checkpoint.Options{})
	if err != nil {
		return 0, err
	}
	var random lazy.RandomState
	if err := errors.Join(metadata.Value("epochs", &epochs), metadata.Value("random", &random)); err != nil {
		return 0, err
	}
	rnd.SetState(random)
	return epochs, nil
}

// train goes on from the file at path until so many epochs are done in all. A program that is
// killed and started again ends with the same bits.
func train(path string, epochs int) ([]float32, error) {
	dev, err := lazy.Open("cpu", lazy.Seed(1))
	if err != nil {
		return nil, err
	}
	rnd := lazy.NewRandom(dev, 7)
	w := dev.Variable("w", lazy.F32, 3).Init(lazy.Constant(2))
	opt := optim.NewSGD(dev, []*lazy.Tensor{w}, optim.SGDConfig{LR: 0.25, Momentum: 0.5})
	saved := append(opt.State(), w)

	done, err := load(path, rnd, saved...)
	if err != nil && !errors.Is(err, fs.ErrNotExist) { // without a file it is the first start
		return nil, err
	}
	tr := lazy.NewTrace(dev)
	for epoch := done; epoch < epochs; epoch++ {
		// The batches of an epoch; here it is one step.
		loss := tr.Read(w).Mul(rnd.Uniform(tr, lazy.F32, 3)).Sum()
		if err := opt.Step(loss); err != nil {
			return nil, err
		}
		if err := tr.MarkStep(); err != nil {
			return nil, err
		}
		if err := save(path, epoch+1, rnd, saved...); err != nil {
			return nil, err
		}
	}
	return lazy.ToSlice[float32](w)
}

func Example_network() {
	dir, err := os.MkdirTemp("", "weights")
	check(err)
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "net.safetensors")
	dev, err := lazy.Open("cpu")
	check(err)
	rnd := lazy.NewRandom(dev, 7)

	net := &layers.Linear{In: 3, Out: 2}
	check(module.Build(net, dev))
	state, err := checkpoint.StateOf(module.State(net))
	check(err)
	state.Metadata = checkpoint.Metadata{"step": 100, "random": rnd.State()}
	check(checkpoint.Save(path, state))

	metadata, err := checkpoint.Load(path, module.State(net), checkpoint.Options{})
	check(err)
	var step int
	check(metadata.Value("step", &step))
	fmt.Println(step)

	opt := optim.NewSGD(dev, module.Trainable(net), optim.SGDConfig{LR: 0.25, Momentum: 0.5})
	network, err := checkpoint.StateOf(module.State(net))
	check(err)
	optimizer, err := checkpoint.StateOf(checkpoint.ByName(opt.State()...))
	check(err)
	check(checkpoint.Save(path, network, optimizer))
	// In the program that goes on, each takes its part of the file.
	_, err = checkpoint.Load(path, module.State(net), checkpoint.Options{AllowExtra: true})
	check(err)
	_, err = checkpoint.Load(path, checkpoint.ByName(opt.State()...), checkpoint.Options{AllowExtra: true})
	check(err)
	// Output: 100
}

func Example_saving() {
	dir, err := os.MkdirTemp("", "weights")
	check(err)
	defer os.RemoveAll(dir)

	want, err := train(filepath.Join(dir, "whole.safetensors"), 4)
	check(err)
	_, err = train(filepath.Join(dir, "parts.safetensors"), 2) // and the program ends
	check(err)
	got, err := train(filepath.Join(dir, "parts.safetensors"), 4) // another goes on
	check(err)
	fmt.Println(slices.Equal(got, want))
	// Output: true
}
