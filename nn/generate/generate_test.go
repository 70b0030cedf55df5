package generate_test

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	_ "ltc/backends/reference/llvm"
	"ltc/lazy"
	"ltc/nn/generate"
	"ltc/tokenizer"
)

// vocabulary is the number of tokens of the models here.
const vocabulary = 5

// open returns a device that ends with the test.
func open(t *testing.T) *lazy.Device {
	dev, err := lazy.Open("cpu")
	require.NoError(t, err)
	t.Cleanup(func() { dev.Close() })
	return dev
}

// counter is a model whose likeliest token is that after the last one, in a circle, and the second likeliest the one after that. Others are less likely
// by 50. At position forget it starts from 0 again.
func counter(dev *lazy.Device, forget int) generate.Step {
	table := make([]float32, vocabulary*vocabulary)
	for i := range vocabulary {
		for j := range vocabulary {
			table[i*vocabulary+(i+j)%vocabulary] = []float32{-50, 2, 1, -50, -50}[j]
		}
	}
	logits := lazy.SetValues(dev.Variable("logits", lazy.F32, vocabulary, vocabulary), table)
	return func(token, at *lazy.Tensor, length int) *lazy.Tensor {
		seen := lazy.Iota(token.Trace(), lazy.I32, 0, length).LessEqual(at).Convert(lazy.I32).Sum() // at + 1
		token = seen.EqualScalar(float64(forget+1)).Where(token.MulScalar(0), token)
		return token.Trace().Read(logits).Gather(token)
	}
}

func tokens(t *testing.T, g *generate.Generator, prompt ...int32) (all []int32) {
	for token, err := range g.Tokens(context.Background(), prompt) {
		require.NoError(t, err)
		all = append(all, token)
	}
	return all
}

func TestTokens(t *testing.T) {
	for name, c := range map[string]struct {
		o      generate.Options
		prompt []int32
		want   []int32
	}{
		"greedy":          {generate.Options{MaxTokens: 6}, []int32{3, 0}, []int32{1, 2, 3, 4, 0, 1}},
		"stop":            {generate.Options{MaxTokens: 6, Stop: []int32{3, 2}}, []int32{0}, []int32{1}},
		"stop at once":    {generate.Options{MaxTokens: 6, Stop: []int32{1}}, []int32{0}, nil},
		"one token":       {generate.Options{MaxTokens: 1}, []int32{0}, []int32{1}},
		"all of context":  {generate.Options{}, []int32{4, 4, 4, 4, 4, 0}, []int32{1, 1, 2}},
		"position":        {generate.Options{MaxTokens: 1}, []int32{4, 4, 4, 4, 4, 4, 4}, []int32{1}},
		"behind position": {generate.Options{MaxTokens: 1}, []int32{4, 4, 4, 4, 4, 4, 4, 3}, []int32{4}},
		"top k of 1":      {generate.Options{MaxTokens: 6, Temperature: 100, TopK: 1}, []int32{0}, []int32{1, 2, 3, 4, 0, 1}},
		"top p small":     {generate.Options{MaxTokens: 6, Temperature: 1, TopP: 0.7}, []int32{0}, []int32{1, 2, 3, 4, 0, 1}},
		"top k and p":     {generate.Options{MaxTokens: 6, Temperature: 1, TopK: 2, TopP: 0.7}, []int32{0}, []int32{1, 2, 3, 4, 0, 1}},
		"cold":            {generate.Options{MaxTokens: 6, Temperature: 0.01}, []int32{0}, []int32{1, 2, 3, 4, 0, 1}},
	} {
		t.Run(name, func(t *testing.T) {
			dev := open(t)
			c.o.Context = 8
			g, err := generate.New(dev, counter(dev, 6), c.o)
			require.NoError(t, err)
			require.Equal(t, c.want, tokens(t, g, c.prompt...))
			g.Reset()
			require.Equal(t, c.want, tokens(t, g, c.prompt...), "a new text")
			s := g.Stats()
			require.Equal(t, 1, s.Compiles)
			require.Positive(t, s.TokenTime)
			require.Contains(t, s.String(), "1 compiled")
		})
	}
}

// Draws follow the logits, TopK and TopP leave the likeliest tokens.
func TestDraws(t *testing.T) {
	for name, c := range map[string]struct {
		o      generate.Options
		second float64 // the share of the second likeliest token
	}{
		"all":               {generate.Options{Temperature: 1}, 0.269}, // 1/(1+e)
		"hot":               {generate.Options{Temperature: 2}, 0.378}, // 1/(1+√e)
		"top k":             {generate.Options{Temperature: 1, TopK: 2}, 0.269},
		"top k of any":      {generate.Options{Temperature: 1000, TopK: 2}, 0.5},
		"top p":             {generate.Options{Temperature: 1, TopP: 0.8}, 0.269},
		"top p of 1 token":  {generate.Options{Temperature: 1, TopP: 0.73}, 0},
		"top p of 2 tokens": {generate.Options{Temperature: 1, TopP: 0.74}, 0.269},
		"top p behind k":    {generate.Options{Temperature: 1, TopK: 1, TopP: 1}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			dev := open(t)
			c.o.Context = 1000
			g, err := generate.New(dev, counter(dev, -2), c.o)
			require.NoError(t, err)
			last, drawn := int32(0), map[int32]int{}
			for _, token := range tokens(t, g, 0) {
				drawn[(token-last+vocabulary)%vocabulary]++
				last = token
			}
			require.Equal(t, 1000, drawn[1]+drawn[2])
			require.InDelta(t, c.second, float64(drawn[2])/1000, 0.05)
			require.Equal(t, 1, g.Stats().Compiles)
		})
	}
}

// A seed gives the same tokens, another one others.
func TestSeed(t *testing.T) {
	dev := open(t)
	draw := func(seed uint64) []int32 {
		g, err := generate.New(dev, counter(dev, -2), generate.Options{Context: 64, Temperature: 1, Seed: seed})
		require.NoError(t, err)
		return tokens(t, g, 0)
	}
	require.Equal(t, draw(1), draw(1))
	require.NotEqual(t, draw(1), draw(2))
}

// A further prompt goes behind the last token that was yielded, also where the caller or MaxTokens ended the answer.
func TestSecondPrompt(t *testing.T) {
	dev := open(t)
	g, err := generate.New(dev, counter(dev, -2), generate.Options{Context: 16, MaxTokens: 3})
	require.NoError(t, err)
	require.Equal(t, []int32{1, 2, 3}, tokens(t, g, 0))
	for token, err := range g.Tokens(context.Background(), nil) { // the text is 0 1 2 3
		require.NoError(t, err)
		require.Equal(t, int32(4), token)
		break
	}
	require.Equal(t, []int32{4, 0, 1}, tokens(t, g, 3)) // 0 1 2 3 4 3
	require.Equal(t, 8, g.Stats().Tokens)
}

func TestWrite(t *testing.T) {
	dev := open(t)
	words, err := tokenizer.FromGGUF(map[string]any{
		"tokenizer.ggml.model": "gpt2", "tokenizer.ggml.merges": []string{},
		"tokenizer.ggml.tokens":     []string{"a", "Ã", "¤", "<end>", "b"}, // Ã and ¤ are the bytes of ä
		"tokenizer.ggml.token_type": []int32{1, 1, 1, 3, 1},
	})
	require.NoError(t, err)
	g, err := generate.New(dev, counter(dev, -2), generate.Options{Context: 16, MaxTokens: 5})
	require.NoError(t, err)
	var out pieces
	all, err := g.Write(context.Background(), &out, words, "a")
	require.NoError(t, err)
	require.Equal(t, []int32{1, 2, 3, 4, 0}, all)
	require.Equal(t, "äba", strings.Join(out, ""))
	require.NotContains(t, out, "\xc3") // whole characters

	g.Reset()
	all, err = g.Write(context.Background(), full{}, words, "a")
	require.ErrorIs(t, err, errFull)
	require.Equal(t, []int32{1}, all)
	_, err = g.Write(context.Background(), &out, nil, "a")
	require.ErrorContains(t, err, "the tokenizer is nil")
}

// pieces has what was written, by calls.
type pieces []string

func (p *pieces) Write(b []byte) (int, error) {
	*p = append(*p, string(b))
	return len(b), nil
}

// full is a writer that has no room.
type full struct{}

var errFull = errors.New("no room")

func (full) Write([]byte) (int, error) { return 0, errFull }

func TestMistakes(t *testing.T) {
	dev := open(t)
	step := counter(dev, 6)
	for name, c := range map[string]struct {
		step generate.Step
		o    generate.Options
		want string
	}{
		"no step":     {nil, generate.Options{Context: 8}, "the device or the step is nil"},
		"no context":  {step, generate.Options{}, "Options.Context is 0"},
		"max tokens":  {step, generate.Options{Context: 8, MaxTokens: -1}, "Options.MaxTokens is -1"},
		"temperature": {step, generate.Options{Context: 8, Temperature: math.NaN()}, "Options.Temperature is NaN"},
		"top k":       {step, generate.Options{Context: 8, Temperature: 1, TopK: -1}, "Options.TopK is -1"},
		"top k large": {step, generate.Options{Context: 8, Temperature: 1, TopK: 6}, "Options.TopK is 6: the model has 5 tokens"},
		"top p":       {step, generate.Options{Context: 8, Temperature: 1, TopP: 1.5}, "Options.TopP is 1.5"},
		"greedy":      {step, generate.Options{Context: 8, TopK: 2}, "Temperature is 0: nothing is drawn"},
		"all":         {step, generate.Options{Context: 8, MaxTokens: -1, TopP: -1, Temperature: 1}, "Options.MaxTokens is -1: it must be positive, or 0 for no limit but Context\nOptions.TopP is -1"},
		"nil logits":  {func(_, _ *lazy.Tensor, _ int) *lazy.Tensor { return nil }, generate.Options{Context: 8}, "the generate.Step returned nil"},
		"rank":        {func(token, _ *lazy.Tensor, _ int) *lazy.Tensor { return token.Convert(lazy.F32) }, generate.Options{Context: 8}, "the generate.Step returned f32[1]"},
		"integers":    {func(token, _ *lazy.Tensor, _ int) *lazy.Tensor { return token.Unsqueeze(0) }, generate.Options{Context: 8}, "the generate.Step returned i32[1,1]"},
		"model":       {func(token, _ *lazy.Tensor, _ int) *lazy.Tensor { return token.Convert(lazy.F32).Reshape(1, 7) }, generate.Options{Context: 8}, "reshape"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := generate.New(dev, c.step, c.o)
			require.ErrorContains(t, err, c.want)
		})
	}
	_, err := generate.New(nil, step, generate.Options{Context: 8})
	require.ErrorContains(t, err, "the device or the step is nil")
}

func TestMistakesOfPrompts(t *testing.T) {
	dev := open(t)
	g, err := generate.New(dev, counter(dev, 6), generate.Options{Context: 4, MaxTokens: 8})
	require.NoError(t, err)
	last := func(ctx context.Context, prompt ...int32) (n int, err error) {
		for _, err = range g.Tokens(ctx, prompt) {
			n++
		}
		return n, err
	}
	_, err = last(context.Background())
	require.ErrorContains(t, err, "the prompt has no tokens")
	for _, id := range []int32{-1, vocabulary} {
		_, err = last(context.Background(), 0, id)
		require.ErrorContains(t, err, "the model has the tokens 0 to 4")
	}
	_, err = last(context.Background(), 0, 1, 2, 3, 4)
	require.ErrorIs(t, err, generate.ErrContext)
	require.Zero(t, g.Stats().Tokens) // refused prompts are no part of the text
	n, err := last(context.Background(), 0, 1)
	require.ErrorIs(t, err, generate.ErrContext) // in the answer: it would be 8 tokens
	require.Equal(t, 4, n)                       // 2, 3, 4 and the error
	g.Reset()
	stopped, stop := context.WithCancel(context.Background())
	stop()
	_, err = last(stopped, 0)
	require.ErrorIs(t, err, context.Canceled)
}
