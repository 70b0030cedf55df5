package module

import (
	"fmt"
	"slices"

	"ltc/internal/modes"
	"ltc/lazy"
)

// Base is what a layer embeds to have a mode, hooks, and a scope in programs. Its zero value is in the
// mode for training. Each Forward of the layer calls [Base.Call]. A module of other modules needs no Base.
type Base struct {
	path  string // of the module in the network that was built
	scope string // the path from the module with a Base around it
	built bool
	eval  modes.Flag
	hooks []*hook
}

type hook struct {
	f  func(Call) *lazy.Tensor
	on modes.Flag
}

// Call is a call of a layer's Forward, which hooks get.
type Call struct {
	Path string         // of the layer
	In   []*lazy.Tensor // its operands
	Out  *lazy.Tensor   // its result
}

func (b *Base) base() *Base { return b }

// Path returns the path of the module in the network that [Build] was given.
func (b *Base) Path() string { return b.path }

// Training reports whether the module is in the mode for training, as it is until [Eval].
func (b *Base) Training() bool { return !b.eval.On() }

// Call returns what f records: the Forward of a layer with operands in. The ops belong to the scope of
// the layer, which errors and ltc-dump show. The hooks of the layer get the call. The result of a layer that was not
// built is an error.
func (b *Base) Call(f func() *lazy.Tensor, in ...*lazy.Tensor) *lazy.Tensor {
	i := slices.IndexFunc(in, func(x *lazy.Tensor) bool { return x != nil })
	if i < 0 {
		return f() // whose ops say which operand is nil
	}
	if !b.built {
		return Misuse(in[i], "the layer is not built: call module.Build(net, dev) of its network before Forward")
	}
	if tr := in[i].Trace(); tr != nil && b.scope != "" {
		defer tr.Scope(b.scope)()
	}
	out := f()
	for _, h := range slices.Clone(b.hooks) { // a hook may remove some
		if y := h.f(Call{Path: b.path, In: in, Out: out}); y != nil {
			out = y
		}
	}
	return out
}

// Refuse returns a tensor that holds an error, for a Forward that cannot take the operand x. It wraps [lazy.ErrType].
func Refuse(x *lazy.Tensor, format string, args ...any) *lazy.Tensor {
	return lazy.Refuse(lazy.ErrType, "module.forward", fmt.Sprintf(format, args...), x)
}

// Misuse is [Refuse] for a module that is not ready for the call, say not built. The error wraps [lazy.ErrUsage].
func Misuse(x *lazy.Tensor, format string, args ...any) *lazy.Tensor {
	return lazy.Refuse(lazy.ErrUsage, "module.forward", fmt.Sprintf(format, args...), x)
}

// OnForward has f called for each Forward of the layers of net. If f returns a tensor, that is the layer's result
// instead. Layers are the modules with a [Base]. OnForward returns a function that removes the hook.
func OnForward(net any, f func(Call) *lazy.Tensor) (remove func(), err error) {
	if f == nil {
		return nil, mistake("", "the hook is nil: give a function")
	}
	root, err := treeOf(net)
	if err != nil {
		return nil, err
	}
	h := &hook{f: f}
	var hooked []*Base
	root.each(func(n *node) {
		if b := n.base(); b != nil && !slices.Contains(hooked, b) {
			hooked, b.hooks = append(hooked, b), append(b.hooks, h)
		}
	})
	if len(hooked) == 0 {
		return nil, mistake("", "no layer of %T embeds module.Base, through which hooks see a Forward", net)
	}
	h.on.Set(true)
	return func() {
		for _, b := range hooked {
			b.hooks = slices.DeleteFunc(b.hooks, func(o *hook) bool { return o == h })
		}
		h.on.Set(false)
	}, nil
}
