package reference

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/backends/kit/exec"
	"ltc/internal/test/kittest"
	"ltc/internal/test/programs"
	"ltc/internal/trials"
)

// Random programs of up to three open sizes give what the evaluator gives, for any sizes. Where a
// size breaks a rule of the text, both have an error. Nearly all are one program for all sizes, and
// nearly all runs in which sizes are 0 are compiled.
func TestRandomProgramsOfOpenSizes(t *testing.T) {
	families, all, others, zero, zeroOthers := 0, 0, 0, 0, 0
	for seed := range uint64(trials.Soak(150, 20_000)) {
		r := rand.New(rand.NewPCG(seed, 21))
		p := programs.Open(r, 3+r.IntN(16))
		cpu, err := backends.Open("cpu")
		require.NoError(t, err)
		e, err := cpu.Compile(t.Context(), backends.NewModule(p.Text), backends.Options{})
		require.NoError(t, err, "seed %d\n%s", seed, p.Text)
		x, one := e.(*openExecutable)
		ran := false
		if all++; one {
			families++
			by := x.evaluator
			x.evaluator = exec.NewLazy(func(ctx context.Context) (func(context.Context, *backends.Call) error, error) {
				run, err := by.Get(ctx)
				return func(ctx context.Context, c *backends.Call) error {
					ran = true
					return run(ctx, c)
				}, err
			})
		}
		kittest.SameSizes(t, r, p, e, func() { ran = false }, func(of kittest.OpenRun) {
			switch {
			case !one || of.Again || of.Err != nil:
			case slices.Min(of.Sizes) == 0:
				if zero++; ran {
					zeroOthers++
				}
			case ran:
				others++
			}
		})
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
	t.Logf("%d of %d programs are one for all sizes; %d runs were of other sizes; %d of %d with a size of 0 were not compiled", families, all, others, zeroOthers, zero)
	require.Greater(t, families, all*9/10)
	require.Less(t, others, all/4)
	require.Less(t, zeroOthers, zero/10)
}
