package lazy

import (
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/ir"
)

// Values are found whether they are in the list or beyond it, until the step ends.
func TestArguments(t *testing.T) {
	var a arguments
	values, nodes := make([]value, 3*len(a.list)), make([]ir.Node, 3*len(a.list))
	for range 2 {
		for i := range values {
			require.Nil(t, a.of(&values[i]))
			a.add(&values[i], &nodes[i])
		}
		for i := range values {
			require.Same(t, &nodes[i], a.of(&values[i]))
		}
		a.forget()
	}
	require.Nil(t, a.of(&values[0]))
	require.Zero(t, a.list, "what it forgets it keeps no longer alive")
}
