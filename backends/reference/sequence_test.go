package reference

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/backends/kit/kernel"
	"ltc/backends/reference/eval"
	"ltc/internal/samples"
	"ltc/internal/trials"
	"ltc/ir/types"
	"ltc/soa"
)

// steps is a program of so many kernels that follow each other, products of a number of rows with a
// matrix.
func steps(n int, rows string) string {
	var b strings.Builder
	b.WriteString("func.func @main(%a0: tensor<Rx3xf32>, %w: tensor<3x3xf32>) -> tensor<Rx3xf32> {\n")
	for i := range n {
		fmt.Fprintf(&b, "  %%a%d = stablehlo.dot_general %%a%d, %%w, contracting_dims = [1] x [0] : (tensor<Rx3xf32>, tensor<3x3xf32>) -> tensor<Rx3xf32>\n", i+1, i)
	}
	fmt.Fprintf(&b, "  return %%a%d : tensor<Rx3xf32>\n}", n)
	return strings.ReplaceAll(b.String(), "<Rx", "<"+rows+"x")
}

// Short steps that follow each other are one chain, with the results of the evaluator. Each of
// them is launched if steps are measured, or take long.
func TestSequences(t *testing.T) {
	text := steps(8, "5")
	want, err := eval.New().Compile(t.Context(), backends.NewModule(text), backends.Options{})
	require.NoError(t, err)
	for _, c := range []struct {
		by      *chaining
		options backends.Options
		chains  int
	}{
		{&chaining{short: true}, backends.Options{}, 1},
		{&chaining{short: true}, backends.Options{Threads: 2}, 1},
		{&chaining{short: true}, backends.Options{Profile: true}, 0},
		{&chaining{}, backends.Options{}, 0},
	} {
		got := compileChaining(t, c.by, text, c.options)
		kernels, _ := got.(*compiled).Compiled()
		require.Equal(t, 8, kernels)
		for seed := range 3 {
			c.by.begun = 0
			require.Equal(t, resultsOf(t, want, seed), resultsOf(t, got, seed))
			require.Equal(t, c.chains, c.by.begun)
		}
	}
}

// Programs with an open size have a chain of each size anew, but for sizes of recent calls. A
// constant is bound, since the memory of runs of other programs may be collected between them.
func TestSequencesOfManySizes(t *testing.T) {
	c := &chaining{short: true}
	m := backends.NewModule(strings.Replace(steps(8, "?"), "%w: tensor<3x3xf32>", "%w: tensor<3x3xf32> {ltc.constant}", 1))
	p, err := backends.LoadOpen(t.Context(), m, backends.Options{})
	require.NoError(t, err)
	w, err := samples.Make(types.Of(types.F32, 3, 3), "rand:1")
	require.NoError(t, err)
	var both [2]backends.Executable
	sized, err := compileSized(t.Context(), m, backends.Options{}, p, []kernel.Compiler{c})
	require.NoError(t, err)
	exact, err := eval.New().Compile(t.Context(), m, backends.Options{})
	require.NoError(t, err)
	for i, e := range []backends.Executable{sized, exact} {
		both[i], err = e.Bind(t.Context(), map[int]soa.View{1: w})
		require.NoError(t, err)
	}
	for run, n := range []int{4, 4, 1, 4, 300, 1, 4} {
		x, err := samples.Make(types.Of(types.F32, n, 3), fmt.Sprint("rand:", run))
		require.NoError(t, err)
		c.begun, c.links = 0, 0
		var results [2]soa.View
		for i, e := range both {
			call := &backends.Call{Args: []soa.View{x, {}}}
			require.NoError(t, e.Execute(t.Context(), call))
			results[i] = call.Results[0]
		}
		require.Equal(t, elementBits(results[1]), elementBits(results[0]), "%d rows", n)
		require.Equal(t, 1, c.begun, "%d rows", n)
		links := []int{8, 0, 8, 0, 8, 0, 0}
		require.Equal(t, links[run], c.links, "run %d of %d rows", run, n)
	}
}

// A sequence ends with a launch that fails, whose op the error names, and with the context of
// the run. The run that follows is as any other.
func TestSequencesEnd(t *testing.T) {
	c := &chaining{short: true}
	e := compileChaining(t, c, steps(8, "5"), backends.Options{})
	want := resultsOf(t, e, 1)
	c.fails = true
	err := e.Execute(t.Context(), &backends.Call{Args: arguments(e.(*compiled))})
	require.ErrorIs(t, err, errCheck)
	of, ok := errors.AsType[*backends.RunError](err)
	require.True(t, ok)
	require.Equal(t, e.(*compiled).steps[0].Ordinal, of.Op)
	require.NotErrorIs(t, err, backends.ErrWritten)
	c.fails = false
	require.Equal(t, want, resultsOf(t, e, 1))

	cause := errors.New("the caller has left")
	ctx, cancel := context.WithCancelCause(t.Context())
	c.after = func() { cancel(cause) }
	require.ErrorIs(t, e.Execute(ctx, &backends.Call{Args: arguments(e.(*compiled))}), cause)
	c.after = nil
	require.Equal(t, want, resultsOf(t, e, 1))
}

// donatedSteps is the program of steps whose result overwrites %a0.
func donatedSteps(n int) string {
	return strings.Replace(steps(n, "5"), "%a0: tensor<5x3xf32>", "%a0: tensor<5x3xf32> {tf.aliasing_output = 0 : i32}", 1)
}

// A sequence that has written over a donated argument cannot be cancelled. If it fails, its error
// says that it has written, also where the context has ended meanwhile.
func TestSequencesEndAfterWrites(t *testing.T) {
	const n = 7 // a chain returns after steps 2, 5 and 6, of which the last writes the result
	plain := compileChaining(t, &chaining{}, steps(n, "5"), backends.Options{})
	expected := &backends.Call{Args: arguments(plain)}
	require.NoError(t, plain.Execute(t.Context(), expected))
	want, before := elementBits(expected.Results[0]), elementBits(expected.Args[0])
	cause := errors.New("the caller has left")
	for _, test := range []struct {
		name    string
		returns int // the return of the chain at which the context ends
		fails   bool
		err     error
	}{
		{name: "before the write", returns: 1, err: cause},
		{name: "after the write", returns: 3},
		{name: "before a write that fails", returns: 2, fails: true, err: errCheck},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := &chaining{short: true}
			e := compileChaining(t, c, donatedSteps(n), backends.Options{})
			call := &backends.Call{Args: arguments(e), Results: make([]soa.View, 1)}
			ctx, cancel := context.WithCancelCause(t.Context())
			returned := 0
			c.after = func() {
				if returned++; returned == test.returns {
					cancel(cause)
					c.fails = test.fails
				}
			}
			err := e.Execute(ctx, call)
			switch test.err {
			case nil:
				require.NoError(t, err)
				require.Equal(t, want, elementBits(call.Args[0]))
			case cause:
				require.ErrorIs(t, err, cause)
				require.NotErrorIs(t, err, backends.ErrWritten)
				require.Equal(t, before, elementBits(call.Args[0]))
			default:
				require.ErrorIs(t, err, test.err)
				require.ErrorIs(t, err, backends.ErrWritten)
				of, ok := errors.AsType[*backends.RunError](err)
				require.True(t, ok)
				require.Equal(t, e.(*compiled).steps[n-1].Ordinal, of.Op)
			}
		})
	}
}

// A sequence that runs again allocates nothing.
func TestSequencesAllocateNothing(t *testing.T) {
	e := compileChaining(t, &chaining{short: true}, steps(8, "5"), backends.Options{}).(*compiled)
	call := &backends.Call{Args: arguments(e), Results: []soa.View{soa.Make(e.Signature().Results[0].Type)}}
	l := e.launcher()
	ctx := t.Context()
	run := func() {
		if err := l.Execute(ctx, call, true); err != nil {
			panic(err)
		}
	}
	run()
	require.Zero(t, trials.Allocs(10, run))
}
