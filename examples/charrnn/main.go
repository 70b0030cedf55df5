// Command charrnn learns a text, character by character, and writes more of it: by default the Go code of package lazy.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"

	_ "ltc/backends/reference/llvm" // registers "cpu" and "eval", with its compiler
	"ltc/data"
	"ltc/lazy"
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

// window is the number of characters that are trained on at once.
const window = 64

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
	text, err := data.ReadText(pattern)
	if err != nil {
		return nil, fmt.Errorf("%w: -text is a pattern of text files", err)
	}
	alphabet, characters := data.AlphabetOf(text)
	training, validation := data.NextTokens(characters, window, data.Batches{Size: 32, Seed: 1}).Holdout(20)
	dev, err := lazy.Open("cpu", lazy.Seed(1))
	if err != nil {
		return nil, err
	}
	net := &Net{
		Embedding: layers.Embedding{Rows: alphabet.Len(), Features: 64},
		LSTM:      layers.LSTM{In: 64, Hidden: 192, BatchFirst: true},
		Head:      layers.Linear{In: 192, Out: alphabet.Len()},
	}
	if err := module.Build(net, dev); err != nil {
		return nil, err
	}
	loop := &train.Loop{
		Net: net, Optimizer: optim.NewAdamW(dev, module.Trainable(net), optim.AdamConfig{}),
		Train: training, Validation: validation, Epochs: epochs, Checkpoint: checkpoint, Out: out,
		Loss: func(x []*lazy.Tensor) train.Values {
			logits, _ := net.Forward(x[0])
			return train.Values{"loss": logits.CrossEntropy(x[1].Flatten(0, 1))}
		},
	}
	// PyTorch's default also cycles β1; the loop sets the rate alone.
	loop.LR, _ = optim.OneCycle(optim.OneCycleConfig{Max: 8e-3, Steps: epochs * training.Len()})
	if err := loop.Run(context.Background()); err != nil {
		return nil, err
	}
	return loop, write(net, dev, alphabet, characters[:window], out)
}

// write writes 400 characters after a beginning, each drawn by the probability that the network gives it.
func write(net *Net, dev *lazy.Device, alphabet *data.Alphabet, beginning []int32, out io.Writer) error {
	tr, random := lazy.NewTrace(dev), lazy.NewRandom(dev, 1)
	logits, state := net.Forward(lazy.From(tr, beginning, 1, len(beginning)))
	_, drawn := lazy.Scan(func(_ *lazy.Trace, last, _ []*lazy.Tensor) (next, drawn []*lazy.Tensor) {
		c := random.Categorical(last[2]).Convert(lazy.I32)
		logits, next := net.Forward(c.Unsqueeze(0), last[:2]...)
		return append(next, logits), []*lazy.Tensor{c}
	}, append(state, logits.Narrow(0, len(beginning)-1, 1)), []*lazy.Tensor{lazy.Iota(tr, lazy.I32, 0, 400)}, lazy.ScanOptions{})
	written, err := lazy.ToSlice[int32](drawn[0])
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "The text below was drawn by %d compiled program.\n%s\n", tr.Report().Compiled, alphabet.Decode(written))
	return nil
}
