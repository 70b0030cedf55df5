package ctxmutex

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
		require.NoError(t, l.Lock(t.Context()))
		ctx, cancel := context.WithCancelCause(t.Context())
		failed, taken := make(chan error), make(chan error)
		go func() { failed <- l.Lock(ctx) }()
		go func() { taken <- l.Lock(context.Background()) }()
		synctest.Wait()
		cancel(gone)
		require.ErrorIs(t, <-failed, gone)
		l.Unlock()
		require.NoError(t, <-taken)
		l.Unlock()
		require.NoError(t, l.Lock(ctx), "nobody has it")
	})
}
