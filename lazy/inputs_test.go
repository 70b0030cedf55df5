package lazy_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/ir/types"
	"ltc/lazy"
)

// batches are inputs of two open sizes.
func batches() lazy.Input {
	return lazy.Input{Name: "x", Type: types.Of(lazy.F32, lazy.Dim("batch", 1, 64), lazy.Dim("seq", 1, 32))}
}

// Sizes that Go code computes in several operations have one program, and so have those that only functions
// of sizes can say.
func TestInputsOfComputedSizes(t *testing.T) {
	for name, size := range map[string]func(b, s int) int{
		"operators of Go":    func(b, s int) int { return b*s - b/2 },
		"parts":              func(b, s int) int { return b * 3 / 4 },
		"rounded up":         func(b, s int) int { return (b+1)/2 + (s+2)/3 },
		"at least":           func(b, s int) int { return max(b, 16) },
		"functions of sizes": func(b, s int) int { return lazy.SizeDiv(lazy.SizeMul(b, s), lazy.SizeAdd(b, s)) },
		"of several": func(b, s int) int {
			return lazy.SizeMax(lazy.SizeMin(lazy.SizeMul(5, b), lazy.SizeMul(7, s)), lazy.SizeSub(40, b))
		},
	} {
		t.Run(name, func(t *testing.T) {
			dev := open(t, "cpu", lazy.Compiled())
			f := lazy.Func(dev, func(tr *lazy.Trace, x *lazy.Tensor) *lazy.Tensor {
				return lazy.Ones(tr, lazy.F32, size(x.Dim(0), x.Dim(1))).Add(x.Sum())
			})
			require.NoError(t, f.Inputs(batches()))
			for _, n := range [][2]int{{64, 32}, {7, 8}, {8, 7}, {33, 31}, {6, 3}, {12, 12}} {
				y, err := f.Call(t.Context(), lazy.From(dev, make([]float32, n[0]*n[1]), n[0], n[1]))
				require.NoError(t, err)
				require.Equal(t, []int{size(n[0], n[1])}, []int(y.Shape()), "%v", n)
			}
			require.EqualValues(t, 1, f.Report().Compiled)
		})
	}
}

// A size that no expression of few samples is has an error that says where, and what to write.
func TestInputsWithoutAnExpression(t *testing.T) {
	dev := open(t, "cpu")
	f := lazy.Func(dev, func(tr *lazy.Trace, x *lazy.Tensor) *lazy.Tensor {
		b, s := x.Dim(0), x.Dim(1)
		return lazy.Zeros(tr, lazy.F32, b*s/(b+s))
	})
	require.NoError(t, f.Inputs(batches()))
	_, err := f.Call(t.Context(), lazy.From(dev, sequence(6), 2, 3))
	require.Error(t, err)
	require.Regexp(t, `inputs_test\.go:\d+: broadcast: the sizes \d+, \d+ and \d+ follow from no sizes of the arguments: batch is .*; seq is .*; there, compute a size from x\.Dim\(i\) by SizeAdd, `, err.Error())
}
