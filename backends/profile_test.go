package backends_test

import (
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/ir/types"
	"ltc/mlir"
)

func TestWriteProfile(t *testing.T) {
	steps := []backends.StepProfile{
		{Op: 3, Line: "train.go:41", What: "matmul f32 64×512×784, add, maximum", Kernel: true, Parts: 2, Runs: 4, Total: 2 * time.Millisecond, Least: 450 * time.Microsecond,
			Flops: 51.4e6, Bytes: 1.94e6, Factors: types.F32},
		{Op: 5, What: "while", Nested: true, Parts: 1, Runs: 4, Total: time.Millisecond, Least: 200 * time.Microsecond},
		{Op: 6, Depth: 1, What: strings.Repeat("add, ", 20), Kernel: true, Parts: 1, Runs: 40, Total: 900 * time.Microsecond, Least: 20 * time.Microsecond, Bytes: 1e6},
		{Op: 9, Depth: 1, What: "negate", Kernel: true, Parts: 1},
		{Op: 7, Line: "models/vision/layers.go:235 in encoder/attention", What: "matmul f32 64×512×784", Kernel: true, Parts: 16, Runs: 1, Total: 1, Least: 1, Results: []int{0}},
		{Op: -1, What: "stablehlo.sort", Parts: 1, Runs: 4, Total: 5 * time.Second, Least: time.Second, Results: []int{0, 1}},
	}
	sig := &backends.Signature{
		Args:    []backends.Arg{{Name: "w", Alias: 1}},
		Results: []backends.Result{{Name: "loss", Alias: -1}, {Alias: 0}},
	}
	backends.LocateProfile(steps, sig, func(op int) string { return "op " + string(rune('0'+op)) })
	table := func(peaks backends.Peaks) string {
		var b strings.Builder
		require.NoError(t, backends.WriteProfile(&b, steps, peaks))
		for line := range strings.Lines(b.String()) {
			require.LessOrEqual(t, utf8.RuneCountInString(line), backends.ProfileColumns+len("\n"))
		}
		return b.String()
	}
	require.Equal(t, `STEP  RUNS   LEAST    OF ALL   FLOPS  BYTES  OF PEAK      WHAT                                FROM
0     4      450 µs   0.0 %    51.4M  1.94M  98 % flops   matmul f32 64×512×784… (2 threads)  train.go:41 op 3
1     4      200 µs   0.0 %    -      -      -            while                               op 5
  2   40     20 µs    0.0 %    -      1M     128 % copy   add, add, add, add, add, add, add…  op 6
  3   0      -        -        -      -      -            negate                              op 9
4     1      1 ns     0.0 %    -      -      -            matmul f32 64×512×784 (16 threads)  layers.go:235 in… → loss
5     4      1 s      99.9 %   -      -      -            stablehlo.sort (evaluator)          → loss → w
`, table(backends.Peaks{F32: 117e9, Bytes: 39e9}))
	require.Equal(t, `STEP  RUNS   LEAST    OF ALL   FLOPS  BYTES  GFLOP/s  GB/s   WHAT                               FROM
0     4      450 µs   0.0 %    51.4M  1.94M  114      4.31   matmul f32 64×512×78… (2 threads)  train.go:41 op 3
1     4      200 µs   0.0 %    -      -      -        -      while                              op 5
  2   40     20 µs    0.0 %    -      1M     -        50     add, add, add, add, add, add, ad…  op 6
  3   0      -        -        -      -      -        -      negate                             op 9
4     1      1 ns     0.0 %    -      -      -        -      matmul f32 64×512×7… (16 threads)  layers.go:235 in… → loss
5     4      1 s      99.9 %   -      -      -        -      stablehlo.sort (evaluator)         → loss → w
`, table(backends.Peaks{}))
}

func TestShare(t *testing.T) {
	s := backends.StepProfile{Least: time.Second, Flops: 50, Bytes: 10}
	for _, c := range []struct {
		factors types.DType
		peaks   backends.Peaks
		share   float64
		of      string
	}{
		{types.F32, backends.Peaks{F32: 100, Bytes: 100}, 0.5, "flops"},
		{types.F64, backends.Peaks{F32: 200, Bytes: 100}, 0.5, "flops"},
		{types.BF16, backends.Peaks{F32: 100, BF16: 200, Bytes: 100}, 0.25, "flops"},
		{types.I32, backends.Peaks{F32: 100, Bytes: 100}, 0.1, "copy"},
		{types.Invalid, backends.Peaks{F32: 1000, Bytes: 100}, 0.1, "copy"},
		{types.Invalid, backends.Peaks{}, 0, ""},
	} {
		s.Factors = c.factors
		share, of := s.Share(c.peaks)
		require.InDelta(t, c.share, share, 1e-9)
		require.Equal(t, c.of, of)
	}
}

// A kernel has the line of the layer that it is of, and not those of packages below it or
// of programs that call it.
func TestLineOf(t *testing.T) {
	file := func(name string, line int) mlir.Location { return mlir.FileLoc{File: name, Line: line} }
	call := func(frames ...mlir.Location) mlir.Location { // the innermost first
		loc := frames[len(frames)-1]
		for _, f := range slices.Backward(frames[:len(frames)-1]) {
			loc = mlir.CallLoc{Callee: f, Caller: loc}
		}
		return loc
	}
	flax, jax := "/home/me/lib/python3.12/site-packages/flax/linen/linear.py", "/usr/lib/python3/dist-packages/jax/nn.py"
	user, inner := file("train.go", 41), file("softmax.go", 7)
	for _, c := range []struct {
		loc  mlir.Location
		want string
	}{
		{call(inner, user), "softmax.go:7"},
		{call(inner, mlir.UnknownLoc{}), "softmax.go:7"},
		{call(mlir.UnknownLoc{}, user), "train.go:41"},
		{call(mlir.NameLoc{Name: "ltc.softmax"}, user), "train.go:41"},
		{call(file(flax, 200), file("model.py", 20), file("train.py", 80)), "model.py:20"},
		{call(file(jax, 9), file(flax, 200)), jax + ":9"},
		{call(file("/root/go/pkg/mod/example.org/nn@v1.2.0/dense.go", 3), user), "train.go:41"},
		{mlir.NameLoc{Name: "jit(step)/add", Child: call(mlir.NameLoc{Name: "loss", Child: file("model.py", 20)}, file("train.py", 80))}, "model.py:20 in loss"},
		{mlir.NameLoc{Name: "layer1", Child: user}, "train.go:41 in layer1"},
		{mlir.NameLoc{Name: "layer1"}, ""},
		{mlir.FusedLoc{Locs: []mlir.Location{mlir.UnknownLoc{}, mlir.RangeLoc{FileLoc: mlir.FileLoc{File: "softmax.go", Line: 7}}}}, "softmax.go:7"},
		{nil, ""},
	} {
		require.Equal(t, c.want, backends.LineOf(c.loc), "%v", c.loc)
	}
}
