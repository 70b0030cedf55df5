package callsite

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
)

func here(skip int) string {
	_, file, line, _ := runtime.Caller(skip + 1)
	return fmt.Sprintf("%s:%d", relative(file), line)
}

func TestCaller(t *testing.T) {
	var c Cache
	for range 3 { // cold and from the cache
		got, want := c.Caller().String(), here(0)
		require.Equal(t, want, got)
		func() { require.Equal(t, here(0), c.Caller().String()) }()
	}
}

//go:noinline
func deep(c *Cache, n int) Site {
	if n == 0 {
		return c.Caller()
	}
	return deep(c, n-1)
}

// The stack moves while it grows; addresses read from it must stay right.
func TestCallerOnGrowingStacks(t *testing.T) {
	done := make(chan string)
	for range 50 {
		go func() {
			var c Cache
			done <- deep(&c, 1000).String()
		}()
	}
	first := <-done
	for range 49 {
		require.Equal(t, first, <-done)
	}
	require.Contains(t, first, "callsite_test.go:")
}

func TestLibrary(t *testing.T) {
	require.True(t, library(module+"/lazy.(*Tensor).Add", "/x/lazy/methods_gen.go"))
	require.False(t, library(module+"/lazy.TestX", "/x/lazy/x_test.go"))
	require.False(t, library(module+"/examples/digits/main.main", "/x/main.go"))
	require.False(t, library(module+"x/lazy.F", "/x/f.go"))
	require.False(t, library("main.main", "/x/main.go"))
	require.True(t, library("slices.SortFunc", "/go/slices/sort.go"))
	// A closure of the library, of a function that is inlined in a user's.
	require.True(t, library("main.(*Net).Forward.(*Linear).Forward.func1", directory+"/nn/layers/linear.go"))
	require.True(t, library("example.com/net.F.func1", directory+"/lazy/func.go"))
	require.False(t, library("main.main", directory+"/examples/bert/main.go"))
	require.False(t, library("main.main", directory+"x/main.go"))
}

func BenchmarkCaller(b *testing.B) {
	var c Cache
	b.ReportAllocs()
	for b.Loop() {
		c.Caller()
	}
}

// Frames of the test are those of the user; Go's own are left out.
func TestStack(t *testing.T) {
	stack, lines := func() ([]Site, []string) { return Stack(8), []string{here(0), here(1)} }()
	require.Equal(t, lines, []string{stack[0].String(), stack[1].String()})
	require.Len(t, stack, 2)
	require.Len(t, Stack(1), 1)
}

// A chain is the caller's line, with the calls that led there.
func TestChain(t *testing.T) {
	chain := func() Site { return Chain(8) }
	one, other := chain(), chain()
	require.Equal(t, one.String(), other.String())
	require.Equal(t, one, other, "one line, one stack")
	third := chain()
	require.Equal(t, one.String(), third.String())
	require.NotEqual(t, one, third)
	require.Equal(t, here(-0), fmt.Sprint(Chain(1)))
	require.NotZero(t, one.Up())
	require.NotEqual(t, one.Up().String(), third.Up().String())
	require.Zero(t, Chain(1).Up())
	require.Zero(t, Caller().Up())
	require.Equal(t, third.Up(), third.In("scope").Up())
}

func BenchmarkChain(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		Chain(8)
	}
}
