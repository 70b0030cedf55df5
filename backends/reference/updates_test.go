package reference

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/backends/kit/plan"
	"ltc/backends/reference/eval"
	"ltc/internal/samples"
	"ltc/internal/test/programs"
	"ltc/internal/trials"
)

// Random programs that write over parts of tensors, in loops and branches, too,
// compute as kernels what the evaluator computes, in a second run in the memory of the
// first one as well. Many of their loops have values that stay where they are.
func TestRandomUpdates(t *testing.T) {
	trials.Sequential(t)
	stay, onto := 0, 0
	tried := trials.Soak(200, 20_000)
	for seed := range uint64(tried) {
		text := programs.Updates(rand.New(rand.NewPCG(seed, 6)), 4+int(seed%24))
		kernels, err := asKernels{eval.New()}.Compile(t.Context(), backends.NewModule(text), backends.Options{Threads: 1 + int(seed%3)})
		require.NoError(t, err, text)
		eval, err := eval.New().Compile(t.Context(), backends.NewModule(text), backends.Options{})
		require.NoError(t, err, text)
		for run := range uint64(2) {
			want := updated(t, eval, seed+run)
			got := updated(t, kernels, seed+run)
			for j := range want.Results {
				d, err := samples.Differ(got.Results[j], want.Results[j])
				require.NoError(t, err)
				require.LessOrEqual(t, d.Size, 1e-3, "seed %d, run %d: result %d differs at %v: %s, want %s\n%s", seed, run, j, d.At, d.Got, d.Want, text)
			}
		}
		kernels.(*compiled).Program().Each(func(s *plan.Step) {
			if l := s.Launch(); l != nil && l.Copies {
				onto++
			}
			for i := range stays(s) {
				if stays(s)[i] {
					stay++
				}
			}
		})
	}
	require.Greater(t, 4*stay, tried)
	require.Greater(t, 4*onto, tried)
}

func stays(s *plan.Step) []bool {
	l, ok := s.Work.(*plan.Loop)
	if !ok {
		return nil
	}
	return l.Stays[1:] // but for the counter
}

// updated runs a program on arguments of its own, as some are donated.
func updated(t *testing.T, e backends.Executable, seed uint64) *backends.Call {
	c := &backends.Call{}
	for i, a := range e.Signature().Args {
		v, err := samples.Make(a.Type, fmt.Sprintf("rand:%d", seed+uint64(i)))
		require.NoError(t, err)
		c.Args = append(c.Args, v)
	}
	require.NoError(t, e.Execute(t.Context(), c))
	return c
}
