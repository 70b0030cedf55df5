package lazy_test

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"ltc/ir/types"
	"ltc/lazy"
)

// generator is a decoder of one layer with a cache: the keys and values of all places so far.
type generator struct {
	tr                   *lazy.Trace
	places, size         int
	embedding, wk, wv    *lazy.Tensor
	keys, values, tokens *lazy.Tensor // of all places; variables
	start, given, n      *lazy.Tensor // scalars
}

func newGenerator(dev *lazy.Device, vocabulary, places, size int) *generator {
	g := &generator{tr: lazy.NewTrace(dev), places: places, size: size}
	weights := func(name string, seed float32, dims ...int) *lazy.Tensor {
		w, data := dev.Variable(name, lazy.F32, dims...), make([]float32, dims[0]*dims[1])
		for i := range data {
			data[i] = float32((i*7919+int(seed))%1009)/504.5 - 1
		}
		lazy.SetValues(w, data)
		return w
	}
	g.embedding = weights("embedding", 1, vocabulary, size)
	g.wk, g.wv = weights("wk", 2, size, size), weights("wv", 3, size, size)
	g.keys, g.values = dev.Variable("keys", lazy.F32, places, size), dev.Variable("values", lazy.F32, places, size)
	g.tokens = dev.Variable("tokens", lazy.I32, places+1)
	g.start, g.given, g.n = lazy.NewScalar(dev, "start", lazy.I32, 0), lazy.NewScalar(dev, "given", lazy.I32, 0), lazy.NewScalar(dev, "n", lazy.I32, 0)
	return g
}

// place computes the place at: it writes a row of keys and values, and the next token unless
// that is given.
func (g *generator) place(tr *lazy.Trace, at, keys, values, tokens *lazy.Tensor) (_, _, _ *lazy.Tensor) {
	zero := lazy.Const(tr, lazy.I32, 0)
	x := tr.Read(g.embedding).Gather(tokens.DynamicSlice([]int{1}, at)) // [1, size]
	keys = keys.DynamicUpdateSlice(x.MatMul(g.wk), at, zero)
	values = values.DynamicUpdateSlice(x.MatMul(g.wv), at, zero)

	past := lazy.Iota(tr, lazy.I32, 0, g.places).LessEqual(at)
	scores := past.Where(x.MatMul(keys.Transpose()), lazy.Full(tr, lazy.F32, -1e9, 1, g.places))
	y := scores.Softmax(-1).MatMul(values).Add(x)
	best := y.MatMul(tr.Read(g.embedding).Transpose()).ArgMax(1).Convert(lazy.I32)
	at = at.AddScalar(1)
	next := at.Less(g.given).Where(tokens.DynamicSlice([]int{1}, at), best)
	return keys, values, tokens.DynamicUpdateSlice(next, at)
}

func (g *generator) set(start, given, n int) error {
	return errors.Join(g.start.Set(float64(start)), g.given.Set(float64(given)), g.n.Set(float64(n)))
}

// assign ends a step that has the cache and the tokens anew.
func (g *generator) assign(ctx context.Context, keys, values, tokens *lazy.Tensor) error {
	g.keys.Assign(keys)
	g.values.Assign(values)
	g.tokens.Assign(tokens)
	return g.tr.MarkStepContext(ctx)
}

// step runs the place start. The tokens up to given are there; those behind are generated.
func (g *generator) step(start, given int) error {
	if err := g.set(start, given, 1); err != nil {
		return err
	}
	at := g.tr.Read(g.start)
	keys, values, tokens := g.place(g.tr, at, g.tr.Read(g.keys), g.tr.Read(g.values), g.tr.Read(g.tokens))
	return g.assign(background, keys, values, tokens)
}

// loop runs n places from start on in one step.
func (g *generator) loop(ctx context.Context, start, given, n int) error {
	if err := g.set(start, given, n); err != nil {
		return err
	}
	s := lazy.For(g.n, func(tr *lazy.Trace, i *lazy.Tensor, s []*lazy.Tensor) []*lazy.Tensor {
		keys, values, tokens := g.place(tr, i.Add(g.start), s[0], s[1], s[2])
		return tensors{keys, values, tokens}
	}, g.tr.Read(g.keys), g.tr.Read(g.values), g.tr.Read(g.tokens))
	return g.assign(ctx, s[0], s[1], s[2])
}

// prefill returns a function of a prompt of any length, whose first token is at place start. It
// computes all places of the prompt at once, and the token that follows.
func (g *generator) prefill(t *testing.T) *lazy.Function {
	f := lazy.Func(g.tr.Device(), func(tr *lazy.Trace, prompt *lazy.Tensor) *lazy.Tensor {
		n, at, zero := prompt.Dim(0), tr.Read(g.start), lazy.Const(tr, lazy.I32, 0)
		x := tr.Read(g.embedding).Gather(prompt) // [length, size]
		g.keys.Assign(tr.Read(g.keys).DynamicUpdateSlice(x.MatMul(g.wk), at, zero))
		g.values.Assign(tr.Read(g.values).DynamicUpdateSlice(x.MatMul(g.wv), at, zero))

		past := lazy.Iota(tr, lazy.I32, 1, n, g.places).LessEqual(lazy.Iota(tr, lazy.I32, 0, n, g.places).Add(at))
		scores := past.Where(x.MatMul(tr.Read(g.keys).Transpose()), lazy.Full(tr, lazy.F32, -1e9, n, g.places))
		y := scores.Softmax(-1).MatMul(tr.Read(g.values)).Add(x)
		end := prompt.Size(0).Convert(lazy.I32)
		last := y.DynamicSlice([]int{1, g.size}, end.SubScalar(1), zero)
		best := last.MatMul(tr.Read(g.embedding).Transpose()).ArgMax(1).Convert(lazy.I32)
		g.tokens.Assign(tr.Read(g.tokens).DynamicUpdateSlice(prompt, at).DynamicUpdateSlice(best, at.Add(end)))
		return best
	})
	require.NoError(t, f.Inputs(lazy.Input{Name: "prompt", Type: types.Of(lazy.I32, lazy.Dim("length", 1, g.places))}))
	return f
}

// plain returns the token that follows others, computed from all of them.
func (g *generator) plain(tr *lazy.Trace, tokens []int32) (int32, error) {
	x := tr.Read(g.embedding).Gather(lazy.From(tr, tokens))
	last := x.Narrow(0, len(tokens)-1, 1)
	y := last.MatMul(x.MatMul(g.wk).Transpose()).Softmax(-1).MatMul(x.MatMul(g.wv)).Add(last)
	best := y.MatMul(tr.Read(g.embedding).Transpose()).ArgMax(1).Convert(lazy.I32)
	if err := tr.MarkStep(best); err != nil {
		return 0, err
	}
	all, err := lazy.ToSlice[int32](best)
	return all[0], err
}

// Text is generated by one program, for a prompt of any length and any number of tokens. A step
// of one token writes a row of the cache, and copies nothing of it.
func TestGenerationCompilesOnceAndCopiesNoCache(t *testing.T) {
	g := newGenerator(open(t, "cpu"), 50, 64, 32)
	g.requireText(t, func(given, end int) {
		for at := range end - 1 {
			require.NoError(t, g.step(at, given))
		}
	})
	r := g.tr.Report()
	require.Len(t, r.Compiles, 1, "%v", g.tr.Explain())
	require.Zero(t, r.DonationCopies)
	require.Zero(t, r.CopiedBytes)
}

// A step of many tokens is one program, too. Its loop updates the variables in their own memory.
func TestGenerationByLoopsCopiesNoCache(t *testing.T) {
	g := newGenerator(open(t, "cpu"), 50, 64, 32)
	g.requireText(t, func(given, end int) {
		require.NoError(t, g.loop(background, 0, given, given))
		require.NoError(t, g.loop(background, given, given, end-1-given))
	})
	r := g.tr.Report()
	require.Len(t, r.Compiles, 1, "%v", g.tr.Explain())
	require.Zero(t, r.DonationCopies)
	require.Zero(t, r.CopiedBytes)
}

// A prompt of any length is computed at once by one program, also one that goes on with a text. The
// tokens that follow come from steps of one token, or from a loop. Nothing of the cache is copied.
func TestGenerationBehindPrefills(t *testing.T) {
	g := newGenerator(open(t, "cpu", lazy.CheckIndices(false)), 50, 64, 32) // which keeps sizes numbers
	prefill := g.prefill(t)
	places := func(prompt []int32) {
		_, err := prefill.Call(background, lazy.From(g.tr.Device(), prompt))
		require.NoError(t, err)
	}
	for _, decode := range []func(from, end int){
		func(from, end int) {
			for at := from; at < end-1; at++ {
				require.NoError(t, g.step(at, 0))
			}
		},
		func(from, end int) { require.NoError(t, g.loop(background, from, 0, end-1-from)) },
	} {
		g.requireText(t, func(given, end int) {
			prompt, err := lazy.ToSlice[int32](g.tokens)
			require.NoError(t, err)
			require.NoError(t, g.set(0, 0, 0))
			if places(prompt[:(given+1)/2]); given > 1 {
				require.NoError(t, g.set((given+1)/2, 0, 0))
				places(prompt[(given+1)/2 : given])
			}
			decode(given, end)
		})
	}
	require.Len(t, g.tr.Report().Compiles, 2, "a step of one token, and a loop: %v", g.tr.Explain())
	require.Len(t, prefill.Report().Compiles, 1, "%v", prefill.Explain())
	require.Zero(t, prefill.Report().DonationCopies+g.tr.Report().DonationCopies)
	require.Zero(t, prefill.Report().CopiedBytes+g.tr.Report().CopiedBytes)
}

// A context that can end may end while the loop runs, and then the variables are as they were: the
// loop writes copies, which replace them once it is done.
func TestGenerationThatCanBeCancelled(t *testing.T) {
	g := newGenerator(open(t, "cpu"), 50, 64, 32)
	ctx, cancel := context.WithCancelCause(background)
	g.requireText(t, func(given, end int) { require.NoError(t, g.loop(ctx, 0, given, end-1)) })
	before, r := floats(t, g.keys), g.tr.Report()
	require.Len(t, r.Compiles, 1, "%v", g.tr.Explain())
	once := int64(2*4*g.places*g.size + 4*(g.places+1))
	require.Equal(t, once*int64(r.Runs), r.CopiedBytes)

	mine := errors.New("enough")
	time.AfterFunc(20*time.Millisecond, func() { cancel(mine) })
	err := g.loop(ctx, 0, 1, math.MaxInt32)
	require.ErrorIs(t, cmp.Or(err, g.tr.Wait(background)), mine)
	require.Equal(t, before, floats(t, g.keys))
	require.Equal(t, r.CopiedBytes, g.tr.Report().CopiedBytes)
}

// A token that does not exist is an error of the step that would read it in a loop, and nothing is written
// then: the loop still updates the cache in its own memory. Tokens that no iteration reads may be anything.
func TestGenerationFromTokensThatDoNotExist(t *testing.T) {
	for _, name := range watchers {
		g := newGenerator(open(t, name), 50, 64, 32)
		loop := func(start, given, n int, tokens ...int32) error {
			lazy.SetValues(g.tokens, append(tokens, make([]int32, g.places+1-len(tokens))...))
			if err := g.loop(background, start, given, n); err != nil {
				return err
			}
			return g.tr.Wait(background)
		}
		require.NoError(t, loop(0, 3, 6, 7, 3, 1))
		keys := floats(t, g.keys)
		for bad, tokens := range map[string][]int32{"50": {50}, "-1": {7, 3, -1}, "99": {7, 99, 3}} {
			err := loop(0, 3, 6, tokens...)
			require.ErrorIs(t, err, lazy.ErrIndex)
			require.ErrorContains(t, err, "gather(f32[50,32], i32[1]): an index is "+bad)
			require.ErrorContains(t, err, "generation_test.go:")
			require.Equal(t, keys, floats(t, g.keys))
		}
		require.NoError(t, loop(1, 3, 6, -1, 7, 3, 1), "what comes before the start is not read")
		require.NoError(t, loop(0, 3, 6, 7, 3, 1, -1, 99), "what is behind the given ones is not read")
		require.NoError(t, loop(0, 3, 0, -1), "there is no iteration")
		if name == "cpu" {
			require.Zero(t, g.tr.Report().DonationCopies+g.tr.Report().CopiedBytes)
		}
	}
}

// requireText requires that generate gives the tokens that follow some prompts, up to end.
func (g *generator) requireText(t *testing.T, generate func(given, end int)) {
	for _, prompt := range [][]int32{{7}, {3, 1, 4, 1, 5, 9, 2, 6}, {11, 12, 13}} {
		lazy.SetValues(g.tokens, append(slices.Clone(prompt), make([]int32, g.places+1-len(prompt))...))
		end := len(prompt) + 12
		generate(len(prompt), end)
		got, err := lazy.ToSlice[int32](g.tokens)
		require.NoError(t, err)

		want, plain := slices.Clone(prompt), lazy.NewTrace(g.tr.Device())
		for len(want) < end {
			next, err := g.plain(plain, want)
			require.NoError(t, err)
			want = append(want, next)
		}
		require.Equal(t, want, got[:end])
	}
}

// positions has the ways in which a loop of a step comes to the positions that follow start. put writes
// row at of a table into what the loop carries.
var positions = map[string]func(n, start *lazy.Tensor, v *lazy.Tensor, put func(v, at *lazy.Tensor) *lazy.Tensor) *lazy.Tensor{
	"constant number of iterations": func(_, start, v *lazy.Tensor, put func(v, at *lazy.Tensor) *lazy.Tensor) *lazy.Tensor {
		return lazy.For(5, func(_ *lazy.Trace, i *lazy.Tensor, s []*lazy.Tensor) []*lazy.Tensor {
			return tensors{put(s[0], i.Add(start))}
		}, v)[0]
	},
	"number of iterations": func(n, start, v *lazy.Tensor, put func(v, at *lazy.Tensor) *lazy.Tensor) *lazy.Tensor {
		return lazy.For(n, func(_ *lazy.Trace, i *lazy.Tensor, s []*lazy.Tensor) []*lazy.Tensor {
			return tensors{put(s[0], i.Add(start))}
		}, v)[0]
	},
	"carried for a constant number of iterations": func(_, start, v *lazy.Tensor, put func(v, at *lazy.Tensor) *lazy.Tensor) *lazy.Tensor {
		return lazy.For(5, func(_ *lazy.Trace, _ *lazy.Tensor, s []*lazy.Tensor) []*lazy.Tensor {
			return tensors{put(s[0], s[1]), s[1].AddScalar(1)}
		}, v, start)[0]
	},
	"carried": func(n, start, v *lazy.Tensor, put func(v, at *lazy.Tensor) *lazy.Tensor) *lazy.Tensor {
		return lazy.For(n, func(_ *lazy.Trace, _ *lazy.Tensor, s []*lazy.Tensor) []*lazy.Tensor {
			return tensors{put(s[0], s[1]), s[1].AddScalar(1)}
		}, v, start)[0]
	},
	"while": func(n, start, v *lazy.Tensor, put func(v, at *lazy.Tensor) *lazy.Tensor) *lazy.Tensor {
		return lazy.While(func(_ *lazy.Trace, s []*lazy.Tensor) *lazy.Tensor { return s[1].Less(n.Add(start)) },
			func(_ *lazy.Trace, s []*lazy.Tensor) []*lazy.Tensor {
				return tensors{put(s[0], s[1]), s[1].AddScalar(1)}
			}, v, start)[0]
	},
	"scan": func(_, start, v *lazy.Tensor, put func(v, at *lazy.Tensor) *lazy.Tensor) *lazy.Tensor {
		last, _ := lazy.Scan(func(_ *lazy.Trace, s, rows []*lazy.Tensor) (next, ys []*lazy.Tensor) {
			return tensors{put(s[0], rows[0].Add(start))}, nil
		}, tensors{v}, tensors{lazy.Iota(v.Trace(), lazy.I32, 0, 5)}, lazy.ScanOptions{})
		return last[0]
	},
}

// A loop whose position grows from an argument updates a variable in its own memory. Whether all positions
// exist is known before the run. If one does not, the error names it and the iteration, and nothing is written.
func TestPositionsThatGrowFromAnArgument(t *testing.T) {
	const places = 12
	for name, f := range positions {
		for _, backend := range watchers {
			t.Run(name+"/"+backend, func(t *testing.T) {
				d := open(t, backend)
				tr := lazy.NewTrace(d)
				start, n := lazy.NewScalar(d, "start", lazy.I32, 0), lazy.NewScalar(d, "n", lazy.I32, 5)
				v := lazy.SetValues(d.Variable("v", lazy.F32, places, 2), make([]float32, 2*places))
				step := func(at float64) error {
					require.NoError(t, start.Set(at))
					table := lazy.Iota(tr, lazy.F32, 0, 2*places).AddScalar(1).Reshape(places, 2)
					v.Assign(f(tr.Read(n), tr.Read(start), tr.Read(v), func(v, at *lazy.Tensor) *lazy.Tensor {
						return v.DynamicUpdateSlice(table.Gather(at.Reshape(1)), at, lazy.Const(v.Trace(), lazy.I32, 0))
					}))
					if err := tr.MarkStep(); err != nil {
						return err
					}
					return tr.Wait(t.Context())
				}
				want := make([]float32, 2*places)
				for _, at := range []int{0, 3, 5, 7, 1} { // 7 is the last one
					require.NoError(t, step(float64(at)))
					for i := 2 * at; i < 2*(at+5); i++ {
						want[i] = float32(i + 1)
					}
					require.Equal(t, want, floats(t, v))
				}
				programs := d.ProgramCacheStats().Programs
				require.NotContains(t, tr.Program(lazy.FormatStableHLO), "ltc.check_index")
				for at, says := range map[float64]string{9: "an index is 12 in iteration 3", 8: "an index is 12 in iteration 4", -1: "an index is -1 in iteration 0", 100: "an index is 100 in iteration 0"} {
					err := step(at)
					require.ErrorIs(t, err, lazy.ErrIndex)
					require.ErrorContains(t, err, ": gather(f32[12,2], i32[1]): "+says+" of the loop at ")
					require.ErrorContains(t, err, "generation_test.go:")
					require.Equal(t, want, floats(t, v))
				}
				require.NoError(t, step(7))
				require.Equal(t, programs+1, d.ProgramCacheStats().Programs, "the rehearsal, once")
				require.Len(t, tr.Report().Compiles, 1, "%v", tr.Explain())
				if backend == "cpu" {
					require.Zero(t, tr.Report().DonationCopies+tr.Report().CopiedBytes)
				}
			})
		}
	}
}
