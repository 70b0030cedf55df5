package programs

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/ir"
)

// counting compiles nothing, and counts.
type counting struct{ compiles int }

func (c *counting) Compile(context.Context, *Program) error { c.compiles++; return nil }
func (c *counting) Located(*ir.Graph) bool                  { return false }
func (c *counting) Evicted(*Program, int64)                 {}

// Programs whose hashes agree by chance are told apart.
func TestProgramsOfEqualHashesAreToldApart(t *testing.T) {
	graph := func(body string) *ir.Graph {
		g, err := ir.Parse("test.ir", "graph \"g\" {\n  %0 = parameter {index = 0, name = \"\"} : f32[1]\n"+body+"}\n")
		require.NoError(t, err)
		return g
	}
	plus := graph("  %1 = add %0, %0 : f32[1]\n  return %1\n")
	times := graph("  %1 = mul %0, %0 : f32[1]\n  %2 = mul %1, %0 : f32[1]\n  return %2\n")
	require.NotEqual(t, plus.Hash(), times.Hash())
	var by counting
	c := Cache{Compiler: &by, Limit: 1 << 20}
	first, found, err := c.Get(t.Context(), plus, nil)
	require.NoError(t, err)
	require.False(t, found)
	c.byHash[times.Hash()] = append(c.byHash[times.Hash()], first.element)
	second, found, err := c.Get(t.Context(), times, nil)
	require.NoError(t, err)
	require.False(t, found)
	require.NotSame(t, first, second)
	again, found, err := c.Get(t.Context(), times.Clone(), nil)
	require.NoError(t, err)
	require.True(t, found)
	require.Same(t, second, again)
	require.Equal(t, 2, by.compiles)
}

// waiting compiles when it is told to, with that error.
type waiting struct {
	counting
	begun chan struct{}
	end   chan error
}

func (w *waiting) Compile(context.Context, *Program) error {
	w.begun <- struct{}{}
	return <-w.end
}

// Find waits for a compilation under way, and compiles nothing itself.
func TestFindCompilesNothing(t *testing.T) {
	g, err := ir.Parse("test.ir", "graph \"g\" {\n  %0 = parameter {index = 0, name = \"\"} : f32[1]\n  %1 = add %0, %0 : f32[1]\n  return %1\n}\n")
	require.NoError(t, err)
	w := &waiting{begun: make(chan struct{}), end: make(chan error)}
	c := Cache{Compiler: w, Limit: 1 << 20}
	find := func(ctx context.Context) *Program {
		p, err := c.Find(ctx, g)
		require.NoError(t, err)
		return p
	}
	require.Nil(t, find(t.Context()))
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	_, _, err = c.Get(gone, g, nil)
	require.ErrorIs(t, err, context.Canceled)
	require.Nil(t, find(t.Context()), "an entry that nobody compiles")

	for _, failure := range []error{context.DeadlineExceeded, nil} {
		done := make(chan struct{})
		go func() {
			defer close(done)
			_, _, err := c.Get(context.Background(), g, nil)
			require.ErrorIs(t, err, failure)
		}()
		<-w.begun
		_, err = c.Find(gone, g)
		require.ErrorIs(t, err, context.Canceled)
		go func() { w.end <- failure }()
		p, err := c.Find(t.Context(), g)
		<-done
		if failure != nil {
			require.True(t, p == nil && (err == nil || err == failure))
			continue
		}
		require.NoError(t, err)
		require.NotNil(t, p)
	}
}
