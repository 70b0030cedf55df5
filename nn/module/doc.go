// Package module finds the parameters of a neural network in its Go structs. Its central function is
// [Build].
//
// A network is a pointer to a struct, or a slice or map of modules. A module is a struct. Its parameters and buffers are exported fields of type
// *[lazy.Tensor]. Its submodules are exported fields that are structs, pointers to them, interfaces
// that hold such pointers, or arrays, slices and maps of these. It has a Forward method, which records the
// module's mathematics. Package layers has the usual ones:
//
//	type Net struct {
//		Conv layers.Conv
//		Head layers.Linear
//	}
//
//	func (n *Net) Forward(x *lazy.Tensor) *lazy.Tensor {
//		return n.Head.Forward(n.Conv.Forward(x).ReLU().Flatten(1, -1))
//	}
//
// A module with variables of its own has a method Build, in which it declares them:
//
//	type Scale struct {
//		Features int
//		Gamma    *lazy.Tensor
//	}
//
//	func (s *Scale) Build(b *module.Builder) { b.Variable(&s.Gamma, lazy.Constant(1), s.Features) }
//
// # Names
//
// A variable is named by its path, as PyTorch names it: the names of the fields that lead to it, joined by
// dots. The name of a field is its Go name in lower case, words joined by underscores: RunningMean is
// running_mean, FC1 is fc1. Elements of arrays and slices have their index as name, those of maps their
// key. Fields of an embedded struct are fields of the struct around it.
//
// A tag gives another name, and tells buffers from parameters:
//
//	LayerNorm layers.LayerNorm `module:"LayerNorm"` // as PyTorch names it here
//	Mean      *lazy.Tensor     `module:",buffer"`   // a buffer is saved, and not trained
//	Teacher   *Net             `module:"-"`         // not part of the module
//
// A struct that two fields point to is one module with two names. A variable that two fields hold is
// one variable with two names: see [Builder.Share].
//
// The package imports only ltc/internal/diag, ltc/internal/modes, ltc/lazy and ltc/ir/types.
package module
