package main

import (
	"context"
	"fmt"

	"ltc/data"
	"ltc/data/digits"
	"ltc/lazy"
	"ltc/nn/layers"
	"ltc/nn/module"
	"ltc/optim"
	"ltc/train"
)

const (
	batchSize     = 32
	defaultEpochs = 25
)

// progress hears how training goes.
type progress interface {
	begin(epoch, steps int)
	step()
	end(epoch int, loss, accuracy float64)
}

// result is what a run of training found.
type result struct {
	accuracy       float64 // of the predictions for the rows held back
	training       lazy.Report
	prediction     lazy.Report
	text           string // of the training step
	trained, tests int    // rows
}

// trainAndTest returns the images to train with, and every fifth, held back to test with.
func trainAndTest() (train, test *data.Table) {
	t := digits.Load()
	trainRows, testRows := data.Holdout(t.Rows, 5)
	return t.Select(trainRows), t.Select(testRows)
}

// run trains a net on the digits and tests it.
func run(backend string, seed uint64, epochs int, train, test *data.Table, p progress) (*result, error) {
	dev, err := lazy.Open(backend, lazy.Seed(seed))
	if err != nil {
		return nil, err
	}
	n := newNet(digits.Pixels, 128, 64, 10)
	if err := module.Build(n, dev); err != nil {
		return nil, err
	}
	tr := lazy.NewTrace(dev)
	if err := fit(tr, n, seed, epochs, train, p); err != nil {
		return nil, err
	}
	predict := lazy.Func(dev, func(_ *lazy.Trace, x *lazy.Tensor) *lazy.Tensor { return n.Forward(x).ArgMax(-1) })
	images, labels := split(test, data.All(test.Rows))
	found, err := predict.Call(context.Background(), lazy.From(dev, images, test.Rows, digits.Pixels))
	if err != nil {
		return nil, err
	}
	read, err := lazy.ToSlice[int64](found)
	if err != nil {
		return nil, err
	}
	right := 0
	for i, d := range read {
		if d == int64(labels[i]) {
			right++
		}
	}
	return &result{
		accuracy: float64(right) / float64(test.Rows),
		training: tr.Report(), prediction: predict.Report(),
		text: tr.StableHLO(), trained: train.Rows, tests: test.Rows,
	}, nil
}

// fit trains n on batches of the table in an order that the seed gives.
func fit(tr *lazy.Trace, n layers.Sequential, seed uint64, epochs int, table *data.Table, p progress) error {
	sgd := optim.NewSGD(tr.Device(), module.Trainable(n), optim.SGDConfig{Momentum: 0.9, WeightDecay: 5e-4})
	batches := data.Batches{Rows: table.Rows, Size: batchSize, Seed: seed, DropLast: true}
	rate, done := optim.Cosine(0.1, 0, epochs*batches.Len()), 0
	for epoch := range epochs {
		p.begin(epoch, batches.Len())
		var losses, accuracies float64
		for _, rows := range batches.Epoch(epoch) {
			sgd.SetLR(rate(done))
			images, labels := split(table, rows)
			x := lazy.From(tr, images, len(rows), digits.Pixels)
			y := lazy.From(tr, labels, len(rows))
			logits := n.Forward(x)
			loss := logits.CrossEntropy(y)
			accuracy := train.Accuracy(logits, y)
			if err := sgd.Step(loss); err != nil {
				return err
			}
			if err := tr.MarkStep(loss, accuracy); err != nil {
				return fmt.Errorf("step %d: %w", done, err)
			}
			losses += loss.Float()
			accuracies += accuracy.Float()
			done++
			p.step()
		}
		p.end(epoch, losses/float64(batches.Len()), accuracies/float64(batches.Len()))
	}
	return nil
}

// split copies images and labels of the given rows out of a table.
func split(t *data.Table, rows []int) (images []float32, labels []int32) {
	return data.Gather[float32](nil, t, rows, 0, digits.Pixels), data.Gather[int32](nil, t, rows, digits.Label, digits.Label+1)
}
