package programs

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/ir"
)

// A graph whose composites call each other twice, level by level, is looked at once for
// each body: there would be no end to it otherwise.
func TestBodiesThatCompositesShareAreLookedAtOnce(t *testing.T) {
	const levels = 100
	var b strings.Builder
	b.WriteString("graph \"test.body0\" @0 {\n  %0 = parameter {index = 0, name = \"\"} : f32[4]\n  %1 = exp %0 : f32[4]\n  return %1\n}\n")
	for i := 1; i < levels; i++ {
		fmt.Fprintf(&b, "graph \"test.body%d\" @%d {\n  %%0 = parameter {index = 0, name = \"\"} : f32[4]\n  %%1 = composite %%0 @%d \"test.body%d\" : f32[4]\n  %%2 = composite %%1 @%d \"test.body%d\" : f32[4]\n  return %%2\n}\n", i, i, i-1, i-1, i-1, i-1)
	}
	fmt.Fprintf(&b, "graph \"many\" {\n  %%0 = parameter {index = 0, name = \"\"} : f32[4]\n  %%1 = composite %%0 @%d \"test.body%d\" : f32[4]\n  return %%1\n}\n", levels-1, levels-1)
	g, err := ir.Parse("nested.ir", b.String())
	require.NoError(t, err)
	require.Nil(t, TooLarge(g))
	require.Positive(t, likely(g))
}
