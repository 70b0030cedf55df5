package llvm

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/internal/test/kittest"
	"ltc/internal/test/programs"
	"ltc/internal/trials"
)

// Random programs of up to three open sizes give what the evaluator gives, for any sizes; with
// LTC_SOAK=1 3,000.
func TestRandomProgramsOfOpenSizes(t *testing.T) {
	for seed := range uint64(trials.Soak(20, 3_000)) {
		r := rand.New(rand.NewPCG(seed, 22))
		p := programs.Open(r, 3+r.IntN(16))
		cpu, err := backends.Open("cpu")
		require.NoError(t, err)
		e, err := cpu.Compile(t.Context(), backends.NewModule(p.Text), backends.Options{})
		require.NoError(t, err, "seed %d\n%s", seed, p.Text)
		kittest.SameSizes(t, r, p, e, func() {}, func(kittest.OpenRun) {})
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}
