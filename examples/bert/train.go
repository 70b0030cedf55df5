package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"ltc/data"
	"ltc/ir/types"
	"ltc/lazy"
	"ltc/nn"
	"ltc/nn/layers"
	"ltc/nn/module"
	"ltc/optim"
	"ltc/soa"
	"ltc/train"
)

// Classifier is BERT with a linear layer, which gives the logits of classes of texts.
type Classifier struct {
	Bert       *Bert
	Dropout    layers.Dropout
	Classifier layers.Linear
}

// Forward records the logits of texts, as [batch, classes].
func (c *Classifier) Forward(ids, types, mask *lazy.Tensor) *lazy.Tensor {
	return c.Classifier.Forward(c.Dropout.Forward(c.Bert.Mean(ids, types, mask)))
}

// trainOptions are the flags of -train.
type trainOptions struct {
	path, checkpoint string
	freeze           bool
	epochs           int
	lr               float64 // 0: 5e-5, or 1e-2 if only the linear layer is trained
}

// rate returns the largest learning rate.
func (o trainOptions) rate() float64 {
	switch {
	case o.lr != 0:
		return o.lr
	case o.freeze:
		return 1e-2
	}
	return 5e-5
}

const (
	heldOut    = 5 // every heldOut-th line is for validation, of the lines in random order
	trainBatch = 8 // texts of a training step
)

// trainer is a classifier, and the loop that trains it.
type trainer struct {
	*model
	net     *Classifier
	loop    *train.Loop
	classes []string
}

// readLabeled returns the texts of a file and their labels: each line has a label, a tab and a text.
func readLabeled(path string) (texts, labels []string, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	s := bufio.NewScanner(f)
	for n := 1; s.Scan(); n++ {
		label, text, ok := strings.Cut(s.Text(), "\t")
		if !ok || label == "" || strings.TrimSpace(text) == "" {
			return nil, nil, fmt.Errorf("%s:%d: want a label, a tab and a text, have %q", path, n, s.Text())
		}
		texts, labels = append(texts, text), append(labels, label)
	}
	return texts, labels, s.Err()
}

// newTrainer returns the classifier of the labels that the file has, with the weights of a model, and its loop.
func newTrainer(backend, dir string, heads int, o trainOptions, out io.Writer) (*trainer, error) {
	texts, labels, err := readLabeled(o.path)
	if err != nil {
		return nil, err
	}
	classes := slices.Compact(slices.Sorted(slices.Values(labels)))
	if len(classes) < 2 || len(texts) < heldOut {
		return nil, fmt.Errorf("%s: texts: %d, labels: %d: want at least %d and 2", o.path, len(texts), len(classes), heldOut)
	}
	m, err := load(backend, dir, heads)
	if err != nil {
		return nil, err
	}
	random := lazy.NewRandom(m.dev, 1)
	c := &Classifier{Bert: m.net, Dropout: layers.Dropout{P: 0.1}, Classifier: layers.Linear{In: m.config.Hidden, Out: len(classes)}}
	if err := module.Build(c, m.dev, module.Random(random)); err != nil {
		return nil, err
	}
	if o.freeze {
		if err := module.Freeze(c.Bert); err != nil {
			return nil, err
		}
	}
	kept, held := m.loader(texts, labels, classes).Holdout(heldOut)
	fmt.Fprintf(out, "texts: %d to train on, %d to validate; labels: %s\n", kept.Rows, held.Rows, strings.Join(classes, ", "))
	return &trainer{m, c, m.loop(c, random, kept, held, o, out), classes}, nil
}

// loop returns the loop that trains a classifier of the model on the texts of kept, and validates it by those of held.
func (m *model) loop(c *Classifier, random *lazy.Random, kept, held *data.Loader[data.Arrays], o trainOptions, out io.Writer) *train.Loop {
	batch, n := lazy.Dim("batch", 1, trainBatch), lazy.Dim("n", 1, m.config.Positions)
	steps := o.epochs * kept.Len()
	warmUp := steps / 10
	return &train.Loop{
		Net: c, Optimizer: optim.NewAdamW(m.dev, module.Trainable(c), optim.AdamConfig{}),
		LR:    optim.WarmUp(warmUp, 0.1, optim.Linear(o.rate(), 1, 0, steps-warmUp)),
		Train: kept, Validation: held, Epochs: o.epochs, Checkpoint: o.checkpoint, Out: out, Random: []*lazy.Random{random},
		Inputs: append(programInputs(batch, n), lazy.Input{Name: "labels", Type: types.Of(lazy.I32, batch)}),
		Loss: func(x []*lazy.Tensor) train.Values {
			logits := c.Forward(x[0], x[1], x[2])
			return train.Values{"loss": nn.CrossEntropy(logits, x[3], nn.CrossEntropyOptions{}), "accuracy": train.Accuracy(logits, x[3])}
		},
	}
}

// loader returns the loader of texts and their labels as tokens and numbers of classes. Its rows are the texts in random order:
// a file may be sorted by labels.
func (m *model) loader(texts, labels, classes []string) *data.Loader[data.Arrays] {
	shuffled := data.All(len(texts))
	data.Shuffle(shuffled, 1, 0)
	return &data.Loader[data.Arrays]{Batches: data.Batches{Rows: len(texts), Size: trainBatch, Seed: 1}, Load: func(b data.Batch) (data.Arrays, error) {
		some, numbers := make([]string, len(b.Rows)), make([]int32, len(b.Rows))
		for i, row := range b.Rows {
			class, _ := slices.BinarySearch(classes, labels[shuffled[row]])
			some[i], numbers[i] = texts[shuffled[row]], int32(class)
		}
		return m.batch(some, numbers)
	}}
}

// batch returns the tokens of texts, padded to the longest, and the numbers of their classes.
func (m *model) batch(texts []string, classes []int32) (all data.Arrays, err error) {
	b := m.encode(texts)
	for _, tokens := range [][]int32{b.IDs, b.TypeIDs, b.AttentionMask} {
		v, err := data.ArrayOf(tokens, b.Rows, b.Length)
		if err != nil {
			return nil, err
		}
		all = append(all, v)
	}
	var labels soa.View
	if labels, err = data.ArrayOf(classes); err != nil {
		return nil, err
	}
	return append(all, labels), nil
}

// classify returns the most probable class of a text, and its probability.
func (t *trainer) classify(ctx context.Context, text string) (string, float32, error) {
	if err := module.Eval(t.net); err != nil {
		return "", 0, err
	}
	f := lazy.Func(t.dev, func(_ *lazy.Trace, x []*lazy.Tensor) []*lazy.Tensor {
		return []*lazy.Tensor{t.net.Forward(x[0], x[1], x[2]).Softmax(1)}
	})
	y, err := f.Call(ctx, t.tensors(t.encode([]string{text}))...)
	if err != nil {
		return "", 0, err
	}
	p, err := lazy.ToSlice[float32](y)
	if err != nil {
		return "", 0, err
	}
	most := slices.Index(p, slices.Max(p))
	return t.classes[most], p[most], nil
}

// fineTune trains a classifier on a file of labelled texts, and says which class the query has, if there is one.
func fineTune(ctx context.Context, out io.Writer, backend, dir string, heads int, query string, o trainOptions) error {
	t, err := newTrainer(backend, dir, heads, o, out)
	if err != nil {
		return err
	}
	if err := t.loop.Run(ctx); err != nil {
		return err
	}
	if query == "" {
		return nil
	}
	class, p, err := t.classify(ctx, query)
	if err == nil {
		fmt.Fprintf(out, "%s (%.4f): %s\n", class, p, query)
	}
	return err
}
