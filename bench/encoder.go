package main

import (
	"math"

	"ltc/lazy"
)

// encoder is a layer of a transformer with the norms after its two parts, as
// BERT has it: self-attention with heads of width/heads, and a network of one
// hidden layer.
type encoder struct {
	batch, length, width, heads, hidden int
}

// operands are x, then weight and bias of each of query, key, value and the
// projection after them, a norm, the hidden layer and the one after it, and
// another norm.
func (e encoder) operands() []operand {
	scale := float32(1 / math.Sqrt(float64(e.width)))
	ops := []operand{random(1, e.batch, e.length, e.width)}
	linear := func(in, out int) {
		ops = append(ops, random(len(ops)+10, in, out).times(scale), random(len(ops)+11, out).times(scale))
	}
	norm := func() { ops = append(ops, random(len(ops)+10, e.width), random(len(ops)+11, e.width)) }
	for range 4 {
		linear(e.width, e.width)
	}
	norm()
	linear(e.width, e.hidden)
	linear(e.hidden, e.width)
	norm()
	return ops
}

func (e encoder) program() *program {
	rows := float64(e.batch * e.length)
	weights := float64(4*e.width*e.width + 2*e.width*e.hidden)
	return &program{
		operands: e.operands(),
		fn:       e.forward,
		flops:    2*rows*weights + 4*rows*float64(e.length*e.width),
		want:     e.want(),
	}
}

// encoderEps is what the norms add to a variance.
const encoderEps = 1e-12

func (e encoder) forward(in ...*lazy.Tensor) *lazy.Tensor {
	x, p := in[0], in[1:]
	next := func() (w, b *lazy.Tensor) { w, b, p = p[0], p[1], p[2:]; return w, b }
	linear := func(x *lazy.Tensor) *lazy.Tensor { w, b := next(); return x.MatMul(w).Add(b) }
	norm := func(x *lazy.Tensor) *lazy.Tensor { g, b := next(); return x.LayerNorm(g, b, encoderEps) }

	q, k, v := e.split(linear(x)), e.split(linear(x)), e.split(linear(x))
	scores := q.MatMul(k.Transpose(0, 1, 3, 2)).MulScalar(1 / math.Sqrt(float64(e.width/e.heads)))
	seen := scores.Softmax(-1).MatMul(v)
	joined := seen.Transpose(0, 2, 1, 3).Reshape(e.batch, e.length, e.width)
	x = norm(linear(joined).Add(x))
	return norm(linear(linear(x).GELU()).Add(x))
}

// split gives each head its part of a row: [batch, heads, length, width/heads].
func (e encoder) split(x *lazy.Tensor) *lazy.Tensor {
	return x.Reshape(e.batch, e.length, e.heads, e.width/e.heads).Transpose(0, 2, 1, 3)
}
