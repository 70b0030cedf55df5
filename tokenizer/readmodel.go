package tokenizer

import (
	"fmt"
	"slices"

	"ltc/internal/diag"
)

// readModel reads a model, whose vocabulary and merges are raw.
func readModel(v *value, data []byte) (model, *vocabulary, error) {
	if err := v.want(object); err != nil {
		return nil, nil, err
	}
	name, err := v.get("type").optional()
	if err != nil {
		return nil, nil, err
	}
	words := v.get("vocab")
	if words.kind != raw {
		return nil, nil, words.fail("is %v: it must have the tokens", words.kind)
	}
	list := data[words.start] == '['
	if name == "" { // files from before types were written
		switch {
		case list:
			name = "Unigram"
		case v.get("merges").kind != absent:
			name = "BPE"
		default:
			name = "WordPiece"
		}
	}
	if list != (name == "Unigram") {
		return nil, nil, words.fail("must be an object of tokens and ids, or for the type Unigram an array of tokens and scores")
	}
	read := map[string]func(*value, []byte) (model, *vocabulary, error){"WordPiece": readWordPiece, "WordLevel": readWordLevel, "BPE": readBPE, "Unigram": readUnigram}[name]
	if read == nil {
		return nil, nil, v.get("type").fail("is %q: the models known are WordPiece, BPE, Unigram and WordLevel", name)
	}
	return read(v, data)
}

// unknownID returns the id of the token that a field names; -1 if the field is missing.
func unknownID(v *value, words *vocabulary) (int, error) {
	token, err := v.optional()
	if err != nil || token == "" {
		return -1, err
	}
	id, ok := words.idOf(token)
	if !ok {
		return 0, v.fail("is %q, which is not in model.vocab: add it, or name the token for unknown words", token)
	}
	return id, nil
}

func readWordPiece(v *value, data []byte) (model, *vocabulary, error) {
	at := v.get("vocab")
	words, err := readVocabulary(data[:at.end], at.start, at.path())
	if err != nil {
		return nil, nil, err
	}
	unknown, err := unknownID(v.get("unk_token"), words)
	if err != nil {
		return nil, nil, err
	}
	if unknown < 0 {
		return nil, nil, v.get("unk_token").fail("is missing: name the token for unknown words")
	}
	prefix, err := v.get("continuing_subword_prefix").str()
	if err != nil {
		return nil, nil, err
	}
	most, err := v.get("max_input_chars_per_word").integer(MaxText)
	if err != nil {
		return nil, nil, err
	}
	return newWordPiece(words, prefix, unknown, most), words, nil
}

func readWordLevel(v *value, data []byte) (model, *vocabulary, error) {
	at := v.get("vocab")
	words, err := readVocabulary(data[:at.end], at.start, at.path())
	if err != nil {
		return nil, nil, err
	}
	unknown, err := unknownID(v.get("unk_token"), words)
	return &wordLevel{words, int32(unknown)}, words, err
}

func readUnigram(v *value, data []byte) (model, *vocabulary, error) {
	at := v.get("vocab")
	r := &reader{data: data[:at.end], pos: at.start + 1}
	words := newVocabulary((at.end-at.start)/16, at.end-at.start)
	var scores []float64
	for {
		path := func() string { return fmt.Sprintf("%s[%d]", at.path(), len(scores)) }
		more, err := r.more(']', len(scores) == 0)
		if err != nil {
			return nil, nil, fieldError(path(), "%w", err)
		}
		if !more {
			break
		}
		start := len(words.text)
		score, err := readScored(r, words)
		if err == nil && len(words.text)-start > maxToken {
			err = fmt.Errorf("a token of %s: at most %s", diag.Bytes(len(words.text)-start), diag.Bytes(maxToken))
		}
		if err != nil {
			return nil, nil, fieldError(path(), "%w", err)
		}
		words.put(start)
		scores = append(scores, score)
	}
	if len(scores) == 0 {
		return nil, nil, at.fail("is empty: there must be a token for unknown characters at least")
	}
	unknown := v.get("unk_id")
	if unknown.missing() {
		return nil, nil, unknown.fail("is missing: give the index of the token for unknown characters")
	}
	id, err := unknown.integer(len(scores) - 1)
	if err != nil {
		return nil, nil, err
	}
	m := newUnigram(words, scores, id)
	bytes, err := v.get("byte_fallback").flagOr(false)
	if bytes {
		m.fallback = fallbackIDs(words)
	}
	return m, words, err
}

// readScored reads a token and its score, and appends the token to the text of the vocabulary.
func readScored(r *reader, words *vocabulary) (score float64, err error) {
	for _, read := range []func() error{
		func() error { return r.take('[') },
		func() (err error) { words.text, err = r.appendString(words.text); return },
		func() error { return r.take(',') },
		func() (err error) { score, err = r.numeral(); return },
		func() error { return r.take(']') },
	} {
		if err := read(); err != nil {
			return 0, err
		}
	}
	return score, nil
}

func readBPE(v *value, data []byte) (model, *vocabulary, error) {
	at := v.get("vocab")
	words, err := readVocabulary(data[:at.end], at.start, at.path())
	if err != nil {
		return nil, nil, err
	}
	if x := v.get("dropout"); !x.missing() && x.number != 0 {
		return nil, nil, x.fail("is %v: merges that are dropped at random are for training; set it to null", x.number)
	}
	unknown, err := unknownID(v.get("unk_token"), words)
	if err != nil {
		return nil, nil, err
	}
	m := &bpe{vocabulary: words, unknown: int32(unknown)}
	if m.prefix, err = v.get("continuing_subword_prefix").optional(); err != nil {
		return nil, nil, err
	}
	if m.suffix, err = v.get("end_of_word_suffix").optional(); err != nil {
		return nil, nil, err
	}
	var fallback bool
	for key, to := range map[string]*bool{"fuse_unk": &m.fuse, "byte_fallback": &fallback, "ignore_merges": &m.whole} {
		if *to, err = v.get(key).flagOr(false); err != nil {
			return nil, nil, err
		}
	}
	if fallback {
		m.fallback = fallbackIDs(words)
	}
	return m, words, readMerges(m, v.get("merges"), data)
}

// readMerges reads pairs of tokens, each an array of two or a text with a blank between them.
func readMerges(m *bpe, at *value, data []byte) error {
	if at.kind != raw || data[at.start] != '[' {
		return at.fail("is %v: it must be an array of pairs of tokens", at.kind)
	}
	r := &reader{data: data[:at.end], pos: at.start + 1}
	m.merges = newPairTable((at.end - at.start) / 16)
	var text, key []byte
	for rank := 0; ; rank++ {
		path := func() string { return fmt.Sprintf("%s[%d]", at.path(), rank) }
		more, err := r.more(']', rank == 0)
		if err != nil {
			return fieldError(path(), "%w", err)
		}
		if !more {
			return nil
		}
		split := 0
		if text, split, err = readPair(r, text[:0]); err != nil {
			return fieldError(path(), "%w", err)
		}
		if key, err = m.addMerge(rank, text[:split], text[split:], key); err != nil {
			return fieldError(path(), "%w", err)
		}
	}
}

// readPair appends two tokens to text. The second starts at split.
func readPair(r *reader, text []byte) (_ []byte, split int, err error) {
	if r.next() != '[' {
		if text, err = r.appendString(text); err != nil {
			return text, 0, err
		}
		split = slices.Index(text, ' ')
		if split < 0 || slices.Contains(text[split+1:], ' ') {
			return text, 0, fmt.Errorf("is %q: it must be two tokens with a blank between them", clip(text))
		}
		return slices.Delete(text, split, split+1), split, nil
	}
	if err := r.take('['); err != nil {
		return text, 0, err
	}
	if text, err = r.appendString(text); err != nil {
		return text, 0, err
	}
	if err := r.take(','); err != nil {
		return text, 0, err
	}
	split = len(text)
	if text, err = r.appendString(text); err != nil {
		return text, 0, err
	}
	return text, split, r.take(']')
}
