// Package generate has a language model write text: it feeds the tokens of a prompt, draws the next
// token, and stops at a stop token or after as many tokens as wanted. Its central type is [Generator].
//
//	g, err := generate.New(dev, net.Forward, generate.Options{Context: 1024, Stop: []int32{2}})
//	tokens, err := g.Write(ctx, os.Stdout, tok, "The capital of France is")
//	fmt.Println(g.Stats())
//
// A model is a [Step]: it records the logits behind one token, whose keys and values it adds to its caches,
// such as layers.KeyValueCache. One program serves all prompts and positions.
//
// The package imports only ltc/internal/diag, ltc/internal/hostmem, ltc/ir/types, ltc/lazy, ltc/nn/module and ltc/tokenizer.
package generate
