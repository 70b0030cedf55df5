// Command charrnn learns a text, character by character, and writes more of it: by default the Go code of package lazy.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"

	_ "ltc/backends/reference/llvm" // registers "cpu" and "eval", with its compiler
	"ltc/data"
	"ltc/internal/diag"
	"ltc/lazy"
	"ltc/nn"
	"ltc/nn/layers"
	"ltc/nn/module"
	"ltc/optim"
	"ltc/train"
)

func main() {
	text := flag.String("text", "lazy/*.go", "pattern of the files to learn")
	checkpoint := flag.String("checkpoint", "", "file to save to after each epoch, and to go on from")
	epochs := flag.Int("epochs", 1, "how often the text is trained on")
	flag.Parse()
	if _, err := run(*text, *checkpoint, *epochs, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "charrnn:", err)
		os.Exit(1)
	}
}

const (
	window = 64  // characters that are trained on at once
	hidden = 192 // numbers of the LSTM's state
)

// Net tells the next character for each of a text.
type Net struct {
	Embedding layers.Embedding
	LSTM      layers.LSTM
	Head      layers.Linear
}

// Forward returns logits[n·time, characters] for characters x[n, time], and the state behind them.
func (n *Net) Forward(x *lazy.Tensor, state ...*lazy.Tensor) (logits *lazy.Tensor, next []*lazy.Tensor) {
	y, next := n.LSTM.Forward(n.Embedding.Forward(x), state...)
	return n.Head.Forward(y.Flatten(0, 1)), next
}

func run(pattern, checkpoint string, epochs int, out io.Writer) (*train.Loop, error) {
	paths, _ := filepath.Glob(pattern)
	text, err := data.ReadText(paths...)
	if err != nil {
		return nil, fmt.Errorf("%w: -text is a pattern of text files", err)
	}
	alphabet, characters := data.AlphabetOf(text)
	windows, err := data.NextTokens(characters, window)
	if err != nil {
		return nil, err
	}
	training, validation, err := windows.Holdout(20)
	if err != nil {
		return nil, err
	}
	dev, err := lazy.Open("cpu", lazy.Seed(1))
	if err != nil {
		return nil, err
	}
	net := &Net{
		Embedding: layers.Embedding{Rows: alphabet.Len(), Features: 64},
		LSTM:      layers.LSTM{In: 64, Hidden: hidden, BatchFirst: true},
		Head:      layers.Linear{In: hidden, Out: alphabet.Len()},
	}
	if err := module.Build(net, dev); err != nil {
		return nil, err
	}
	loop := &train.Loop{
		Net: net, Optimizer: optim.NewAdamW(dev, module.Trainable(net), optim.AdamConfig{}),
		Train:      training.Loader(data.Batches{Size: 32, Seed: 1}),
		Validation: validation.Loader(data.Batches{Size: 32, InOrder: true}),
		Epochs:     epochs, Checkpoint: checkpoint, Out: out,
		Loss: func(x []*lazy.Tensor) train.Values {
			logits, _ := net.Forward(x[0])
			return train.Values{"loss": nn.CrossEntropy(logits, x[1].Flatten(0, 1), nn.CrossEntropyOptions{})}
		},
	}
	// PyTorch's default also cycles β1; the loop sets the rate alone.
	loop.LR, _ = optim.OneCycle(optim.OneCycleConfig{Max: 8e-3, Steps: epochs * loop.Train.Len()})
	if err := loop.Run(context.Background()); err != nil {
		return nil, err
	}
	written, err := write(net, dev, characters[:window], 400, out)
	fmt.Fprintln(out, alphabet.Decode(written))
	return loop, err
}

// write draws n characters after a beginning, each by the probability that the network gives it.
func write(net *Net, dev *lazy.Device, beginning []int32, n int, out io.Writer) (written []int32, err error) {
	random := lazy.NewRandom(dev, 1)
	next := lazy.Func(dev, func(tr *lazy.Trace, x []*lazy.Tensor) []*lazy.Tensor {
		logits, state := net.Forward(tr.Read(x[0]), tr.Read(x[1]), tr.Read(x[2]))
		return append(state, random.Categorical(logits).Convert(lazy.I32).Reshape(1, 1))
	})
	zeros := lazy.From(dev, make([]float32, hidden), 1, 1, hidden)
	state := []*lazy.Tensor{zeros, zeros, nil}
	for i := range len(beginning) + n - 1 {
		x := state[2]
		if i < len(beginning) {
			x = lazy.From(dev, beginning[i:i+1], 1, 1)
		}
		if state, err = next.CallAll(context.Background(), x, state[0], state[1]); err != nil {
			return nil, err
		}
		if i+1 >= len(beginning) {
			written = append(written, int32(state[2].Float()))
		}
	}
	fmt.Fprintf(out, "writing: %s, %s\n", diag.Count(next.Report().Compiled, "compile"), diag.Count(next.Report().Runs, "character"))
	return written, nil
}
