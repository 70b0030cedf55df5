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
func TestLazyIsMadeOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		made := 0
		bad := errors.New("bad")
		var create func(context.Context) (int, error)
		l := exec.NewLazy(func(ctx context.Context) (int, error) { return create(ctx) })
		create = func(context.Context) (int, error) { return 7, bad }
		_, err := l.Get(t.Context())
		require.ErrorIs(t, err, bad)
		create = func(context.Context) (int, error) { panic("worse") }
		require.Panics(t, func() { _, _ = l.Get(t.Context()) })

		begun, hold := make(chan struct{}), make(chan struct{})
		create = func(context.Context) (int, error) { close(begun); <-hold; made++; return made, nil }
		got := make(chan int, 2)
		get := func() {
			v, _ := l.Get(t.Context())
			got <- v
		}
		go get()
		<-begun
		go get()
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		_, err = l.Get(ctx)
		require.ErrorIs(t, err, context.Canceled)
		synctest.Wait()
		close(hold)
		require.Equal(t, []int{1, 1, 1}, []int{<-got, <-got, made})
	})
}
