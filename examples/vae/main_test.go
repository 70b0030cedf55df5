package main

import (
	"io"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/data"
)

// The network learns the digits by one program, and draws images with dark and bright pixels.
func TestRun(t *testing.T) {
	path := filepath.Join(t.TempDir(), "digits.png")
	loop, err := run(t.Context(), path, 20, 1, io.Discard)
	require.NoError(t, err)
	first, last := loop.History[0].Train, loop.History[19].Train
	require.Greater(t, first["loss"], 30.)
	require.Less(t, last["loss"], 26.)
	require.Greater(t, last["divergence"], 2.) // the numbers tell images apart
	training, _ := loop.Report()
	require.EqualValues(t, 1, training.Compiled)

	p, err := data.ReadImageFile(path, 1)
	require.NoError(t, err)
	require.Equal(t, []int{rows * (side + 2) * scale, columns * (side + 2) * scale}, []int{p.Height, p.Width})
	require.Less(t, slices.Min(p.Values), float32(0.05))
	require.Greater(t, slices.Max(p.Values), float32(0.9))
}
