package main

import (
	"context"
	"fmt"
	"maps"
	"os"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"ltc/checkpoint"
	"ltc/ir/types"
	"ltc/lazy"
	"ltc/nn/module"
	"ltc/nn/quantized"
	"ltc/tokenizer"
)

// options say how a model generates text.
type options struct {
	places, most, threads int
	temperature           float64
	seed                  uint64
	backend               string
}

// generator is a model with the text so far.
type generator struct {
	options
	dev    *lazy.Device
	file   *checkpoint.File
	tokens *tokenizer.Tokenizer
	next   *lazy.Function // of a token at a place: the next one
	end    int32

	past  []int32         // the tokens in the caches
	spent []time.Duration // on each token but the first
	bytes int             // of all weights, as they are kept
	size  int64           // of the file
}

// open loads the model of a file.
func open(path string, o options) (*generator, error) {
	file, err := checkpoint.Open(path)
	if err != nil {
		return nil, fmt.Errorf("%w: give the file of a model as -model, or fetch one with make inputs INPUTS=smollm2", err)
	}
	c, err := configOf(file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	c.ContextLength = o.places
	tokens, err := tokenizer.FromGGUF(file.Metadata)
	if err != nil {
		return nil, err
	}
	var with []lazy.Option
	if o.threads > 0 {
		with = append(with, lazy.Threads(o.threads))
	}
	debug.SetGCPercent(20) // what there is besides the weights is small and stays
	dev, err := lazy.Open(o.backend, with...)
	if err != nil {
		return nil, err
	}
	net := NewLlama(c)
	if err := module.Build(net, dev, module.Empty()); err != nil {
		return nil, err
	}
	if err := module.Eval(net); err != nil {
		return nil, err
	}
	// The caches are no part of the file.
	if err := quantized.LoadInto(net, &file.State, checkpoint.Options{AllowMissing: true, Share: true}); err != nil {
		return nil, err
	}
	g := &generator{options: o, dev: dev, file: file, tokens: tokens}
	if info, err := os.Stat(path); err == nil {
		g.size = info.Size()
	}
	for _, t := range file.All() {
		g.bytes += t.Blocks.Raw().Type.Bytes()
	}
	if end, ok := file.Metadata["tokenizer.ggml.eos_token_id"].(uint32); ok {
		g.end = int32(end)
	}
	random := lazy.NewRandom(dev, o.seed)
	g.next = lazy.Func(dev, func(_ *lazy.Trace, x []*lazy.Tensor) []*lazy.Tensor {
		return []*lazy.Tensor{sample(net.Forward(x[0], x[1].Reshape(), x[2].OpenDim(0)), o.temperature, random)}
	})
	// The tokens of a prompt come one by one, too, so that one program serves all. How much of the caches it reads is
	// an open size: that of an input without content. A size that is new is recorded once more, so it grows by steps.
	if err := g.next.Inputs(lazy.Input{Name: "token", Type: types.Of(lazy.I32, 1)}, lazy.Input{Name: "at", Type: types.Of(lazy.I32, 1)},
		lazy.Input{Name: "read", Type: types.Of(lazy.U8, lazy.Dim("places", 1, c.ContextLength))}); err != nil {
		return nil, err
	}
	if err := g.next.Warmup(context.Background()); err != nil {
		return nil, err
	}
	maps.DeleteFunc(file.Metadata, func(key string, _ any) bool { return strings.HasPrefix(key, "tokenizer.") })
	debug.FreeOSMemory() // of the compile, before the first run reads the weights
	return g, nil
}

func (g *generator) close() {
	g.dev.Close()
	g.file.Close()
}

// configOf returns the sizes that the metadata of a file tell.
func configOf(f *checkpoint.File) (c Config, err error) {
	if a, _ := f.Metadata["general.architecture"].(string); a != "llama" {
		return c, fmt.Errorf("it is a model of the architecture %q: only llama is implemented", a)
	}
	c = Config{RopeFreqBase: 10_000, RMSEpsilon: 1e-5}
	if err := f.Metadata.Struct(&c); err != nil {
		return c, err
	}
	if min(c.HeadCount, c.HeadCountKV) < 1 || c.EmbeddingLength%c.HeadCount != 0 || c.HeadCount%c.HeadCountKV != 0 {
		return c, fmt.Errorf("embedding_length %d is no multiple of head_count %d, or that none of head_count_kv %d", c.EmbeddingLength, c.HeadCount, c.HeadCountKV)
	}
	tokens, err := f.Tensor("token_embd.weight")
	if err != nil {
		return c, err
	}
	weights, err := f.Tensor("blk.0.ffn_down.weight")
	if err != nil {
		return c, err
	}
	c.VocabSize, c.EmbeddingFormat, c.WeightFormat = tokens.Type.Shape[0], tokens.Blocks.DType, weights.Blocks.DType
	return c, nil
}

// say goes on with the text so far and the given one, hands pieces of what the model says to out as they come, and
// returns its tokens.
func (g *generator) say(text string, out func(piece string)) (all []int32, err error) {
	var next int32
	for _, id := range g.tokens.IDs(text) {
		if next, err = g.step(id); err != nil {
			return nil, err
		}
	}
	stream := g.tokens.Stream(true)
	for next != g.end {
		all = append(all, next)
		out(stream.Next(next))
		if len(all) == g.most {
			break
		}
		if next, err = g.step(next); err != nil {
			return all, err
		}
	}
	out(stream.Flush())
	return all, nil
}

// readStep is by how many places the part of the caches grows that steps read.
const readStep = 128

// step adds a token to the text so far and returns the one after it.
func (g *generator) step(id int32) (int32, error) {
	begin := time.Now()
	g.past = append(g.past, id)
	if len(g.past) > g.places {
		return 0, fmt.Errorf("the conversation has more tokens than -context, %d: start with a larger one", g.places)
	}
	read := min((len(g.past)+readStep-1)/readStep*readStep, g.places)
	y, err := g.next.Call(context.Background(), lazy.From(g.dev, []int32{id}), lazy.From(g.dev, []int32{int32(len(g.past) - 1)}), lazy.From(g.dev, make([]uint8, read)))
	if err != nil {
		return 0, err
	}
	next, err := lazy.ToSlice[int32](y)
	if err != nil {
		return 0, err
	}
	y.Release()
	if len(g.past) > 1 {
		g.spent = append(g.spent, time.Since(begin))
	} else {
		debug.FreeOSMemory() // of the compile
	}
	return next[0], nil
}

// sample records the token after logits[n, tokens]: the likeliest, or above temperature 0 one that is drawn with the probabilities
// softmax(logits/temperature), the likeliest after noise of the Gumbel distribution.
func sample(logits *lazy.Tensor, temperature float64, random *lazy.Random) *lazy.Tensor {
	if temperature > 0 {
		noise := random.Uniform(logits.Trace(), lazy.F32, logits.OpenShape()...).Log().Neg().Log()
		logits = logits.DivScalar(temperature).Sub(noise)
	}
	return logits.ArgMax(-1).Convert(lazy.I32)
}

// figures tells how fast tokens were generated, by the median of their times, how often the program was compiled, and the
// most memory that the process has had.
func (g *generator) figures() string {
	if len(g.spent) == 0 {
		return ""
	}
	median := slices.Sorted(slices.Values(g.spent))[len(g.spent)/2].Seconds()
	memory := ""
	if most := peak(); most > 0 && g.size > 0 {
		memory = fmt.Sprintf(", peak memory %.0f MB: %.2f of the file", float64(most)/1e6, float64(most)/float64(g.size))
	}
	return fmt.Sprintf("[%.1f tokens a second, weights read at %.1f GB/s, %d compiled%s]", 1/median, float64(g.bytes)/median/1e9, len(g.next.Report().Compiles), memory)
}

// peak returns the largest resident memory of the process so far in bytes, the mapped file included; 0 if the system does
// not tell, as only Linux does.
func peak() int64 {
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(text)) {
		var kib int64
		if n, _ := fmt.Sscanf(line, "VmHWM: %d kB", &kib); n == 1 {
			return kib << 10
		}
	}
	return 0
}
