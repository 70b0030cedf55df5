package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/tokenizer"
)

// The embeddings of MiniLM are those recorded. MINILM names its model.safetensors, next to which is
// tokenizer.json, and MINILM_EXPECTED the recorded texts with their ids and embeddings.
func TestEmbeddingsOfMiniLM(t *testing.T) {
	path, expected := os.Getenv("MINILM"), os.Getenv("MINILM_EXPECTED")
	if path == "" || expected == "" {
		t.Skip("MINILM and MINILM_EXPECTED do not name the model and its recorded embeddings: see README.md")
	}
	text, err := os.ReadFile(expected)
	require.NoError(t, err)
	var cases []struct {
		Text      string
		IDs       []int32
		Embedding []float32
	}
	require.NoError(t, json.Unmarshal(text, &cases))
	require.NotEmpty(t, cases)
	e, err := open("cpu", filepath.Dir(path), 12)
	require.NoError(t, err)
	var texts []string
	for _, c := range cases {
		require.Equal(t, c.IDs, e.tokens.IDs(c.Text, tokenizer.NoPadding()))
		texts = append(texts, c.Text)
	}
	for _, together := range []bool{true, false} {
		var got [][]float32
		if together {
			got, err = e.embed(texts)
			require.NoError(t, err)
		} else {
			for _, text := range texts {
				one, err := e.embed([]string{text})
				require.NoError(t, err)
				got = append(got, one...)
			}
		}
		for i, c := range cases {
			require.InDeltaSlice(t, c.Embedding, got[i], 1e-5, c.Text)
		}
	}
	require.Len(t, e.function.Report().Compiles, 1) // for all numbers of texts and of tokens

	lines := filepath.Join(t.TempDir(), "lines.txt")
	require.NoError(t, os.WriteFile(lines, []byte("The cat sleeps on the sofa.\n\nStocks fell sharply on Monday.\n"), 0o600))
	var out strings.Builder
	require.NoError(t, run(&out, "cpu", filepath.Dir(path), 12, "a pet is resting", 1, lines))
	require.Contains(t, out.String(), "The cat sleeps on the sofa.")
	require.NotContains(t, out.String(), "Stocks")
}
