package main

import (
	"math"

	"ltc/bench/measure"
	"ltc/lazy"
)

// lstm is the sizes of a long short-term memory that Scan runs along a sequence. A row of
// the sequence has as many features as the memory has hidden elements.
type lstm struct{ steps, batch, hidden int }

var smallLSTM = lstm{5, 3, 8}

// operands are the weights of the features and of the hidden state, the bias and the
// sequence.
func (l lstm) operands() []operand {
	scale := float32(1 / math.Sqrt(float64(l.hidden)))
	gates := 4 * l.hidden
	return []operand{
		random(1, l.hidden, gates).times(scale), random(2, l.hidden, gates).times(scale), random(3, gates).times(0.1),
		random(4, l.steps, l.batch, l.hidden),
	}
}

// states returns the hidden states of all steps.
func (l lstm) states(wx, wh, b, xs *lazy.Tensor) *lazy.Tensor {
	zero := lazy.Zeros(xs.Trace(), lazy.F32, l.batch, l.hidden)
	_, states := lazy.Scan(func(tr *lazy.Trace, carry, rows []*lazy.Tensor) (next, ys []*lazy.Tensor) {
		h, cell := carry[0], carry[1]
		gates := rows[0].MatMul(wx).Add(h.MatMul(wh)).Add(b)
		gate := func(i int) *lazy.Tensor { return gates.Narrow(1, i*l.hidden, l.hidden) }
		input, values, output, forget := gate(0).Sigmoid(), gate(1).Tanh(), gate(2).Sigmoid(), gate(3).AddScalar(1).Sigmoid()
		cell = forget.Mul(cell).Add(input.Mul(values))
		h = output.Mul(cell.Tanh())
		return []*lazy.Tensor{h, cell}, []*lazy.Tensor{h}
	}, []*lazy.Tensor{zero, zero}, []*lazy.Tensor{xs}, lazy.ScanOptions{})
	return states[0]
}

// flops counts the multiplications and additions of the products of all steps.
func (l lstm) flops() float64 {
	return 2 * float64(l.steps*l.batch) * float64(2*l.hidden*4*l.hidden)
}

func (l lstm) program() *program {
	rows := make([][]float64, l.batch)
	return &program{
		operands: l.operands(),
		fn:       func(x ...*lazy.Tensor) *lazy.Tensor { return l.states(x[0], x[1], x[2], x[3]) },
		flops:    l.flops(),
		want: func(in [][]float32, i int) (float64, float64) {
			step, row, k := i/l.hidden/l.batch, i/l.hidden%l.batch, i%l.hidden
			if rows[row] == nil {
				rows[row] = l.row(in, row)
			}
			return rows[row][step*l.hidden+k], math.Sqrt(float64(l.hidden)) // rounding adds up over the terms of a sum
		},
	}
}

// row computes the hidden states of one row of the batch, of each step.
func (l lstm) row(in [][]float32, row int) (states []float64) {
	n := l.hidden
	wx, wh, b := in[0], in[1], in[2]
	h, cell, gates := make([]float64, n), make([]float64, n), make([]float64, 4*n)
	sigmoid := func(x float64) float64 { return 1 / (1 + math.Exp(-x)) }
	for step := range l.steps {
		x := in[3][(step*l.batch+row)*n:][:n]
		for j := range gates {
			gates[j] = float64(b[j])
		}
		for k := range n {
			for j := range gates {
				gates[j] += float64(x[k])*float64(wx[k*4*n+j]) + h[k]*float64(wh[k*4*n+j])
			}
		}
		for j := range n {
			cell[j] = sigmoid(gates[3*n+j]+1)*cell[j] + sigmoid(gates[j])*math.Tanh(gates[n+j])
			h[j] = sigmoid(gates[2*n+j]) * math.Tanh(cell[j])
		}
		states = append(states, h...)
	}
	return states
}

const lstmRate = 0.1

// trainer has the mean of the squared states as its loss.
func (l lstm) trainer(dev *lazy.Device) *trainer {
	m := &trainer{tr: lazy.NewTrace(dev), lr: lazy.NewScalar(dev, "lr", lazy.F32, lstmRate)}
	given := l.operands()
	xs := given[3]
	m.x = lazy.From(dev, measure.Gen(xs.seed, xs.dims...), xs.dims...)
	for i, name := range []string{"wx", "wh", "b"} {
		w := dev.Variable(name, lazy.F32, given[i].dims...)
		lazy.SetValues(w, given[i].values())
		m.params = append(m.params, w)
	}
	m.cost = func(x *lazy.Tensor) *lazy.Tensor {
		states := l.states(m.params[0], m.params[1], m.params[2], x)
		return states.Mul(states).Mean()
	}
	return m
}

// train measures the training, whose losses are those of the first four steps in JAX.
func (l lstm) train(losses ...float64) func(*env) (result, error) {
	return func(e *env) (result, error) {
		of := l
		if e.small {
			of = smallLSTM
		}
		return e.train(of.trainer, 2.5*of.flops(), losses) // no gradient of the sequence
	}
}
