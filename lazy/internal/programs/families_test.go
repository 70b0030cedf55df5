package programs

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/internal/callsite"
	"ltc/ir"
	"ltc/shapeinfer"
)

// failing fails to compile programs whose sizes are open as fail says.
type failing struct {
	counting
	fail func() error
}

func (f *failing) Compile(_ context.Context, p *Program) error {
	if p.Open != nil {
		return f.fail()
	}
	return nil
}

// doubled is x + x for n numbers.
func doubled(t *testing.T, n int) *ir.Graph {
	g, err := ir.Parse("test.ir", fmt.Sprintf("graph \"g\" {\n  %%0 = parameter {index = 0, name = \"\"} : f32[%d]\n  %%1 = add %%0, %%0 : f32[%[1]d]\n  return %%1\n}\n", n))
	require.NoError(t, err)
	return g
}

// familyCache returns a cache whose compiler fails as fail says, and what compiles said.
func familyCache(fail func() error) (c *Cache, heard *[]error) {
	heard = new([]error)
	f := &Families{Opened: func(_ *shapeinfer.Open, _ callsite.Site, _, _ *ir.Graph, failed error) {
		*heard = append(*heard, failed)
	}}
	return &Cache{Compiler: &failing{fail: fail}, Limit: 1 << 20, Families: f}, heard
}

func atOnce() (at callsite.Site) { return at }

// A compile of open sizes that fails once leaves that size to a program of numbers. One that the
// backend has no code for is not tried again.
func TestFailedCompileOfOpenSizes(t *testing.T) {
	once := errors.New("once")
	for _, x := range []struct {
		err   error
		opens bool
	}{{once, true}, {&backends.FallbackError{}, false}, {&backends.UnsupportedError{}, false}} {
		left := []error{fmt.Errorf("compile: %w", x.err), nil}
		tried := 0
		c, heard := familyCache(func() error { tried++; return left[tried-1] })
		get := func(n int) *Program {
			p, _, err := c.Get(t.Context(), doubled(t, n), atOnce)
			require.NoError(t, err)
			return p
		}
		require.Nil(t, get(3).Open)
		require.Nil(t, get(4).Open, "of numbers, since it failed")
		require.Equal(t, x.opens, get(5).Open != nil)
		require.Equal(t, x.opens, get(6).Open != nil)
		require.ErrorIs(t, (*heard)[0], x.err)
		if x.opens {
			require.Equal(t, 2, tried)
			require.NoError(t, (*heard)[1])
		} else {
			require.Equal(t, 1, tried)
		}
	}
}

// A compile of open sizes that nobody waited for any more is begun anew by the next caller.
func TestAbandonedCompileOfOpenSizes(t *testing.T) {
	begun, end := make(chan struct{}), make(chan error)
	c, _ := familyCache(func() error { begun <- struct{}{}; return <-end })
	_, _, err := c.Get(t.Context(), doubled(t, 3), atOnce)
	require.NoError(t, err)

	ctx, cancel := context.WithCancel(t.Context())
	left := make(chan error)
	go func() {
		_, _, err := c.Get(ctx, doubled(t, 4), atOnce)
		left <- err
	}()
	<-begun
	cancel()
	require.ErrorIs(t, <-left, context.Canceled)
	next := make(chan *Program)
	go func() {
		p, _, err := c.Get(t.Context(), doubled(t, 5), atOnce)
		if err != nil {
			p = nil
		}
		next <- p
	}()
	p := c.Recent(1)[0]
	require.Eventually(t, func() bool {
		p.mu.Lock()
		defer p.mu.Unlock()
		return p.waiting == 1
	}, time.Minute, time.Millisecond)
	end <- context.Canceled // of the compile that was abandoned
	<-begun
	end <- nil
	p = <-next
	require.NotNil(t, p)
	require.NotNil(t, p.Open)
}
