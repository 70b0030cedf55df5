package tokenizer

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/internal/test/inputs"
)

const sixty = "The quick brown fox jumps over the lazy dog, and back again."

func BenchmarkEncode(b *testing.B) {
	for _, name := range trained {
		tok := load(b, name)
		b.Run(name, func(b *testing.B) { encodeSixty(b, tok) })
	}
}

func encodeSixty(b *testing.B, tok *Tokenizer) {
	b.ReportAllocs()
	for b.Loop() {
		tok.Encode(sixty, NoPadding())
	}
}

func BenchmarkMiniLM(b *testing.B) {
	path := inputs.File(b, "minilm", "tokenizer.json")
	data, err := os.ReadFile(path)
	require.NoError(b, err)
	tok, err := Parse(path, data)
	require.NoError(b, err)
	b.Run("encode", func(b *testing.B) { encodeSixty(b, tok) })
	b.Run("load", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := Load(path); err != nil {
				b.Fatal(err)
			}
		}
	})
}
