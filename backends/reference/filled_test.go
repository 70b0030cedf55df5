package reference

import (
	"cmp"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/backends/kit/plan"
	"ltc/backends/kit/simplify/program"
	"ltc/backends/reference/eval"
	"ltc/internal/trials"
	"ltc/mlir"
	"ltc/stablehlo"
)

// A loop that writes all rows of what it carries, and reads none, may find anything there at first. All others
// must find what they are given.
func TestFilledCarries(t *testing.T) {
	trials.Sequential(t)
	const last = "%m = stablehlo.constant dense<3> : tensor<i32>\n  %at = stablehlo.subtract %m, %i : tensor<i32>"
	for _, c := range []struct {
		name             string
		begin, end, step int
		at, holds, body  string // the number of the row; more of the condition, and of the body
		after, next      string // more of the body behind the update; what %z is next, "" for %z
		row, counter     string // "" for 1x3, and for i32
		mirrored         bool   // the condition has the bound first
		filled           bool
	}{
		{name: "upwards", end: 4, step: 1, filled: true},
		{name: "downwards", end: 4, step: 1, at: last, filled: true},
		{name: "from behind the first row", begin: 1, end: 5, step: 1, at: "%m = stablehlo.constant dense<1> : tensor<i32>\n  %at = stablehlo.subtract %i, %m : tensor<i32>", filled: true},
		{name: "beyond both ends", begin: -1, end: 6, step: 1, filled: true},
		{name: "the last row is kept", end: 3, step: 1},
		{name: "the first row is kept", begin: 1, end: 4, step: 1},
		{name: "downwards but for the first row", end: 3, step: 1, at: last},
		{name: "each second row", end: 4, step: 2},
		{name: "another number", end: 4, step: 1, at: "%at = stablehlo.multiply %i, %i : tensor<i32>"},
		{name: "part of a row", end: 4, step: 1, row: "1x2"},
		{name: "two rows", end: 3, step: 1, row: "2x3"},
		{name: "what is there is read", end: 4, step: 1, body: "%s = stablehlo.slice %a [3:4, 0:3] : (tensor<4x3xf32>) -> tensor<1x3xf32>\n  %u = stablehlo.add %r, %s : tensor<1x3xf32>"},
		{name: "the condition reads it", end: 4, step: 1, holds: "%p = stablehlo.slice %a [0:1, 0:1] : (tensor<4x3xf32>) -> tensor<1x1xf32>\n  %q = stablehlo.reshape %p : (tensor<1x1xf32>) -> tensor<f32>\n  %e = stablehlo.compare EQ, %q, %q : (tensor<f32>, tensor<f32>) -> tensor<i1>"},
		{name: "what is written is read", end: 4, step: 1, after: "%v = stablehlo.slice %w [3:4, 0:3] : (tensor<4x3xf32>) -> tensor<1x3xf32>", next: "%v"},
		{name: "a counter of 8 bits", counter: "i8", end: 4, step: 1},
		{name: "a counter without a sign", counter: "ui32", end: 4, step: 1},
		{name: "a counter of 64 bits", counter: "i64", end: 4, step: 1, filled: true},
		{name: "a bound on the left", end: 4, step: 1, mirrored: true, filled: true},
		{name: "no iteration", begin: 3, end: 0, step: 1},
	} {
		row, counter, next, update := cmp.Or(c.row, "1x3"), cmp.Or(c.counter, "i32"), cmp.Or(c.next, "%z"), "%r"
		if c.body != "" {
			update = "%u"
		}
		holds := "LT, %i, %end"
		if c.mirrored {
			holds = "GT, %end, %i"
		}
		at := cmp.Or(c.at, "%at = stablehlo.add %i, %none : tensor<i32>")
		text := strings.NewReplacer("ROW", row, "i32", counter).Replace(fmt.Sprintf(`func.func @main(%%x: tensor<4x3xf32>, %%r: tensor<ROWxf32>, %%v0: tensor<1x3xf32>) -> (tensor<4x3xf32>, tensor<1x3xf32>) {
  %%begin = stablehlo.constant dense<%d> : tensor<i32>
  %%y, %%n, %%last = stablehlo.while(%%a = %%x, %%i = %%begin, %%z = %%v0) : tensor<4x3xf32>, tensor<i32>, tensor<1x3xf32>
    cond {
      %s
      %%end = stablehlo.constant dense<%d> : tensor<i32>
      %%c = stablehlo.compare %s : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %%c : tensor<i1>
    } do {
      %%none = stablehlo.constant dense<0> : tensor<i32>
      %%by = stablehlo.constant dense<%d> : tensor<i32>
      %s
      %s
      %%w = stablehlo.dynamic_update_slice %%a, %s, %%at, %%none : (tensor<4x3xf32>, tensor<ROWxf32>, tensor<i32>, tensor<i32>) -> tensor<4x3xf32>
      %s
      %%j = stablehlo.add %%i, %%by : tensor<i32>
      stablehlo.return %%w, %%j, %s : tensor<4x3xf32>, tensor<i32>, tensor<1x3xf32>
    }
  return %%y, %%last : tensor<4x3xf32>, tensor<1x3xf32>
}`, c.begin, c.holds, c.end, holds, c.step, at, c.body, update, c.after, next))
		p, err := backends.Load(t.Context(), backends.NewModule(text), backends.Options{})
		require.NoError(t, err, c.name)
		found := false
		p.Module.Walk(func(op *mlir.Op) bool {
			if op.Code == stablehlo.While {
				found = true
				require.Equal(t, []bool{c.filled, false, false}, program.Filled(op), c.name)
			}
			return true
		})
		require.True(t, found, c.name)
		likeEvaluated(t, text)
		e, err := asKernels{eval.New()}.Compile(t.Context(), backends.NewModule(text), backends.Options{})
		require.NoError(t, err, c.name)
		e.(*compiled).Program().Each(func(s *plan.Step) {
			if w, ok := s.Work.(*plan.Loop); ok && c.holds == "" { // which is simplified away
				require.Equal(t, c.filled, w.Undefined(0), c.name)
			}
		})
	}
}
