package main

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/checkpoint"
	"ltc/internal/test/inputs"
	"ltc/lazy"
	"ltc/nn/module"
	"ltc/train"
)

// writeTiny writes a model with random weights, whose tokenizer knows the words of topics.txt.
func writeTiny(t *testing.T, dir string) {
	text, err := os.ReadFile("topics.txt")
	require.NoError(t, err)
	vocabulary := map[string]int{}
	for _, word := range append([]string{"[PAD]", "[UNK]", "[CLS]", "[SEP]"}, strings.FieldsFunc(strings.ToLower(string(text)), func(r rune) bool { return r < 'a' || r > 'z' })...) {
		if _, ok := vocabulary[word]; !ok {
			vocabulary[word] = len(vocabulary)
		}
	}
	special := func(name string) any { return []any{name, vocabulary[name]} }
	tokens, err := json.Marshal(map[string]any{
		"normalizer":     map[string]any{"type": "BertNormalizer", "clean_text": true, "handle_chinese_chars": true, "lowercase": true},
		"pre_tokenizer":  map[string]any{"type": "BertPreTokenizer"},
		"post_processor": map[string]any{"type": "BertProcessing", "cls": special("[CLS]"), "sep": special("[SEP]")},
		"model":          map[string]any{"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##", "max_input_chars_per_word": 100, "vocab": vocabulary},
	})
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "tokenizer.json"), tokens, 0o600))
	dev, err := lazy.Open("eval", lazy.Seed(3))
	require.NoError(t, err)
	b := NewBert(Config{Vocabulary: len(vocabulary), Hidden: 16, Layers: 2, Heads: 2, Between: 32, Positions: 32, Types: 2, Epsilon: 1e-12})
	require.NoError(t, module.Build(b, dev))
	state, err := checkpoint.StateOf(module.State(b))
	require.NoError(t, err)
	require.NoError(t, checkpoint.Save(filepath.Join(dir, "model.safetensors"), state))
}

// A tiny model learns the sample by one compile for all lengths of texts and numbers of texts. A run that was interrupted
// ends with the same bits.
func TestFineTuning(t *testing.T) {
	dir := t.TempDir()
	writeTiny(t, dir)
	o := trainOptions{path: "topics.txt", epochs: 20, lr: 1e-2}
	var out strings.Builder
	whole, err := newTrainer("cpu", dir, 2, o, &out)
	require.NoError(t, err)
	require.NoError(t, whole.loop.Run(t.Context()))
	first, last := whole.loop.History[0].Train, whole.loop.History[19].Train
	require.Greater(t, first["loss"], 0.9) // ln 3 is chance
	require.Less(t, last["loss"], 0.1)
	require.Equal(t, 1.0, last["accuracy"])
	training, validation := whole.loop.Report()
	require.EqualValues(t, 1, training.Compiled)
	require.EqualValues(t, 1, validation.Compiled)
	require.Regexp(t, `^texts: 48 to train on, 12 to validate; labels: cooking, space, sport\n`, out.String())
	require.Contains(t, out.String(), "\ntraining: 1 compile, 120 steps; validation: 1 compile, 40 batches\n")
	class, p, err := whole.classify(t.Context(), "The goalkeeper saved a penalty.")
	require.NoError(t, err)
	require.Equal(t, "sport", class)
	require.Greater(t, p, float32(0.9))

	o.checkpoint = filepath.Join(dir, "c.safetensors")
	ctx, cancel := context.WithCancel(t.Context())
	interrupted, err := newTrainer("cpu", dir, 2, o, &out)
	require.NoError(t, err)
	interrupted.loop.OnStep = func(step int, _ train.Means) error {
		if step == 20 {
			cancel()
		}
		return nil
	}
	require.ErrorIs(t, interrupted.loop.Run(ctx), context.Canceled)
	again, err := newTrainer("cpu", dir, 2, o, &out)
	require.NoError(t, err)
	require.NoError(t, again.loop.Run(t.Context()))
	training, _ = again.loop.Report()
	require.EqualValues(t, 120-21, training.Runs) // after the steps 0 to 20
	require.Equal(t, whole.loop.History[19].Validation, again.loop.History[19].Validation)
	want, got := values(t, whole.net), values(t, again.net)
	require.Equal(t, want, got)
}

func values(t *testing.T, net any) map[string][]float32 {
	all := map[string][]float32{}
	for name, v := range module.State(net) {
		x, err := lazy.ToSlice[float32](v)
		require.NoError(t, err)
		all[name] = x
	}
	return all
}

// -freeze leaves the weights of the model as they are in its file.
func TestFrozen(t *testing.T) {
	dir := t.TempDir()
	writeTiny(t, dir)
	tr, err := newTrainer("cpu", dir, 2, trainOptions{path: "topics.txt", epochs: 100, freeze: true, lr: 0.03}, &strings.Builder{})
	require.NoError(t, err)
	before := values(t, tr.net)
	require.NoError(t, tr.loop.Run(t.Context()))
	require.Less(t, tr.loop.History[99].Train["loss"], 1.0) // ln 3 is chance
	changed := []string{}
	for name, x := range values(t, tr.net) {
		if !equal(x, before[name]) {
			changed = append(changed, name)
		}
	}
	require.ElementsMatch(t, []string{"classifier.weight", "classifier.bias"}, changed)
}

func equal(x, y []float32) bool {
	for i := range x {
		if x[i] != y[i] {
			return false
		}
	}
	return len(x) == len(y)
}

func TestMistakesInTexts(t *testing.T) {
	for _, c := range []struct{ text, err string }{
		{"a\tone\nwithout a tab\n", `texts.txt:2: want a label, a tab and a text, have "without a tab"`},
		{"a\tone\na\ttwo\n", "texts: 2, labels: 1: want at least 5 and 2"},
	} {
		path := filepath.Join(t.TempDir(), "texts.txt")
		require.NoError(t, os.WriteFile(path, []byte(c.text), 0o600))
		_, err := newTrainer("eval", t.TempDir(), 2, trainOptions{path: path, epochs: 1}, &strings.Builder{})
		require.ErrorContains(t, err, c.err)
	}
	_, err := newTrainer("eval", t.TempDir(), 2, trainOptions{path: "topics.txt", epochs: 1}, &strings.Builder{})
	require.ErrorContains(t, err, "make inputs INPUTS=minilm")
}

// MiniLM classifies texts that are held out, by the linear layer alone and as a whole.
func TestFineTuningOfMiniLM(t *testing.T) {
	if testing.Short() {
		t.Skip("it trains 22 million weights")
	}
	dir := inputs.File(t, "minilm", "")
	for _, freeze := range []bool{true, false} {
		tr, err := newTrainer("cpu", dir, 12, trainOptions{path: "topics.txt", epochs: 5, freeze: freeze}, &strings.Builder{})
		require.NoError(t, err)
		require.NoError(t, tr.loop.Run(t.Context()))
		require.Greater(t, tr.loop.History[4].Train["accuracy"], 0.95)
		require.Greater(t, tr.loop.History[4].Validation["accuracy"], 0.9)
		training, validation := tr.loop.Report()
		require.EqualValues(t, 1, training.Compiled)
		require.EqualValues(t, 1, validation.Compiled)
		class, _, err := tr.classify(t.Context(), "The midfielder scored twice.")
		require.NoError(t, err)
		require.Equal(t, "sport", class)
	}
}
