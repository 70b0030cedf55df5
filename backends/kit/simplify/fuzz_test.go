package simplify_test

import (
	"math/rand/v2"
	"os"
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
	f.Fuzz(func(t *testing.T, seed uint64) { checkRandom(t, seed, 28) })
}

// TestSoak is what FuzzRun checks for as many and longer programs.
func TestSoak(t *testing.T) {
	if os.Getenv("LTC_SOAK") != "1" {
		t.Skip("LTC_SOAK=1 compares 20,000 programs")
	}
	for seed := range uint64(20_000) {
		checkRandom(t, seed, 60)
	}
}

func checkRandom(t *testing.T, seed uint64, most int) {
	r := rand.New(rand.NewPCG(seed, 3))
	before := programs.Random(r, 3+r.IntN(most))
	after := simplified(t, "random", before, folding)
	requireSame(t, before, after, 0)
	require.Equal(t, after, simplified(t, "again", after, folding), "seed %d\nbefore:\n%s", seed, before)
}
