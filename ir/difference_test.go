package ir_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/ir"
)

// Differences come in order, those in bodies of composites at their place, and end
// where nodes do not correspond any more.
func TestDifferencesComeInOrder(t *testing.T) {
	graph := func(eps, literal string, n int, op, rest string) *ir.Graph {
		return parse(t, fmt.Sprintf(`graph "ltc.body" @0 {
  %%0 = parameter {index = 0, name = ""} : f32[]
  %%1 = constant {dtype = f32, value = %s} : f32[]
  %%2 = add %%0, %%1 : f32[]
  return %%2
}
graph "outer" @1 {
  %%0 = parameter {index = 0, name = ""} : f32[]
  %%1 = composite %%0 @0 "ltc.body" {eps = %s} : f32[]
  %%2 = parameter {index = 1, name = ""} : f32[%d]
  %%3 = %s %%2 : f32[%[3]d]
%[5]s  return %%1, %%3
}
`, literal, eps, n, op, rest))
	}
	one := graph("1.0", "2.0", 3, "exp", "")
	for name, c := range map[string]struct {
		other *ir.Graph
		want  string
	}{
		"equal":      {graph("1.0", "2.0", 3, "exp", ""), "[]"},
		"number":     {graph("1.5", "2.0", 3, "exp", ""), "[1 composite/composite]"},
		"body":       {graph("1.0", "2.5", 3, "exp", ""), "[1 constant/constant]"},
		"dimensions": {graph("1.0", "2.5", 4, "exp", ""), "[1 constant/constant 2 parameter/parameter 3 exp/exp]"},
		"op":         {graph("1.0", "2.0", 4, "log", ""), "[2 parameter/parameter 3 exp/log]"},
		"longer":     {graph("1.0", "2.0", 3, "exp", "  %4 = log %3 : f32[3]\n"), "[4 nothing/log]"},
	} {
		all := []string{}
		for a, b := range ir.Differences(one, c.other) {
			was := "nothing"
			if a != nil {
				was = a.Op.String()
			}
			all = append(all, fmt.Sprintf("%d %s/%v", b.ID, was, b.Op))
			require.Equal(t, a != nil && a.Op == b.Op, ir.Alike(a, b))
		}
		require.Equal(t, c.want, fmt.Sprint(all), name)
	}
	for range ir.Differences(one, graph("1.5", "2.0", 4, "log", "")) {
		break
	}
}
