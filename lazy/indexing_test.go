package lazy_test

import (
	"iter"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/internal/trials"
	"ltc/ir/types"
	"ltc/lazy"
)

// What PyTorch returns for the same calls.
func TestIndex(t *testing.T) {
	trials.Sequential(t)
	tr := lazy.NewTrace(open(t, "eval", lazy.CheckIndices(false)))
	x := lazy.Iota(tr, lazy.F32, 0, 24).Reshape(2, 3, 4)
	at := func(i ...int32) *lazy.Tensor { return lazy.From(tr, i) }
	m := lazy.Iota(tr, lazy.F32, 0, 6).Reshape(2, 3)
	v := lazy.From(tr, []float32{10, 20})
	for name, c := range map[string]struct {
		got    *lazy.Tensor
		values []float32
		dims   []int
	}{
		"first":          {x.Index(at(-1)).Select(1, 0), []float32{12, 13, 14, 15}, []int{1, 4}},
		"second":         {x.Index(nil, at(2, 0)).Select(2, 0), []float32{8, 0, 20, 12}, []int{2, 2}},
		"two":            {x.Index(at(0, 1), at(1, -1)), []float32{4, 5, 6, 7, 20, 21, 22, 23}, []int{2, 4}},
		"apart":          {x.Index(at(0, 1), nil, at(3, 0)), []float32{3, 7, 11, 12, 16, 20}, []int{2, 3}},
		"broadcast":      {x.Index(nil, at(0, 2).Reshape(2, 1), at(1, 3)).Select(0, 0), []float32{1, 3, 9, 11}, []int{2, 2}},
		"put":            {m.IndexPut(v, false, at(1, 0), at(0, -1)), []float32{0, 1, 20, 10, 4, 5}, []int{2, 3}},
		"put columns":    {m.IndexPut(v, false, nil, at(2, 0)), []float32{20, 1, 10, 20, 4, 10}, []int{2, 3}},
		"accumulate":     {m.IndexPut(v, true, at(1, 1), at(0, 0)), []float32{0, 1, 2, 33, 4, 5}, []int{2, 3}},
		"take":           {m.Take(at(5, -6, 1)), []float32{5, 0, 1}, []int{3}},
		"put flat":       {m.Put(at(-1, 0), v, true), []float32{20, 1, 2, 3, 4, 15}, []int{2, 3}},
		"take along":     {m.TakeAlong(at(-1, 0).Reshape(1, 2), 1), []float32{2, 0, 5, 3}, []int{2, 2}},
		"along first":    {m.Narrow(1, 0, 1).TakeAlong(at(1, -2, 0, -1, 1, 0).Reshape(2, 3), 0), []float32{3, 0, 0, 3, 3, 0}, []int{2, 3}},
		"along none":     {v.Select(0, 1).TakeAlong(at(-1).Select(0, 0), 0), []float32{20}, []int{}},
		"put one":        {v.Select(0, 0).Put(at(0), v.Narrow(0, 1, 1), true), []float32{30}, []int{}},
		"put as many":    {m.Put(at(-1).Select(0, 0), v.Narrow(0, 1, 1), false), []float32{0, 1, 2, 3, 4, 20}, []int{2, 3}},
		"put in one":     {v.Select(0, 0).Put(at(-1).Select(0, 0), v.Select(0, 1), false), []float32{20}, []int{}},
		"fill one":       {v.Select(0, 0).IndexFill(at(0).Select(0, 0), -1, 7), []float32{7}, []int{}},
		"flatten one":    {v.Select(0, 0).Flatten(0, -1), []float32{10}, []int{1}},
		"unfold one":     {v.Select(0, 0).Unfold(0, 1, 1), []float32{10}, []int{1}},
		"swap one":       {v.Select(0, 0).SwapAxes(0, -1), []float32{10}, []int{}},
		"move one":       {v.Select(0, 0).MoveAxis(-1, 0), []float32{10}, []int{}},
		"fill":           {m.IndexFill(at(0, -1), 1, 7), []float32{7, 1, 7, 7, 4, 7}, []int{2, 3}},
		"select":         {m.SelectScatter(v, 1, -1), []float32{0, 1, 10, 3, 4, 20}, []int{2, 3}},
		"diagonal":       {m.DiagonalScatter(v, 1, 0, 1), []float32{0, 10, 2, 3, 4, 20}, []int{2, 3}},
		"left out":       {m.IndexPut(v, false, at(0, 2), at(0, 0)), []float32{10, 1, 2, 3, 4, 5}, []int{2, 3}},
		"arange":         {lazy.ARange(tr, lazy.F32, 1, 2.4, 0.5), []float32{1, 1.5, 2}, []int{3}},
		"arange down":    {lazy.ARange(tr, lazy.F32, 3, 0, -1), []float32{3, 2, 1}, []int{3}},
		"arange whole":   {lazy.ARange(tr, lazy.I32, -0.9, 2.1, 2).Convert(lazy.F32), []float32{0, 2}, []int{2}},
		"arange same":    {lazy.ARange(tr, lazy.I64, 0, 1.5, 0.5).Convert(lazy.F32), []float32{0, 0, 0}, []int{3}},
		"arange below":   {lazy.ARange(tr, lazy.U8, -1, 2, 2).Convert(lazy.F32), []float32{255, 1}, []int{2}},
		"linspace whole": {lazy.LinSpace(tr, lazy.I32, 4.3, -3.9, 3).Convert(lazy.F32), []float32{4, 0, -3}, []int{3}},
		"logspace whole": {lazy.LogSpace(tr, lazy.I64, 0.2, 4.3, 2, 3).Convert(lazy.F32), []float32{1, 81}, []int{2}},
		"linspace":       {lazy.LinSpace(tr, lazy.F32, -1, 1, 5), []float32{-1, -0.5, 0, 0.5, 1}, []int{5}},
		"linspace one":   {lazy.LinSpace(tr, lazy.F32, 3, 9, 1), []float32{3}, []int{1}},
		"logspace":       {lazy.LogSpace(tr, lazy.F32, 0, 2, 3, 10), []float32{1, 10, 100}, []int{3}},
		"eye":            {lazy.Eye(tr, lazy.F32, 2, 3), []float32{1, 0, 0, 0, 1, 0}, []int{2, 3}},
		"hann":           {lazy.HannWindow(tr, lazy.F32, 4, true), []float32{0, 0.5, 1, 0.5}, []int{4}},
		"hamming":        {lazy.HammingWindow(tr, lazy.F32, 3, false), []float32{0.08, 1, 0.08}, []int{3}},
		"bartlett":       {lazy.BartlettWindow(tr, lazy.F32, 5, false), []float32{0, 0.5, 1, 0.5, 0}, []int{5}},
		"blackman":       {lazy.BlackmanWindow(tr, lazy.F32, 4, true), []float32{0, 0.34, 1, 0.34}, []int{4}},
		"kaiser":         {lazy.KaiserWindow(tr, lazy.F32, 5, true, 12), []float32{5.2773441e-05, 0.10171969, 0.79293983, 0.79293983, 0.10171969}, []int{5}},
		"wide kaiser":    {lazy.KaiserWindow(tr, lazy.F32, 4, false, 100), []float32{0, 0.0033810348, 0.0033810348, 0}, []int{4}},
		"flat kaiser":    {lazy.KaiserWindow(tr, lazy.F32, 3, false, 0), []float32{1, 1, 1}, []int{3}},
		"no kaiser":      {lazy.KaiserWindow(tr, lazy.F32, 0, true, 12), []float32{}, []int{0}},
	} {
		values, dims := valuesOf(t, c.got)
		require.Equal(t, c.dims, dims, name)
		require.InDeltaSlice(t, c.values, values, 1e-6, name)
	}
	long, err := lazy.ToSlice[int64](lazy.ARange(tr, lazy.I64, 1<<53, 1<<53+6, 1))
	require.NoError(t, err)
	require.Equal(t, []int64{1 << 53, 1<<53 + 1, 1<<53 + 2, 1<<53 + 3, 1<<53 + 4, 1<<53 + 5}, long)
	long, err = lazy.ToSlice[int64](lazy.ARange(tr, lazy.I64, -1<<63, 1<<62, 1<<62))
	require.NoError(t, err)
	require.Equal(t, []int64{-1 << 63, -1 << 62, 0}, long)
	y := m.MulScalar(1)
	y.IndexPut_(v, false, nil, at(1)).Err()
	require.Error(t, y.IndexPut(v, false, nil, at(1)).Err(), "values are a row, and what is chosen a column")
}

// The gradients of elements go back to where they come from.
func TestGradOfIndex(t *testing.T) {
	tr := lazy.NewTrace(open(t, "eval", lazy.CheckIndices(false)))
	x := lazy.Iota(tr, lazy.F32, 0, 6).Reshape(2, 3)
	v := lazy.From(tr, []float32{10, 20})
	rows, columns := lazy.From(tr, []int32{1, 1}), lazy.From(tr, []int32{0, 0})
	y := x.Index(rows, columns)
	values, _ := valuesOf(t, lazy.Grad(y.Mul(y).Sum(), x)[0])
	require.Equal(t, []float32{0, 0, 0, 12, 0, 0}, values)
	put := x.IndexPut(v, true, rows, lazy.From(tr, []int32{0, 2}))
	of := lazy.Grad(put.Mul(put).Sum(), x, v)
	values, _ = valuesOf(t, of[1])
	require.Equal(t, []float32{26, 50}, values)
	set := x.DiagonalScatter(v, 0, 0, 1)
	of = lazy.Grad(set.Mul(set).Sum(), x, v)
	values, _ = valuesOf(t, of[0])
	require.Equal(t, []float32{0, 2, 4, 6, 0, 10}, values)
	values, _ = valuesOf(t, of[1])
	require.Equal(t, []float32{20, 40}, values)
}

// An index out of range along any axis is an error with checks on.
func TestIndexOutOfRange(t *testing.T) {
	tr := lazy.NewTrace(open(t, "eval", lazy.CheckIndices(true)))
	x := lazy.From(tr, make([]float32, 6), 2, 3)
	at := func(i int32) *lazy.Tensor { return lazy.From(tr, []int32{i}) }
	require.NoError(t, tr.MarkStep(x.Index(at(-2), at(-3))))
	for _, at := range [][2]*lazy.Tensor{{at(0), at(3)}, {at(-3), at(0)}, {at(0), at(-4)}} {
		_, err := x.Index(at[0], at[1]).Value()
		require.ErrorIs(t, err, lazy.ErrIndex)
	}
	require.NoError(t, tr.MarkStep(x.TakeAlong(at(-3).Unsqueeze(0), 1)))
	for _, i := range []int32{3, -4} {
		_, err := x.TakeAlong(at(i).Unsqueeze(0), 1).Value()
		require.ErrorIs(t, err, lazy.ErrIndex)
		require.ErrorContains(t, err, "take_along(")
	}
}

func TestMistakesOfIndexing(t *testing.T) {
	tr := lazy.NewTrace(open(t, "eval"))
	x := lazy.Ones(tr, lazy.F32, 2, 3)
	at := lazy.From(tr, []int32{0, 1})
	for want, y := range map[string]*lazy.Tensor{
		"there are indices for 3 axes, x has 2 axes": x.Index(nil, nil, at),
		"there are no indices; give an axis some":    x.Index(nil),
		"the indices of axis 1 are f32[2,3], must be integers or a mask of bools: convert them with Convert(lazy.I64) (index_integers)": x.Index(nil, x),
		"the indices of axis 1 have the shape [3], which does not broadcast with [2]":                                                   x.Index(at, lazy.From(tr, []int32{0, 1, 2})),
		"x is f32 and values are i32; convert one with Convert":                                                                         x.IndexPut(at, false, at),
		"values have the shape [2,3,1], which does not broadcast to the [2,3] that the indices choose":                                  x.IndexPut(x.Unsqueeze(2), false, at),
		"axis 2 is out of range: a tensor of shape [2,3] has axes 0 and 1":                                                              x.IndexFill(at, 2, 1),
		"take_along(f32[2,3], i32[2]): axis 2 is out of range: a tensor of shape [2,3] has axes 0 and 1":                                x.TakeAlong(at, 2),
		"take_along(f32[2,3], f32[2,3]): the indices are f32[2,3], must be integers: convert them with Convert(lazy.I64)":               x.TakeAlong(x, 1),
		"take_along(f32[2,3], i32[2]): the indices are i32[2] and x is f32[2,3]; give them as many axes":                                x.TakeAlong(at, 1),
		"take_along(f32[2,3], i32[1,2]): the indices are i32[1,2], which does not broadcast with f32[2,3] along the axes but 0":         x.TakeAlong(at.Unsqueeze(0), 0),
		"src is f32[2,3], must be f32[2]":                                     x.SelectScatter(x, 1, 0),
		"there are no numbers from 0 to 1, each -1 apart":                     lazy.ARange(tr, lazy.F32, 0, 1, -1),
		"arange(): 9.223372036854776e+18 is no value of i64 (arange_numbers)": lazy.ARange(tr, lazy.I64, 1<<63, 1<<63+4096, 2048),
		"the number of elements is -1":                                        lazy.LinSpace(tr, lazy.F32, 0, 1, -1),
	} {
		require.ErrorContains(t, y.Err(), want)
		require.ErrorContains(t, y.Err(), "indexing_test.go:")
	}
	for _, y := range []*lazy.Tensor{x.Index(x), x.Gather(x), x.TakeAlong(x, 1)} {
		require.ErrorIs(t, y.Err(), lazy.ErrType)
		require.ErrorContains(t, y.Err(), "onvert")
	}
}

var indexingKernels = []kernelCase{
	{"index", func(x *lazy.Tensor) []*lazy.Tensor {
		at := lazy.From(x.Trace(), []int32{1, -1, 0})
		return severalOf(x.Index(at, at), x.Index(at, nil, lazy.From(x.Trace(), []int32{0, 1, -1})), x.IndexPut(x.Index(at, at).MulScalar(2), true, at, at), x.Take(at), x.TakeAlong(at.Reshape(3, 1, 1), 0))
	}, true},
	{"parts", func(x *lazy.Tensor) []*lazy.Tensor {
		return severalOf(x.SelectScatter(x.Select(1, 3), 1, 5), x.DiagonalScatter(x.Diagonal(0, 0, 1).MulScalar(2), 1, 0, 1), x.IndexFill(lazy.From(x.Trace(), []int32{3, -1}), 1, 2))
	}, true},
}

func TestIndexingIsKernels(t *testing.T) { requireKernels(t, indexingKernels) }

// A mask chooses places, alone and beside indices, and of several axes.
func TestMasksAsIndices(t *testing.T) {
	trials.Sequential(t)
	for _, device := range []string{"cpu", "eval"} {
		tr := lazy.NewTrace(open(t, device))
		x := lazy.From(tr, []float32{1, 2, 3, 4, 5, 6}, 2, 3)
		rows, all := lazy.From(tr, []bool{false, true}), lazy.From(tr, []bool{true, false, false, true, false, true}, 2, 3)
		require.Equal(t, []float32{4, 5, 6}, floats(t, x.Index(rows)))
		require.Equal(t, []float32{2, 5}, floats(t, x.Index(nil, lazy.From(tr, []bool{false, true, false}))))
		require.Equal(t, []float32{1, 4, 6}, floats(t, x.Index(all)))
		require.Equal(t, []float32{6}, floats(t, x.Index(rows, lazy.From(tr, []int32{-1}))))
		put := x.IndexPut(lazy.Full(tr, lazy.F32, 9), false, all)
		require.Equal(t, []float32{9, 2, 3, 9, 5, 9}, floats(t, put))
		g := lazy.Grad(x.Index(all).MulScalar(2).Sum(), x)[0]
		require.Equal(t, []float32{2, 0, 0, 2, 0, 2}, floats(t, g))
	}
}

// A source of too few elements gives its last one, and is an error of the checks.
func TestMaskedScatterOfTooFew(t *testing.T) {
	for _, device := range []string{"cpu", "eval"} {
		scatter := func(o lazy.Option) *lazy.Tensor {
			tr := lazy.NewTrace(open(t, device, o))
			mask := lazy.From(tr, []bool{true, false, true, true})
			return lazy.From(tr, []float32{1, 2, 3, 4}).MaskedScatter(mask, lazy.From(tr, []float32{10, 20}))
		}
		require.Equal(t, []float32{10, 2, 20, 20}, floats(t, scatter(lazy.CheckIndices(false))))
		_, err := lazy.ToSlice[float32](scatter(lazy.CheckIndices(true)))
		require.ErrorContains(t, err, "masked_scatter(f32[4], bool[4], f32[2]): the mask has 3 true elements, and source has 2 elements; give source one for each")
	}
}

// The elements of source go where the mask is true, in their order.
func TestMaskedScatter(t *testing.T) {
	for _, device := range []string{"cpu", "eval"} {
		tr := lazy.NewTrace(open(t, device))
		x, source := lazy.From(tr, []float32{1, 2, 3, 4, 5, 6}, 2, 3), lazy.From(tr, []float32{10, 20, 30, 40})
		mask := lazy.From(tr, []bool{true, false, true})
		y := x.MaskedScatter(mask, source)
		grads := lazy.Grad(y.Mul(y).Sum(), x, source)
		require.Equal(t, []float32{10, 2, 20, 30, 5, 40}, floats(t, y))
		require.Equal(t, []float32{0, 4, 0, 0, 10, 0}, floats(t, grads[0]))
		require.Equal(t, []float32{20, 40, 60, 80}, floats(t, grads[1]))
		require.Equal(t, []float32{10, 2, 20, 30, 5, 40}, floats(t, x.MaskedScatter_(mask, source)))
		for want, y := range map[string]*lazy.Tensor{
			"the mask is f32[2,3], must be bool":                    x.MaskedScatter(x, source),
			"x is f32 and source is bool; convert one with Convert": x.MaskedScatter(mask, mask),
			"the mask's [2] does not broadcast to x's [2,3]":        x.MaskedScatter(lazy.From(tr, []bool{true, false}), source),
			"source has no elements; give it one for each place at": x.MaskedScatter(mask, lazy.Zeros(tr, lazy.F32, 0)),
		} {
			require.ErrorContains(t, y.Err(), "masked_scatter(")
			require.ErrorContains(t, y.Err(), want)
		}
	}
}

// Windows of other dtypes than floats would be zeros but for one element.
func TestWindowsAreOfFloats(t *testing.T) {
	tr := lazy.NewTrace(open(t, "eval"))
	for name, window := range map[string]func(d types.DType) *lazy.Tensor{
		"hann":     func(d types.DType) *lazy.Tensor { return lazy.HannWindow(tr, d, 4, true) },
		"hamming":  func(d types.DType) *lazy.Tensor { return lazy.HammingWindow(tr, d, 4, true) },
		"blackman": func(d types.DType) *lazy.Tensor { return lazy.BlackmanWindow(tr, d, 4, true) },
		"bartlett": func(d types.DType) *lazy.Tensor { return lazy.BartlettWindow(tr, d, 4, true) },
		"kaiser":   func(d types.DType) *lazy.Tensor { return lazy.KaiserWindow(tr, d, 4, true, 12) },
	} {
		require.NoError(t, window(lazy.BF16).Err(), name)
		for _, d := range []types.DType{lazy.I32, lazy.C64, lazy.Bool} {
			require.ErrorContains(t, window(d).Err(), name+"_window(): the dtype must be floating point, is "+d.String(), name)
		}
	}
}

// A mask has as many places as the other indices, or one: PyTorch's x[mask, indices].
func TestIndexOfMaskBesideIndices(t *testing.T) {
	for _, name := range []string{"eval", "cpu"} {
		tr := lazy.NewTrace(open(t, name))
		x := lazy.Iota(tr, lazy.I64, 0, 20).Reshape(4, 5)
		mask := lazy.From(tr, []bool{true, false, true, false})
		at := func(all ...int64) *lazy.Tensor { return lazy.From(tr, all) }
		for i, c := range []struct {
			y    *lazy.Tensor
			want []int64
		}{
			{x.Index(mask, at(1, 2)), []int64{1, 12}},
			{x.Index(mask, at(1, -1)), []int64{1, 14}},
			{x.Index(mask, at(1)), []int64{1, 11}},
			{x.Index(mask, at(1, 2, 3, 4).Reshape(2, 2)), []int64{1, 12, 3, 14}},
			{x.Index(mask.And(lazy.From(tr, []bool{false, true, true, true})), at(1, 2)), []int64{11, 12}},
			{x.Index(at(1, 2), lazy.From(tr, []bool{true, false, true, false, false})), []int64{5, 12}},
			{x.IndexPut(at(-7), false, mask, at(1, 2)).Index(mask, at(1, 2)), []int64{-7, -7}},
		} {
			got, err := lazy.ToSlice[int64](c.y)
			require.NoError(t, err, i)
			require.Equal(t, c.want, got, i)
		}
		for _, y := range []*lazy.Tensor{x.Index(mask, at(1, 2, 3)), x.Index(mask.And(mask.Not()), at(1, 2))} {
			_, err := y.Value()
			require.ErrorIs(t, err, lazy.ErrIndex)
			require.ErrorContains(t, err, ": they must be equal, or 1; for all pairs index one axis after the other")
		}
	}
}

// Masks broadcast by the numbers of places at which they are true, as PyTorch's x[rows, columns] does. One program
// serves all numbers.
func TestIndexOfSeveralMasks(t *testing.T) {
	bits := func(s string) []bool {
		all := make([]bool, len(s))
		for i := range s {
			all[i] = s[i] == '1'
		}
		return all
	}
	for _, name := range []string{"eval", "cpu"} {
		dev := open(t, name)
		x := lazy.From(dev, slices.Collect(numbers(20)), 4, 5)
		index := lazy.Func(dev, func(_ *lazy.Trace, all []*lazy.Tensor) []*lazy.Tensor {
			x, rows, columns := all[0], all[1], all[2]
			y := x.Index(rows, columns)
			put := x.IndexPut(y.MulScalar(2).AddScalar(1), true, rows, columns)
			return []*lazy.Tensor{y, put, lazy.Grad(y.Mul(y).Sum(), x)[0]}
		})
		for _, c := range []struct {
			rows, columns string
			want          []int // the elements, whose values are their places
		}{
			{"1010", "01010", []int{1, 13}},
			{"1010", "00100", []int{2, 12}},
			{"0001", "01010", []int{16, 18}},
			{"1111", "11011", []int{0, 6, 13, 19}},
			{"0001", "00001", []int{19}},
			{"0000", "00001", nil},
			{"0100", "00000", nil},
			{"0000", "00000", nil},
		} {
			got, err := index.CallAll(t.Context(), x, lazy.From(dev, bits(c.rows), 4), lazy.From(dev, bits(c.columns), 5))
			require.NoError(t, err, c)
			var values []float32
			put, grad := slices.Collect(numbers(20)), make([]float32, 20)
			for _, i := range c.want {
				values, put[i], grad[i] = append(values, float32(i)), float32(3*i+1), float32(2*i)
			}
			require.Equal(t, []int{len(c.want)}, []int(got[0].Shape()))
			if len(c.want) > 0 {
				require.Equal(t, values, floats(t, got[0]), c)
			}
			require.Equal(t, put, floats(t, got[1]), c)
			require.Equal(t, grad, floats(t, got[2]), c)
		}
		require.Len(t, index.Report().Compiles, 1)
		for _, c := range []struct{ rows, columns, want string }{
			{"1010", "01110", "has 3 true elements, that of axis 0 has 2"},
			{"0000", "01010", "has 2 true elements, that of axis 0 has 0"},
			{"1110", "01010", "has 2 true elements, that of axis 0 has 3"},
			{"1110", "00000", "has 0 true elements, that of axis 0 has 3"},
		} {
			_, err := index.CallAll(t.Context(), x, lazy.From(dev, bits(c.rows), 4), lazy.From(dev, bits(c.columns), 5))
			require.ErrorIs(t, err, lazy.ErrIndex, c)
			require.Regexp(t, `^indexing_test.go:\d+: index(_put)?\(.*bool\[4\], bool\[5\]\): the mask of axis 1 `+c.want+": they must be equal, or 1; for all pairs index one axis after the other$", err.Error())
		}
	}
}

// numbers yields n numbers from 0 on.
func numbers(n int) iter.Seq[float32] {
	return func(yield func(float32) bool) {
		for i := range n {
			if !yield(float32(i)) {
				return
			}
		}
	}
}

// Masks stand beside indices, other axes, and masks of several axes.
func TestIndexOfMasksAndAxes(t *testing.T) {
	for _, name := range []string{"eval", "cpu"} {
		tr := lazy.NewTrace(open(t, name))
		x := lazy.Iota(tr, lazy.I64, 0, 60).Reshape(4, 5, 3)
		rows, columns, last := lazy.From(tr, []bool{true, false, true, false}), lazy.From(tr, []bool{false, true, false, true, false}), lazy.From(tr, []bool{true, false, true})
		none := rows.And(rows.Not())
		at := func(all ...int64) *lazy.Tensor { return lazy.From(tr, all) }
		both := rows.Unsqueeze(1).And(columns) // of 4 places
		cases := []struct {
			y     *lazy.Tensor
			shape []int
			want  []int64
		}{
			{x.Index(rows, columns), []int{2, 3}, []int64{3, 4, 5, 39, 40, 41}},
			{x.Index(rows, nil, last), []int{2, 5}, []int64{0, 3, 6, 9, 12, 32, 35, 38, 41, 44}},
			{x.Index(rows, columns, last), []int{2}, []int64{3, 41}},
			{x.Index(rows, columns, at(2)), []int{2}, []int64{5, 41}},
			{x.Index(rows, columns, at(2, 0)), []int{2}, []int64{5, 39}},
			{x.Index(rows, columns, at(2, 0).Reshape(2, 1)), []int{2, 2}, []int64{5, 41, 3, 39}},
			{x.Index(both.And(lazy.From(tr, []bool{true, false, false, false}).Unsqueeze(1)), last), []int{2}, []int64{3, 11}},
			{x.Index(rows, columns.Nonzero().Select(1, 0)), []int{2, 3}, []int64{3, 4, 5, 39, 40, 41}},
			{x.Index(rows.Nonzero(), columns), []int{2, 2, 3}, []int64{3, 4, 5, 9, 10, 11, 33, 34, 35, 39, 40, 41}},
			{x.Index(none, at()), []int{0, 3}, nil},
			{x.Index(none, at(1)), []int{0, 3}, nil},
			{x.Index(lazy.From(tr, []bool{true, false, false, false}), at()), []int{0, 3}, nil},
			{x.IndexPut(at(-1, -2), false, rows, columns, last).Index(rows, columns, last), []int{2}, []int64{-1, -2}},
			{x.IndexPut(at(-1, -2).Unsqueeze(1), true, rows, columns).Index(rows, columns), []int{2, 3}, []int64{2, 3, 4, 37, 38, 39}},
		}
		var all []*lazy.Tensor
		for _, c := range cases {
			all = append(all, c.y)
		}
		require.NoError(t, tr.MarkStep(all...))
		for i, c := range cases {
			got, err := lazy.ToSlice[int64](c.y)
			require.NoError(t, err, i)
			require.Equal(t, c.shape, []int(c.y.Shape()), i)
			require.Equal(t, c.want, append([]int64(nil), got...), i)
		}
		x = lazy.Iota(tr, lazy.I64, 0, 20).Reshape(4, 5)
		rows, columns = lazy.From(tr, []bool{true, false, true, false}), lazy.From(tr, []bool{false, true, true, true, false})
		require.ErrorContains(t, x.Index(rows.Nonzero().Select(1, 0), columns.Nonzero().Select(1, 0)).Err(), "index by masks")
	}
}

// Errors of counts that do not broadcast name the axes of both sides, as the user gave the indices, and both counts.
func TestIndexCountsThatDiffer(t *testing.T) {
	for _, name := range []string{"eval", "cpu"} {
		tr := lazy.NewTrace(open(t, name))
		x := lazy.Iota(tr, lazy.I64, 0, 60).Reshape(4, 3, 5)
		two, one, three := lazy.From(tr, []bool{true, false, true, false}), lazy.From(tr, []bool{false, true, false}), lazy.From(tr, []bool{true, true, false, false, true})
		at := func(all ...int64) *lazy.Tensor { return lazy.From(tr, all) }
		both := one.Unsqueeze(1).Or(lazy.From(tr, []bool{true, false, false, false, false})) // of 7 places
		const rule = ": they must be equal, or 1; for all pairs index one axis after the other"
		for _, c := range []struct {
			want string
			y    func() *lazy.Tensor // recorded alone: calls share equal checks, and the first one's words
		}{
			{"index(i64[4,3,5], bool[4], bool[5]): the mask of axis 2 has 3 true elements, that of axis 0 has 2" + rule, func() *lazy.Tensor { return x.Index(two, nil, three) }},
			{"index(i64[4,3,5], bool[4], i64[1], bool[5]): the mask of axis 2 has 3 true elements, that of axis 0 has 2" + rule, func() *lazy.Tensor { return x.Index(two, at(1), three) }},
			{"the mask of axis 2 has 3 true elements, that of axis 0 has 2" + rule, func() *lazy.Tensor { return x.Index(two, one, three) }},
			{"the mask of axis 2 has 3 true elements, that of axis 1 has 2" + rule, func() *lazy.Tensor {
				return x.Index(two.And(lazy.From(tr, []bool{true, false, false, false})), one.Not(), three)
			}},
			{"the mask of axes 1 to 2 has 7 true elements, that of axis 0 has 2" + rule, func() *lazy.Tensor { return x.Index(two, both) }},
			{"the mask of axis 2 has 3 true elements, the indices of axis 0 have 2" + rule, func() *lazy.Tensor { return x.Index(two.Nonzero().Select(1, 0), nil, three) }},
			{"the indices of axis 2 have 3 elements, the mask of axis 0 has 2" + rule, func() *lazy.Tensor { return x.Index(two, nil, three.Nonzero().Select(1, 0)) }},
			{"the mask of axis 0 has 2 true elements, the indices of axis 2 have 3" + rule, func() *lazy.Tensor { return x.Index(two, nil, at(1, 2, 3)) }},
			{"the mask of axis 0 has 2 true elements, the indices of axis 1 have 0" + rule, func() *lazy.Tensor { return x.Index(two, at()) }},
			{"the mask of axis 0 has 2 true elements, that of axis 1 has 0" + rule, func() *lazy.Tensor { return lazy.Zeros(tr, lazy.I64, 4, 0).Index(two, lazy.Zeros(tr, lazy.Bool, 0)) }},
			{"index_put(i64[4,3,5], i64[1], bool[4], bool[5]): the mask of axis 2 has 3 true elements, that of axis 0 has 2" + rule, func() *lazy.Tensor { return x.IndexPut(at(7), false, two.Not(), nil, three) }},
		} {
			_, err := c.y().Value()
			require.ErrorIs(t, err, lazy.ErrIndex, c.want)
			require.ErrorContains(t, err, "indexing_test.go:")
			require.True(t, strings.HasSuffix(err.Error(), c.want), "%v\n%s", err, c.want)
		}
	}
}

// Calls share equal checks: the error is that of the first call, in its words and at its line.
func TestIndexCountsThatDifferTwice(t *testing.T) {
	for _, name := range []string{"eval", "cpu"} {
		tr := lazy.NewTrace(open(t, name))
		x := lazy.Iota(tr, lazy.I64, 0, 80).Reshape(4, 5, 4)
		four, five := lazy.From(tr, []bool{true, false, true, false}), lazy.From(tr, []bool{true, true, false, false, true})
		first, second := x.MoveAxis(1, 2).Index(four, nil, five), x.Index(four, five)
		err := tr.MarkStep(first, second)
		require.ErrorIs(t, err, lazy.ErrIndex)
		require.ErrorContains(t, err, "index(i64[4,4,5], bool[4], bool[5]): the mask of axis 2 has 3 true elements, that of axis 0 has 2")
	}
}

// Values are as many as a mask has true elements, whichever of both data tells, or one: x[mask] = y[mask] in PyTorch.
func TestIndexPutOfCountedValues(t *testing.T) {
	for _, name := range []string{"eval", "cpu"} {
		tr := lazy.NewTrace(open(t, name))
		x := lazy.Iota(tr, lazy.I64, 0, 8).Reshape(4, 2)
		y := x.Neg()
		two, other, three := lazy.From(tr, []bool{true, false, true, false}), lazy.From(tr, []bool{false, true, false, true}), lazy.From(tr, []bool{true, true, false, true})
		one, none := two.And(lazy.From(tr, []bool{true, false, false, false})), two.And(two.Not())
		at := func(all ...int64) *lazy.Tensor { return lazy.From(tr, all) }
		same := []int64{0, 1, 2, 3, 4, 5, 6, 7}
		big := x.GreaterScalar(5)
		for i, c := range []struct {
			y    *lazy.Tensor
			want []int64
		}{
			{x.IndexPut(y.Index(two), false, two), []int64{0, -1, 2, 3, -4, -5, 6, 7}},
			{x.IndexPut(y.SelectRows(two), false, two), []int64{0, -1, 2, 3, -4, -5, 6, 7}},
			{x.IndexPut(y.Index(two), false, other), []int64{0, 1, 0, -1, 4, 5, -4, -5}},
			{x.IndexPut(y.Index(two), true, other), []int64{0, 1, 2, 2, 4, 5, 2, 2}},
			{x.IndexPut(y.Index(one), false, three), []int64{0, -1, 0, -1, 4, 5, 0, -1}},
			{x.IndexPut(y.Index(big), false, big), []int64{0, 1, 2, 3, 4, 5, -6, -7}},
			{x.IndexPut(y.Index(two), false, at(1, 3)), []int64{0, 1, 0, -1, 4, 5, -4, -5}},
			{x.IndexPut(y.Index(none), false, none), same},
			{x.IndexPut(lazy.Zeros(tr, lazy.I64, 0, 2), false, none), same},
			{x.IndexPut(at(), false, big.And(big.Not())), same},
			{x.IndexPut(at(), false, none, one.Narrow(0, 1, 2)), same},
			{lazy.Zeros(tr, lazy.I64, 4, 0).Index(one, lazy.Zeros(tr, lazy.Bool, 0)), nil},
			{lazy.Zeros(tr, lazy.I64, 4, 0).Index(lazy.Zeros(tr, lazy.Bool, 4, 0)), nil},
		} {
			got, err := lazy.ToSlice[int64](c.y)
			require.NoError(t, err, i)
			require.Equal(t, c.want, append([]int64(nil), got...), i)
		}
		values := func(n int) *lazy.Tensor { return lazy.Zeros(tr, lazy.I64, n, 2) }
		for want, y := range map[string]*lazy.Tensor{
			"axis 0 of values has 3 elements, the mask of axis 0 has 2":            x.IndexPut(values(3), false, two),
			"axis 0 of values has 0 elements, the mask of axis 0 has 2":            x.IndexPut(values(0), false, two),
			"axis 0 of values has 0 elements, the mask of axes 0 to 1 has 2":       x.IndexPut(at(), false, big),
			"axis 0 of values has 2 elements, the mask of axis 0 has 3":            x.IndexPut(y.Index(two), false, three),
			"axis 0 of values has 3 elements, axis 0 of the chosen elements has 2": x.IndexPut(y.Index(three), false, at(1, 3)),
			"axis 0 of values has 3 elements, the indices choose 2":                x.IndexPut(at(7, 8, 9), false, two, lazy.From(tr, []bool{true, true})),
		} {
			_, err := y.Value()
			require.ErrorIs(t, err, lazy.ErrIndex, want)
			require.ErrorContains(t, err, want+": they must be equal, or that of values 1")
		}
	}
}

// Integers that are not within bounds are an error of the user's line wherever they come from.
func TestWithin(t *testing.T) {
	within := func(x *lazy.Tensor) *lazy.Tensor { return x.Within(1, 3, "length") }
	loop := func(x *lazy.Tensor) *lazy.Tensor {
		return lazy.For(2, func(_ *lazy.Trace, _ *lazy.Tensor, s []*lazy.Tensor) []*lazy.Tensor {
			return tensors{within(s[0])}
		}, x)[0]
	}
	vmap := func(x *lazy.Tensor) *lazy.Tensor {
		return lazy.Vmap(func(_ *lazy.Trace, a []*lazy.Tensor) []*lazy.Tensor { return tensors{within(a[0])} }, tensors{x}, lazy.VmapOptions{})[0]
	}
	masked := func(x *lazy.Tensor) *lazy.Tensor { // examples that do not run the branch have any integers
		return lazy.Vmap(func(_ *lazy.Trace, a []*lazy.Tensor) []*lazy.Tensor {
			return lazy.If(a[0].LessScalar(9), func(*lazy.Trace) []*lazy.Tensor { return tensors{within(a[0])} }, func(*lazy.Trace) []*lazy.Tensor { return tensors{a[0]} })
		}, tensors{x}, lazy.VmapOptions{})[0]
	}
	for _, name := range []string{"eval", "cpu"} {
		dev := open(t, name)
		for i, c := range []struct {
			f    func(x *lazy.Tensor) *lazy.Tensor
			x    []int32
			want string
		}{
			{within, []int32{1, 3, 2}, ""},
			{within, []int32{1, 4, 0}, "within(i32[3]): the length at [1] is 4, must be from 1 to 3"},
			{func(x *lazy.Tensor) *lazy.Tensor { return within(computed(x)) }, []int32{1, 0, 2}, "within(i64[3]): the length is 0, must be from 1 to 3"},
			{loop, []int32{1, 3, 2}, ""},
			{loop, []int32{1, 3, 0}, "is 0"},
			{vmap, []int32{1, 3, 2}, ""},
			{vmap, []int32{1, 3, 0}, "within(i32[]): the length at [2] is 0"},
			{masked, []int32{1, 9, 2}, ""},
			{masked, []int32{1, 9, 4}, "is 4"},
		} {
			tr := lazy.NewTrace(dev)
			y := c.f(lazy.From(tr, c.x))
			_, err := y.Value()
			if c.want == "" {
				require.NoError(t, err, i)
				got, err := lazy.ToSlice[int32](y)
				require.NoError(t, err, i)
				require.Equal(t, c.x, got, i)
				continue
			}
			require.ErrorIs(t, err, lazy.ErrIndex, i)
			require.ErrorContains(t, err, c.want, i)
			require.ErrorContains(t, err, "indexing_test.go:", i)
		}
	}
}

// Bounds may be sizes that data tells, the lower one too.
func TestWithinSizesOfData(t *testing.T) {
	for _, name := range []string{"eval", "cpu"} {
		tr := lazy.NewTrace(open(t, name))
		n := lazy.From(tr, []bool{true, false, true, false}).Nonzero().OpenDim(0)
		x := lazy.From(tr, []int64{2, 1, 3})
		for want, y := range map[string]*lazy.Tensor{
			"":                                     x.Within(0, lazy.SizeAdd(n, 1), "length"),
			"the length is 3, must be from 0 to 2": x.Within(0, n, "length"),
			"the length is 1, must be from 2 to 9": x.Within(n, 9, "length"),
			"the length is 1, must be from 2 to 3": x.Within(n, lazy.SizeAdd(n, 1), "length"),
		} {
			_, err := y.Value()
			if want == "" {
				require.NoError(t, err)
				continue
			}
			require.ErrorIs(t, err, lazy.ErrIndex, want)
			require.ErrorContains(t, err, want)
		}
	}
}
