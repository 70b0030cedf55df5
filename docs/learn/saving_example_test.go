package learn_test

import (
	"fmt"
	"os"
	"path/filepath"

	"ltc/lazy"
	"ltc/optim"
	"ltc/soa/safetensors"
)

// save writes variables under their names, and where a stream of random numbers stands.
func save(path string, rnd *lazy.Random, variables ...*lazy.Tensor) error {
	state, err := rnd.State().MarshalText()
	if err != nil {
		return err
	}
	f := &safetensors.File{Metadata: map[string]string{"random": string(state)}}
	for _, v := range variables {
		view, err := v.Value()
		if err != nil {
			return err
		}
		f.Tensors = append(f.Tensors, safetensors.Tensor{Name: v.Name(), View: view})
	}
	return safetensors.WriteFile(path, f)
}

// load gives variables and the stream what a file has of them.
func load(path string, rnd *lazy.Random, variables ...*lazy.Tensor) error {
	f, err := safetensors.Map(path)
	if err != nil {
		return err
	}
	var state lazy.RandomState
	if err := state.UnmarshalText([]byte(f.Metadata["random"])); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	tr := lazy.NewTrace(variables[0].Device())
	for _, v := range variables {
		view, err := f.Lookup(v.Name())
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		v.Assign(lazy.FromView(tr, view))
	}
	if err := tr.MarkStep(); err != nil { // another shape or dtype of any of them
		return fmt.Errorf("%s: %w", path, err)
	}
	rnd.SetState(state)
	return nil
}

func Example_saving() {
	dir, err := os.MkdirTemp("", "weights")
	check(err)
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "net.safetensors")

	// A program trains for a while, and saves all that the next step depends on.
	dev, err := lazy.Open("cpu", lazy.Seed(1))
	check(err)
	rnd := lazy.NewRandom(dev, 7)
	w := dev.Variable("w", lazy.F32, 3).Init(lazy.Constant(2))
	opt := optim.NewSGD(dev, []*lazy.Tensor{w}, optim.SGDConfig{LR: 0.25, Momentum: 0.5})
	train := func(tr *lazy.Trace, w *lazy.Tensor, opt *optim.SGD, rnd *lazy.Random) {
		loss := tr.Read(w).Mul(rnd.Uniform(tr, lazy.F32, 3)).Sum()
		check(opt.Step(loss))
		check(tr.MarkStep())
	}
	tr := lazy.NewTrace(dev)
	train(tr, w, opt, rnd)
	check(save(path, rnd, append(opt.Velocities(), w)...))
	train(tr, w, opt, rnd)
	want, err := lazy.ToSlice[float32](w)
	check(err)

	// Another program goes on from there.
	dev, err = lazy.Open("cpu")
	check(err)
	rnd = lazy.NewRandom(dev, 0)
	w = dev.Variable("w", lazy.F32, 3)
	opt = optim.NewSGD(dev, []*lazy.Tensor{w}, optim.SGDConfig{LR: 0.25, Momentum: 0.5})
	check(load(path, rnd, append(opt.Velocities(), w)...))
	train(lazy.NewTrace(dev), w, opt, rnd)
	got, err := lazy.ToSlice[float32](w)
	check(err)
	fmt.Println(fmt.Sprint(got) == fmt.Sprint(want))
	// Output: true
}
