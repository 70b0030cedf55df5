package halt

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
)

var errEnough = errors.New("enough")

func work(ctx context.Context, pieces int, before func(i int)) (done int, err error) {
	w := On(ctx)
	defer w.Catch(&err)
	for i := range pieces {
		before(i)
		w.Look()
		done++
	}
	return done, nil
}

// Work ends soon after its context does, with the cause.
func TestWorkEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	done, err := work(ctx, 10*every, func(i int) {
		if i == every {
			cancel(errEnough)
		}
	})
	require.Equal(t, errEnough, err)
	require.Equal(t, 2*every-1, done)

	done, err = work(context.Background(), 10*every, func(int) {})
	require.NoError(t, err)
	require.Equal(t, 10*every, done)
}

// Panics of others are not caught, nor is the end of work around.
func TestOtherPanicsGoOn(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	require.PanicsWithValue(t, "mine", func() { _, _ = work(ctx, 1, func(int) { panic("mine") }) })
	outer := On(ctx)
	inner := func() (err error) {
		w := On(t.Context())
		defer w.Catch(&err)
		cancel(errEnough)
		for range every {
			outer.Look()
		}
		return nil
	}
	err := func() (err error) {
		defer outer.Catch(&err)
		require.Fail(t, "it went on", inner())
		return nil
	}()
	require.Equal(t, errEnough, err)
}
