package lazy_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/ir/types"
	"ltc/lazy"
)

// A Dim has a name, a size and one pair of bounds: there is no program for others.
func TestExportChecksDims(t *testing.T) {
	dev, err := lazy.Open("eval")
	require.NoError(t, err)
	f := lazy.Func(dev, func(_ *lazy.Trace, x, y *lazy.Tensor) *lazy.Tensor { return x.Tanh().Mul(y.Sum()) })
	for want, of := range map[string][2]int{
		"a Dim has no name": {lazy.Dim("", 1, 4), 3},
		`Dim("a") is from -1 to 3: a size is not negative`:                  {3, lazy.Dim("a", -1, 3)},
		`Dim("a") has no size: it is from 9 to 3`:                           {3, lazy.Dim("a", 9, 3)},
		`Dim("a") is from -9 to -3: a size is not negative`:                 {lazy.Dim("a", -9, -3), 3},
		`Dim("a") is from 1 to 4, and from 2 to 7: it is one size`:          {lazy.Dim("a", 1, 4), lazy.Dim("a", 2, 7)},
		`Dim("n") is from 0 to 2147483647, and from 2 to 7: it is one size`: {lazy.AnySize, lazy.Dim("n", 2, 7)},
	} {
		_, err := f.Export([]lazy.Input{{Name: "x", Type: types.Of(types.F32, of[0])}, {Name: "y", Type: types.Of(types.F32, of[1])}}, "r")
		require.ErrorIs(t, err, lazy.ErrUsage)
		require.ErrorContains(t, err, want)
		require.Regexp(t, `^export_dims_test\.go:\d+: export\(\): `, err.Error())
	}
	_, err = f.Export([]lazy.Input{{Name: "x", Type: types.Of(types.F32, lazy.Dim("a", 1, 4))}, {Name: "y", Type: types.Of(types.F32, lazy.Dim("a", 1, 4))}}, "r")
	require.NoError(t, err)
}

// The error of a size that is divided by 0 names SizeDiv.
func TestSizeDividedByZero(t *testing.T) {
	tr := lazy.NewTrace(open(t, "eval"))
	err := lazy.Zeros(tr, lazy.F32, lazy.SizeDiv(4, 0)).Err()
	require.ErrorContains(t, err, "or SizeDiv divides by 0")
}
