package turn

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"
)

// Who waits for a lock stops with the context, and the lock still works.
func TestWaitingEndsWithTheContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, gone := New(), errors.New("gone")
		require.NoError(t, l.Take(t.Context()))
		ctx, cancel := context.WithCancelCause(t.Context())
		failed, taken := make(chan error), make(chan error)
		go func() { failed <- l.Take(ctx) }()
		go func() { taken <- l.Take(context.Background()) }()
		synctest.Wait()
		cancel(gone)
		require.ErrorIs(t, <-failed, gone)
		l.Give()
		require.NoError(t, <-taken)
		l.Give()
		require.NoError(t, l.Take(ctx), "nobody has it")
	})
}
