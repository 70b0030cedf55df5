package backends_test

import (
	"strings"
	"testing"
	"time"

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
		{Op: -1, What: "stablehlo.sort", Parts: 1, Runs: 4, Total: 5 * time.Second, Least: time.Second, Results: []int{0, 1}},
	}
	sig := &backends.Signature{
		Args:    []backends.Arg{{Name: "w", Alias: 1}},
		Results: []backends.Result{{Name: "loss", Alias: -1}, {Alias: 0}},
	}
	backends.LocateProfile(steps, sig, func(op int) string { return "op " + string(rune('0'+op)) })
	var b strings.Builder
	require.NoError(t, backends.WriteProfile(&b, steps, backends.Peaks{F32: 117e9, Bytes: 39e9}))
	require.Equal(t, `STEP  RUNS  LEAST   MEAN     OF ALL  FLOPS  BYTES  GFLOP/s  GB/s  OF PEAK     WHAT                                                         FROM
0     4     450 µs  500 µs   0.0 %   51.4M  1.94M  114      4.31  98 % flops  matmul f32 64×512×784, add, maximum (2 threads)              train.go:41 op 3
1     4     200 µs  250 µs   0.0 %   -      -      -        -     -           while                                                        op 5
  2   40    20 µs   22.5 µs  0.0 %   -      1M     -        50    128 % copy  add, add, add, add, add, add, add, add, add, add, add, add…  op 6
  3   0     -       -        -       -      -      -        -     -           negate                                                       op 9
4     4     1 s     1.25 s   99.9 %  -      -      -        -     -           stablehlo.sort (evaluator)                                   → loss → w
`, b.String())
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

func TestLineOf(t *testing.T) {
	user, inner := mlir.FileLoc{File: "train.go", Line: 41}, mlir.FileLoc{File: "softmax.go", Line: 7}
	for want, loc := range map[string]mlir.Location{
		"train.go:41":           mlir.CallLoc{Callee: inner, Caller: user},
		"softmax.go:7":          mlir.CallLoc{Callee: inner, Caller: mlir.UnknownLoc{}},
		"train.go:41 in layer1": mlir.NameLoc{Name: "layer1", Child: user},
		"softmax.go:7 ":         nil,
	} {
		if loc == nil {
			loc, want = mlir.FusedLoc{Locs: []mlir.Location{mlir.UnknownLoc{}, mlir.RangeLoc{FileLoc: inner}}}, strings.TrimSpace(want)
		}
		require.Equal(t, want, backends.LineOf(loc))
	}
	require.Empty(t, backends.LineOf(nil))
}
