package exec_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/backends/kit"
	"ltc/backends/kit/exec"
	"ltc/backends/kit/plan"
	"ltc/backends/reference/eval"
	"ltc/internal/test/viewtest"
	"ltc/soa"
)

// target makes executables that are numbers: 0 is the dense one.
type target struct {
	made  int
	views []*exec.Views
	fails []error // what making the next ones ends with
	grown atomic.Int64
}

var errLasts = errors.New("no code for that")

func (f *target) variants(p *plan.Program) *exec.Variants[int] {
	return exec.NewVariants(0, exec.NewResults(p, p.LastFallible, false), nil, exec.VariantOptions[int]{
		Make: func(_ context.Context, v *exec.Views) (int, error) {
			f.views = append(f.views, v)
			if len(f.fails) > 0 {
				err := f.fails[0]
				f.fails = f.fails[1:]
				return -1, err
			}
			f.made++
			return f.made, nil
		},
		Passes: func(err error) bool { return errors.Is(err, soa.ErrMemory) },
		Grown:  &f.grown,
		Bytes:  func(e int) int { return 100 * e },
	})
}

// program compiles a text.
func program(t *testing.T, text string) *plan.Program {
	t.Helper()
	p, err := backends.Load(t.Context(), backends.NewModule(text), backends.Options{})
	require.NoError(t, err)
	k, err := kit.Compile(t.Context(), p, kit.Options{Eval: eval.New()})
	require.NoError(t, err)
	return k
}

const sum = `func.func @main(%x: tensor<4x3xf32>, %y: tensor<4x3xf32>) -> tensor<4x3xf32> {
  %0 = stablehlo.add %x, %y : tensor<4x3xf32>
  return %0 : tensor<4x3xf32>
}`

// call is one whose arguments have strides.
func call(t *testing.T, strides ...[]int) *backends.Call {
	return &backends.Call{Args: viewtest.Strided(t, strides, 4, 3), Results: []soa.View{soa.Make(viewtest.Strided(t, strides[:1], 4, 3)[0].Type)}}
}

// Each combination of layouts has one executable, which is found again.
func TestVariantsAreMadeOnce(t *testing.T) {
	f := new(target)
	v := f.variants(program(t, sum))
	dense, columns, wide := []int{3, 1}, []int{1, 4}, []int{1, 9}
	for _, x := range []struct {
		call *backends.Call
		want int
	}{{call(t, dense, dense), 0}, {call(t, columns, dense), 1}, {call(t, wide, dense), 1}, {call(t, dense, columns), 2}, {call(t, columns, dense), 1}} {
		got, err := v.Of(t.Context(), x.call, true)
		require.NoError(t, err)
		require.Equal(t, x.want, got)
	}
	made, failed := v.Count()
	require.Equal(t, []int{2, 0}, []int{made, failed})
	require.EqualValues(t, 100+200, f.grown.Load())
	require.Equal(t, []int{1, 4}, f.views[0].Strides[0])
	require.Nil(t, f.views[0].Layouts[1], "a dense argument has no layout")
	c := call(t, columns, dense)
	require.Zero(t, testing.AllocsPerRun(100, func() { _, _ = v.Of(t.Context(), c, true) }))
}

// Results have layouts only where they may be written before the run has succeeded.
func TestResultsHaveLayoutsWhereWrittenDirectly(t *testing.T) {
	f := new(target)
	v := f.variants(program(t, sum))
	c := call(t, []int{3, 1}, []int{3, 1})
	c.Results = viewtest.Strided(t, [][]int{{1, 4}}, 4, 3)
	got, err := v.Of(t.Context(), c, false)
	require.NoError(t, err)
	require.Zero(t, got)
	got, err = v.Of(t.Context(), c, true)
	require.NoError(t, err)
	require.Equal(t, 1, got)
}

// A failure that may pass is followed by another try, up to a limit; another is not.
func TestFailuresThatPassAreTriedAgain(t *testing.T) {
	f := &target{fails: []error{soa.ErrMemory}}
	v := f.variants(program(t, sum))
	columns := call(t, []int{1, 4}, []int{3, 1})
	for _, want := range []int{0, 1, 1} {
		got, err := v.Of(t.Context(), columns, true)
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
	rest := []*backends.Call{call(t, []int{3, 1}, []int{1, 4}), call(t, []int{1, 4}, []int{1, 4})}
	for i, fails := range [][]error{{soa.ErrMemory, soa.ErrMemory, soa.ErrMemory}, {errLasts}} {
		f.fails, f.views = fails, nil
		for range 2 * exec.MostTries {
			got, err := v.Of(t.Context(), rest[i], true)
			require.NoError(t, err)
			require.Zero(t, got, "the dense executable copies")
		}
		require.Len(t, f.views, len(fails))
	}
	made, failed := v.Count()
	require.Equal(t, []int{1, 2}, []int{made, failed})
}

// Making a variant ends with the context of the call, which another call does not hold
// against the layout.
func TestCancelledVariantsAreMadeLater(t *testing.T) {
	f := &target{fails: []error{context.Canceled}}
	v := f.variants(program(t, sum))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	c := call(t, []int{1, 4}, []int{3, 1})
	_, err := v.Of(ctx, c, true)
	require.ErrorIs(t, err, context.Canceled)
	got, err := v.Of(t.Context(), c, true)
	require.NoError(t, err)
	require.Equal(t, 1, got)
}
