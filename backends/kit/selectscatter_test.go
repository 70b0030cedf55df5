package kit_test

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/backends/kit"
	"ltc/backends/kit/plan"
	"ltc/backends/reference/eval"
	"ltc/internal/samples"
	"ltc/internal/test/kittest"
	"ltc/soa"
)

// selectScatter is a select_and_scatter of elements of a type.
type selectScatter struct {
	attrs     string
	in, out   string // shapes
	t         string
	direction string // with " or NaN" behind it, a NaN stays selected
	combine   string // an op, or ops of %a and %b that give %r
}

func (c selectScatter) text() string {
	combine := c.combine
	if !strings.Contains(combine, "%") {
		combine = fmt.Sprintf("%%r = stablehlo.%s %%a, %%b : tensor<%s>", c.combine, c.t)
	}
	selects := "%r = stablehlo.compare DIRECTION, %a, %b : (tensor<T>, tensor<T>) -> tensor<i1>"
	direction, nan := strings.CutSuffix(c.direction, " or NaN")
	if nan {
		selects = strings.Replace(selects, "%r", "%l", 1) + `
      %n = stablehlo.compare NE, %a, %a : (tensor<T>, tensor<T>) -> tensor<i1>
      %r = stablehlo.or %l, %n : tensor<i1>`
	}
	selects = strings.NewReplacer("<T>", "<"+c.t+">", "DIRECTION", direction).Replace(selects)
	return strings.NewReplacer("COMBINE", strings.ReplaceAll(combine, "<T>", "<"+c.t+">"), "IN", c.in+"x"+c.t, "OUT", c.out+"x"+c.t, "T", c.t, "ATTRS", c.attrs, "SELECT", selects).Replace(
		`func.func @main(%x: tensor<IN>, %s: tensor<OUT>, %i: tensor<T>) -> tensor<IN> {
    %1 = "stablehlo.select_and_scatter"(%x, %s, %i) <{ATTRS}> ({
    ^bb0(%a: tensor<T>, %b: tensor<T>):
      SELECT
      stablehlo.return %r : tensor<i1>
    }, {
    ^bb0(%a: tensor<T>, %b: tensor<T>):
      COMBINE
      stablehlo.return %r : tensor<T>
    }) : (tensor<IN>, tensor<OUT>, tensor<T>) -> tensor<IN>
    return %1 : tensor<IN>
  }`)
}

// Windows of all kinds select the elements that they select in the evaluator, and
// results have the same bits. The windows have strides and positive or negative
// padding, and the regions compute anything. Many of the elements are equal, and some
// are NaNs.
func TestSelectAndScatter(t *testing.T) {
	for name, c := range map[string]selectScatter{
		"pool":      {attrs: "window_dimensions = array<i64: 1, 2, 2>, window_strides = array<i64: 1, 2, 2>", out: "3x4x3", direction: "GE", combine: "add"},
		"channels":  {attrs: "window_dimensions = array<i64: 3, 3, 1>, window_strides = array<i64: 1, 2, 1>, padding = dense<[[1, 1], [1, 1], [0, 0]]> : tensor<3x2xi64>", out: "3x4x6", direction: "GE or NaN", combine: "add"},
		"rows":      {attrs: "window_dimensions = array<i64: 1, 3, 3>, window_strides = array<i64: 1, 2, 2>, padding = dense<[[0, 0], [1, 1], [1, 1]]> : tensor<3x2xi64>", out: "3x4x3", direction: "GE or NaN", combine: "add"},
		"overlap":   {attrs: "window_dimensions = array<i64: 1, 3, 3>, window_strides = array<i64: 1, 2, 2>, padding = dense<[[0, 0], [1, 0], [0, 1]]> : tensor<3x2xi64>", out: "3x4x3", direction: "GT", combine: "add"},
		"thirds":    {attrs: "window_dimensions = array<i64: 2, 5, 2>, window_strides = array<i64: 1, 3, 3>, padding = dense<[[0, 0], [2, 2], [1, 1]]> : tensor<3x2xi64>", out: "2x3x3", direction: "LE", combine: "add"},
		"apart":     {attrs: "window_dimensions = array<i64: 1, 1, 2>, window_strides = array<i64: 1, 2, 4>", out: "3x4x2", direction: "LT", combine: "multiply"},
		"cropped":   {attrs: "window_dimensions = array<i64: 1, 2, 1>, window_strides = array<i64: 1, 3, 1>, padding = dense<[[-1, 0], [-1, -2], [1, 0]]> : tensor<3x2xi64>", out: "2x2x7", direction: "GE", combine: "add"},
		"padding":   {attrs: "window_dimensions = array<i64: 1, 2, 2>, padding = dense<[[0, 0], [5, 1], [0, 3]]> : tensor<3x2xi64>", out: "3x13x8", direction: "GE", combine: "subtract"},
		"in order":  {attrs: "window_dimensions = array<i64: 2, 2, 2>", out: "2x7x5", direction: "GE", combine: "%d = stablehlo.add %a, %a : tensor<T>\n%r = stablehlo.add %d, %b : tensor<T>"},
		"no choice": {attrs: "window_dimensions = array<i64: 1, 1, 1>", out: "3x8x6", direction: "GE", combine: "maximum"},
		"last one":  {attrs: "window_dimensions = array<i64: 1, 8, 6>", out: "3x1x1", direction: "NE", combine: "add"},
		"no window": {attrs: "window_dimensions = array<i64: 4, 1, 1>", out: "0x8x6", direction: "GE", combine: "add"},
	} {
		for _, dtype := range []string{"f32", "f16", "i8"} {
			t.Run(name+"/"+dtype, func(t *testing.T) {
				c.in, c.t = "3x8x6", dtype
				text := c.text()
				p := kittest.Compile(t, text)
				require.Empty(t, p.HostSteps())
				args := repeated(t, p)
				exe, err := eval.New().Compile(t.Context(), backends.NewModule(text), backends.Options{})
				require.NoError(t, err)
				call := &backends.Call{Args: args}
				require.NoError(t, exe.Execute(t.Context(), call))
				d, err := samples.Differ(kittest.Evaluate(t, p, args)[0], call.Results[0])
				require.NoError(t, err)
				require.Zero(t, d.Size, "differs at %v: %s, want %s\n%v", d.At, d.Got, d.Want, p)
			})
		}
	}
}

// Windows whose elements no int counts, or so far apart, are like any others.
func TestSelectAndScatterBounds(t *testing.T) {
	for _, c := range []struct{ attrs, out, err string }{
		{"window_dimensions = array<i64: 1, 2, 2>, window_strides = array<i64: 9223372036854775807, 9223372036854775807, 1>", "1x1x5", ""},
		{"window_dimensions = array<i64: 4, 4611686018427387904, 1>, padding = dense<[[1, 0], [2305843009213693952, 2305843009213693944], [0, 0]]> : tensor<3x2xi64>", "1x1x6", "not enough memory"},
		{"window_dimensions = array<i64: 3, 5, 5>", "1x4x2", "its windows have too many elements"},
	} {
		text := selectScatter{attrs: c.attrs, in: "3x8x6", out: c.out, t: "f32", direction: "GE", combine: "add"}.text()
		program, err := backends.Load(t.Context(), backends.NewModule(text), backends.Options{})
		require.NoError(t, err)
		p, err := kit.Compile(t.Context(), program, kit.Options{Eval: eval.New()})
		if err == nil && len(p.HostSteps()) > 0 {
			err = errors.New(p.HostSteps()[0].Reason)
		}
		if c.err == "" {
			require.NoError(t, err)
			continue
		}
		require.ErrorContains(t, err, c.err)
	}
}

// repeated makes arguments of a program: elements are 0 to 4, with NaNs among those of
// the first.
func repeated(t *testing.T, p *plan.Program) []soa.View {
	t.Helper()
	var args []soa.View
	for i, a := range p.Signature.Args {
		v, err := samples.Make(a.Type, "zeros")
		require.NoError(t, err)
		for n := range a.Type.Elements() {
			x := float64((n*7 + n*n/5 + i) % 5)
			if i == 0 && n%11 == 3 && a.Type.DType.IsFloat() {
				x = math.NaN()
			}
			samples.Set(v, n, x)
		}
		args = append(args, v)
	}
	return args
}
