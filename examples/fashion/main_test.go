package main

import (
	"bytes"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/internal/test/inputs"
)

// Easy images are learnt, by one compile for training and one for evaluation, although the last batches are short.
func TestEasyImages(t *testing.T) {
	dir := t.TempDir()
	inputs.Stripes(t, dir, "train", 1000)
	inputs.Stripes(t, dir, "t10k", 1100)
	var out bytes.Buffer
	loop, err := run(dir, "", 4, &out)
	require.NoError(t, err)
	require.Greater(t, loop.History[3].Validation["accuracy"], 0.99)
	training, validation := loop.Report()
	require.EqualValues(t, 1, training.Compiled)
	require.EqualValues(t, 1, validation.Compiled)
	require.EqualValues(t, 4*16, training.Runs)
	require.Regexp(t, `\ntraining: 1 compile, 64 steps; validation: 1 compile, 8 batches\n`, out.String())
}

func TestNoData(t *testing.T) {
	_, err := run(t.TempDir(), "", 1, os.Stdout)
	require.ErrorContains(t, err, "-data is the folder with the files of Fashion-MNIST")
}

// Three epochs take some 30 seconds of one processor.
func TestAccuracy(t *testing.T) {
	if testing.Short() {
		t.Skip("it trains on all images")
	}
	dir := inputs.File(t, "fashion", "")
	loop, err := run(dir, "", 3, os.Stdout)
	require.NoError(t, err)
	require.GreaterOrEqual(t, loop.History[2].Validation["accuracy"], 0.91)
	training, validation := loop.Report()
	require.EqualValues(t, 1, training.Compiled)
	require.EqualValues(t, 1, validation.Compiled)
}
