package account

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"ltc/internal/callsite"
)

// The latest compiles are kept, and numbered from the first.
func TestCompiles(t *testing.T) {
	var a Account[int]
	for i := range maxCompiles + 5 {
		a.Compiled(Compile{Compilation: Compilation{Ops: i}})
	}
	n, latest := a.Compiles()
	require.Equal(t, int64(maxCompiles+5), n)
	require.Len(t, latest, maxCompiles)
	require.Equal(t, Compile{Compilation: Compilation{Ops: 5}, Number: 6}, latest[0])
	a.Reset()
	n, latest = a.Compiles()
	require.Zero(t, n)
	require.Empty(t, latest)
}

// Implicit syncs are added up by line and call.
func TestSyncs(t *testing.T) {
	var a Account[int]
	at := callsite.Caller()
	a.Synced(at, "add", 1, time.Second)
	a.Synced(at, "mul", 1, time.Second)
	a.Synced(at, "sub", 2, 3*time.Second)
	require.Equal(t, []Sync[int]{{at.String(), 2, "sub", 1, 3 * time.Second}, {at.String(), 1, "add", 2, 2 * time.Second}}, a.Syncs())
}
