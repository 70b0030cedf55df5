package tokenizer

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/internal/trials"
)

// Errors name the field of the file, and say what to do.
func TestErrorsNameTheField(t *testing.T) {
	read := func(name string) string {
		data, err := os.ReadFile("testdata/small_" + name + ".json")
		require.NoError(t, err)
		return string(data)
	}
	for _, c := range []struct{ file, old, new, want string }{
		{"bpe", `"o p"`, `"o q"`, `model.merges[2]: merges "q", which is not in the vocabulary`},
		{"bpe", `"o p"`, `"op"`, `model.merges[2]: is "op": it must be two tokens with a blank between them`},
		{"bpe", `["s", "t"]`, `["t", "s"]`, `model.merges[0]: merges "t" and "s" into "ts", which is not in the vocabulary`},
		{"bpe", `["s", "t"]`, `["s", 1]`, `model.merges[0]: not JSON at byte `},
		{"bpe", `"D": 1`, `"D": 2`, `model.vocab["o"]: the token or its id, 2, is in the vocabulary twice: each belongs to one`},
		{"bpe", `"D": 1`, `"D": 1.5`, `model.vocab["D"]: is 1.5: an id is a whole number from 0 to `},
		{"bpe", `"D": 1`, `"D": 1e18`, `model.vocab["D"]: is 1e+18: an id is a whole number from 0 to `},
		{"bpe", `"dropout": null`, `"dropout": 0.1`, `model.dropout: is 0.1: merges that are dropped at random are for training; set it to null`},
		{"bpe", `"unk_token": "u"`, `"unk_token": "x"`, `model.unk_token: is "x", which is not in model.vocab: add it, or name the token for unknown words`},
		{"bpe", `"type": "BPE"`, `"type": "BPX"`, `model.type: is "BPX": the models known are WordPiece, BPE, Unigram and WordLevel`},
		{"bpe", `"id": 12`, `"id": 3`, `added_tokens[0].id: is 3, which is the id of "n" in model.vocab: give the token "<s>" an id of its own`},
		{"bpe", `"lstrip": true`, `"lstrip": 1`, `added_tokens[0].lstrip: is a number: it must be a boolean`},
		{"bpe", `\\s+"}, "content"`, `(?<=a)b"}, "content"`, `normalizer.pattern.Regex: the regular expression "(?<=a)b" has (?<=, which Go's package regexp does not have, and it is not one of those known: those of GPT-2, Llama 3, Qwen 2, or any that ends with |\s+(?!\S)|\s+`},
		{"bpe", `\\s+"}, "content"`, `a++b"}, "content"`, `normalizer.pattern.Regex: the regular expression "a++b" has a possessive quantifier, ++, which Go's package regexp does not have`},
		{"bpe", `\\s+"}, "content"`, `(a"}, "content"`, `normalizer.pattern.Regex: the regular expression "(a" has (?m)(a, which Go's package regexp does not have: missing closing )`},
		{"bpe", `"cls": ["<s>", 12]`, `"cls": ["<s>", 13]`, `post_processor.processors[1].cls[1]: is 13: it must be a whole number from 0 to 12`},
		{"bpe", `"content": " ", "start"`, `"content": "ab", "start"`, `decoder.decoders[2].content: is "ab": it must be one character`},
		{"wordpiece", `"type": "Strip"`, `"type": "Stripe"`, `normalizer.normalizers[1].type: is "Stripe": the types known are BertNormalizer, NFC`},
		{"wordpiece", `"Contiguous"`, `"Joined"`, `pre_tokenizer.pretokenizers[2].behavior: is "Joined": it must be Removed, Isolated, MergedWithPrevious, MergedWithNext or Contiguous`},
		{"wordpiece", `"OnlyFirst"`, `"First"`, `truncation.strategy: is "First": it must be LongestFirst, OnlyFirst or OnlySecond`},
		{"wordpiece", `{"Fixed": 8}`, `{"Fixed": -8}`, `padding.strategy.Fixed: is -8: it must be a whole number from 0 to 1048576`},
		{"wordpiece", `{"Fixed": 8}`, `{"Fixed": 1048577}`, `padding.strategy.Fixed: is 1.048577e+06: it must be a whole number from 0 to 1048576`},
		{"wordpiece", `"version": "1.0"`, `"version": "2.0"`, `version: is "2.0": 1.0 is the only version known`},
		{"wordpiece", `"max_input_chars_per_word": 100, `, ``, `model.max_input_chars_per_word: is nothing: it must be a number`},
		{"wordpiece", `}}}`, `}}`, `not JSON at byte 1`},
		{"unigram", `"unk_id": 0`, `"unk_id": null`, `model.unk_id: is missing: give the index of the token for unknown characters`},
		{"unigram", `["D", -1.5]`, `["D"]`, `model.vocab[1]: not JSON at byte `},
		{"unigram", `"CAAAAAAAAAAAAAAA"`, `"AAAA"`, `normalizer.normalizers[0].precompiled_charsmap: has no trie: is it whole?`},
		{"unigram", `"CAAAAAAAAAAAAAAA"`, `"/AAAAAAAAAAAAAAA"`, `normalizer.normalizers[0].precompiled_charsmap: has a trie of 252 B within 8 B: is it whole?`},
		{"unigram", `"ids": [1, 2]`, `"ids": [1]`, `post_processor.special_tokens.E: must have as many ids as tokens`},
		{"unigram", `"id": "B"`, `"id": "C"`, `post_processor.pair[0].Sequence.id: is "C": it must be one of "AB"`},
	} {
		text := read(c.file)
		require.Contains(t, text, c.old)
		_, err := Parse("a.json", []byte(strings.Replace(text, c.old, c.new, 1)))
		require.ErrorContains(t, err, "a.json: "+c.want, "%s", c.new)
	}
	_, err := Load(filepath.Join(t.TempDir(), "tokenizer.json"))
	require.ErrorIs(t, err, os.ErrNotExist)
	_, err = Parse("a.json", []byte(strings.Repeat("[", 100)))
	require.ErrorContains(t, err, "a.json: not JSON at byte 65, line 1: arrays and objects are more than 64 deep in one another")
}

// A vocab.txt has BERT's steps.
func TestVocab(t *testing.T) {
	path := filepath.Join(t.TempDir(), "vocab.txt")
	require.NoError(t, os.WriteFile(path, []byte("[PAD]\n[UNK]\r\n[CLS]\n[SEP]\nde\n##ja\nDé\n##jà\n"), 0o600))
	tok, err := Load(path)
	require.NoError(t, err)
	require.Equal(t, []int32{2, 4, 5, 1, 3}, tok.IDs("Déjà vu"))
	require.Equal(t, []int32{0, 0, 1, 1}, tok.EncodePair("", "de").TypeIDs)
	tok, err = LoadVocab(path, BERT{})
	require.NoError(t, err)
	require.Equal(t, []int32{6, 7, 1}, tok.IDs("Déjà vu", NoSpecialTokens()))
	_, err = LoadVocab(path, BERT{Unknown: "<unk>"})
	require.EqualError(t, err, path+": has no line <unk>: name the token for unknown words by BERT.Unknown")
}

// FromGGUF takes the arrays that a reader of GGUF files has.
func TestGGUF(t *testing.T) {
	meta := map[string]any{
		"tokenizer.ggml.model":            "llama",
		"tokenizer.ggml.tokens":           []any{"<unk>", "<s>", "</s>", "▁", "a", "b", "ab", "▁ab", "<0xC3>", "<0xA9>"},
		"tokenizer.ggml.scores":           []float32{0, 0, 0, -5, -6, -7, -1, -2, 0, 0},
		"tokenizer.ggml.token_type":       []int32{2, 3, 3, 1, 1, 1, 1, 1, 6, 6},
		"tokenizer.ggml.bos_token_id":     uint32(1),
		"tokenizer.ggml.eos_token_id":     uint32(2),
		"tokenizer.ggml.padding_token_id": uint32(2),
	}
	tok, err := FromGGUF(meta)
	require.NoError(t, err)
	e := tok.Encode("ab bé</s>")
	require.Equal(t, []int32{1, 7, 3, 5, 8, 9, 2}, e.IDs)
	require.Equal(t, "ab bé", tok.Decode(e.IDs, true))
	require.Equal(t, []int32{1, 7, 1, 7}, tok.EncodePair("ab", "ab").IDs)
	b := tok.EncodeBatch([]string{"ab", "ab ab"})
	require.Equal(t, []int32{1, 7, 2, 1, 7, 7}, b.IDs)
	require.Equal(t, []int32{1, 1, 0, 1, 1, 1}, b.AttentionMask)

	for key, c := range map[string]struct {
		value any
		want  string
	}{
		"tokenizer.ggml.model":        {"rwkv", `tokenizer.ggml.model: is "rwkv": the models known are gpt2 and llama`},
		"tokenizer.ggml.tokens":       {[]any{"a", 1}, `tokenizer.ggml.tokens: has elements int: they must be as string`},
		"tokenizer.ggml.scores":       {[]float32{1}, `tokenizer.ggml.scores: has 1 element: there are 10 tokens`},
		"tokenizer.ggml.token_type":   {[]int32{1}, `tokenizer.ggml.token_type: has 1 element: there are 10 tokens`},
		"tokenizer.ggml.bos_token_id": {uint32(10), `tokenizer.ggml.bos_token_id: is 10: it must be an id below 10`},
	} {
		tampered := map[string]any{}
		for k, v := range meta {
			tampered[k] = v
		}
		tampered[key] = c.value
		_, err := FromGGUF(tampered)
		require.EqualError(t, err, c.want)
	}
	_, err = FromGGUF(map[string]any{"tokenizer.ggml.model": "gpt2", "tokenizer.ggml.tokens": []string{"a", "b"}, "tokenizer.ggml.merges": []string{"a b"}})
	require.EqualError(t, err, `tokenizer.ggml.merges[0]: merges "a" and "b" into "ab", which is not in the vocabulary`)
	_, err = FromGGUF(map[string]any{"tokenizer.ggml.model": "gpt2", "tokenizer.ggml.tokens": []string{"a", "b"}, "tokenizer.ggml.pre": "viking"})
	require.ErrorContains(t, err, `tokenizer.ggml.pre: is "viking": those known are `)
}

// Goroutines share a tokenizer.
func TestGoroutinesShareATokenizer(t *testing.T) {
	for _, name := range trained {
		tok := load(t, name)
		text := strings.Repeat(sixty+" déjà-vu ", 3)
		want := tok.Encode(text)
		var wait sync.WaitGroup
		for range 4 {
			wait.Go(func() {
				for i := range 50 {
					other := tok.Encode(text[:i])
					if got := tok.Encode(text); !slices.Equal(got.IDs, want.IDs) || other.Len() > got.Len() {
						t.Errorf("%s: other ids", name)
					}
				}
			})
		}
		wait.Wait()
	}
}

// A token costs no allocation.
func TestAllocations(t *testing.T) {
	if trials.Race {
		t.Skip("the race detector drops what a pool is given")
	}
	for _, name := range trained {
		tok := load(t, name)
		short, long := strings.Repeat("testing ", 20), strings.Repeat("testing ", 200)
		count := func(text string) float64 {
			tok.Encode(text)
			return testing.AllocsPerRun(20, func() { tok.Encode(text) })
		}
		require.InDelta(t, count(short), count(long), 1, "%s", name)
		require.Less(t, count(long), 12.0, "%s", name)
	}
}

// The hand-written scanners find the words of the regular expressions that they stand for.
func TestScannersMatchTheirPatterns(t *testing.T) {
	for expression, s := range scanners {
		if strings.Contains(expression, "++") {
			continue // package regexp has no such quantifier: the library judges it, in variants.jsonl.gz
		}
		delete(scanners, expression)
		p, err := compilePattern(expression)
		scanners[expression] = s
		require.NoError(t, err)
		for _, text := range []string{"", " ", "a", "don't DON'T they've", "x  y\t\tz \r\n\n  w", "12345 6 ½", "!? (a) _b ¿c", "é\u0301東京 \u00a0\u3000", "  lead", "trail  ", "a\u2028b\x85c", "'ſ 'sx 'LL", "\n\n", " \n \n x"} {
			require.Equal(t, p.cuts([]byte(text), nil), s.cuts([]byte(text), nil), "%s: %q", expression, text)
		}
	}
}

// The table of ASCII is that of all characters.
func TestClassesOfASCII(t *testing.T) {
	for r := range rune(128) {
		require.Equal(t, classes().of(r), ascii[r], "%q", r)
	}
	require.Zero(t, classOf(-1))
	require.NotPanics(t, func() { classOf(0x10FFFF); classOf(0x110000) })
}

// Numbers have the last bit that they have in the library, whose parser rounds the digits and then
// the quotient.
func TestNumerals(t *testing.T) {
	for text, want := range map[string]float64{
		"0": 0, "12": 12, "-7": -7, "1.5": 1.5, "-2e0": -2, "25E-1": 2.5, "1e+3": 1000, "123456789012345678901234567890": 123456789012345678901234567890,
		"-7.2161094686573275": -float64(72161094686573275) / 1e16,
		"1e-400":              0, "0.00000000000000000000000012": 12e-26,
	} {
		r := &reader{data: []byte(text)}
		got, err := r.numeral()
		require.NoError(t, err, text)
		require.InEpsilon(t, want+1, got+1, 1e-15, text)
		require.Equal(t, len(text), r.pos, text)
	}
	for _, text := range []string{"", "-", "x", "1.", ".5", "1e", "1e999", "1e+-3", "--1"} {
		_, err := (&reader{data: []byte(text)}).numeral()
		require.ErrorContains(t, err, "a number belongs here", text)
	}
	exact, err := strconv.ParseFloat("-7.2161094686573275", 64)
	require.NoError(t, err)
	got, err := (&reader{data: []byte("-7.2161094686573275")}).numeral()
	require.NoError(t, err)
	require.Equal(t, -float64(72161094686573275)/1e16, got)
	require.NotEqual(t, exact, got)
}

// A processor after a template leaves the template's tokens as they are: goroutines share them.
func TestProcessorsAfterATemplate(t *testing.T) {
	var templates []string
	for _, id := range []string{"0", "1"} {
		templates = append(templates, `{"type":"TemplateProcessing","single":[{"SpecialToken":{"id":"C","type_id":0}},{"Sequence":{"id":"A","type_id":0}}],
			"pair":[{"Sequence":{"id":"A","type_id":`+id+`}},{"Sequence":{"id":"B","type_id":1}}],"special_tokens":{"C":{"id":"C","ids":[0],"tokens":["C"]}}}`)
	}
	first, second := templates[0], templates[1]
	for _, list := range []string{first + "," + second, `{"type":"Sequence","processors":[` + first + `]},` + second} {
		tok, err := Parse("x", []byte(`{"model":{"type":"WordLevel","vocab":{"C":0,"a":1},"unk_token":"C"},"post_processor":{"type":"Sequence","processors":[`+list+`]}}`))
		require.NoError(t, err)
		require.Equal(t, []int32{1, 1}, tok.Encode("a").TypeIDs)
		shared := tok.processor.(processors)[0].(template).single[0].tokens
		require.Equal(t, []int32{0}, shared.TypeIDs)
	}
}

// A stream keeps no tokens that it leaves out: they would make each call longer than the one before.
func TestStreamOfSkippedTokens(t *testing.T) {
	tok := load(t, "wordpiece")
	s := tok.Stream(true)
	special := tok.AddedTokens()[0].ID
	var text strings.Builder
	for _, id := range tok.Encode("1 2", NoSpecialTokens()).IDs {
		for range 100 {
			text.WriteString(s.Next(special) + s.Next(1<<30))
			require.LessOrEqual(t, len(s.ids), 2)
		}
		text.WriteString(s.Next(id))
	}
	require.Equal(t, "1 2", text.String()+s.Flush())
}

// An expression that ends with blanks sees the text before the last match.
func TestStartOfTheTextInPatterns(t *testing.T) {
	for _, c := range []struct {
		expression, text string
		want             []string
	}{
		{"^a" + blanks, "aaaa", []string{"a", "aaa"}},
		{"^a" + blanks, "a\na  a", []string{"a", "\n", "a", " ", " ", "a"}},
		{`\Aa` + blanks, "a\na", []string{"a", "\n", "a"}},
		{"^é(x)?|b" + blanks, "éxéxb\xffé b", []string{"éx", "éx", "b", "\xffé", " ", "b"}},
	} {
		p, err := compilePattern(c.expression)
		require.NoError(t, err)
		var got []string
		for _, x := range p.cuts([]byte(c.text), nil) {
			got = append(got, c.text[x.start:x.end])
		}
		require.Equal(t, c.want, got, "%q in %q", c.expression, c.text)
	}
}
