package llvm

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends/kit/kernel"
)

// Compiling ends with the context although libLLVM takes long to open.
func TestCompilingEndsWithTheContext(t *testing.T) {
	t.Setenv("LTC_CACHE", "off")
	s := &shared{}
	s.once.Do(s.start)
	if s.none != nil {
		t.Skip(s.none)
	}
	opening, opened := make(chan struct{}), make(chan struct{})
	defer close(opened)
	go s.open.get(context.Background(), func() *compiler {
		close(opening)
		<-opened
		return nil
	})
	<-opening
	k, err := kernel.Parse(`kernel f(x: f32[n0] strides [1], out y: f32[n0] strides [1]) {
  for i0 < n0
  stage {
    %a = load x[i0]
    %b = tanh %a : f32
    store y[i0], %b
  }
}`)
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	failed := make(chan error, 1)
	go func() {
		_, err := s.Compile(ctx, []*kernel.Kernel{k})
		failed <- err
	}()
	select {
	case err := <-failed:
		t.Fatalf("it did not wait: %v", err)
	default:
	}
	cancel()
	require.ErrorIs(t, <-failed, context.Canceled)
}
