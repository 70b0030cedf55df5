package lazy_test

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/internal/trials"
	"ltc/ir/types"
	"ltc/lazy"
	"ltc/soa"
)

// masks returns random masks of n elements, with none and all among them.
func masks(n, count int) [][]bool {
	r := rand.New(rand.NewPCG(uint64(n), 3))
	all := make([][]bool, count)
	for i := range all {
		share := r.Float64()
		if i < 2 {
			share = float64(i)
		}
		all[i] = make([]bool, n)
		for k := range all[i] {
			all[i][k] = r.Float64() < share
		}
	}
	return all
}

// One compile serves all counts, and the tensors of a step that has run have their sizes.
func TestSizesThatFollowFromData(t *testing.T) {
	trials.Sequential(t)
	for _, device := range []string{"cpu", "eval"} {
		t.Run(device, func(t *testing.T) {
			d := open(t, device)
			tr := lazy.NewTrace(d)
			x := make([]float32, 60)
			for i := range x {
				x[i] = float32(i) - 20.5
			}
			for i, m := range masks(60, 50) {
				a := lazy.From(tr, x, 5, 12)
				mask := lazy.From(tr, m, 5, 12)
				y := a.MaskedSelect(mask)
				at := mask.Nonzero()
				twice := y.MulScalar(2)
				sum := y.Sum()
				mean := y.Mean()
				big := y.MaskedSelect(y.Greater(y.MulScalar(0)))
				require.NoError(t, tr.MarkStep(twice, at, sum, big, mean), "%d", i)
				var want, wantBig []float32
				var wantAt []int64
				total := float32(0)
				for k, v := range m {
					if v {
						want, total = append(want, 2*x[k]), total+x[k]
						wantAt = append(wantAt, int64(k/12), int64(k%12))
						if x[k] > 0 {
							wantBig = append(wantBig, x[k])
						}
					}
				}
				require.Equal(t, []int{len(want)}, []int(twice.Shape()))
				require.Equal(t, []int{len(want), 2}, []int(at.Shape()))
				got, err := lazy.ToSlice[float32](twice)
				require.NoError(t, err)
				require.ElementsMatch(t, want, got)
				places, err := lazy.ToSlice[int64](at)
				require.NoError(t, err)
				require.Equal(t, fmt.Sprint(wantAt), fmt.Sprint(places))
				require.InDelta(t, total, sum.Float(), 1e-3)
				if len(want) > 0 {
					require.InDelta(t, total/float32(len(want)), mean.Float(), 1e-3)
				}
				got, err = lazy.ToSlice[float32](big)
				require.NoError(t, err)
				require.Equal(t, fmt.Sprint(wantBig), fmt.Sprint(got))
			}
			require.Len(t, tr.Report().Compiles, 1)
		})
	}
}

// A function has sizes that follow from data, too, in products and gradients.
func TestFunctionsWithSizesThatFollowFromData(t *testing.T) {
	trials.Sequential(t)
	d := open(t, "cpu", lazy.Compiled())
	w := lazy.SetValues(d.Variable("w", lazy.F32, 3, 2), []float32{1, 2, 3, 4, 5, 6})
	f := lazy.Func(d, func(_ *lazy.Trace, x, mask *lazy.Tensor) *lazy.Tensor {
		return x.SelectRows(mask).MatMul(w).Tanh()
	})
	g := lazy.Func(d, func(_ *lazy.Trace, xs []*lazy.Tensor) []*lazy.Tensor {
		x, mask := xs[0], xs[1]
		y := x.SelectRows(mask)
		grads := lazy.Grad(y.MatMul(w).Mul(y.MatMul(w)).Mean().Add(x.MaskedSelect(x.Greater(x.MulScalar(0))).Sum()), x, w)
		return append(grads, y.Size(0))
	})
	dense := lazy.Func(d, func(_ *lazy.Trace, xs []*lazy.Tensor) []*lazy.Tensor {
		x, mask := xs[0], xs[1]
		on := mask.Convert(lazy.F32).Reshape(-1, 1)
		y := x.MatMul(w).Mul(on)
		positive := x.Greater(x.MulScalar(0)).Convert(lazy.F32)
		grads := lazy.Grad(y.Mul(y).Sum().Div(on.Sum().MulScalar(2)).Add(x.Mul(positive).Sum()), x, w)
		return grads
	})
	x := make([]float32, 21)
	for i := range x {
		x[i] = float32(i%5) - 2.25
	}
	for i, m := range masks(7, 30) {
		a, mask := lazy.From(d, x, 7, 3), lazy.From(d, m, 7)
		y, err := f.Call(t.Context(), a, mask)
		require.NoError(t, err)
		n := 0
		for _, on := range m {
			if on {
				n++
			}
		}
		require.Equal(t, []int{n, 2}, []int(y.Shape()))
		if n == 0 {
			continue // a mean of nothing
		}
		got, err := g.CallAll(t.Context(), a, mask)
		require.NoError(t, err)
		want, err := dense.CallAll(t.Context(), a, mask)
		require.NoError(t, err)
		for k := range want {
			require.InDeltaSlice(t, floats(t, want[k]), floats(t, got[k]), 1e-4, "%d: %d", i, k)
		}
		require.Equal(t, float64(n), got[2].Float())
	}
	require.Len(t, f.Report().Compiles, 1)
	require.Len(t, g.Report().Compiles, 1)
}

// Unique, with the places and the counts of the values.
func TestUnique(t *testing.T) {
	trials.Sequential(t)
	tr := lazy.NewTrace(open(t, "cpu", lazy.Compiled()))
	r := rand.New(rand.NewPCG(5, 5))
	for range 20 {
		x := make([]int32, 24)
		most := 1 + r.Int32N(24)
		for i := range x {
			x[i] = r.Int32N(most)
		}
		a := lazy.From(tr, x, 4, 6)
		values, inverse, counts := a.UniqueAll()
		back := values.Gather(inverse)
		require.NoError(t, tr.MarkStep(values, inverse, counts, back))
		v, err := lazy.ToSlice[int32](values)
		require.NoError(t, err)
		require.IsIncreasing(t, append([]int32{-1}, v...))
		same, err := lazy.ToSlice[int32](back)
		require.NoError(t, err)
		require.Equal(t, x, same)
		n, err := lazy.ToSlice[int64](counts)
		require.NoError(t, err)
		require.Len(t, n, len(v))
		for i := range v {
			of := 0
			for _, e := range x {
				if e == v[i] {
					of++
				}
			}
			require.EqualValues(t, of, n[i])
		}
	}
	require.Len(t, tr.Report().Compiles, 1)
}

// Unique of elements that were selected gives none if none was.
func TestUniqueOfSelected(t *testing.T) {
	trials.Sequential(t)
	for _, device := range []string{"cpu", "eval"} {
		tr := lazy.NewTrace(open(t, device))
		x := []float32{0, 3, 0, 2, 3, 0}
		for i, m := range masks(6, 8) {
			y := lazy.From(tr, x, 6).MaskedSelect(lazy.From(tr, m, 6)).Unique()
			require.NoError(t, tr.MarkStep(y), "%d", i)
			var want []float32
			for k, on := range m {
				if on && !slices.Contains(want, x[k]) {
					want = append(want, x[k])
				}
			}
			slices.Sort(want)
			require.Equal(t, fmt.Sprint(want), fmt.Sprint(floats(t, y)), "%s, %d", device, i)
		}
	}
}

// The text of an exported function has its results, and no others that tell sizes.
func TestExportOfSizesThatFollowFromData(t *testing.T) {
	d := open(t, "cpu")
	f := lazy.Func(d, func(_ *lazy.Trace, x *lazy.Tensor) *lazy.Tensor {
		y := x.MaskedSelect(x.Greater(x.MulScalar(0)))
		return y.MaskedSelect(y.Less(y.MulScalar(0).AddScalar(3))).MulScalar(2)
	})
	for _, names := range [][]string{nil, {"y"}} {
		e, err := f.Export([]lazy.Input{{Name: "x", Type: types.Of(lazy.F32, 6)}}, names...)
		require.NoError(t, err)
		for _, device := range []string{"cpu", "eval"} {
			b, err := backends.Open(device)
			require.NoError(t, err)
			x, err := b.Compile(t.Context(), backends.NewModule(e.Text), backends.Options{})
			require.NoError(t, err)
			require.Len(t, x.Signature().Results, 1)
			c := &backends.Call{Args: []soa.View{soa.Make(types.Of(lazy.F32, 6))}}
			copy(soa.Slice[float32](c.Args[0]), []float32{1, -2, 4, 2, 0, 5})
			require.NoError(t, x.Execute(t.Context(), c))
			require.Equal(t, []float32{2, 4}, soa.Slice[float32](c.Results[0]))
		}
	}
}

// Exported texts of open inputs have no sizes that follow from data, and their errors say that. Calls
// have them: one compile serves all sizes of inputs and all masks.
func TestOpenInputsAndSizesOfData(t *testing.T) {
	d := open(t, "cpu", lazy.CheckIndices(false)) // which keeps sizes numbers
	f := lazy.Func(d, func(_ *lazy.Trace, x *lazy.Tensor) *lazy.Tensor {
		return x.MaskedSelect(x.Greater(x.MulScalar(0))) // the op
	})
	in := lazy.Input{Name: "x", Type: types.Of(lazy.F32, lazy.Dim("n", 1, 20))}
	_, err := f.Export([]lazy.Input{in})
	require.ErrorIs(t, err, lazy.ErrUsage)
	require.ErrorContains(t, err, "counted_test.go:")
	require.ErrorContains(t, err, "a size follows from data, and programs whose inputs have open sizes have none; give the inputs numbers")
	require.NoError(t, f.Inputs(in))
	for n := 2; n <= 20; n++ { // of one element other ops are recorded
		x, want := make([]float32, n), []float32{}
		for i := range x {
			if x[i] = float32((7*i)%5 - 2); x[i] > 0 {
				want = append(want, x[i])
			}
		}
		y, err := f.Call(t.Context(), lazy.From(d, x, n))
		require.NoError(t, err)
		require.Equal(t, fmt.Sprint(want), fmt.Sprint(floats(t, y)))
	}
	require.Len(t, f.Report().Compiles, 1)
}

// A step that reads a tensor of such a size goes on with the size; the next step has the number.
func TestSizesOfDataAreReadMidway(t *testing.T) {
	tr := lazy.NewTrace(open(t, "cpu"))
	w := lazy.SetValues(tr.Device().Variable("w", lazy.F32, 2), []float32{1, 1})
	for i, m := range masks(6, 8) {
		x := lazy.From(tr, []float32{1, 2, 3, 4, 5, 6}, 6).Add(tr.Read(w).Sum().MulScalar(0))
		y := x.MaskedSelect(lazy.From(tr, m, 6))
		n := len(floats(t, y))
		z := y.Add(y.MulScalar(2))
		w.Add_(y.Sum().MulScalar(0))
		require.NoError(t, tr.MarkStep(z), "%d", i)
		require.Equal(t, n, z.Dim(0))
		next := z.MulScalar(2)
		require.Equal(t, n, next.Dim(0))
		require.NoError(t, tr.MarkStep(next))
		require.Len(t, floats(t, next), n)
	}
}

// More elements than the bound are an error at the line of the op, and no variable changes.
func TestSizesOfDataBeyondTheirBound(t *testing.T) {
	for _, device := range []string{"cpu", "eval"} {
		tr := lazy.NewTrace(open(t, device))
		w := lazy.SetValues(tr.Device().Variable("w", lazy.F32, 2), []float32{1, 1})
		step := func(m []bool) error {
			y := lazy.From(tr, []float32{1, 2, 3, 4}, 4).MaskedSelect(lazy.From(tr, m, 4), 2) // the op
			w.Add_(y.Sum())
			if err := tr.MarkStep(); err != nil {
				return err
			}
			return tr.Wait(t.Context())
		}
		require.NoError(t, step([]bool{true, false, false, true}))
		require.Equal(t, []float32{6, 6}, floats(t, w))
		err := step([]bool{true, true, false, true})
		require.ErrorContains(t, err, "counted_test.go:")
		require.ErrorContains(t, err, "masked_select(): the data have 3 elements to select, and the bound is 2; give it a larger bound, or select fewer elements")
		require.Equal(t, []float32{6, 6}, floats(t, w))
	}
}

// Numbers of elements that change from step to step, too, give what the mask holds.
func TestSizesOfDataOfSeveralSizes(t *testing.T) {
	for _, bound := range [][]int{nil, {40}} {
		tr := lazy.NewTrace(open(t, "cpu"))
		for _, n := range []int{10, 20, 30, 15, 10, 40, 0, 20} {
			x := make([]float32, n)
			for i := range x {
				x[i] = float32(i%3) - 1
			}
			a := lazy.From(tr, x, n)
			y := a.MaskedSelect(a.Greater(a.MulScalar(0)), bound...)
			sum := y.Sum()
			require.NoError(t, tr.MarkStep(y, sum), "%d", n)
			require.Equal(t, n/3, y.Dim(0), "%d", n)
			require.InDelta(t, n/3, sum.Float(), 1e-6)
		}
	}
}

// More elements than the bound are an error in programs of any size, too.
func TestSizesOfDataBeyondTheirBoundBesideOpenSizes(t *testing.T) {
	tr := lazy.NewTrace(open(t, "cpu", lazy.CheckIndices(false)))
	step := func(n, hold int) error {
		mask := make([]bool, n)
		for i := range hold {
			mask[i] = true
		}
		x := lazy.Iota(tr, lazy.F32, 0, n)
		y := x.MaskedSelect(lazy.From(tr, mask, n), 5) // the op
		sum := y.Sum()
		if err := tr.MarkStep(y, sum); err != nil {
			return err
		}
		if err := tr.Wait(t.Context()); err != nil {
			return err
		}
		require.Equal(t, hold, y.Dim(0))
		require.EqualValues(t, hold*(hold-1)/2, sum.Float())
		return nil
	}
	for _, n := range []int{10, 20, 30, 17} {
		require.NoError(t, step(n, 5))
		require.NoError(t, step(n, 0))
		require.ErrorContains(t, step(n, 6), "masked_select(): the data have 6 elements to select, and the bound is 5; ")
	}
	require.NoError(t, step(3, 3))
	require.NoError(t, step(4, 2))
	require.LessOrEqual(t, len(tr.Report().Compiles), 3, "%v", tr.Report().Compiles)
}

// The error of more elements names the bound that the op was given.
func TestLargeBoundsOfSizesOfData(t *testing.T) {
	trials.Sequential(t)
	for _, bound := range []int{99, 100, 1001} {
		tr := lazy.NewTrace(open(t, "cpu", lazy.CheckIndices(false)))
		step := func(n, hold int) error {
			mask := make([]bool, n)
			for i := range hold {
				mask[i] = true
			}
			y := lazy.Iota(tr, lazy.I64, 0, n).MaskedSelect(lazy.From(tr, mask, n), bound) // the op
			sum := y.Sum()
			if err := tr.MarkStep(y, sum); err != nil {
				return err
			}
			if err := tr.Wait(t.Context()); err != nil {
				return err
			}
			require.Equal(t, hold, y.Dim(0))
			require.EqualValues(t, hold*(hold-1)/2, sum.Float())
			return nil
		}
		for _, more := range []int{100, 200, 300, 30, 3} {
			n := bound + more
			require.NoError(t, step(n, bound))
			for over := 1; over <= 3; over++ {
				err := step(n, bound+over)
				require.ErrorContains(t, err, "counted_test.go:")
				require.ErrorContains(t, err, fmt.Sprintf("masked_select(): the data have %d elements to select, and the bound is %d;", bound+over, bound), "%d elements", n)
			}
		}
		require.LessOrEqual(t, len(tr.Report().Compiles), 2, "%v", tr.Report().Compiles)
	}
}

// Sorts of sizes that follow from data are compiled, for none and for one as well.
func TestSortsOfSizesOfData(t *testing.T) {
	tr := lazy.NewTrace(open(t, "cpu", lazy.Compiled()))
	x := make([]float32, 60)
	for i := range x {
		x[i] = float32((i*37)%60) - 20.5
	}
	all := masks(60, 20)
	all[2] = make([]bool, 60)
	all[2][7] = true
	for i, m := range all {
		y, places := lazy.From(tr, x).MaskedSelect(lazy.From(tr, m)).Sort(0, false)
		require.NoError(t, tr.MarkStep(y, places), "%d", i)
		var kept []float32
		for k, v := range m {
			if v {
				kept = append(kept, x[k])
			}
		}
		at := map[float32]int64{}
		for k, v := range kept {
			at[v] = int64(k)
		}
		slices.Sort(kept)
		var want []int64
		for _, v := range kept {
			want = append(want, at[v])
		}
		got, err := lazy.ToSlice[float32](y)
		require.NoError(t, err)
		require.Equal(t, fmt.Sprint(kept), fmt.Sprint(got))
		order, err := lazy.ToSlice[int64](places)
		require.NoError(t, err)
		require.Equal(t, fmt.Sprint(want), fmt.Sprint(order))
	}
	require.EqualValues(t, 1, tr.Report().Compiled)
}

// What a size that follows from data is not for is an error with the line that selects, and what to
// do: never a number that means nothing.
func TestSizesOfDataAreNoNumbers(t *testing.T) {
	d := open(t, "cpu")
	r := lazy.NewRandom(d, 3)
	const from, two = ": masked_select follows from the data of counted_test.go:", ", masked_select_2 follows from the data of counted_test.go:"
	const mask = "; select by one mask what belongs together, or keep all elements and use Where"
	const dim = "; compute with Size(0), a tensor, pass it on with OpenDim(0), or read it after MarkStep"
	for name, c := range map[string]struct {
		of   func(x, y, z *lazy.Tensor) *lazy.Tensor
		want []string
	}{
		"dim":    {func(_, y, _ *lazy.Tensor) *lazy.Tensor { return y.MulScalar(1 / float64(y.Dim(0))) }, []string{"dim(f32[masked_select]): dimension 0 is no number before the step has run" + from, dim}},
		"shape":  {func(_, y, _ *lazy.Tensor) *lazy.Tensor { return y.Reshape(y.Shape()...) }, []string{"dimension 0 is no number before the step has run" + from, dim}},
		"add":    {func(_, y, z *lazy.Tensor) *lazy.Tensor { return y.Add(z) }, []string{"add(f32[masked_select], f32[masked_select_2])", "which may differ" + from, two, mask}},
		"matmul": {func(_, y, z *lazy.Tensor) *lazy.Tensor { return y.MatMul(z) }, []string{"inner dimensions differ: masked_select and masked_select_2" + from, two, mask}},
		"number": {func(x, y, _ *lazy.Tensor) *lazy.Tensor { return x.Add(y) }, []string{"which may differ" + from, mask}},
		"random": {func(_, y, _ *lazy.Tensor) *lazy.Tensor { return r.Uniform(y.Trace(), lazy.F32, y.OpenDim(0)) }, []string{"uniform(): sizes of [masked_select] are open, and a draw takes a number of words that is known when it is recorded; draw for the most elements"}},
		"slice":  {func(_, y, _ *lazy.Tensor) *lazy.Tensor { return y.Slice([]int{0}, []int{-3}, []int{1}) }, []string{"0:-3 is out of bounds for dimension masked_select", "write limits by SizeSub: 0:masked_select - 3"}},
		"go":     {func(_, y, _ *lazy.Tensor) *lazy.Tensor { return y.Narrow(0, 0, y.OpenDim(0)-1) }, []string{"counted_test.go:", "compute with sizes that are open by SizeAdd, SizeSub, SizeMul and SizeDiv"}},
	} {
		t.Run(name, func(t *testing.T) {
			tr := lazy.NewTrace(d)
			x := lazy.From(tr, []float32{1, 2, 3, 4, 5, 6}, 6)
			y, z := x.MaskedSelect(x.GreaterScalar(2)), x.MaskedSelect(x.GreaterScalar(3))
			err := tr.MarkStep(c.of(x, y, z))
			require.ErrorContains(t, err, "counted_test.go:")
			for _, want := range c.want {
				require.ErrorContains(t, err, want)
			}
			require.True(t, name == "go" || !regexp.MustCompile(`\d{12}`).MatchString(err.Error()), "a name as a number: %v", err)
			y = x.MaskedSelect(x.GreaterScalar(2))
			mean := y.Sum().Div(y.Size(0).Convert(lazy.F32))
			require.NoError(t, tr.MarkStep(y, mean))
			require.Equal(t, 4, y.Dim(0))
			require.Equal(t, 4.5, mean.Float())
		})
	}
}

// A size of data of a step that has ended, of a tensor that was not kept, is an error.
func TestSizesOfDataOfEarlierSteps(t *testing.T) {
	tr := lazy.NewTrace(open(t, "cpu"))
	x := lazy.From(tr, []float32{1, 2, 3}, 3)
	y := x.MaskedSelect(x.GreaterScalar(2)) // not kept
	require.NoError(t, tr.MarkStep(y.Sum()))
	require.Zero(t, y.Dim(0))
	require.ErrorIs(t, tr.MarkStep(), lazy.ErrStale)
}

// Random programs of selections, one after the other, and ops between them are the same on cpu and
// on the evaluator, for masks of any share.
func TestRandomProgramsWithSizesOfData(t *testing.T) {
	for seed := range uint64(trials.Soak(6, 400)) {
		plan := rand.New(rand.NewPCG(seed, 9))
		n, depth := 1+plan.IntN(40), 1+plan.IntN(3)
		ops := make([]int, 12)
		for i := range ops {
			ops[i] = plan.IntN(7)
		}
		var traces []*lazy.Trace
		for _, device := range []string{"cpu", "eval"} {
			traces = append(traces, lazy.NewTrace(open(t, device)))
		}
		program := func(tr *lazy.Trace, x []float32, cut float64) []*lazy.Tensor {
			y := lazy.From(tr, x, n)
			results := []*lazy.Tensor{}
			for k := range depth {
				for _, op := range ops[4*k : 4*k+4] {
					switch op {
					case 0:
						y = y.Tanh()
					case 1:
						y = y.Add(y.MulScalar(0.5))
					case 2:
						results = append(results, y.Sum())
					case 3:
						y = y.Reshape(-1, 1).MatMul(lazy.Ones(tr, lazy.F32, 1, 3)).Sum(1)
					case 4:
						results = append(results, y.Size(0))
					case 5:
						y = y.Add(lazy.Iota(tr, lazy.F32, 0, y.OpenDim(0)).MulScalar(0.01))
					case 6:
						y, _ = y.Sort(0, k == 0)
					}
				}
				y = y.MaskedSelect(y.Greater(y.MulScalar(0).AddScalar(cut)))
			}
			return append(results, y, y.Nonzero())
		}
		for i := range 6 {
			x := make([]float32, n)
			for k := range x {
				x[k] = float32(plan.NormFloat64())
			}
			cut := []float64{0, -100, 100}[min(i, 2)] // some, all, none
			var want, got []*lazy.Tensor
			for k, to := range []*[]*lazy.Tensor{&got, &want} {
				*to = program(traces[k], x, cut)
				require.NoError(t, traces[k].MarkStep(*to...), "seed %d, step %d", seed, i)
			}
			for k := range want {
				require.Equal(t, want[k].Type(), got[k].Type(), "seed %d, step %d, result %d", seed, i, k)
				if want[k].DType() == lazy.F32 {
					require.InDeltaSlice(t, floats(t, want[k]), floats(t, got[k]), 1e-4, "seed %d, step %d, result %d", seed, i, k)
				}
			}
		}
		require.LessOrEqual(t, len(traces[0].Report().Compiles), 3, "one for each cut, a constant of the program")
	}
}

// Steps of any number of elements and any masks have one program after the second number, and give
// what programs of numbers give on the evaluator.
func TestSizesOfDataBesideOpenSizes(t *testing.T) {
	trials.Sequential(t)
	for name, step := range map[string]func(tr *lazy.Trace, x []float32, mask []bool) []*lazy.Tensor{
		"of a list": func(tr *lazy.Trace, x []float32, mask []bool) []*lazy.Tensor {
			a := lazy.From(tr, x, len(x))
			y := a.MaskedSelect(lazy.From(tr, mask, len(x)))
			return []*lazy.Tensor{y, y.Sum(), y.Size(0), y.MulScalar(2).Size(0).Mul(a.Size(0))}
		},
		"of rows": func(tr *lazy.Trace, x []float32, mask []bool) []*lazy.Tensor {
			a := lazy.From(tr, x, len(x)/4, 4)
			w := lazy.Iota(tr, lazy.F32, 0, 4, 3)
			y := a.SelectRows(lazy.From(tr, mask[:len(x)/4], len(x)/4)).MatMul(w)
			return []*lazy.Tensor{y, y.MatMul(a.MatMul(w).Transpose()).Mean(), a.Greater(a.MulScalar(0)).Nonzero()}
		},
		"twice": func(tr *lazy.Trace, x []float32, mask []bool) []*lazy.Tensor {
			a := lazy.From(tr, x, len(x))
			y := a.MaskedSelect(lazy.From(tr, mask, len(x)))
			z := y.MaskedSelect(y.Greater(y.MulScalar(0)))
			return []*lazy.Tensor{y, z, lazy.Concatenate(0, z, z).Sum(), z.Mean()}
		},
		"with a bound": func(tr *lazy.Trace, x []float32, mask []bool) []*lazy.Tensor {
			a := lazy.From(tr, x, len(x))
			y := a.MaskedSelect(lazy.From(tr, mask, len(x)).And(lazy.Iota(tr, lazy.I32, 0, len(x)).LessScalar(40)), 50)
			return []*lazy.Tensor{y, y.Sum()}
		},
		"with gradients": func(tr *lazy.Trace, x []float32, mask []bool) []*lazy.Tensor {
			a := lazy.From(tr, x, len(x))
			y := a.MaskedSelect(lazy.From(tr, mask, len(x)))
			return append(lazy.Grad(y.Mul(y).Sum(), a), y)
		},
	} {
		t.Run(name, func(t *testing.T) {
			tr := lazy.NewTrace(open(t, "cpu", lazy.Compiled(), lazy.CheckIndices(false))) // which keeps sizes numbers
			oracle := lazy.NewTrace(open(t, "eval", lazy.StaticShapes()))
			r := rand.New(rand.NewPCG(1, 2))
			for i := range trials.Soak(20, 200) {
				n := 4 * (1 + r.IntN(60))
				x := make([]float32, n)
				for k := range x {
					x[k] = float32(r.NormFloat64())
				}
				mask := masks(n, 3+i)[2+i]
				got, want := step(tr, x, mask), step(oracle, x, mask)
				for k := range want {
					got[k], want[k] = got[k].Convert(lazy.F64), want[k].Convert(lazy.F64)
				}
				require.NoError(t, tr.MarkStep(got...), "%d elements", n)
				require.NoError(t, oracle.MarkStep(want...))
				for k := range want {
					require.Equal(t, want[k].Type(), got[k].Type(), "%d elements, result %d", n, k)
					a, err := lazy.ToSlice[float64](want[k])
					require.NoError(t, err)
					b, err := lazy.ToSlice[float64](got[k])
					require.NoError(t, err)
					require.InDeltaSlice(t, a, b, 1e-3, "%d elements, result %d", n, k)
				}
			}
			require.LessOrEqual(t, len(tr.Report().Compiles), 3, "%v", tr.Report().Compiles)
		})
	}
}

// Functions with open inputs have that error, too: the slice's dimension is the bound or fewer.
func TestBoundsOfSizesOfDataInFunctions(t *testing.T) {
	d := open(t, "cpu", lazy.CheckIndices(false))
	f := lazy.Func(d, func(_ *lazy.Trace, x, mask *lazy.Tensor) *lazy.Tensor {
		return x.MaskedSelect(mask, 100) // the op
	})
	n := lazy.Dim("n", 1, 4000)
	require.NoError(t, f.Inputs(lazy.Input{Name: "x", Type: types.Of(lazy.F32, n)}, lazy.Input{Name: "mask", Type: types.Of(types.Bool, n)}))
	call := func(n, hold int) error {
		mask := make([]bool, n)
		for i := range hold {
			mask[i] = true
		}
		y, err := f.Call(t.Context(), lazy.From(d, make([]float32, n)), lazy.From(d, mask))
		if err == nil {
			_, err = y.Value()
		}
		return err
	}
	for _, n := range []int{300, 200, 3000} {
		require.NoError(t, call(n, 100))
		err := call(n, 103)
		require.ErrorContains(t, err, "counted_test.go:")
		require.ErrorContains(t, err, "a size that follows from data is 103, and can be at most 100; give it a larger bound")
	}
	require.NoError(t, call(40, 40))
	require.Len(t, f.Report().Compiles, 1)
}

// What an op needs of a size that data tell fails where there are fewer, at the line of the op.
func TestFewerThanAnOpNeeds(t *testing.T) {
	for name, c := range map[string]struct {
		of   func(x *lazy.Tensor) *lazy.Tensor
		want string
	}{
		"select": {func(x *lazy.Tensor) *lazy.Tensor { return x.Select(0, 0) }, "the range [0:1] is not in dimension 0 of tensor<0x2xf32>"},
		"narrow": {func(x *lazy.Tensor) *lazy.Tensor { return x.Narrow(0, 1, 2) }, "the range [1:3] is not in dimension 0 of tensor<0x2xf32>"},
		"top_k":  {func(x *lazy.Tensor) *lazy.Tensor { y, _ := x.TopK(3, 0); return y }, "ltc.top_k: stablehlo.slice: run:"},
	} {
		tr := lazy.NewTrace(open(t, "cpu"))
		x := lazy.From(tr, []float32{1, 2, 3, 4, 5, 6}, 3, 2)
		y := c.of(x.SelectRows(x.Select(1, 0).GreaterScalar(8)))
		err := tr.MarkStep(y)
		if err == nil {
			err = tr.Wait(t.Context())
		}
		require.ErrorContains(t, err, c.want, name)
		require.Regexp(t, `^step 1: .*counted_test\.go:\d+: `, err.Error(), name)
		_, err = y.Value()
		require.Error(t, err)
		require.NotContains(t, err.Error(), "restride")
	}
}
