package quantized

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"

	"ltc/checkpoint"
	"ltc/lazy"
	"ltc/nn/module"
)

// Build makes the variables of a network on dev, gives them the values of a file as [LoadInto] does, and puts the network into
// the mode for evaluation. A [Weight], or its layer, without sizes or without a Format takes those of the tensor of its name. The error of
// one whose tensor is missing, or has no blocks, lists all of them.
func Build(net any, dev *lazy.Device, from *checkpoint.State, o checkpoint.Options) error {
	if net == nil || from == nil {
		return errors.New("quantized: build: the network or the state is nil: give a pointer to a network, and the State of a file")
	}
	tensors, err := o.Tensors(from)
	if err != nil {
		return err
	}
	var errs []error
	for path, m := range module.Modules(net) {
		w, ok := m.(*Weight)
		if !ok {
			continue
		}
		switch t := tensors[path]; {
		case t == nil && o.AllowMissing && w.Format != 0: // of a layer that has sizes of its own
		case t == nil:
			errs = append(errs, fmt.Errorf("%s: the file has no tensor of this name", path))
		case !t.Quantized() || len(t.Blocks.Shape) != 2:
			errs = append(errs, fmt.Errorf("%s: the tensor is %v, the weight has rows of blocks: load it into layers.Linear, dequantized", path, t.Type))
		default:
			w.Rows, w.Features, w.Format = cmp.Or(w.Rows, t.Blocks.Shape[0]), cmp.Or(w.Features, t.Blocks.Shape[1]), cmp.Or(w.Format, t.Blocks.DType)
		}
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("quantized: build: %w", err)
	}
	if err := module.Build(net, dev, module.Empty()); err != nil {
		return err
	}
	if err := module.Eval(net); err != nil {
		return err
	}
	return LoadInto(net, from, o)
}

// LoadInto gives a network the values of a file. Each [Weight] uses the blocks of the tensor of its name
// in place: the file must stay open. LoadInto also copies blocks for products: the package says which. All other variables get theirs by [checkpoint.LoadInto] with
// the options o. Names are as these options say. The error joins all weights that do not fit
// their tensors; no variable was changed then. An error that names one weight, whose blocks cannot be used in place,
// leaves variables changed.
func LoadInto(net any, from *checkpoint.State, o checkpoint.Options) error {
	if net == nil || from == nil {
		return errors.New("quantized: load into: the network or the state is nil: give a network after module.Build, and the State of a file")
	}
	tensors, err := o.Tensors(from)
	if err != nil {
		return err
	}
	names := map[string]string{} // by those in the file
	for name, t := range tensors {
		names[t.Name] = name
	}
	state := maps.Collect(module.State(net))
	taken := map[string]bool{}
	var all []loaded
	var errs []error
	for path, m := range module.Modules(net) {
		w, ok := m.(*Weight)
		if !ok {
			continue
		}
		maps.DeleteFunc(state, func(_ string, v *lazy.Tensor) bool { return slices.Contains(w.variables(), v) })
		switch t := tensors[path]; {
		case t == nil && o.AllowMissing:
		case t == nil:
			errs = append(errs, fmt.Errorf("%s: the file has no tensor of this name", path))
		case !t.Quantized():
			errs = append(errs, fmt.Errorf("%s: the tensor is %v, the weight has blocks of %v", path, t.Type, w.Format))
		default:
			if err := w.fits(t.Blocks); err != nil {
				errs = append(errs, fmt.Errorf("%s: %w", path, err))
			}
			all = append(all, loaded{path, w, t})
		}
		taken[path] = true
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("load: no variable was changed: %w", err)
	}
	rest := o
	rest.Prefix, rest.Rename = "", func(tensor string) string {
		if name := names[tensor]; !taken[name] {
			return name
		}
		return ""
	}
	if err := checkpoint.LoadInto(maps.All(state), from, rest); err != nil {
		return err
	}
	for _, p := range all {
		if err := p.w.set(p.t.Blocks); err != nil {
			return fmt.Errorf("load %s: %w", p.path, err)
		}
	}
	if err := interleave(all); err != nil {
		return fmt.Errorf("load: interleaved copies of weights: %w", err)
	}
	if len(all) > 0 {
		all[0].w.Codes.Device().FreeMemoryCache() // what the weights had as zeros
	}
	return nil
}

// loaded is a weight with the tensor of its name.
type loaded struct {
	path string
	w    *Weight
	t    *checkpoint.Tensor
}
