package exec_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/backends/kit/exec"
	"ltc/internal/test/viewtest"
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
		v, atOnce := r.Destination(c, 0)
		require.Equal(t, x.atOnce, atOnce, name)
		want := x.result
		if want.IsZero() {
			want = x.arg
		}
		require.Equal(t, want.Base(), v.Base(), name)
	}
}
