package llvm

import (
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/internal/test/kittest"
	"ltc/internal/test/programs"
)

// Sorts, factors and systems of open sizes have the bits of programs of numbers.
func TestClaimsOfOpenSizes(t *testing.T) {
	cpu, err := backends.Open("cpu")
	require.NoError(t, err)
	for name := range programs.Claimed {
		t.Run(name, func(t *testing.T) {
			kittest.SameAsNumbers(t, cpu, name)
		})
	}
}
