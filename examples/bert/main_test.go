package main

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/internal/test/inputs"
	"ltc/lazy"
	"ltc/nn/module"
	"ltc/tokenizer"
)

// A small model has the names of the library transformers. Padding does not change an embedding, whose length is 1.
func TestSmallModel(t *testing.T) {
	dev, err := lazy.Open("eval")
	require.NoError(t, err)
	b := NewBert(Config{Vocabulary: 10, Hidden: 8, Layers: 2, Heads: 2, Between: 16, Positions: 6, Types: 2, Epsilon: 1e-12})
	require.NoError(t, module.Build(b, dev))
	names := maps.Collect(module.State(b))
	require.Len(t, names, 5+2*16)
	for _, name := range []string{"embeddings.LayerNorm.weight", "embeddings.word_embeddings.weight", "encoder.layer.1.attention.self.query.bias", "encoder.layer.0.attention.output.LayerNorm.bias", "encoder.layer.1.intermediate.dense.weight", "encoder.layer.1.output.dense.weight"} {
		require.Contains(t, names, name)
	}
	tr := lazy.NewTrace(dev)
	embed := func(n int, ids, mask []int32) []float32 {
		x := func(values []int32) *lazy.Tensor { return lazy.From(tr, values, 1, n) }
		y := b.Embed(x(ids), x(make([]int32, n)), x(mask))
		require.NoError(t, tr.MarkStep(y))
		got, err := lazy.ToSlice[float32](y)
		require.NoError(t, err)
		return got
	}
	short := embed(3, []int32{1, 5, 2}, []int32{1, 1, 1})
	require.InDeltaSlice(t, short, embed(5, []int32{1, 5, 2, 0, 0}, []int32{1, 1, 1, 0, 0}), 1e-6)
	square := float32(0)
	for _, x := range short {
		square += x * x
	}
	require.InDelta(t, 1, square, 1e-5)
}

// The embeddings of MiniLM are those recorded.
func TestEmbeddingsOfMiniLM(t *testing.T) {
	dir := inputs.File(t, "minilm", "")
	var cases []struct {
		Text      string
		IDs       []int32
		Embedding []float32
	}
	inputs.Expected(t, "testdata/minilm.json", &cases)
	require.NotEmpty(t, cases)
	e, err := open("cpu", dir, 12)
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
			require.Len(t, got[i], 384)
			require.InDeltaSlice(t, c.Embedding, got[i][:len(c.Embedding)], 1e-5, c.Text) // all of the first, the others' first 48
		}
	}
	require.Len(t, e.function.Report().Compiles, 1) // for all numbers of texts and of tokens

	lines := filepath.Join(t.TempDir(), "lines.txt")
	require.NoError(t, os.WriteFile(lines, []byte("The cat sleeps on the sofa.\n\nStocks fell sharply on Monday.\n"), 0o600))
	var out strings.Builder
	require.NoError(t, run(&out, "cpu", dir, 12, "a pet is resting", 1, lines))
	require.Contains(t, out.String(), "The cat sleeps on the sofa.")
	require.NotContains(t, out.String(), "Stocks")
}

// Flags and arguments that would be ignored are refused.
func TestUsage(t *testing.T) {
	for _, c := range []struct {
		train, checkpoint, export, query string
		files                            int
		want                             string // of the error; empty: none
	}{
		{query: "a pet"},
		{query: "a pet", files: 1},
		{train: "topics.txt", checkpoint: "c.safetensors", query: "a pet"},
		{export: "bert.mlir"},
		{train: "topics.txt", export: "bert.mlir", want: "-train goes with neither -export nor a file"},
		{train: "topics.txt", files: 1, want: "-train goes with neither -export nor a file"},
		{query: "a pet", checkpoint: "c.safetensors", want: "give -train, too"},
		{export: "bert.mlir", query: "a pet", want: "-export goes with neither -query nor a file"},
		{export: "bert.mlir", files: 1, want: "-export goes with neither -query nor a file"},
		{files: 1, want: "give -train, -export or -query"},
		{query: "a pet", files: 2, want: "give -train, -export or -query"},
	} {
		err := usage(trainOptions{path: c.train, checkpoint: c.checkpoint}, c.export, c.query, c.files)
		if c.want == "" {
			require.NoError(t, err, "%+v", c)
			continue
		}
		require.ErrorContains(t, err, c.want, "%+v", c)
	}
}
