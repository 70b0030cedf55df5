package main

import (
	"ltc/lazy"
	"ltc/nn"
	"ltc/nn/layers"
)

// Net is EfficientNet-lite0, a classifier of images of 224×224 pixels. Its variables have the names of the package
// efficientnet-lite-pytorch. See Mingxing Tan and Quoc V. Le, EfficientNet: Rethinking Model Scaling for Convolutional
// Neural Networks, arXiv:1905.11946.
type Net struct {
	Stem   layers.Conv      `module:"_conv_stem"`
	Norm0  layers.BatchNorm `module:"_bn0"`
	Blocks []*Block         `module:"_blocks"`
	Head   layers.Conv      `module:"_conv_head"`
	Norm1  layers.BatchNorm `module:"_bn1"`
	Linear layers.Linear    `module:"_fc"`
}

// Block is an inverted residual block: more channels, a convolution of each by itself, and fewer channels.
type Block struct {
	Expand    *layers.Conv      `module:"_expand_conv"` // nil if there are no more channels than before
	Norm0     *layers.BatchNorm `module:"_bn0"`
	Depthwise layers.Conv       `module:"_depthwise_conv"`
	Norm1     layers.BatchNorm  `module:"_bn1"`
	Project   layers.Conv       `module:"_project_conv"`
	Norm2     layers.BatchNorm  `module:"_bn2"`
}

// stages has the blocks: how many of a kind, the size of their kernel, the stride of the first, how many times as many
// channels are between, and the channels of the result.
var stages = []struct{ blocks, kernel, stride, more, out int }{
	{1, 3, 1, 1, 16},
	{2, 3, 2, 6, 24},
	{2, 5, 2, 6, 40},
	{3, 3, 2, 6, 80},
	{3, 5, 1, 6, 112},
	{4, 5, 2, 6, 192},
	{1, 3, 1, 6, 320},
}

// NewNet returns a network without variables: module.Build makes them.
func NewNet(classes int) *Net {
	channels := 32
	n := &Net{Stem: conv(3, channels, 3, 2, 1), Norm0: norm(channels)}
	for _, s := range stages {
		for i := range s.blocks {
			between, stride := s.more*channels, 1
			if i == 0 {
				stride = s.stride
			}
			b := &Block{
				Depthwise: conv(between, between, s.kernel, stride, between), Norm1: norm(between),
				Project: conv(between, s.out, 1, 1, 1), Norm2: norm(s.out),
			}
			if s.more > 1 {
				expand, norm0 := conv(channels, between, 1, 1, 1), norm(between)
				b.Expand, b.Norm0 = &expand, &norm0
			}
			n.Blocks, channels = append(n.Blocks, b), s.out
		}
	}
	n.Head, n.Norm1 = conv(channels, 1280, 1, 1, 1), norm(1280)
	n.Linear = layers.Linear{In: 1280, Out: classes}
	return n
}

func conv(in, out, kernel, stride, groups int) layers.Conv {
	return layers.Conv{In: in, Out: out, Kernel: []int{kernel, kernel}, Stride: []int{stride}, Groups: groups, NoBias: true}
}

func norm(channels int) layers.BatchNorm {
	return layers.BatchNorm{Channels: channels, Epsilon: 1e-3, Momentum: 0.01}
}

// Forward records the scores of the classes of x[batch, 3, height, width], red, green and blue from -1 to 1.
func (n *Net) Forward(x *lazy.Tensor) *lazy.Tensor {
	x = nn.ReLU6(n.Norm0.Forward(n.Stem.Forward(pad(x, &n.Stem))))
	for _, b := range n.Blocks {
		x = b.Forward(x)
	}
	x = nn.ReLU6(n.Norm1.Forward(n.Head.Forward(x)))
	return n.Linear.Forward(x.Mean(2, 3))
}

// Forward records the block for x[batch, channels, height, width].
func (b *Block) Forward(x *lazy.Tensor) *lazy.Tensor {
	y := x
	if b.Expand != nil {
		y = nn.ReLU6(b.Norm0.Forward(b.Expand.Forward(y)))
	}
	y = nn.ReLU6(b.Norm1.Forward(b.Depthwise.Forward(pad(y, &b.Depthwise))))
	y = b.Norm2.Forward(b.Project.Forward(y))
	if y.Type().Equal(x.Type()) {
		y = y.Add(x)
	}
	return y
}

// pad adds the zeros around images with which a convolution has size/stride results, rounded up. TensorFlow, in which the
// weights were trained, adds the odd one at the end.
func pad(x *lazy.Tensor, c *layers.Conv) *lazy.Tensor {
	shape, zeros := x.Type().Shape, make([][2]int, 2)
	for i := range zeros {
		size, k, s := shape[2+i], c.Kernel[i], c.Stride[0]
		all := max(((size+s-1)/s-1)*s+k-size, 0)
		zeros[i] = [2]int{all / 2, all - all/2}
	}
	return x.PadZeros(zeros...)
}
