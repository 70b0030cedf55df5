package lapack

import (
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/stablehlo/verify"
)

// Errors that say to import the package say so of the functions that it has.
func TestNames(t *testing.T) {
	var names []string
	for _, f := range functions {
		names = append(names, f.name)
	}
	require.ElementsMatch(t, verify.HostLAPACK, names)
}
