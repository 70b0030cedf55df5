package module

import (
	"iter"

	"ltc/lazy"
)

// State returns the variables of a network with their paths, parameters and buffers, in the order of
// fields: those of a module before those of its submodules. A variable with two names comes twice. There
// are none if net is not a module; [Check] says why.
func State(net any) iter.Seq2[string, *lazy.Tensor] {
	return func(yield func(string, *lazy.Tensor) bool) {
		for _, e := range entries(net) {
			if !yield(e.path, e.tensor) {
				return
			}
		}
	}
}

// Check returns what is wrong with a network, such as two fields of one name or a field that cannot be read; nil if nothing is.
func Check(net any) error {
	_, err := treeOf(net)
	return err
}

// entries returns the variables of a network that are there.
func entries(net any) []entry {
	root, err := treeOf(net)
	if err != nil {
		return nil
	}
	var all []entry
	root.each(func(n *node) {
		for _, e := range n.tensors {
			if e.tensor != nil {
				all = append(all, e)
			}
		}
	})
	return all
}

// Parameters returns the parameters of a network, each once.
func Parameters(net any) []*lazy.Tensor {
	return once(net, func(e entry) bool { return !e.buffer })
}

// Trainable returns the parameters of a network that are not frozen, each once: what an optimizer gets.
func Trainable(net any) []*lazy.Tensor {
	return once(net, func(e entry) bool { return !e.buffer && e.tensor.RequiresGrad() })
}

// Buffers returns the variables of a network that are not trained, such as running means, each once.
func Buffers(net any) []*lazy.Tensor {
	return once(net, func(e entry) bool { return e.buffer })
}

func once(net any, want func(entry) bool) []*lazy.Tensor {
	var all []*lazy.Tensor
	seen := map[*lazy.Tensor]bool{}
	for _, e := range entries(net) {
		if want(e) && !seen[e.tensor] {
			seen[e.tensor] = true
			all = append(all, e.tensor)
		}
	}
	return all
}

// Modules returns the modules of a network with their paths, pointers to structs, each before its submodules. The
// first is the network, whose path is empty.
func Modules(net any) iter.Seq2[string, any] {
	return func(yield func(string, any) bool) {
		root, err := treeOf(net)
		if err != nil {
			return
		}
		on := true
		root.each(func(n *node) {
			if on && n.isModule() {
				on = yield(n.path, n.at.Addr().Interface())
			}
		})
	}
}

// Train puts the layers of a network into the mode for training, in which they are at first: dropout draws, and batch norms
// use the statistics of the batch.
func Train(net any) error { return setMode(net, false) }

// Eval puts the layers of a network into the mode for evaluation: dropout does nothing, and batch norms use their
// running statistics. A step that has been recorded stays what it is. Layers that Build makes have the mode of the
// layer that makes them. A [lazy.Func] has the mode of each call.
func Eval(net any) error { return setMode(net, true) }

func setMode(net any, eval bool) error {
	root, err := treeOf(net)
	if err != nil {
		return err
	}
	root.each(func(n *node) {
		if b := n.base(); b != nil {
			b.eval.Set(eval)
		}
	})
	return nil
}

// Freeze has the parameters of a network, or of a part of it, get no gradients: optimizers leave them as they are, and
// [Trainable] leaves them out.
func Freeze(net any) error { return requireGrad(net, false) }

// Unfreeze undoes [Freeze].
func Unfreeze(net any) error { return requireGrad(net, true) }

func requireGrad(net any, on bool) error {
	if err := Check(net); err != nil {
		return err
	}
	for _, p := range Parameters(net) {
		p.SetRequiresGrad(on && p.DType().Continuous())
	}
	return nil
}
