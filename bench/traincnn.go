package main

import "ltc/lazy"

// cnn is the sizes of a network for square images of one channel: two convolutions of
// 5 by 5 with ReLU, each followed by a pooling of 2 by 2, a hidden layer and classes.
type cnn struct{ batch, side, first, second, hidden, classes int }

var (
	measuredCNN = cnn{64, 28, 32, 64, 1024, 10}
	smallCNN    = cnn{3, 8, 4, 6, 20, 10}
)

const cnnRate = 0.01

// cnnLosses are those of the first four steps of [measuredCNN] in JAX.
var cnnLosses = []float64{2.304093, 2.303502, 2.302863, 2.302216}

func trainCNN(e *env) (result, error) {
	c := measuredCNN
	if e.small {
		c = smallCNN
	}
	return e.train(c.trainer, c.flops(), cnnLosses)
}

// flops counts the multiplications and additions of a step's products: three a layer,
// without the gradient of the input.
func (c cnn) flops() float64 {
	quarter := c.side * c.side / 4
	first, second := 4*quarter*c.first*25, quarter*c.second*c.first*25
	return 2 * float64(c.batch) * float64(2*first+3*(second+c.features()*c.hidden+c.hidden*c.classes))
}

// features is how many the hidden layer is given.
func (c cnn) features() int { return c.second * c.side / 4 * c.side / 4 }

func (c cnn) trainer(dev *lazy.Device) *trainer {
	m := newTrainer(dev, cnnRate, c.classes, c.batch, 1, c.side, c.side)
	m.layer(dev, 21, 25, c.first, c.first, 1, 5, 5)
	m.layer(dev, 22, 25*c.first, c.second, c.second, c.first, 5, 5)
	m.layer(dev, 23, c.features(), c.hidden, c.features(), c.hidden)
	m.layer(dev, 24, c.hidden, c.classes, c.hidden, c.classes)
	m.logits = func(h *lazy.Tensor) *lazy.Tensor {
		p := m.params
		for i := 0; i < 4; i += 2 {
			bias := p[i+1].Reshape(-1, 1, 1)
			h = h.Conv(p[i], lazy.ConvOptions{Padding: [][2]int{{2, 2}, {2, 2}}}).Add(bias).ReLU().MaxPool([]int{2, 2}, lazy.PoolOptions{})
		}
		h = h.Reshape(c.batch, c.features())
		return h.MatMul(p[4]).Add(p[5]).ReLU().MatMul(p[6]).Add(p[7])
	}
	return m
}
