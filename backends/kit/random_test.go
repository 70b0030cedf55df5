package kit_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/internal/test/kittest"
	"ltc/internal/test/programs"
	"ltc/internal/trials"
)

// sameForSeeds requires that random programs of up to 24 ops compute the same as kernels.
func sameForSeeds(t *testing.T, stream uint64, program func(r *rand.Rand, ops int) string) {
	t.Helper()
	for seed := range trials.Of(300) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			text := program(rand.New(rand.NewPCG(uint64(seed), stream)), 4+seed%20)
			defer func() {
				if t.Failed() {
					t.Log("\n" + text)
				}
			}()
			kittest.Same(t, text)
		})
	}
}

// Random programs compute the same as kernels.
func TestRandomPrograms(t *testing.T) {
	sameForSeeds(t, 1, programs.Random)
}

// So do programs with complex numbers.
func TestRandomComplexPrograms(t *testing.T) {
	sameForSeeds(t, 9, programs.Complex)
}

// So do convolutions of all forms, of which those with short sums alone are left to
// the evaluator.
func TestRandomConvolutions(t *testing.T) {
	for seed := range trials.Of(200) {
		text := programs.Convolution(rand.New(rand.NewPCG(uint64(seed), 5)), false)
		for _, s := range kittest.Same(t, text).HostSteps() {
			require.Regexp(t, `^sums of [1-7] products$`, s.Reason, text)
		}
	}
}

// So do those that write over parts of tensors, in loops and branches, too.
func TestRandomUpdates(t *testing.T) {
	sameForSeeds(t, 7, programs.Updates)
}
