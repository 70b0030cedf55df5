package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"
)

// sink writes results. It keeps the first error, which fails the command, and takes
// nothing once it is closed.
type sink struct {
	mu     sync.Mutex
	w      io.Writer
	err    error
	closed bool
}

func (o *sink) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	switch {
	case o.closed:
		return 0, os.ErrClosed
	case o.err != nil:
		return 0, o.err
	}
	n, err := o.w.Write(p)
	o.err = err
	return n, err
}

// close ends the use of o and returns its error.
func (o *sink) close() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.closed = true
	if o.err != nil {
		return fmt.Errorf("standard output: %w", o.err)
	}
	return nil
}

// grace is how long a stopped command may take to return an error of its own, which says
// where it was.
const grace = 500 * time.Millisecond

// limited runs f with a context that ends after timeout, unless that is 0, and at an
// interrupt. It then returns after the grace even if f does not, as while it reads a
// device: the process ends with the command.
func limited(timeout time.Duration, f func(context.Context) error) error {
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	interrupted := make(chan os.Signal, 1)
	signal.Notify(interrupted, os.Interrupt, syscall.SIGTERM)
	defer signal.Stop(interrupted)
	var late <-chan time.Time
	if timeout > 0 {
		timer := time.NewTimer(timeout)
		defer timer.Stop()
		late = timer.C
	}
	done := make(chan error, 1)
	go func() { done <- f(ctx) }()
	select {
	case err := <-done:
		return err
	case <-late:
		cancel(fmt.Errorf("stopped after -timeout %v", timeout))
	case s := <-interrupted:
		cancel(fmt.Errorf("stopped by signal %v", s))
	}
	select {
	case err := <-done:
		return err
	case <-time.After(grace):
		return context.Cause(ctx)
	}
}
