package lazy_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/lazy"
)

const stormWarning = "WARN a line compiles again and again"

// storm opens a device and runs a step n times; it returns what was warned of.
func storm(t *testing.T, n int, step func(tr *lazy.Trace, i int) *lazy.Tensor, opts ...lazy.Option) ([]string, *lazy.Trace) {
	t.Helper()
	var log logged
	tr := lazy.NewTrace(open(t, "eval", append(opts, logTo(&log))...))
	for i := range n {
		y := step(tr, i)
		require.NoError(t, tr.MarkStep(y))
	}
	return log.of(stormWarning), tr
}

func TestConstantThatChangesEachStepIsWarnedOfOnce(t *testing.T) {
	step := func(tr *lazy.Trace, i int) *lazy.Tensor {
		return lazy.From(tr, []float32{1}).Exp().MulScalar(float64(i))
	}
	warned, _ := storm(t, 7, step, lazy.NumbersAsConstants())
	require.Empty(t, warned)
	warned, tr := storm(t, 200, step, lazy.NumbersAsConstants())
	require.Len(t, warned, 1)
	require.Regexp(t, `device=eval at=recompile_test.go:21 compiles=8 cached=0 kind=constant differs=the constant 7\.0, was 6\.0 recorded=recompile_test.go:28 before=recompile_test.go:28 do=make the number an argument: Scalar`, warned[0])

	r := tr.Report()
	require.Len(t, r.Compiles, 100)
	last := r.Compiles[99]
	require.Equal(t, "recompile_test.go:21", last.At)
	require.Equal(t, "recompile_test.go:28: the constant 199.0, was 198.0; make the number an argument: Scalar or NewScalar once, and Set before each step", last.Reason)
	require.Contains(t, r.String(), "\ncompiled again at recompile_test.go:21: "+last.Reason)
	require.Equal(t, int64(199), counter(tr.Device(), "Recompile"))

	var k *lazy.Tensor
	warned, tr = storm(t, 200, func(tr *lazy.Trace, i int) *lazy.Tensor {
		if k == nil {
			k = tr.Scalar("k", 0)
		}
		require.NoError(t, k.Set(float64(i)))
		return lazy.From(tr, []float32{1}).Exp().Mul(k)
	})
	require.Empty(t, warned, "the advice helps")
	require.Len(t, tr.Report().Compiles, 1)
	require.Empty(t, tr.Report().Compiles[0].Reason)
}

// Each of two lines that record in turn is named.
func TestBothLinesOfAChangedConstantAreNamed(t *testing.T) {
	warned, _ := storm(t, 8, func(tr *lazy.Trace, i int) *lazy.Tensor {
		x := lazy.From(tr, []float32{1})
		if i%2 == 0 {
			return x.AddScalar(float64(i))
		}
		return x.AddScalar(float64(-i))
	}, lazy.NumbersAsConstants())
	require.Len(t, warned, 1)
	require.Contains(t, warned[0], "differs=the constant -7.0, was 6.0 recorded=recompile_test.go:64 before=recompile_test.go:62 ")
}

func TestDimensionThatGrowsByATokenIsToldFromOthers(t *testing.T) {
	of := func(size func(i int) int) string {
		warned, _ := storm(t, 100, func(tr *lazy.Trace, i int) *lazy.Tensor {
			n := size(i)
			x := lazy.From(tr, make([]float32, 2*n), 2, n)
			return x.MulScalar(1 / float64(n)).Softmax(-1) // a number that follows from the size
		})
		require.Len(t, warned, 1)
		return warned[0]
	}
	require.Contains(t, of(func(i int) int { return i + 1 }), "differs=parameter f32[2,8], was f32[2,7] recorded=recompile_test.go:74 before=recompile_test.go:74 do=axis 1 grows by 1 each time: keep a buffer of the largest size")
	require.Contains(t, of(func(i int) int { return 1 + i*37%101 }), "do=pad axis 1 to one size, or to few sizes that Warmup compiles beforehand")
}

func TestSizesThatStayCachedAreNotWarnedOf(t *testing.T) {
	sized := func(sizes int) func(tr *lazy.Trace, i int) *lazy.Tensor {
		return func(tr *lazy.Trace, i int) *lazy.Tensor { return lazy.From(tr, make([]float32, 1+i%sizes)).Exp() }
	}
	warned, tr := storm(t, 300, sized(2))
	require.Empty(t, warned)
	require.Len(t, tr.Report().Compiles, 2)

	// A size more now and then.
	warned, tr = storm(t, 800, func(tr *lazy.Trace, i int) *lazy.Tensor {
		return lazy.From(tr, make([]float32, 1+i/40)).Exp()
	})
	require.Len(t, tr.Report().Compiles, 20)
	require.Empty(t, warned)

	// What Warmup compiles is wanted.
	var log logged
	tr = lazy.NewTrace(open(t, "eval", logTo(&log)))
	for i := range 100 {
		require.NoError(t, tr.Warmup(sized(100)(tr, i)))
		tr.Discard()
	}
	require.Empty(t, log.of(stormWarning))
	require.Empty(t, tr.Report().Compiles[99].At)
}

// However rarely, 64 programs of one line are worth a warning.
func TestPrograms64OfALineAreWarnedOf(t *testing.T) {
	step := func(tr *lazy.Trace, i int) *lazy.Tensor { return lazy.From(tr, make([]float32, 1+i/40)).Exp() }
	warned, _ := storm(t, 63*40, step)
	require.Empty(t, warned)
	warned, _ = storm(t, 66*40, step)
	require.Len(t, warned, 1)
	require.Contains(t, warned[0], "compiles=64 cached=273 ")
}

// A function that marks the steps of different programs is no storm, unless one of
// them is compiled again and again.
func TestDifferentProgramsOfALineAreNotWarnedOf(t *testing.T) {
	different := func(tr *lazy.Trace, i int) *lazy.Tensor {
		x := lazy.From(tr, make([]float32, i+1))
		for range i + 1 {
			x = x.Exp()
		}
		return x
	}
	warned, tr := storm(t, 50, different)
	require.Empty(t, warned)
	last := tr.Report().Compiles[49]
	require.Regexp(t, `^recompile_test.go:\d+: parameter f32\[50\], was f32\[49\], and other ops follow; pad axis 0`, last.Reason)
	warned, _ = storm(t, 70, different)
	require.Len(t, warned, 1)

	warned, _ = storm(t, 20, func(tr *lazy.Trace, i int) *lazy.Tensor {
		x := lazy.From(tr, []float32{1})
		if i%2 == 0 {
			return x.Log().Sin()
		}
		return x.AddScalar(float64(i))
	}, lazy.NumbersAsConstants())
	require.Len(t, warned, 1)
	require.Contains(t, warned[0], "differs=the constant ")
}

func TestFunctionsThatCompileAgainAreWarnedOf(t *testing.T) {
	var log logged
	d := open(t, "eval", logTo(&log))
	f := lazy.Func(d, func(_ *lazy.Trace, x *lazy.Tensor) *lazy.Tensor { return x.Exp() })
	for i := range 100 {
		_, err := f.Call(t.Context(), lazy.From(d, make([]float32, i+1)))
		require.NoError(t, err)
	}
	warned := log.of(stormWarning)
	require.Len(t, warned, 1)
	require.Regexp(t, `at=recompile_test.go:\d+ compiles=8 cached=0 kind=shape differs=parameter "arg0" f32\[8\], was f32\[7\] .*do=axis 0 grows by 1`, warned[0])
	require.Contains(t, f.Report().Compiles[1].Reason, `parameter "arg0" f32[2], was f32[1]`)
}

// Reads in the midst of steps compile for their own line, whatever scope they are in.
func TestReadsThatCompileAgainAreWarnedOf(t *testing.T) {
	var log logged
	tr := lazy.NewTrace(open(t, "eval", logTo(&log)))
	x := lazy.From(tr, []float32{1})
	for i := range 20 {
		end := tr.Scope(fmt.Sprintf("turn %d", i))
		_, err := x.AddScalar(float64(i)).Item()
		end()
		require.NoError(t, err)
	}
	require.Len(t, log.of(stormWarning), 1)
}

func TestProgramsDroppedAndCompiledAgainAreWarnedOf(t *testing.T) {
	var log logged
	d, _ := openCounting(t, 1<<20, lazy.ProgramCacheLimit(3<<20), logTo(&log))
	tr := lazy.NewTrace(d)
	tr.Reuse(false) // which holds on to programs
	for i := range 20 {
		program(t, tr, i%5)
	}
	warned := log.of(stormWarning)
	require.Len(t, warned, 1)
	require.Regexp(t, `compiles=8 cached=0 kind=eviction differs=nothing: this program was compiled before, and dropped from the cache .*do=raise ProgramCacheLimit or LTC_PROGRAM_CACHE_BYTES`, warned[0])
}

// What differs is named, with advice of its kind.
func TestReasonsOfCompilesAreNamed(t *testing.T) {
	var tr *lazy.Trace
	from := func(dims ...int) *lazy.Tensor { return lazy.Zeros(tr, lazy.F32, dims...).Exp() }
	for name, c := range map[string]struct {
		a, b func() *lazy.Tensor
		want string
	}{
		"attribute": {func() *lazy.Tensor { return from(4).Slice([]int{0}, []int{2}, []int{1}).Neg() },
			func() *lazy.Tensor { return from(4).Slice([]int{1}, []int{3}, []int{1}).Neg() },
			`slice f32\[2\] with starts = \[1\], was starts = \[0\].*; attributes are part of the program`},
		"composite": {func() *lazy.Tensor { return from(4, 4).Softmax(0) }, func() *lazy.Tensor { return from(4, 4).Softmax(1) },
			`softmax f32\[4,4\] with axis = 1, was axis = 0.*; attributes`},
		"dtype": {func() *lazy.Tensor { return from(4).Convert(lazy.F64) }, func() *lazy.Tensor { return from(4).Convert(lazy.F16) },
			`convert f16\[4\], was f64\[4\].*; bring it to one dtype`},
		"rank": {func() *lazy.Tensor { return from(4) }, func() *lazy.Tensor { return from(2, 2) },
			`f32\[2,2\], was f32\[4\].*; bring it to one rank`},
		"ops": {func() *lazy.Tensor { return from(4).Sin() }, func() *lazy.Tensor { return from(4).Cos() },
			`cos f32\[4\], was sin f32\[4\].*; record the same ops`},
	} {
		tr = lazy.NewTrace(open(t, "eval"))
		for _, y := range []func() *lazy.Tensor{c.a, c.b} {
			require.NoError(t, tr.MarkStep(y()), name)
		}
		all := tr.Report().Compiles
		require.Regexp(t, c.want, all[len(all)-1].Reason, name)
	}
	x := from(3)
	mark := func(roots ...*lazy.Tensor) { require.NoError(t, tr.MarkStep(roots...)) }
	mark(x, x.Neg())
	x = from(3)
	y := x.Neg()
	mark(y)
	all := tr.Report().Compiles
	require.Contains(t, all[len(all)-1].Reason, "the root exp f32[3] is gone, recorded at recompile_test.go:", fmt.Sprint(all))
}

// A carry that begins as a constant is one program more than it need be.
func TestCarryThatBeginsAsAConstantIsToldSo(t *testing.T) {
	steps := func(begin func(tr *lazy.Trace) *lazy.Tensor) []lazy.Compile {
		tr := lazy.NewTrace(open(t, "eval"))
		h := begin(tr)
		for range 4 {
			x := lazy.From(tr, []float32{1, 2})
			h = x.Exp().Add(h).Tanh()
			require.NoError(t, tr.MarkStep(h))
		}
		return tr.Report().Compiles
	}
	all := steps(func(tr *lazy.Trace) *lazy.Tensor { return lazy.Zeros(tr, lazy.F32, 2) })
	require.Len(t, all, 2)
	require.Regexp(t, `recompile_test.go:\d+: parameter f32\[2\], was constant f32\[\].*; if each step hands it on to the next, it begins as a constant, .*: begin with host data instead \(From\)`, all[1].Reason)
	require.NotContains(t, all[1].Reason, "an if")
	require.Len(t, steps(func(tr *lazy.Trace) *lazy.Tensor { return lazy.From(tr, make([]float32, 2)) }), 1, "the advice helps")
}

// A call of a Function has no Warmup: the advice is a model.
func TestCallsOfManySizesAreToldToExport(t *testing.T) {
	var log logged
	d := open(t, "eval", logTo(&log))
	f := lazy.Func(d, func(tr *lazy.Trace, x *lazy.Tensor) *lazy.Tensor { return x.Exp().Sum() })
	for i := range 20 {
		_, err := f.Call(t.Context(), lazy.From(d, make([]float32, 1+i*37%101)))
		require.NoError(t, err)
	}
	warned := log.of(stormWarning)
	require.Len(t, warned, 1)
	require.Regexp(t, `at=(recompile_test.go:\d+) .*recorded=recompile_test.go:\d+ before=recompile_test.go:\d+ do=pad axis 0 to one size, or to few, and mask the padding; or Export the function with AnySize`, warned[0])
	require.NotContains(t, warned[0], "unknown")
	require.NotContains(t, warned[0], "Warmup")
}
