package main

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A text that repeats itself is learnt, by one compile each for training, evaluation and writing.
func TestRepetition(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.txt")
	require.NoError(t, os.WriteFile(path, []byte(strings.Repeat("Ops are rows of a table. ", 850)), 0o644))
	var out bytes.Buffer
	loop, err := run(path, "", 5, &out)
	require.NoError(t, err)
	require.Less(t, loop.History[4].Validation["loss"], 0.5)
	training, validation := loop.Report()
	require.EqualValues(t, 1, training.Compiled)
	require.EqualValues(t, 1, validation.Compiled)
	require.Regexp(t, `\ntraining: 1 compile, 50 steps; validation: 1 compile, 5 batches\nThe text below was drawn by 1 compiled program\.\n`, out.String())
	_, text, _ := strings.Cut(out.String(), "1 compiled program.\n")
	require.Contains(t, text, "row")
	require.Len(t, strings.TrimSuffix(text, "\n"), 400)
}

func TestNoText(t *testing.T) {
	_, err := run(filepath.Join(t.TempDir(), "*.txt"), "", 1, io.Discard)
	require.ErrorContains(t, err, "-text is a pattern of text files")
	short := filepath.Join(t.TempDir(), "a.txt")
	require.NoError(t, os.WriteFile(short, []byte("short"), 0o644))
	_, err = run(short, "", 1, io.Discard)
	require.ErrorContains(t, err, "windows of 64 tokens, and one after them, of 5 tokens")
}

// CHARRNN=1 trains on the code of package lazy, which takes a minute of one processor.
func TestLoss(t *testing.T) {
	if os.Getenv("CHARRNN") == "" {
		t.Skip("CHARRNN is not set: it asks for a minute of training")
	}
	loop, err := run("../../lazy/*.go", "", 1, os.Stdout)
	require.NoError(t, err)
	require.Less(t, loop.History[0].Validation["loss"], 1.7)
}
