package tokenizer

import (
	"fmt"
	"maps"
	"slices"
	"sort"
	"strings"
	"unicode/utf8"

	"ltc/internal/diag"
)

// Types of tokens in GGUF files.
const (
	ggufUnknown = 2
	ggufControl = 3
	ggufUser    = 4
	ggufUnused  = 5
)

// o200kPattern is that of GPT-4o and Llama 4.
const o200kPattern = `[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+` + blanks

// ggufPre has the pattern that splits words for each tokenizer.ggml.pre.
var ggufPre = map[string]string{
	"": gpt2Pattern, "default": gpt2Pattern, "gpt-2": gpt2Pattern, "olmo": gpt2Pattern, "phi-2": gpt2Pattern, "mpt": gpt2Pattern, "roberta-bpe": gpt2Pattern,
	"smollm": gpt2Pattern, "starcoder": gpt2Pattern, "refact": gpt2Pattern, "command-r": gpt2Pattern, "codeshell": gpt2Pattern,
	"llama-bpe": llamaPattern, "llama3": llamaPattern, "llama-v3": llamaPattern, "dbrx": llamaPattern, "smaug-bpe": llamaPattern,
	"qwen2": qwenPattern, "deepseek-r1-qwen": qwenPattern, "stablelm2": qwenPattern,
	"gpt-4o": o200kPattern, "llama4": o200kPattern,
}

// ggufDigits are those of ggufPre that split all digits from one another first.
var ggufDigits = []string{"smollm", "starcoder", "refact", "command-r", "codeshell"}

// metadata is that of a GGUF file.
type metadata map[string]any

// FromGGUF builds a tokenizer from the metadata of a GGUF file, by its keys, such as
// tokenizer.ggml.tokens. Arrays are slices of their elements' type, or of any. The models gpt2
// (byte-level BPE) and llama (SentencePiece BPE) are known.
func FromGGUF(meta map[string]any) (*Tokenizer, error) {
	m := metadata(meta)
	tokens, err := elements[string](m, "tokenizer.ggml.tokens")
	if err != nil {
		return nil, err
	}
	if len(tokens) == 0 {
		return nil, fmt.Errorf("tokenizer.ggml.tokens: is missing: the file has no tokenizer")
	}
	v := newVocabulary(len(tokens), 8*len(tokens))
	for i, token := range tokens {
		if len(token) > maxToken || !utf8.ValidString(token) {
			return nil, fmt.Errorf("tokenizer.ggml.tokens[%d]: is no token: it must be UTF-8 of at most %s", i, diag.Bytes(maxToken))
		}
		start := len(v.text)
		v.text = append(v.text, token...)
		v.put(start)
	}
	v.seal()
	kinds, err := elements[int](m, "tokenizer.ggml.token_type")
	if err != nil {
		return nil, err
	}
	if kinds != nil && len(kinds) != len(tokens) {
		return nil, fmt.Errorf("tokenizer.ggml.token_type: has %s: there are %s", diag.Count(len(kinds), "element"), diag.Count(len(tokens), "token"))
	}
	t := &Tokenizer{vocabulary: v}
	name, _ := meta["tokenizer.ggml.model"].(string)
	switch name {
	case "gpt2":
		err = m.byteLevel(t)
	case "llama":
		err = m.sentencePiece(t, kinds)
	default:
		err = fmt.Errorf("tokenizer.ggml.model: is %q: the models known are gpt2 and llama", name)
	}
	if err != nil {
		return nil, err
	}
	var added []AddedToken
	for i, kind := range kinds {
		if (kind == ggufControl || kind == ggufUser || kind == ggufUnknown) && tokens[i] != "" {
			// A substring would keep the text of all tokens alive.
			added = append(added, AddedToken{ID: int32(i), Content: strings.Clone(tokens[i]), Special: kind != ggufUser})
		}
	}
	t.added.set(added, t.normalizer)
	return t, m.template(t, name == "llama")
}

// elements returns the array of a key; nil if it is missing.
func elements[T string | int | float64](m metadata, key string) ([]T, error) {
	wrong := func(x any) ([]T, error) {
		return nil, fmt.Errorf("%s: has elements %T: they must be as %T", key, x, *new(T))
	}
	var all []T
	add := func(x any) bool {
		y, ok := convert[T](x)
		all = append(all, y)
		return ok
	}
	switch x := m[key].(type) {
	case nil:
		return nil, nil
	case []T:
		return x, nil
	case []any:
		for _, e := range x {
			if !add(e) {
				return wrong(e)
			}
		}
	case []int32:
		for _, e := range x {
			if !add(e) {
				return wrong(e)
			}
		}
	case []uint32:
		for _, e := range x {
			if !add(e) {
				return wrong(e)
			}
		}
	case []float32:
		for _, e := range x {
			if !add(e) {
				return wrong(e)
			}
		}
	default:
		return wrong(x)
	}
	return all, nil
}

// convert returns a value of metadata as another type.
func convert[T string | int | float64](x any) (y T, ok bool) {
	var n float64
	switch x := x.(type) {
	case T:
		return x, true
	case uint8:
		n = float64(x)
	case int8:
		n = float64(x)
	case uint16:
		n = float64(x)
	case int16:
		n = float64(x)
	case uint32:
		n = float64(x)
	case int32:
		n = float64(x)
	case uint64:
		n = float64(x)
	case int64:
		n = float64(x)
	case int:
		n = float64(x)
	case float32:
		n = float64(x)
	case float64:
		n = x
	default:
		return y, false
	}
	switch p := any(&y).(type) {
	case *int:
		*p = int(n)
		return y, float64(*p) == n
	case *float64:
		*p = n
		return y, true
	}
	return y, false
}

// byteLevel sets up byte-level BPE.
func (m metadata) byteLevel(t *Tokenizer) error {
	merges, err := elements[string](m, "tokenizer.ggml.merges")
	if err != nil {
		return err
	}
	b := &bpe{vocabulary: t.vocabulary, unknown: -1, merges: newPairTable(len(merges))}
	var key []byte
	for i, pair := range merges {
		left, right, ok := strings.Cut(pair, " ")
		if !ok || strings.Contains(right, " ") {
			return fmt.Errorf("tokenizer.ggml.merges[%d]: is %q: it must be two tokens with a blank between them", i, pair)
		}
		if key, err = b.addMerge(i, []byte(left), []byte(right), key); err != nil {
			return fmt.Errorf("tokenizer.ggml.merges[%d]: %w", i, err)
		}
	}
	pre, _ := m["tokenizer.ggml.pre"].(string)
	expression, ok := ggufPre[pre]
	if !ok {
		return fmt.Errorf("tokenizer.ggml.pre: is %q: those known are %s", pre, strings.Join(slices.Sorted(maps.Keys(ggufPre)), ", "))
	}
	if slices.Contains(ggufDigits, pre) {
		t.preTokenizers = append(t.preTokenizers, splitter{pattern: classPattern(numeric), behavior: isolated})
	}
	words, err := compilePattern(expression)
	if err != nil {
		return err
	}
	t.preTokenizers = append(t.preTokenizers, splitter{pattern: words, behavior: isolated}, byteLevel{})
	b.whole = expression == llamaPattern
	if expression == qwenPattern {
		t.normalizer = form{composed: true}
	}
	t.model, t.decoders = b, []decoder{byteLevelDecoder{}}
	t.useBytes()
	return nil
}

// sentencePiece sets up BPE of characters. Two tokens merge if what they become is a token; the one
// with the higher score comes first.
func (m metadata) sentencePiece(t *Tokenizer, kinds []int) error {
	v := t.vocabulary
	scores, err := elements[float64](m, "tokenizer.ggml.scores")
	if err != nil {
		return err
	}
	if len(scores) != len(v.places) {
		return fmt.Errorf("tokenizer.ggml.scores: has %s: there are %s", diag.Count(len(scores), "element"), diag.Count(len(v.places), "token"))
	}
	b := &bpe{vocabulary: v, unknown: -1, fuse: true, merges: newPairTable(4 * len(scores)), fallback: fallbackIDs(v)}
	order := make([]int, 0, len(scores))
	for id := range scores {
		kind := 1
		if kinds != nil {
			kind = kinds[id]
		}
		if kind == ggufUnknown {
			b.unknown = int32(id)
		}
		if n := len(v.bytes(id)); kind != ggufUnknown && kind != ggufControl && kind != ggufUnused && n <= 1<<10 {
			order = append(order, id)
		}
	}
	sort.SliceStable(order, func(i, j int) bool { return scores[order[i]] > scores[order[j]] })
	rank := 0
	for i, id := range order {
		if i > 0 && scores[id] != scores[order[i-1]] {
			rank = i
		}
		token := v.bytes(id)
		for k := range token {
			if k == 0 || !utf8.RuneStart(token[k]) {
				continue
			}
			left, ok := v.id(token[:k])
			if !ok {
				continue
			}
			if right, ok := v.id(token[k:]); ok {
				b.merges.set(uint32(left), uint32(right), pairValue{uint32(rank), uint32(id)})
			}
		}
	}
	blank := replaceNormalizer{literalPattern(" "), "▁"}
	t.normalizer = blank
	t.decoders = []decoder{replaceDecoder{literalPattern("▁"), " "}, fallbackDecoder{}, fuseDecoder{}}
	if space, ok := m["tokenizer.ggml.add_space_prefix"].(bool); space || !ok {
		t.normalizer = normalizers{prependNormalizer{"▁"}, blank}
		t.decoders = append(t.decoders, stripDecoder{' ', 1, 0})
	}
	t.model = b
	return nil
}

// template sets up the tokens at the ends of texts. start is whether there is one by default.
func (m metadata) template(t *Tokenizer, start bool) error {
	var single, pair []item
	var ends [2]int
	for i, key := range []string{"bos", "eos"} {
		id, err := m.tokenID(t, key)
		if err != nil {
			return err
		}
		add, ok := m["tokenizer.ggml.add_"+key+"_token"].(bool)
		if ends[i] = id; !add && (ok || !start || i > 0) {
			ends[i] = -1
		}
	}
	for text := range 2 {
		typeID := int32(text)
		end := func(id int) {
			if id >= 0 {
				pair = append(pair, special([]int32{int32(id)}, []string{t.Token(int32(id))}, typeID))
			}
		}
		end(ends[0])
		pair = append(pair, item{text: text, typeID: typeID})
		if end(ends[1]); text == 0 {
			single = slices.Clone(pair)
		}
	}
	t.processor = template{single, pair}
	id, err := m.tokenID(t, "padding")
	if id >= 0 {
		t.filler = &Padding{ID: int32(id), Token: t.Token(int32(id))}
	}
	return err
}

// tokenID returns the id of a special token; -1 if there is none.
func (m metadata) tokenID(t *Tokenizer, name string) (int, error) {
	key := "tokenizer.ggml." + name + "_token_id"
	x, ok := m[key]
	if !ok {
		return -1, nil
	}
	id, ok := convert[int](x)
	if !ok || !t.vocabulary.has(id) {
		return -1, fmt.Errorf("%s: is %v: it must be an id below %d", key, x, t.VocabSize())
	}
	return id, nil
}
