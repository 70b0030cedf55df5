package layers

import (
	"ltc/lazy"
	"ltc/nn"
	"ltc/nn/module"
)

// Conv is the convolution of x[batch, In, places…]: PyTorch's Conv1d, Conv2d or Conv3d, by the number of entries
// of Kernel. Stride, Padding and Dilation have an entry for each spatial axis, or one for all.
type Conv struct {
	module.Base
	In, Out  int
	Kernel   []int // its size along each spatial axis
	Stride   []int // elements from one window to the next; nil for 1
	Padding  []int // zeros on both sides; nil for none
	Dilation []int // elements of x from one element of the kernel to the next; nil for 1
	Groups   int   // of channels, which see nothing of each other; 0 for 1
	Same     bool  // zeros are added so that the result has the sizes of x; the stride must be 1
	NoBias   bool
	Init     lazy.Initializer // of the weight; nil for a uniform one within ±1/√(In/Groups·elements of Kernel)

	Weight *lazy.Tensor // [Out, In/Groups, Kernel…]
	Bias   *lazy.Tensor // [Out], at first within the same limit; nil with NoBias
}

// Build declares the variables.
func (l *Conv) Build(b *module.Builder) {
	if checkChannels(b, "layers.Conv", l.In, l.Out, l.Groups, l.Kernel) {
		within := l.In / max(l.Groups, 1)
		declareWeights(b, weights{&l.Weight, &l.Bias, l.Init, nil, l.NoBias}, within*product(l.Kernel), l.Out, append([]int{l.Out, within}, l.Kernel...)...)
	}
}

// Forward records the layer for x[batch, In, places…]. The batch can be left out.
func (l *Conv) Forward(x *lazy.Tensor) *lazy.Tensor {
	return l.Call(func() *lazy.Tensor {
		return nn.Conv(x, l.Weight, l.Bias, nn.ConvOptions{Stride: l.Stride, Padding: l.Padding, Dilation: l.Dilation, Groups: l.Groups, Same: l.Same})
	}, x)
}

// ConvTranspose is the transposed convolution of x[batch, In, places…]: PyTorch's ConvTranspose1d, ConvTranspose2d or
// ConvTranspose3d. Its options are those of [Conv]. Initializers that scale with the fan-in take Out/Groups·elements of
// Kernel for it, as PyTorch's do.
type ConvTranspose struct {
	module.Base
	In, Out       int
	Kernel        []int
	Stride        []int
	Padding       []int
	Dilation      []int
	Groups        int
	OutputPadding []int // is added to the result's sizes, at the end of each axis; nil for none
	NoBias        bool
	Init          lazy.Initializer // of the weight; nil for a uniform one within ±1/√(Out/Groups·elements of Kernel)

	Weight *lazy.Tensor // [In, Out/Groups, Kernel…]
	Bias   *lazy.Tensor // [Out]; nil with NoBias
}

// Build declares the variables.
func (l *ConvTranspose) Build(b *module.Builder) {
	if checkChannels(b, "layers.ConvTranspose", l.In, l.Out, l.Groups, l.Kernel) {
		within := l.Out / max(l.Groups, 1)
		declareWeights(b, weights{&l.Weight, &l.Bias, l.Init, nil, l.NoBias}, within*product(l.Kernel), l.Out, append([]int{l.In, within}, l.Kernel...)...)
	}
}

// Forward records the layer for x[batch, In, places…]. The batch can be left out.
func (l *ConvTranspose) Forward(x *lazy.Tensor) *lazy.Tensor {
	return l.Call(func() *lazy.Tensor {
		return nn.ConvTranspose(x, l.Weight, l.Bias, nn.ConvOptions{Stride: l.Stride, Padding: l.Padding, Dilation: l.Dilation, Groups: l.Groups, More: l.OutputPadding})
	}, x)
}

// checkChannels reports whether channels, groups and kernel go together, and refuses the layer if not.
func checkChannels(b *module.Builder, layer string, in, out, groups int, kernel []int) bool {
	if !positive(b, layer, option{"In", in}, option{"Out", out}) {
		return false
	}
	if len(kernel) == 0 {
		b.Errorf("%s.Kernel is empty: give the kernel size of each spatial axis, such as []int{3, 3}", layer)
		return false
	}
	if !allPositive(b, layer+".Kernel", kernel) {
		return false
	}
	if groups < 0 || in%max(groups, 1) != 0 || out%max(groups, 1) != 0 {
		b.Errorf("%s.Groups is %d: it must divide In, %d, and Out, %d", layer, groups, in, out)
		return false
	}
	return true
}

func product(ns []int) int {
	p := 1
	for _, n := range ns {
		p *= n
	}
	return p
}
