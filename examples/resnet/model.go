package main

import (
	"math"

	"ltc/lazy"
	"ltc/nn"
	"ltc/nn/layers"
)

// Config has the sizes of a residual network. That of torchvision's resnet18 is Config{3, 1000, 64, []int{2, 2, 2, 2}, false}.
type Config struct {
	Channels int // of the images
	Classes  int
	Width    int   // channels of the first stage; each next stage has twice as many
	Blocks   []int // of the four stages
	Small    bool  // images of about 32×32: the first convolution has 3×3 pixels and stride 1, and no pool follows
}

// ResNet is the residual network of Kaiming He, Xiangyu Zhang, Shaoqing Ren and Jian Sun, Deep Residual Learning for Image
// Recognition, arXiv:1512.03385. Its variables have the names of package torchvision.
type ResNet struct {
	small                          bool
	Conv1                          *layers.Conv
	BN1                            *layers.BatchNorm
	Layer1, Layer2, Layer3, Layer4 layers.Sequential
	FC                             *layers.Linear
}

// Block is two convolutions whose result is added to the operand: torchvision's BasicBlock.
type Block struct {
	Conv1      *layers.Conv
	BN1        *layers.BatchNorm
	Conv2      *layers.Conv
	BN2        *layers.BatchNorm
	Downsample layers.Sequential // gives the operand the shape of the result; empty if it has that shape
}

// conv returns a convolution without bias. Padding keeps the size of the image, up to the stride. The first weights have the
// variance 2/fan-out, as in torchvision.
func conv(in, out, kernel, stride int) *layers.Conv {
	init := lazy.Normal(0, math.Sqrt(2/float64(kernel*kernel*out)))
	return &layers.Conv{In: in, Out: out, Kernel: []int{kernel, kernel}, Stride: []int{stride}, Padding: []int{kernel / 2}, NoBias: true, Init: init}
}

func norm(channels int) *layers.BatchNorm { return &layers.BatchNorm{Channels: channels} }

// NewResNet returns a network without variables: module.Build makes them.
func NewResNet(c Config) *ResNet {
	n := &ResNet{small: c.Small, Conv1: conv(c.Channels, c.Width, 7, 2), BN1: norm(c.Width)}
	if c.Small {
		n.Conv1 = conv(c.Channels, c.Width, 3, 1)
	}
	in, out := c.Width, c.Width
	for i, stage := range []*layers.Sequential{&n.Layer1, &n.Layer2, &n.Layer3, &n.Layer4} {
		for k := range c.Blocks[i] {
			stride := 1
			if i > 0 && k == 0 {
				stride = 2
			}
			*stage = append(*stage, newBlock(in, out, stride))
			in = out
		}
		out *= 2
	}
	n.FC = &layers.Linear{In: in, Out: c.Classes}
	return n
}

func newBlock(in, out, stride int) *Block {
	b := &Block{Conv1: conv(in, out, 3, stride), BN1: norm(out), Conv2: conv(out, out, 3, 1), BN2: norm(out)}
	if stride > 1 || in != out {
		b.Downsample = layers.Sequential{conv(in, out, 1, stride), norm(out)}
	}
	return b
}

// Forward records the logits of images[n, Channels, height, width], as [n, Classes].
func (n *ResNet) Forward(images *lazy.Tensor) *lazy.Tensor {
	x := n.BN1.Forward(n.Conv1.Forward(images)).ReLU()
	if !n.small {
		x = nn.MaxPoolValues(x, []int{3, 3}, nn.PoolOptions{Stride: []int{2}, Padding: []int{1}})
	}
	for _, stage := range []layers.Sequential{n.Layer1, n.Layer2, n.Layer3, n.Layer4} {
		x = stage.Forward(x)
	}
	return n.FC.Forward(x.Mean(2, 3)) // over the pixels
}

// Forward records the block for x[n, channels, height, width].
func (b *Block) Forward(x *lazy.Tensor) *lazy.Tensor {
	y := b.BN1.Forward(b.Conv1.Forward(x)).ReLU()
	return b.BN2.Forward(b.Conv2.Forward(y)).Add(b.Downsample.Forward(x)).ReLU()
}
