package lazy_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/internal/trials"
	"ltc/lazy"
)

// flowOp is an op of a random program with control flow: it appends a tensor f64[3] to those
// that there are, made of those at a and b.
type flowOp struct {
	kind, a, b, n int
	reverse       bool
	body, other   []flowOp
}

// The kinds beyond elementwise ones.
const (
	flowWrite = 5 + iota
	flowFor
	flowIf
	flowScan
	flowKinds
)

// randomFlow returns ops on env tensors.
func randomFlow(rng *rand.Rand, env, depth int) []flowOp {
	var all []flowOp
	for range 1 + rng.IntN(4) {
		op := flowOp{kind: rng.IntN(flowFor), a: rng.IntN(env), b: rng.IntN(env), n: rng.IntN(4), reverse: rng.IntN(2) == 0}
		if depth > 0 && rng.IntN(2) == 0 {
			op.kind = flowFor + rng.IntN(flowKinds-flowFor)
			added := map[int]int{flowFor: 2, flowIf: 0, flowScan: 2}[op.kind]
			op.body, op.other = randomFlow(rng, env+added, depth-1), randomFlow(rng, env+added, depth-1)
		}
		all = append(all, op)
		env++
	}
	return all
}

// runFlow records ops, with control flow or written out, and returns the last tensor.
func runFlow(tr *lazy.Trace, ops []flowOp, env tensors, plain bool) *lazy.Tensor {
	with := func(more ...*lazy.Tensor) tensors { return append(env[:len(env):len(env)], more...) }
	for _, op := range ops {
		a, b := env[op.a], env[op.b]
		var y *lazy.Tensor
		switch op.kind {
		case 0:
			y = a.Mul(b).Sin()
		case 1:
			y = a.Add(b).Tanh()
		case 2:
			y = a.Softmax(0).Sub(b)
		case 3:
			y = a.Reverse(0).Sigmoid()
		case 4:
			y = a.Unsqueeze(0).MatMul(b.Unsqueeze(1).Mul(a.Unsqueeze(0))).Squeeze(0).Sin()
		case flowWrite:
			y = a.Clone()
			y.Narrow(0, 1, 2).Mul_(b.Narrow(0, 0, 2))
		case flowFor:
			iteration := func(i, s *lazy.Tensor) *lazy.Tensor {
				return runFlow(tr, op.body, with(i.Convert(lazy.F64).Add(s), s), plain)
			}
			if plain {
				y = a
				for i := range op.n {
					y = iteration(lazy.Const(tr, lazy.I32, float64(i)), y)
				}
				break
			}
			y = lazy.For(op.n, func(_ *lazy.Trace, i *lazy.Tensor, s []*lazy.Tensor) []*lazy.Tensor {
				return tensors{iteration(i, s[0])}
			}, a)[0]
		case flowIf:
			pred := a.Sum().GreaterScalar(0.1)
			if plain {
				y = pred.Where(runFlow(tr, op.body, env, true), runFlow(tr, op.other, env, true))
				break
			}
			y = lazy.If(pred, func(*lazy.Trace) []*lazy.Tensor { return tensors{runFlow(tr, op.body, env, false)} },
				func(*lazy.Trace) []*lazy.Tensor { return tensors{runFlow(tr, op.other, env, false)} })[0]
		case flowScan:
			xs := lazy.Concatenate(0, a, b, a.Sin(), b.Cos()).Reshape(4, 3).Narrow(0, 0, op.n)
			f := func(c, x *lazy.Tensor) (next, row *lazy.Tensor) {
				next = runFlow(tr, op.body, with(c, x), plain)
				return next, next.Mul(x)
			}
			carry, rows := b, lazy.Zeros(tr, lazy.F64, 3)
			if plain {
				for i := range op.n {
					at := i
					if op.reverse {
						at = op.n - 1 - i
					}
					var row *lazy.Tensor
					carry, row = f(carry, xs.Select(0, at))
					rows = rows.Add(row.MulScalar(float64(at + 1)))
				}
				y = carry.Add(rows.Tanh())
				break
			}
			last, ys := lazy.Scan(func(_ *lazy.Trace, c, xs []*lazy.Tensor) (next, ys []*lazy.Tensor) {
				n, row := f(c[0], xs[0])
				return tensors{n}, tensors{row}
			}, tensors{b}, tensors{xs}, lazy.ScanOptions{Reverse: op.reverse, Checkpoint: op.n%2 == 1})
			weights := lazy.Iota(tr, lazy.F64, 0, op.n, 1).AddScalar(1)
			y = last[0].Add(ys[0].Mul(weights).Sum(0).Tanh())
		}
		env = with(y)
	}
	return env[len(env)-1]
}

// Random programs with control flow give what they give written out, and so do their gradients.
func TestRandomControlFlow(t *testing.T) {
	dev := open(t, "eval")
	for seed := range trials.Soak(60, 3000) {
		ops := randomFlow(rand.New(rand.NewPCG(uint64(seed), 1)), 3, 2)
		tr := lazy.NewTrace(dev)
		w := dev.Variable("w", lazy.F64, 3).Init(lazy.Constant(0.4))
		x, y := lazy.From(tr, []float64{0.3, -0.2, 0.7}), lazy.From(tr, []float64{-0.5, 0.9, 0.1})
		var all tensors
		for _, plain := range []bool{false, true} {
			z := runFlow(tr, ops, tensors{x, y, tr.Read(w)}, plain)
			all = append(append(all, z), lazy.Grad(z.Mul(z).Sum(), x, y, w)...)
		}
		require.NoError(t, tr.MarkStep(all...), "seed %d", seed)
		for i := range 4 {
			got, err := lazy.ToSlice[float64](all[i])
			require.NoError(t, err)
			want, err := lazy.ToSlice[float64](all[4+i])
			require.NoError(t, err)
			for k := range want {
				require.InDelta(t, want[k], got[k], 1e-9*(1+max(want[k], -want[k])), "seed %d, result %d", seed, i)
			}
		}
	}
}

// Random programs with control flow give for all examples at once, with Vmap, what they give for one
// after the other, with Map, and so do gradients in the function and of it. Predicates differ from one
// example to the next.
func TestRandomVmap(t *testing.T) {
	trials.Sequential(t)
	dev := open(t, "eval")
	for seed := range trials.Soak(60, 3000) {
		rng := rand.New(rand.NewPCG(uint64(seed), 2))
		ops := randomFlow(rng, 3, 2)
		tr := lazy.NewTrace(dev)
		w := dev.Variable("w", lazy.F64, 3).Init(lazy.Constant(0.4))
		n := 1 + rng.IntN(4)
		data := make([]float64, 6*n)
		for i := range data {
			data[i] = 2*rng.Float64() - 1
		}
		xs := lazy.From(tr, data, n, 2, 3)
		f := func(tr *lazy.Trace, xs []*lazy.Tensor) []*lazy.Tensor {
			z := runFlow(tr, ops, tensors{xs[0].Select(0, 0), xs[0].Select(0, 1), tr.Read(w)}, false)
			return append(tensors{z}, lazy.Grad(z.Mul(z).Sum(), xs[0], w)...)
		}
		var all tensors
		for _, ys := range [][]*lazy.Tensor{lazy.Vmap(f, tensors{xs}, lazy.VmapOptions{}), lazy.Map(f, xs)} {
			loss := ys[0].Sin().Sum().Add(ys[1].Sum())
			all = append(append(all, ys...), lazy.Grad(loss, xs, w)...)
		}
		require.NoError(t, tr.MarkStep(all...), "seed %d", seed)
		half := len(all) / 2
		for i := range half {
			got, err := lazy.ToSlice[float64](all[i])
			require.NoError(t, err)
			want, err := lazy.ToSlice[float64](all[half+i])
			require.NoError(t, err)
			require.Len(t, got, len(want))
			for k := range want {
				require.InDelta(t, want[k], got[k], 1e-9*(1+max(want[k], -want[k])), "seed %d, result %d", seed, i)
			}
		}
	}
}
