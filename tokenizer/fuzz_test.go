package tokenizer

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"ltc/internal/diag"
)

// checkEncoding requires that ids and offsets are within their ranges.
func checkEncoding(t *testing.T, tok *Tokenizer, text string, e *Encoding) {
	n := e.Len()
	require.Len(t, e.Offsets, n)
	require.Len(t, e.Tokens, n)
	require.Len(t, e.Words, n)
	require.Len(t, e.TypeIDs, n)
	require.Len(t, e.AttentionMask, n)
	require.Len(t, e.SpecialTokensMask, n)
	for i, id := range e.IDs {
		if id < 0 || int(id) >= tok.VocabSize() {
			t.Fatalf("id %d of %s", id, diag.Count(tok.VocabSize(), "token"))
		}
		if o := e.Offsets[i]; o.Start < 0 || o.Start > o.End || o.End > len(text) {
			t.Fatalf("%q: offsets %v of %q in a text of %d bytes", text, o, e.Tokens[i], len(text))
		}
	}
}

// Whatever the text, ids and offsets are within their ranges, and byte-level BPE gives it back. So
// does a stream of its tokens, which never has a part of a character.
func FuzzEncode(f *testing.F) {
	for _, s := range []string{"", " ", "hello", "don't stop: it's 12,345!", "Café déjà-vu — 東京", "e\u0301\u0323 \u0344 각 \u1100\u1161", "\x00\xff\xfe é\xc3", "a  b\r\n\r\n  c\u00a0d", "<s> <mask>x <end>  y<|endoftext|>", "👩‍👩‍👧 İ"} {
		f.Add(s)
	}
	var all []*Tokenizer
	for _, name := range trained {
		all = append(all, load(f, name))
	}
	data, err := os.ReadFile("testdata/bpe.json")
	require.NoError(f, err)
	// White space that goes with an added token is not in the token.
	tok, err := Parse("bpe.json", []byte(strings.NewReplacer(`"lstrip":true`, `"lstrip":false`, `"rstrip":true`, `"rstrip":false`).Replace(string(data))))
	require.NoError(f, err)
	f.Fuzz(func(t *testing.T, text string) {
		for _, tok := range all {
			e := tok.Encode(text)
			checkEncoding(t, tok, text, e)
			tok.Decode(e.IDs, true)
			require.Equal(t, e, tok.Encode(text))
			checkEncoding(t, tok, text, tok.Encode(text, PlainText(), MaxLength(5), Pad(Padding{Length: 7, Left: true})))
		}
		e := tok.Encode(text, PlainText())
		require.Equal(t, text, string(tok.DecodeBytes(e.IDs, false)))
		if !utf8.ValidString(text) {
			return
		}
		require.Equal(t, text, tok.Decode(e.IDs, false))
		var streamed strings.Builder
		s := tok.Stream(false)
		for _, id := range e.IDs {
			part := s.Next(id)
			require.True(t, utf8.ValidString(part))
			streamed.WriteString(part)
		}
		require.Equal(t, text, streamed.String()+s.Flush())
	})
}

// A tampered file gives an error or a tokenizer that works.
func FuzzLoad(f *testing.F) {
	for _, name := range []string{"small_wordpiece", "small_bpe", "small_unigram"} {
		data, err := os.ReadFile(filepath.Join("testdata", name+".json"))
		require.NoError(f, err)
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		tok, err := Parse("tokenizer.json", data)
		if err != nil {
			require.True(t, strings.HasPrefix(err.Error(), "tokenizer.json: "), "%v", err)
			return
		}
		const text = "Don't  stop, déjà-vu 12\u0344 <s>[MASK]\xff"
		if p := tok.padding; p != nil && max(p.Length, p.MultipleOf) > 1000 {
			return // a legal file that asks for long rows
		}
		e := tok.Encode(text)
		checkEncoding(t, tok, text, e)
		tok.EncodePair(text, "b")
		s := tok.Stream(true)
		for _, id := range e.IDs {
			s.Next(id)
		}
		s.Flush()
		tok.Decode(e.IDs, true)
	})
}
