package generate_test

import (
	"context"
	"fmt"
	"os"

	"ltc/lazy"
	"ltc/nn/generate"
	"ltc/nn/layers"
	"ltc/nn/module"
	"ltc/tokenizer"
)

// Decoder is a language model of one layer.
type Decoder struct {
	Embedding layers.Embedding
	Attention layers.GroupedQueryAttention
	Head      layers.Linear
}

// Forward records the logits of the token after one at a position.
func (d *Decoder) Forward(token, at *lazy.Tensor, length int) *lazy.Tensor {
	x := d.Embedding.Forward(token)
	return d.Head.Forward(x.Add(d.Attention.Next(x, at, length)))
}

// A model whose weights are random continues a text of four characters.
func Example() {
	check := func(err error) {
		if err != nil {
			panic(err)
		}
	}
	dev, err := lazy.Open("cpu", lazy.Seed(2))
	check(err)
	defer dev.Close()
	net := &Decoder{
		Embedding: layers.Embedding{Rows: 4, Features: 8},
		Attention: layers.GroupedQueryAttention{Features: 8, Heads: 2, MaxTokens: 64},
		Head:      layers.Linear{In: 8, Out: 4},
	}
	check(module.Build(net, dev))
	characters, err := tokenizer.FromGGUF(map[string]any{
		"tokenizer.ggml.model": "gpt2", "tokenizer.ggml.tokens": []string{"a", "b", "c", "d"}, "tokenizer.ggml.merges": []string{},
	})
	check(err)

	g, err := generate.New(dev, net.Forward, generate.Options{Context: 64, MaxTokens: 12, Temperature: 1, TopK: 3})
	check(err)
	tokens, err := g.Write(context.Background(), os.Stdout, characters, "abc")
	check(err)
	fmt.Printf("\n%d tokens, %d compiled\n", len(tokens), g.Stats().Compiles)
	// Output:
	// bdbdbaabddbc
	// 12 tokens, 1 compiled
}
