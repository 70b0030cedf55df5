package layers

import (
	"ltc/internal/functions"
	"ltc/lazy"
	"ltc/nn"
	"ltc/nn/module"
)

// KeyValueCache keeps the keys and values of the tokens of a text so far, for attention in a decoder
// that gets a few tokens at a time. All steps have one program, and write their rows in place.
type KeyValueCache struct {
	module.Base
	Heads     int // of keys and values
	MaxTokens int // the most tokens
	Features  int // of a key and of a value

	none bool // there is no cache

	Keys   *lazy.Tensor `module:",buffer"` // [Heads, MaxTokens, Features]
	Values *lazy.Tensor `module:",buffer"` // [Heads, MaxTokens, Features]
}

// Build declares the variables.
func (c *KeyValueCache) Build(b *module.Builder) {
	if c.none {
		return
	}
	if positive(b, "layers.KeyValueCache", option{"Heads", c.Heads}, option{"MaxTokens", c.MaxTokens}, option{"Features", c.Features}) {
		b.MappedVariable(&c.Keys, c.Heads, c.MaxTokens, c.Features)
		b.MappedVariable(&c.Values, c.Heads, c.MaxTokens, c.Features)
	}
}

// Update records that k and v[Heads, n, Features] are those of the n tokens from position at on, a
// scalar of I32. It returns the keys and values [Heads, length, Features] of the first length positions.
// With length at+n they are for [lazy.Tensor.Attention] with Causal. length may be an open size. Tokens behind the last
// position would overwrite others: the caller sees to it that at+n is at most MaxTokens.
func (c *KeyValueCache) Update(k, v, at *lazy.Tensor, length int) (keys, values *lazy.Tensor) {
	write := func(into, rows *lazy.Tensor) *lazy.Tensor {
		return functions.As("layers.key_value_cache", func() *lazy.Tensor {
			tr := rows.Trace()
			zero := lazy.Const(tr, lazy.I32, 0)
			into.Assign(tr.Read(into).DynamicUpdateSlice(rows, zero, at, zero))
			return tr.Read(into).Narrow(1, 0, length)
		}, rows, at)
	}
	return write(c.Keys, k), write(c.Values, v)
}

// Attention records the causal attention of the n tokens from position at on, a scalar of I32, to themselves and to those
// before them, which the cache keeps. q[n, heads·Features], k and v[n, Heads·Features] are results of linear layers, and heads
// is a multiple of Heads. With rotary, queries and keys have rotary position embeddings. It reads the first length positions
// of the cache, at+n or more, and returns [n, heads·Features]. A position behind the last is an error when the step runs.
func (c *KeyValueCache) Attention(q, k, v, at *lazy.Tensor, length int, rotary *nn.RotaryOptions) *lazy.Tensor {
	for _, x := range []*lazy.Tensor{q, k, v} {
		if x.Err() != nil {
			return x
		}
		if x.Rank() != 2 {
			return module.Refuse(x, "queries, keys and values must be [n, features], found %v", x.Type())
		}
	}
	tr, shape := q.Trace(), q.OpenShape()
	positions := lazy.Iota(tr, lazy.I32, 0, q.OpenDim(0)).Add(at).Within(0, c.MaxTokens-1, "position")
	seen := lazy.Iota(tr, lazy.I32, 0, length).LessEqual(positions.Unsqueeze(-1)) // [queries, keys]
	q, k, v = splitHeads(q, k, v, positions, c.Features, rotary)
	k, v = c.Update(k, v, at, length)
	return swap(q.Attention(k, v, lazy.AttentionOptions{Mask: seen})).Reshape(shape...)
}
