package simplify_test

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"ltc/internal/test/programs"
	"ltc/internal/trials"
)

// FuzzRun checks random programs, some with complex numbers: simplified they compute the same, and
// simplifying them once more changes nothing.
func FuzzRun(f *testing.F) {
	for seed := range uint64(300) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, seed uint64) { checkRandom(t, seed, 28) })
}

// TestSoak is what FuzzRun checks for as many and longer programs.
func TestSoak(t *testing.T) {
	if !trials.Soaking() {
		t.Skip("LTC_SOAK=1 compares 20,000 programs")
	}
	start, n := time.Now(), trials.Soak(0, 20_000)
	t.Run("workers", func(t *testing.T) {
		workers := runtime.GOMAXPROCS(0)
		for w := range workers {
			t.Run(fmt.Sprint(w), func(t *testing.T) {
				t.Parallel()
				for seed := w; seed < n; seed += workers {
					checkRandom(t, uint64(seed), 60)
				}
			})
		}
	})
	if !t.Failed() {
		fmt.Printf("soak: %d programs simplified, 0 differences, %.0fs\n", n, time.Since(start).Seconds())
	}
}

func checkRandom(t *testing.T, seed uint64, most int) {
	r := rand.New(rand.NewPCG(seed, 3))
	random := programs.Random
	if seed%8 == 7 {
		random = programs.Complex
	}
	before := random(r, 3+r.IntN(most))
	after := simplified(t, "random", before, folding)
	requireSame(t, before, after, 0)
	require.Equal(t, after, simplified(t, "again", after, folding), "seed %d\nbefore:\n%s", seed, before)
}
