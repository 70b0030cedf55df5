package reference

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"ltc/backends"
	"ltc/backends/kit/kernel"
	"ltc/backends/reference/eval"
	"ltc/backends/reference/tiles"
	"ltc/internal/env"
	"ltc/internal/samples"
	"ltc/internal/trials"
	"ltc/ir/types"
	"ltc/soa"
)

// chaining is a compiler whose code can be in chains, which run in Go. It counts the chains that
// have begun. One run at a time uses its code.
type chaining struct {
	begun int
	links int    // that were set
	fails bool   // the last launch of a chain fails
	short bool   // launches are short: steps that follow each other are in a chain
	after func() // a chain has returned; nil: nothing
}

func (c *chaining) Compile(ctx context.Context, kernels []*kernel.Kernel) ([]kernel.Code, error) {
	codes, err := tiles.Compiler{}.Compile(ctx, kernels)
	for i := range codes {
		code := chainingCode{codes[i], c}
		if codes[i] = code; c.short {
			codes[i] = shortCode{code}
		}
	}
	return codes, err
}

type chainingCode struct {
	kernel.Code
	by *chaining
}

// shortCode is chainingCode of short launches.
type shortCode struct{ chainingCode }

func (shortCode) IsShort([]int64) bool { return true }

func (c chainingCode) NewChain(launches int) kernel.Chain {
	return &testChain{by: c.by, links: make([]testLink, launches)}
}

// testChain returns after three launches, so that runs go on with any of them.
type testChain struct {
	by    *chaining
	links []testLink
}

type testLink struct {
	code kernel.Code
	call *kernel.Call
	test *bool
	next int
}

func (n *testChain) Set(i int, code kernel.Code, c *kernel.Call, test *bool, next int) bool {
	n.by.links++
	n.links[i] = testLink{code, c, test, next}
	return true
}

var errCheck = errors.New("a check failed")

func (n *testChain) Run(first int, _ int64) (at int, ended bool, err error) {
	if first == 0 {
		n.by.begun++
	}
	if n.by.after != nil {
		defer n.by.after()
	}
	at = first
	for range 3 {
		l := &n.links[at]
		if err := l.code.Run(l.call); err != nil {
			return at, false, err
		}
		if l.test != nil && !*l.test {
			return at, true, nil
		}
		if n.by.fails && l.test == nil {
			return at, false, errCheck
		}
		if l.next == kernel.ChainEnds {
			return at, true, nil
		}
		at = l.next
	}
	return at, false, nil
}

// compileChaining compiles a program by c.
func compileChaining(t testing.TB, c *chaining, text string, o backends.Options) backends.Executable {
	t.Helper()
	p, err := backends.LoadOpen(t.Context(), backends.NewModule(text), o)
	require.NoError(t, err)
	e, err := compileKernels(t.Context(), p, o, []kernel.Compiler{c})
	require.NoError(t, err)
	return e
}

// loopTexts returns the programs of the archive of loops, by name, and how many chains each has.
func loopTexts(t testing.TB) (texts map[string]string, chains map[string]int) {
	t.Helper()
	a, err := txtar.ParseFile("testdata/loops.txtar")
	require.NoError(t, err)
	texts, chains = map[string]string{}, map[string]int{}
	for _, f := range a.Files {
		first, _, _ := bytes.Cut(f.Data, []byte("\n"))
		var n int
		_, err := fmt.Sscanf(string(first), "// %d", &n)
		require.NoError(t, err, f.Name)
		texts[f.Name], chains[f.Name] = string(f.Data), n
	}
	return texts, chains
}

// Loops of kernels run as chains, and others by the host: both like the evaluator's, also where
// a run follows another one.
func TestLoops(t *testing.T) {
	texts, chains := loopTexts(t)
	for name, text := range texts {
		t.Run(name, func(t *testing.T) {
			c := new(chaining)
			got := compileChaining(t, c, text, backends.Options{})
			want, err := eval.New().Compile(t.Context(), backends.NewModule(text), backends.Options{})
			require.NoError(t, err)
			for seed := range 3 {
				c.begun = 0
				require.Equal(t, resultsOf(t, want, seed), resultsOf(t, got, seed))
				require.Equal(t, chains[name], c.begun)
			}
		})
	}
}

// Loops of programs with an open size are chains, too, of each size anew.
func TestSizedLoops(t *testing.T) {
	c := new(chaining)
	m := backends.NewModule(`func.func @main(%x: tensor<?x3xf32>, %n: tensor<ui8>) -> tensor<?x3xf32> {
  %c = stablehlo.constant dense<0> : tensor<ui8>
  %r:3 = stablehlo.while(%i = %c, %a = %x, %b = %x) : tensor<ui8>, tensor<?x3xf32>, tensor<?x3xf32> cond {
    %p = stablehlo.compare LT, %i, %n : (tensor<ui8>, tensor<ui8>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<ui8>
    %j = stablehlo.add %i, %one : tensor<ui8>
    %d = stablehlo.reverse %a, dims = [0] : tensor<?x3xf32>
    %s = stablehlo.subtract %d, %b : tensor<?x3xf32>
    stablehlo.return %j, %b, %s : tensor<ui8>, tensor<?x3xf32>, tensor<?x3xf32>
  }
  return %r#1 : tensor<?x3xf32>
}`)
	p, err := backends.LoadOpen(t.Context(), m, backends.Options{})
	require.NoError(t, err)
	got, err := compileSized(t.Context(), m, backends.Options{}, p, []kernel.Compiler{c})
	require.NoError(t, err)
	want, err := eval.New().Compile(t.Context(), m, backends.Options{})
	require.NoError(t, err)
	for run, n := range []int{4, 4, 1, 300, 4, 0} {
		x, err := samples.Make(types.Of(types.F32, n, 3), fmt.Sprint("rand:", run))
		require.NoError(t, err)
		steps, err := samples.Make(types.Of(types.U8), fmt.Sprint("rand:", run))
		require.NoError(t, err)
		c.begun = 0
		var results [2]soa.View
		for i, e := range []backends.Executable{got, want} {
			call := &backends.Call{Args: []soa.View{x, steps}}
			require.NoError(t, e.Execute(t.Context(), call))
			results[i] = call.Results[0]
		}
		require.Equal(t, elementBits(results[1]), elementBits(results[0]), "%d rows", n)
		require.Equal(t, 1, c.begun, "%d rows", n)
	}
}

// resultsOf returns the bits of the results for random arguments.
func resultsOf(t testing.TB, e backends.Executable, seed int) [][]uint64 {
	t.Helper()
	call := &backends.Call{}
	for _, a := range e.Signature().Args {
		v, err := samples.Make(a.Type, fmt.Sprint("rand:", seed))
		require.NoError(t, err)
		call.Args = append(call.Args, v)
	}
	require.NoError(t, e.Execute(t.Context(), call))
	var all [][]uint64
	for _, r := range call.Results {
		all = append(all, elementBits(r))
	}
	return all
}

func elementBits(v soa.View) []uint64 {
	bits := make([]uint64, v.Type.Elements())
	for i := range bits {
		bits[i] = samples.Bits(v, i)
	}
	return bits
}

// The host drives loops whose steps are measured or checked.
func TestDrivenLoops(t *testing.T) {
	texts, _ := loopTexts(t)
	c := new(chaining)
	e := compileChaining(t, c, texts["counter.mlir"], backends.Options{Profile: true})
	resultsOf(t, e, 1)
	require.Zero(t, c.begun)
	steps := e.(backends.Profiler).Profile()
	require.EqualValues(t, 78, steps[1].Runs)

	t.Setenv(env.Checks.Name, "1")
	resultsOf(t, compileChaining(t, c, texts["counter.mlir"], backends.Options{}), 1)
	require.Zero(t, c.begun)
}

// A chain ends with the context of the run, and with a launch that fails. The run that follows
// is as any other.
func TestChainsEnd(t *testing.T) {
	texts, _ := loopTexts(t)
	c := new(chaining)
	e := compileChaining(t, c, texts["counter.mlir"], backends.Options{})
	want := resultsOf(t, e, 1)
	c.fails = true
	err := e.Execute(t.Context(), &backends.Call{Args: []soa.View{soa.Make(e.Signature().Args[0].Type)}})
	require.ErrorIs(t, err, errCheck)
	require.ErrorAs(t, err, new(*backends.RunError))
	c.fails = false
	require.Equal(t, want, resultsOf(t, e, 1))

	endless := compileChaining(t, c, `func.func @main(%x: tensor<i32>) -> tensor<i32> {
  %r = stablehlo.while(%i = %x) : tensor<i32> cond {
    %n = stablehlo.constant dense<true> : tensor<i1>
    stablehlo.return %n : tensor<i1>
  } do {
    %j = stablehlo.add %i, %i : tensor<i32>
    stablehlo.return %j : tensor<i32>
  }
  return %r : tensor<i32>
}`, backends.Options{})
	c.begun = 0
	cause := errors.New("the caller has left")
	ctx, cancel := context.WithTimeoutCause(t.Context(), 10*time.Millisecond, cause)
	defer cancel()
	require.ErrorIs(t, endless.Execute(ctx, &backends.Call{Args: []soa.View{soa.Make(endless.Signature().Args[0].Type)}}), cause)
	require.Equal(t, 1, c.begun)
}

// A loop that runs again allocates nothing.
func TestChainsAllocateNothing(t *testing.T) {
	if trials.Race {
		t.Skip("under the race detector sync.Pool drops values on purpose, so that runs allocate")
	}
	texts, _ := loopTexts(t)
	e := compileChaining(t, new(chaining), texts["counter.mlir"], backends.Options{}).(*compiled)
	call := &backends.Call{Args: arguments(e), Results: []soa.View{soa.Make(e.Signature().Results[0].Type)}}
	l := e.launcher()
	ctx := t.Context()
	run := func() {
		if err := l.Execute(ctx, call, false); err != nil {
			panic(err)
		}
	}
	run()
	require.Zero(t, testing.AllocsPerRun(10, run))
}
