package tokenizer

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

// Small tokenizers of every kind of step give what the library tokenizers gives.
func TestVariantsOfTheLibrary(t *testing.T) {
	data, err := os.ReadFile("testdata/variants.jsonl.gz")
	require.NoError(t, err)
	z, err := gzip.NewReader(bytes.NewReader(data))
	require.NoError(t, err)
	n := 0
	for d := json.NewDecoder(z); d.More(); n++ {
		var name string
		var file json.RawMessage
		var cases [][10]json.RawMessage
		require.NoError(t, d.Decode(&[]any{&name, &file, &cases}))
		t.Run(name, func(t *testing.T) {
			tok, err := Parse(name, file)
			require.NoError(t, err)
			for _, c := range cases {
				var first, second, text string
				var ends []int
				var want Encoding
				for i, to := range []any{&first, &second, &want.IDs, &ends, &want.Tokens, &want.TypeIDs, &want.AttentionMask, &want.SpecialTokensMask, &want.Words, &text} {
					require.NoError(t, json.Unmarshal(c[i], to))
				}
				want.Offsets = make([]Span, len(want.IDs))
				for i := range want.Offsets {
					want.Offsets[i] = Span{ends[2*i], ends[2*i+1]}
				}
				got := tok.Encode(first)
				if second != "" {
					got = tok.EncodePair(first, second)
				}
				if name == "bpe no unknown" {
					// The library forgets the characters that such a model drops: its offsets are too low.
					for i, o := range got.Offsets {
						require.Equal(t, got.Tokens[i][0], first[o.Start], "%q %v", first, got.Offsets)
						require.Contains(t, first[o.Start:o.End], got.Tokens[i][len(got.Tokens[i])-1:])
					}
					want.Offsets = got.Offsets
				}
				require.Equal(t, want, *got, "%q %q", first, second)
				require.Equal(t, text, tok.Decode(got.IDs, false), "%q %q", first, second)
			}
		})
	}
	require.Equal(t, 71, n)
}
