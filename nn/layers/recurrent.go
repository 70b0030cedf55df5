package layers

import (
	"fmt"
	"math"
	"slices"

	"ltc/internal/diag"
	"ltc/lazy"
	"ltc/nn/module"
)

// Recurrent has the options and the variables of [RNN], [LSTM] and [GRU]. A cell reads the rows of x one after the other,
// and keeps a state of Hidden numbers for each example.
type Recurrent struct {
	module.Base
	In, Hidden    int
	Layers        int     // cells stacked on one another; 0 for 1
	NoBias        bool    // there are no biases
	BatchFirst    bool    // x and y have the axes batch, time, features; without it time, batch, features
	Dropout       float64 // the probability of zeros between stacked cells in training
	Bidirectional bool    // a second cell of each layer reads from the end
	ReLU          bool    // of [RNN]: max(x, 0) stands for tanh

	// Weights are weight_ih_l0[gates·Hidden, In], weight_hh_l0[gates·Hidden, Hidden], bias_ih_l0 and bias_hh_l0[gates·Hidden]; with
	// the number of the layer, whose input is the result of the one below, and _reverse for the second cell of a layer.
	Weights map[string]*lazy.Tensor `module:",inline"`

	random *lazy.Random
}

// RNN is PyTorch's RNN: h' = tanh(W_ih x + b_ih + W_hh h + b_hh).
type RNN Recurrent

// LSTM is PyTorch's LSTM, without projections: long short-term memory, whose gates i, f, g and o stand one after the other in its weights.
type LSTM Recurrent

// GRU is PyTorch's GRU: the gated recurrent unit, whose gates r, z and n stand one after the other in its weights.
type GRU Recurrent

// cell is a kind of recurrent layer.
type cell struct {
	layer  string
	gates  int
	states int // tensors of a state: h, and c of an LSTM
	// apart has the bias of the state added to its product alone, and not to that of x.
	apart bool
	// next returns the next state for the products of x and of h, both with biases.
	next func(byX, byH *lazy.Tensor, state []*lazy.Tensor) []*lazy.Tensor
}

func rnnCell(relu bool) cell {
	return cell{"layers.RNN", 1, 1, false, func(byX, byH *lazy.Tensor, _ []*lazy.Tensor) []*lazy.Tensor {
		if h := byX.Add(byH); relu {
			return []*lazy.Tensor{h.ReLU()}
		} else {
			return []*lazy.Tensor{h.Tanh()}
		}
	}}
}

var lstmCell = cell{"layers.LSTM", 4, 2, false, func(byX, byH *lazy.Tensor, state []*lazy.Tensor) []*lazy.Tensor {
	g := parts(byX.Add(byH), 4)
	c := g[1].Sigmoid().Mul(state[1]).Add(g[0].Sigmoid().Mul(g[2].Tanh()))
	return []*lazy.Tensor{g[3].Sigmoid().Mul(c.Tanh()), c}
}}

var gruCell = cell{"layers.GRU", 3, 1, true, func(byX, byH *lazy.Tensor, state []*lazy.Tensor) []*lazy.Tensor {
	x, h := parts(byX, 3), parts(byH, 3)
	z := x[1].Add(h[1]).Sigmoid()
	n := x[2].Add(x[0].Add(h[0]).Sigmoid().Mul(h[2])).Tanh()
	return []*lazy.Tensor{n.Add(z.Mul(state[0].Sub(n)))}
}}

// parts returns n parts of x along its last axis; x n times if it holds an error.
func parts(x *lazy.Tensor, n int) []*lazy.Tensor {
	if x.Err() != nil {
		return slices.Repeat([]*lazy.Tensor{x}, n)
	}
	return x.Chunk(-1, n)
}

// Build declares the variables.
func (l *RNN) Build(b *module.Builder) { (*Recurrent)(l).build(b, rnnCell(l.ReLU)) }

// Build declares the variables.
func (l *LSTM) Build(b *module.Builder) { (*Recurrent)(l).build(b, lstmCell) }

// Build declares the variables.
func (l *GRU) Build(b *module.Builder) { (*Recurrent)(l).build(b, gruCell) }

// Forward records the layer for x[time, batch, In]. It returns the states h of the last layer for each row, as y[time, batch, Hidden], or
// twice Hidden if the layer is bidirectional, and the state behind the last row, h[layers·directions, batch, Hidden]. The first state is
// zero unless it is given. With BatchFirst, time and batch of x and y change places.
func (l *RNN) Forward(x *lazy.Tensor, h ...*lazy.Tensor) (y *lazy.Tensor, last []*lazy.Tensor) {
	return (*Recurrent)(l).forward(rnnCell(l.ReLU), x, nil, h)
}

// Forward is that of [RNN.Forward] with a state of two tensors, h and c.
func (l *LSTM) Forward(x *lazy.Tensor, hc ...*lazy.Tensor) (y *lazy.Tensor, last []*lazy.Tensor) {
	return (*Recurrent)(l).forward(lstmCell, x, nil, hc)
}

// Forward is that of [RNN.Forward].
func (l *GRU) Forward(x *lazy.Tensor, h ...*lazy.Tensor) (y *lazy.Tensor, last []*lazy.Tensor) {
	return (*Recurrent)(l).forward(gruCell, x, nil, h)
}

// ForwardLengths is Forward for examples of several lengths, lengths[batch] of an integer dtype, as PyTorch's is for packed sequences. Behind its last
// row the state of an example stays what it is, and y is zero. A second cell begins at the last row.
func (l *RNN) ForwardLengths(x, lengths *lazy.Tensor, h ...*lazy.Tensor) (y *lazy.Tensor, last []*lazy.Tensor) {
	return (*Recurrent)(l).forward(rnnCell(l.ReLU), x, lengths, h)
}

// ForwardLengths is that of [RNN.ForwardLengths] with a state of two tensors, h and c.
func (l *LSTM) ForwardLengths(x, lengths *lazy.Tensor, hc ...*lazy.Tensor) (y *lazy.Tensor, last []*lazy.Tensor) {
	return (*Recurrent)(l).forward(lstmCell, x, lengths, hc)
}

// ForwardLengths is that of [RNN.ForwardLengths].
func (l *GRU) ForwardLengths(x, lengths *lazy.Tensor, h ...*lazy.Tensor) (y *lazy.Tensor, last []*lazy.Tensor) {
	return (*Recurrent)(l).forward(gruCell, x, lengths, h)
}

func (l *Recurrent) depth() int { return max(l.Layers, 1) }

// directions are the suffixes of the names of a layer's cells.
func (l *Recurrent) directions() []string {
	if l.Bidirectional {
		return []string{"", "_reverse"}
	}
	return []string{""}
}

func (l *Recurrent) build(b *module.Builder, c cell) {
	if !positive(b, c.layer, option{"In", l.In}, option{"Hidden", l.Hidden}, option{"Layers", l.depth()}) {
		return
	}
	if !probability(b, c.layer+".Dropout", l.Dropout) {
		return
	}
	if l.random = b.Random(); l.Weights == nil {
		l.Weights = map[string]*lazy.Tensor{}
	}
	limit := 1 / math.Sqrt(float64(l.Hidden))
	for k := range l.depth() {
		in := l.In
		if k > 0 {
			in = l.Hidden * len(l.directions())
		}
		for _, d := range l.directions() {
			declare := func(name string, dims ...int) {
				if name = fmt.Sprint(name, "_l", k, d); l.Weights[name] == nil {
					l.Weights[name] = b.Named(name, lazy.Uniform(-limit, limit), dims...)
				}
			}
			declare("weight_ih", c.gates*l.Hidden, in)
			declare("weight_hh", c.gates*l.Hidden, l.Hidden)
			if !l.NoBias {
				declare("bias_ih", c.gates*l.Hidden)
				declare("bias_hh", c.gates*l.Hidden)
			}
		}
	}
}

func (l *Recurrent) forward(c cell, x, lengths *lazy.Tensor, state []*lazy.Tensor) (y *lazy.Tensor, last []*lazy.Tensor) {
	y = l.Call(func() *lazy.Tensor {
		for _, t := range append([]*lazy.Tensor{x}, state...) {
			if t.Err() != nil {
				return t
			}
		}
		if why := l.wrong(c, x, lengths, state); why != "" {
			return module.Refuse(x, "%s", why)
		}
		if l.BatchFirst {
			x = x.Transpose(1, 0, 2)
		}
		y, last = l.record(c, x, lengths, state)
		if l.BatchFirst {
			y = y.Transpose(1, 0, 2)
		}
		return y
	}, append([]*lazy.Tensor{x}, state...)...)
	if last == nil {
		last = make([]*lazy.Tensor, c.states)
		for i := range last {
			last[i] = y // which holds an error
		}
	}
	return y, last
}

// wrong returns why operands do not fit the layer; "" if they do.
func (l *Recurrent) wrong(c cell, x, lengths *lazy.Tensor, state []*lazy.Tensor) string {
	for _, t := range append([]*lazy.Tensor{x}, state...) {
		if t == nil || t.Rank() != 3 {
			return fmt.Sprintf("x is [time, batch, %d], and a state [%d, batch, %d]", l.In, l.depth()*len(l.directions()), l.Hidden)
		}
	}
	if n := x.Dim(2); n != l.In {
		return fmt.Sprintf("x has %s, the layer takes %d", diag.Count(n, "feature"), l.In)
	}
	if len(state) != 0 && len(state) != c.states {
		return fmt.Sprintf("a first state has %s, there are %d", diag.Count(c.states, "tensor"), len(state))
	}
	for _, s := range state {
		if s.Dim(0) != l.depth()*len(l.directions()) || s.Dim(2) != l.Hidden {
			return fmt.Sprintf("a first state is %v, must be [%d, batch, %d]", s.Type(), l.depth()*len(l.directions()), l.Hidden)
		}
	}
	if lengths != nil && lengths.Err() == nil && (!lengths.DType().IsInteger() || lengths.Rank() != 1) {
		return fmt.Sprintf("lengths are %v, must be integers with one axis, the batch", lengths.Type())
	}
	return ""
}

// record records the layers for x[time, batch, features].
func (l *Recurrent) record(c cell, x, lengths *lazy.Tensor, state []*lazy.Tensor) (y *lazy.Tensor, last []*lazy.Tensor) {
	if len(state) == 0 {
		zeros := lazy.Zeros(x.Trace(), x.DType(), l.depth()*len(l.directions()), x.OpenDim(1), l.Hidden)
		for range c.states {
			state = append(state, zeros)
		}
	}
	var steps *lazy.Tensor // the number of each row
	if lengths != nil {
		lengths = lengths.Convert(lazy.I64)
		steps = lazy.Iota(x.Trace(), lazy.I64, 0, x.OpenDim(0))
	}
	ends := make([][]*lazy.Tensor, c.states)
	for k := range l.depth() {
		var ys []*lazy.Tensor
		for i, d := range l.directions() {
			var first []*lazy.Tensor
			for _, s := range state {
				first = append(first, s.Select(0, k*len(l.directions())+i))
			}
			weight := func(name string) *lazy.Tensor { return l.Weights[fmt.Sprint(name, "_l", k, d)] }
			rows, end := c.scan(x, steps, lengths, first, weight, d != "")
			ys = append(ys, rows)
			for s := range ends {
				ends[s] = append(ends[s], end[s])
			}
		}
		if x = ys[0]; len(ys) > 1 {
			x = lazy.Concatenate(-1, ys...)
		}
		if k+1 < l.depth() {
			x = dropper(&l.Base, l.random, l.Dropout)(x)
		}
	}
	for _, s := range ends {
		last = append(last, lazy.Stack(0, s...))
	}
	return x, last
}

// scan records a cell for x[time, batch, features] from a first state. It returns h of each row, and the last state.
func (c cell) scan(x, steps, lengths *lazy.Tensor, first []*lazy.Tensor, weight func(string) *lazy.Tensor, reverse bool) (ys *lazy.Tensor, last []*lazy.Tensor) {
	byX := x.MatMul(weight("weight_ih").Transpose(1, 0)) // of all rows at once
	ofX, ofH := weight("bias_ih"), weight("bias_hh")
	if ofX != nil {
		if byX = byX.Add(ofX); !c.apart {
			byX, ofH = byX.Add(ofH), nil
		}
	}
	xs := []*lazy.Tensor{byX}
	if lengths != nil {
		xs = append(xs, steps)
	}
	hidden := x.Trace().Read(weight("weight_hh")).Transpose(1, 0)
	last, rows := lazy.Scan(func(_ *lazy.Trace, state, in []*lazy.Tensor) (next, ys []*lazy.Tensor) {
		byH := state[0].MatMul(hidden)
		if ofH != nil {
			byH = byH.Add(ofH)
		}
		next = c.next(in[0], byH, state)
		y := next[0]
		if lengths != nil {
			within := in[1].Less(lengths).Unsqueeze(-1)
			for i := range next {
				next[i] = within.Where(next[i], state[i])
			}
			y = within.WhereScalar(y, 0)
		}
		return next, []*lazy.Tensor{y}
	}, first, xs, lazy.ScanOptions{Reverse: reverse})
	return rows[0], last
}
