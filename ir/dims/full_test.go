package dims

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A process that has had too many expressions keeps those that it has, and gives no others: neither
// their number nor the memory of long ones grows any more.
func TestTooManyExpressions(t *testing.T) {
	const most = 1000
	for _, name := range []string{"n%d", strings.Repeat("long", 100) + "%d"} {
		kept := table
		table = newNames(most)
		t.Cleanup(func() { table = kept })
		n := Symbol("n", 1, 9)
		i := 0
		for i <= most && Check(Symbol(fmt.Sprintf(name, i), 1, 9)) == nil {
			i++
		}
		require.Less(t, i, most)
		atoms := len(table.atoms)
		require.ErrorIs(t, Check(Symbol(fmt.Sprintf(name, i+1), 1, 9)), ErrTooLarge)
		require.Equal(t, atoms, len(table.atoms))
		require.LessOrEqual(t, table.bytes, 64*most)
		require.Equal(t, n, Symbol("n", 1, 9))
		require.Equal(t, "n", String(n))
		require.ErrorIs(t, Check(Mul(Symbol(fmt.Sprintf(name, 0), 1, 9), Symbol(fmt.Sprintf(name, 1), 1, 9))), ErrTooLarge)
		require.Equal(t, int64(7), Add(int64(3), 4))
	}
}
