package quantized

import (
	"ltc/checkpoint/gguf"
	"ltc/lazy"
	"ltc/nn/module"
)

// Linear is x·weightᵀ along the last axis of x[…, In], as f32[…, Out].
type Linear struct {
	module.Base
	In, Out int
	Format  gguf.DType // of the weight

	Weight Weight
}

// Build sets the sizes of the weight, which declares the variables.
func (l *Linear) Build(*module.Builder) { l.Weight.size(&l.Out, &l.In, &l.Format) }

// Forward records the layer for x[…, In].
func (l *Linear) Forward(x *lazy.Tensor) *lazy.Tensor {
	return l.Call(func() *lazy.Tensor { return l.Weight.MatMul(x) }, x)
}

// Embedding has a row of Features numbers for each of Rows indices. As the last layer of a language
// model that ties its weights, its Weight.MatMul gives a logit for each row.
type Embedding struct {
	module.Base
	Rows, Features int
	Format         gguf.DType // of the weight

	Weight Weight
}

// Build sets the sizes of the weight, which declares the variables.
func (l *Embedding) Build(*module.Builder) { l.Weight.size(&l.Rows, &l.Features, &l.Format) }

// Forward records the rows that the indices choose, as f32[indices…, Features].
func (l *Embedding) Forward(indices *lazy.Tensor) *lazy.Tensor {
	return l.Call(func() *lazy.Tensor { return l.Weight.Gather(indices) }, indices)
}
