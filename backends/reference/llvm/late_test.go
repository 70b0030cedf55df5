package llvm

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"ltc/backends/kit/kernel"
	"ltc/backends/reference/llvm/gemm"
	"ltc/ir/types"
)

// ending is a context that ends once it has been looked at n times.
type ending struct {
	context.Context
	n    int
	done chan struct{}
}

func endingAfter(n int) *ending {
	e := &ending{context.Background(), n, make(chan struct{})}
	close(e.done)
	return e
}

func (e *ending) Done() <-chan struct{} { return e.done }

func (e *ending) Err() error {
	if e.n--; e.n < 0 {
		return context.Canceled
	}
	return nil
}

// libLLVM cannot be stopped. What it makes after its caller has left is kept for the next
// one.
func TestWhatIsMadeTooLateIsKept(t *testing.T) {
	c := compilers(t)[0]
	k, err := kernel.Parse(`kernel late(x: f32[64] strides [1], out y: f32[64] strides [1]) {
  for i < 64
  stage {
    %0 = load x[i]
    %1 = multiply %0, %0 : f32
    store y[i], %1
  }
}`)
	require.NoError(t, err)
	_, err = c.Compile(endingAfter(1), []*kernel.Kernel{k}) // until libLLVM has it
	require.ErrorIs(t, err, context.Canceled)
	require.Eventually(t, func() bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		return len(c.codes) == 1
	}, time.Minute, time.Millisecond)
	codes, err := c.Compile(endingAfter(0), []*kernel.Kernel{k})
	require.NoError(t, err)
	require.IsType(t, &code{}, codes[0])
}

func TestFunctionsMadeTooLateAreKept(t *testing.T) {
	c := compilers(t)[0]
	q, err := gemm.New(gemm.Dense(types.I32, types.I32, types.I32, types.I32, 1, 64, 64, 64), c.units.machine)
	require.NoError(t, err)
	u := q.Units()[0]
	_, err = c.units.get(endingAfter(1), u)
	require.ErrorIs(t, err, context.Canceled)
	require.Eventually(t, func() bool {
		c.units.mu.Lock()
		defer c.units.mu.Unlock()
		return c.units.all[u.Name] != nil
	}, time.Minute, time.Millisecond)
	c.units.compile = nil
	_, err = c.units.get(t.Context(), u)
	require.NoError(t, err)
}
