package learn_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"ltc/checkpoint"
	"ltc/lazy"
	"ltc/nn/layers"
	"ltc/nn/module"
	"ltc/optim"
	"ltc/soa/safetensors"
)

// save writes variables under their names, how many epochs are done, and where a stream of
// random numbers stands.
func save(path string, epochs int, rnd *lazy.Random, variables ...*lazy.Tensor) error {
	state, err := rnd.State().MarshalText()
	if err != nil {
		return err
	}
	f := &safetensors.File{Metadata: map[string]string{"epochs": strconv.Itoa(epochs), "random": string(state)}}
	for _, v := range variables {
		view, err := v.Value()
		if err != nil {
			return err
		}
		f.Tensors = append(f.Tensors, safetensors.Tensor{Name: v.Name(), View: view})
	}
	return safetensors.WriteFile(path, f)
}

// load sets the variables and the stream from a file. It returns how many epochs were done.
func load(path string, rnd *lazy.Random, variables ...*lazy.Tensor) (epochs int, err error) {
	f, err := safetensors.Map(path)
	if err != nil {
		return 0, err
	}
	var state lazy.RandomState
	if err := state.UnmarshalText([]byte(f.Metadata["random"])); err != nil {
		return 0, fmt.Errorf("%s: %w", path, err)
	}
	if epochs, err = strconv.Atoi(f.Metadata["epochs"]); err != nil {
		return 0, fmt.Errorf("%s: epochs: %w", path, err)
	}
	tr := lazy.NewTrace(variables[0].Device())
	for _, v := range variables {
		view, err := f.Lookup(v.Name())
		if err != nil {
			return 0, fmt.Errorf("%s: %w", path, err)
		}
		v.Assign(lazy.FromView(tr, view))
	}
	if err := tr.MarkStep(); err != nil { // another shape or dtype of any of them
		return 0, fmt.Errorf("%s: %w", path, err)
	}
	rnd.SetState(state)
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
