package cuda

import (
	"fmt"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/backends/cuda/driver"
	"ltc/internal/diag"
	"ltc/internal/test/cudafake"
	"ltc/internal/trials"
	"ltc/ir/types"
	"ltc/lazy"
	"ltc/soa"
)

var ordinals = regexp.MustCompile(`of op \d+,`)

// rowsOf are those of twelve products of 64 columns each, in the order of the program.
var rowsOf = []int{40, 8, 96, 24, 72, 16, 88, 56, 32, 80, 48, 64}

// tenOf are the lines of an error about those of them that are largest, by the lines that
// products are made in.
func tenOf(line func(product int) string) string {
	var b strings.Builder
	for rows := 96; rows > 16; rows -= 8 {
		for i, n := range rowsOf {
			if n == rows {
				fmt.Fprintf(&b, "\n  %s: f32[%d,64], temporary of op N, %s", diag.Bytes(int64(256*n)), n, line(i))
			}
		}
	}
	return b.String()
}

// requireTen asserts that a run has found no memory, and that its error names ten values.
func requireTen(t *testing.T, err error, want string) {
	t.Helper()
	var short *MemoryError
	require.ErrorAs(t, err, &short)
	require.ErrorIs(t, err, driver.OutOfMemory)
	_, got, found := strings.Cut(err.Error(), "its largest values are")
	require.True(t, found, err)
	require.Equal(t, want, ordinals.ReplaceAllString(got, "of op N,"))
	require.Equal(t, 10, strings.Count(got, "\n"))
}

// A program of twelve temporaries that finds no memory names the ten largest of them,
// and the line of each.
func TestTenLargest(t *testing.T) {
	trials.Sequential(t)
	b, _ := backend(t, cudafake.Options{Memory: 1 << 20})
	var text strings.Builder
	text.WriteString(`func.func public @main(%a: tensor<96x4xf32>, %b: tensor<4x64xf32>) -> tensor<64xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
`)
	sum := ""
	for i, n := range rowsOf {
		fmt.Fprintf(&text, `  %%s%[1]d = stablehlo.slice %%a [0:%[2]d, 0:4] : (tensor<96x4xf32>) -> tensor<%[2]dx4xf32>
  %%p%[1]d = stablehlo.dot_general %%s%[1]d, %%b, contracting_dims = [1] x [0] : (tensor<%[2]dx4xf32>, tensor<4x64xf32>) -> tensor<%[2]dx64xf32> loc("train.go":%[3]d:0)
  %%r%[1]d = stablehlo.reduce(%%p%[1]d init: %%zero) applies stablehlo.add across dimensions = [0] : (tensor<%[2]dx64xf32>, tensor<f32>) -> tensor<64xf32> loc("train.go":99:0)
`, i, n, 41+i)
		if i == 0 {
			sum = "%r0"
			continue
		}
		fmt.Fprintf(&text, "  %%t%d = stablehlo.add %s, %%r%d : tensor<64xf32>\n", i, sum, i)
		sum = fmt.Sprintf("%%t%d", i)
	}
	fmt.Fprintf(&text, "  return %s : tensor<64xf32>\n}", sum)
	e := compile(t, b, text.String(), backends.Options{})
	args := []soa.View{there(t, b, soa.Make(types.Of(types.F32, 96, 4))), there(t, b, soa.Make(types.Of(types.F32, 4, 64)))}
	u, err := b.dev.Usage()
	require.NoError(t, err)
	b.dev.Limit(u.Live + 8<<10)
	err = e.Execute(t.Context(), &backends.Call{Args: args})
	requireTen(t, err, tenOf(func(i int) string { return fmt.Sprintf("train.go:%d", 41+i) }))
	b.dev.Limit(1 << 20)
	require.NoError(t, e.Execute(t.Context(), &backends.Call{Args: args}))
}

// The lines of a step's values are those of the program in Go that records them.
func TestTenLargestOfStep(t *testing.T) {
	dev, b, _ := openLazy(t, cudafake.Options{Memory: 1 << 20})
	tr := lazy.NewTrace(dev)
	x, y := lazy.From(tr, make([]float32, 96*4)).Reshape(96, 4), lazy.From(tr, make([]float32, 4*64)).Reshape(4, 64)
	first := func(rows int) *lazy.Tensor { return x.Slice([]int{0, 0}, []int{rows, 4}, []int{1, 1}) }
	_, file, line, ok := runtime.Caller(0)
	require.True(t, ok)
	products := []*lazy.Tensor{ // the lines of rowsOf's
		first(40).MatMul(y),
		first(8).MatMul(y),
		first(96).MatMul(y),
		first(24).MatMul(y),
		first(72).MatMul(y),
		first(16).MatMul(y),
		first(88).MatMul(y),
		first(56).MatMul(y),
		first(32).MatMul(y),
		first(80).MatMul(y),
		first(48).MatMul(y),
		first(64).MatMul(y),
	}
	sum := products[0].Sum(0)
	for _, p := range products[1:] {
		sum = sum.Add(p.Sum(0))
	}
	b.dev.Limit(8 << 10)
	err := tr.MarkStep(sum)
	if err == nil {
		_, err = sum.Value()
	}
	requireTen(t, err, tenOf(func(i int) string { return fmt.Sprintf("%s:%d", filepath.Base(file), line+3+i) }))
	b.dev.Limit(1 << 20)
	again := lazy.NewTrace(dev)
	two, err := lazy.ToSlice[float32](lazy.From(again, []float32{1}).AddScalar(1))
	require.NoError(t, err)
	require.Equal(t, []float32{2}, two, "the process lives on")
}
