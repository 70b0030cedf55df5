package lazy_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/internal/trials"
	"ltc/ir/types"
	"ltc/lazy"
)

// values returns the elements of a tensor of f32 and its dimensions.
func valuesOf(t *testing.T, x *lazy.Tensor) ([]float32, []int) {
	t.Helper()
	require.NoError(t, x.Err())
	v, err := lazy.ToSlice[float32](x)
	require.NoError(t, err)
	return v, x.Shape()
}

// What PyTorch returns for the same calls.
func TestArranging(t *testing.T) {
	trials.Sequential(t)
	tr := lazy.NewTrace(open(t, "eval"))
	row := lazy.From(tr, []float32{1, 2, 3, 4})
	square := lazy.From(tr, []float32{1, 2, 3, 4}, 2, 2)
	for name, c := range map[string]struct {
		got    *lazy.Tensor
		values []float32
		dims   []int
	}{
		"stack":        {lazy.Stack(-1, row, row.MulScalar(2)), []float32{1, 2, 2, 4, 3, 6, 4, 8}, []int{4, 2}},
		"hstack":       {lazy.HStack(row, row), []float32{1, 2, 3, 4, 1, 2, 3, 4}, []int{8}},
		"vstack":       {lazy.VStack(row, row), []float32{1, 2, 3, 4, 1, 2, 3, 4}, []int{2, 4}},
		"dstack":       {lazy.DStack(row, row), []float32{1, 1, 2, 2, 3, 3, 4, 4}, []int{1, 4, 2}},
		"column stack": {lazy.ColumnStack(row.Narrow(0, 0, 2), square), []float32{1, 1, 2, 2, 3, 4}, []int{2, 3}},
		"block mixed":  {lazy.BlockDiag(square.Convert(lazy.I32), row.Narrow(0, 0, 1)), []float32{1, 2, 0, 3, 4, 0, 0, 0, 1}, []int{3, 3}},
		"block diag":   {lazy.BlockDiag(square, row.Narrow(0, 0, 1)), []float32{1, 2, 0, 3, 4, 0, 0, 0, 1}, []int{3, 3}},
		"meshgrid":     {lazy.Meshgrid(row.Narrow(0, 0, 2), row.Narrow(0, 1, 3))[1], []float32{2, 3, 4, 2, 3, 4}, []int{2, 3}},
		"broadcast":    {lazy.BroadcastTensors(row.Narrow(0, 0, 2), square)[0], []float32{1, 2, 1, 2}, []int{2, 2}},
		"at least":     {row.AtLeast3D(), []float32{1, 2, 3, 4}, []int{1, 4, 1}},
		"split":        {row.Split(0, 3)[1], []float32{4}, []int{1}},
		"sizes":        {row.SplitSizes(-1, 1, 0, 3)[2], []float32{2, 3, 4}, []int{3}},
		"chunk":        {row.Chunk(0, 3)[1], []float32{3, 4}, []int{2}},
		"tensor split": {row.TensorSplit(0, 3)[0], []float32{1, 2}, []int{2}},
		"unbind":       {square.Unbind(1)[1], []float32{2, 4}, []int{2}},
	} {
		values, dims := valuesOf(t, c.got)
		require.Equal(t, c.values, values, name)
		require.Equal(t, c.dims, dims, name)
	}
	require.Len(t, row.Chunk(0, 3), 2)
	require.Len(t, row.TensorSplit(0, 3), 3)
}

// Parts are views: what is written to one its base sees.
func TestPartsAreViews(t *testing.T) {
	tr := lazy.NewTrace(open(t, "eval"))
	x := lazy.From(tr, []float32{1, 2, 3, 4}, 2, 2).MulScalar(1)
	x.Unbind(0)[1].Fill_(9)
	x.Split(1, 1)[0].Add_(lazy.Ones(tr, lazy.F32, 2, 1))
	values, _ := valuesOf(t, x)
	require.Equal(t, []float32{2, 2, 10, 9}, values)
}

// Roll of an open axis is right for sizes that divide the shift, and for others.
func TestRollOfOpenSizes(t *testing.T) {
	for _, by := range []int{0, 1, 4, -2, -4, 9, -30, math.MaxInt32} {
		dev := open(t, "cpu")
		f := lazy.Func(dev, func(_ *lazy.Trace, x *lazy.Tensor) *lazy.Tensor { return x.Roll([]int{by}, []int{0}) })
		require.NoError(t, f.Inputs(lazy.Input{Name: "x", Type: types.Of(lazy.F32, lazy.Dim("n", 1, 9))}))
		for n := 1; n <= 9; n++ {
			y, err := f.Call(t.Context(), lazy.From(dev, sequence(n)))
			require.NoError(t, err)
			want := make([]float32, n)
			for i, v := range sequence(n) {
				want[((i+by)%n+n)%n] = v
			}
			require.Equal(t, want, floats(t, y), "%d elements by %d", n, by)
		}
	}
	x := lazy.From(lazy.NewTrace(open(t, "eval")), sequence(5))
	least := x.Roll([]int{math.MinInt}, nil)
	require.Equal(t, floats(t, x.Roll([]int{math.MinInt % 5}, nil)), floats(t, least))
}

func TestMistakesOfArranging(t *testing.T) {
	tr := lazy.NewTrace(open(t, "eval"))
	x := lazy.Ones(tr, lazy.F32, 2, 3)
	for want, y := range map[string]*lazy.Tensor{
		"there are 0 shifts for 0 axes":                                                  x.Roll(nil, nil),
		"axis 2 is out of range: a tensor of shape [2,3] has axes 0 and 1":               x.Split(2, 1)[0],
		"size is 0, must be positive":                                                    x.Split(1, 0)[0],
		"size -1 is negative":                                                            x.SplitSizes(1, -1, 4)[0],
		"the sizes add up to 2, axis 1 has 3 elements":                                   x.SplitSizes(1, 1, 1)[0],
		"the number of chunks is 0, must be positive":                                    x.Chunk(1, 0)[0],
		"the number of parts is 0, must be positive":                                     x.TensorSplit(1, 0)[0],
		"axis -3 is out of range: a tensor of shape [2,3] has axes 0 and 1":              x.Unbind(-3)[0],
		"axis 3 is out of range: the result has axes 0 to 2":                             lazy.Stack(3, x),
		"tensor 0 is f32[2,3] and tensor 1 is f32[2]; give all one shape":                lazy.Stack(0, x, x.Select(1, 0)),
		"there is no tensor: give it one or more":                                        lazy.HStack(),
		"tensor 1 is f32[1,2,3], must be a matrix, a row or a scalar":                    lazy.BlockDiag(x, x.Unsqueeze(0)),
		"tensor 0 is f32[2,3], must have one axis":                                       lazy.Meshgrid(x)[0],
		"tensor 1 has the shape [2], which does not broadcast with [2,3]":                lazy.BroadcastTensors(x, x.Select(1, 0))[0],
		"they cannot be joined along axis 0: operand 1 has 2 at axis 1, the first has 3": lazy.VStack(x, x.Select(1, 0)),
	} {
		require.ErrorContains(t, y.Err(), want)
		require.ErrorContains(t, y.Err(), "arranging_test.go:")
	}
}

var arrangingKernels = []kernelCase{
	{"triangles", func(x *lazy.Tensor) []*lazy.Tensor { return severalOf(x.Tril(-1), x.Triu(0)) }, true},
	{"repeats", func(x *lazy.Tensor) []*lazy.Tensor { return severalOf(x.Tile(2, 1, 2), x.RepeatInterleave(3, 1)) }, true},
	{"moves", func(x *lazy.Tensor) []*lazy.Tensor {
		return severalOf(x.Roll([]int{5, 1}, []int{1, 0}), x.Roll([]int{3}, nil), x.Rot90(1, 0, 1), x.MoveAxis(0, 2), x.SwapAxes(0, 1), x.Flatten(0, 1))
	}, true},
	{"diagonals", func(x *lazy.Tensor) []*lazy.Tensor { return severalOf(x.DiagEmbed(1, -2, -1), x.Select(0, 1).Diag(-1)) }, true},
	{"windows", func(x *lazy.Tensor) []*lazy.Tensor { return severalOf(x.Unfold(1, 5, 3)) }, true},
	{"joins", func(x *lazy.Tensor) []*lazy.Tensor {
		return severalOf(lazy.Stack(1, x, x.MulScalar(2)), lazy.BlockDiag(x.Select(0, 0), x.Select(0, 1)))
	}, true},
}

func TestArrangingIsKernels(t *testing.T) { requireKernels(t, arrangingKernels) }
