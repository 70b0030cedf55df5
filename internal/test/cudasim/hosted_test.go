package cudasim

import (
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/lazy"
)

// A program that the host runs, as one with a size that follows from data, is a program of the simulated
// device, too, although it does not tell what its code takes.
func TestHostedPrograms(t *testing.T) {
	dev, err := lazy.Open("cudasim")
	require.NoError(t, err)
	defer dev.Close()
	tr := lazy.NewTrace(dev)
	tr.ImplicitSyncs(lazy.AllowSyncs)
	x := lazy.From(tr, []complex64{1, 2i, 3, 4i}, 2, 2)
	y, err := lazy.ToSlice[complex64](x.IndexPut(lazy.FullComplex(tr, lazy.C64, 1i), true, lazy.From(tr, []bool{true, false})))
	require.NoError(t, err)
	require.Equal(t, []complex64{1 + 1i, 3i, 3, 4i}, y)
}
