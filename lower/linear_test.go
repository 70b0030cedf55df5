package lower_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/internal/explain"
	"ltc/internal/test/growth"
	"ltc/ir"
	"ltc/lower"
)

// many are graphs of n equal parts, by what they have many of.
var many = map[string]func(n int) string{
	"operands": func(n int) string {
		var b strings.Builder
		b.WriteString("graph \"many\" {\n")
		list := make([]string, n)
		for i := range n {
			fmt.Fprintf(&b, "  %%%d = parameter {index = %d, name = \"\"} : f32[4]\n", i, i)
			list[i] = fmt.Sprintf("%%%d", i)
		}
		fmt.Fprintf(&b, "  %%%d = concatenate %s {axis = 0} : f32[%d]\n  return %%%d\n}\n", n, strings.Join(list, ", "), 4*n, n)
		return b.String()
	},
	"ops in a chain": func(n int) string {
		var b strings.Builder
		b.WriteString("graph \"many\" {\n  %0 = parameter {index = 0, name = \"\"} : f32[4]\n")
		for i := range n {
			fmt.Fprintf(&b, "  %%%d = exp %%%d : f32[4]\n", i+1, i)
		}
		fmt.Fprintf(&b, "  return %%%d\n}\n", n)
		return b.String()
	},
	"users and results": func(n int) string {
		var b strings.Builder
		b.WriteString("graph \"many\" {\n  %0 = parameter {index = 0, name = \"\"} : f32[4]\n")
		list := make([]string, n)
		for i := range n {
			fmt.Fprintf(&b, "  %%%d = add %%0, %%%d : f32[4]\n", i+1, i)
			list[i] = fmt.Sprintf("%%%d", i+1)
		}
		fmt.Fprintf(&b, "  return %s\n}\n", strings.Join(list, ", "))
		return b.String()
	},
	"bodies": func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "graph \"test.body\" @%d {\n  %%0 = parameter {index = 0, name = \"\"} : f32[%d]\n  %%1 = add %%0, %%0 : f32[%d]\n  return %%1\n}\n", i, i+1, i+1)
		}
		b.WriteString("graph \"many\" {\n")
		for i := range n {
			fmt.Fprintf(&b, "  %%%d = parameter {index = %d, name = \"\"} : f32[%d]\n", i, i, i+1)
		}
		list := make([]string, n)
		for i := range n {
			fmt.Fprintf(&b, "  %%%d = composite %%%d @%d \"test.body\" : f32[%d]\n", n+i, i, i, i+1)
			list[i] = fmt.Sprintf("%%%d", n+i)
		}
		fmt.Fprintf(&b, "  return %s\n}\n", strings.Join(list, ", "))
		return b.String()
	},
	"bodies within one another": func(n int) string {
		var b strings.Builder
		b.WriteString("graph \"test.body0\" @0 {\n  %0 = parameter {index = 0, name = \"\"} : f32[4]\n  %1 = exp %0 : f32[4]\n  return %1\n}\n")
		for i := 1; i < n; i++ {
			fmt.Fprintf(&b, "graph \"test.body%d\" @%d {\n  %%0 = parameter {index = 0, name = \"\"} : f32[4]\n  %%1 = composite %%0 @%d \"test.body%d\" : f32[4]\n  %%2 = composite %%1 @%d \"test.body%d\" : f32[4]\n  return %%2\n}\n", i, i, i-1, i-1, i-1, i-1)
		}
		fmt.Fprintf(&b, "graph \"many\" {\n  %%0 = parameter {index = 0, name = \"\"} : f32[4]\n  %%1 = composite %%0 @%d \"test.body%d\" : f32[4]\n  return %%1\n}\n", n-1, n-1)
		return b.String()
	},
}

// What a graph of many equal parts takes to be lowered grows with their number.
func TestLoweringIsLinear(t *testing.T) {
	for name, text := range many {
		t.Run(name, func(t *testing.T) {
			growth.Linear(t, 500, func(n int) func() {
				g := parse(t, text(n))
				return func() { lower.Text(g, true) }
			})
		})
	}
}

// Equal graphs are found to be so, and their differences, in linear time.
func TestComparingIsLinear(t *testing.T) {
	for name, text := range many {
		t.Run(name, func(t *testing.T) {
			growth.Linear(t, 500, func(n int) func() {
				g, same := parse(t, text(n)), parse(t, text(n))
				other := parse(t, strings.Replace(strings.Replace(text(n), "add %0, %0", "mul %0, %0", 1), "exp", "log", 1))
				return func() {
					require.True(t, ir.Equal(g, same))
					d := explain.Compare(explain.Of(g), explain.Of(other)).Difference()
					if name != "operands" {
						require.NotEqual(t, explain.Equal, d.Kind)
					}
				}
			})
		})
	}
}

// ending is a context that ends when it is looked at for the nth time.
type ending struct {
	context.Context
	looks, most int
}

var errEnough = errors.New("enough")

func (c *ending) Done() <-chan struct{} { return make(chan struct{}) }

func (c *ending) Err() error {
	if c.looks++; c.looks >= c.most {
		return errEnough
	}
	return nil
}

// Lowering ends where its context does, and looks at it the more often the larger a
// graph is.
func TestLoweringEndsWithItsContext(t *testing.T) {
	g := parse(t, many["ops in a chain"](5000))
	all := &ending{t.Context(), 0, 1 << 30}
	text, err := lower.TextContext(all, g, true)
	require.NoError(t, err)
	require.Equal(t, lower.Text(g, true), text)
	require.Greater(t, all.looks, 100)
	for part := range 8 {
		c := &ending{t.Context(), 0, max(all.looks*part/8, 1)}
		text, err := lower.TextContext(c, g, true)
		require.ErrorIs(t, err, errEnough)
		require.Empty(t, text)
		require.Equal(t, c.most, c.looks-1, "for the error, once more")
	}
}
