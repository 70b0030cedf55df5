package main

import (
	"ltc/lazy"
	"ltc/nn"
	"ltc/nn/layers"
	"ltc/nn/quantized"
)

// Config has the sizes of a model of the architecture "llama", by the names of GGUF.
type Config struct {
	EmbeddingLength int     `metadata:"llama.embedding_length"`        // features of a token
	BlockCount      int     `metadata:"llama.block_count"`             // layers
	HeadCount       int     `metadata:"llama.attention.head_count"`    // of queries
	HeadCountKV     int     `metadata:"llama.attention.head_count_kv"` // of keys and values, each shared by as many heads of queries
	RopeFreqBase    float64 `metadata:"llama.rope.freq_base,optional"`
	RMSEpsilon      float64 `metadata:"llama.attention.layer_norm_rms_epsilon,optional"`
	EndToken        int32   `metadata:"tokenizer.ggml.eos_token_id,optional"`
}

// Llama predicts the token after a text. Its fields are named so that its variables have the names
// of GGUF files, which have the sizes of the weights.
type Llama struct {
	rotary     nn.RotaryOptions
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

// NewLlama returns a model for texts of at most context tokens, without variables: quantized.Build makes them.
func NewLlama(c Config, context int) *Llama {
	norm := layers.RMSNorm{Sizes: []int{c.EmbeddingLength}, Epsilon: c.RMSEpsilon}
	cache := layers.KeyValueCache{Heads: c.HeadCountKV, MaxTokens: context, Features: c.EmbeddingLength / max(c.HeadCount, 1)}
	m := &Llama{rotary: nn.RotaryOptions{Base: c.RopeFreqBase, Interleaved: true}, OutputNorm: norm}
	for range c.BlockCount {
		m.Blk = append(m.Blk, &Layer{AttnNorm: norm, FfnNorm: norm, Cache: cache})
	}
	return m
}

// Forward records the logits of the token after token[1], which is at a position, a scalar. Only the first length positions
// of the caches are read.
func (m *Llama) Forward(token, at *lazy.Tensor, length int) *lazy.Tensor {
	x := m.TokenEmbd.Forward(token)
	for _, l := range m.Blk {
		h := l.AttnNorm.Forward(x)
		y := l.Cache.Attention(l.AttnQ.Forward(h), l.AttnK.Forward(h), l.AttnV.Forward(h), at, length, &m.rotary)
		x = x.Add(l.AttnOutput.Forward(y))
		h = l.FfnNorm.Forward(x)
		x = x.Add(l.FfnDown.Forward(nn.SiLU(l.FfnGate.Forward(h)).Mul(l.FfnUp.Forward(h))))
	}
	return m.TokenEmbd.Weight.MatMul(m.OutputNorm.Forward(x))
}
