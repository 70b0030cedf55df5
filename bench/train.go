package main

import (
	"context"
	"fmt"
	"math"
	"time"

	"ltc/internal/measure"
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
	dev, err := e.open()
	if err != nil {
		return result{}, err
	}
	batch, widths := mlpBatch, mlpWidths
	if e.small {
		batch, widths = 6, []int{20, 16, 12, 10}
	}
	m := newMLP(dev, batch, widths...)
	start := time.Now()
	if err := m.step(); err != nil {
		return result{}, err
	}
	first := time.Since(start).Seconds()
	losses := []float64{m.loss.Float()}
	for range 3 {
		if err := m.step(); err != nil {
			return result{}, err
		}
		losses = append(losses, m.loss.Float())
	}
	want := mlpLosses
	if e.small {
		if want, err = evaluatedLosses(batch, widths); err != nil {
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
	r.GFlops = math.Round(mlpFlops/t.Median/1e8) / 10
	return r, nil
}

// mlpLosses are those of the first four steps, on which PyTorch, JAX, MLX,
// tinygrad, IREE and NumPy agree.
var mlpLosses = []float64{2.302726, 2.299401, 2.299050, 2.297281}

// evaluatedLosses are those of the evaluator, of a network of another size.
func evaluatedLosses(batch int, widths []int) ([]float64, error) {
	dev, err := lazy.Open("eval")
	if err != nil {
		return nil, err
	}
	m := newMLP(dev, batch, widths...)
	var losses []float64
	for range mlpLosses {
		if err := m.step(); err != nil {
			return nil, err
		}
		losses = append(losses, m.loss.Float())
	}
	return losses, nil
}

func checkLosses(got, want []float64) error {
	for i, l := range got {
		if !(math.Abs(l-want[i]) <= 2e-6) {
			return fmt.Errorf("wrong result: the loss of step %d is %v, want %v", i+1, l, want[i])
		}
	}
	return nil
}

// mlp is a multilayer perceptron in training.
type mlp struct {
	tr     *lazy.Trace
	x, y   *lazy.Tensor
	lr     *lazy.Tensor
	params []*lazy.Tensor // weights and bias of each layer
	loss   *lazy.Tensor   // of the last step
}

// newMLP makes a network of fully connected layers: widths are those of its
// input, of the hidden layers and the number of classes.
func newMLP(dev *lazy.Device, batch int, widths ...int) *mlp {
	m := &mlp{tr: lazy.NewTrace(dev), lr: lazy.NewScalar(dev, "lr", lazy.F32, mlpRate)}
	m.x = lazy.From(dev, measure.Gen(1, batch, widths[0]), batch, widths[0])
	m.y = lazy.From(dev, labels(batch, widths[len(widths)-1]), batch)
	for i, out := range widths[1:] {
		in := widths[i]
		w := dev.Variable(fmt.Sprintf("w%d", i), lazy.F32, in, out)
		lazy.SetValues(w, scaled(measure.Gen(11+i, in, out), float32(math.Sqrt(float64(in)))))
		m.params = append(m.params, w, dev.Variable(fmt.Sprintf("b%d", i), lazy.F32, out))
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
func (m *mlp) step() error {
	m.record()
	if err := m.tr.MarkStep(m.loss); err != nil {
		return err
	}
	_, err := m.loss.Value()
	return err
}

// record records a step up to where it is marked.
func (m *mlp) record() {
	h := m.tr.Read(m.x)
	for i := 0; i < len(m.params); i += 2 {
		if i > 0 {
			h = h.ReLU()
		}
		h = h.MatMul(m.params[i]).Add(m.params[i+1])
	}
	m.loss = h.CrossEntropy(m.y)
	for i, g := range lazy.Grad(m.loss, m.params...) {
		m.params[i].Sub_(g.Mul(m.lr))
	}
}
