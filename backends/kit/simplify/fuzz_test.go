package simplify_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/internal/programs"
)

// FuzzRun checks random programs: simplified they compute the same, and
// simplifying them once more changes nothing.
func FuzzRun(f *testing.F) {
	for seed := range uint64(300) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, seed uint64) {
		r := rand.New(rand.NewPCG(seed, 3))
		before := programs.Random(r, 3+r.IntN(25))
		after := simplified(t, "random", before, folding)
		requireSame(t, before, after, 0)
		require.Equal(t, after, simplified(t, "again", after, folding), "before:\n%s", before)
	})
}
