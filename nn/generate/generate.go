package generate

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"time"

	"ltc/internal/diag"
	"ltc/internal/hostmem"
	"ltc/ir/types"
	"ltc/lazy"
	"ltc/nn/module"
	"ltc/tokenizer"
)

// Step records the logits [1, vocabulary] of the token after token[1], which is of I32, at the position that the I32 scalar
// at is. It writes the token's keys and values into its caches, and reads the first length positions of them. length is an
// open size, more than the position.
type Step func(token, at *lazy.Tensor, length int) *lazy.Tensor

// Options say how a [Generator] chooses tokens, and when it stops.
type Options struct {
	Context   int     // the most tokens of a text, prompts and answers: the length of the caches
	MaxTokens int     // the most tokens of an answer; 0: as many as Context has room for
	Stop      []int32 // tokens that end an answer, and are no part of it

	Temperature float64 // 0: the likeliest token (greedy); above 0: a token drawn from softmax(logits/Temperature)
	TopK        int     // drawn are only as many of the likeliest tokens; 0: any
	TopP        float64 // drawn are only the fewest likeliest tokens whose probabilities add up to it; 0: any
	Seed        uint64  // of the draws
}

// ErrContext is the error of a text that has more tokens than [Options].Context.
var ErrContext = errors.New("the text has more tokens than Options.Context")

// Generator is a model with the text so far. Prompts and answers belong to one text until [Generator.Reset]. It is for one
// goroutine at a time.
type Generator struct {
	o          Options
	dev        *lazy.Device
	next       *lazy.Function // of a token, its position and the part of the caches to read: the next token
	vocabulary int

	position int     // tokens in the caches
	pending  []int32 // the last token of an answer, while it is not in the caches
	spent    []time.Duration
}

// readStep is by how many positions the part of the caches grows that steps read: each new length is recorded once more.
const readStep = 128

// New compiles the step of a model and the choice of a token. The model's variables, built and loaded, are on dev.
//
// New also returns memory of the process to the system: it collects garbage and unloads the pages of the executable. Other
// goroutines wait for the collection, and read the pages of their code again. A program of 256 steps or more does so again before its first token.
func New(dev *lazy.Device, step Step, o Options) (*Generator, error) {
	if dev == nil || step == nil {
		return nil, errors.New("generate: the device or the step is nil: give the device of the model's variables, and a Step such as net.Forward")
	}
	if err := o.check(); err != nil {
		return nil, fmt.Errorf("generate: %w", err)
	}
	o.Stop = slices.Clone(o.Stop)
	g := &Generator{o: o, dev: dev}
	random := lazy.NewRandom(dev, o.Seed)
	g.next = lazy.Func(dev, func(_ *lazy.Trace, x []*lazy.Tensor) []*lazy.Tensor {
		logits := step(x[0], x[1].Reshape(), x[2].OpenDim(0))
		switch {
		case logits == nil:
			logits = module.Misuse(x[0], "the generate.Step returned nil: it must return logits [1, vocabulary]")
		case logits.Err() == nil && (logits.Rank() != 2 || logits.Dim(0) != 1 || !logits.DType().IsFloat()):
			logits = module.Refuse(logits, "the generate.Step returned %v: it must return floating-point logits [1, vocabulary]", logits.Type())
		case logits.Err() == nil && o.TopK > logits.Dim(1):
			logits = module.Misuse(logits, "generate.Options.TopK is %d: the model has %s", o.TopK, diag.Count(logits.Dim(1), "token"))
		}
		if logits.Err() == nil {
			g.vocabulary = logits.Dim(1)
			logits = o.sample(logits, random)
		}
		return []*lazy.Tensor{logits}
	})
	// An input without content has the open size.
	err := g.next.Inputs(lazy.Input{Name: "token", Type: types.Of(lazy.I32, 1)}, lazy.Input{Name: "at", Type: types.Of(lazy.I32, 1)},
		lazy.Input{Name: "read", Type: types.Of(lazy.U8, lazy.Dim("length", 1, o.Context))})
	if err == nil {
		err = g.next.Warmup(context.Background())
	}
	if err != nil {
		return nil, fmt.Errorf("generate: %w", err)
	}
	hostmem.Trim()
	return g, nil
}

// Tokens continues the text with a prompt, and yields the tokens of the answer as they are drawn. The text goes on behind the
// last token that was yielded. ctx is looked at before each token. After an error, which comes last, and with a token 0, the text is what was fed up to it.
func (g *Generator) Tokens(ctx context.Context, prompt []int32) iter.Seq2[int32, error] {
	return func(yield func(int32, error) bool) {
		next, err := g.feed(ctx, prompt)
		for n := 1; err == nil && !slices.Contains(g.o.Stop, next); n++ {
			g.pending = []int32{next}
			if !yield(next, nil) || n == g.o.MaxTokens {
				return
			}
			if g.o.MaxTokens == 0 && g.position == g.o.Context {
				return
			}
			next, err = g.feed(ctx, nil)
		}
		if err != nil {
			yield(0, fmt.Errorf("generate: %w", err))
		}
	}
}

// Write continues the text with a prompt, writes the answer to out as it is drawn, whole characters at a time and without
// special tokens, and returns its tokens. With an error it returns those before.
func (g *Generator) Write(ctx context.Context, out io.Writer, t *tokenizer.Tokenizer, prompt string) (tokens []int32, err error) {
	if t == nil {
		return nil, errors.New("generate: the tokenizer is nil: give that of the model, such as tokenizer.FromGGUF returns")
	}
	stream := t.Stream(true)
	for token, err := range g.Tokens(ctx, t.IDs(prompt)) {
		if err != nil {
			return tokens, err
		}
		tokens = append(tokens, token)
		if _, err := io.WriteString(out, stream.Next(token)); err != nil {
			return tokens, err
		}
	}
	_, err = io.WriteString(out, stream.Flush())
	return tokens, err
}

// Reset starts a new text. Draws go on where they are.
func (g *Generator) Reset() { g.position, g.pending = 0, nil }

// Report is that of the program that runs for each token.
func (g *Generator) Report() lazy.Report { return g.next.Report() }

// feed adds what is pending and a prompt to the caches, and returns the next token.
func (g *Generator) feed(ctx context.Context, prompt []int32) (next int32, err error) {
	all := slices.Concat(g.pending, prompt)
	if len(all) == 0 {
		return 0, errors.New("the prompt has no tokens: begin a text with at least one, such as the model's first special token")
	}
	if n := g.position + len(all); n > g.o.Context {
		return 0, fmt.Errorf("%w: %d, and the limit is %d: make a Generator of a larger one, or call Reset", ErrContext, n, g.o.Context)
	}
	for _, id := range all {
		if id < 0 || int(id) >= g.vocabulary {
			return 0, fmt.Errorf("token %d of the prompt: the model has the tokens 0 to %d: use the model's own tokenizer", id, g.vocabulary-1)
		}
	}
	for _, id := range all {
		if next, err = g.step(ctx, id); err != nil {
			return 0, err
		}
		g.pending = nil
	}
	return next, nil
}

// step adds a token to the caches and returns the next one. A run of the program is not cancelled: it would have to keep the
// old caches beside the new ones, in copies.
func (g *Generator) step(ctx context.Context, id int32) (int32, error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	ctx = context.WithoutCancel(ctx)
	begin := time.Now()
	read := min((g.position/readStep+1)*readStep, g.o.Context)
	y, err := g.next.Call(ctx, lazy.From(g.dev, []int32{id}), lazy.From(g.dev, []int32{int32(g.position)}), lazy.From(g.dev, make([]uint8, read)))
	if err != nil {
		return 0, err
	}
	defer y.Release()
	next, err := lazy.ToSlice[int32](y)
	if err != nil {
		return 0, err
	}
	g.position++
	g.spent = append(g.spent, time.Since(begin))
	return next[0], nil
}
