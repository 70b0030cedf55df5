package lazy_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"math"
	"os"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/internal/trials"
	"ltc/ir/types"
	"ltc/lazy"
	"ltc/soa"
)

// randomGoldens are hashes of the bytes of a million numbers of seed 42 each:
// results of models depend on them, so they never change.
var randomGoldens = []struct {
	name string
	draw func(r *lazy.Random, tr *lazy.Trace, n int) *lazy.Tensor
	hash string
	slow bool // sorts or takes many logarithms
}{
	{"bits", func(r *lazy.Random, tr *lazy.Trace, n int) *lazy.Tensor { return r.Bits(tr, n) }, "429cc3f9dbcf4bf692638b5de7fd149f84b5e7ff29831d98abd37dd1c9c34592", false},
	{"uniform f16", uniform(lazy.F16), "204c3e8b354a9432657211ac416b251524731cd704d3063057adbd120d8468b1", false},
	{"uniform bf16", uniform(lazy.BF16), "d74c68dd6b4adc44943ce860a036ad84b4e4371d323a032b76305faa6be48032", false},
	{"uniform f32", uniform(lazy.F32), "3e7828cf6967e7d71a35e3deb4c028d2fac5a03a6163e94223a43cca2084bd9d", false},
	{"uniform f64", uniform(lazy.F64), "2a56bea0ddc1d44ed4e021e7f93ee3d86cca7f62770ba8521170ee0255555821", false},
	{"normal f16", normal(lazy.F16, 0, 1), "1fcb9bfd625de38edf2399bc72e199423f96fbca46b11c00cc94369ab0f9a8de", false},
	{"normal bf16", normal(lazy.BF16, 0, 1), "9e05d58c69347a9361e622a5a7927f97ecf05c63ab500e9ccf8de843a65b77fc", false},
	{"normal f32", normal(lazy.F32, 0, 1), "ec861de5a3d430958763842d2bce05a6ffe397dc339a08e1cf57871abde558da", false},
	{"normal f64", normal(lazy.F64, 0, 1), "acfb3a42c7c0a78537e0bf433abee9465919a1e88b74af89895076692811561d", false},
	{"normal f32 (3, 0.1)", normal(lazy.F32, 3, 0.1), "44db92aa777fe70d66818f465d5267db3a086529f55d31ed2514d9e5d2c0cc80", false},
	{"normal bf16 (3, 0.1)", normal(lazy.BF16, 3, 0.1), "446e5d52cc1eb8720260e7513e629488d6b4d3e9613928a9a3497ac6b289f870", false},
	{"bernoulli", func(r *lazy.Random, tr *lazy.Trace, n int) *lazy.Tensor { return r.Bernoulli(tr, 0.3, n) }, "b1f31ef21726f9b100e3c1bf33b0e8d25fe62ebb82c6756725f850cbf3841bc2", false},
	{"randint i32", randint(lazy.I32, -10, 1000), "edf59fc8ca113cc5b2fce8743bfc341b9f93042530775c80a4c93a6c8f39aaaf", false},
	{"randint u8", randint(lazy.U8, 0, 256), "7372cfe86816b395861986ce8315e42e1b67675fd5376e62ddcad7fee20d4c0b", false},
	{"randint i64", randint(lazy.I64, math.MinInt64, math.MaxInt64), "5c444cde94b39298bfb41ea7643e3e10b51d983a4a5ea04661152bc324822de6", false},
	{"dropout f32", dropout(lazy.F32), "5b3260c42d1f44808563d56063a0091e259d9f20aabc8839db5f01b2e036a763", false},
	{"dropout bf16", dropout(lazy.BF16), "24aea626aabe140b811a5795a0b35663325ecbc8d9c65a3eb7374dee53ba3b31", false},
	{"dropout f64", dropout(lazy.F64), "e3212357ef7afd2e320fe86dec28b7bea784b832689436ae644cf8a23b128779", false},
	{"permutation", func(r *lazy.Random, tr *lazy.Trace, n int) *lazy.Tensor { return r.Permutation(tr, n) }, "0a7996a7e66e057aae0bd187e4b50b4102a4ac8dbbcd5b1869fdcdc41219847d", true},
	{"categorical f32", categorical(lazy.F32), "d74069fbfa39a4a85e6651d45393aca13cf35c635b23bee86488b053f9fbbf57", true},
	{"categorical f64", categorical(lazy.F64), "d74069fbfa39a4a85e6651d45393aca13cf35c635b23bee86488b053f9fbbf57", true},
}

func uniform(d types.DType) func(*lazy.Random, *lazy.Trace, int) *lazy.Tensor {
	return func(r *lazy.Random, tr *lazy.Trace, n int) *lazy.Tensor { return r.Uniform(tr, d, n) }
}

func normal(d types.DType, mean, stddev float64) func(*lazy.Random, *lazy.Trace, int) *lazy.Tensor {
	return func(r *lazy.Random, tr *lazy.Trace, n int) *lazy.Tensor { return r.Normal(tr, d, mean, stddev, n) }
}

func randint(d types.DType, low, high int64) func(*lazy.Random, *lazy.Trace, int) *lazy.Tensor {
	return func(r *lazy.Random, tr *lazy.Trace, n int) *lazy.Tensor { return r.RandInt(tr, d, low, high, n) }
}

func dropout(d types.DType) func(*lazy.Random, *lazy.Trace, int) *lazy.Tensor {
	return func(r *lazy.Random, tr *lazy.Trace, n int) *lazy.Tensor {
		return r.Dropout(lazy.Iota(tr, d, 0, n), 0.3)
	}
}

// categorical draws n classes of four, with n noises in all.
func categorical(d types.DType) func(*lazy.Random, *lazy.Trace, int) *lazy.Tensor {
	return func(r *lazy.Random, tr *lazy.Trace, n int) *lazy.Tensor {
		return r.Categorical(lazy.From(tr, []float32{0, 1, -1, 0.5}).Convert(d).BroadcastTo(n/4, 4))
	}
}

// dense returns the bytes of a tensor's elements in row-major order.
func dense(t *testing.T, x *lazy.Tensor) []byte {
	v := value(t, x)
	out := soa.New(v.Type.Bytes())
	require.NoError(t, soa.Copy(out.View(v.Type), v))
	return out.Bytes()[:v.Type.Bytes()]
}

func TestMillionDrawsAreGolden(t *testing.T) {
	trials.Sequential(t)
	if os.Getenv("LTC_CHECK") == "1" {
		t.Skip("LTC_CHECK=1 changes no value: the run without it draws the same numbers")
	}
	const n = 1_000_000
	for _, g := range randomGoldens {
		t.Run(g.name, func(t *testing.T) {
			threads := []int{2}
			switch {
			case trials.Soaking():
				threads = []int{1, 2}
			case g.slow:
				t.Skip("takes seconds: make soak draws them")
			}
			for _, threads := range threads {
				defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(threads))
				dev := open(t, "eval")
				tr := lazy.NewTrace(dev)
				x := g.draw(lazy.NewRandom(dev, 42), tr, n)
				require.NoError(t, tr.MarkStep(x))
				sum := sha256.Sum256(dense(t, x))
				require.Equal(t, g.hash, hex.EncodeToString(sum[:]), "%d threads", threads)
			}
		})
	}
}

// Every backend gives the same bits.
func TestRandomBitsAreTheSameOnEveryBackend(t *testing.T) {
	trials.Sequential(t)
	for _, g := range randomGoldens {
		var want []byte
		for _, name := range []string{"eval", "cpu"} {
			dev := open(t, name)
			tr := lazy.NewTrace(dev)
			x := g.draw(lazy.NewRandom(dev, 1), tr, 10_000)
			require.NoError(t, tr.MarkStep(x))
			if want == nil {
				want = dense(t, x)
			}
			require.Equal(t, want, dense(t, x), "%s on %s", g.name, name)
		}
	}
}

// The seed is an argument: the same seed gives the same values, two steps give
// others, and both are one compile.
func TestSeedsAreArguments(t *testing.T) {
	for _, g := range randomGoldens {
		t.Run(g.name, func(t *testing.T) {
			dev := open(t, "eval")
			tr := lazy.NewTrace(dev)
			step := func(r *lazy.Random) []byte {
				x := g.draw(r, tr, 1000)
				require.NoError(t, tr.MarkStep(x))
				return dense(t, x)
			}
			r := lazy.NewRandom(dev, 101)
			first, second := step(r), step(r)
			require.NotEqual(t, first, second)
			same := lazy.NewRandom(dev, 101)
			require.Equal(t, first, step(same))
			require.Equal(t, second, step(same))
			require.NotEqual(t, first, step(lazy.NewRandom(dev, 102)))
			require.Len(t, tr.Report().Compiles, 1)
		})
	}
}

// https://github.com/pytorch/xla/issues/2092: the seed had no effect, and a
// stream could not be forked, saved and restored.
func TestRandomStreamsAreSavedForkedAndRestored(t *testing.T) {
	dev := open(t, "eval")
	tr := lazy.NewTrace(dev)
	draw := func(r *lazy.Random) []float32 {
		x := r.Uniform(tr, lazy.F32, 5)
		require.NoError(t, tr.MarkStep(x))
		return floats(t, x)
	}
	require.Equal(t, draw(lazy.NewRandom(dev, 0)), draw(lazy.NewRandom(dev, 0)))
	r := lazy.NewRandom(dev, 0)
	draw(r)
	saved := r.State()
	side, err := r.Fork(2) // a part of the model goes its own way
	require.NoError(t, err)
	a, b := draw(side[0]), draw(side[1])
	require.NotEqual(t, a, b)
	main := draw(r)
	r.SetState(saved)
	side, err = r.Fork(2)
	require.NoError(t, err)
	require.Equal(t, b, draw(side[1]))
	require.Equal(t, a, draw(side[0]))
	require.Equal(t, main, draw(r))
}

// https://github.com/pytorch/xla/issues/2636: each draw of a step added to a
// chain of arithmetic on the seed, so that programs grew and none was cached.
// One draw more costs the ops of one draw.
func TestDrawsDoNotChain(t *testing.T) {
	dev := open(t, "eval")
	ops := func(draws int) int {
		tr := lazy.NewTrace(dev)
		r := lazy.NewRandom(dev, uint64(draws))
		x := lazy.From(tr, []float32{1, 2, 3})
		for range draws {
			x = r.Dropout(x, 0.2)
		}
		require.NoError(t, tr.MarkStep(x))
		return tr.Report().Compiles[0].Ops
	}
	require.Equal(t, ops(2)-ops(1), ops(9)-ops(8))
}

// Random numbers do not make the second step another program than the first
// (https://github.com/pytorch/xla/issues/2783).
func TestRandomStepsCompileOnce(t *testing.T) {
	dev := open(t, "eval")
	tr := lazy.NewTrace(dev)
	r := lazy.NewRandom(dev, 1)
	w := dev.Variable("w", lazy.F32, 4, 4).Init(lazy.Normal(0, 1))
	p := tr.Scalar("p", 0)
	for i := range 10 {
		require.NoError(t, p.Set(float64(i)/10))
		x := r.Normal(tr, lazy.F32, 0, 1, 2, 4)
		loss := r.DropoutOf(x.MatMul(w), p).Sum()
		w.Sub_(lazy.Grad(loss, w)[0].MulScalar(0.1))
		require.NoError(t, tr.MarkStep(loss))
		require.Len(t, tr.Report().Compiles, 1, "step %d", i)
	}
}

// A step that fails has drawn all the same: what is drawn again after it is new,
// and SetState goes back.
func TestFailedStepHasDrawn(t *testing.T) {
	dev := open(t, "flaky")
	r := lazy.NewRandom(dev, 1)
	f := lazy.Func(dev, func(tr *lazy.Trace, x *lazy.Tensor) *lazy.Tensor { return x.Add(r.Uniform(tr, lazy.F32, 4)) })
	x := lazy.From(dev, make([]float32, 4))
	theFlaky.failures.Store(1)
	_, err := f.Call(context.Background(), x)
	require.ErrorIs(t, err, errFlaky)
	require.Equal(t, lazy.RandomState{Key: 1, Counter: 1}, r.State())
	_, err = f.Call(context.Background(), x)
	require.NoError(t, err)
	require.Equal(t, lazy.RandomState{Key: 1, Counter: 2}, r.State())
}
