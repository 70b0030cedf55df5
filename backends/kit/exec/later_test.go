package exec_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"ltc/backends/kit/exec"
)

// A value is made once, by one of those that ask for it; after a failure or a panic the
// next one makes it.
func TestLaterIsMadeOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, made := exec.NewLater[int](), 0
		one := func(context.Context) (int, error) { made++; return made, nil }
		bad := errors.New("bad")
		_, err := l.Get(t.Context(), func(context.Context) (int, error) { return 7, bad })
		require.ErrorIs(t, err, bad)
		require.Panics(t, func() { _, _ = l.Get(t.Context(), func(context.Context) (int, error) { panic("worse") }) })

		begun, hold := make(chan struct{}), make(chan struct{})
		got := make(chan int, 2)
		go func() {
			v, _ := l.Get(t.Context(), func(ctx context.Context) (int, error) { close(begun); <-hold; return one(ctx) })
			got <- v
		}()
		<-begun
		go func() {
			v, _ := l.Get(t.Context(), one)
			got <- v
		}()
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		_, err = l.Get(ctx, one)
		require.ErrorIs(t, err, context.Canceled)
		synctest.Wait()
		close(hold)
		require.Equal(t, []int{1, 1, 1}, []int{<-got, <-got, made})
	})
}
