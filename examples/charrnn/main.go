// Command charrnn learns a text, character by character, and writes more of it: by default the Go code of package lazy.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/signal"
	"path/filepath"
	"strings"

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
	var o options
	flag.StringVar(&o.text, "text", "lazy/*.go", "pattern of the files to learn")
	flag.StringVar(&o.backend, "backend", "cpu", "what runs the programs: cpu or eval")
	flag.StringVar(&o.checkpoint, "checkpoint", "", "file to save to after each epoch, and to go on from")
	flag.IntVar(&o.epochs, "epochs", 3, "how often the text is trained on")
	flag.IntVar(&o.write, "write", 400, "how many characters to write")
	flag.Uint64Var(&o.seed, "seed", 1, "of the first weights, of the order of the windows and of what is written")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if _, err := o.run(ctx, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "charrnn:", err)
		os.Exit(1)
	}
}

type options struct {
	text, backend, checkpoint string
	epochs, write             int
	seed                      uint64
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

// Forward returns logits[n, time, characters] for characters x[n, time], and the state behind them.
func (n *Net) Forward(x *lazy.Tensor, state ...*lazy.Tensor) (logits *lazy.Tensor, next []*lazy.Tensor) {
	y, next := n.LSTM.Forward(n.Embedding.Forward(x), state...)
	return n.Head.Forward(y), next
}

// read returns the text of all files of a pattern.
func read(pattern string) (string, error) {
	paths, err := filepath.Glob(pattern)
	if err == nil && len(paths) == 0 {
		err = fmt.Errorf("no file matches %q: give -text a pattern of text files", pattern)
	}
	var all strings.Builder
	for _, p := range paths {
		text, err := os.ReadFile(p)
		if err != nil {
			return "", err
		}
		all.Write(text)
	}
	return strings.ToValidUTF8(all.String(), "\ufffd"), err
}

func (o options) run(ctx context.Context, out io.Writer) (*train.Loop, error) {
	text, err := read(o.text)
	if err != nil {
		return nil, err
	}
	alphabet := data.AlphabetOf(text)
	characters, err := alphabet.Encode(text)
	if err != nil {
		return nil, err
	}
	windows, err := data.NextTokens(characters, window)
	if err != nil {
		return nil, err
	}
	kept, held := data.Holdout(windows.Len(), 20)
	some, err := windows.Select(kept)
	if err != nil {
		return nil, err
	}
	others, err := windows.Select(held)
	if err != nil {
		return nil, err
	}
	dev, err := lazy.Open(o.backend, lazy.Seed(o.seed))
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
		Train: some.Loader(data.Batches{Size: 32, Seed: o.seed}), Epochs: o.epochs,
		Test: others.Loader(data.Batches{Size: 32, InOrder: true}),
		Loss: func(x []*lazy.Tensor) train.Values {
			logits, _ := net.Forward(x[0])
			return train.Values{"loss": nn.CrossEntropy(logits.Flatten(0, 1), x[1].Flatten(0, 1), nn.CrossEntropyOptions{})}
		},
		Checkpoint: o.checkpoint, Out: out,
	}
	loop.Rate, _ = optim.OneCycle(optim.OneCycleConfig{Max: 8e-3, Steps: o.epochs * loop.Train.Len()})
	if err := loop.Run(ctx); err != nil {
		return nil, err
	}
	training, testing := loop.Report()
	fmt.Fprintf(out, "training: %s, %s; evaluation: %s, %s\n", diag.Count(training.Compiled, "compile"), diag.Count(training.Runs, "step"), diag.Count(testing.Compiled, "compile"), diag.Count(testing.Runs, "batch"))
	written, report, err := o.writeMore(ctx, net, dev, characters[:window])
	if err != nil {
		return nil, err
	}
	fmt.Fprintf(out, "writing: %s, %s\n%s\n", diag.Count(report.Compiled, "compile"), diag.Count(report.Runs, "character"), alphabet.Decode(written))
	return loop, nil
}

// writeMore draws what comes after a beginning, each character by the probability that the network gives it.
func (o options) writeMore(ctx context.Context, net *Net, dev *lazy.Device, beginning []int32) ([]int32, lazy.Report, error) {
	next := lazy.Func(dev, func(tr *lazy.Trace, x []*lazy.Tensor) []*lazy.Tensor {
		logits, state := net.Forward(tr.Read(x[0]), tr.Read(x[1]), tr.Read(x[2]))
		return []*lazy.Tensor{logits.Flatten(0, 1).Softmax(-1), state[0], state[1]}
	})
	zeros := lazy.From(dev, make([]float32, hidden), 1, 1, hidden)
	state, random := []*lazy.Tensor{zeros, zeros}, rand.New(rand.NewPCG(o.seed, 0))
	all, c := []int32(nil), beginning[0]
	for i := range len(beginning) - 1 + o.write {
		ys, err := next.CallAll(ctx, lazy.From(dev, []int32{c}, 1, 1), state[0], state[1])
		if err != nil {
			return nil, next.Report(), err
		}
		state = ys[1:]
		if i+1 < len(beginning) {
			c = beginning[i+1]
			continue
		}
		p, err := lazy.ToSlice[float32](ys[0])
		if err != nil {
			return nil, next.Report(), err
		}
		c = drawn(p, random.Float32())
		all = append(all, c)
	}
	return all, next.Report(), nil
}

// drawn returns the index at which the sum of probabilities exceeds u.
func drawn(p []float32, u float32) int32 {
	for i, x := range p {
		if u -= x; u < 0 {
			return int32(i)
		}
	}
	return int32(len(p) - 1)
}
