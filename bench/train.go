package main

import (
	"context"
	"fmt"
	"math"
	"time"

	"ltc/bench/measure"
	"ltc/lazy"
)

const (
	mlpBatch = 64
	mlpRate  = 0.1
	// mlpFlops counts the multiplications and additions of the three matrix
	// products a layer, without the gradient of the input.
	mlpFlops = 2*mlpBatch*(784*512+512*256+256*10)*3 - 2*mlpBatch*784*512
)

// mlpWidths are those of the layers: the input's, two hidden ones', the classes'.
var mlpWidths = []int{784, 512, 256, 10}

var trainRules = measure.Rules{Budget: 3 * time.Second, Warm: 5, MinReps: 7, MaxReps: 2000, Inner: 1}

func trainMLP(e *env) (result, error) {
	batch, widths := mlpBatch, mlpWidths
	if e.small {
		batch, widths = 6, []int{20, 16, 12, 10}
	}
	return e.train(func(dev *lazy.Device) *trainer { return newMLP(dev, batch, widths...) }, mlpFlops, mlpLosses)
}

// train measures the steps of what build makes. The losses of its first four steps must be
// want, or, for a small network, the evaluator's.
func (e *env) train(build func(*lazy.Device) *trainer, flops float64, want []float64) (result, error) {
	dev, err := e.open()
	if err != nil {
		return result{}, err
	}
	m := build(dev)
	start := time.Now()
	if err := m.step(); err != nil {
		return result{}, err
	}
	first := time.Since(start).Seconds()
	losses, err := m.losses(m.loss.Float())
	if err != nil {
		return result{}, err
	}
	if e.small {
		if want, err = evaluatedLosses(build); err != nil {
			return result{}, err
		}
	}
	if err := checkLosses(losses, want); err != nil {
		return result{}, err
	}
	t, err := e.time(trainRules, m.step)
	if err != nil {
		return result{}, err
	}
	r := figures(t)
	if device(e.backend) {
		r.Queued, err = e.queued(t.Median, func() error {
			m.record()
			return m.tr.MarkStep(m.loss)
		}, func() error { return m.tr.Wait(context.Background()) })
		if err != nil {
			return result{}, err
		}
	}
	r.FirstCall, r.Losses, r.PeakRSSMiB = first, losses, peakRSS()
	r.GFlops = math.Round(flops/t.Median/1e8) / 10
	return r, nil
}

// mlpLosses are those of the first four steps, on which PyTorch, JAX, MLX,
// tinygrad, IREE and NumPy agree.
var mlpLosses = []float64{2.302726, 2.299401, 2.299050, 2.297281}

// evaluatedLosses are those of the evaluator's first four steps.
func evaluatedLosses(build func(*lazy.Device) *trainer) ([]float64, error) {
	dev, err := lazy.Open("eval")
	if err != nil {
		return nil, err
	}
	return build(dev).losses()
}

// losses appends those of further steps to a list until it has four.
func (m *trainer) losses(list ...float64) ([]float64, error) {
	for len(list) < 4 {
		if err := m.step(); err != nil {
			return nil, err
		}
		list = append(list, m.loss.Float())
	}
	return list, nil
}

func checkLosses(got, want []float64) error {
	for i, l := range got {
		if !(math.Abs(l-want[i]) <= 2e-6) {
			return fmt.Errorf("wrong result: the loss of step %d is %v, want %v", i+1, l, want[i])
		}
	}
	return nil
}

// trainer is a model in training by gradient descent, a classifier unless it has a cost of its own.
type trainer struct {
	tr     *lazy.Trace
	x, y   *lazy.Tensor
	lr     *lazy.Tensor
	params []*lazy.Tensor                    // weights and bias of each layer
	logits func(x *lazy.Tensor) *lazy.Tensor // of a batch
	cost   func(x *lazy.Tensor) *lazy.Tensor // the loss of a batch
	loss   *lazy.Tensor                      // of the last step
}

// newTrainer makes a classifier without parameters, for a batch of dimensions dims and so many
// classes.
func newTrainer(dev *lazy.Device, rate float64, classes int, dims ...int) *trainer {
	m := &trainer{tr: lazy.NewTrace(dev), lr: lazy.NewScalar(dev, "lr", lazy.F32, rate)}
	m.x = lazy.From(dev, measure.Gen(1, dims...), dims...)
	m.y = lazy.From(dev, labels(dims[0], classes), dims[0])
	m.cost = func(x *lazy.Tensor) *lazy.Tensor { return m.logits(x).CrossEntropy(m.y) }
	return m
}

// layer adds weights of dimensions dims, whose sums have so many terms, and a bias for
// each output.
func (m *trainer) layer(dev *lazy.Device, seed, terms, outputs int, dims ...int) {
	i := len(m.params) / 2
	w := dev.Variable(fmt.Sprintf("w%d", i), lazy.F32, dims...)
	lazy.SetValues(w, scaled(measure.Gen(seed, dims...), float32(math.Sqrt(float64(terms)))))
	m.params = append(m.params, w, dev.Variable(fmt.Sprintf("b%d", i), lazy.F32, outputs))
}

// newMLP makes a network of fully connected layers: widths are those of its
// input, of the hidden layers and the number of classes.
func newMLP(dev *lazy.Device, batch int, widths ...int) *trainer {
	m := newTrainer(dev, mlpRate, widths[len(widths)-1], batch, widths[0])
	for i, out := range widths[1:] {
		m.layer(dev, 11+i, widths[i], out, widths[i], out)
	}
	m.logits = func(h *lazy.Tensor) *lazy.Tensor {
		for i := 0; i < len(m.params); i += 2 {
			if i > 0 {
				h = h.ReLU()
			}
			h = h.MatMul(m.params[i]).Add(m.params[i+1])
		}
		return h
	}
	return m
}

// labels gives each row of a batch its class.
func labels(batch, classes int) []int32 {
	l := make([]int32, batch)
	for i := range l {
		l[i] = int32(i * 7 % classes)
	}
	return l
}

// step is a step of gradient descent; it returns when the loss is there.
func (m *trainer) step() error {
	m.record()
	if err := m.tr.MarkStep(m.loss); err != nil {
		return err
	}
	_, err := m.loss.Value()
	return err
}

// record records a step up to where it is marked.
func (m *trainer) record() {
	m.loss = m.cost(m.tr.Read(m.x))
	for i, g := range lazy.Grad(m.loss, m.params...) {
		m.params[i].Sub_(g.Mul(m.lr))
	}
}
