package main

import (
	"ltc/checkpoint/gguf"
	"ltc/lazy"
	"ltc/nn"
	"ltc/nn/layers"
	"ltc/nn/quantized"
)

// Config has the sizes of a model of the architecture "llama", by the names of GGUF.
type Config struct {
	VocabSize         int
	EmbeddingLength   int        `metadata:"llama.embedding_length"`        // features of a token
	BlockCount        int        `metadata:"llama.block_count"`             // layers
	HeadCount         int        `metadata:"llama.attention.head_count"`    // of queries
	HeadCountKV       int        `metadata:"llama.attention.head_count_kv"` // of keys and values, each shared by as many heads of queries
	FeedForwardLength int        `metadata:"llama.feed_forward_length"`     // features of the layers between
	ContextLength     int        // the most tokens of a text: the length of the caches
	RopeFreqBase      float64    `metadata:"llama.rope.freq_base,optional"`
	RMSEpsilon        float64    `metadata:"llama.attention.layer_norm_rms_epsilon,optional"`
	EmbeddingFormat   gguf.DType // the format of the tokens' weight
	WeightFormat      gguf.DType // that of all others
}

// Llama predicts the token after a text. Its fields are named so that its variables have the names
// of GGUF files.
type Llama struct {
	config     Config
	TokenEmbd  quantized.Embedding
	Blk        []*Layer
	OutputNorm layers.RMSNorm
}

// Layer is attention to the tokens so far, and a gated layer.
type Layer struct {
	AttnNorm, FfnNorm               layers.RMSNorm
	AttnQ, AttnK, AttnV, AttnOutput quantized.Linear
	FfnGate, FfnUp, FfnDown         quantized.Linear
	Cache                           layers.KeyValueCache
}

// NewLlama returns a model without variables: module.Build makes them.
func NewLlama(c Config) *Llama {
	linear := func(in, out int) quantized.Linear { return quantized.Linear{In: in, Out: out, Format: c.WeightFormat} }
	norm := layers.RMSNorm{Sizes: []int{c.EmbeddingLength}, Epsilon: c.RMSEpsilon}
	m := &Llama{config: c, TokenEmbd: quantized.Embedding{Rows: c.VocabSize, Features: c.EmbeddingLength, Format: c.EmbeddingFormat}, OutputNorm: norm}
	head := c.EmbeddingLength / c.HeadCount
	for range c.BlockCount {
		m.Blk = append(m.Blk, &Layer{
			AttnNorm: norm, FfnNorm: norm,
			AttnQ: linear(c.EmbeddingLength, c.EmbeddingLength), AttnK: linear(c.EmbeddingLength, c.HeadCountKV*head), AttnV: linear(c.EmbeddingLength, c.HeadCountKV*head),
			AttnOutput: linear(c.EmbeddingLength, c.EmbeddingLength),
			FfnGate:    linear(c.EmbeddingLength, c.FeedForwardLength), FfnUp: linear(c.EmbeddingLength, c.FeedForwardLength), FfnDown: linear(c.FeedForwardLength, c.EmbeddingLength),
			Cache: layers.KeyValueCache{Heads: c.HeadCountKV, MaxTokens: c.ContextLength, Features: head},
		})
	}
	return m
}

// Forward records the logits of the token after tokens[n], which are those from position at on, a scalar.
// Only the first length positions of the caches are read.
func (m *Llama) Forward(tokens, at *lazy.Tensor, length int) *lazy.Tensor {
	rotary := &nn.RotaryOptions{Base: m.config.RopeFreqBase, Interleaved: true}
	x := m.TokenEmbd.Forward(tokens)
	for _, l := range m.Blk {
		x = l.Forward(x, at, length, rotary)
	}
	end := tokens.Size(0).Convert(lazy.I32).SubScalar(1)
	return m.TokenEmbd.Weight.MatMul(m.OutputNorm.Forward(x).DynamicSlice([]int{1, m.config.EmbeddingLength}, end, lazy.Const(tokens.Trace(), lazy.I32, 0)))
}

// Forward records the layer for x[n, EmbeddingLength], the tokens from position at on.
func (l *Layer) Forward(x, at *lazy.Tensor, length int, rotary *nn.RotaryOptions) *lazy.Tensor {
	h := l.AttnNorm.Forward(x)
	x = x.Add(l.AttnOutput.Forward(l.Cache.Attention(l.AttnQ.Forward(h), l.AttnK.Forward(h), l.AttnV.Forward(h), at, length, rotary)))
	h = l.FfnNorm.Forward(x)
	return x.Add(l.FfnDown.Forward(nn.SiLU(l.FfnGate.Forward(h)).Mul(l.FfnUp.Forward(h))))
}
