// Command vae learns what handwritten digits look like, and draws new ones to a PNG. It is a variational autoencoder: an
// encoder says how each image is distributed over a few numbers, and a decoder makes an image of such numbers. See
// Diederik P. Kingma and Max Welling, Auto-Encoding Variational Bayes, arXiv:1312.6114.
package main

import (
	"context"
	"flag"
	"fmt"
	"image/png"
	"io"
	"os"

	_ "ltc/backends/reference/llvm" // registers "cpu" and "eval", with its compiler
	"ltc/data"
	"ltc/data/digits"
	"ltc/lazy"
	"ltc/nn"
	"ltc/nn/layers"
	"ltc/nn/module"
	"ltc/optim"
	"ltc/train"
)

func main() {
	path := flag.String("o", "digits.png", "file to write the picture to")
	epochs := flag.Int("epochs", 100, "how often each image is trained on")
	seed := flag.Uint64("seed", 1, "of the weights and of all that is drawn")
	flag.Parse()
	if _, err := run(context.Background(), *path, *epochs, *seed, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "vae:", err)
		os.Exit(1)
	}
}

// side is the pixels of a row of an image, latent the numbers that stand for an image.
const side, latent = 8, 8

// VAE is an encoder and a decoder of images of digits.Pixels.
type VAE struct {
	Encoder layers.Sequential // to the means and the logarithms of the variances of the numbers
	Decoder layers.Sequential // from numbers to the logits of the pixels
}

// NewVAE returns a network without variables: module.Build makes them.
func NewVAE(hidden int) *VAE {
	return &VAE{
		Encoder: layers.Sequential{&layers.Linear{In: digits.Pixels, Out: hidden}, layers.ReLU(), &layers.Linear{In: hidden, Out: 2 * latent}},
		Decoder: layers.Sequential{&layers.Linear{In: latent, Out: hidden}, layers.ReLU(), &layers.Linear{In: hidden, Out: digits.Pixels}},
	}
}

// Loss records the mean loss of images[n, digits.Pixels]: how improbable the pixels are after decoding, and how far the
// distributions are from normal ones.
func (v *VAE) Loss(images *lazy.Tensor, random *lazy.Random) train.Values {
	code := v.Encoder.Forward(images)
	mean, logVar := code.Narrow(1, 0, latent), code.Narrow(1, latent, latent)
	noise := random.Normal(mean.Trace(), mean.DType(), 0, 1, mean.OpenShape()...)
	logits := v.Decoder.Forward(mean.Add(noise.Mul(logVar.MulScalar(0.5).Exp())))
	pixels := nn.BCEWithLogits(logits, images, nn.BCEOptions{Reduction: nn.ReduceNone}).Sum(1).Mean()
	apart := mean.Mul(mean).Add(logVar.Exp()).Sub(logVar).SubScalar(1).Sum(1).Mean().MulScalar(0.5)
	return train.Values{"loss": pixels.Add(apart), "pixels": pixels, "divergence": apart}
}

// run trains the network, and writes a picture of images that it draws.
func run(ctx context.Context, path string, epochs int, seed uint64, out io.Writer) (*train.Loop, error) {
	images := data.Columns[float32](digits.Load(), 0, digits.Pixels)
	dev, err := lazy.Open("cpu", lazy.Seed(seed))
	if err != nil {
		return nil, err
	}
	net, random := NewVAE(256), lazy.NewRandom(dev, seed)
	if err := module.Build(net, dev); err != nil {
		return nil, err
	}
	loop := &train.Loop{
		Net: net, Optimizer: optim.NewAdam(dev, module.Trainable(net), optim.AdamConfig{LR: 2e-3}),
		Train: data.Arrays{images}.Loader(data.Batches{Size: 64, Seed: seed}), Epochs: epochs,
		Loss:   func(x []*lazy.Tensor) train.Values { return net.Loss(x[0], random) },
		Random: []*lazy.Random{random}, Out: out,
	}
	if err := loop.Run(ctx); err != nil {
		return nil, err
	}
	return loop, net.draw(dev, random, path)
}

// columns and rows are the images of a picture, scale the pixels of a pixel.
const columns, rows, scale = 16, 4, 4

// draw writes a picture of images of random numbers.
func (v *VAE) draw(dev *lazy.Device, random *lazy.Random, path string) error {
	tr := lazy.NewTrace(dev)
	drawn := v.Decoder.Forward(random.Normal(tr, lazy.F32, 0, 1, columns*rows, latent)).Sigmoid()
	drawn = drawn.Reshape(rows, columns, side, side).PadZeros([2]int{1, 1}, [2]int{1, 1})
	height, width := rows*(side+2), columns*(side+2)
	grid := drawn.Transpose(0, 2, 1, 3).Reshape(height, width) // rows of pixels
	if err := tr.MarkStep(grid); err != nil {
		return err
	}
	values, err := lazy.ToSlice[float32](grid)
	if err != nil {
		return err
	}
	p := data.Picture{Channels: 1, Height: height, Width: width, Values: values}
	p, err = data.Resize(scale*p.Height, scale*p.Width)(p, nil)
	if err != nil {
		return err
	}
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := png.Encode(f, p.Image()); err != nil {
		return err
	}
	return f.Close()
}
