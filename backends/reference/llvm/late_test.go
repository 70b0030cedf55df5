package llvm

import (
	"context"
	"fmt"
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
// one. A kernel that libLLVM has made before its caller looks is no such kernel, and another is
// tried.
func TestWhatIsMadeTooLateIsKept(t *testing.T) {
	c := compilers(t)[0]
	for n := 64; n < 128; n++ {
		k, err := kernel.Parse(fmt.Sprintf(`kernel late(x: f32[%[1]d] strides [1], out y: f32[%[1]d] strides [1]) {
  for i < %[1]d
  stage {
    %%0 = load x[i]
    %%1 = multiply %%0, %%0 : f32
    store y[i], %%1
  }
}`, n))
		require.NoError(t, err)
		kept := made(c)
		_, err = c.Compile(endingAfter(1), []*kernel.Kernel{k}) // until libLLVM has it
		if err == nil {
			continue
		}
		require.ErrorIs(t, err, context.Canceled)
		require.Eventually(t, func() bool { return made(c) == kept+1 }, time.Minute, time.Millisecond)
		codes, err := c.Compile(endingAfter(0), []*kernel.Kernel{k})
		require.NoError(t, err)
		require.IsType(t, &code{}, codes[0])
		return
	}
	t.Fatal("libLLVM had every kernel before its caller left")
}

func made(c *shared) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.codes)
}

func TestFunctionsMadeTooLateAreKept(t *testing.T) {
	c := compilers(t)[0]
	for k := 64; k < 128; k++ {
		q, err := gemm.New(gemm.Dense(types.I32, types.I32, types.I32, types.I32, 1, 64, 64, k), c.units.machine)
		require.NoError(t, err)
		for _, u := range q.Units() {
			_, err = c.units.get(endingAfter(1), u)
			if err == nil {
				continue
			}
			require.ErrorIs(t, err, context.Canceled)
			require.Eventually(t, func() bool {
				c.units.mu.Lock()
				defer c.units.mu.Unlock()
				return c.units.all[u.Name] != nil
			}, time.Minute, time.Millisecond)
			c.units.compile = nil
			_, err = c.units.get(t.Context(), u)
			require.NoError(t, err)
			return
		}
	}
	t.Fatal("libLLVM had every kernel before its caller left")
}
