package lazy

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/internal/test/optest"
	"ltc/internal/trials"
	"ltc/ir/types"
)

// dagOps are ops on integers.
var dagOps = []string{
	"add(x, y)", "sub(x, y)", "mul(x, y)", "maximum(x, y)", "minimum(x, y)", "abs(x)", "neg(x)", "sign(x)", "relu(x)",
	"and(x, y)", "or(x, y)", "xor(x, y)", "not(x)", "shift_left(x, y)", "shift_right(x, y)",
	"sum(x, axes = [-1])", "max(x, axes = [0])", "min(x, axes = [-2])", "transpose(x)", "reshape(x, dims = [-1])",
	"matmul(x, y)", "concatenate(x, y, axis = 0)",
}

// TestRandomPrograms records programs of a few dozen random ops that share
// operands, runs them as one program, and compares every result with what naive
// loops give: exactly, whatever the ops and their order.
func TestRandomPrograms(t *testing.T) {
	trials.Sequential(t)
	for seed := range uint64(60) {
		for _, d := range []types.DType{I32, I64} {
			t.Run(fmt.Sprintf("%v/%d", d, seed), func(t *testing.T) { randomProgram(t, d, seed) })
		}
	}
}

func randomProgram(t *testing.T, d types.DType, seed uint64) {
	rng := rand.New(rand.NewPCG(seed, 5))
	rec := newRecording(t)
	var xs []*Tensor
	var want []*optest.Tensor
	for _, shape := range []types.Shape{{2, 3}, {3, 2}, {2, 1}, {3}, {}} {
		v := &optest.Tensor{Type: types.Type{DType: d, Shape: shape}}
		for range shape.Elements() {
			v.Elems = append(v.Elems, optest.Int(int64(rng.IntN(19)-9)))
		}
		want = append(want, v)
		xs = append(xs, rec.arg(v.View()))
	}
	inputs := len(xs)
	for tries := 0; len(xs) < 40 && tries < 1000; tries++ {
		c, err := optest.ParseCall(dagOps[rng.IntN(len(dagOps))])
		require.NoError(t, err)
		var args []*Tensor
		var values []*optest.Tensor
		for range c.Operands {
			k := rng.IntN(len(xs))
			args, values = append(args, xs[k]), append(values, want[k])
		}
		y, err := apply(rec.tr, c, d, args)
		require.NoError(t, err)
		if y.Err() != nil || y.Type().Elements() > 64 {
			continue // the operands do not fit the op
		}
		v, known, err := optest.Naive(c, d, values)
		require.NoError(t, err)
		require.True(t, known, "%v", c)
		xs, want = append(xs, y), append(want, v)
	}
	require.Greater(t, len(xs), inputs+20)
	rec.results = xs[inputs:]
	rec.texts(t, "random")
	// The roots in any order, and only some of them.
	order := rng.Perm(len(rec.results))
	var roots []*Tensor
	for _, k := range order[:len(order)-3] {
		roots = append(roots, rec.results[k])
	}
	require.NoError(t, rec.tr.MarkStep(roots...))
	for i, y := range roots {
		v, err := y.Value()
		require.NoError(t, err)
		got, err := optest.FromView(v)
		require.NoError(t, err)
		require.Empty(t, optest.Differs(got, want[inputs+order[i]], 0))
	}
}
