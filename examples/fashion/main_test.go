package main

import (
	"bytes"
	"encoding/binary"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/internal/test/inputs"
)

// write writes images of n examples whose labels are seen: row 2·label+4 is white.
func write(t *testing.T, dir, part string, n int) {
	images := []byte{0, 0, 8, 3, 0, 0, 0, 0, 0, 0, 0, 28, 0, 0, 0, 28}
	labels := []byte{0, 0, 8, 1, 0, 0, 0, 0}
	for _, file := range [][]byte{images, labels} {
		binary.BigEndian.PutUint32(file[4:], uint32(n))
	}
	for i := range n {
		image := make([]byte, 28*28)
		copy(image[28*(2*(i%10)+4):], bytes.Repeat([]byte{255}, 28))
		images, labels = append(images, image...), append(labels, byte(i%10))
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, part+"-images-idx3-ubyte.gz"), images, 0o644)) // gzipped or not
	require.NoError(t, os.WriteFile(filepath.Join(dir, part+"-labels-idx1-ubyte.gz"), labels, 0o644))
}

// Easy images are learnt, by one compile for training and one for evaluation, although the last batches are short.
func TestEasyImages(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "train", 1000)
	write(t, dir, "t10k", 1100)
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
