package exec_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/backends/kit/exec"
	"ltc/internal/test/viewtest"
	"ltc/ir/types"
	"ltc/soa"
)

// A donated argument is overwritten at once only where the result can be computed over it,
// and other memory only where it is not the argument's.
func TestPlacesOfDonatedResults(t *testing.T) {
	const text = `func.func public @main(%w: tensor<4x3xf32> {tf.aliasing_output = 0 : i32}, %g: tensor<4x3xf32>) -> tensor<4x3xf32> {
  %0 = stablehlo.subtract %w, %g : tensor<4x3xf32>
  return %0 : tensor<4x3xf32>
}`
	p := program(t, text)
	views := viewtest.Strided(t, [][]int{{3, 1}, {1, 4}, {3, 1}, {-3, 1}}, 4, 3)
	w, columns, other, reversed := views[0], views[1], views[2], views[3]
	upside := w
	upside.Strides = []int{-3, 1}
	for name, x := range map[string]struct {
		arg, result soa.View
		fallible    int
		atOnce      bool
	}{
		"no memory given":             {w, soa.View{}, -1, true},
		"a later step can fail":       {w, soa.View{}, 0, false},
		"the argument itself":         {w, w, -1, true},
		"other dense memory":          {w, other, -1, true},
		"other strides":               {w, columns, -1, false},
		"strided argument":            {columns, soa.View{}, -1, true},
		"strided argument, as result": {reversed, reversed, -1, true},
		"another view of its memory":  {w, upside, -1, false},
	} {
		c := &backends.Call{Args: []soa.View{x.arg, other}, Results: []soa.View{x.result}}
		r := exec.NewResults(p, x.fallible, false)
		require.False(t, r.Made(c, 0))
		v, atOnce := r.Destination(c, 0, false)
		require.Equal(t, x.atOnce, atOnce, name)
		want := x.result
		if want.IsZero() {
			want = x.arg
		}
		require.Equal(t, want.Base(), v.Base(), name)
	}
}

// A loop of kernels updates a donated argument in place, unless the run can be cancelled: then it
// could end between two iterations. So could a loop with a step that fails, in any run.
func TestPlacesOfWhatLoopsUpdate(t *testing.T) {
	const text = `func.func public @main(%n: tensor<i32>, %w: tensor<8x3xf32> {tf.aliasing_output = 0 : i32}, %row: tensor<1x3xf32>) -> tensor<8x3xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %0:2 = stablehlo.while(%i = %zero, %v = %w) : tensor<i32>, tensor<8x3xf32>
    cond {
      %c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    } do {
      %j = stablehlo.add %i, %one : tensor<i32>
      %u = stablehlo.dynamic_update_slice %v, %row, %i, %zero : (tensor<8x3xf32>, tensor<1x3xf32>, tensor<i32>, tensor<i32>) -> tensor<8x3xf32>
      stablehlo.return %j, %u : tensor<i32>, tensor<8x3xf32>
    }
  return %0#1 : tensor<8x3xf32>
}`
	const sorted = `    } do {
      %s = "stablehlo.sort"(%row) ({
      ^bb0(%a: tensor<f32>, %b: tensor<f32>):
        %less = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
        stablehlo.return %less : tensor<i1>
      }) {dimension = 1 : i64} : (tensor<1x3xf32>) -> tensor<1x3xf32>`
	evaluated := strings.NewReplacer("    } do {", sorted, "%v, %row", "%v, %s").Replace(text) // by the evaluator, whose steps can fail
	w := soa.Make(types.Of(types.F32, 8, 3))
	c := &backends.Call{Args: []soa.View{{}, w, {}}, Results: []soa.View{{}}}
	for _, x := range []struct {
		name, text          string
		cancellable, atOnce bool
	}{
		{"kernels", text, false, true},
		{"kernels, cancellable", text, true, false},
		{"a step of the evaluator", evaluated, false, false},
	} {
		p := program(t, x.text)
		r := exec.NewResults(p, p.LastFallible, false).Uncancelled(p.LastFailing(false))
		v, atOnce := r.Destination(c, 0, x.cancellable)
		require.Equal(t, x.atOnce, atOnce, x.name)
		require.Equal(t, w.Base(), v.Base(), x.name)
	}
}
