package kit_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"ltc/internal/programs"
	"ltc/internal/trials"
)

// Random programs compute the same as kernels.
func TestRandomPrograms(t *testing.T) {
	for seed := range trials.Of(300) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			text := programs.Random(rand.New(rand.NewPCG(uint64(seed), 1)), 4+seed%20)
			defer func() {
				if t.Failed() {
					t.Log("\n" + text)
				}
			}()
			same(t, text)
		})
	}
}
