package maps

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Keys are found whether they are in the list or beyond it, until the map is cleared.
func TestSmall(t *testing.T) {
	var m Small[*int, *string]
	keys, values := make([]int, 3*len(m.list)), make([]string, 3*len(m.list))
	for range 2 {
		for i := range keys {
			require.Nil(t, m.Of(&keys[i]))
			m.Put(&keys[i], &values[i])
		}
		for i := range keys {
			require.Same(t, &values[i], m.Of(&keys[i]))
		}
		m.Clear()
	}
	require.Nil(t, m.Of(&keys[0]))
	require.Zero(t, m.list, "what it forgets it keeps no longer alive")
}
