package tokenizer

import (
	"bytes"
	"fmt"
	"unicode"
	"unicode/utf8"

	"ltc/internal/diag"
)

// BERT has the options of a tokenizer that is a vocab.txt.
type BERT struct {
	LowerCase    bool   // of uncased models
	KeepAccents  bool   // although LowerCase is set
	StripAccents bool   // although LowerCase is not set
	Prefix       string // of tokens that continue a word; ## if it is empty
	Unknown      string // the token for unknown words; [UNK] if it is empty
}

// LoadVocab reads a vocab.txt of BERT: the token of each line has the number of the line as its id.
// Texts start and end with its special tokens, as BERT has them.
func LoadVocab(path string, options BERT) (*Tokenizer, error) {
	data, err := readFile(path)
	if err != nil {
		return nil, err
	}
	t, err := parseVocab(data, options)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return t, nil
}

func parseVocab(data []byte, options BERT) (*Tokenizer, error) {
	v := newVocabulary(bytes.Count(data, []byte("\n"))+1, len(data))
	for line := range bytes.Lines(data) {
		line = bytes.TrimRightFunc(line, unicode.IsSpace)
		n := len(v.places) + 1
		switch {
		case !utf8.Valid(line):
			return nil, fmt.Errorf("line %d: %q is not UTF-8", n, clip(line))
		case len(line) > maxToken:
			return nil, fmt.Errorf("line %d: a token of %s: at most %s", n, diag.Bytes(len(line)), diag.Bytes(maxToken))
		}
		start := len(v.text)
		v.text = append(v.text, line...)
		v.put(start)
	}
	v.seal()
	t := &Tokenizer{vocabulary: v, preTokenizers: []preTokenizer{bertSplitter{}}}
	accents := options.StripAccents || options.LowerCase && !options.KeepAccents
	t.normalizer = bertNormalizer{clean: true, ideographs: true, accents: accents, lowercase: options.LowerCase}
	prefix, unknown := options.Prefix, options.Unknown
	if prefix == "" {
		prefix = "##"
	}
	if unknown == "" {
		unknown = "[UNK]"
	}
	id, ok := v.idOf(unknown)
	if !ok {
		return nil, fmt.Errorf("has no line %s: name the token for unknown words by BERT.Unknown", unknown)
	}
	t.model = newWordPiece(v, prefix, id, 100)
	t.decoders = []decoder{wordPieceDecoder{prefix, true}}
	var added []AddedToken
	for _, name := range []string{"[PAD]", unknown, "[CLS]", "[SEP]", "[MASK]"} {
		if id, ok := v.idOf(name); ok {
			added = append(added, AddedToken{ID: int32(id), Content: name, Special: true})
		}
	}
	t.added.set(added, t.normalizer)
	cls, sep := v.tokenItem("[CLS]", 0), v.tokenItem("[SEP]", 0)
	if cls == nil || sep == nil {
		return t, nil
	}
	a := item{text: 0}
	t.processor = template{[]item{*cls, a, *sep}, []item{*cls, a, *sep, {text: 1, typeID: 1}, *v.tokenItem("[SEP]", 1)}}
	return t, nil
}

// tokenItem returns a part of a template; nil if the vocabulary lacks the token.
func (v *vocabulary) tokenItem(token string, typeID int32) *item {
	id, ok := v.idOf(token)
	if !ok {
		return nil
	}
	x := special([]int32{int32(id)}, []string{token}, typeID)
	return &x
}
