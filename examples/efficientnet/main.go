// Command efficientnet says what is on a picture, by the weights of EfficientNet-lite0 in a file of PyTorch.
package main

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"

	_ "ltc/backends/reference/llvm" // registers "cpu" and "eval", with its compiler
	"ltc/checkpoint"
	_ "ltc/checkpoint/torch" // reads .pth
	"ltc/data"
	"ltc/internal/diag"
	"ltc/ir/types"
	"ltc/lazy"
	"ltc/nn/module"
)

const classes, size = 1000, 224

var images = lazy.Input{Name: "images", Type: types.Of(lazy.F32, 1, 3, size, size)}

func main() {
	model := flag.String("model", "out/inputs/efficientnet/efficientnet-lite0-57934424.pth", "file with the weights")
	labels := flag.String("labels", "", "file with the names of the classes, one a line; without it classes are numbers")
	most := flag.Int("most", 5, "how many classes to print")
	backend := flag.String("backend", "cpu", "what runs the program: cpu or eval")
	to := flag.String("export", "", "write the program to this file, NAME.mlir, and the weights to NAME.safetensors")
	flag.Parse()
	if err := usable(flag.NArg(), *most, *to); err != nil {
		fmt.Fprintln(os.Stderr, "efficientnet:", err)
		flag.Usage()
		os.Exit(2)
	}
	if err := run(context.Background(), os.Stdout, *backend, *model, *labels, *most, *to, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "efficientnet:", err)
		os.Exit(1)
	}
}

// usable returns an error if the flags leave nothing to do.
func usable(pictures, most int, to string) error {
	if most < 1 || most > classes {
		return fmt.Errorf("-most is %d: give 1 to %d", most, classes)
	}
	if pictures == 0 && to == "" {
		return errors.New("give one or more pictures, PNG or JPEG")
	}
	return nil
}

// run prints the most probable classes of each picture.
func run(ctx context.Context, out io.Writer, backend, model, labels string, most int, to string, paths []string) error {
	names, err := namesOf(labels)
	if err != nil {
		return err
	}
	c, err := open(backend, model, most)
	if err != nil {
		return err
	}
	if to != "" {
		if err := c.export(to); err != nil {
			return err
		}
	}
	for _, path := range paths {
		p, err := data.ReadImageFile(path, 3)
		if err != nil {
			return err
		}
		found, err := c.classify(ctx, p)
		if err != nil {
			return err
		}
		fmt.Fprintln(out, path)
		for _, f := range found {
			fmt.Fprintf(out, "  %.4f  %s\n", f.probability, names[f.class])
		}
	}
	fmt.Fprintln(out, c.function.Report())
	return nil
}

// namesOf reads the names of the classes; without a file they are numbers.
func namesOf(path string) ([]string, error) {
	names := make([]string, classes)
	for i := range names {
		names[i] = fmt.Sprint("class ", i)
	}
	if path == "" {
		return names, nil
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	n := 0
	s := bufio.NewScanner(f)
	for ; s.Scan(); n++ {
		if n < classes {
			names[n] = s.Text()
		}
	}
	if n != classes {
		return nil, fmt.Errorf("%s has %s: give %d, the names of the classes", path, diag.Count(n, "line"), classes)
	}
	return names, s.Err()
}

// classifier finds the classes of pictures.
type classifier struct {
	dev      *lazy.Device
	function *lazy.Function
}

// prediction is a class with its probability.
type prediction struct {
	class       int32
	probability float32
}

// open loads a model, for the most probable classes.
func open(backend, model string, most int) (*classifier, error) {
	file, err := checkpoint.Open(model)
	if err != nil {
		return nil, fmt.Errorf("%w: give the file of the weights as -model, or fetch it with make inputs INPUTS=efficientnet", err)
	}
	dev, err := lazy.Open(backend)
	if err != nil {
		return nil, err
	}
	net := NewNet(classes)
	if err := module.Build(net, dev, module.Empty()); err != nil {
		return nil, err
	}
	if err := module.Eval(net); err != nil {
		return nil, err
	}
	if err := checkpoint.LoadInto(module.State(net), &file.State, checkpoint.Options{Share: true}); err != nil {
		return nil, err
	}
	f := lazy.Func(dev, func(_ *lazy.Trace, x []*lazy.Tensor) []*lazy.Tensor {
		scores := net.Forward(x[0])
		probabilities, indices := scores.Softmax(-1).TopK(most, -1)
		return []*lazy.Tensor{probabilities, indices.Convert(lazy.I32), scores}
	})
	if err := f.Inputs(images); err != nil {
		return nil, err
	}
	return &classifier{dev, f}, nil
}

// classify returns the most probable classes of a picture, the best first. Of a picture of another size the middle is
// scaled, 7/8 of its shorter side.
func (c *classifier) classify(ctx context.Context, p data.Picture) ([]prediction, error) {
	p, err := preprocess(p)
	if err != nil {
		return nil, err
	}
	all, err := c.call(ctx, p.Values)
	if err != nil {
		return nil, err
	}
	probabilities, err := lazy.ToSlice[float32](all[0])
	if err != nil {
		return nil, err
	}
	indices, err := lazy.ToSlice[int32](all[1])
	if err != nil {
		return nil, err
	}
	best := make([]prediction, len(indices))
	for i := range best {
		best[i] = prediction{indices[i], probabilities[i]}
	}
	return best, nil
}

// call runs the network on the values of a picture, and returns probabilities, classes and scores.
func (c *classifier) call(ctx context.Context, values []float32) ([]*lazy.Tensor, error) {
	return c.function.CallAll(ctx, lazy.From(c.dev, values, 1, 3, size, size))
}

// preprocess returns a picture of the network's size with values from -1 to 1, as in training.
func preprocess(p data.Picture) (data.Picture, error) {
	var steps []data.Transform
	if p.Height != size || p.Width != size {
		side := min(p.Height, p.Width) * 7 / 8
		steps = append(steps, data.CenterCrop(side, side), data.Resize(size, size))
	}
	const mean, deviation = 127. / 255, 128. / 255
	steps = append(steps, data.Normalize([]float32{mean, mean, mean}, []float32{deviation, deviation, deviation}))
	var err error
	for _, step := range steps {
		if p, err = step(p, nil); err != nil {
			return p, err
		}
	}
	return p, nil
}

// export writes the program with its weights beside it, for [checkpoint.OpenProgram] and other programs.
func (c *classifier) export(path string) error {
	x, err := c.function.Export([]lazy.Input{images}, "probabilities", "classes", "scores")
	if err != nil {
		return err
	}
	return checkpoint.SaveProgram(path, x)
}
