package lazy_test

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/internal/trials"
	"ltc/ir/types"
	"ltc/lazy"
)

// sequence returns numbers for a tensor, which differ.
func sequence(n int) []float32 {
	x := make([]float32, n)
	for i := range x {
		x[i] = float32(i%13)/8 - 0.5
	}
	return x
}

// encoderLayer is a small transformer's layer on x: [batch, seq, 8].
func encoderLayer(tr *lazy.Trace, x *lazy.Tensor) *lazy.Tensor {
	w := lazy.From(tr, sequence(8*24), 8, 24)
	b, s := x.Dim(0), x.Dim(1)
	qkv := x.Reshape(-1, 8).MatMul(w).Reshape(b, s, 3, 2, 4).Transpose(2, 0, 3, 1, 4) // [3, b, 2, s, 4]
	part := func(i int) *lazy.Tensor { return qkv.Narrow(0, i, 1).Reshape(b*2, s, 4) }
	scores := part(0).MatMul(part(1).Transpose(0, 2, 1)).MulScalar(0.5).Softmax(2)
	y := scores.MatMul(part(2)).Reshape(b, 2, s, 4).Transpose(0, 2, 1, 3).Reshape(b, s, 8)
	ones := lazy.Ones(tr, lazy.F32, 8)
	return y.Add(x).LayerNorm(ones, ones, 1e-5).GELU().Mean(1)
}

// The second size at a line is compiled for all sizes: 2 compiles for any batch and any length.
func TestSecondSizeServesAll(t *testing.T) {
	var logged bytes.Buffer
	dev := open(t, "cpu", lazy.Logger(slog.New(slog.NewTextHandler(&logged, nil))))
	exact := open(t, "eval", lazy.StaticShapes())
	tr, want := lazy.NewTrace(dev), lazy.NewTrace(exact)
	f := lazy.Func(dev, encoderLayer)
	for i := range 24 {
		b, s := 2+i*7%11, 2+i*5%17
		x := sequence(b * s * 8)
		y, z := encoderLayer(tr, lazy.From(tr, x, b, s, 8)), encoderLayer(want, lazy.From(want, x, b, s, 8))
		require.NoError(t, tr.MarkStep(y))
		require.NoError(t, want.MarkStep(z))
		require.InDeltaSlice(t, floats(t, z), floats(t, y), 1e-5, "batch %d, length %d", b, s)
		called, err := f.Call(context.Background(), lazy.From(dev, x, b, s, 8))
		require.NoError(t, err)
		require.Equal(t, floats(t, y), floats(t, called))
	}
	require.EqualValues(t, 2, tr.Report().Compiled)
	require.Zero(t, f.Report().Compiled, "those of the trace are the function's")
	last := tr.Explain()[len(tr.Explain())-1]
	require.Equal(t, lazy.CompileShape, last.Kind)
	require.Equal(t, "nothing: this program is for all sizes", last.Do)
	require.Equal(t, 1, strings.Count(logged.String(), "sizes are open from now on"), "%s", &logged)
	require.Contains(t, logged.String(), "n: axis 0 of argument 0, 9 and before 2; n1: axis 1 of argument 0, 7 and before 2")
}

// A step may write variables that it does not read, whatever the size of what it reads.
func TestWritesOfManySizes(t *testing.T) {
	dev := open(t, "cpu")
	tr := lazy.NewTrace(dev)
	loss := dev.Variable("loss", lazy.F32)
	f := lazy.Func(dev, func(tr *lazy.Trace, x *lazy.Tensor) *lazy.Tensor {
		loss.Assign(x.Sum())
		return x.Neg()
	})
	for _, n := range []int{3, 4, 7, 9} {
		x := lazy.From(tr, slices.Repeat([]float32{2}, n))
		loss.Assign(x.Sum())
		require.NoError(t, tr.MarkStep())
		require.Equal(t, []float32{float32(2 * n)}, floats(t, loss))
		y, err := f.Call(t.Context(), lazy.From(dev, slices.Repeat([]float32{3}, n)))
		require.NoError(t, err)
		require.Equal(t, slices.Repeat([]float32{-3}, n), floats(t, y))
		require.Equal(t, []float32{float32(3 * n)}, floats(t, loss))
	}
	require.Equal(t, lazy.CompileShape, tr.Explain()[0].Kind)
}

// A short last batch compiles one program more, and variables are trained as by programs of numbers.
func TestShortLastBatch(t *testing.T) {
	train := func(d *lazy.Device) (*lazy.Trace, []float32) {
		tr := lazy.NewTrace(d)
		w := d.Variable("w", lazy.F32, 4, 3).Init(lazy.Constant(0.25))
		for range 3 {
			for _, rows := range []int{8, 8, 8, 5} {
				x := lazy.From(tr, sequence(rows*4), rows, 4)
				loss := x.MatMul(tr.Read(w)).Tanh().Mean()
				w.Sub_(lazy.Grad(loss, w)[0].MulScalar(0.5))
				require.NoError(t, tr.MarkStep(loss))
			}
		}
		return tr, floats(t, tr.Read(w))
	}
	tr, got := train(open(t, "cpu"))
	_, want := train(open(t, "eval", lazy.StaticShapes()))
	require.InDeltaSlice(t, want, got, 1e-6)
	require.EqualValues(t, 2, tr.Report().Compiled)
}

// Sizes that do not follow from those of arguments as they did before are those of another
// program: one compiled for some sizes never runs at others.
func TestSizesThatFollowOtherwise(t *testing.T) {
	dev := open(t, "cpu")
	tr := lazy.NewTrace(dev)
	for _, n := range []int{4, 8, 6, 9, 12, 15, 10} {
		x := lazy.From(tr, sequence(n))
		k := n / 2 // of 4 and 8
		if n%3 == 0 {
			k = n / 3
		}
		y := x.Narrow(0, 0, k).Sum()
		require.NoError(t, tr.MarkStep(y))
		sum := float32(0)
		for _, v := range sequence(n)[:k] {
			sum += v
		}
		require.InDelta(t, sum, floats(t, y)[0], 1e-5, "n = %d", n)
	}
}

// Sizes of ops that are recorded before the arguments they follow from are open, too.
func TestSizesBeforeTheirArguments(t *testing.T) {
	tr := lazy.NewTrace(open(t, "cpu"))
	for _, n := range []int{4, 7, 5, 12} {
		rows := lazy.Iota(tr, lazy.F32, 0, n)
		y := lazy.Zeros(tr, lazy.F32, n).Add(lazy.From(tr, sequence(n), n)).Sub(rows)
		require.NoError(t, tr.MarkStep(y))
		want := sequence(n)
		for i := range want {
			want[i] -= float32(i)
		}
		require.Equal(t, want, floats(t, y))
	}
	require.EqualValues(t, 2, tr.Report().Compiled)
}

// With StaticShapes each size has a program.
func TestStaticShapes(t *testing.T) {
	for name, d := range map[string]*lazy.Device{"option": open(t, "cpu", lazy.StaticShapes()), "limit": open(t, "cpu", lazy.MaxBytes(1<<20))} {
		tr := lazy.NewTrace(d)
		for n := range 5 {
			require.NoError(t, tr.MarkStep(lazy.From(tr, sequence(n+1)).Tanh()))
		}
		require.EqualValues(t, 5, tr.Report().Compiled, name)
	}
}

// A program that cannot be compiled for all sizes is compiled for each: a gradient of large windows.
func TestSizesThatStayNumbers(t *testing.T) {
	var logged bytes.Buffer
	dev := open(t, "cpu", lazy.Logger(slog.New(slog.NewTextHandler(&logged, nil))))
	tr := lazy.NewTrace(dev)
	for n := 2; n < 6; n++ {
		x := lazy.From(tr, sequence(n*66), n, 1, 1, 66)
		g := lazy.Grad(x.MaxPool([]int{1, 65}, lazy.PoolOptions{}).Sum(), x)[0]
		require.NoError(t, tr.MarkStep(g))
		require.Len(t, floats(t, g), n*66)
	}
	require.EqualValues(t, 4, tr.Report().Compiled)
	require.NotContains(t, logged.String(), "sizes are open")
	require.Equal(t, 1, strings.Count(logged.String(), "sizes stay numbers"), "%s", &logged)
	require.Contains(t, logged.String(), "stablehlo.select_and_scatter")
}

// Sorts of many sizes have two programs, and the bits of the programs of numbers.
func TestSortsOfManySizes(t *testing.T) {
	dev, numbers := open(t, "cpu", lazy.Compiled()), open(t, "cpu", lazy.StaticShapes())
	tr, want := lazy.NewTrace(dev), lazy.NewTrace(numbers)
	record := func(tr *lazy.Trace, m, n int) []*lazy.Tensor {
		x := lazy.From(tr, sequence(m*n), m, n).MulScalar(7).Sin()
		falling, places := x.Sort(1, true)
		columns, _ := x.Sort(0, false)
		first, of := x.TopK(2, 1)
		return []*lazy.Tensor{falling, places.Convert(lazy.F32), columns, first, of.Convert(lazy.F32)}
	}
	for _, n := range [][2]int{{3, 5}, {4, 9}, {2, 700}, {300, 40}, {2, 2}, {90, 3}} {
		got, exact := record(tr, n[0], n[1]), record(want, n[0], n[1])
		require.NoError(t, tr.MarkStep(got...))
		require.NoError(t, want.MarkStep(exact...))
		for i := range got {
			require.Equal(t, floats(t, exact[i]), floats(t, got[i]), "result %d of %v", i, n)
		}
	}
	require.EqualValues(t, 2, tr.Report().Compiled)
}

// A program of numbers that was dropped and is compiled again has no size that is open.
func TestDroppedProgramOpensNothing(t *testing.T) {
	var logged bytes.Buffer
	dev := open(t, "cpu", lazy.ProgramCacheLimit(1), lazy.Logger(slog.New(slog.NewTextHandler(&logged, nil))))
	tr := lazy.NewTrace(dev)
	tr.Reuse(false)
	for range 3 {
		require.NoError(t, tr.MarkStep(lazy.From(tr, sequence(4)).Tanh()))
	}
	require.EqualValues(t, 3, tr.Report().Compiled)
	require.NotContains(t, logged.String(), "sizes are open")
}

// A result that the machine has no memory for is an error of MarkStep with its line, as that of a
// program of numbers is.
func TestOpenSizeBeyondTheMemory(t *testing.T) {
	var texts []string
	for _, options := range [][]lazy.Option{nil, {lazy.StaticShapes()}} {
		tr := lazy.NewTrace(open(t, "cpu", options...))
		for _, n := range []int{3, 4, 5, 10_000_000} {
			x := lazy.From(tr, make([]uint8, n), n)
			err := tr.MarkStep(x.Unsqueeze(1).Mul(x.Unsqueeze(0)))
			if n == 10_000_000 {
				require.ErrorIs(t, err, lazy.ErrMemory)
				require.ErrorContains(t, err, "opensizes_test.go:")
				text, _, _ := strings.Cut(err.Error(), "are needed")
				texts = append(texts, text)
				continue
			}
			require.NoError(t, err)
		}
	}
	require.Equal(t, texts[1], texts[0])
}

// sizedOp is an op of random programs on tensors of any sizes; the first axis is open, or both.
var sizedOps = []func(x *lazy.Tensor) *lazy.Tensor{
	func(x *lazy.Tensor) *lazy.Tensor { return x.Tanh() },
	func(x *lazy.Tensor) *lazy.Tensor { return x.Transpose(1, 0) },
	func(x *lazy.Tensor) *lazy.Tensor { return x.Softmax(1) },
	func(x *lazy.Tensor) *lazy.Tensor { return x.Sub(x.MeanKeep(0)) },
	func(x *lazy.Tensor) *lazy.Tensor { return x.Div(x.MaxKeep(1).AddScalar(4)) },
	func(x *lazy.Tensor) *lazy.Tensor { return lazy.Concatenate(0, x, x.Neg()) },
	func(x *lazy.Tensor) *lazy.Tensor { return x.Narrow(0, 0, (x.Dim(0)+1)/2) },
	func(x *lazy.Tensor) *lazy.Tensor { return x.Narrow(1, x.Dim(1)/3, x.Dim(1)-x.Dim(1)/3) },
	func(x *lazy.Tensor) *lazy.Tensor { return x.Reshape(-1).Reshape(x.Dim(1), x.Dim(0)) },
	func(x *lazy.Tensor) *lazy.Tensor { return x.MatMul(x.Transpose(1, 0)).MulScalar(0.1) },
	func(x *lazy.Tensor) *lazy.Tensor { return x.Pad(x.Mean(), []int{1, 0}, []int{0, 2}, []int{0, 0}) },
	func(x *lazy.Tensor) *lazy.Tensor { return x.DivScalar(float64(x.Dim(0))) },
	func(x *lazy.Tensor) *lazy.Tensor {
		return x.Unsqueeze(0).BroadcastTo(2, x.Dim(0), x.Dim(1)).Sum(0)
	},
	func(x *lazy.Tensor) *lazy.Tensor { return x.Add(x.Size(0).Convert(lazy.F32)).MulScalar(0.25) },
	func(x *lazy.Tensor) *lazy.Tensor { y, _ := x.Sort(0, true); return y },
	func(x *lazy.Tensor) *lazy.Tensor { y, _ := x.Sort(1, false); return y },
	func(x *lazy.Tensor) *lazy.Tensor { y, _ := x.TopK(1, 1); return y },
	func(x *lazy.Tensor) *lazy.Tensor {
		if x.Dim(0) > 6 {
			return x.AddScalar(1)
		}
		return x.MulScalar(2)
	},
}

// Random programs, recorded at random sizes by one line, compute what the evaluator does with
// numbers. There are fewer compiles than sizes.
func TestRandomProgramsOfManySizes(t *testing.T) {
	const sizes = 6
	programs := trials.Soak(60, 3000)
	steps, compiles := 0, int64(0)
	for seed := range programs {
		r := rand.New(rand.NewPCG(uint64(seed), 7))
		var ops []int
		for range 1 + r.IntN(5) {
			ops = append(ops, r.IntN(len(sizedOps)))
		}
		dev, exact := open(t, "cpu"), open(t, "eval", lazy.StaticShapes())
		tr, want := lazy.NewTrace(dev), lazy.NewTrace(exact)
		square := r.IntN(4) == 0
		for range sizes {
			m, n := 1+r.IntN(9), 1+r.IntN(9)
			if square {
				n = m
			}
			record := func(tr *lazy.Trace) *lazy.Tensor {
				x := lazy.From(tr, sequence(m*n), m, n)
				for _, i := range ops {
					x = sizedOps[i](x)
				}
				return x
			}
			y, z := record(tr), record(want)
			at := fmt.Sprintf("seed %d, ops %v, %d by %d", seed, ops, m, n)
			if z.Err() != nil {
				require.Error(t, y.Err(), at)
				tr, want = lazy.NewTrace(dev), lazy.NewTrace(exact)
				continue
			}
			require.NoError(t, tr.MarkStep(y), at)
			require.NoError(t, want.MarkStep(z), at)
			require.Equal(t, z.Shape(), y.Shape(), at)
			require.InDeltaSlice(t, floats(t, z), floats(t, y), 1e-3, at)
			steps++
		}
		compiles += tr.Report().Compiled
		require.NoError(t, dev.Close())
		require.NoError(t, exact.Close())
	}
	t.Logf("%d steps of %d programs: %d compiles", steps, programs, compiles)
	require.Less(t, 4*compiles, 3*int64(steps), "nearly as many compiles as sizes")
}

// A function that is recorded otherwise for other sizes has no program for all: the error says where.
func TestInputsOfOtherOps(t *testing.T) {
	dev := open(t, "cpu")
	for want, fn := range map[string]func(tr *lazy.Trace, x *lazy.Tensor) *lazy.Tensor{
		`other ops are recorded for other sizes: .*opensizes_test\.go:\d+`: func(tr *lazy.Trace, x *lazy.Tensor) *lazy.Tensor {
			s := lazy.Zeros(tr, lazy.F32)
			for i := range x.Dim(0) {
				s = s.Add(x.Narrow(0, i, 1).Sum())
			}
			return s
		},
		`opensizes_test\.go:\d+: reshape\(f32\[\d+\]\): .* \(with \d+ for n\)`: func(_ *lazy.Trace, x *lazy.Tensor) *lazy.Tensor {
			return x.Reshape(-1, 400)
		},
		`opensizes_test\.go:\d+: constant: a number that differs from size to size is no integer; compute it from Tensor\.Size`: func(_ *lazy.Trace, x *lazy.Tensor) *lazy.Tensor {
			return x.MulScalar(1 / float64(x.Dim(0)))
		},
	} {
		f := lazy.Func(dev, fn)
		require.NoError(t, f.Inputs(lazy.Input{Name: "x", Type: types.Of(lazy.F32, lazy.Dim("n", 1, 10))}))
		_, err := f.Call(t.Context(), lazy.From(dev, sequence(2)))
		require.Error(t, err)
		require.Regexp(t, want, err.Error())
		require.ErrorContains(t, err, "give Inputs numbers instead of Dims")
	}
}

// A function whose Inputs are open compiles one program, at its first call.
func TestFunctionWithInputs(t *testing.T) {
	ctx := context.Background()
	dev := open(t, "cpu")
	f := lazy.Func(dev, encoderLayer)
	require.NoError(t, f.Inputs(lazy.Input{Name: "x", Type: types.Of(lazy.F32, lazy.Dim("batch", 1, 64), lazy.Dim("seq", 1, 32), 8)}))
	tr := lazy.NewTrace(open(t, "eval", lazy.StaticShapes()))
	for i := range 12 {
		b, s := 1+i*7%11, 1+i*5%17 // where nothing is broadcast for a length of 1
		x := sequence(b * s * 8)
		y, err := f.Call(ctx, lazy.From(dev, x, b, s, 8))
		require.NoError(t, err)
		z := encoderLayer(tr, lazy.From(tr, x, b, s, 8))
		require.NoError(t, tr.MarkStep(z))
		require.InDeltaSlice(t, floats(t, z), floats(t, y), 1e-5, "batch %d, length %d", b, s)
	}
	require.EqualValues(t, 1, f.Report().Compiled)
	for want, dims := range map[string][]int{
		`"x" as f32[batch,seq,8]: axis 1 has to be from 1 to 32`: {2, 33, 8},
		`"x" as f32[batch,seq,8]: axis 2 has to be 8`:            {2, 3, 9},
		`argument 0 is f32[4], and Inputs has "x" as`:            {4},
	} {
		n := 1
		for _, d := range dims {
			n *= d
		}
		_, err := f.Call(ctx, lazy.From(dev, sequence(n), dims...))
		require.ErrorContains(t, err, want)
		require.Regexp(t, `^opensizes_test\.go:\d+: func\(.*\(Inputs at opensizes_test\.go:\d+\)$`, err.Error())
	}
	err := f.Inputs(lazy.Input{Name: "x", Type: types.Of(lazy.F32, lazy.Dim("n", 3, 2))})
	require.Regexp(t, `^opensizes_test\.go:\d+: inputs\(\): Dim\("n"\) has no size: it is from 3 to 2$`, err.Error())
}

// A size above those that texts can tell has a program of numbers: as a value it does not wrap.
func TestInputsOfLargeSizes(t *testing.T) {
	dev := open(t, "cpu")
	f := lazy.Func(dev, func(_ *lazy.Trace, x *lazy.Tensor) *lazy.Tensor { return x.Size(0).Add(x.Size(0)) })
	require.NoError(t, f.Inputs(lazy.Input{Name: "x", Type: types.Of(lazy.F32, lazy.Dim("n", 1, 1<<40), 0)}))
	for _, n := range []int{5, 1<<31 - 1, 1 << 31, 3_000_000_000, 1 << 36} {
		y, err := f.Call(t.Context(), lazy.From(dev, []float32{}, n, 0))
		require.NoError(t, err)
		twice, err := lazy.ToSlice[int64](y)
		require.NoError(t, err)
		require.Equal(t, []int64{2 * int64(n)}, twice)
	}
	require.EqualValues(t, 4, f.Report().Compiled)
}

// The error of a frozen function names its arguments as Inputs does.
func TestFrozenFunctionNamesItsInputs(t *testing.T) {
	dev := open(t, "cpu")
	f := lazy.Func(dev, func(_ *lazy.Trace, x *lazy.Tensor) *lazy.Tensor {
		if x.Dim(0) == 1 {
			return x.Tanh()
		}
		return x.Softmax(0)
	})
	require.NoError(t, f.Inputs(lazy.Input{Name: "tokens", Type: types.Of(lazy.F32, lazy.Dim("n", 1, 9))}))
	require.NoError(t, f.Warmup(t.Context()))
	f.Freeze(true)
	_, err := f.Call(t.Context(), lazy.From(dev, ramp(1)))
	require.ErrorIs(t, err, lazy.ErrFrozen)
	require.ErrorContains(t, err, `parameter "tokens" f32[1], was f32[n]`)
}

// The reason of a program is not that of an earlier one of its line, and a size of 0 is told apart.
func TestReasonsOfSizesOfZero(t *testing.T) {
	tr := lazy.NewTrace(open(t, "cpu"))
	for _, n := range []int{32, 17, 0, 1, 5} {
		require.NoError(t, tr.MarkStep(lazy.From(tr, sequence(n*4), n, 4).Tanh().Softmax(0)))
	}
	var all []string
	for _, c := range tr.Report().Compiles {
		all = append(all, c.Reason)
	}
	require.Len(t, all, 3)
	require.Contains(t, all[1], "f32[n,4], was f32[32,4]; nothing: this program is for all sizes")
	require.Contains(t, all[2], "f32[0,4], was f32[n,4], and sizes stay numbers: ")
	require.Contains(t, all[2], "a size of 0 has a program of its own")
	require.Contains(t, all[2], "; skip steps that have no elements, or nothing: there is one more program, for a size of 0")
}

// A size of 1 needs no broadcast and no slice, and has the program for all sizes.
func TestSizeOfOneIsAmongAllSizes(t *testing.T) {
	step := func(tr *lazy.Trace, rows, columns int) *lazy.Tensor {
		x := lazy.From(tr, sequence(rows*columns), rows, columns)
		g := lazy.Grad(x.Softmax(0).Mul(x.MeanKeep(1)).Tanh().Sum(), x)
		return g[0].Add(x.Narrow(0, 0, 1)).Sub(x.Reshape(columns, rows).Transpose().MaxKeep(0)).Reshape(-1, 1)
	}
	tr, static := lazy.NewTrace(open(t, "cpu")), lazy.NewTrace(open(t, "eval", lazy.StaticShapes()))
	for _, s := range [][2]int{{8, 3}, {5, 4}, {6, 7}, {1, 5}, {4, 1}, {1, 1}, {1, 5}, {1, 9}, {3, 3}} {
		y, want := step(tr, s[0], s[1]), step(static, s[0], s[1])
		require.NoError(t, tr.MarkStep(y))
		require.NoError(t, static.MarkStep(want))
		require.InDeltaSlice(t, floats(t, want), floats(t, y), 1e-5, "%v", s)
	}
	require.EqualValues(t, 2, tr.Report().Compiled)
}

// A size that equals a number of the function is one constant with it, and has the program for all sizes.
func TestSizeOfAConstantIsAmongAllSizes(t *testing.T) {
	dev := open(t, "cpu")
	f := lazy.Func(dev, func(_ *lazy.Trace, x []*lazy.Tensor) []*lazy.Tensor {
		return []*lazy.Tensor{x[0].Mean(1).Mean()} // a sum divided by 16, and one by the number of rows
	})
	require.NoError(t, f.Inputs(lazy.Input{Name: "x", Type: types.Of(lazy.F32, lazy.Dim("rows", 1, 64), 16)}))
	for _, rows := range []int{64, 16, 17, 16} {
		y, err := f.Call(t.Context(), lazy.From(dev, sequence(rows*16), rows, 16))
		require.NoError(t, err)
		mean := 0.0
		for _, x := range sequence(rows * 16) {
			mean += float64(x) / float64(rows*16)
		}
		require.InDelta(t, mean, y.Float(), 1e-5, "%d rows", rows)
	}
	require.EqualValues(t, 1, f.Report().Compiled)
}

// Maxima of i64 begin with the least i64, which is the name of no size.
func TestMaximaOfManySizes(t *testing.T) {
	dev := open(t, "cpu", lazy.Compiled())
	tr, other := lazy.NewTrace(dev), lazy.NewTrace(open(t, "eval", lazy.StaticShapes()))
	step := func(tr *lazy.Trace, x []int64) (all [][]int64) {
		a := lazy.From(tr, x, 1, 1, len(x)/4, 4)
		least := lazy.Const(tr, lazy.I64, math.MinInt64)
		ys := []*lazy.Tensor{a.Max(2), a.Max(), a.MaxPool([]int{2, 3}, lazy.PoolOptions{Strides: []int{1, 2}, Padding: [][2]int{{1, 1}, {0, 1}}}),
			a.Maximum(least.BroadcastTo(a.OpenShape()...)).Sub(least), a.Add(a.Size(2))}
		require.NoError(t, tr.MarkStep(ys...))
		for _, y := range ys {
			v, err := lazy.ToSlice[int64](y)
			require.NoError(t, err)
			all = append(all, v)
		}
		return all
	}
	for _, n := range []int{32, 17, 9, 40} {
		x := make([]int64, n*4)
		for i := range x {
			x[i] = math.MinInt64 + int64(i*7%5)<<60 + int64(i%3)
		}
		require.Equal(t, step(other, x), step(tr, x), "%d rows", n)
	}
	require.EqualValues(t, 2, tr.Report().Compiled)
}

// A function with Inputs may call itself, with an end to the recursion.
func TestFunctionWithInputsCallsItself(t *testing.T) {
	ctx := t.Context()
	dev := open(t, "cpu")
	var f *lazy.Function
	f = lazy.Func(dev, func(_ *lazy.Trace, x *lazy.Tensor) *lazy.Tensor {
		if x.Dim(0) == 1 {
			return x.AddScalar(1)
		}
		y, err := f.Call(ctx, lazy.From(dev, []float32{2}))
		require.NoError(t, err)
		return x.Add(y)
	})
	require.NoError(t, f.Inputs(lazy.Input{Name: "x", Type: types.Of(lazy.F32, lazy.Dim("n", 1, 100))}))
	for n := 2; n < 5; n++ {
		y, err := f.Call(ctx, lazy.From(dev, make([]float32, n)))
		require.NoError(t, err)
		require.Equal(t, float32(3), floats(t, y)[n-1])
	}
	require.EqualValues(t, 2, f.Report().Compiled)
}

// A program with gradients of checkpoints is compiled for all sizes.
func TestCheckpointsOfManySizes(t *testing.T) {
	train := func(d *lazy.Device) (*lazy.Trace, []float32) {
		tr := lazy.NewTrace(d)
		w := d.Variable("w", lazy.F32, 4, 4).Init(lazy.Constant(0.25))
		for _, rows := range []int{8, 5, 7, 3} {
			x := lazy.From(tr, sequence(rows*4), rows, 4)
			u := tr.Read(w)
			loss := lazy.Checkpoint(x, func(x *lazy.Tensor) *lazy.Tensor { return x.MatMul(u).Tanh() }).Mean()
			w.Sub_(lazy.Grad(loss, w)[0].MulScalar(0.5))
			require.NoError(t, tr.MarkStep(loss))
		}
		return tr, floats(t, tr.Read(w))
	}
	tr, got := train(open(t, "cpu"))
	_, want := train(open(t, "eval", lazy.StaticShapes()))
	require.InDeltaSlice(t, want, got, 1e-6)
	require.EqualValues(t, 2, tr.Report().Compiled)
}

// Inputs are as many as the function takes.
func TestInputsOfAnotherNumber(t *testing.T) {
	d := open(t, "cpu")
	in := lazy.Input{Name: "x", Type: types.Of(lazy.F32, lazy.Dim("rows", 1, 9), 7)}
	one := lazy.Func(d, func(_ *lazy.Trace, x *lazy.Tensor) *lazy.Tensor { return x })
	two := lazy.Func(d, func(_ *lazy.Trace, x, y *lazy.Tensor) *lazy.Tensor { return x.Add(y) })
	for names, err := range map[string]error{
		"inputs(): it names 1 argument, and the function takes 2;":  two.Inputs(in),
		"inputs(): it names 2 arguments, and the function takes 1;": one.Inputs(in, in),
		"inputs(): it names 0 arguments, and the function takes 1;": one.Inputs(),
	} {
		require.ErrorIs(t, err, lazy.ErrUsage)
		require.ErrorContains(t, err, "opensizes_test.go:")
		require.ErrorContains(t, err, names)
	}
	require.NoError(t, one.Inputs(in))
}

// Top-k of rows of an open length and of any number of rows has one program.
func TestInputsWithTopK(t *testing.T) {
	d := open(t, "cpu", lazy.Compiled())
	f := lazy.Func(d, func(_ *lazy.Trace, x *lazy.Tensor) *lazy.Tensor {
		values, _ := x.TopK(3, -1)
		return values
	})
	require.NoError(t, f.Inputs(lazy.Input{Name: "x", Type: types.Of(lazy.F32, lazy.Dim("rows", 1, 64), lazy.Dim("n", 3, 500))}))
	for i, n := range []int{5, 3, 100, 500, 17} {
		x := make([]float32, (i+1)*n)
		for k := range x {
			x[k] = float32((k * 37) % 101)
		}
		y, err := f.Call(t.Context(), lazy.From(d, x, i+1, n))
		require.NoError(t, err)
		var want []float32
		for r := range i + 1 {
			row := slices.Clone(x[r*n : (r+1)*n])
			slices.SortFunc(row, func(a, b float32) int { return cmp.Compare(b, a) })
			want = append(want, row[:3]...)
		}
		require.Equal(t, want, floats(t, y))
	}
	require.Len(t, f.Report().Compiles, 1)
}

// ofTokens are functions of [batch, seq, 8] that need the number of all tokens or elements.
var ofTokens = []struct {
	name string
	f    func(tr *lazy.Trace, x *lazy.Tensor) *lazy.Tensor
}{
	{"mean", func(tr *lazy.Trace, x *lazy.Tensor) *lazy.Tensor { return x.Mean() }},
	{"cross-entropy", func(tr *lazy.Trace, x *lazy.Tensor) *lazy.Tensor {
		w := lazy.From(tr, sequence(8*8), 8, 8)
		return x.MatMul(w).SwapAxes(1, 2).CrossEntropy(x.ArgMax(2).Convert(lazy.I32))
	}},
	{"reshape", func(tr *lazy.Trace, x *lazy.Tensor) *lazy.Tensor { return x.Reshape(-1).Exp() }},
	{"masked select", func(tr *lazy.Trace, x *lazy.Tensor) *lazy.Tensor { return x.MaskedSelect(x.GreaterScalar(0)) }},
}

// A size is a number times two open sizes in functions with Inputs, and in steps.
func TestOpenSizesTimesANumber(t *testing.T) {
	trials.Sequential(t)
	sizes := [][2]int{{64, 32}, {64, 16}, {32, 20}, {5, 7}, {9, 11}, {64, 31}, {3, 4}, {6, 2}}
	for _, c := range ofTokens {
		t.Run(c.name, func(t *testing.T) {
			dev, exact := open(t, "cpu", lazy.CheckIndices(false)), open(t, "cpu", lazy.StaticShapes())
			f, want := lazy.Func(dev, c.f), lazy.Func(exact, c.f)
			require.NoError(t, f.Inputs(lazy.Input{Name: "x", Type: types.Of(lazy.F32, lazy.Dim("batch", 1, 64), lazy.Dim("seq", 1, 128), 8)}))
			other := open(t, "cpu", lazy.CheckIndices(false))
			tr := lazy.NewTrace(other)
			for _, n := range sizes {
				x := sequence(n[0] * n[1] * 8)
				y, err := f.Call(context.Background(), lazy.From(dev, x, n[0], n[1], 8))
				require.NoError(t, err)
				z, err := want.Call(context.Background(), lazy.From(exact, x, n[0], n[1], 8))
				require.NoError(t, err)
				step := c.f(tr, lazy.From(tr, x, n[0], n[1], 8))
				require.NoError(t, tr.MarkStep(step))
				require.InDeltaSlice(t, floats(t, z), floats(t, y), 1e-5, "%v", n)
				require.InDeltaSlice(t, floats(t, z), floats(t, step), 1e-5, "%v", n)
				require.True(t, slices.Equal(z.Shape(), y.Shape()) && slices.Equal(z.Shape(), step.Shape()), "%v", n)
			}
			require.EqualValues(t, 1, f.Report().Compiled)
			require.EqualValues(t, 3, tr.Report().Compiled, "one of numbers, one for any length, and one for any batch and length")
		})
	}
}

// A language model's loss is trained on batches of any size by at most 3 programs.
func TestLossesOfManySizes(t *testing.T) {
	trials.Sequential(t)
	train := func(d *lazy.Device) (*lazy.Trace, []float32) {
		tr := lazy.NewTrace(d)
		w := d.Variable("w", lazy.F32, 8, 5).Init(lazy.Constant(0.25))
		var losses []float32
		for _, n := range [][2]int{{64, 32}, {64, 16}, {32, 20}, {5, 7}, {9, 11}, {64, 31}, {3, 4}, {6, 2}} {
			labels := make([]int32, n[0]*n[1])
			for i := range labels {
				labels[i] = int32(i * 7 % 5)
			}
			x := lazy.From(tr, sequence(n[0]*n[1]*8), n[0], n[1], 8)
			loss := x.MatMul(tr.Read(w)).Tanh().SwapAxes(1, 2).CrossEntropy(lazy.From(tr, labels, n[0], n[1]))
			w.Sub_(lazy.Grad(loss, w)[0].MulScalar(0.5))
			require.NoError(t, tr.MarkStep(loss))
			losses = append(losses, float32(loss.Float()))
		}
		return tr, append(losses, floats(t, tr.Read(w))...)
	}
	tr, got := train(open(t, "cpu", lazy.CheckIndices(false)))
	_, want := train(open(t, "cpu", lazy.StaticShapes()))
	require.InDeltaSlice(t, want, got, 1e-5)
	require.EqualValues(t, 3, tr.Report().Compiled)
}

// A flag that differs from step to step is no size: each value of it has a program of its own.
func TestFlagsBesideOpenSizes(t *testing.T) {
	scan := func(x *lazy.Tensor, reverse bool) *lazy.Tensor {
		carry, _ := lazy.Scan(func(_ *lazy.Trace, carry, xs []*lazy.Tensor) (next, ys []*lazy.Tensor) {
			return []*lazy.Tensor{carry[0].MulScalar(0.5).Add(xs[0])}, nil
		}, []*lazy.Tensor{x.Sum().MulScalar(0)}, []*lazy.Tensor{x}, lazy.ScanOptions{Reverse: reverse})
		return carry[0]
	}
	for name, f := range map[string]func(x *lazy.Tensor, flag bool) *lazy.Tensor{
		"descending": func(x *lazy.Tensor, flag bool) *lazy.Tensor { y, _ := x.Sort(0, flag); return y },
		"reverse":    scan,
	} {
		tr, want := lazy.NewTrace(open(t, "cpu")), lazy.NewTrace(open(t, "eval", lazy.StaticShapes()))
		for _, c := range []struct {
			n    int
			flag bool
		}{{40, false}, {70, true}, {5, false}, {9, true}, {11, false}, {60, true}} {
			y, exact := f(lazy.From(tr, sequence(c.n)), c.flag), f(lazy.From(want, sequence(c.n)), c.flag)
			require.NoError(t, tr.MarkStep(y))
			require.NoError(t, want.MarkStep(exact))
			require.InDeltaSlice(t, floats(t, exact), floats(t, y), 1e-4, "%s %v of %d", name, c.flag, c.n)
		}
		require.LessOrEqual(t, int(tr.Report().Compiled), 4, name)
	}
}

// Indices beyond the rows are clamped where sizes are open, too, whatever integers they are.
func TestIndicesBeyondOpenSizes(t *testing.T) {
	tr := lazy.NewTrace(open(t, "cpu", lazy.CheckIndices(false)))
	for _, d := range []types.DType{lazy.U8, lazy.U16, lazy.U32, lazy.U64, lazy.I8, lazy.I16, lazy.I32, lazy.I64} {
		for _, n := range []int{4, 7, 5} {
			x := lazy.From(tr, sequence(n), n)
			i := lazy.From(tr, []int32{100, 0, int32(n), 1}, 4).Convert(d)
			y := x.Gather(i)
			g := lazy.Grad(y.Sum(), x)[0]
			require.NoError(t, tr.MarkStep(y, g))
			want := make([]float32, n)
			want[0], want[1], want[n-1] = 1, 1, 2
			require.Equal(t, want, floats(t, g), "%v, %d rows", d, n)
		}
	}
}

// A table of 64 positions of which a step takes as many as there are rows, and padding up to 64, leave
// out 64 - n rows: that is a size of its own kind.
func TestPositionsOfAllSizesAreOneCompile(t *testing.T) {
	d := open(t, "cpu")
	tr := lazy.NewTrace(d)
	table := d.Variable("table", lazy.F32, 64, 3)
	for _, n := range []int{3, 9, 10, 31, 63, 64} {
		x := lazy.From(tr, slices.Repeat([]float32{1}, 3*n), n, 3)
		loss := x.Add(tr.Read(table).Narrow(0, 0, n)).Mul(x).Sum()
		table.Sub_(lazy.Grad(loss, table)[0])
		padded := lazy.Concatenate(0, x, lazy.Zeros(tr, lazy.F32, 64-n, 3))
		require.NoError(t, tr.MarkStep(padded))
		require.Equal(t, []int{64, 3}, []int(padded.Shape()))
		sum := 0.0
		for _, v := range floats(t, padded) {
			sum += float64(v)
		}
		require.Equal(t, float64(3*n), sum)
	}
	require.EqualValues(t, 2, counter(d, "UncachedCompile"))
}

// Attention of no keys is zero, also where their number is open: in PyTorch, too.
func TestAttentionOfOpenKeysThatAreNone(t *testing.T) {
	dev := open(t, "cpu")
	f := lazy.Func(dev, func(_ *lazy.Trace, xs []*lazy.Tensor) []*lazy.Tensor {
		y := xs[0].Attention(xs[1], xs[2], lazy.AttentionOptions{})
		masked := xs[0].Attention(xs[1], xs[2], lazy.AttentionOptions{Mask: xs[3]})
		return append(lazy.Grad(y.Sum(), xs[:3]...), y, masked)
	})
	n := lazy.Dim("n", 0, 9)
	require.NoError(t, f.Inputs(lazy.Input{Name: "q", Type: types.Of(types.F32, 1, 1, 2, 3)}, lazy.Input{Name: "k", Type: types.Of(types.F32, 1, 1, n, 3)},
		lazy.Input{Name: "v", Type: types.Of(types.F32, 1, 1, n, 4)}, lazy.Input{Name: "mask", Type: types.Of(types.Bool, 2, n)}))
	for _, k := range []int{3, 0} {
		ys, err := f.CallAll(t.Context(), lazy.From(dev, sequence(6), 1, 1, 2, 3), lazy.From(dev, sequence(3*k), 1, 1, k, 3), lazy.From(dev, sequence(4*k), 1, 1, k, 4), lazy.From(dev, make([]bool, 2*k), 2, k))
		require.NoError(t, err)
		for i, y := range ys {
			got, err := lazy.ToSlice[float32](y)
			require.NoError(t, err)
			if k == 0 || i == 4 { // a mask that allows no key
				require.Equal(t, make([]float32, y.Type().Elements()), got, i)
			} else {
				require.NotEqual(t, make([]float32, y.Type().Elements()), got, i)
			}
		}
	}
}

// A number of a function may be the size that it is recorded for: one constant is both there.
func TestNumbersThatAreSizes(t *testing.T) {
	for _, v := range []float64{3, 4, 8, 9} {
		dev := open(t, "cpu")
		f := lazy.Func(dev, func(_ *lazy.Trace, x *lazy.Tensor) *lazy.Tensor { return x.MulScalar(v).Mean() })
		require.NoError(t, f.Inputs(lazy.Input{Name: "x", Type: types.Of(lazy.F32, lazy.Dim("n", 1, 9))}))
		for n := 1; n <= 9; n++ {
			y, err := f.Call(t.Context(), lazy.From(dev, slices.Repeat([]float32{2}, n)))
			require.NoError(t, err, "%v times %d", v, n)
			require.InDelta(t, 2*v, floats(t, y)[0], 1e-5, "%v times %d", v, n)
		}
	}
}
